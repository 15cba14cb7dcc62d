#include "common/model/opencl_report.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/opencl/internal.h"
#include "host/io/os_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Constants of extensions that some OpenCL headers lack. */
#define DEVICE_UUID_KHR 0x106A
#define DEVICE_PCI_BUS_INFO_KHR 0x410F
#define DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define DEVICE_COMPUTE_CAPABILITY_MINOR_NV 0x4001
#define DEVICE_WARP_SIZE_NV 0x4003
#define DEVICE_MAX_WORK_GROUP_SIZE_AMD 0x4031
#define DEVICE_TOPOLOGY_AMD 0x4037
#define DEVICE_BOARD_NAME_AMD 0x4038
#define DEVICE_SIMD_PER_COMPUTE_UNIT_AMD 0x4040
#define DEVICE_WAVEFRONT_WIDTH_AMD 0x4043
#define DEVICE_LOCAL_MEM_BANKS_AMD 0x4048
#define DEVICE_SUB_GROUP_SIZES_INTEL 0x4108
#define DEVICE_ID_INTEL 0x4251
#define DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL 0x4254

#define AMD_ATTRIBUTES "cl_amd_device_attribute_query"
#define NV_ATTRIBUTES "cl_nv_device_attribute_query"
#define INTEL_ATTRIBUTES "cl_intel_device_attribute_query"
#define INTEL_SIZES "cl_intel_required_subgroup_size"

/* ---- Identity ------------------------------------------------------------------------------ */

/* cl_device_topology_amd: 24 bytes, of which the first four are the type. ROCm's OpenCL has this
 * query only, other platforms of the same GPU have cl_khr_pci_bus_info. */
static void amd_pci(cl_device_id id, struct gpu_device_info *info)
{
	unsigned char topology[24] = {0};
	cl_uint type = 0;

	if (clGetDeviceInfo(id, DEVICE_TOPOLOGY_AMD, sizeof topology, topology, NULL) != CL_SUCCESS)
		return;
	memcpy(&type, topology, sizeof type);
	if (type == 1)
		gpu_pci_text(0, topology[21], topology[22], topology[23], info->pci);
}

void opencl_describe_identity(cl_device_id id, const char *extensions, struct gpu_device_info *info)
{
	unsigned char uuid[16];
	cl_uint pci[4]; /* domain, bus, device, function */

	if (clGetDeviceInfo(id, DEVICE_UUID_KHR, sizeof uuid, uuid, NULL) == CL_SUCCESS)
		gpu_uuid_text(uuid, info->uuid);
	if (clGetDeviceInfo(id, DEVICE_PCI_BUS_INFO_KHR, sizeof pci, pci, NULL) == CL_SUCCESS)
		gpu_pci_text(pci[0], pci[1], pci[2], pci[3], info->pci);
	else if (gpu_lists_extension(extensions, AMD_ATTRIBUTES))
		amd_pci(id, info);
	if (gpu_lists_extension(extensions, NV_ATTRIBUTES)) {
		cl_uint major = opencl_query_uint(id, DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);

		if (major > 0)
			snprintf(info->arch, sizeof info->arch, "sm_%u%u", major,
				opencl_query_uint(id, DEVICE_COMPUTE_CAPABILITY_MINOR_NV));
	}
}

/* ---- Reports ------------------------------------------------------------------------------- */

/* Drivers answer with 4 or 8 bytes. */
static int64_t ask(cl_device_id id, cl_device_info what)
{
	unsigned char bytes[8] = {0};
	uint64_t value = 0;
	uint32_t half = 0;
	size_t size = 0;

	if (clGetDeviceInfo(id, what, sizeof bytes, bytes, &size) != CL_SUCCESS)
		return NOT_REPORTED;
	memcpy(&value, bytes, sizeof value);
	memcpy(&half, bytes, sizeof half);
	if (size == sizeof half)
		return half;
	return size == sizeof value && value <= INT64_MAX ? (int64_t)value : NOT_REPORTED;
}

static int64_t ask_if(bool listed, cl_device_id id, cl_device_info what)
{
	return listed ? ask(id, what) : NOT_REPORTED;
}

static void ask_sizes(cl_device_id id, struct opencl_report *report)
{
	size_t size = 0;

	if (clGetDeviceInfo(id, DEVICE_SUB_GROUP_SIZES_INTEL, sizeof report->sub_groups,
		    report->sub_groups, &size) == CL_SUCCESS &&
		size <= sizeof report->sub_groups)
		report->sub_group_count = size / sizeof *report->sub_groups;
}

