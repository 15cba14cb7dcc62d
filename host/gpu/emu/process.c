/* Runs compilers and addr2line, without a shell. */
#include "host/gpu/emu/internal.h"

#include "common/clean_text.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

char *emu_run_command(char *const arguments[], const char *folder, int *ret_exit)
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
	char *output = emu_run_command(command->arguments, build->folder, &code);
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

/* ---- Files ----------------------------------------------------------------------------------- */

/* By the descriptor of the folder: another user may have replaced the folder at its path. */
char *emu_read_file(const struct emu_build *build, const char *name, size_t *ret_size)
{
	int file = openat(build->handle, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text = file < 0 ? NULL : read_all(file, ret_size);

	if (file >= 0)
		close(file);
	return text;
}
