/*
 * Programs: the source is compiled to a shared object with the compiler of the front end, and each worker opens a copy
 * of the object. The symbol table of the object has the shared memory of each kernel, variables and functions.
 */
#include "host/gpu/emu/internal.h"

#include "common/array.h"
#include "host/io/atomic_file.h"
#include "host/io/sources.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RUNTIME_FOLDER "host/gpu/emu/runtime/"

/* ---- Symbols --------------------------------------------------------------------------------- */

struct shared {
	uint64_t bytes;
	bool *own; /* NULL or as in struct emu_kernel */
};

static void add_shared(void *context, const struct emu_symbol *symbol)
{
	struct shared *shared = context;
	uint64_t start = symbol->begin - symbol->section_begin;

	if (symbol->is_function || strcmp(symbol->section, "pmpp_shared") != 0)
		return;
	shared->bytes += symbol->bytes;
	if (shared->own && start <= symbol->section_bytes &&
		symbol->bytes <= symbol->section_bytes - start)
		memset(shared->own + start, true, symbol->bytes);
}

/* Finds the variables in static shared memory that the kernel uses. record: its symbol. *ret_bytes: their size.
 * *ret_own: as struct emu_kernel.own_shared. Returns false for lack of memory. */
static bool find_shared(
	const struct emu_program *program, const char *record, uint64_t *ret_bytes, bool **ret_own)
{
	const struct pmpp_emu_object *object = program->objects[0].record;
	size_t static_bytes = (size_t)(object->shared_end - object->shared_begin);
	struct shared shared = {
		.own = static_bytes ? calloc(static_bytes, sizeof *shared.own) : NULL};

	if (static_bytes && (!shared.own || !emu_symbols_used(program->image, program->image_bytes,
						    record, add_shared, &shared))) {
		free(shared.own);
		return false;
	}
	if (shared.own && !memchr(shared.own, false, static_bytes)) {
		free(shared.own);
		shared.own = NULL;
	}
	*ret_bytes = shared.bytes;
	*ret_own = shared.own;
	return true;
}

struct variables {
	struct emu_program *program;
	bool no_memory;
};

static void add_variable(void *context, const struct emu_symbol *symbol)
{
	struct variables *variables = context;
	struct emu_program *program = variables->program;
	bool constant = strcmp(symbol->section, "pmpp_constants") == 0;

	if (symbol->is_function || strncmp(symbol->name, EMU_GAP, strlen(EMU_GAP)) == 0 ||
		(!constant && strcmp(symbol->section, "pmpp_variables") != 0))
		return;
	if (!array_reserve(&program->variables, &program->variable_capacity,
		    program->variable_count, sizeof *program->variables)) {
		variables->no_memory = true;
		return;
	}
	program->variables[program->variable_count++] =
		(struct emu_variable){.symbol = symbol->name,
			.begin = program->objects[0].image_begin + symbol->begin,
			.bytes = symbol->bytes,
			.constant = constant};
}

/* Adds the variables of the kernel's file. Returns false for lack of memory. */
static bool add_variables(struct emu_program *program)
{
	struct variables variables = {.program = program};

	emu_symbols_each(program->image, program->image_bytes, add_variable, &variables);
	return !variables.no_memory;
}

/* Two offsets in the object, and whether one function has both. */
struct offsets {
	uint64_t a, b;
	bool same;
};

static void find_function(void *context, const struct emu_symbol *symbol)
{
	struct offsets *offsets = context;

	offsets->same |= symbol->is_function && offsets->a - symbol->begin < symbol->bytes &&
			 offsets->b - symbol->begin < symbol->bytes;
}

bool emu_same_function(const struct emu_program *program, const struct emu_object *object,
	const void *a, const void *b)
{
	struct offsets offsets = {(uint64_t)((const char *)a - object->image_begin),
		(uint64_t)((const char *)b - object->image_begin), false};

	emu_symbols_each(program->image, program->image_bytes, find_function, &offsets);
	return offsets.same;
}

/* ---- Builds ---------------------------------------------------------------------------------- */

/* Returns the name of an embedded file if it is a runtime file of the emulator or of the front end; NULL:
 * another file. */
static const char *runtime_name(const struct emu_front *front, const struct embedded_file *file)
{
	const char *const folders[] = {RUNTIME_FOLDER, front->runtime_folder};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(file->path, folders[i], strlen(folders[i])) == 0)
			return file->path + strlen(folders[i]);
	return NULL;
}

struct object {
	const struct emu_front *front;
	const char *source, *options;
	struct cached_build *result;
};

static enum pmpp_status write_files(const struct emu_build *build, const struct object *object)
{
	enum pmpp_status status =
		emu_write_file(build, EMU_HOOKS_FILE, "#include \"pmpp_hooks.h\"\n");

	for (size_t i = 0; i < embedded_file_count && status == PMPP_OK; i++) {
		const char *name = runtime_name(object->front, &embedded_files[i]);
		if (name)
			status = emu_write_file(build, name, embedded_files[i].text);
	}
	return status == PMPP_OK ? emu_write_file(build, object->front->source_file, object->source)
				 : status;
}

