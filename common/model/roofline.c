#include "common/model/roofline.h"

#include "common/model/warp.h"

#include <math.h>
#include <stdio.h>

#define SCHEDULERS 4  /* of a multiprocessor */
#define SHORT_RUN 3.0 /* x the empty launch, as for measured runs */

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

const char *roofline_limit_name(enum roofline_limit limit)
{
	static const char *const names[] = {
		[ROOFLINE_MEMORY] = "memory",
		[ROOFLINE_COMPUTE] = "compute",
		[ROOFLINE_LATENCY] = "latency",
	};

	return names[limit];
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

enum roofline_limit roofline_limit(const struct roofline_device *device,
	const struct roofline_work *work, char *ret_text, size_t size)
{
	double ridge = roofline_ridge(device);
	double intensity = work->flops / work->bytes;
	double threads = threads_at_a_time(device, work);
	double least_ns = fmax(work->bytes / device->copy_gbps, work->flops / device->fma_gflops);

	if (threads <= SCHEDULERS * WARP_THREADS) {
		snprintf(ret_text, size,
			"%.3g threads a multiprocessor: no more than a warp for each scheduler",
			threads);
		return ROOFLINE_LATENCY;
	}
	if (least_ns < SHORT_RUN * device->empty_launch_ns) {
		snprintf(ret_text, size, "%.1f us at the roofs, an empty launch takes %.1f us",
			least_ns * 1e-3, device->empty_launch_ns * 1e-3);
		return ROOFLINE_LATENCY;
	}
	if (!(work->flops > 0))
		snprintf(ret_text, size, "no arithmetic: %.0f GB/s at most", device->copy_gbps);
	else if (intensity >= ridge)
		snprintf(ret_text, size,
			"%.3g FLOP a byte, the ridge is at %.1f: the roof of f32 is %.0f GFLOP/s",
			intensity, ridge, device->fma_gflops);
	else
		snprintf(ret_text, size,
			"%.3g FLOP a byte, the ridge is at %.1f: %.0f GFLOP/s unless caches help",
			intensity, ridge, roofline_gflops(device, intensity));
	return intensity >= ridge ? ROOFLINE_COMPUTE : ROOFLINE_MEMORY;
}
