/*
 * Compiles a kernel source to a shared object with the host's C++ compiler, without a shell. The
 * build folder is private, and is removed when the object is in memory.
 */
#include "host/gpu/cuda_emu/internal.h"

#include "common/clean_text.h"
#include "host/gpu/cached_build.h"
#include "host/io/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNTIME_FOLDER "host/gpu/cuda_emu/runtime/"
#define MAX_ARGUMENTS 96

extern char **environ;

/* Flags that affect results. Without contraction a * b + c is rounded twice. */
#define LANGUAGE_FLAGS                                                                             \
	"-std=c++17", "-march=native", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing",     \
		"-fsigned-char", "-fstack-clash-protection", "-fPIC", "-fvisibility=hidden",       \
		"-fno-exceptions", "-g1", "-Wall", "-Wno-unknown-pragmas", "-Wno-unused-function", \
		"-Wno-sign-compare"

static const char *const plain_flags[] = {LANGUAGE_FLAGS, "-O2", "-shared", NULL};
/* The code calls functions of a sanitizer. pmpp_hooks.h replaces the sanitizer's runtime. */
static const char *const traced_flags[] = {LANGUAGE_FLAGS, "-DPMPP_EMU_TRACED", "-O1",
	"-fno-reorder-blocks", "-fsanitize=thread", "-fsanitize-coverage=trace-pc", "-Wno-tsan",
	"-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument", "-c", NULL};
static const char *const link_flags[] = {
	"-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", NULL};

/* ---- Processes ------------------------------------------------------------------------------- */

static char *read_all(int file, size_t *ret_size)
{
	size_t used = 0;
	size_t room = 4096;
	char *text = malloc(room);

	while (text) {
		ssize_t got = read(file, text + used, room - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
		if (room - used < 2) {
			char *larger = realloc(text, room *= 2);
			if (!larger)
				free(text);
			text = larger;
		}
	}
	if (text) {
		text[used] = '\0';
		*ret_size = used;
	}
	return text;
}

/* Returns the environment without the user's language, so that compilers report in English. The
 * caller frees the list; its texts are not copied. NULL: no memory. */
static char **plain_environment(void)
{
	static const char *const languages[] = {"LC_ALL=", "LANGUAGE="};
	size_t count = 0, kept = 0;

	while (environ[count])
		count++;
	char **list = calloc(count + 2, sizeof *list);
	for (size_t i = 0; list && i < count; i++) {
		bool left_out = false;
		for (size_t j = 0; j < sizeof languages / sizeof *languages; j++)
			left_out |= strncmp(environ[i], languages[j], strlen(languages[j])) == 0;
		if (!left_out)
			list[kept++] = environ[i];
	}
	if (list)
		list[kept] = (char *)(uintptr_t) "LC_ALL=C";
	return list;
}

char *emu_run_command(char *const arguments[], const char *folder, int *ret_exit)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	int wait_status = 0;
	size_t size;
	pid_t child;
	char *output = NULL;

	*ret_exit = -1;
	char **environment = plain_environment();
	if (!environment || pipe2(ends, O_CLOEXEC)) {
		free(environment);
		return NULL;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
	if (folder)
		posix_spawn_file_actions_addchdir_np(&actions, folder);
	int failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environment);
	free(environment);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (failed == 0) {
		char *raw = read_all(ends[0], &size);
		output = raw ? clean_text_copy(raw, size, CLEAN_LINES) : NULL;
		free(raw);
		while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
			;
		*ret_exit = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
	}
	close(ends[0]);
	return output;
}

static const char *compiler(void)
{
	const char *named = getenv("CXX");

	return named && *named ? named : "c++";
}

/* ---- Build ----------------------------------------------------------------------------------- */

static bool write_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	if (!file)
		return false;
	bool written = fputs(text, file) >= 0;
	return fclose(file) == 0 && written;
}

static bool write_runtime(const char *folder)
{
	for (size_t i = 0; i < embedded_file_count; i++) {
		const char *path = embedded_files[i].path;
		if (strncmp(path, RUNTIME_FOLDER, strlen(RUNTIME_FOLDER)) == 0 &&
			!write_file(folder, path + strlen(RUNTIME_FOLDER), embedded_files[i].text))
			return false;
	}
	/* Kernels may include this header of the CUDA Toolkit. pmpp_cuda.h has its declarations. */
	return write_file(folder, "cuda_runtime.h", "");
}

struct command {
	char *arguments[MAX_ARGUMENTS];
	size_t count;
	char *macros;   /* "-DNAME=VALUE" words, split in place; owned */
	char *compiler; /* words of CXX, split in place; owned */
};

static void add(struct command *command, const char *argument)
{
	if (command->count + 1 < MAX_ARGUMENTS) {
		command->arguments[command->count++] = (char *)(uintptr_t)argument;
		command->arguments[command->count] = NULL;
	}
}

static void add_all(struct command *command, const char *const *arguments)
{
	for (size_t i = 0; arguments[i]; i++)
		add(command, arguments[i]);
}

static void add_words(struct command *command, char *words)
{
	char *rest = NULL;

	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		add(command, word);
}

