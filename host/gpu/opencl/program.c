#include "common/ptx.h"
#include "common/ptxas.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/opencl/internal.h"
#include "host/gpu/program_cache.h"
#include "host/io/sources.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Compiler logs ------------------------------------------------------------------------- */

/* Returns the build log without white space at its end; "" if there is none. The caller frees it.
 * NULL for lack of memory. */
static char *build_log(const struct opencl_device *device, cl_program program)
{
	size_t size = 0;
	char *log;

	if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
		CL_SUCCESS)
		size = 0;
	log = calloc(1, size + 1);
	if (!log)
		return NULL;
	if (size > 0 && clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, size, log,
				NULL) != CL_SUCCESS)
		log[0] = '\0';
	for (size = strlen(log); size > 0 && isspace((unsigned char)log[size - 1]);)
		log[--size] = '\0';
	return log;
}

/* NVIDIA's compiler ignores #line: its messages call the source "<kernel>" and count the lines of
 * source_prefix(). Returns the log with the kernel file's name and lines, and frees `log`. The
 * caller frees the result. NULL for lack of memory. */
static char *with_file_name(char *log, const char *name, int lines_before)
{
	static const char mark[] = "<kernel>:";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *at = log;
	const char *found;

	while (out && (found = strstr(at, mark))) {
		char *end;
		long line = strtol(found + strlen(mark), &end, 10);
		fprintf(out, "%.*s%s:%ld", (int)(found - at), at, name, line - lines_before);
		at = end;
	}
	if (out) {
		fputs(at, out);
		fclose(out);
	}
	free(log);
	return text;
}

/* Whether a line is part of the assembler's report (-cl-nv-verbose), or the remark that NVIDIA's
 * compiler prints for every kernel. */
static bool is_report(const char *line, size_t length)
{
	static const char *const marks[] = {
		"ptxas info", "bytes stack frame", "overriding noinline attribute"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (memmem(line, length, marks[i], strlen(marks[i])))
			return true;
	return false;
}

/* Returns a copy of a log without the assembler's report; the caller frees it. NULL for lack of
 * memory. */
static char *without_report(const char *log)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (out && *log) {
		size_t length = strcspn(log, "\n");

		length += log[length] == '\n';
		if (!is_report(log, length))
			fwrite(log, 1, length, out);
		log += length;
	}
	if (out)
		fclose(out);
	if (text && strspn(text, " \n") == strlen(text))
		*text = '\0';
	return text;
}

/* ---- Building ------------------------------------------------------------------------------ */

/* Whether a build failed because of a limit for blocks. AMD's compiler prints one of the first two
 * texts (github.com/AdaptiveCpp/AdaptiveCpp issue 789, ROCm/rocBLAS issue 1193), NVIDIA's assembler
 * the third. A block above the reported figure needs no text: feasible_build_failure(). */
