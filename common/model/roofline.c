#include "common/model/roofline.h"

#include <math.h>
#include <stdio.h>

/* devices[0] of docs/results/nvidia-h200/limits/run-cuda.json: roofs, timer and limits. The rates of
 * tensor cores are of docs/results/nvidia-h200/matmul/tensor-cuda.json: the first file is older than the
 * roof of wgmma. */
const struct roofline_device roofline_reference = {
	.name = "NVIDIA H200",
	.rates =
		{
			.launch_ns = 2848.0,
			.next_launch_ns = 1342.36,
			.copy_gbps = 4323.47,
			.read_gbps = 4448.43,
			.l2_gbps = 8582.10,
			.shared_gbps = 32461.1,
			.gops =
				{
					[OPERATIONS_OF_DTYPE] = NAN,
					[OPERATIONS_F32] = 65485.6,
					[OPERATIONS_F16] = 127454,
					[OPERATIONS_F64] = 32816.6,
					[OPERATIONS_TENSOR_F16] = 953915,
					[OPERATIONS_TENSOR_TF32] = 481329,
					[OPERATIONS_INTEGER] = 24581.8,
					[OPERATIONS_SPECIAL] = 4027.43,
				},
			.cache_bytes = 62914560,
			.overfetches = true,
			.l1_is_shared = true,
		},
	.multiprocessors = 132,
};

double roofline_ridge(const struct roofline_device *device)
{
	return device->rates.gops[OPERATIONS_F32] / device->rates.copy_gbps;
}

double roofline_gflops(const struct roofline_device *device, double intensity)
{
	return fmin(device->rates.gops[OPERATIONS_F32], intensity * device->rates.copy_gbps);
}

double roofline_gbps(const struct roofline_device *device, double intensity)
{
	return fmin(device->rates.copy_gbps, device->rates.gops[OPERATIONS_F32] / intensity);
}

/* Threads that a multiprocessor has at a time; NAN = unknown. */
static double threads_at_a_time(
	const struct roofline_device *device, const struct roofline_work *work)
{
	if (!device->multiprocessors)
		return NAN;
	/* fmin() ignores NAN. */
	return fmin(work->resident_threads, work->threads / (double)device->multiprocessors);
}

enum limited_by roofline_limit(const struct roofline_device *device,
	const struct roofline_work *work, char *ret_text, size_t size)
{
	struct floors floors = floors_of(&work->floor, &device->rates);
	double threads = threads_at_a_time(device, work);
	enum limited_by limit = limit_modelled(&floors, threads, work->one_each);
	bool incomplete = limit == LIMITED_BY_UNKNOWN && floors.largest >= 0;
	char text[120];

	floors_text(&floors, text, sizeof text);
	if (limit == LIMITED_BY_LATENCY) /* too few threads */
		snprintf(ret_text, size,
			"%.3g threads per %s at %s: no more than a warp for each scheduler",
			threads, work->unit, work->where);
	else
		snprintf(ret_text, size, "%s%sfloors at %s: %s",
			incomplete ? floor_gap_text(floors.gap) : "", incomplete ? "; " : "",
			work->where, text);
	return limit;
}
