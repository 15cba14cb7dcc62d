#include "common/model/opencl_report.h"

#include "common/model/chip.h"
#include "common/model/last_level_cache.h"
#include "common/text.h"

#include <string.h>

#define RDNA_UNIT_SIMDS 4 /* of a work-group processor; a compute unit has 2 */
#define MAX_EUS 64        /* of a sub-slice; a larger report is wrong */
#define MIN_CLOCK_MHZ 2
#define APPLE_CLOCK_MHZ 1000

static bool has(const char *text, const char *part)
{
	return text && strcasestr(text, part);
}

static bool is_amd(const struct opencl_report *report)
{
	return report->is_gpu &&
	       (has(report->vendor, "Advanced Micro Devices") || has(report->vendor, "AMD"));
}

static bool is_nvidia(const struct opencl_report *report)
{
	return report->nv_warp > 0 || (report->is_gpu && has(report->vendor, "NVIDIA"));
}

static bool is_apple(const struct opencl_report *report)
{
	return has(report->platform, "Apple");
}

static bool is_rusticl(const struct opencl_report *report)
{
	return has(report->platform, "rusticl");
}

/* ---- Parts --------------------------------------------------------------------------------- */

/* A report of 0 means that the driver has no figure. */
static void set(struct device_shape *shape, enum shape_id id, int64_t value, const char *origin)
{
	if (value > 0)
		shape_set(shape, id, value, SHAPE_QUERY, origin);
}

static bool is_power_of_two(int64_t value)
{
	return value > 0 && (value & (value - 1)) == 0;
}

/* The preferred multiple of a kernel is not used. Intel reports twice the width on GPUs with fused EUs,
 * and 128 on CPUs. A list of several widths does not show which width is usual. */
static void set_widths(const struct opencl_report *report, struct device_shape *shape)
{
	bool one = report->sub_group_count == 1;
	bool vector = report->is_cpu && report->native_floats > 1;
	const struct {
		int64_t value;
		const char *origin;
	} queries[] = {
		{report->nv_warp, "CL_DEVICE_WARP_SIZE_NV"},
		{report->amd_wavefront, "CL_DEVICE_WAVEFRONT_WIDTH_AMD"},
		{one ? (int64_t)report->sub_groups[0] : 0, "CL_DEVICE_SUB_GROUP_SIZES_INTEL"},
		{vector ? report->native_floats : 0, "CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT"},
	};

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
		if (is_power_of_two(queries[i].value) && queries[i].value <= 128)
			set(shape, SHAPE_LANES, queries[i].value, queries[i].origin);
	if (report->is_cpu && report->native_floats == 1)
		shape_refuse(shape, SHAPE_LANES, "the driver reports vectors of 1 float");
	shape_set_width_list(shape, report->sub_groups, report->sub_group_count);
}

/* AMD reports its preferred block as the largest one. */
static void set_block(const struct opencl_report *report, struct device_shape *shape)
{
	set(shape, SHAPE_BLOCK_THREADS, report->amd_block_threads,
		"CL_DEVICE_MAX_WORK_GROUP_SIZE_AMD");
	set(shape, SHAPE_BLOCK_THREADS, report->block_threads, "CL_DEVICE_MAX_WORK_GROUP_SIZE");
	set(shape, SHAPE_BLOCK_SHARED, report->local_bytes, "CL_DEVICE_LOCAL_MEM_SIZE");
}

/* rusticl reports global memory for every device, also for GPUs with shared memory on the chip. */
static void set_shared(const struct opencl_report *report, struct device_shape *shape)
{
	if (is_rusticl(report) && !report->is_cpu)
		shape_refuse(shape, SHAPE_SHARED_ON_CHIP, "rusticl reports a constant");
	else if (report->local_type == OPENCL_LOCAL_IS_LOCAL ||
		 report->local_type == OPENCL_LOCAL_IS_GLOBAL)
		shape_set(shape, SHAPE_SHARED_ON_CHIP, report->local_type == OPENCL_LOCAL_IS_LOCAL,
			SHAPE_QUERY, "CL_DEVICE_LOCAL_MEM_TYPE");
}

