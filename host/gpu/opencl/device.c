#include "host/gpu/backend_text.h"
#include "host/gpu/opencl/internal.h"
#include "host/io/os_machine.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVIDIA_VENDOR_ID 0x10de
#define POCL_PLATFORM "Portable Computing Language"

/* A constant of cl_nv_device_attribute_query, which some OpenCL headers lack. */
#define DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
/* cl_amd_device_attribute_query: free memory, and the largest free block, in KiB. */
#define DEVICE_GLOBAL_FREE_MEMORY_AMD 0x4039

/* ---- Lists: malloc'ed; empty if a query fails ---------------------------------------------- */

static cl_uint list_platforms(cl_platform_id **ret_platforms)
{
	cl_platform_id *platforms;
	cl_uint count = 0;

	if (clGetPlatformIDs(0, NULL, &count) != CL_SUCCESS || count == 0)
		return 0;
	platforms = calloc(count, sizeof *platforms);
	if (!platforms || clGetPlatformIDs(count, platforms, NULL) != CL_SUCCESS) {
		free(platforms);
		return 0;
	}
	*ret_platforms = platforms;
	return count;
}

static cl_uint list_devices(cl_platform_id platform, cl_device_id **ret_ids)
{
	cl_device_id *ids;
	cl_uint count = 0;

	if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) != CL_SUCCESS ||
		count == 0)
		return 0;
	ids = calloc(count, sizeof *ids);
	if (!ids || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids, NULL) != CL_SUCCESS) {
		free(ids);
		return 0;
	}
	*ret_ids = ids;
	return count;
}

/* ---- One device ---------------------------------------------------------------------------- */

/* NVIDIA's own driver. Mesa reports the vendor's number too, but compiles no PTX. */
static bool is_nvidia(cl_device_id id)
{
	return opencl_query_uint(id, CL_DEVICE_VENDOR_ID) == NVIDIA_VENDOR_ID &&
	       opencl_query_uint(id, DEVICE_COMPUTE_CAPABILITY_MAJOR_NV) > 0;
}

/* Oclgrind reports all types at once. It counts as a CPU, so that kernels for CPUs run on it too.
 */
