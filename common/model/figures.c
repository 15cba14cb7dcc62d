#include "common/model/figures.h"

#include <math.h>

struct figures figures_of(const struct figures_run *run)
{
	if (!(run->ns > 0))
		return (struct figures){NAN, NAN, {LIMITED_BY_UNKNOWN, LIMIT_NO_FLOOR, NAN}};
	return (struct figures){.gflops = run->flops / run->ns,
		.gbps = run->bytes_compulsory / run->ns,
		.finding = limit_measured(&run->floors, run->ns)};
}

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
