#include "host/suite/roof_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/integers.h"
#include "host/suite/device.h"
#include "host/suite/fallback.h"

/* The dimensions of the family are: elements read, elements written, passes over them. The streams
 * are several times as large as any cache, but at most 1/16 of the memory. On an H200 the start and
 * the end of a run take as long as 20 MB of a stream: 2 % of 1 GiB. The other rows run the same number
 * of blocks on each compute unit, and take some hundred microseconds. */
static int64_t stream_of(const struct gpu_device_info *info)
{
	static const int64_t streams[] = {
		[DEVICE_CLASS_GPU] = (int64_t)1 << 28,
		[DEVICE_CLASS_CPU] = (int64_t)1 << 24,
		[DEVICE_CLASS_EMULATED] = (int64_t)1 << 16,
	};
	const struct gpu_limits *limits = &info->limits;
	int64_t stream = streams[suite_device_class(info)];
	int64_t max = (int64_t)(limits->global_bytes / 16 / sizeof(float));
	int64_t max_buffer = (int64_t)(limits->max_buffer_bytes / 2 / sizeof(float));
	/* two caches of bytes read and two caches of bytes written */
	int64_t caches = (int64_t)(suite_cache_bytes(info) / 2);

	stream = min(min(stream > caches ? stream : caches, max), max_buffer);
	return stream > 1 ? stream : 1;
}

static void copy_size(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS])
{
	ret_dim[0] = ret_dim[1] = stream_of(info);
	ret_dim[2] = 1;
}

/* 1024 threads with 4 elements each per compute unit, which are all resident together. On a CPU,
 * some spans for each core. */
static void read_size(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS])
{
	bool cpu = suite_device_class(info) == DEVICE_CLASS_CPU;
	int64_t stream = stream_of(info), outputs = suite_units(info) * (cpu ? 16384 : 4096);

	ret_dim[0] = stream > outputs ? stream / outputs * outputs : outputs;
	ret_dim[1] = outputs;
	ret_dim[2] = 1;
}

/* The kernel read-shares-cpu reads rows of 64 elements as vectors. */
static void shares_size(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS])
{
	int64_t stream = stream_of(info);

	ret_dim[1] = 64;
	ret_dim[0] = stream > 64 ? stream / 64 * 64 : 64;
	ret_dim[2] = 1;
}

/* The buffer is a quarter of the second-level cache, because a cache may consist of two halves that
 * both hold a copy. The maximum is 16 MiB: 64 times the largest first-level cache (256 KiB, compute
 * capability 9.0). The minimum is 2 MiB: 64 times the first-level cache of an AMD GPU (32 KiB), and
 * less than the second-level cache of most GPUs. There are 8 passes per compute unit. A block reads
 * at most 2 MiB, so that a large buffer has several blocks per pass: with one block per pass, the
 * slowest multiprocessors of an H200 decide, and the rate is 8.6 TB/s in place of 9.1. */
static void l2_size(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS])
{
	enum {
		LEAST_OUTPUTS = 1024, /* 4 for each thread of a block */
		BLOCK_BYTES = 2 << 20,
		MIN_BYTES = 2 << 20,
		MAX_BYTES = 16 << 20,
		MAX_SUM = (1 << 24) - 1 /* integers below stay exact */
	};
	const struct cache_facts facts = suite_cache_facts(info);
	uint64_t quarter = last_level_cache_l2_bytes(&facts) / 4;
	uint64_t bytes = quarter < MIN_BYTES ? MIN_BYTES : quarter;
	int64_t passes = suite_units(info) * 8;
	int64_t blocks = 1; /* per pass */

	bytes = bytes < MAX_BYTES ? bytes : MAX_BYTES;
	while (bytes > (uint64_t)blocks * BLOCK_BYTES)
		blocks *= 2;
	int64_t outputs = LEAST_OUTPUTS * blocks;
	int64_t depth = (int64_t)bytes / 4 / outputs;

	ret_dim[0] = depth * outputs;
	ret_dim[1] = outputs;
	ret_dim[2] = passes < MAX_SUM / depth ? passes : MAX_SUM / depth;
}

/* 1024 threads per compute unit. On a GPU the passes take about 2 ms: the launch and the first reads
 * are less than 1 % of it. */
