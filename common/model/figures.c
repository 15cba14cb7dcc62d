#include "common/model/figures.h"

#include <math.h>

double figures_metric(
	enum metric_kind kind, double count, double ns, double clock_mhz, double multiprocessors)
{
	double cycles = ns * 1e-3 * clock_mhz * multiprocessors;

	if (kind == METRIC_NONE || !(count > 0))
		return NAN;
	if (kind == METRIC_NS_EACH)
		return ns / count;
	return cycles > 0 ? count / cycles : NAN;
}
