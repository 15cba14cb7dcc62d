#include "host/gpu/emu/internal.h"

#include "host/gpu/arguments.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns the flags of the program, of --math and of the fill, and "-DNAME=VALUE ...". */
static char *options_text(const struct emu_device *device, const struct gpu_program_desc *desc)
{
	const struct emu_front *front = device->front;
	const char *fill = front->fill_flags(desc->fill, desc->traced);
	struct option_list list = {0};

	option_list_add_words(&list, gpu_math_options(front->backend, desc->math), NULL);
	front->add_flags(&list, desc, device->model);
	option_list_add_words(&list, fill ? fill : "", NULL);
	option_list_add_macros(&list, desc->macros, desc->macro_count);
	char *text = option_list_join(&list);
	option_list_finish(&list);
	return text;
}

struct image_extent {
	const char *inside; /* an address of the object */
	const char *begin, *end;
	const char *code_end;
};

static int find_image(struct dl_phdr_info *info, size_t size, void *context)
{
	struct image_extent *extent = context;
	const char *begin = (const char *)UINTPTR_MAX;
	const char *end = NULL;
	const char *code_end = NULL;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type != PT_LOAD)
			continue;
		const char *at = (const char *)(uintptr_t)(info->dlpi_addr + header->p_vaddr);
		begin = at < begin ? at : begin;
		end = at + header->p_memsz > end ? at + header->p_memsz : end;
		if (header->p_flags & PF_X)
			code_end = at + header->p_memsz;
	}
	if (extent->inside < begin || extent->inside >= end)
		return 0;
	extent->begin = begin;
	extent->end = end;
	extent->code_end = code_end;
	return 1;
}

/* Makes a file for each copy: the dynamic loader would load the same file only once. */
static int image_file(const struct emu_program *program)
{
	int file = memfd_create("pmpp-emu", MFD_CLOEXEC);
	size_t written = 0;

	while (file >= 0 && written < program->image_bytes) {
		ssize_t some = write(file, (const char *)program->image + written,
			program->image_bytes - written);
		if (some < 0 && errno == EINTR)
			continue;
		if (some <= 0) {
			close(file);
			return -1;
		}
		written += (size_t)some;
	}
	return file;
}

enum pmpp_status emu_object_open(
	struct emu_program *program, size_t worker, struct pmpp_error *error)
{
	struct emu_object *object = &program->objects[worker];
	struct image_extent extent = {0};
	char path[64];

	if (object->handle)
		return PMPP_OK;
	object->file = image_file(program);
	if (object->file < 0)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY,
			"%s: no memory for a copy of its object: %s", program->name,
			strerror(errno));
	snprintf(path, sizeof path, "/proc/self/fd/%d", object->file);
	object->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (object->handle)
		object->record = dlsym(object->handle, "pmpp_emu_object");
	if (!object->record) {
		PMPP_FAIL(error, PMPP_BUILD, "%s: cannot load its object: %s", program->name,
			dlerror());
		if (object->handle)
			dlclose(object->handle);
		close(object->file);
		*object = (struct emu_object){0};
		return PMPP_BUILD;
	}
	extent.inside = (const char *)object->record;
	dl_iterate_phdr(find_image, &extent);
	object->image_begin = extent.begin;
	object->image_end = extent.end;
	object->code_end = extent.code_end;
	fenced_memory_protect(object->record->guard_begin, object->record->shared_begin);
	fenced_memory_protect(object->record->shared_end, object->record->guard_end);
	return PMPP_OK;
}

/* Finds the variables of the kernel's file in global memory. The traced build checks each of them. Returns
 * false for lack of memory. */
static bool find_variables(struct emu_program *program)
{
	const struct pmpp_emu_object *record = program->objects[0].record;
	size_t bytes = (size_t)(record->variables_end - record->variables_begin);

	program->global = (struct emu_buffer){.base.bytes = bytes, .data = record->variables_begin};
	program->initial = bytes ? malloc(bytes) : NULL;
	if (bytes && !program->initial)
		return false;
	if (bytes)
		memcpy(program->initial, record->variables_begin, bytes);
	return !program->traced || emu_symbols_variables(program);
}