static bool is_block_limit(const char *log, long code)
{
	static const char *const marks[] = {
		") exceeds limit (", "local memory limit exceeded (", "uses too much shared data"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (log && strstr(log, marks[i]))
			return true;
	return code == CL_OUT_OF_RESOURCES || code == CL_INVALID_WORK_GROUP_SIZE;
}

/* NVIDIA's driver keeps programs by source and options, without their logs. Then the warnings about
 * uninitialised variables are missing. A macro that differs in each build makes the driver compile.
 * The cache of the suite keeps the program with its log. (The driver also keeps the machine code of
 * equal PTX, so the number of registers can still be unknown.) NULL: no memory. */
static char *options_of_build(const struct opencl_program *self, const struct opencl_device *device)
{
	struct timespec now = {0};
	char *options = NULL;

	clock_gettime(CLOCK_REALTIME, &now);
	int length = device->is_nvidia
			     ? asprintf(&options, "%s -DPMPP_BUILD=%lld%09ld", self->base.options,
				       (long long)now.tv_sec, now.tv_nsec)
			     : asprintf(&options, "%s", self->base.options);
	return length < 0 ? NULL : options;
}

static enum pmpp_status build(
	struct opencl_program *self, const struct opencl_device *device, struct pmpp_error *error)
{
	char *options = options_of_build(self, device);

	if (!options)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	enum pmpp_status status = CL_CALL(error, PMPP_BUILD, clBuildProgram, self->program, 1,
		&device->id, options, NULL, NULL);
	char *log = build_log(device, self->program);

	free(options);
	if (log)
		log = with_file_name(log, self->name, self->lines_before);
	if (status != PMPP_OK) {
		error->log = log;
		return is_block_limit(log, error->code) ? pmpp_error_set_block_limit(error)
							: status;
	}
	if (!log)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	self->full_log = log;
	self->base.log = without_report(log);
	if (!self->base.log)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	return PMPP_OK;
}

/* Releases the program and the logs of a failed build. */
static void unbuild(struct opencl_program *self)
{
	if (self->program)
		clReleaseProgram(self->program);
	self->program = NULL;
	free(self->base.log);
	free(self->full_log);
	self->base.log = NULL;
	self->full_log = NULL;
}

static enum pmpp_status build_from_source(struct opencl_program *self,
	const struct opencl_device *device, const char *prefix, const char *source,
	struct pmpp_error *error)
{
	const char *parts[] = {prefix, source};
	cl_int code = CL_SUCCESS;
	enum pmpp_status status;

	self->program = clCreateProgramWithSource(device->context, 2, parts, NULL, &code);
	status = CL_CHECK(error, PMPP_BUILD, code, "clCreateProgramWithSource");
	return status == PMPP_OK ? build(self, device, error) : status;
}

/* An updated driver may reject its old binaries. The program is then built from its source, without
 * an error. Only a build from source reports registers and warnings, so the log is that of the
 * first build. */
static bool build_from_cached(struct opencl_program *self, const struct opencl_device *device,
	struct cached_build *cached)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	const unsigned char *binary = cached->bytes;
	char *log = without_report(cached->log);
	cl_int loaded = CL_SUCCESS, code = CL_SUCCESS;

	if (!log)
		return false;
	self->program = clCreateProgramWithBinary(
		device->context, 1, &device->id, &cached->size, &binary, &loaded, &code);
	if (code == CL_SUCCESS && loaded == CL_SUCCESS &&
		build(self, device, &ignored) == PMPP_OK) {
		free(self->full_log);
		free(self->base.log);
		self->full_log = cached->log;
		self->base.log = log;
		cached->log = NULL;
		return true;
	}
	free(log);
	pmpp_error_clear(&ignored);
	unbuild(self);
	return false;
}

/* Returns the binary; the caller frees it. One more byte than *ret_size: NVIDIA's PTX may have no zero
 * at its end. PoCL crashes if it is asked for a binary whose size it gives as 0. */
static enum pmpp_status take_binary(
	cl_program program, unsigned char **ret_binary, size_t *ret_size, struct pmpp_error *error)
{
	enum pmpp_status status = CL_CALL(error, PMPP_BUILD, clGetProgramInfo, program,
		CL_PROGRAM_BINARY_SIZES, sizeof *ret_size, ret_size, NULL);
	if (status == PMPP_OK && *ret_size == 0)
		return PMPP_FAIL(
			error, PMPP_UNSUPPORTED, "the driver has no binary of the program");
	unsigned char *binary = status == PMPP_OK ? calloc(1, *ret_size + 1) : NULL;
	if (status == PMPP_OK && !binary)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	if (status == PMPP_OK)
		status = CL_CALL(error, PMPP_BUILD, clGetProgramInfo, program, CL_PROGRAM_BINARIES,
			sizeof binary, &binary, NULL);
	if (status == PMPP_OK)
		*ret_binary = binary;
	else
		free(binary);
	return status;
}

static void store_binary(const struct opencl_program *self, const char *key)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	unsigned char *binary = NULL;
	size_t size = 0;

	if (take_binary(self->program, &binary, &size, &ignored) == PMPP_OK)
		cached_build_store(key, binary, size, self->full_log, "");
	free(binary);
	pmpp_error_clear(&ignored);
}

enum pmpp_status opencl_program_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error)
{
	unsigned char *binary = NULL;
	size_t size = 0;
	enum pmpp_status status =
		take_binary(((struct opencl_program *)program)->program, &binary, &size, error);

	if (status != PMPP_OK)
		return status;
	if (!ptx_is((const char *)binary)) {
		free(binary);
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "the program binary of %s is not PTX",
			program->device->info.name);
	}
	*ret_ptx = (char *)binary;
	return PMPP_OK;
}

