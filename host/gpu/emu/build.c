/*
 * Compiles a kernel source to a shared object with the compiler of the front end. The build folder
 * is private, and is removed when the object is in memory.
 */
#include "host/gpu/emu/internal.h"

#include "host/gpu/cached_build.h"
#include "host/gpu/read_files.h"
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

static enum pmpp_status refuse_folder(const char *folder, struct pmpp_error *error)
{
	return PMPP_FAIL(error, PMPP_BUILD,
		"cannot write to %s: %s: set TMPDIR to a folder with free space", folder,
		strerror(errno));
}

enum pmpp_status emu_write_file(
	const char *folder, const char *name, const char *text, struct pmpp_error *error)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	bool written = file && fputs(text, file) >= 0;

	if (file)
		written &= fclose(file) == 0;
	return written ? PMPP_OK : refuse_folder(folder, error);
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

/* A build folder, and the first error. */
struct target {
	const char *folder;
	struct pmpp_error *error;
	enum pmpp_status status;
};

static bool write_runtime_file(void *context, const char *name, const char *text)
{
	struct target *target = context;

	target->status = emu_write_file(target->folder, name, text, target->error);
	return target->status == PMPP_OK;
}

static bool put_runtime_file(void *context, const char *name, const char *text)
{
	(void)name;
	return fputs(text, context) >= 0;
}

/* folder: descriptor of a folder to which only this user can write. Another user may have replaced
 * the folder at its path. */
static enum pmpp_status load_object(
	int folder, const char *name, struct cached_build *ret_build, struct pmpp_error *error)
{
	int file = openat(folder, EMU_OBJECT_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0)
		return PMPP_FAIL(error, PMPP_BUILD, "%s: the compiler wrote no object: %s", name,
			strerror(errno));
	ret_build->bytes = emu_read_all(file, &ret_build->size);
	close(file);
	if (!ret_build->bytes)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for its object", name);
	return PMPP_OK;
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

static enum pmpp_status write_files(const struct emu_front *front, const char *folder,
	const char *source, struct pmpp_error *error)
{
	struct target target = {folder, error, PMPP_OK};

	if (!each_runtime_file(front, &target, write_runtime_file))
		return target.status;
	enum pmpp_status status =
		emu_write_file(folder, EMU_HOOKS_FILE, "#include \"pmpp_hooks.h\"\n", error);
	return status == PMPP_OK ? emu_write_file(folder, front->source_file, source, error)
				 : status;
}

enum pmpp_status emu_in_folder(emu_folder_fn *work, void *context, struct pmpp_error *error)
{
	const char *temporary = getenv("TMPDIR");
	char folder[256];
	enum pmpp_status status;

	snprintf(folder, sizeof folder, "%s/pmpp-emu-XXXXXX",
		temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(folder))
		return PMPP_FAIL(error, PMPP_BUILD,
			"cannot make a folder to build in, %s: %s: set TMPDIR to a folder that "
			"can be written",
			folder, strerror(errno));
	int private = open_private(folder);
	status = private < 0 ? refuse_folder(folder, error) : work(folder, private, context, error);
	if (private >= 0)
		close(private);
	remove_folder(folder);
	return status;
}

struct object_build {
	const struct emu_front *front;
	const struct gpu_program_desc *desc;
	const char *source, *options, *base_key;
	struct cached_build *result;
};

static enum pmpp_status build_object(
	const char *folder, int handle, void *context, struct pmpp_error *error)
{
	const struct object_build *build = context;
	const struct emu_front *front = build->front;
	enum pmpp_status status = write_files(front, folder, build->source, error);
	struct timespec start;

	clock_gettime(CLOCK_REALTIME, &start);

	if (status == PMPP_OK)
		status = front->compile(build->desc, build->options, build->base_key, folder,
			&build->result->log, error);
	if (status == PMPP_OK)
		status = load_object(handle, build->desc->name, build->result, error);
	if (status == PMPP_OK)
		build->result->files = read_files_list(folder, EMU_DEPENDS_FILE, &start);
	return status;
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

enum pmpp_status emu_build(const struct emu_front *front, const struct gpu_program_desc *desc,
	const char *source, const char *options, const char *compiler_version,
	struct cached_build *ret_build, enum gpu_cache_outcome *ret_cache, struct pmpp_error *error)
{
	char base_key[PROGRAM_CACHE_KEY_LENGTH + 1], key[PROGRAM_CACHE_KEY_LENGTH + 1];
	struct cached_build made = {0};
	enum pmpp_status status = PMPP_OK;

	if (!make_base_key(front, compiler_version, base_key))
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", desc->name);
	const char *parts[] = {base_key, source, options, desc->traced ? "traced" : "plain", NULL};
	program_cache_key(parts, key);
	*ret_cache = cached_build_load(key, &made);
	if (*ret_cache != GPU_CACHE_HIT) {
		struct object_build object = {front, desc, source, options, base_key, &made};
		status = emu_in_folder(build_object, &object, error);
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

static bool write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	bool written = fwrite(bytes, 1, size, file) == size;
	return fclose(file) == 0 && written;
}

static void store_part(const char *path, const char *key)
{
	size_t size = 0;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes = file < 0 ? NULL : emu_read_all(file, &size);

	if (file >= 0)
		close(file);
	if (bytes)
		program_cache_store(key, bytes, size);
	free(bytes);
}

enum pmpp_status emu_part_make(const struct emu_part *part)
{
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	char path[512];
	void *bytes = NULL;
	size_t size = 0;
	const char *parts[] = {part->base_key, "part", part->kind, part->inputs, NULL};

	program_cache_key(parts, key);
	snprintf(path, sizeof path, "%s/%s", part->folder, part->file);
	if (program_cache_load(key, &bytes, &size) == GPU_CACHE_HIT) {
		bool written = write_bytes(path, bytes, size);
		free(bytes);
		if (written)
			return PMPP_OK;
	}
	enum pmpp_status status = part->make(part->context);
	if (status == PMPP_OK)
		store_part(path, key);
	return status;
}