/* Whether the driver counts parts of units. Intel's drivers count EUs. AMD's drivers count
 * work-group processors, which are units and have the SIMDs of two compute units. Mesa and Apple
 * count compute units. */
static bool counts_parts(const struct opencl_report *report, const struct device_shape *shape)
{
	if (!shape->part || shape->parts <= 1)
		return false;
	if (strcmp(shape->part, "compute unit") != 0)
		return true;
	if (report->amd_simds > 0)
		return report->amd_simds < RDNA_UNIT_SIMDS;
	return report->amd_wavefront <= 0;
}

/* The number of EUs of a sub-slice, from the driver, is better than that of the table. */
static void set_units(const struct opencl_report *report, struct device_shape *shape)
{
	if (shape->part && report->intel_eus > 0 && report->intel_eus <= MAX_EUS)
		shape->parts = (uint32_t)report->intel_eus;
	if (counts_parts(report, shape) && report->compute_units > 0)
		set(shape, SHAPE_UNITS, (report->compute_units - 1) / shape->parts + 1,
			"CL_DEVICE_MAX_COMPUTE_UNITS, which counts parts");
	else
		set(shape, SHAPE_UNITS, report->compute_units, "CL_DEVICE_MAX_COMPUTE_UNITS");
}

static uint64_t known(int64_t reported)
{
	return reported > 0 ? (uint64_t)reported : 0;
}

/* AMD reports the L1 of one compute unit, NVIDIA the sum of all L1 caches. */
static void set_caches(const struct opencl_report *report, struct device_shape *shape)
{
	static const char query[] = "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE";
	bool first_level = is_nvidia(report) || is_amd(report);
	const struct cache_facts facts = {.vendor = report->vendor ? report->vendor : "",
		.name = report->name ? report->name : "",
		.is_gpu = !report->is_cpu,
		.reported_bytes = first_level ? 0 : known(report->cache_bytes),
		.memory_bytes = known(report->memory_bytes)};

	if (report->is_cpu) {
		set(shape, SHAPE_LAST_CACHE, report->host_cache_bytes, "the system");
		set(shape, SHAPE_LAST_CACHE, report->cache_bytes, query);
		return;
	}
	last_level_cache_fill(&facts, query, shape);
	if (first_level && report->cache_bytes > 0) {
		const char *reason = is_amd(report) ? "the driver reports an L1 cache"
						    : "the driver reports the sum of L1 caches";
		shape_refuse(shape, SHAPE_L2, reason);
		shape_refuse(shape, SHAPE_LAST_CACHE, reason);
	}
}

/* Mesa 25's rusticl lists shuffles without an extension for sub-groups: sub-groups are a feature of
 * OpenCL C 3.0 there. AMD lists sub-groups without shuffles. */
static const char *sub_groups_of(const struct opencl_report *report)
{
	static const char *const bases[] = {"cl_khr_subgroups", "cl_intel_subgroups"};

	for (size_t i = 0; report->extensions && i < sizeof bases / sizeof *bases; i++)
		if (text_has_item(report->extensions, ' ', bases[i]))
			return bases[i];
	return report->has_sub_groups ? "__opencl_c_subgroups" : NULL;
}

/* Returns the extension if the device lists it, else `otherwise`. */
static const char *listed_or(
	const struct opencl_report *report, const char *extension, const char *otherwise)
{
	bool listed = report->extensions && text_has_item(report->extensions, ' ', extension);

	return listed ? extension : otherwise;
}

/* Older drivers of AMD report no bits of the f16 arithmetic that they have. NVIDIA lists no extension for
 * shuffles and f16; the compiler accepts PTX and half arithmetic. */