bool emu_compiler_find(char *ret_path, size_t path_size, char *ret_version, size_t version_size)
{
	char words[256];
	struct command command = {.count = 0};
	int code;

	snprintf(words, sizeof words, "%s", compiler());
	snprintf(ret_path, path_size, "%s", words);
	add_words(&command, words); /* CXX may be "ccache g++" */
	add(&command, "--version");
	char *output = emu_run_command(command.arguments, NULL, &code);
	if (!output || code != 0) {
		free(output);
		return false;
	}
	output[strcspn(output, "\n")] = '\0';
	snprintf(ret_version, version_size, "%s", output);
	free(output);
	return true;
}

/* Flags that fill local variables: g++ since version 12 (GCC manual, Optimize Options), clang++
 * since 8, and for zero without a second flag since 16 (Clang manual, Command line). Floats become
 * NaN with clang++ and -1.7e38 (bytes 0xfe) with g++. The value numbering of g++ assumes that a
 * variable set in one branch is set in all branches. The plain build disables it (-fno-tree-fre and
 * the two passes that use it). The traced build keeps it: without it the compiler would emit more
 * accesses, which the traced build counts. The first matching row that the compiler accepts without
 * a warning is used. */
static const struct fill_row {
	enum gpu_fill fill;
	bool plain_only;
	const char *flags;
} fill_rows[] = {
	{GPU_FILL_PATTERN, true,
		"-ftrivial-auto-var-init=pattern -fno-tree-fre -fno-tree-pre "
		"-fno-code-hoisting"},
	{GPU_FILL_PATTERN, false, "-ftrivial-auto-var-init=pattern"},
	{GPU_FILL_ZERO, true,
		"-ftrivial-auto-var-init=zero -fno-tree-fre -fno-tree-pre "
		"-fno-code-hoisting"},
	{GPU_FILL_ZERO, false, "-ftrivial-auto-var-init=zero"},
	{GPU_FILL_ZERO, false,
		"-ftrivial-auto-var-init=zero "
		"-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang"},
};

/* Flags that `compiler` accepts. known: the flags have been tried. */
static struct {
	pthread_mutex_t lock;
	char compiler[256];
	bool known[GPU_FILL_COUNT][2];
	const char *flags[GPU_FILL_COUNT][2];
} fills = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* -fsyntax-only writes no temporary file: the result does not depend on TMPDIR. */
static bool takes_flags(const char *flags)
{
	struct command command = {.macros = strdup(flags), .compiler = strdup(compiler())};
	int code = -1;

	if (command.macros && command.compiler) {
		add_words(&command, command.compiler);
		add_words(&command, command.macros);
		add_all(&command, (const char *const[]){"-Werror", "-x", "c++", "-fsyntax-only",
					  "/dev/null", NULL});
		free(emu_run_command(command.arguments, NULL, &code));
	}
	free(command.macros);
	free(command.compiler);
	return code == 0;
}

static const char *find_flags(enum gpu_fill fill, bool traced)
{
	for (size_t i = 0; i < sizeof fill_rows / sizeof *fill_rows; i++)
		if (fill_rows[i].fill == fill && !(traced && fill_rows[i].plain_only) &&
			takes_flags(fill_rows[i].flags))
			return fill_rows[i].flags;
	return NULL;
}

const char *emu_compiler_fill(enum gpu_fill fill, bool traced)
{
	pthread_mutex_lock(&fills.lock);
	if (strncmp(fills.compiler, compiler(), sizeof fills.compiler - 1) != 0) {
		memset(fills.known, 0, sizeof fills.known);
		snprintf(fills.compiler, sizeof fills.compiler, "%s", compiler());
	}
	if (!fills.known[fill][traced]) {
		fills.flags[fill][traced] = find_flags(fill, traced);
		fills.known[fill][traced] = true;
	}
	const char *flags = fills.flags[fill][traced];
	pthread_mutex_unlock(&fills.lock);
	return flags;
}

/* Removes the path of the private folder from the names of files. */
static void shorten_log(char *log, const char *folder)
{
	char prefix[300];
	size_t length = (size_t)snprintf(prefix, sizeof prefix, "%s/", folder);

	for (char *at = log; (at = strstr(at, prefix));)
		memmove(at, at + length, strlen(at + length) + 1);
}

static enum pmpp_status run_step(struct command *command, const char *folder, const char *name,
	char **log, struct pmpp_error *error)
{
	int code;
	char *output = emu_run_command(command->arguments, folder, &code);

	if (!output)
		return PMPP_FAIL(error, PMPP_BUILD, "%s: cannot run the C++ compiler %s", name,
			command->arguments[0]);
	shorten_log(output, folder);
	if (code != 0) {
		PMPP_FAIL(error, PMPP_BUILD, "%s: %s rejected the source", name,
			command->arguments[0]);
		error->log = output;
		return PMPP_BUILD;
	}
	free(*log);
	*log = output;
	return PMPP_OK;
}