static enum pmpp_status build_object(const struct emu_build *build, void *context)
{
	const struct object *object = context;
	struct cached_build *result = object->result;
	enum pmpp_status status = write_files(build, object);
	struct timespec start;

	clock_gettime(CLOCK_REALTIME, &start);
	if (status == PMPP_OK)
		status = object->front->compile(build, object->options, &result->log);
	if (status != PMPP_OK)
		return status;
	result->bytes = emu_read_file(build, EMU_OBJECT_FILE, &result->size);
	if (!result->bytes && errno == ENOMEM)
		return emu_no_memory(build);
	if (!result->bytes)
		return PMPP_FAIL(build->error, PMPP_BUILD, "%s: the compiler wrote no object: %s",
			build->desc->name, strerror(errno));
	/* A file that the compiler looked for and did not find may be added later. */
	if (!strstr(object->source, "__has_include"))
		result->files = read_files_list(build->folder, EMU_DEPENDS_FILE, &start);
	return PMPP_OK;
}

/* The features of the CPU, on which -march=native depends. */
static void cpu_features(char *ret_text, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[4096];

	ret_text[0] = '\0';
	while (file && fgets(line, sizeof line, file))
		if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0 ||
			strncmp(line, "model\t", 6) == 0) {
			strncat(ret_text, line, size - strlen(ret_text) - 1);
			if (line[0] != 'm')
				break;
		}
	if (file)
		fclose(file);
}

/* Adds the variables with folders of included files: their order decides which file the compiler
 * finds. */
static void put_include_folders(FILE *out)
{
	for (size_t i = 0; read_files_variables[i]; i++) {
		const char *value = getenv(read_files_variables[i]);
		fprintf(out, "%s=%s\n", read_files_variables[i], value ? value : "");
	}
}

/* The runtime files, the flags of the front end, and the folders of included files. */
static char *runtime_text(const struct emu_front *front)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < embedded_file_count; i++)
		if (runtime_name(front, &embedded_files[i]))
			fputs(embedded_files[i].text, out);
	for (size_t k = 0; front->flags[k]; k++)
		for (size_t i = 0; front->flags[k][i]; i++)
			fprintf(out, "%s\n", front->flags[k][i]);
	put_include_folders(out);
	fclose(out);
	return text;
}

/* The digest of everything that does not depend on the program. Returns false for lack of memory. */
static bool make_base_key(const struct emu_front *front, const char *compiler_version,
	char ret_key[PROGRAM_CACHE_KEY_LENGTH + 1])
{
	char features[8192];
	char *runtime = runtime_text(front);

	if (!runtime)
		return false;
	cpu_features(features, sizeof features);
	const char *parts[] = {gpu_backend_name(front->backend), runtime, front->compiler(),
		compiler_version, features, NULL};
	program_cache_key(parts, ret_key);
	free(runtime);
	return true;
}

/* Compiles the source with the front end, or loads the object from the cache. The caller frees
 * ret_build->bytes and ret_build->log. */
static enum pmpp_status make_object(const struct emu_front *front,
	const struct gpu_program_desc *desc, const char *source, const char *options,
	const char *compiler_version, struct cached_build *ret_build,
	enum gpu_cache_outcome *ret_cache, struct pmpp_error *error)
{
	char base_key[PROGRAM_CACHE_KEY_LENGTH + 1], key[PROGRAM_CACHE_KEY_LENGTH + 1];
	struct emu_build build = {
		.desc = desc, .compiler = front->compiler(), .base_key = base_key, .error = error};
	struct cached_build made = {0};
	enum pmpp_status status = PMPP_OK;

	if (!make_base_key(front, compiler_version, base_key))
		return emu_no_memory(&build);
	const char *parts[] = {base_key, source, options, desc->traced ? "traced" : "plain", NULL};
	program_cache_key(parts, key);
	*ret_cache = cached_build_load(key, &made);
	if (*ret_cache != GPU_CACHE_HIT) {
		struct object object = {front, source, options, &made};
		status = emu_in_folder(build_object, &build, &object);
		if (status == PMPP_OK && made.files)
			cached_build_store(key, made.bytes, made.size, made.log, made.files);
	}
	free(made.files);
	made.files = NULL;
	if (status == PMPP_OK)
		*ret_build = made;
	else
		cached_build_finish(&made);
	return status;
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* Returns the flags of the program, of --math and of the fill, and "-DNAME=VALUE ...". */
static char *options_text(const struct emu_device *device, const struct gpu_program_desc *desc)
{
	const struct emu_front *front = device->front;
	const char *fill = front->fill_flags(desc->fill, desc->traced);
	struct option_list list = {0};

	option_list_add_words(&list, gpu_math_options(front->backend, desc->math), NULL);
	front->add_flags(&list, desc, device->base.model);
	option_list_add_words(&list, fill ? fill : "", NULL);
	option_list_add_macros(&list, desc->macros, desc->macro_count);
	char *text = option_list_join(&list);
	option_list_finish(&list);
	return text;
}

/* Sets the addresses of an object whose record is in this image. */
static int find_image(struct dl_phdr_info *info, size_t size, void *context)
{
	struct emu_object *object = context;
	const char *inside = (const char *)object->record;
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
	if (inside < begin || inside >= end)
		return 0;
	object->image_begin = begin;
	object->image_end = end;
	object->code_end = code_end;
	return 1;
}

/* Makes a file for each copy: the dynamic loader would load the same file only once. */
static int image_file(const struct emu_program *program)
{
	int file = memfd_create("pmpp-emu", MFD_CLOEXEC);

	if (file < 0 || file_write_all(file, program->image, program->image_bytes))
		return file;
	close(file);
	return -1;
}

/* Makes the whole pages of a range inaccessible. */
static void protect(char *begin, char *end)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *first = begin + (page - (uintptr_t)begin % page) % page;