static void set_arithmetic(const struct opencl_report *report, struct device_shape *shape)
{
	static const char nvidia_fp16[] = "NVIDIA's compiler, which does not list it";
	const char *reduce = sub_groups_of(report);
	bool nvidia = report->nv_warp > 0;
	const struct {
		enum shape_id id;
		const char *by; /* NULL: the device has no such functions */
	} functions[] = {
		{SHAPE_FP16, listed_or(report, "cl_khr_fp16", nvidia ? nvidia_fp16 : NULL)},
		{SHAPE_SHUFFLE,
			nvidia   ? "inline PTX"
			: reduce ? listed_or(report, "cl_khr_subgroup_shuffle_relative", NULL)
				 : NULL},
		{SHAPE_SUB_GROUP_REDUCE, reduce}};

	if (report->fp64_config >= 0)
		shape_set(shape, SHAPE_FP64, report->fp64_config != 0, SHAPE_QUERY,
			"CL_DEVICE_DOUBLE_FP_CONFIG");
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		shape_set(shape, functions[i].id, functions[i].by != NULL, SHAPE_QUERY,
			functions[i].by ? functions[i].by : "CL_DEVICE_EXTENSIONS");
}

static void set_times(const struct opencl_report *report, struct device_shape *shape)
{
	static const char clock[] = "CL_DEVICE_MAX_CLOCK_FREQUENCY";

	if (is_amd(report) && !is_rusticl(report) && report->timer_ns == 1)
		shape_refuse(shape, SHAPE_TIMER, "the driver reports a constant");
	else
		set(shape, SHAPE_TIMER, report->timer_ns, "CL_DEVICE_PROFILING_TIMER_RESOLUTION");
	if (report->timer_ns == 0)
		shape_refuse(shape, SHAPE_TIMER, "the driver reports 0");
	if (report->clock_mhz >= 0 && report->clock_mhz < MIN_CLOCK_MHZ)
		shape_refuse(shape, SHAPE_CLOCK,
			report->clock_mhz ? "the driver reports 1" : "the driver reports 0");
	else if (is_apple(report) && report->clock_mhz == APPLE_CLOCK_MHZ)
		shape_refuse(shape, SHAPE_CLOCK, "the driver reports a constant");
	else
		set(shape, SHAPE_CLOCK, report->clock_mhz, clock);
}

struct device_shape opencl_report_shape(const struct opencl_report *report)
{
	struct device_shape shape = {0};
	const struct chip_facts facts = {.vendor = report->vendor,
		.name = report->name,
		.board = report->board,
		.version = report->version,
		.arch = report->arch,
		.pci_id = report->intel_device_id > 0 ? (uint32_t)report->intel_device_id : 0};
	struct chip chip;
	bool known = report->is_gpu && chip_find(&facts, &chip);
	bool table_first = known && is_amd(report);

	set_widths(report, &shape);
	set_block(report, &shape);
	set_shared(report, &shape);
	set(&shape, SHAPE_BANKS, report->amd_banks, "CL_DEVICE_LOCAL_MEM_BANKS_AMD");
	/* ROCm's agents report 64 bytes for GPUs with lines of 128 bytes, so the table is first. */
	if (!table_first)
		set(&shape, SHAPE_LINE, report->line_bytes, "CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE");
	if (known)
		chip_fill(&chip, &shape);
	set_units(report, &shape);
	if (table_first && shape_value_or(&shape, SHAPE_LINE, 0) == 0)
		shape_refuse(&shape, SHAPE_LINE, "drivers report different lines for this chip");
	set_caches(report, &shape);
	if (report->unified >= 0)
		shape_set(&shape, SHAPE_UNIFIED, report->unified != 0, SHAPE_QUERY,
			"CL_DEVICE_HOST_UNIFIED_MEMORY");
	set_arithmetic(report, &shape);
	set_times(report, &shape);
	return shape;
}
