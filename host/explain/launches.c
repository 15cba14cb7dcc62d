/* What all parts of explain ask of the launches and their traces. */
#include "host/explain/internal.h"

int64_t explain_block_threads(const struct plan_step *step)
{
	return (int64_t)step->block[0] * step->block[1] * step->block[2];
}

double explain_launch_threads(const struct plan_step *step)
{
	return (double)step->groups[0] * (double)step->groups[1] * (double)step->groups[2] *
	       (double)explain_block_threads(step);
}

const struct launch_explanation *explain_main_launch(const struct explanation *explanation)
{
	const struct launch_explanation *launch = &explanation->launches[0];

	for (size_t i = 1; i < explanation->launch_count; i++) {
		const struct launch_explanation *other = &explanation->launches[i];
		if (explain_launch_threads(other->step) > explain_launch_threads(launch->step))
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
	if (*explanation->no_trace)
		return explanation->no_trace;
	for (size_t i = 0; i < explanation->launch_count; i++)
		if (explanation->launches[i].trace.defect.kind != TRACE_NO_DEFECT)
			return explanation->launches[i].trace.defect.text;
	return NULL;
}

double explain_sum(const struct explanation *explanation, trace_count_fn *count)
{
	double sum = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		sum += trace_estimate(trace, count(trace));
	}
	return sum;
}
