#include "common/model/figures.h"

#include <math.h>

struct figures figures_of(const struct figures_run *run, const struct figures_device *device)
{
	if (!(run->ns > 0))
		return (struct figures){NAN, NAN, NAN, LIMITED_BY_UNKNOWN};
	struct limit_facts facts = {
		.ns = run->ns,
		.empty_launch_ns = device->empty_launch_ns,
		.threads = NAN,
		.flop_per_byte = run->flops / run->bytes_compulsory,
		.gbps = run->bytes_compulsory / run->ns,
		.gflops = run->flops / run->ns,
		.issued_gbps = run->bytes_issued / run->ns,
		.copy_gbps = device->copy_gbps,
		.read_gbps = device->read_gbps,
		.fma_gflops = device->fma_gflops,
	};
	return (struct figures){
		.gflops = facts.gflops,
		.gbps = facts.gbps,
		/* fmax() ignores a roof that is unknown. */
		.fraction_of_roof =
			fmax(facts.gflops / device->type_gflops, facts.gbps / device->copy_gbps),
		.limited_by = limit_find(&facts).limit,
	};
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
