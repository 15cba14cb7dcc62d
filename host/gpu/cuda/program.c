/* Programs and their kernels. */
#include "common/ptxas.h"
#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc.h"
#include "host/gpu/program_cache.h"
#include "host/io/sources.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JIT_LOG_BYTES 8192

/* ---- Building ------------------------------------------------------------------------------ */

/* A driver accepts machine code of its own and of older versions of CUDA, and of all versions with
 * the same major version. It compiles PTX of its own and of older versions only (CUDA Compatibility,
 * "Minor Version Compatibility"). */
static void explain_rejection(struct pmpp_error *error)
{
	static const CUresult codes[] = {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU,
		CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION};
	const struct nvrtc_library *compiler = nvrtc_library();
	const int version = cuda_driver_version();
	char command[NVRTC_COMMAND_BYTES];

	if (compiler->major * 1000 + compiler->minor * 10 <= version)
		return;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (error->code == (long)codes[i])
			pmpp_error_append(error,
				"; NVRTC %d.%d is newer than the driver (CUDA %d.%d): update the "
				"driver, or install an older NVRTC: %s",
				compiler->major, compiler->minor, version / 1000,
				version % 1000 / 10, nvrtc_install_command(version, 0, command));
}

/* Loads a cubin, or PTX, which the driver compiles. On failure the error has the driver's log. */
static enum pmpp_status load_module(struct cuda_program *self, struct pmpp_error *error)
{
	char *log = calloc(1, JIT_LOG_BYTES);
	CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)(uintptr_t)(JIT_LOG_BYTES - 1)};
	enum pmpp_status status;

	if (!log)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	status = CU_CALL(error, PMPP_BUILD, cuModuleLoadDataEx, &self->module, self->image, 2,
		names, values);
	if (status != PMPP_OK)
		explain_rejection(error);
	if (status != PMPP_OK && log[0])
		error->log = log;
	else
		free(log);
	return status;
}

static enum pmpp_status build_from_source(struct cuda_program *self,
	const struct gpu_program_desc *desc, struct option_list *options, struct pmpp_error *error)
{
	enum pmpp_status status = nvrtc_compile(desc->source, desc->name, options, &self->image,
		&self->image_bytes, &self->base.log, error);

	return status == PMPP_OK ? load_module(self, error) : status;
}

/* A driver may reject a cubin that another version has accepted. The program is then built from its
 * source, without an error. */
static bool build_from_cached(struct cuda_program *self, struct cached_build *cached)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	self->image = cached->bytes;
	self->image_bytes = cached->size;
	if (load_module(self, &ignored) == PMPP_OK) {
		self->base.log = cached->log;
		*cached = (struct cached_build){0};
		return true;
	}
	pmpp_error_clear(&ignored);
	self->module = NULL;
	self->image = NULL;
	return false;
}

/* extra: words, before the options of the description. */
static enum pmpp_status add_options(const struct gpu_program_desc *desc, const char *arch_option,
	const char *extra, struct option_list *list, struct pmpp_error *error)
{
	option_list_add(list, "%s", arch_option);
	option_list_add_words(list, extra, NULL);
	option_list_add(list, "--std=c++17");
	option_list_add_words(list, gpu_math_options(GPU_BACKEND_CUDA, desc->math), NULL);
	option_list_add_macros(list, desc->macros, desc->macro_count);
	return list->failed ? PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory") : PMPP_OK;
}

/* target, compiler: the architecture, and the text of the compiler's version. */
static void make_key(const char *kind, const struct gpu_program_desc *desc, const char *options,
	const char *target, const char *compiler, char ret_key[PROGRAM_CACHE_KEY_LENGTH + 1])
{
	const struct nvrtc_library *library = nvrtc_library();
	const char *parts[5 + NVRTC_MAX_INCLUDES + 1] = {
		kind, desc->source, options, target, compiler};

	for (size_t i = 0; i < library->include_count; i++)
		parts[5 + i] = library->includes[i];
	program_cache_key(parts, ret_key);
}