static enum pmpp_status run_compiler(const struct gpu_program_desc *desc, const char *options,
	const char *folder, char **ret_log, struct pmpp_error *error)
{
	struct command command = {.macros = strdup(options), .compiler = strdup(compiler())};
	char *log = NULL;
	enum pmpp_status status;

	if (!command.macros || !command.compiler) {
		free(command.macros);
		free(command.compiler);
		return PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", desc->name);
	}
	add_words(&command, command.compiler);
	size_t compiler_words = command.count;
	add_all(&command, desc->traced ? traced_flags : plain_flags);
	add_words(&command, command.macros);
	add_all(&command,
		(const char *const[]){"-I.", "-include", "pmpp_cuda.h", "-x", "c++",
			EMU_SOURCE_FILE, "-o", desc->traced ? "kernel.o" : "kernel.so", NULL});
	status = run_step(&command, folder, desc->name, &log, error);
	if (status == PMPP_OK && desc->traced) {
		struct command link = {.count = 0};
		char *hooks_log = NULL;
		for (size_t i = 0; i < compiler_words; i++)
			add(&link, command.arguments[i]);
		add_all(&link, link_flags);
		add_all(&link, (const char *const[]){"-I.", "kernel.o", "-x", "c++", "hooks.cc",
				       "-o", "kernel.so", NULL});
		status = run_step(&link, folder, desc->name, &hooks_log, error);
		free(hooks_log);
	}
	free(command.macros);
	free(command.compiler);
	if (status == PMPP_OK)
		*ret_log = log;
	else
		free(log);
	return status;
}

/* folder: descriptor of a folder to which only this user can write. Another user may have replaced
 * the folder at its path. */
static enum pmpp_status load_object(
	int folder, const char *name, void **ret_image, size_t *ret_bytes, struct pmpp_error *error)
{
	int file = openat(folder, "kernel.so", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0)
		return PMPP_FAIL(error, PMPP_BUILD, "%s: the compiler wrote no object: %s", name,
			strerror(errno));
	*ret_image = read_all(file, ret_bytes);
	close(file);
	if (!*ret_image)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for its object", name);
	return PMPP_OK;
}

static void remove_folder(const char *folder)
{
	static const char *const made[] = {
		EMU_SOURCE_FILE, "kernel.o", "kernel.so", "hooks.cc", "cuda_runtime.h"};
	char path[512];

	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, made[i]);
		unlink(path);
	}
	for (size_t i = 0; i < embedded_file_count; i++)
		if (strncmp(embedded_files[i].path, RUNTIME_FOLDER, strlen(RUNTIME_FOLDER)) == 0) {
			snprintf(path, sizeof path, "%s/%s", folder,
				embedded_files[i].path + strlen(RUNTIME_FOLDER));
			unlink(path);
		}
	rmdir(folder);
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

static enum pmpp_status build(const struct gpu_program_desc *desc, const char *source,
	const char *options, void **ret_image, size_t *ret_bytes, char **ret_log,
	struct pmpp_error *error)
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
	if (private < 0 || !write_runtime(folder) || !write_file(folder, EMU_SOURCE_FILE, source) ||
		!write_file(folder, "hooks.cc", "#include \"pmpp_hooks.h\"\n")) {
		status = PMPP_FAIL(error, PMPP_BUILD,
			"cannot write to %s: %s: set TMPDIR to a folder with free space", folder,
			strerror(errno));
		goto out;
	}
	status = run_compiler(desc, options, folder, ret_log, error);
	if (status == PMPP_OK)
		status = load_object(private, desc->name, ret_image, ret_bytes, error);
out:
	if (private >= 0)
		close(private);
	remove_folder(folder);
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

static char *runtime_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < embedded_file_count; i++)
		if (strncmp(embedded_files[i].path, RUNTIME_FOLDER, strlen(RUNTIME_FOLDER)) == 0)
			fputs(embedded_files[i].text, out);
	for (size_t i = 0; plain_flags[i]; i++)
		fputs(plain_flags[i], out);
	for (size_t i = 0; traced_flags[i]; i++)
		fputs(traced_flags[i], out);
	fclose(out);
	return text;
}

enum pmpp_status emu_compile(const struct gpu_program_desc *desc, const char *source,
	const char *options, const char *compiler_version, void **ret_image, size_t *ret_bytes,
	char **ret_log, enum gpu_cache_outcome *ret_cache, struct pmpp_error *error)
{
	char features[8192];
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	char *runtime = runtime_text();
	struct cached_build cached;
	enum pmpp_status status = PMPP_OK;

	if (!runtime) {
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", desc->name);
		goto out;
	}
	cpu_features(features, sizeof features);
	const char *parts[] = {"cuda-emu", source, runtime, options,
		desc->traced ? "traced" : "plain", compiler(), compiler_version, features, NULL};
	program_cache_key(parts, key);
	*ret_cache = cached_build_load(key, &cached);
	if (*ret_cache == GPU_CACHE_HIT) {
		*ret_image = cached.bytes;
		*ret_bytes = cached.size;
		*ret_log = cached.log;
		goto out;
	}
	status = build(desc, source, options, ret_image, ret_bytes, ret_log, error);
	if (status == PMPP_OK)
		cached_build_store(key, *ret_image, *ret_bytes, *ret_log);
out:
	free(runtime);
	return status;
}
