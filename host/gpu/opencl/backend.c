#include "common/model/opencl_report.h"
#include "common/text.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/opencl/internal.h"
#include "host/io/os.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#define NVIDIA_VENDOR_ID 0x10de
#define POCL_PLATFORM "Portable Computing Language"

/* Constants of extensions that some OpenCL headers lack. */
#define DEVICE_UUID_KHR 0x106A
#define DEVICE_PCI_BUS_INFO_KHR 0x410F
#define DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define DEVICE_COMPUTE_CAPABILITY_MINOR_NV 0x4001
#define DEVICE_WARP_SIZE_NV 0x4003
#define DEVICE_MAX_WORK_GROUP_SIZE_AMD 0x4031
#define DEVICE_TOPOLOGY_AMD 0x4037
#define DEVICE_BOARD_NAME_AMD 0x4038
#define DEVICE_GLOBAL_FREE_MEMORY_AMD 0x4039 /* and the largest free block, in KiB */
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

/* Queries of OpenCL 3.0, and two bits of the result of the first one. */
#define DEVICE_ATOMIC_MEMORY_CAPABILITIES 0x1063
#define ATOMIC_ORDER_ACQ_REL (1 << 1)
#define ATOMIC_SCOPE_DEVICE (1 << 5)
#define DEVICE_OPENCL_C_ALL_VERSIONS 0x1066
#define DEVICE_OPENCL_C_FEATURES 0x106F

/* PoCL 5.0 and 6.0 have wait_group_events() for generic pointers only. In OpenCL C 1.2 a pointer to an
 * event is private, and the kernel cannot be linked. */
#define GENERIC_POINTERS "__opencl_c_generic_address_space"

/* An element of the two lists: cl_name_version. */
struct name_version {
	cl_uint version; /* major version in the upper 10 bits */
	char name[64];
};

#define MAJOR_SHIFT 22

#define WHITE_SPACE " \t\r\n"

/* ---- Queries ------------------------------------------------------------------------------- */

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

/* Returns 0 if the query fails. */
static uint64_t query(cl_device_id id, cl_device_info what)
{
	int64_t value = ask(id, what);

	return value == NOT_REPORTED ? 0 : (uint64_t)value;
}

static void copy_trimmed(char *target, size_t size, const char *text)
{
	size_t length;

	text += strspn(text, WHITE_SPACE);
	length = strlen(text);
	while (length > 0 && strchr(WHITE_SPACE, text[length - 1]))
		length--;
	if (length >= size)
		length = size - 1;
	memcpy(target, text, length);
	target[length] = '\0';
}