static enum pmpp_status load_or_build(struct cuda_program *self, const struct gpu_device_info *info,
	const struct gpu_program_desc *desc, struct option_list *options, struct pmpp_error *error)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	struct cached_build cached;
	enum pmpp_status status;

	/* NVRTC does not report the files that it read. It searches for "name" also in folders of
	 * the user, but for <name> only in the folders of the toolkit. */
	self->base.cache = GPU_CACHE_NONE;
	if (source_reads_files(desc->source, true))
		return build_from_source(self, desc, options, error);
	make_key("cuda", desc, self->base.options, info->arch, info->compiler, key);
	self->base.cache = cached_build_load(key, &cached);
	if (self->base.cache == GPU_CACHE_HIT) {
		bool built = build_from_cached(self, &cached);

		cached_build_finish(&cached);
		if (built)
			return PMPP_OK;
		self->base.cache = GPU_CACHE_REBUILT;
	}
	status = build_from_source(self, desc, options, error);
	if (status == PMPP_OK)
		cached_build_store(key, self->image, self->image_bytes, self->base.log, "");
	return status;
}

enum pmpp_status cuda_program_create(
	struct gpu_program *program, const struct gpu_program_desc *desc, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &program->device->info;
	struct option_list options = {0};
	char arch[32]; /* of info.arch, "sm_90" */
	enum pmpp_status status = cuda_enter(cuda_device_of(program->device), error);

	if (status == PMPP_OK)
		status = nvrtc_arch_option(atoi(info->arch + strlen("sm_")), desc->arch_specific,
			arch, sizeof arch, error);
	if (status == PMPP_OK)
		status = add_options(desc, arch, "", &options, error);
	if (status == PMPP_OK && !(program->options = option_list_join(&options)))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	if (status == PMPP_OK)
		status = load_or_build((struct cuda_program *)program, info, desc, &options, error);
	option_list_finish(&options);
	return status;
}

void cuda_program_destroy(struct gpu_program *program)
{
	struct cuda_program *self = (struct cuda_program *)program;

	cuda.cuCtxSetCurrent(cuda_device_of(program->device)->context);
	if (self->module)
		cuda.cuModuleUnload(self->module);
	free(self->image);
}

/* ---- Without a device ---------------------------------------------------------------------- */

/* nvrtc_compile() with the program cache: NVRTC takes ten times as long for the registers of a kernel as the emulator
 * for the kernel. As in load_or_build(), a source that reads files is not cached. */
static enum pmpp_status compile_cached(const struct gpu_program_desc *desc,
	struct option_list *options, void **ret_binary, char **ret_log, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	char *words = source_reads_files(desc->source, true) ? NULL : option_list_join(options);
	struct cached_build cached;
	size_t size = 0;

	if (words) {
		char compiler[48];
		snprintf(compiler, sizeof compiler, "NVRTC %d.%d", library->major, library->minor);
		make_key("cuda without a device", desc, words, library->path, compiler, key);
		if (cached_build_load(key, &cached) == GPU_CACHE_HIT) {
			*ret_binary = cached.bytes;
			*ret_log = cached.log;
			free(words);
			return PMPP_OK;
		}
	}
	enum pmpp_status status =
		nvrtc_compile(desc->source, desc->name, options, ret_binary, &size, ret_log, error);
	if (status == PMPP_OK && words)
		cached_build_store(key, *ret_binary, size, *ret_log, "");
	free(words);
	return status;
}

/* Compiles to PTX or to a cubin: with the architecture's option, then `extra`, then the options of the cuda
 * backend. */
static enum pmpp_status compile_for(const struct gpu_program_desc *desc, const char *arch,
	bool to_ptx, const char *extra, void **ret_binary, char **ret_log, struct pmpp_error *error)
{
	const struct nvrtc_library *library = nvrtc_library();
	char real[32], option[48];
	struct option_list options = {0};
	enum pmpp_status status = nvrtc_arch_option(
		atoi(arch + strlen("sm_")), desc->arch_specific, real, sizeof real, error);

	if (status != PMPP_OK)
		return status;
	if (!to_ptx && strncmp(real, "-arch=sm_", strlen("-arch=sm_")) != 0)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"NVRTC %d.%d cannot make machine code for %s: install a newer CUDA Toolkit",
			library->major, library->minor, arch);
	/* A virtual architecture: with a real one NVRTC compiles the PTX to a cubin. */
	snprintf(option, sizeof option, "-arch=%s_%s", to_ptx ? "compute" : "sm",
		strchr(real, '_') + 1);
	status = add_options(desc, option, extra, &options, error);
	if (status == PMPP_OK)
		status = compile_cached(desc, &options, ret_binary, ret_log, error);
	option_list_finish(&options);
	if (status != PMPP_OK)
		pmpp_error_prefix(error, "%s for %s", desc->name, arch);
	return status;
}

