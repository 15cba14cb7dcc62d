/*
 * Compiles a kernel source to a shared object with the compiler of the front end. The build folder
 * is private, and is removed when the object is in memory.
 */
#include "host/gpu/emu/internal.h"

#include "host/gpu/program_cache.h"
#include "host/io/sources.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNTIME_FOLDER "host/gpu/emu/runtime/"

static enum pmpp_status refuse_folder(const struct emu_build *build)
{
	return PMPP_FAIL(build->error, PMPP_BUILD,
		"cannot write to %s: %s: set TMPDIR to a folder with free space", build->folder,
		strerror(errno));
}

static bool write_bytes(
	const struct emu_build *build, const char *name, const void *bytes, size_t size)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", build->folder, name);
	FILE *file = fopen(path, "w");
	bool written = file && fwrite(bytes, 1, size, file) == size;

	if (file)
		written &= fclose(file) == 0;
	return written;
}

enum pmpp_status emu_write_file(const struct emu_build *build, const char *name, const char *text)
{
	return write_bytes(build, name, text, strlen(text)) ? PMPP_OK : refuse_folder(build);
}

/* Calls a function for each runtime file of the emulator and of the front end. Returns false if a
 * call does. */
static bool each_runtime_file(const struct emu_front *front, void *context,
	bool (*function)(void *context, const char *name, const char *text))
{
	const char *const folders[] = {RUNTIME_FOLDER, front->runtime_folder};

	for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
		for (size_t i = 0; i < embedded_file_count; i++) {
			const struct embedded_file *file = &embedded_files[i];
			size_t length = strlen(folders[k]);
			if (strncmp(file->path, folders[k], length) == 0 &&
				!function(context, file->path + length, file->text))
				return false;
		}
	return true;
}

static bool write_runtime_file(void *context, const char *name, const char *text)
{
	return emu_write_file(context, name, text) == PMPP_OK;
}

static bool put_runtime_file(void *context, const char *name, const char *text)
{
	(void)name;
	return fputs(text, context) >= 0;
}

/* Removes the folder and its files. The front end makes files only, no folders. */
static void remove_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(path);
}

/* Opens a folder that this process has just made. Returns -1 if another user has replaced it. */
static int open_private(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;

	if (folder >= 0 && (fstat(folder, &info) != 0 || info.st_uid != geteuid() ||
				   (info.st_mode & 077) != 0)) {
		close(folder);
		errno = EPERM;
		return -1;
	}
	return folder;
}

enum pmpp_status emu_in_folder(emu_folder_fn *work, struct emu_build *build, void *context)
{
	const char *temporary = getenv("TMPDIR");
	char folder[256];
	enum pmpp_status status;

	snprintf(folder, sizeof folder, "%s/pmpp-emu-XXXXXX",
		temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(folder))
		return PMPP_FAIL(build->error, PMPP_BUILD,
			"cannot make a folder to build in, %s: %s: set TMPDIR to a folder that "
			"can be written",
			folder, strerror(errno));
	build->folder = folder;
	build->handle = open_private(folder);
	status = build->handle < 0 ? refuse_folder(build) : work(build, context);
	if (build->handle >= 0)
		close(build->handle);
	build->folder = NULL;
	remove_folder(folder);
	return status;
}

struct object {
	const struct emu_front *front;
	const char *source, *options;
	struct cached_build *result;
};

static enum pmpp_status write_files(const struct emu_build *build, const struct object *object)
{
	if (!each_runtime_file(object->front, (void *)(uintptr_t)build, write_runtime_file))
		return build->error->status;
	enum pmpp_status status =
		emu_write_file(build, EMU_HOOKS_FILE, "#include \"pmpp_hooks.h\"\n");
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
	each_runtime_file(front, out, put_runtime_file);
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

enum pmpp_status emu_object_build(const struct emu_front *front,
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

/* ---- Shared parts -------------------------------------------------------------------------- */

enum pmpp_status emu_part_make(const struct emu_build *build, const char *kind, const char *inputs,
	const char *file, const char *const *const *lists)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	void *bytes = NULL;
	size_t size = 0;
	const char *parts[] = {build->base_key, "part", kind, inputs, NULL};

	program_cache_key(parts, key);
	bool kept = program_cache_load(key, &bytes, &size) == GPU_CACHE_HIT &&
		    write_bytes(build, file, bytes, size);
	free(bytes);
	if (kept)
		return PMPP_OK;
	enum pmpp_status status = emu_run_compiler(build, "", lists, NULL);
	bytes = status == PMPP_OK ? emu_read_file(build, file, &size) : NULL;
	if (bytes)
		program_cache_store(key, bytes, size);
	free(bytes);
	return status;
}
