#include "tests/kernels/traffic.h"

const struct traffic_row traffic_access_rows[] = {
	{0},
};
