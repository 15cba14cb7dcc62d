/* Programs and kernels: what the profile's compiler accepts, and what a kernel reports. */
#include "tests/opencl_layer/layer.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_BYTES 400

/* ---- Records of programs --------------------------------------------------------------------- */

/* Found by the handle. A new program may have the handle of a released one; it then takes over the
 * record. */
struct record {
	cl_program program;
	int language;        /* of -cl-std, times 10; 12 without the option */
	char log[LOG_BYTES]; /* "": the build log is PoCL's */
	struct record *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record *records;

/* NULL only for lack of memory. */
static struct record *record_of(cl_program program)
{
	struct record *record;

	pthread_mutex_lock(&lock);
	record = records;
	while (record && record->program != program)
		record = record->next;
	if (!record) {
		record = calloc(1, sizeof *record);
		if (!record)
			layer_stop("out of memory", "a program's record");
		*record = (struct record){.program = program, .language = 12, .next = records};
		records = record;
	}
	pthread_mutex_unlock(&lock);
	return record;
}

static void reset(struct record *record)
{
	record->language = 12;
	record->log[0] = '\0';
}

int layer_language_of(cl_kernel kernel)
{
	cl_program program = NULL;

	layer.below.clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
	return record_of(program)->language;
}

/* ---- Sources --------------------------------------------------------------------------------- */

static bool is_part_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether one of the texts has the word; with `begins` also: a word that begins with it. */
static bool mentions(
	cl_uint count, const char **texts, const size_t *lengths, const char *word, bool begins)
{
	size_t length = strlen(word);

	for (cl_uint i = 0; i < count; i++) {
		size_t bytes = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
		const char *end = texts[i] + bytes, *at = texts[i];

		while ((at = memmem(at, (size_t)(end - at), word, length))) {
			bool own = at == texts[i] || !is_part_of_name(at[-1]);

			at += length;
			if (own && (begins || at == end || !is_part_of_name(*at)))
				return true;
		}
	}
	return false;
}

/* Lines that hide from a source what PoCL's compiler has and the profile's does not. A source that
 * does not mention any of it gets no lines: PoCL's cache of programs then serves all profiles. */
static const struct {
	const char *extension, *word, *lines;
	bool begins;
} hidden[] = {
	{"cl_khr_fp64", "cl_khr_fp64", "#undef cl_khr_fp64\n", false},
	{"cl_khr_fp64", "double",
		"#define double no_cl_khr_fp64\n#define double2 no_cl_khr_fp64\n"
		"#define double3 no_cl_khr_fp64\n#define double4 no_cl_khr_fp64\n"
		"#define double8 no_cl_khr_fp64\n#define double16 no_cl_khr_fp64\n",
		true},
	{"cl_khr_fp16", "cl_khr_fp16", "#undef cl_khr_fp16\n", false},
	{"cl_khr_subgroups", "cl_khr_subgroups", "#undef cl_khr_subgroups\n", false},
	{"cl_khr_int64_base_atomics", "cl_khr_int64_base_atomics",
		"#undef cl_khr_int64_base_atomics\n", false},
	{"cl_khr_int64_base_atomics", "atom_add", "#define atom_add no_cl_khr_int64_base_atomics\n",
		false},
	{"cl_khr_int64_extended_atomics", "cl_khr_int64_extended_atomics",
		"#undef cl_khr_int64_extended_atomics\n", false},
};

static cl_program CL_API_CALL create_from_source(cl_context context, cl_uint count,
	const char **texts, const size_t *lengths, cl_int *ret_code)
{
	char lines[2048] = "";
	const char **all = calloc(count + 1, sizeof *all);
	size_t *all_lengths = calloc(count + 1, sizeof *all_lengths);
	cl_program program;

	if (!all || !all_lengths)
		layer_stop("out of memory", "a program's source");
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		if (!layer_lists(hidden[i].extension) &&
			mentions(count, texts, lengths, hidden[i].word, hidden[i].begins))
			strcat(lines, hidden[i].lines);
	all[0] = lines;
	for (cl_uint i = 0; i < count; i++) {
		all[i + 1] = texts[i];
		all_lengths[i + 1] = lengths ? lengths[i] : 0;
	}
	program = lines[0] ? layer.below.clCreateProgramWithSource(
				     context, count + 1, all, all_lengths, ret_code)
			   : layer.below.clCreateProgramWithSource(
				     context, count, texts, lengths, ret_code);
	free(all);
	free(all_lengths);
	if (program)
		reset(record_of(program));
	return program;
}

static cl_program CL_API_CALL create_from_binary(cl_context context, cl_uint count,
	const cl_device_id *devices, const size_t *lengths, const unsigned char **binaries,
	cl_int *statuses, cl_int *ret_code)
{
	cl_program program = layer.below.clCreateProgramWithBinary(
		context, count, devices, lengths, binaries, statuses, ret_code);

	if (program)
		reset(record_of(program));
	return program;
}

/* ---- Options --------------------------------------------------------------------------------- */

/* The options of OpenCL 3.0, "Compiler Options", without -cl-std and those with a condition. */
static const char *const known_options[] = {
	"-w",
	"-Werror",
	"-cl-opt-disable",
	"-cl-mad-enable",
	"-cl-no-signed-zeros",
	"-cl-unsafe-math-optimizations",
	"-cl-finite-math-only",
	"-cl-fast-relaxed-math",
	"-cl-single-precision-constant",
	"-cl-denorms-are-zero",
	"-cl-strict-aliasing",
	"-cl-kernel-arg-info",
};

static bool is_known(const char *option, size_t length)
{
	const char *more = profile_value(&layer.profile, "options");

	for (size_t i = 0; i < sizeof known_options / sizeof *known_options; i++)
		if (strlen(known_options[i]) == length &&
			memcmp(known_options[i], option, length) == 0)
			return true;
	return more && profile_has_word(more, option, length);
}

/* "-cl-std=CL1.2": the version times 10; 0: not this option. */
static int language_of(const char *option, size_t length)
{
	static const char begin[] = "-cl-std=CL";
	size_t before = sizeof begin - 1;

	if (length != before + 3 || memcmp(option, begin, before) != 0)
		return 0;
	return (option[before] - '0') * 10 + option[before + 2] - '0';
}

static bool accepts_option(const char *option, size_t length, int *language)
{
	static const char rounding[] = "-cl-fp32-correctly-rounded-divide-sqrt";
	const char *versions = profile_value(&layer.profile, "c_versions");
	int version = language_of(option, length);

	if (version) {
		*language = version;
		return profile_has_word(versions, option + length - 3, 3);
	}
	if (length == sizeof rounding - 1 && memcmp(option, rounding, length) == 0)
		return layer_number("CL_DEVICE_SINGLE_FP_CONFIG", 0) &
		       CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
	return memcmp(option, "-D", 2) == 0 || memcmp(option, "-I", 2) == 0 ||
	       is_known(option, length);
}

/* The first option that the profile's compiler rejects; NULL: none. Words that are the value of -D
 * or -I have no '-' in front. */
static const char *refused_option(const char *options, int *language)
{
	while (options && *options) {
		size_t length;

		options += strspn(options, " ");
		length = strcspn(options, " ");
		if (*options == '-' && !accepts_option(options, length, language))
			return options;
		options += length;
	}
	return NULL;
}

/* ---- Builds ---------------------------------------------------------------------------------- */

/* The largest block that reqd_work_group_size may give. */
static size_t largest_required(void)
{
	size_t block = layer_number("CL_KERNEL_WORK_GROUP_SIZE", 1);

	return layer_number("CL_KERNEL_WORK_GROUP_SIZE.required", block);
}

/* The product of reqd_work_group_size; 0 without it. */
static size_t required_block(cl_kernel kernel, cl_device_id device, size_t sizes[3])
{
	memset(sizes, 0, 3 * sizeof *sizes);
	layer.below.clGetKernelWorkGroupInfo(
		kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 3 * sizeof *sizes, sizes, NULL);
	return sizes[0] * sizes[1] * sizes[2];
}

/* Whether the profile's compiler rejects a kernel. `log` then has the message. */
static bool refuses_kernel(cl_kernel kernel, cl_device_id device, char log[LOG_BYTES])
{
	const char *overflow = profile_value(&layer.profile, "local_overflow");
	cl_ulong room = layer_number("CL_DEVICE_LOCAL_MEM_SIZE", 0);
	cl_ulong bytes = 0;
	size_t sizes[3];
	size_t block = required_block(kernel, device, sizes);

	layer.below.clGetKernelWorkGroupInfo(
		kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
	if (block > largest_required())
		snprintf(log, LOG_BYTES,
			"error: reqd_work_group_size has %zu work-items; the limit is %zu\n", block,
			largest_required());
	else if (bytes > room && overflow && strcmp(overflow, "build") == 0)
		snprintf(log, LOG_BYTES, "error: local memory (%llu) exceeds limit (%llu)\n",
			(unsigned long long)bytes, (unsigned long long)room);
	return log[0] != '\0';
}

static cl_int check_kernels(struct record *record, cl_device_id device)
{
	cl_kernel kernels[64];
	cl_uint count = 0;
	bool refused = false;

	if (layer.below.clCreateKernelsInProgram(record->program, 64, kernels, &count) !=
		CL_SUCCESS)
		return CL_SUCCESS;
	for (cl_uint i = 0; i < count; i++) {
		refused = refused || refuses_kernel(kernels[i], device, record->log);
		layer.below.clReleaseKernel(kernels[i]);
	}
	return refused ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

/* The options for PoCL: it compiles OpenCL C 2.x without the atomic functions of 2.0, so it gets
 * CL3.0, which has them. The caller frees the text. */
static char *pocl_options(const char *options)
{
	char *text = strdup(options ? options : "");
	char *found = text ? strstr(text, "-cl-std=CL2.") : NULL;

	if (!text)
		layer_stop("out of memory", "options");
	if (found)
		memcpy(found, "-cl-std=CL3.0", strlen("-cl-std=CL3.0"));
	return text;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
	const char *options, void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
	struct record *record = record_of(program);
	const char *refused;
	char *own;
	cl_int code;

	reset(record);
	refused = refused_option(options, &record->language);
	if (refused) {
		snprintf(record->log, LOG_BYTES, "error: unknown or unsupported option: %.*s\n",
			(int)strcspn(refused, " "), refused);
		return CL_INVALID_BUILD_OPTIONS;
	}
	own = pocl_options(options);
	code = layer.below.clBuildProgram(program, count, devices, own, notify, user);
	free(own);
	return code == CL_SUCCESS && count == 1 ? check_kernels(record, devices[0]) : code;
}

static cl_int CL_API_CALL get_build_info(cl_program program, cl_device_id device,
	cl_program_build_info what, size_t bytes, void *target, size_t *ret_bytes)
{
	static const cl_build_status failed = CL_BUILD_ERROR;
	const struct record *record = record_of(program);

	if (what == CL_PROGRAM_BUILD_LOG && record->log[0])
		return layer_answer(record->log, strlen(record->log) + 1, bytes, target, ret_bytes);
	if (what == CL_PROGRAM_BUILD_STATUS && record->log[0])
		return layer_answer(&failed, sizeof failed, bytes, target, ret_bytes);
	return layer.below.clGetProgramBuildInfo(program, device, what, bytes, target, ret_bytes);
}

/* `binaries = no`: a driver without binaries. PoCL compiles each kernel twice if a program asks for
 * its binary. */
static cl_int CL_API_CALL get_program_info(
	cl_program program, cl_program_info what, size_t bytes, void *target, size_t *ret_bytes)
{
	static const size_t none = 0;
	const char *binaries = profile_value(&layer.profile, "binaries");

	if (what == CL_PROGRAM_BINARY_SIZES && binaries && strcmp(binaries, "no") == 0)
		return layer_answer(&none, sizeof none, bytes, target, ret_bytes);
	return layer.below.clGetProgramInfo(program, what, bytes, target, ret_bytes);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* A driver that allows larger required blocks compiles the kernel for exactly this size. */
size_t layer_kernel_block(cl_kernel kernel, cl_device_id device)
{
	size_t sizes[3];
	size_t required = required_block(kernel, device, sizes);
	size_t block = layer_number("CL_KERNEL_WORK_GROUP_SIZE", 1);

	return required && largest_required() > block ? required : block;
}

static cl_int CL_API_CALL get_kernel_group(cl_kernel kernel, cl_device_id device,
	cl_kernel_work_group_info what, size_t bytes, void *target, size_t *ret_bytes)
{
	size_t block = layer_kernel_block(kernel, device);
	size_t multiple = layer_number("CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", 1);

	if (what == CL_KERNEL_WORK_GROUP_SIZE)
		return layer_answer(&block, sizeof block, bytes, target, ret_bytes);
	if (what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
		return layer_answer(&multiple, sizeof multiple, bytes, target, ret_bytes);
	return layer.below.clGetKernelWorkGroupInfo(kernel, device, what, bytes, target, ret_bytes);
}

/* Only CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE has an answer. */
static cl_int CL_API_CALL get_sub_group(cl_kernel kernel, cl_device_id device,
	cl_kernel_sub_group_info what, size_t input_bytes, const void *input, size_t bytes,
	void *target, size_t *ret_bytes)
{
	size_t width = layer_number("CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE", 0);

	(void)kernel;
	(void)device;
	(void)input_bytes;
	(void)input;
	if (what != CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE || width == 0)
		return CL_INVALID_OPERATION;
	return layer_answer(&width, sizeof width, bytes, target, ret_bytes);
}

void layer_add_programs(cl_icd_dispatch *table)
{
	table->clCreateProgramWithSource = create_from_source;
	table->clCreateProgramWithBinary = create_from_binary;
	table->clBuildProgram = build;
	table->clGetProgramBuildInfo = get_build_info;
	table->clGetProgramInfo = get_program_info;
	table->clGetKernelWorkGroupInfo = get_kernel_group;
	table->clGetKernelSubGroupInfo = get_sub_group;
	table->clGetKernelSubGroupInfoKHR = get_sub_group;
}