static enum pmpp_status source_ptx(const struct gpu_program_desc *desc, const char *arch,
	char **ret_ptx, struct pmpp_error *error)
{
	char *log = NULL;
	void *ptx = NULL;
	enum pmpp_status status = compile_for(desc, arch, true, "", &ptx, &log, error);

	free(log);
	if (status == PMPP_OK)
		*ret_ptx = ptx;
	return status;
}

static enum pmpp_status take_resources(const char *log, const char *const *entries,
	size_t entry_count, struct gpu_kernel_resources *ret_resources, struct pmpp_error *error)
{
	struct ptxas_report report;

	for (size_t i = 0; i < entry_count; i++)
		if (!ptxas_report(log, entries[i], &report))
			return PMPP_FAIL(error, PMPP_BUILD,
				"NVRTC %d.%d does not report the resources of '%s'",
				nvrtc_library()->major, nvrtc_library()->minor, entries[i]);
	for (size_t i = 0; i < entry_count; i++) {
		ptxas_report(log, entries[i], &report);
		ret_resources[i] = (struct gpu_kernel_resources){.registers = report.registers,
			.shared_bytes = report.shared_bytes,
			.spill_bytes = report.stack_bytes,
			.max_block_threads = -1};
	}
	return PMPP_OK;
}

static enum pmpp_status source_resources(const struct gpu_program_desc *desc, const char *arch,
	const char *const *entries, size_t entry_count, struct gpu_kernel_resources *ret_resources,
	struct pmpp_error *error)
{
	char *log = NULL;
	void *cubin = NULL;
	enum pmpp_status status =
		compile_for(desc, arch, false, "--ptxas-options=-v", &cubin, &log, error);

	if (status == PMPP_OK)
		status = take_resources(log, entries, entry_count, ret_resources, error);
	free(cubin);
	free(log);
	return status;
}

static void describe(char *ret_text, size_t size)
{
	snprintf(ret_text, size, "NVRTC %d.%d", nvrtc_library()->major, nvrtc_library()->minor);
}

const struct gpu_offline cuda_offline = {cuda_arch_check, source_ptx, source_resources, describe};

/* ---- Images -------------------------------------------------------------------------------- */

/* A cubin is an ELF file with a section ".nv.info.KERNEL" for each kernel. The section is a list of
 * attributes: a byte for the form of the value, a byte for the attribute, then a 16-bit value, or the
 * size of a longer value that follows. NVIDIA does not document them. Names and numbers are those of
 * "cuobjdump -elf" and of "readelf -x" on cubins of known kernels (NVRTC 13.0, sm_75 to sm_120). A list
 * that does not agree with itself counts as unknown. */

#define ATTRIBUTE_BYTES 4
#define FORM_SIZED 4        /* EIFMT_SVAL */
#define ATTRIBUTE_BANK 0x0a /* EIATTR_PARAM_CBANK: only of kernels with parameters */
#define ATTRIBUTE_PARAMETER \
	0x17 /* EIATTR_KPARAM_INFO: 4 bytes, then number and offset, 16 bits each */
#define PARAMETER_BYTES 12

/* Part of an image. */
struct part {
	const char *bytes;
	size_t size;
};

/* Copies `size` bytes at `start`; false: they are not in the part. */
static bool copy(const struct part *part, uint64_t start, void *ret_bytes, size_t size)
{
	if (size > part->size || start > part->size - size)
		return false;
	memcpy(ret_bytes, part->bytes + start, size);
	return true;
}

static bool section(
	const struct part *image, const Elf64_Ehdr *head, size_t index, Elf64_Shdr *ret_section)
{
	return index < head->e_shnum && head->e_shentsize == sizeof *ret_section &&
	       head->e_shoff <= image->size &&
	       copy(image, head->e_shoff + index * sizeof *ret_section, ret_section,
		       sizeof *ret_section);
}

static bool contents(const struct part *image, const Elf64_Shdr *wanted, struct part *ret_part)
{
	if (wanted->sh_offset > image->size || wanted->sh_size > image->size - wanted->sh_offset)
		return false;
	*ret_part = (struct part){image->bytes + wanted->sh_offset, wanted->sh_size};
	return true;
}

