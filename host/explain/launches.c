/* Sums over the launches and their traces. */
#include "host/explain/internal.h"

#include <math.h>

double explain_launch_threads(const struct plan_launch *launch)
{
	return (double)plan_launch_groups(launch) * (double)plan_launch_threads(launch);
}

double explain_max_threads(const struct plan *plan)
{
	double threads = 0;

	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_launch *launch = plan_step_launch(&plan->steps[s]);
		if (launch)
			threads = fmax(threads, explain_launch_threads(launch));
	}
	return threads;
}

const struct launch_explanation *explain_main_launch(const struct explanation *explanation)
{
	const struct launch_explanation *launch = &explanation->launches[0];

	for (size_t i = 1; i < explanation->launch_count; i++) {
		const struct launch_explanation *other = &explanation->launches[i];
		if (explain_launch_threads(other->planned) >
			explain_launch_threads(launch->planned))
			launch = other;
	}
	return launch;
}

bool explain_for_cpus(const struct explanation *explanation)
{
	return explanation->config.variant->needs & PMPP_CAP_OPENCL_CPU;
}

const char *explain_no_trace(const struct explanation *explanation)
{
	if (explanation->record.no_trace)
		return explanation->record.no_trace;
	for (size_t i = 0; i < explanation->launch_count; i++)
		if (explanation->launches[i].trace.defect.kind != TRACE_NO_DEFECT)
			return explanation->launches[i].trace.defect.text;
	return NULL;
}

double explain_sum(
	const struct explanation *explanation, size_t count, enum trace_space space, unsigned kinds)
{
	double sum = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		sum += trace_estimate(trace, trace_sum(trace, count, space, kinds));
	}
	return sum;
}
