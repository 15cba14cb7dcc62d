#include "tests/kernels/traffic.h"

const struct traffic_row traffic_work_rows[] = {
	{0},
};
