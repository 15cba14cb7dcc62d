/* Runs compilers and addr2line, without a shell; the private folders of builds; lines of addresses. */
#include "host/gpu/emu/internal.h"

#include "common/clean_text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

/* Returns the environment without the user's language, so that compilers report in English. For a
 * command in a folder, TMPDIR is this folder: a relative TMPDIR would be wrong there. The caller frees
 * the list; its texts are not copied. NULL: no memory. */
static char **plain_environment(bool in_folder)
{
	static const char *const languages[] = {"LC_ALL=", "LANGUAGE="};
	static const char temporary[] = "TMPDIR=";
	size_t count = 0, kept = 0;

	while (environ[count])
		count++;
	char **list = calloc(count + 3, sizeof *list);
	for (size_t i = 0; list && i < count; i++) {
		bool left_out =
			in_folder && strncmp(environ[i], temporary, sizeof temporary - 1) == 0;
		for (size_t j = 0; j < sizeof languages / sizeof *languages; j++)
			left_out |= strncmp(environ[i], languages[j], strlen(languages[j])) == 0;
		if (!left_out)
			list[kept++] = environ[i];
	}
	if (list)
		list[kept++] = (char *)(uintptr_t) "LC_ALL=C";
	if (list && in_folder)
		list[kept] = (char *)(uintptr_t) "TMPDIR=.";
	return list;
}

/* Largest file of a compiler. A shared array of 10 GB would be a file of this size. */
#define MAX_FILE_BYTES (INT64_C(1) << 30)

/* Starts a program with a limit for the files that it writes. Returns 0 or an error number. */
static int spawn(pid_t *ret_child, const posix_spawn_file_actions_t *actions,
	char *const arguments[], char *const environment[])
{
	struct rlimit before;
	bool limited = getrlimit(RLIMIT_FSIZE, &before) == 0;
	struct rlimit limit = before;

	if (limited && limit.rlim_cur > (rlim_t)MAX_FILE_BYTES) {
		limit.rlim_cur = (rlim_t)MAX_FILE_BYTES;
		limited = setrlimit(RLIMIT_FSIZE, &limit) == 0;
	}
	int failed = posix_spawnp(ret_child, arguments[0], actions, NULL, arguments, environment);
	if (limited)
		setrlimit(RLIMIT_FSIZE, &before);
	return failed;
}

/* Runs a program in a folder (NULL: the current folder) and returns its output, stdout and stderr;
 * the caller frees the text. arguments ends with NULL. Returns NULL if the program cannot run. */