static void shared_size(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS])
{
	int width = info->capabilities & PMPP_CAP_OPENCL_CPU ? 4 : 2; /* outputs per thread */

	ret_dim[0] = suite_units(info) * 1024 * 32; /* 32 elements per thread */
	ret_dim[1] = suite_units(info) * 1024 * width;
	ret_dim[2] = suite_device_class(info) == DEVICE_CLASS_GPU ? 4096 : 256;
}

static double bytes_moved(const struct config *config, const struct problem *problem)
{
	(void)config;
	return problem_bytes_compulsory(problem);
}

static double bytes_of_passes(const struct config *config, const struct problem *problem)
{
	(void)config;
	return (double)sizeof(float) * (double)problem->dim[0] * (double)problem->dim[2];
}

/* Each element of A is used in a multiply-add for each column: 8 in mma.sync, 128 in wgmma. */
static double tensor_flops(const struct config *config, const struct problem *problem)
{
	int columns = config->variant->needs & PMPP_CAP_WGMMA ? 128 : 8;

	return columns * config_flops(config, problem);
}

/* The dimensions of a row: a function, or figures. All threads of these rows are resident together,
 * even if they use many registers. A second wave would leave multiprocessors idle. */
struct size {
	void (*set)(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS]);
	int64_t outputs; /* per compute unit */
	int64_t depth;   /* elements per output: one for each chain of the kernel */
	int64_t passes;
	bool fma; /* multiply-adds: there is a row for CPUs, and fma() may be emulated */
};

/* Chains of fma-cpu and fma-f64-cpu. */
#define CPU_CHAINS 12

/* 1024 threads with 1 output each; f16: with 2. Tensor rows: 16 warps with 16 outputs each, and 8
 * instructions per pass; a product of wgmma is 16 times as large. */
static const struct row {
	const char *variant;     /* for a GPU */
	const char *cpu_variant; /* for an OpenCL CPU device; NULL: none */
	struct size size;
	double (*amount)(const struct config *config, const struct problem *problem);
	/* A second row for devices that have what the variant needs, and its size. NULL: none */
	const char *other;
	struct size other_size;
} rows[ROOF_ROLE_COUNT] = {
	[ROOF_COPY] = {"copy", "copy-cpu", {copy_size}, bytes_moved, "copy", {copy_size}},
	[ROOF_READ] = {"read", "read-cpu", {read_size}, bytes_moved, "read-shares-cpu",
		{shares_size}},
	[ROOF_L2] = {"l2", NULL, {l2_size}, bytes_of_passes},
	[ROOF_SHARED] = {"shared", "shared-cpu", {shared_size}, bytes_of_passes},
	[ROOF_FMA] = {"fma", "fma-cpu", {NULL, 1024, 16, 8192, true}, config_flops, "fma-items-cpu",
		{NULL, 1024, 16, 8192, true}},
	[ROOF_FMA_F16] = {"fma-f16", NULL, {NULL, 2048, 16, 8192, true}, config_flops},
	[ROOF_FMA_F64] = {"fma-f64", "fma-f64-cpu", {NULL, 1024, 8, 8192, true}, config_flops},
	[ROOF_INTEGER] = {"integer", NULL, {NULL, 1024, 8, 8192}, config_flops},
	[ROOF_SPECIAL] = {"special", NULL, {NULL, 1024, 8, 2048}, config_flops},
	[ROOF_TENSOR_F16] = {"tensor-f16", NULL, {NULL, 256, 128, 4096}, tensor_flops,
		"tensor-f16-groups", {NULL, 256, 128, 256}},
	[ROOF_TENSOR_TF32] = {"tensor-tf32", NULL, {NULL, 256, 64, 4096}, tensor_flops,
		"tensor-tf32-groups", {NULL, 256, 64, 256}},
};

static void set_macro(struct config *config, const char *name, int value)
{
	for (size_t i = 0; i < PMPP_MAX_MACROS && config->variant->macros[i].name; i++)
		if (strcmp(config->variant->macros[i].name, name) == 0)
			config->value[i] = value;
}

/* The roof is the largest rate of the device. A kernel with an emulated fma(), or with vectors that
 * are wider than the registers of a CPU, does not reach it. */