	if (first < end && (size_t)(end - first) >= page)
		mprotect(first, (size_t)(end - first) / page * page, PROT_NONE);
}

enum pmpp_status emu_object_open(
	struct emu_program *program, size_t worker, struct pmpp_error *error)
{
	struct emu_object *object = &program->objects[worker];
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
	/* Virtual functions of C++ need a library that the process does not have. */
	if (!object->handle && dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL))
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
	dl_iterate_phdr(find_image, object);
	protect(object->record->guard_begin, object->record->shared_begin);
	protect(object->record->shared_end, object->record->guard_end);
	return PMPP_OK;
}

/* Finds the variables of the kernel's file in global memory. The traced build checks each of them. Returns
 * false for lack of memory. */
static bool find_variables(struct emu_program *program)
{
	const struct pmpp_emu_object *record = program->objects[0].record;
	size_t bytes = (size_t)(record->variables_end - record->variables_begin);
	void *initial = bytes ? malloc(bytes) : NULL;

	if (bytes && !initial)
		return false;
	if (bytes)
		memcpy(initial, record->variables_begin, bytes);
	program->global = (struct emu_buffer){.base.bytes = bytes, .data = record->variables_begin};
	program->base.variables = (struct gpu_variables){record->variables_begin, initial, bytes};
	return !program->traced || add_variables(program);
}

enum pmpp_status emu_program_create(
	struct gpu_program *base, const struct gpu_program_desc *desc, struct pmpp_error *error)
{
	const struct emu_device *device = (const struct emu_device *)base->device;
	const struct emu_front *front = device->front;
	struct emu_program *program = (struct emu_program *)base;
	char *source = NULL;
	struct cached_build build = {0};

	program->name = strdup(desc->name);
	base->options = options_text(device, desc);
	if (!program->name || !base->options)
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", desc->name);
	program->traced = desc->traced;
	if (desc->fill == GPU_FILL_ZERO && !front->fill_flags(GPU_FILL_ZERO, false))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"%s: %s cannot fill local variables with zeros", desc->name,
			device->base.info.compiler);
	enum pmpp_status status = front->prepare(desc, &source, error);
	if (status == PMPP_OK)
		status = make_object(front, desc, source, base->options, device->base.info.compiler,
			&build, &base->cache, error);
	free(source);
	program->image = build.bytes;
	program->image_bytes = build.size;
	base->log = build.log;
	if (status == PMPP_OK)
		status = emu_object_open(program, 0, error);
	if (status == PMPP_OK && !find_variables(program))
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory for its variables", desc->name);
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
	free((void *)(uintptr_t)base->variables.initial);
	free(program->variables);
	free(program->name);
}

enum pmpp_status emu_kernel_create(struct gpu_kernel *base, struct pmpp_error *error)
{
	struct emu_program *program = (struct emu_program *)base->program;
	const struct emu_front *front = ((struct emu_device *)base->program->device)->front;
	struct emu_kernel *kernel = (struct emu_kernel *)base;
	uint64_t shared_bytes;
	char symbol[128];

	snprintf(symbol, sizeof symbol, "pmpp_emu_entry_%s", base->entry);
	kernel->record = dlsym(program->objects[0].handle, symbol);
	if (!kernel->record) {
		PMPP_FAIL(error, PMPP_BUILD, "%s", program->name);
		gpu_add_no_kernel(base, error);
		return PMPP_BUILD;
	}
	if (!find_shared(program, symbol, &shared_bytes, &kernel->own_shared))
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "no memory for the kernel %s", base->entry);
	if (shared_bytes > front->static_shared_bytes)
		return PMPP_FAIL(error, PMPP_BUILD,
			"%s: %llu bytes of static shared memory: the limit of a block is %u bytes",
			program->name, (unsigned long long)shared_bytes,
			front->static_shared_bytes);
	base->resources = (struct gpu_kernel_resources){
		.registers = -1,
		.shared_bytes = (int64_t)shared_bytes,
		.spill_bytes = -1,
		.max_block_threads = PMPP_EMU_MAX_BLOCK,
	};
	return PMPP_OK;
}

void emu_kernel_destroy(struct gpu_kernel *kernel)
{
	free(((struct emu_kernel *)kernel)->own_shared);
}
