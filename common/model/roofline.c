#include "common/model/roofline.h"

#include <math.h>
#include <stdio.h>

/* devices[0] of docs/results/nvidia-h200/families-cuda.json: roofs, timer and limits. */
const struct roofline_device roofline_reference = {
	.name = "NVIDIA H200",
	.copy_gbps = 4264.67,
	.fma_gflops = 65383.8,
	.empty_launch_ns = 4080.0,
	.multiprocessors = 132,
};

double roofline_ridge(const struct roofline_device *device)
{
	return device->fma_gflops / device->copy_gbps;
}

double roofline_gflops(const struct roofline_device *device, double intensity)
{
	return fmin(device->fma_gflops, intensity * device->copy_gbps);
}

double roofline_gbps(const struct roofline_device *device, double intensity)
{
	return fmin(device->copy_gbps, device->fma_gflops / intensity);
}

/* Threads that a multiprocessor has at a time; NAN = unknown. */
static double threads_at_a_time(
	const struct roofline_device *device, const struct roofline_work *work)
{
	if (!device->multiprocessors)
		return NAN;
	/* fmin() ignores what is not known. */
	return fmin(work->resident_threads, work->threads / (double)device->multiprocessors);
}

/* The figures that decided. */
static void put_text(const struct roofline_device *device, const struct limit_facts *facts,
	enum limit_rule rule, char *ret_text, size_t size)
{
	if (rule == LIMIT_FEW_THREADS)
		snprintf(ret_text, size,
			"%.3g threads a multiprocessor: no more than a warp for each scheduler",
			facts->threads);
	else if (rule == LIMIT_SHORT_RUN)
		snprintf(ret_text, size, "%.1f us at the roofs, an empty launch takes %.1f us",
			facts->ns * 1e-3, facts->empty_launch_ns * 1e-3);
	else if (!(facts->flop_per_byte > 0))
		snprintf(ret_text, size, "no arithmetic: %.0f GB/s at most", device->copy_gbps);
	else if (rule == LIMIT_ABOVE_RIDGE)
		snprintf(ret_text, size,
			"%.3g FLOP a byte, the ridge is at %.1f: the roof of f32 is %.0f GFLOP/s",
			facts->flop_per_byte, roofline_ridge(device), device->fma_gflops);
	else
		snprintf(ret_text, size,
			"%.3g FLOP a byte, the ridge is at %.1f: %.0f GFLOP/s unless caches help",
			facts->flop_per_byte, roofline_ridge(device),
			roofline_gflops(device, facts->flop_per_byte));
}

enum limited_by roofline_limit(const struct roofline_device *device,
	const struct roofline_work *work, char *ret_text, size_t size)
{
	struct limit_facts facts = {
		.ns = fmax(work->bytes / device->copy_gbps, work->flops / device->fma_gflops),
		.empty_launch_ns = device->empty_launch_ns,
		.threads = threads_at_a_time(device, work),
		.flop_per_byte = work->flops / work->bytes,
		.gbps = NAN,
		.gflops = NAN,
		.issued_gbps = NAN,
		.copy_gbps = device->copy_gbps,
		.read_gbps = NAN,
		.fma_gflops = device->fma_gflops,
	};
	struct limit_finding finding = limit_find(&facts);

	put_text(device, &facts, finding.rule, ret_text, size);
	return finding.limit;
}