/* Enables warnings about uninitialised variables. OpenCL has no option for them (PoCL rejects the
 * options of clang), but most drivers use clang. -Wconditional-uninitialized also warns about
 * variables that are uninitialised on some paths only. */
#define WARNING_PRAGMAS                                                        \
	"#ifdef __clang__\n"                                                   \
	"#pragma clang diagnostic warning \"-Wuninitialized\"\n"               \
	"#pragma clang diagnostic warning \"-Wsometimes-uninitialized\"\n"     \
	"#pragma clang diagnostic warning \"-Wconditional-uninitialized\"\n%s" \
	"#endif\n"

/* Compilers for CPUs warn about `#pragma unroll` on loops that they vectorise instead, and about
 * functions whose vectors are wider than the registers of the CPU. */
#define CPU_PRAGMAS                                            \
	"#pragma clang diagnostic ignored \"-Wpass-failed\"\n" \
	"#pragma clang diagnostic ignored \"-Wpsabi\"\n"

/* Returns the lines before the source: #line for the compiler's messages, the warnings, and pragmas
 * for strict arithmetic, which has no option in OpenCL. Oclgrind ignores #line and would count
 * these lines as lines of the source, so it gets no such lines. NULL: no memory.
 *
 * PoCL keeps programs and their logs by the preprocessed source, where directives and comments are
 * missing. The declaration makes it depend on the whole source, so a log belongs to its source. */
static char *source_prefix(const struct opencl_device *device, const struct gpu_program_desc *desc)
{
	const char *strict =
		desc->math == GPU_MATH_STRICT ? "#pragma OPENCL FP_CONTRACT OFF\n" : "";
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	char *prefix = NULL;

	if (device->is_oclgrind)
		return strdup("");
	program_cache_key((const char *const[]){desc->source, NULL}, key);
	return asprintf(&prefix, WARNING_PRAGMAS "%sstruct pmpp_source_%s;\n#line 1 \"%s\"\n",
		       device->base.info.type == GPU_TYPE_CPU ? CPU_PRAGMAS : "", strict, key,
		       desc->name) < 0
		       ? NULL
		       : prefix;
}

/* Some compilers define the macros of sub-groups for devices without sub-groups. PoCL implements
 * sub_group_barrier() as a barrier of the block (lib/kernel/subgroups.cl), which all sub-groups must
 * reach: in PoCL 5.0 a barrier of one sub-group does not end. */
static bool has_sub_group_barrier(const struct gpu_device_info *info)
{
	return info->capabilities & PMPP_CAP_WARP_REDUCE && info->engine != GPU_ENGINE_CPU;
}

/* The option -cl-std=... for a program. */
static const char *language(const struct opencl_device *device, const struct gpu_program_desc *desc)
{
	if (desc->newest)
		return device->newest_language;
	if (desc->device_scope)
		return device->scoped_language;
	if (desc->sub_groups)
		return device->sub_group_language;
	return strstr(desc->source, "wait_group_events") ? device->copy_language : DEFAULT_LANGUAGE;
}

static char *build_options(const struct opencl_device *device, const struct gpu_program_desc *desc)
{
	static const char rounding[] = "-cl-fp32-correctly-rounded-divide-sqrt";
	struct option_list list = {0};
	char *text;

	option_list_add(&list, "%s", language(device, desc));
	option_list_add_words(&list, gpu_math_options(GPU_BACKEND_OPENCL, desc->math),
		device->base.info.arithmetic[GPU_MATH_DEFAULT].exact_divide ? NULL : rounding);
	if (device->is_nvidia)
		option_list_add(&list, "-cl-nv-verbose");
	if (device->limits_registers && desc->max_registers > 0)
		option_list_add(&list, "-cl-nv-maxrregcount=%u -DMAX_REGISTERS=%u",
			desc->max_registers, desc->max_registers);
	/* Oclgrind passes its options to clang. Other drivers get the pragma of source_prefix(). */
	if (device->is_oclgrind && desc->math == GPU_MATH_STRICT)
		option_list_add(&list, "-ffp-contract=off");
	if (desc->sub_groups && !has_sub_group_barrier(&device->base.info))
		option_list_add(&list, "-DNO_SUB_GROUPS");
	option_list_add_macros(&list, desc->macros, desc->macro_count);
	text = option_list_join(&list);
	option_list_finish(&list);
	return text;
}