/* NVIDIA lists no extension for shuffles and f16; the compiler accepts PTX and half arithmetic. */
static void ask_functions(cl_device_id id, const char *extensions, struct opencl_report *report)
{
	const struct gpu_sub_groups sub_groups =
		gpu_sub_groups_of(extensions, opencl_has_feature(id, "__opencl_c_subgroups"));
	bool nvidia = report->nv_warp > 0;

	report->shuffle = nvidia ? "inline PTX" : sub_groups.shuffle;
	report->reduce = sub_groups.reduce;
	report->fp16 = gpu_lists_extension(extensions, "cl_khr_fp16") ? "cl_khr_fp16"
		       : nvidia ? "NVIDIA's compiler, which does not list it"
				: NULL;
}

static void ask_all(cl_device_id id, const char *extensions, struct opencl_report *report)
{
	bool amd = gpu_lists_extension(extensions, AMD_ATTRIBUTES);
	bool nv = gpu_lists_extension(extensions, NV_ATTRIBUTES);
	bool intel = gpu_lists_extension(extensions, INTEL_ATTRIBUTES);
	const struct {
		int64_t *value;
		cl_device_info what;
		bool listed;
	} rows[] = {
		{&report->compute_units, CL_DEVICE_MAX_COMPUTE_UNITS, true},
		{&report->clock_mhz, CL_DEVICE_MAX_CLOCK_FREQUENCY, true},
		{&report->block_threads, CL_DEVICE_MAX_WORK_GROUP_SIZE, true},
		{&report->local_bytes, CL_DEVICE_LOCAL_MEM_SIZE, true},
		{&report->local_type, CL_DEVICE_LOCAL_MEM_TYPE, true},
		{&report->line_bytes, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, true},
		{&report->cache_bytes, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, true},
		{&report->memory_bytes, CL_DEVICE_GLOBAL_MEM_SIZE, true},
		{&report->unified, CL_DEVICE_HOST_UNIFIED_MEMORY, true},
		{&report->fp64_config, CL_DEVICE_DOUBLE_FP_CONFIG, true},
		{&report->native_floats, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, true},
		{&report->timer_ns, CL_DEVICE_PROFILING_TIMER_RESOLUTION, true},
		{&report->amd_wavefront, DEVICE_WAVEFRONT_WIDTH_AMD, amd},
		{&report->amd_block_threads, DEVICE_MAX_WORK_GROUP_SIZE_AMD, amd},
		{&report->amd_simds, DEVICE_SIMD_PER_COMPUTE_UNIT_AMD, amd},
		{&report->amd_banks, DEVICE_LOCAL_MEM_BANKS_AMD, amd},
		{&report->nv_warp, DEVICE_WARP_SIZE_NV, nv},
		{&report->intel_device_id, DEVICE_ID_INTEL, intel},
		{&report->intel_eus, DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL, intel},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		*rows[i].value = ask_if(rows[i].listed, id, rows[i].what);
	if (gpu_lists_extension(extensions, INTEL_SIZES))
		ask_sizes(id, report);
	ask_functions(id, extensions, report);
}

/* ---- Shape --------------------------------------------------------------------------------- */

void opencl_describe_shape(cl_platform_id platform, cl_device_id id, const char *extensions,
	struct gpu_device_info *info)
{
	struct opencl_report report = {.platform = NULL};
	char platform_name[64], version[128], board[128] = "";

	opencl_query_platform_text(platform, CL_PLATFORM_NAME, platform_name, sizeof platform_name);
	opencl_query_text(id, CL_DEVICE_VERSION, version, sizeof version);
	if (gpu_lists_extension(extensions, AMD_ATTRIBUTES))
		opencl_query_text(id, DEVICE_BOARD_NAME_AMD, board, sizeof board);
	ask_all(id, extensions, &report);
	report.platform = platform_name;
	report.vendor = info->vendor;
	report.name = info->name;
	report.version = version;
	report.board = board;
	report.arch = info->arch;
	report.is_cpu = info->type == GPU_TYPE_CPU;
	report.is_gpu = !report.is_cpu;
	report.host_cache_bytes = (int64_t)os_last_cache_bytes();
	info->shape = opencl_report_shape(&report);
	info->limits.warp_size =
		report.is_cpu ? 1 : (uint32_t)shape_value_or(&info->shape, SHAPE_LANES, 1);
	info->limits.clock_mhz = (uint32_t)shape_value_or(&info->shape, SHAPE_CLOCK, 0);
}