enum pmpp_status emu_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error)
{
	const struct emu_front *front = ((struct emu_device *)device)->front;
	struct emu_program *program = calloc(1, sizeof *program);
	char *source = NULL;
	struct cached_build build = {0};
	enum pmpp_status status = PMPP_OK;

	if (program) {
		program->name = strdup(desc->name);
		program->base.options = options_text((struct emu_device *)device, desc);
	}
	if (!program || !program->name || !program->base.options) {
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", desc->name);
		goto out;
	}
	program->base.device = device;
	program->traced = desc->traced;
	if (desc->fill == GPU_FILL_ZERO && !emu_can_fill(device, GPU_FILL_ZERO))
		status = PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"%s: %s cannot fill local variables with zeros", desc->name,
			device->info.compiler);
	if (status == PMPP_OK)
		status = front->prepare(desc, &source, error);
	if (status != PMPP_OK)
		goto out;
	status = emu_object_build(front, desc, source, program->base.options, device->info.compiler,
		&build, &program->base.cache, error);
	program->image = build.bytes;
	program->image_bytes = build.size;
	program->base.log = build.log;
	if (status == PMPP_OK)
		status = emu_object_open(program, 0, error);
	if (status != PMPP_OK)
		goto out;
	if (!find_variables(program)) {
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory for its variables", desc->name);
		goto out;
	}
	*ret_program = &program->base;
	program = NULL;
out:
	free(source);
	if (program) {
		free(program->base.options);
		free(program->base.log);
		emu_program_destroy(&program->base);
	}
	return status;
}

void emu_program_destroy(struct gpu_program *base)
{
	struct emu_program *program = (struct emu_program *)base;

	for (size_t i = 0; i < EMU_MAX_WORKERS; i++) {
		if (!program->objects[i].handle)
			continue;
		dlclose(program->objects[i].handle);
		close(program->objects[i].file);
	}
	free(program->image);
	free(program->initial);
	free(program->variables);
	free(program->name);
	free(program);
}

struct gpu_variables emu_program_variables(struct gpu_program *base)
{
	const struct emu_program *program = (const struct emu_program *)base;

	return (struct gpu_variables){
		program->global.data, program->initial, program->global.base.bytes};
}

enum pmpp_status emu_kernel_create(struct gpu_program *base, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error)
{
	struct emu_program *program = (struct emu_program *)base;
	const struct emu_front *front = ((struct emu_device *)base->device)->front;
	char symbol[128];

	snprintf(symbol, sizeof symbol, "pmpp_emu_entry_%s", entry);
	const struct pmpp_emu_entry *found = dlsym(program->objects[0].handle, symbol);
	if (!found) {
		PMPP_FAIL(error, PMPP_BUILD, "%s", program->name);
		gpu_add_no_kernel(base, entry, error);
		return PMPP_BUILD;
	}
	struct emu_kernel *kernel = calloc(1, sizeof *kernel);
	if (!kernel ||
		!emu_symbols_shared(program, entry, &kernel->shared_bytes, &kernel->own_shared)) {
		free(kernel);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the kernel %s", entry);
	}
	if (kernel->shared_bytes > front->static_shared_bytes) {
		PMPP_FAIL(error, PMPP_BUILD,
			"%s: %llu bytes of static shared memory: the limit of a block is %u bytes",
			program->name, (unsigned long long)kernel->shared_bytes,
			front->static_shared_bytes);
		emu_kernel_destroy(&kernel->base);
		return PMPP_BUILD;
	}
	kernel->base.program = base;
	kernel->record = found;
	*ret_kernel = &kernel->base;
	return PMPP_OK;
}

void emu_kernel_destroy(struct gpu_kernel *base)
{
	struct emu_kernel *kernel = (struct emu_kernel *)base;

	free(kernel->own_shared);
	free(kernel);
}

enum pmpp_status emu_kernel_resources(struct gpu_kernel *kernel,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error)
{
	(void)error;
	*ret_resources = (struct gpu_kernel_resources){
		.registers = -1,
		.shared_bytes = (int64_t)((struct emu_kernel *)kernel)->shared_bytes,
		.spill_bytes = -1,
		.max_block_threads = PMPP_EMU_MAX_BLOCK,
	};
	return PMPP_OK;
}