static enum pmpp_status load_or_build(struct opencl_program *self,
	const struct opencl_device *device, const char *prefix, const char *source,
	struct pmpp_error *error)
{
	const struct gpu_device_info *info = &device->base.info;
	const char *const parts[] = {"opencl", prefix, source, self->base.options, info->name,
		info->vendor, info->driver, info->arch, NULL};
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	struct cached_build cached;
	enum pmpp_status status;

	self->base.cache = GPU_CACHE_NONE;
	/* CPU platforms have their own cache. The driver does not report the files that its compiler read. */
	if (info->type != GPU_TYPE_GPU || source_reads_files(source, false))
		return build_from_source(self, device, prefix, source, error);

	program_cache_key(parts, key);
	self->base.cache = cached_build_load(key, &cached);
	if (self->base.cache == GPU_CACHE_HIT) {
		bool built = build_from_cached(self, device, &cached);

		cached_build_finish(&cached);
		if (built)
			return PMPP_OK;
		self->base.cache = GPU_CACHE_REBUILT;
	}
	status = build_from_source(self, device, prefix, source, error);
	if (status == PMPP_OK)
		store_binary(self, key);
	return status;
}

enum pmpp_status opencl_program_create(
	struct gpu_program *program, const struct gpu_program_desc *desc, struct pmpp_error *error)
{
	const struct opencl_device *device = opencl_device_of(program->device);
	struct opencl_program *self = (struct opencl_program *)program;
	char *prefix = source_prefix(device, desc);
	enum pmpp_status status;

	program->options = build_options(device, desc);
	snprintf(self->name, sizeof self->name, "%s", desc->name);
	for (const char *c = prefix; c && *c; c++)
		self->lines_before += *c == '\n';
	if (program->options && prefix)
		status = load_or_build(self, device, prefix, desc->source, error);
	else
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	free(prefix);
	return status;
}

void opencl_program_destroy(struct gpu_program *program)
{
	struct opencl_program *self = (struct opencl_program *)program;

	if (self->program)
		clReleaseProgram(self->program);
	free(self->full_log);
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* Returns a kernel's static shared memory. NVIDIA's driver (580) puts one byte before the arrays and
 * rounds up to their alignment, so its figure is 1 to 128 bytes too large. The driver launches a kernel
 * that uses all of the device's shared memory, although the figure is above the limit. The PTX has the
 * true size. Without PTX, an alignment of 16 bytes is assumed, or of 4 bytes for figures up to 16. */
static int64_t own_shared_bytes(const struct opencl_device *device, struct opencl_program *program,
	const char *entry, cl_ulong reported)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char *ptx = NULL;
	int64_t bytes = -1;

	if (!device->is_nvidia || reported == 0)
		return (int64_t)(reported / device->shared_scale);
	if (opencl_program_ptx(&program->base, &ptx, &ignored) == PMPP_OK)
		bytes = ptx_shared_bytes(ptx, entry);
	free(ptx);
	pmpp_error_clear(&ignored);
	return bytes >= 0 ? bytes : (int64_t)((reported - 1) & ~(cl_ulong)(reported > 16 ? 15 : 3));
}

/* NVIDIA's driver uses 16 more bytes for a kernel with a __local argument. Such an argument is
 * always the last one. clSetKernelArg() accepts a size without a value only for a __local argument.
 */
#define LOCAL_ARGUMENT_BYTES 16

static int64_t local_argument_bytes(
	const struct opencl_device *device, const struct opencl_kernel *kernel)
{
	if (!device->is_nvidia || kernel->arg_count == 0)
		return 0;
	return clSetKernelArg(kernel->kernel, kernel->arg_count - 1, LOCAL_ARGUMENT_BYTES, NULL) ==
			       CL_SUCCESS
		       ? LOCAL_ARGUMENT_BYTES
		       : 0;
}

struct work_group_query {
	cl_kernel_work_group_info name;
	size_t size;
	void *value;
};

/* Called before any argument is set: afterwards the driver includes the memory of __local arguments
 * in its figure. */