static void fit_device(const struct gpu_device_info *info, struct config *config)
{
	int64_t lanes = shape_value_or(&info->shape, SHAPE_LANES, 16); /* of f32 in a register */

	if (info->emulated_fma)
		set_macro(config, "FUSED", 0);
	if (strcmp(config->variant->file, "fma_cpu") == 0 && lanes >= 4 && lanes <= 16)
		set_macro(config, "SPAN",
			(int)(config_value(config, "REAL_BITS") == 64 ? lanes / 2 : lanes));
}

static bool is_opencl_cpu(const struct gpu_device_info *info)
{
	return info->capabilities & PMPP_CAP_OPENCL_CPU;
}

/* Without an instruction for multiply-adds, a pass takes about 100 times as long, so there are
 * fewer passes. OpenCL CPU devices need no reduction: their kernel then multiplies and adds
 * separately. */
static void set_size(
	const struct gpu_device_info *info, const struct size *size, int64_t ret_dim[PMPP_MAX_DIMS])
{
	if (size->set) {
		size->set(info, ret_dim);
		return;
	}
	ret_dim[1] = suite_units(info) * size->outputs;
	ret_dim[0] = ret_dim[1] * (is_opencl_cpu(info) ? CPU_CHAINS : size->depth);
	ret_dim[2] = size->fma && info->emulated_fma && !is_opencl_cpu(info) ? 64 : size->passes;
}

/* Returns the variant `name`, or NULL if name is NULL. */
static const struct variant *roof_variant(const char *name)
{
	const struct family *family = family_find("roof");

	return family && name ? variant_find(family, name) : NULL;
}

/* Whether the row of the variant reaches the rate that it measures. Multiply-adds of f16 through
 * NVIDIA's OpenCL (driver 580) reach 92 % of the rate of an H200; through CUDA they reach 96 %. */
static bool reaches_rate(const struct gpu_device_info *info, const struct variant *variant)
{
	if (variant->needs & PMPP_CAP_TENSOR)
		return pmpp_mma_reaches_rate(info->arch);
	return !(variant->needs & PMPP_CAP_FP16 && info->capabilities & PMPP_CAP_NVIDIA_PTX &&
		 info->backend == GPU_BACKEND_OPENCL);
}

/* Returns the variant of the first row, or NULL if there is none. */
static const struct variant *first_variant(
	const struct gpu_device_info *info, const struct row *row)
{
	const struct variant *variant =
		roof_variant(is_opencl_cpu(info) ? row->cpu_variant : row->variant);

	return variant && reaches_rate(info, variant) ? variant : NULL;
}

/* Replaces a config whose blocks do not fit the device by the first point that fits. It stays if no
 * point fits or if there is no memory: the kernel is launched without a search. */
static void fit_blocks(const struct gpu_limits *limits, struct roof_row *row)
{
	struct fallback_points points;
	struct plan plan;
	char text[160];

	config_plan(&row->config, &row->problem, &plan);
	fallback_block_limit(&plan, limits, text, sizeof text);
	if (!*text || !fallback_points_make(&row->config, &row->problem, limits, &points))
		return;
	if (points.count)
		row->config = points.items[0];
	free(points.items);
}

/* Fills in the row of a variant with the size of `size`. Returns false if variant is NULL. */
static bool fill_row(const struct gpu_device_info *info, const struct row *row,
	const struct variant *variant, const struct size *size, struct roof_row *ret_row)
{
	if (!variant)
		return false;
	const struct kernel_shape shape = suite_kernel_shape(info, NULL);

	ret_row->config = config_for(variant, &shape);
	fit_device(info, &ret_row->config);
	ret_row->problem = problem_default(variant_family(variant));
	set_size(info, size, ret_row->problem.dim);
	fit_blocks(&info->limits, ret_row);
	ret_row->amount = row->amount(&ret_row->config, &ret_row->problem);
	return true;
}

bool roof_row_of(const struct gpu_device_info *info, enum roof_role role, bool second,
	struct roof_row *ret_row)
{
	const struct row *row = &rows[role];
	const struct variant *first = first_variant(info, row), *other = roof_variant(row->other);

	if (!second)
		return fill_row(info, row, first, &row->size, ret_row);
	return other && other != first && !(other->needs & ~info->capabilities) &&
	       fill_row(info, row, other, &row->other_size, ret_row);
}