static bool find_section(const struct part *image, const char *name, struct part *ret_part)
{
	Elf64_Ehdr head;
	Elf64_Shdr candidate;
	struct part names;
	size_t bytes = strlen(name) + 1;

	if (!copy(image, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 ||
		!section(image, &head, head.e_shstrndx, &candidate) ||
		!contents(image, &candidate, &names))
		return false;
	for (size_t i = 0; section(image, &head, i, &candidate); i++)
		if (candidate.sh_name < names.size && bytes <= names.size - candidate.sh_name &&
			memcmp(names.bytes + candidate.sh_name, name, bytes) == 0)
			return contents(image, &candidate, ret_part);
	return false;
}

int cuda_image_parameters(const void *image, size_t bytes, const char *entry)
{
	const struct part all = {image, bytes};
	struct part info;
	char name[200];
	int count = 0, largest = -1;
	bool banked = false;

	snprintf(name, sizeof name, ".nv.info.%s", entry);
	if (!find_section(&all, name, &info))
		return -1;
	for (size_t at = 0; at < info.size;) {
		struct {
			uint8_t form, attribute;
			uint16_t value;
		} item;
		uint16_t number;

		if (!copy(&info, at, &item, ATTRIBUTE_BYTES))
			return -1;
		if (item.form == FORM_SIZED && item.attribute == ATTRIBUTE_PARAMETER) {
			if (item.value != PARAMETER_BYTES ||
				!copy(&info, at + ATTRIBUTE_BYTES + 4, &number, sizeof number))
				return -1;
			largest = number > largest ? number : largest;
			count++;
		}
		banked |= item.attribute == ATTRIBUTE_BANK;
		at += ATTRIBUTE_BYTES + (item.form == FORM_SIZED ? item.value : 0u);
	}
	return largest == count - 1 && banked == (count > 0) ? count : -1;
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* Queries the sizes of the kernel's parameters, if the driver reports them. The driver does not report their
 * number: if the image does not have it either, the first call that fails ends the list. A checker of
 * memory reports each failed call. */
static void query_args(struct cuda_kernel *kernel, int count)
{
	size_t offset, size;
	int i = 0;

	kernel->arg_count = -1;
	if (!cuda.cuFuncGetParamInfo)
		return;
	for (; i != count && i <= GPU_MAX_ARGS; i++) {
		CUresult code =
			cuda.cuFuncGetParamInfo(kernel->function, (size_t)i, &offset, &size);

		/* This code marks the end of the list; other codes are failures. */
		if (code == CUDA_ERROR_INVALID_VALUE && count < 0)
			break;
		if (code != CUDA_SUCCESS)
			return;
		if (i < GPU_MAX_ARGS)
			kernel->arg_bytes[i] = size;
	}
	kernel->arg_count = i; /* GPU_MAX_ARGS + 1: more than any launch can give */
}

static enum pmpp_status query_resources(struct cuda_kernel *kernel, struct pmpp_error *error)
{
	static const CUfunction_attribute attributes[] = {CU_FUNC_ATTRIBUTE_NUM_REGS,
		CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
		CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK};
	int values[4] = {0};

	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		enum pmpp_status status = CU_CALL(error, PMPP_INTERNAL, cuFuncGetAttribute,
			&values[i], attributes[i], kernel->function);

		if (status != PMPP_OK)
			return status;
	}
	kernel->base.resources = (struct gpu_kernel_resources){.registers = values[0],
		.shared_bytes = values[1],
		.spill_bytes = values[2],
		.max_block_threads = values[3]};
	return PMPP_OK;
}

enum pmpp_status cuda_kernel_create(struct gpu_kernel *base, struct pmpp_error *error)
{
	const struct cuda_program *program = (const struct cuda_program *)base->program;
	struct cuda_kernel *kernel = (struct cuda_kernel *)base;
	enum pmpp_status status = CU_CALL_IN(cuda_device_of(base->program->device), error,
		PMPP_BUILD, cuModuleGetFunction, &kernel->function, program->module, base->entry);

	if (status != PMPP_OK && error->code == CUDA_ERROR_NOT_FOUND)
		gpu_add_no_kernel(base, error);
	if (status == PMPP_OK)
		status = query_resources(kernel, error);
	if (status == PMPP_OK)
		query_args(kernel,
			cuda_image_parameters(program->image, program->image_bytes, base->entry));
	return status;
}

/* The function belongs to its module. */
void cuda_kernel_destroy(struct gpu_kernel *kernel)
{
	(void)kernel;
}