static enum pmpp_status query_resources(const struct opencl_device *device,
	struct opencl_program *program, struct opencl_kernel *kernel, struct pmpp_error *error)
{
	const enum gpu_device_type type = device->base.info.type;
	const char *entry = kernel->base.entry;
	struct gpu_kernel_resources *resources = &kernel->base.resources;
	cl_ulong shared_bytes = 0, private_bytes = 0;
	size_t threads = 0, required[3] = {0};
	struct ptxas_report report;
	const struct work_group_query queries[] = {
		{CL_KERNEL_LOCAL_MEM_SIZE, sizeof shared_bytes, &shared_bytes},
		{CL_KERNEL_WORK_GROUP_SIZE, sizeof threads, &threads},
		{CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required},
		{CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private_bytes, &private_bytes},
	};

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		enum pmpp_status status = CL_CALL(error, PMPP_INTERNAL, clGetKernelWorkGroupInfo,
			kernel->kernel, device->id, queries[i].name, queries[i].size,
			queries[i].value, NULL);
		if (status != PMPP_OK)
			return status;
	}
	/* NVIDIA's driver reports 256 for every kernel, but a kernel with a required block size
	 * runs with that size. */
	size_t built_for = required[0] * required[1] * required[2];
	resources->max_block_threads = (int)(built_for > threads ? built_for : threads);
	if (built_for == 0 && device->is_block_limit_unknown)
		resources->max_block_threads = -1;
	/* Only NVIDIA's assembler reports registers. */
	resources->registers =
		ptxas_report(program->full_log, entry, &report) ? report.registers : -1;
	/* PoCL 5 always reports 0. */
	resources->shared_bytes = type == GPU_TYPE_CPU && shared_bytes == 0
					  ? -1
					  : own_shared_bytes(device, program, entry, shared_bytes) +
						    local_argument_bytes(device, kernel);
	/* On a CPU private memory is on the stack: the reported number is not spilled registers. */
	resources->spill_bytes = type == GPU_TYPE_GPU ? (int64_t)private_bytes : -1;
	return PMPP_OK;
}

/* PoCL uses any 8 bytes as a handle if the parameter is a pointer: a wrong argument kills the
 * process. Therefore this function finds the pointers first: only a pointer accepts NULL. */
static void find_pointers(const struct opencl_device *device, struct opencl_kernel *kernel)
{
	kernel->pointers_known = device->base.info.engine == GPU_ENGINE_CPU;
	for (cl_uint i = 0; kernel->pointers_known && i < kernel->arg_count && i <= GPU_MAX_ARGS;
		i++)
		kernel->pointer[i] =
			clSetKernelArg(kernel->kernel, i, sizeof(cl_mem), NULL) == CL_SUCCESS;
}

enum pmpp_status opencl_kernel_create(struct gpu_kernel *base, struct pmpp_error *error)
{
	const struct opencl_device *device = opencl_device_of(base->program->device);
	struct opencl_program *program = (struct opencl_program *)base->program;
	struct opencl_kernel *kernel = (struct opencl_kernel *)base;
	cl_int code = CL_SUCCESS;

	kernel->kernel = clCreateKernel(program->program, base->entry, &code);
	enum pmpp_status status = CL_CHECK(error, PMPP_BUILD, code, "clCreateKernel");
	if (status != PMPP_OK && code == CL_INVALID_KERNEL_NAME)
		gpu_add_no_kernel(base, error);
	if (status != PMPP_OK && is_block_limit(NULL, code))
		status = pmpp_error_set_block_limit(error);
	if (status == PMPP_OK)
		status = CL_CALL(error, PMPP_INTERNAL, clGetKernelInfo, kernel->kernel,
			CL_KERNEL_NUM_ARGS, sizeof kernel->arg_count, &kernel->arg_count, NULL);
	if (status == PMPP_OK)
		status = query_resources(device, program, kernel, error);
	if (status == PMPP_OK)
		find_pointers(device, kernel);
	return status;
}

void opencl_kernel_destroy(struct gpu_kernel *kernel)
{
	struct opencl_kernel *self = (struct opencl_kernel *)kernel;

	if (self->kernel)
		clReleaseKernel(self->kernel);
}
