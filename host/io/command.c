#include "host/io/command.h"

#include "common/clean_text.h"
#include "host/io/clock.h"
#include "host/io/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

char *command_read_all(int file, double limit_s, size_t *ret_size)
{
	const double end_ns = host_clock_ns() + 1e9 * limit_s;
	size_t used = 0;
	size_t room = 4096;
	char *text = malloc(room);

	while (text) {
		int left_ms = (int)((end_ns - host_clock_ns()) / 1e6);
		if (limit_s > 0 && (left_ms < 0 || os_wait_readable(file, left_ms, NULL) == 0)) {
			free(text);
			return NULL;
		}
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
	const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
	struct rlimit before;
	bool limited = getrlimit(RLIMIT_FSIZE, &before) == 0;
	struct rlimit limit = before;

	if (limited && limit.rlim_cur > (rlim_t)MAX_FILE_BYTES) {
		limit.rlim_cur = (rlim_t)MAX_FILE_BYTES;
		limited = setrlimit(RLIMIT_FSIZE, &limit) == 0;
	}
	int failed =
		posix_spawnp(ret_child, arguments[0], actions, attributes, arguments, environment);
	if (limited)
		setrlimit(RLIMIT_FSIZE, &before);
	return failed;
}

char *command_run(char *const arguments[], const char *folder, double limit_s, int *ret_exit)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
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
	/* A group of its own, so that the processes that it starts are killed too. Otherwise it stays in the group of
	 * a worker, which the guard kills. */
	posix_spawnattr_init(&attributes);
	if (limit_s > 0)
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	int failed = spawn(&child, &actions, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	free(environment);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (failed == 0) {
		char *raw = command_read_all(ends[0], limit_s, &size);
		if (limit_s > 0 && !raw)
			kill(-child, SIGKILL);
		output = raw ? clean_text_copy(raw, size, CLEAN_LINES) : NULL;
		free(raw);
		while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
			;
		*ret_exit = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
	}
	close(ends[0]);
	return output;
}