static enum gpu_device_type device_type(cl_device_id id)
{
	cl_ulong type = opencl_query_ulong(id, CL_DEVICE_TYPE);

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
	cl_uint align_bytes = opencl_query_uint(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;

	clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL);
	for (int i = 0; i < 3; i++) {
		limits->max_groups[i] =
			UINT64_MAX; /* OpenCL reports no limit; the front sets one */
		limits->max_block[i] = items[i] < UINT32_MAX ? (uint32_t)items[i] : UINT32_MAX;
	}
	limits->global_bytes = opencl_query_ulong(id, CL_DEVICE_GLOBAL_MEM_SIZE);
	limits->max_buffer_bytes = opencl_query_ulong(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	limits->reported_block_threads =
		(uint32_t)opencl_query_size(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	limits->max_block_threads = limits->reported_block_threads;
	limits->shared_bytes = (uint32_t)opencl_query_ulong(id, CL_DEVICE_LOCAL_MEM_SIZE);
	limits->shared_optin_bytes = limits->shared_bytes;
	/* NVIDIA reports the sum of the first-level caches (H200: 4 MB), not the last level. */
	limits->cache_bytes =
		is_nvidia(id) ? 0 : opencl_query_ulong(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
	limits->compute_units = opencl_query_uint(id, CL_DEVICE_MAX_COMPUTE_UNITS);
	limits->buffer_align_bytes = align_bytes > KERNEL_ALIGN ? align_bytes : KERNEL_ALIGN;
	limits->timer_resolution_ns =
		(uint32_t)opencl_query_size(id, CL_DEVICE_PROFILING_TIMER_RESOLUTION);

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

	opencl_query_text(id, CL_DRIVER_VERSION, driver, sizeof driver);
	return PMPP_CAP_NVIDIA_PTX | PMPP_CAP_FP16 | PMPP_CAP_SHUFFLE | PMPP_CAP_WARP_REDUCE |
	       gpu_nvidia_capabilities(opencl_query_uint(id, DEVICE_COMPUTE_CAPABILITY_MAJOR_NV),
		       gpu_nvidia_driver_cuda(driver));
}

/* f16 keeps subnormal numbers only if the device reports it. Some drivers list cl_khr_fp16 and
 * report 0. */
static void describe_arithmetic(cl_device_id id, struct gpu_device_info *info)
{
	cl_ulong f32 = opencl_query_ulong(id, CL_DEVICE_SINGLE_FP_CONFIG);
	cl_ulong f16 = opencl_query_ulong(id, CL_DEVICE_HALF_FP_CONFIG);
	char profile[32];
	bool embedded;

	opencl_query_text(id, CL_DEVICE_PROFILE, profile, sizeof profile);
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
	bool fixed = is_nvidia(id) || (extensions && gpu_lists_extension(extensions,
							     "cl_intel_required_subgroup_size"));

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

	opencl_query_platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
	return strcmp(name, POCL_PLATFORM) == 0;
}

static void describe_device(cl_platform_id platform, cl_device_id id, cl_uint platform_index,
	cl_uint device_index, struct gpu_device_info *info)
{
	char version[128], driver[64], platform_name[64];
	char *extensions = opencl_query_extensions(id);
	bool pocl = is_pocl(platform);

	*info = (struct gpu_device_info){.backend = GPU_BACKEND_OPENCL, .type = device_type(id)};
	snprintf(info->index, sizeof info->index, "%hu.%hu", (unsigned short)platform_index,
		(unsigned short)device_index);
	opencl_query_text(id, CL_DEVICE_NAME, info->name, sizeof info->name);
	opencl_query_text(id, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
	opencl_query_text(id, CL_DRIVER_VERSION, driver, sizeof driver);
	opencl_query_platform_text(platform, CL_PLATFORM_VERSION, version, sizeof version);
	opencl_query_platform_text(platform, CL_PLATFORM_NAME, platform_name, sizeof platform_name);

	/* The driver's version is first, because the rest (PoCL's build options) may be cut. */
	snprintf(info->driver, sizeof info->driver, "%.60s, %.64s", driver, version);
	memcpy(info->compiler, info->driver, sizeof info->compiler);
	info->engine = engine_of(platform_name, info->type);
	snprintf(info->platform, sizeof info->platform, "%s", pocl ? "PoCL" : platform_name);
	if (pocl)
		pocl_arch(info->name, info->arch, sizeof info->arch);
	describe_limits(id, info);
	describe_arithmetic(id, info);
	if (extensions) {
		opencl_describe_identity(id, extensions, info);
		opencl_describe_shape(platform, id, extensions, info);
	}
	find_usable_block(id, info);

	if (info->type == GPU_TYPE_CPU)
		info->capabilities |= PMPP_CAP_OPENCL_CPU;
	/* async_work_group_copy() is a part of OpenCL 1.0. NVIDIA's driver gets PTX instead. */
	info->capabilities |= is_nvidia(id) ? nvidia_capabilities(id) : PMPP_CAP_ASYNC_COPY;
	if (!is_nvidia(id) && extensions)
		info->capabilities |= gpu_extension_capabilities(
			extensions, opencl_has_feature(id, "__opencl_c_subgroups"));
	if (opencl_query_ulong(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0)
		info->capabilities |= PMPP_CAP_FP64;
	describe_warp_sums(id, extensions, info);
	free(extensions);
}

/* Extensions of NVIDIA and Intel do not report free memory. */
uint64_t opencl_free_bytes(struct gpu_device *device)
{
	cl_device_id id = opencl_device_of(device)->id;
	char *extensions = opencl_query_extensions(id);
	bool reports =
		extensions && gpu_lists_extension(extensions, "cl_amd_device_attribute_query");
	size_t kib[2] = {0, 0};
	size_t size = 0;

	free(extensions);
	if (!reports ||
		clGetDeviceInfo(id, DEVICE_GLOBAL_FREE_MEMORY_AMD, sizeof kib, kib, &size) !=
			CL_SUCCESS ||
		size < sizeof *kib)
		return UINT64_MAX;
	return (uint64_t)kib[0] * 1024;
}

/* ---- Enumeration --------------------------------------------------------------------------- */

static bool is_usable(cl_device_id id)
{
	return opencl_query_uint(id, CL_DEVICE_AVAILABLE) &&
	       opencl_query_uint(id, CL_DEVICE_COMPILER_AVAILABLE);
}

/* Adds a platform's devices to *infos. Returns false for lack of memory. */
static bool add_devices(cl_platform_id platform, cl_uint platform_index,
	struct gpu_device_info **infos, size_t *count)
{
	cl_device_id *ids = NULL;
	cl_uint found = list_devices(platform, &ids);
	bool added = true;

	for (cl_uint i = 0; i < found && added; i++) {
		struct gpu_device_info *more;

		if (!is_usable(ids[i]))
			continue;
		more = realloc(*infos, (*count + 1) * sizeof *more);
		added = more != NULL;
		if (added) {
			describe_device(platform, ids[i], platform_index, i, &more[*count]);
			*infos = more;
			(*count)++;
		}
	}
	free(ids);
	return added;
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
	cl_platform_id *platforms = NULL;
	cl_uint platform_count = list_platforms(&platforms);
	struct gpu_device_info *infos = NULL;
	size_t count = 0;
	bool pocl = false;
	enum pmpp_status status = PMPP_OK;

	for (cl_uint i = 0; i < platform_count && status == PMPP_OK; i++) {
		pocl |= is_pocl(platforms[i]);
		if (!add_devices(platforms[i], i, &infos, &count))
			status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	}
	free(platforms);
	if (status != PMPP_OK) {
		free(infos);
		return status;
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

/* ---- Open and close ------------------------------------------------------------------------ */

static bool find_device(
	const struct gpu_device_info *info, cl_platform_id *ret_platform, cl_device_id *ret_id)
{
	cl_platform_id *platforms = NULL;
	cl_device_id *ids = NULL;
	cl_uint platform_count = list_platforms(&platforms);
	unsigned platform_index, device_index;
	char name[sizeof info->name] = "";
	bool found = false;

	if (sscanf(info->index, "%u.%u", &platform_index, &device_index) == 2 &&
		platform_index < platform_count &&
		device_index < list_devices(platforms[platform_index], &ids)) {
		opencl_query_text(ids[device_index], CL_DEVICE_NAME, name, sizeof name);
		found = strcmp(name, info->name) == 0;
	}
	if (found) {
		*ret_platform = platforms[platform_index];
		*ret_id = ids[device_index];
	}
	free(ids);
	free(platforms);
	return found;
}

/* Returns whether the compiler has -cl-nv-maxrregcount (extension cl_nv_compiler_options). */
static bool limits_registers(cl_device_id id)
{
	char *extensions = opencl_query_extensions(id);
	bool result = extensions && gpu_lists_extension(extensions, "cl_nv_compiler_options");

	free(extensions);
	return result;
}

enum pmpp_status opencl_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error)
{
	struct opencl_device *device = calloc(1, sizeof *device);
	cl_platform_id platform = NULL;
	cl_int code = CL_SUCCESS;
	enum pmpp_status status;

	if (!device)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	if (!find_device(info, &platform, &device->id)) {
		status = PMPP_FAIL(error, PMPP_UNAVAILABLE, "there is no device %s named '%s'",
			info->index, info->name);
		goto out;
	}
	device->is_nvidia = is_nvidia(device->id);
	device->limits_registers = limits_registers(device->id);
	device->is_oclgrind = info->engine == GPU_ENGINE_INTERPRETER;
	device->caches_programs = info->type == GPU_TYPE_GPU;
	opencl_find_languages(device);
	device->rounds_correctly = info->arithmetic[GPU_MATH_DEFAULT].exact_divide;
	device->runs_host_code = info->type == GPU_TYPE_CPU && !device->is_oclgrind &&
				 (opencl_query_ulong(device->id, CL_DEVICE_EXECUTION_CAPABILITIES) &
					 CL_EXEC_NATIVE_KERNEL);
	/* CL_DEVICE_MEM_BASE_ADDR_ALIGN is not used: Mesa's rusticl reports 512 bytes, but its
	 * buffers begin at multiples of 64. Oclgrind uses addresses of its own in kernels, so its
	 * buffers need no alignment. */
	device->aligns_buffers = info->type == GPU_TYPE_CPU && !device->is_oclgrind;

	device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
	status = CL_CHECK(error, PMPP_UNAVAILABLE, code, "clCreateContext");
	if (status != PMPP_OK)
		goto out;
	status = opencl_queue_create(device, error);
	if (status != PMPP_OK)
		goto out;
	device->shared_scale = 1;
	if (info->engine == GPU_ENGINE_SLOW_CPU)
		opencl_check_figures(device, &info->limits);
	*ret_device = &device->base;
	return PMPP_OK;

out:
	opencl_close(&device->base);
	return status;
}

void opencl_close(struct gpu_device *device)
{
	struct opencl_device *self = opencl_device_of(device);

	opencl_timer_clear(self);
	if (self->queue) {
		clFinish(self->queue);
		clReleaseCommandQueue(self->queue);
	}
	if (self->address)
		clReleaseKernel(self->address);
	if (self->context)
		clReleaseContext(self->context);
	free(self);
}