/* Drivers return an error instead of a cut text, so the query uses a large buffer. */
static void query_text(cl_device_id id, cl_device_info what, char *target, size_t size)
{
	char text[2048] = "";

	if (clGetDeviceInfo(id, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
		text[0] = '\0';
	copy_trimmed(target, size, text);
}

static void query_platform_text(
	cl_platform_id platform, cl_platform_info what, char *target, size_t size)
{
	char text[2048] = "";

	if (clGetPlatformInfo(platform, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
		text[0] = '\0';
	copy_trimmed(target, size, text);
}

/* Returns the value with a zero byte behind it; the caller frees it. NULL: the query fails. */
static void *query_bytes(cl_device_id id, cl_device_info what, size_t *ret_size)
{
	char *bytes;

	if (clGetDeviceInfo(id, what, 0, NULL, ret_size) != CL_SUCCESS)
		return NULL;
	bytes = calloc(1, *ret_size + 1);
	if (bytes && clGetDeviceInfo(id, what, *ret_size, bytes, NULL) != CL_SUCCESS) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

static bool has_extension(cl_device_id id, const char *name)
{
	size_t size;
	char *extensions = query_bytes(id, CL_DEVICE_EXTENSIONS, &size);
	bool found = extensions && text_has_item(extensions, ' ', name);

	free(extensions);
	return found;
}

/* ---- Lists: empty if a query fails --------------------------------------------------------- */

#define MAX_LISTED 64 /* platforms, and devices of a platform; further ones are not used */

static cl_uint list_platforms(cl_platform_id ret_platforms[MAX_LISTED])
{
	cl_uint count = 0;

	if (clGetPlatformIDs(MAX_LISTED, ret_platforms, &count) != CL_SUCCESS)
		return 0;
	return count < MAX_LISTED ? count : MAX_LISTED;
}

static cl_uint list_devices(cl_platform_id platform, cl_device_id ret_ids[MAX_LISTED])
{
	cl_uint count = 0;

	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_LISTED, ret_ids, &count) != CL_SUCCESS)
		return 0;
	return count < MAX_LISTED ? count : MAX_LISTED;
}

/* ---- Languages ----------------------------------------------------------------------------- */

/* Returns the number of elements; *ret_items is malloc'ed. 0: the device does not have the query. */
static size_t query_list(cl_device_id id, cl_device_info what, struct name_version **ret_items)
{
	size_t bytes = 0;

	*ret_items = query_bytes(id, what, &bytes);
	return *ret_items && bytes % sizeof **ret_items == 0 ? bytes / sizeof **ret_items : 0;
}

/* Whether the compiler has the major version. Devices without the list of versions report only the
 * newest one, as text: "OpenCL C 2.0". */
static bool has_version(cl_device_id id, unsigned major)
{
	struct name_version *items;
	size_t count = query_list(id, DEVICE_OPENCL_C_ALL_VERSIONS, &items);
	char text[64], wanted[16];
	bool found = false;

	for (size_t i = 0; i < count; i++)
		found |= items[i].version >> MAJOR_SHIFT == major;
	free(items);
	if (count)
		return found;
	query_text(id, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
	snprintf(wanted, sizeof wanted, "OpenCL C %u.", major);
	return strncmp(text, wanted, strlen(wanted)) == 0;
}

static bool has_feature(cl_device_id id, const char *name)
{
	struct name_version *items;
	size_t count = query_list(id, DEVICE_OPENCL_C_FEATURES, &items);
	bool found = false;

	for (size_t i = 0; i < count; i++)
		found |= strncmp(items[i].name, name, sizeof items[i].name) == 0;
	free(items);
	return found;
}

static bool has_scoped_atomics(cl_device_id id)
{
	static const cl_ulong needed = ATOMIC_ORDER_ACQ_REL | ATOMIC_SCOPE_DEVICE;

	return (query(id, DEVICE_ATOMIC_MEMORY_CAPABILITIES) & needed) == needed;
}

/* OpenCL C 2.0 has atomic functions of device scope and sub-groups. In 3.0 both are optional. */
static void find_languages(struct opencl_device *device)
{
	cl_device_id id = device->id;
	bool has_2 = has_version(id, 2), has_3 = has_version(id, 3);
	bool is_cpu = query(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
	const char *otherwise = has_2 ? "-cl-std=CL2.0" : DEFAULT_LANGUAGE;

	device->newest_language = has_3 ? "-cl-std=CL3.0" : otherwise;
	device->scoped_language = has_3 && has_scoped_atomics(id) ? "-cl-std=CL3.0" : otherwise;
	device->sub_group_language =
		has_3 && has_feature(id, "__opencl_c_subgroups") ? "-cl-std=CL3.0" : otherwise;
	device->copy_language = is_cpu && has_3 && has_feature(id, GENERIC_POINTERS)
					? "-cl-std=CL3.0"
					: DEFAULT_LANGUAGE;
}

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

static void describe_identity(cl_device_id id, const char *extensions, struct gpu_device_info *info)
{
	unsigned char uuid[16];
	cl_uint pci[4]; /* domain, bus, device, function */

	if (clGetDeviceInfo(id, DEVICE_UUID_KHR, sizeof uuid, uuid, NULL) == CL_SUCCESS)
		gpu_uuid_text(uuid, info->uuid);
	if (clGetDeviceInfo(id, DEVICE_PCI_BUS_INFO_KHR, sizeof pci, pci, NULL) == CL_SUCCESS)
		gpu_pci_text(pci[0], pci[1], pci[2], pci[3], info->pci);
	else if (text_has_item(extensions, ' ', AMD_ATTRIBUTES))
		amd_pci(id, info);
	if (text_has_item(extensions, ' ', NV_ATTRIBUTES)) {
		unsigned major = (unsigned)query(id, DEVICE_COMPUTE_CAPABILITY_MAJOR_NV);

		if (major > 0)
			snprintf(info->arch, sizeof info->arch, "sm_%u%u", major,
				(unsigned)query(id, DEVICE_COMPUTE_CAPABILITY_MINOR_NV));
	}
}

/* ---- Reports ------------------------------------------------------------------------------- */

static void ask_sizes(cl_device_id id, struct opencl_report *report)
{
	size_t size = 0;

	if (clGetDeviceInfo(id, DEVICE_SUB_GROUP_SIZES_INTEL, sizeof report->sub_groups,
		    report->sub_groups, &size) == CL_SUCCESS &&
		size <= sizeof report->sub_groups)
		report->sub_group_count = size / sizeof *report->sub_groups;
}

static void ask_all(cl_device_id id, const char *extensions, struct opencl_report *report)
{
	const struct {
		int64_t *value;
		cl_device_info what;
		const char *extension; /* NULL: none is needed */
	} rows[] = {
		{&report->compute_units, CL_DEVICE_MAX_COMPUTE_UNITS, NULL},
		{&report->clock_mhz, CL_DEVICE_MAX_CLOCK_FREQUENCY, NULL},
		{&report->block_threads, CL_DEVICE_MAX_WORK_GROUP_SIZE, NULL},
		{&report->local_bytes, CL_DEVICE_LOCAL_MEM_SIZE, NULL},
		{&report->local_type, CL_DEVICE_LOCAL_MEM_TYPE, NULL},
		{&report->line_bytes, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, NULL},
		{&report->cache_bytes, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, NULL},
		{&report->memory_bytes, CL_DEVICE_GLOBAL_MEM_SIZE, NULL},
		{&report->unified, CL_DEVICE_HOST_UNIFIED_MEMORY, NULL},
		{&report->fp64_config, CL_DEVICE_DOUBLE_FP_CONFIG, NULL},
		{&report->native_floats, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, NULL},
		{&report->timer_ns, CL_DEVICE_PROFILING_TIMER_RESOLUTION, NULL},
		{&report->amd_wavefront, DEVICE_WAVEFRONT_WIDTH_AMD, AMD_ATTRIBUTES},
		{&report->amd_block_threads, DEVICE_MAX_WORK_GROUP_SIZE_AMD, AMD_ATTRIBUTES},
		{&report->amd_simds, DEVICE_SIMD_PER_COMPUTE_UNIT_AMD, AMD_ATTRIBUTES},
		{&report->amd_banks, DEVICE_LOCAL_MEM_BANKS_AMD, AMD_ATTRIBUTES},
		{&report->nv_warp, DEVICE_WARP_SIZE_NV, NV_ATTRIBUTES},
		{&report->intel_device_id, DEVICE_ID_INTEL, INTEL_ATTRIBUTES},
		{&report->intel_eus, DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL, INTEL_ATTRIBUTES},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool listed =
			!rows[i].extension || text_has_item(extensions, ' ', rows[i].extension);

		*rows[i].value = listed ? ask(id, rows[i].what) : NOT_REPORTED;
	}
	if (text_has_item(extensions, ' ', INTEL_SIZES))
		ask_sizes(id, report);
}

/* ---- Shape --------------------------------------------------------------------------------- */

static void describe_shape(cl_device_id id, const char *platform_name, const char *extensions,
	struct gpu_device_info *info)
{
	struct opencl_report report = {.platform = platform_name,
		.extensions = extensions,
		.has_sub_groups = has_feature(id, "__opencl_c_subgroups")};
	char version[128], board[128] = "";

	query_text(id, CL_DEVICE_VERSION, version, sizeof version);
	if (text_has_item(extensions, ' ', AMD_ATTRIBUTES))
		query_text(id, DEVICE_BOARD_NAME_AMD, board, sizeof board);
	ask_all(id, extensions, &report);
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

/* ---- One device ---------------------------------------------------------------------------- */

/* NVIDIA's own driver. Mesa reports the vendor's number too, but compiles no PTX. */
static bool is_nvidia(cl_device_id id)
{
	return query(id, CL_DEVICE_VENDOR_ID) == NVIDIA_VENDOR_ID &&
	       query(id, DEVICE_COMPUTE_CAPABILITY_MAJOR_NV) > 0;
}

/* Oclgrind reports all types at once. It counts as a CPU, so that kernels for CPUs run on it too.
 */
static enum gpu_device_type device_type(cl_device_id id)
{
	cl_ulong type = query(id, CL_DEVICE_TYPE);

	if (type & CL_DEVICE_TYPE_CPU)
		return GPU_TYPE_CPU;
	return type & CL_DEVICE_TYPE_GPU ? GPU_TYPE_GPU : GPU_TYPE_OTHER;
}

static enum gpu_engine engine_of(const char *platform_name, enum gpu_device_type type)
{
	if (strcmp(platform_name, "Oclgrind") == 0)
		return GPU_ENGINE_INTERPRETER;
	if (type != GPU_TYPE_CPU)
		return GPU_ENGINE_GPU;
	return strcmp(platform_name, POCL_PLATFORM) == 0 ? GPU_ENGINE_CPU : GPU_ENGINE_SLOW_CPU;
}

/* PoCL's device name has three parts with '-' between them: its driver, LLVM's name of the CPU, and
 * the product name, "pthread-skylake-avx512-AMD EPYC". LLVM's names are in lower case; product
 * names are not. */
static void pocl_arch(const char *name, char *target, size_t size)
{
	const char *begin = strchr(name, '-');
	size_t length;

	target[0] = '\0';
	if (!begin)
		return;
	begin++;
	length = strspn(begin, "abcdefghijklmnopqrstuvwxyz0123456789._-");
	if (begin[length] != '\0')
		while (length > 0 && begin[length - 1] != '-')
			length--;
	if (length > 0 && begin[length - 1] == '-')
		length--;
	if (length > 0)
		snprintf(target, size, "%.*s", (int)length, begin);
}

static void describe_limits(cl_device_id id, struct gpu_device_info *info)
{
	struct gpu_limits *limits = &info->limits;
	size_t items[3] = {1, 1, 1};
	cl_uint align_bytes = query(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;

	clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL);
	for (int i = 0; i < 3; i++) {
		limits->max_groups[i] =
			UINT64_MAX; /* OpenCL reports no limit; the front sets one */
		limits->max_block[i] = items[i] < UINT32_MAX ? (uint32_t)items[i] : UINT32_MAX;
	}
	limits->global_bytes = query(id, CL_DEVICE_GLOBAL_MEM_SIZE);
	limits->max_buffer_bytes = query(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	limits->reported_block_threads = (uint32_t)query(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	limits->max_block_threads = limits->reported_block_threads;
	limits->shared_bytes = (uint32_t)query(id, CL_DEVICE_LOCAL_MEM_SIZE);
	limits->shared_optin_bytes = limits->shared_bytes;
	/* NVIDIA reports the sum of the first-level caches (H200: 4 MB), not the last level. */
	limits->cache_bytes = is_nvidia(id) ? 0 : query(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
	limits->compute_units = query(id, CL_DEVICE_MAX_COMPUTE_UNITS);
	limits->buffer_align_bytes = align_bytes > KERNEL_ALIGN ? align_bytes : KERNEL_ALIGN;
	limits->timer_resolution_ns = (uint32_t)query(id, CL_DEVICE_PROFILING_TIMER_RESOLUTION);

	/* Drivers of CPUs report the L2 of one core (Intel), one cache of several, or 0 (rusticl). */
	if (info->type == GPU_TYPE_CPU) {
		uint64_t cache = os_last_cache_bytes();

		limits->cache_bytes = cache ? cache : limits->cache_bytes;
	}
}

/* The compiler supports these features even if the device lists no extension for them: inline PTX
 * has shuffles, and half arithmetic compiles. */
static unsigned nvidia_capabilities(cl_device_id id)
{
	char driver[64];

	query_text(id, CL_DRIVER_VERSION, driver, sizeof driver);
	return PMPP_CAP_NVIDIA_PTX | PMPP_CAP_FP16 | PMPP_CAP_SHUFFLE | PMPP_CAP_WARP_REDUCE |
	       gpu_nvidia_capabilities(query(id, DEVICE_COMPUTE_CAPABILITY_MAJOR_NV),
		       gpu_nvidia_driver_cuda(driver));
}

static unsigned shape_capabilities(const struct device_shape *shape)
{
	static const struct {
		enum shape_id id;
		unsigned capability;
	} rows[] = {{SHAPE_FP16, PMPP_CAP_FP16}, {SHAPE_SUB_GROUP_REDUCE, PMPP_CAP_WARP_REDUCE},
		{SHAPE_SHUFFLE, PMPP_CAP_SHUFFLE}};
	unsigned capabilities = 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (shape_value_or(shape, rows[i].id, 0))
			capabilities |= rows[i].capability;
	return capabilities;
}

/* f16 keeps subnormal numbers only if the device reports it. Some drivers list cl_khr_fp16 and
 * report 0. */
static void describe_arithmetic(cl_device_id id, struct gpu_device_info *info)
{
	cl_ulong f32 = query(id, CL_DEVICE_SINGLE_FP_CONFIG);
	cl_ulong f16 = query(id, CL_DEVICE_HALF_FP_CONFIG);
	char profile[32];
	bool embedded;

	query_text(id, CL_DEVICE_PROFILE, profile, sizeof profile);
	embedded = strcmp(profile, "EMBEDDED_PROFILE") == 0;
	info->emulated_fma = !(f32 & CL_FP_FMA);
	for (int math = 0; math < GPU_MATH_COUNT; math++) {
		bool fast = math == GPU_MATH_FAST;

		info->arithmetic[math] = (struct arithmetic){
			.rules = embedded ? fast ? ARITHMETIC_OPENCL_EMBEDDED_RELAXED
						 : ARITHMETIC_OPENCL_EMBEDDED
				 : fast   ? ARITHMETIC_OPENCL_RELAXED
					  : ARITHMETIC_OPENCL,
			.exact_divide = !fast && (f32 & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
			.flushes_f32 = fast || !(f32 & CL_FP_DENORM),
			.flushes_f16 = !(f16 & CL_FP_DENORM),
		};
	}
}

/* The order of f32 sums is defined if a kernel has shuffles and sets the size of a sub-group. Without
 * shuffles it calls sub_group_reduce_add(), which has no defined order. The driver chooses a size that
 * a kernel cannot set. */
static void describe_warp_sums(
	cl_device_id id, const char *extensions, struct gpu_device_info *info)
{
	bool fixed = is_nvidia(id) || text_has_item(extensions, ' ', INTEL_SIZES);

	for (int math = 0; math < GPU_MATH_COUNT; math++)
		info->arithmetic[math].warp_sums_in_any_order =
			info->capabilities & PMPP_CAP_WARP_REDUCE &&
			!(info->capabilities & PMPP_CAP_SHUFFLE && fixed);
}

/* AMD reports its preferred block as the maximum. The true maximum is an attribute, or the limit
 * along x. The kernel's own maximum decides after the build. */
static void find_usable_block(cl_device_id id, struct gpu_device_info *info)
{
	struct gpu_limits *limits = &info->limits;
	int64_t reported = limits->reported_block_threads;
	int64_t attribute = shape_value_or(&info->shape, SHAPE_BLOCK_THREADS, 0);
	int64_t most = attribute > reported ? attribute : limits->max_block[0];

	if (info->type == GPU_TYPE_GPU && !is_nvidia(id) && most > reported)
		limits->max_block_threads = (uint32_t)most;
}

static bool is_pocl(cl_platform_id platform)
{
	char name[64];

	query_platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
	return strcmp(name, POCL_PLATFORM) == 0;
}

static void describe_device(cl_platform_id platform, cl_device_id id, cl_uint platform_index,
	cl_uint device_index, struct gpu_device_info *info)
{
	char version[128], driver[64], platform_name[64];
	size_t size;
	char *listed = query_bytes(id, CL_DEVICE_EXTENSIONS, &size);
	const char *extensions = listed ? listed : "";
	bool pocl = is_pocl(platform);

	*info = (struct gpu_device_info){.backend = GPU_BACKEND_OPENCL, .type = device_type(id)};
	snprintf(info->index, sizeof info->index, "%hu.%hu", (unsigned short)platform_index,
		(unsigned short)device_index);
	query_text(id, CL_DEVICE_NAME, info->name, sizeof info->name);
	query_text(id, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
	query_text(id, CL_DRIVER_VERSION, driver, sizeof driver);
	query_platform_text(platform, CL_PLATFORM_VERSION, version, sizeof version);
	query_platform_text(platform, CL_PLATFORM_NAME, platform_name, sizeof platform_name);

	/* The driver's version is first, because the rest (PoCL's build options) may be cut. */
	snprintf(info->driver, sizeof info->driver, "%.60s, %.64s", driver, version);
	memcpy(info->compiler, info->driver, sizeof info->compiler);
	info->engine = engine_of(platform_name, info->type);
	snprintf(info->platform, sizeof info->platform, "%s", pocl ? "PoCL" : platform_name);
	if (pocl)
		pocl_arch(info->name, info->arch, sizeof info->arch);
	describe_limits(id, info);
	describe_arithmetic(id, info);
	describe_identity(id, extensions, info);
	describe_shape(id, platform_name, extensions, info);
	find_usable_block(id, info);

	if (info->type == GPU_TYPE_CPU)
		info->capabilities |= PMPP_CAP_OPENCL_CPU;
	/* async_work_group_copy() is a part of OpenCL 1.0. NVIDIA's driver gets PTX instead. */
	info->capabilities |= is_nvidia(id)
				      ? nvidia_capabilities(id)
				      : PMPP_CAP_ASYNC_COPY | shape_capabilities(&info->shape);
	if (query(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0)
		info->capabilities |= PMPP_CAP_FP64;
	describe_warp_sums(id, extensions, info);
	free(listed);
}

/* Extensions of NVIDIA and Intel do not report free memory. */
static uint64_t free_bytes(struct gpu_device *device)
{
	cl_device_id id = opencl_device_of(device)->id;
	size_t kib[2] = {0, 0};
	size_t size = 0;

	if (!has_extension(id, AMD_ATTRIBUTES) ||
		clGetDeviceInfo(id, DEVICE_GLOBAL_FREE_MEMORY_AMD, sizeof kib, kib, &size) !=
			CL_SUCCESS ||
		size < sizeof *kib)
		return UINT64_MAX;
	return (uint64_t)kib[0] * 1024;
}

/* ---- Enumeration --------------------------------------------------------------------------- */

static bool is_usable(cl_device_id id)
{
	return query(id, CL_DEVICE_AVAILABLE) && query(id, CL_DEVICE_COMPILER_AVAILABLE);
}

/* Adds a platform's devices to *infos. Returns false for lack of memory. */
static bool add_devices(cl_platform_id platform, cl_uint platform_index,
	struct gpu_device_info **infos, size_t *count)
{
	cl_device_id ids[MAX_LISTED];
	cl_uint found = list_devices(platform, ids);

	for (cl_uint i = 0; i < found; i++) {
		struct gpu_device_info *more;

		if (!is_usable(ids[i]))
			continue;
		more = realloc(*infos, (*count + 1) * sizeof *more);
		if (!more)
			return false;
		describe_device(platform, ids[i], platform_index, i, &more[*count]);
		*infos = more;
		(*count)++;
	}
	return true;
}

/* Writes the path of the ICD loader that the dynamic linker has loaded. */
static void name_library(char *target, size_t size)
{
	Dl_info found;
	void *symbol = dlsym(RTLD_DEFAULT, "clGetPlatformIDs");

	if (symbol && dladdr(symbol, &found) && found.dli_fname)
		snprintf(target, size, "%s", found.dli_fname);
	else
		snprintf(target, size, "libOpenCL.so.1");
}

enum pmpp_status opencl_enumerate(struct gpu_device_info **ret_infos, size_t *ret_count,
	struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	cl_platform_id platforms[MAX_LISTED];
	cl_uint platform_count = list_platforms(platforms);
	struct gpu_device_info *infos = NULL;
	size_t count = 0;
	bool pocl = false;

	for (cl_uint i = 0; i < platform_count; i++) {
		pocl |= is_pocl(platforms[i]);
		if (!add_devices(platforms[i], i, &infos, &count)) {
			free(infos);
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
		}
	}

	name_library(ret_state->library, sizeof ret_state->library);
	if (platform_count == 0)
		snprintf(ret_state->reason, sizeof ret_state->reason,
			"no OpenCL platform is installed: install pocl-opencl-icd (runs on the "
			"CPU) or "
			"the OpenCL driver of the GPU's vendor");
	else if (count == 0)
		snprintf(ret_state->reason, sizeof ret_state->reason,
			"%u OpenCL platform(s) without a usable device: %s", platform_count,
			pocl ? "PoCL needs a cache folder that it can write (POCL_CACHE_DIR, else "
			       "XDG_CACHE_HOME) and a device type that exists (POCL_DEVICES)"
			     : "check the vendor's driver, or install pocl-opencl-icd (runs on the "
			       "CPU)");
	*ret_infos = infos;
	*ret_count = count;
	return PMPP_OK;
}

/* ---- Probes -------------------------------------------------------------------------------- */

#define PROBE_BYTES 4096

/* The kernel `probe` has PROBE_BYTES of shared memory and uses all of it. */
static const char probe_source[] = "__kernel void probe(__global int *data)\n"
				   "{\n"
				   "	__local int tile[1024];\n"
				   "	int t = get_local_id(0);\n"
				   "	tile[t] = data[t];\n"
				   "	barrier(CLK_LOCAL_MEM_FENCE);\n"
				   "	data[t] = tile[1023 - t];\n"
				   "}\n"
				   "__kernel void address(__global ulong *data)\n"
				   "{\n"
				   "	data[0] = (ulong)data;\n"
				   "}\n";

static cl_program build_probe(const struct opencl_device *device)
{
	const char *source = probe_source;
	cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, NULL);

	if (program && clBuildProgram(program, 1, &device->id, "", NULL, NULL) != CL_SUCCESS) {
		clReleaseProgram(program);
		program = NULL;
	}
	return program;
}

static bool make_address_kernel(struct opencl_device *device)
{
	cl_program program = device->address ? NULL : build_probe(device);

	if (program) {
		device->address = clCreateKernel(program, "address", NULL);
		clReleaseProgram(program);
	}
	return device->address != NULL;
}

/* Mesa 22.3 (rusticl) reports twice the shared memory of a kernel, and 32 threads as its largest
 * block. */
static void check_figures(struct opencl_device *device, const struct gpu_limits *limits)
{
	cl_program program = build_probe(device);
	cl_kernel kernel = program ? clCreateKernel(program, "probe", NULL) : NULL;
	cl_ulong bytes = 0;
	size_t threads = 0;

	if (kernel &&
		clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes,
			&bytes, NULL) == CL_SUCCESS &&
		bytes > 0 && bytes % PROBE_BYTES == 0)
		device->shared_scale = (uint32_t)(bytes / PROBE_BYTES);
	if (kernel && clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_WORK_GROUP_SIZE,
			      sizeof threads, &threads, NULL) == CL_SUCCESS)
		device->is_block_limit_unknown = threads < limits->max_block_threads;
	if (kernel) {
		clReleaseKernel(kernel);
		device->address = clCreateKernel(program, "address", NULL);
	}
	if (program)
		clReleaseProgram(program);
}

#define TIMED_BYTES 4

/* Whether the queue measures the times of a command. Some drivers that report a resolution of 0
 * accept the queue, but not the query of a time. */
static bool measures_times(const struct opencl_device *device)
{
	const cl_uint pattern = 0;
	cl_ulong start_ns = 0, end_ns = 0;
	cl_event event = NULL;
	bool measures = false;
	cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, TIMED_BYTES, NULL, NULL);

	if (buffer && clEnqueueFillBuffer(device->queue, buffer, &pattern, sizeof pattern, 0,
			      TIMED_BYTES, 0, NULL, &event) == CL_SUCCESS) {
		measures = clWaitForEvents(1, &event) == CL_SUCCESS &&
			   clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
				   sizeof start_ns, &start_ns, NULL) == CL_SUCCESS &&
			   clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns,
				   &end_ns, NULL) == CL_SUCCESS;
		clReleaseEvent(event);
	}
	if (buffer)
		clReleaseMemObject(buffer);
	return measures;
}

static enum pmpp_status create_queue(struct opencl_device *device, struct pmpp_error *error)
{
	cl_int code = CL_SUCCESS;

	device->queue =
		clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
	if (code == CL_SUCCESS && measures_times(device))
		return PMPP_OK;
	if (code == CL_SUCCESS)
		clReleaseCommandQueue(device->queue);
	device->base.no_timer = true;
	device->queue = clCreateCommandQueue(device->context, device->id, 0, &code);
	return CL_CHECK(error, PMPP_UNAVAILABLE, code, "clCreateCommandQueue");
}

static bool fence_buffers(struct gpu_device *device)
{
	struct opencl_device *self = opencl_device_of(device);
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct opencl_buffer trial = {.base = {device, 1, device->info.limits.buffer_align_bytes}};

	if (device->info.type != GPU_TYPE_CPU || self->is_oclgrind || !make_address_kernel(self))
		return false;
	device->fenced = true;
	bool works = opencl_buffer_create(&trial.base, &ignored) == PMPP_OK;
	device->fenced = false;
	opencl_buffer_destroy(&trial.base);
	pmpp_error_clear(&ignored);
	return works;
}

/* ---- Open ---------------------------------------------------------------------------------- */

static bool find_device(const struct gpu_device_info *info, cl_device_id *ret_id)
{
	cl_platform_id platforms[MAX_LISTED];
	cl_device_id ids[MAX_LISTED];
	cl_uint platform_count = list_platforms(platforms);
	unsigned platform_index, device_index;
	char name[sizeof info->name] = "";

	if (sscanf(info->index, "%u.%u", &platform_index, &device_index) != 2 ||
		platform_index >= platform_count ||
		device_index >= list_devices(platforms[platform_index], ids))
		return false;
	*ret_id = ids[device_index];
	query_text(*ret_id, CL_DEVICE_NAME, name, sizeof name);
	return strcmp(name, info->name) == 0;
}

enum pmpp_status opencl_open(struct gpu_device *base, struct pmpp_error *error)
{
	struct opencl_device *device = opencl_device_of(base);
	const struct gpu_device_info *info = &base->info;
	cl_int code = CL_SUCCESS;

	if (!find_device(info, &device->id))
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "there is no device %s named '%s'",
			info->index, info->name);
	device->is_nvidia = is_nvidia(device->id);
	device->limits_registers = has_extension(device->id, "cl_nv_compiler_options");
	device->is_oclgrind = info->engine == GPU_ENGINE_INTERPRETER;
	find_languages(device);
	device->runs_host_code =
		info->type == GPU_TYPE_CPU && !device->is_oclgrind &&
		(query(device->id, CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_NATIVE_KERNEL);
	/* CL_DEVICE_MEM_BASE_ADDR_ALIGN is not used: Mesa's rusticl reports 512 bytes, but its
	 * buffers begin at multiples of 64. Oclgrind uses addresses of its own in kernels, so its
	 * buffers need no alignment. */
	device->aligns_buffers = info->type == GPU_TYPE_CPU && !device->is_oclgrind;

	device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
	enum pmpp_status status = CL_CHECK(error, PMPP_UNAVAILABLE, code, "clCreateContext");
	if (status == PMPP_OK)
		status = create_queue(device, error);
	device->shared_scale = 1;
	if (status == PMPP_OK && info->engine == GPU_ENGINE_SLOW_CPU)
		check_figures(device, &info->limits);
	return status;
}

/* ---- Eviction ------------------------------------------------------------------------------ */

/* A native kernel evicts a buffer from the caches of a CPU device: a host function that the device
 * executes in the order of the queue, with the addresses that kernels get. */

/* Arguments of the native kernel. */
struct lines {
	unsigned char *first; /* the driver puts the buffer's address here */
	uint64_t bytes;
	uint64_t line_bytes;
};

/* cpu_line_bytes(): bytes of a cache line; 0 if the CPU has no suitable instruction. evict_lines():
 * first is the start of a line. */

#if defined(__x86_64__)

/* Intel SDM, CPUID: leaf 1, EBX bits 15-8 (line in units of 8 bytes); leaf 7, EBX bit 23
 * (CLFLUSHOPT: Skylake, Zen and later). CLFLUSH is not used: it waits for each line. On a Cascade
 * Lake CPU it took 1 ms per MiB, and CLFLUSHOPT 0.04 ms. */
static uint64_t cpu_line_bytes(void)
{
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(ebx & 1u << 23) ||
		!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return 0;
	return (uint64_t)(ebx >> 8 & 0xff) * 8;
}

__attribute__((target("clflushopt"))) static void evict_lines(
	unsigned char *first, uint64_t bytes, uint64_t line_bytes)
{
	for (uint64_t i = 0; i < bytes; i += line_bytes)
		_mm_clflushopt(first + i);
	_mm_mfence();
}

#elif defined(__aarch64__)

/* Arm Architecture Reference Manual, CTR_EL0: bits 19-16 are log2 of the words of the smallest data
 * cache line. Linux allows DC CIVAC in user mode. */
static uint64_t cpu_line_bytes(void)
{
	uint64_t type;

	__asm__ volatile("mrs %0, ctr_el0" : "=r"(type));
	return (uint64_t)4 << (type >> 16 & 0xf);
}

static void evict_lines(unsigned char *first, uint64_t bytes, uint64_t line_bytes)
{
	for (uint64_t i = 0; i < bytes; i += line_bytes)
		__asm__ volatile("dc civac, %0" : : "r"(first + i) : "memory");
	__asm__ volatile("dsb sy" : : : "memory");
}

#else

static uint64_t cpu_line_bytes(void)
{
	return 0;
}

static void evict_lines(unsigned char *first, uint64_t bytes, uint64_t line_bytes)
{
	(void)first, (void)bytes, (void)line_bytes;
}

#endif

static void CL_CALLBACK evict(void *argument)
{
	const struct lines *lines = argument;
	uint64_t before = (uintptr_t)lines->first % lines->line_bytes;

	evict_lines(lines->first - before, lines->bytes + before, lines->line_bytes);
}

static bool can_evict(const struct gpu_device *device)
{
	return ((const struct opencl_device *)device)->runs_host_code && cpu_line_bytes() > 0;
}

static enum pmpp_status buffer_evict(struct gpu_buffer *buffer, struct pmpp_error *error)
{
	struct opencl_buffer *self = (struct opencl_buffer *)buffer;
	struct lines lines = {.bytes = self->origin + buffer->bytes + 2 * buffer->guard_bytes,
		.line_bytes = cpu_line_bytes()};
	const void *address = &lines.first;

	/* The driver copies the argument. */
	return CL_CALL(error, PMPP_LAUNCH, clEnqueueNativeKernel,
		opencl_device_of(buffer->device)->queue, evict, &lines, sizeof lines, 1,
		&self->parent, &address, 0, NULL, NULL);
}

/* ---- Table --------------------------------------------------------------------------------- */

/* clang-format off */
#define SLOT(result, slot, parameters) .slot = opencl_##slot,
const struct gpu_backend gpu_backend_opencl = {
	.bytes = &(const struct gpu_struct_bytes)GPU_STRUCT_BYTES(opencl),
	GPU_SLOT_MAP(SLOT)
	.free_bytes = free_bytes,
	.fence_buffers = fence_buffers,
	.can_evict = can_evict,
	.buffer_evict = buffer_evict,
	.libraries = {[PEER_CLBLAST] = &opencl_clblast, [PEER_OPENBLAS] = &opencl_openblas,
		[PEER_OPENMP] = &opencl_openmp},
	.program_ptx = opencl_program_ptx,
};
/* clang-format on */