static char *run_command(char *const arguments[], const char *folder, int *ret_exit)
{
	posix_spawn_file_actions_t actions;
	int ends[2];
	int wait_status = 0;
	size_t size;
	pid_t child;
	char *output = NULL;

	*ret_exit = -1;
	char **environment = plain_environment(folder != NULL);
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
	int failed = spawn(&child, &actions, arguments, environment);
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

/* ---- Commands -------------------------------------------------------------------------------- */

#define MAX_ARGUMENTS 96

/* A command line. It refers to the texts, which are not copied. */
struct command {
	char *arguments[MAX_ARGUMENTS]; /* ended by NULL */
	size_t count;
	bool too_long;
};

static void add(struct command *command, const char *argument)
{
	if (command->count + 1 >= MAX_ARGUMENTS) {
		command->too_long = true;
		return;
	}
	command->arguments[command->count++] = (char *)(uintptr_t)argument;
	command->arguments[command->count] = NULL;
}

/* Adds the words of a text, which is split in place. */
static void add_words(struct command *command, char *words)
{
	char *rest = NULL;

	for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		add(command, word);
}

/* Removes the path of the private folder from the names of files. */
static void shorten_log(char *log, const char *folder)
{
	char prefix[300];
	size_t length = (size_t)snprintf(prefix, sizeof prefix, "%s/", folder);

	for (char *at = log; (at = strstr(at, prefix));)
		memmove(at, at + length, strlen(at + length) + 1);
}

static enum pmpp_status run(const struct emu_build *build, struct command *command, char **log)
{
	const char *name = build->desc->name, *compiler = command->arguments[0];
	int code;

	if (command->too_long)
		return PMPP_FAIL(build->error, PMPP_BUILD,
			"%s: the command of the compiler %s has more than %d words: set the compiler "
			"to a shorter command, or use fewer macros",
			name, compiler, MAX_ARGUMENTS - 1);
	char *output = run_command(command->arguments, build->folder, &code);
	if (!output)
		return PMPP_FAIL(
			build->error, PMPP_BUILD, "%s: cannot run the compiler %s", name, compiler);
	if (build->folder)
		shorten_log(output, build->folder);
	if (code != 0) {
		PMPP_FAIL(build->error, PMPP_BUILD, "%s: %s rejected the source", name, compiler);
		build->error->log = output;
		return PMPP_BUILD;
	}
	if (log) {
		free(*log);
		*log = output;
	} else {
		free(output);
	}
	return PMPP_OK;
}

enum pmpp_status emu_no_memory(const struct emu_build *build)
{
	return PMPP_FAIL(
		build->error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", build->desc->name);
}

enum pmpp_status emu_run_compiler(const struct emu_build *build, const char *text,
	const char *const *const *lists, char **log)
{
	struct command command = {.count = 0};
	char *compiler = strdup(build->compiler); /* may be "ccache g++" */
	char *words = strdup(text);
	enum pmpp_status status = PMPP_OK;

	if (!compiler || !words) {
		status = emu_no_memory(build);
	} else {
		add_words(&command, compiler);
		add_words(&command, words);
		for (size_t i = 0; lists[i]; i++)
			for (size_t k = 0; lists[i][k]; k++)
				add(&command, lists[i][k]);
		status = run(build, &command, log);
	}
	free(compiler);
	free(words);
	return status;
}

bool emu_compiler_version(const char *words, char *ret_version, size_t size)
{
	static const struct gpu_program_desc none = {.name = "--version"};
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	const struct emu_build build = {.desc = &none, .compiler = words, .error = &ignored};
	char *output = NULL;
	bool works = emu_run_compiler(&build, none.name, (const char *const *const[]){NULL},
			     &output) == PMPP_OK;

	if (works)
		snprintf(ret_version, size, "%.*s", (int)strcspn(output, "\n"), output);
	free(output);
	pmpp_error_clear(&ignored);
	return works;
}

/* ---- Folders and files of builds ------------------------------------------------------------ */

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

/* By the descriptor of the folder: another user may have replaced the folder at its path. */
char *emu_read_file(const struct emu_build *build, const char *name, size_t *ret_size)
{
	int file = openat(build->handle, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text = file < 0 ? NULL : read_all(file, ret_size);

	if (file >= 0)
		close(file);
	return text;
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

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Finds the line of the kernel's file for an address with addr2line, which is installed with every
 * compiler. If a function is inlined, an address is in several functions. addr2line -i prints all
 * of them, the innermost first. The result is the first line in the kernel's file. */

#define MAX_ADDRESSES 2048 /* of one call, far below the limit of a command line */
#define ADDRESS_BYTES 20

/* Returns the line of "/build/folder/matmul/tiled.cu:42"; 0 for another file. The kernel's file has
 * the name of #line, or its name in the build folder. */
static int line_in(const char *text, size_t length, const struct emu_program *program)
{
	const struct emu_device *device = (const struct emu_device *)program->base.device;
	const char *const names[] = {program->name, device->front->source_file};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *found = memmem(text, length, names[i], strlen(names[i]));
		const char *colon = found ? found + strlen(names[i]) : NULL;
		if (colon && colon < text + length && *colon == ':')
			return atoi(colon + 1);
	}
	return 0;
}

/* Reads one more line for an address: the first line in the file is the place; the others are the
 * calls where it is inlined. */
static void read_line(
	const char *text, size_t length, const struct emu_program *program, struct emu_place *place)
{
	static const char word[] = "(discriminator ";
	int line = line_in(text, length, program);
	const char *part = memmem(text, length, word, strlen(word));

	if (part && !place->part)
		place->part = atoi(part + strlen(word));
	if (place->line == 0)
		place->line = line;
	else if (line > 0)
		place->inlined_at = place->inlined_at * 65599u + (uint32_t)line;
}

/* The output has the addresses in their order ("0x..."), each with its lines below it. */
static void read_output(const char *output, const struct emu_program *program, size_t count,
	struct emu_place *ret_places)
{
	size_t addresses = 0; /* number of addresses so far */

	while (*output) {
		size_t length = strcspn(output, "\n");
		if (strncmp(output, "0x", 2) == 0)
			addresses++;
		else if (addresses > 0 && addresses <= count)
			read_line(output, length, program, &ret_places[addresses - 1]);
		output += length + (output[length] == '\n');
	}
}

static void run_addr2line(const struct emu_program *program, const struct emu_object *object,
	const char *const *pcs, size_t count, struct emu_place *ret_places)
{
	char *words = calloc(count, ADDRESS_BYTES);
	char **arguments = calloc(count + 6, sizeof *arguments);
	char file[64];
	int code;

	if (!words || !arguments)
		goto out;
	snprintf(file, sizeof file, "/proc/%d/fd/%d", (int)getpid(), object->file);
	char *const options[] = {
		(char[]){"addr2line"}, (char[]){"-a"}, (char[]){"-i"}, (char[]){"-e"}, file};
	memcpy(arguments, options, sizeof options);
	for (size_t i = 0; i < count; i++) {
		char *word = words + i * ADDRESS_BYTES;
		snprintf(
			word, ADDRESS_BYTES, "%#lx", (unsigned long)(pcs[i] - object->image_begin));
		arguments[sizeof options / sizeof *options + i] = word;
	}
	char *output = run_command(arguments, NULL, &code);
	if (output && code == 0)
		read_output(output, program, count, ret_places);
	free(output);
out:
	free(words);
	free(arguments);
}

void emu_places(const struct emu_program *program, const struct emu_object *object,
	const char *const *pcs, size_t count, struct emu_place *ret_places)
{
	memset(ret_places, 0, count * sizeof *ret_places);
	for (size_t i = 0; i < count; i += MAX_ADDRESSES)
		run_addr2line(program, object, pcs + i,
			count - i < MAX_ADDRESSES ? count - i : MAX_ADDRESSES, ret_places + i);
}
