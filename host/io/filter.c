#include "host/io/filter.h"

#include "common/clean_text.h"
#include "host/io/os_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct received {
	char *bytes; /* owned; ended by a zero as soon as there is one byte */
	size_t length, size;
};

/* A running program, and its output so far. */
struct filter {
	pid_t child;
	int to, output, messages; /* -1: closed */
	const char *input;
	size_t left; /* bytes of the input that are not sent */
	struct received received[2];
	double end_s;
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

/* ---- Start ----------------------------------------------------------------------------------- */

/* The environment with LC_ALL=C, without variables that begin with `without`. The caller frees the
 * list; its texts are not copied. NULL: no memory. */
static char **make_environment(const char *without)
{
	size_t count = 0, kept = 0;

	while (environ[count])
		count++;
	char **list = calloc(count + 2, sizeof *list);
	for (size_t i = 0; list && i < count; i++)
		if (strncmp(environ[i], "LC_ALL=", 7) != 0 &&
			!(without && strncmp(environ[i], without, strlen(without)) == 0))
			list[kept++] = environ[i];
	if (list)
		list[kept] = (char *)(uintptr_t) "LC_ALL=C";
	return list;
}

/* Signals that this process blocks or ignores end the program as usual. */
static int spawn_with(
	const char *const arguments[], char **environment, const int ends[3], pid_t *ret_child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, ends[i], i);
	int failed = posix_spawnp(ret_child, arguments[0], &actions, &attributes,
		(char *const *)(uintptr_t)arguments, environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return failed;
}

static enum pmpp_status start(struct filter *filter, const char *const arguments[],
	const char *without, struct pmpp_error *error)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, messages[2] = {-1, -1};
	char **environment = make_environment(without);
	enum pmpp_status status = PMPP_OK;

	/* A socket: writing to a program that has ended must not cause SIGPIPE. */
	if (!environment || !os_stream_pair(in) || !os_pipe(out) || !os_pipe(messages)) {
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s cannot be started: %s",
			arguments[0], strerror(errno));
	} else {
		const int ends[] = {in[1], out[1], messages[1]};
		int failed = spawn_with(arguments, environment, ends, &filter->child);
		if (failed)
			status = PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s cannot be started: %s",
				arguments[0], strerror(failed));
	}
	free(environment);
	close_end(&in[1]);
	close_end(&out[1]);
	close_end(&messages[1]);
	filter->to = in[0];
	filter->output = out[0];
	filter->messages = messages[0];
	return status;
}

/* ---- Exchange -------------------------------------------------------------------------------- */

static bool make_room(struct received *received, size_t bytes)
{
	size_t needed = received->length + bytes + 1;

	if (needed <= received->size)
		return true;
	size_t size = 2 * needed;
	char *larger = realloc(received->bytes, size);
	if (!larger)
		return false;
	received->bytes = larger;
	received->size = size;
	return true;
}

static enum pmpp_status receive(int *end, struct received *received, struct pmpp_error *error)
{
	char bytes[65536];
	ssize_t count = read(*end, bytes, sizeof bytes);

	if (count < 0 && (errno == EINTR || errno == EAGAIN))
		return PMPP_OK;
	if (count <= 0) {
		close_end(end);
		return PMPP_OK;
	}
	if (received->length + (size_t)count > FILTER_MAX_BYTES)
		return PMPP_FAIL(
			error, PMPP_IO, "it wrote more than %d MB", FILTER_MAX_BYTES / 1000000);
	if (!make_room(received, (size_t)count))
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for its output");
	memcpy(received->bytes + received->length, bytes, (size_t)count);
	received->length += (size_t)count;
	received->bytes[received->length] = '\0';
	return PMPP_OK;
}

static void send_some(struct filter *filter)
{
	ssize_t count =
		send(filter->to, filter->input, filter->left, OS_SEND_QUIETLY | MSG_DONTWAIT);

	if (count > 0) {
		filter->input += count;
		filter->left -= (size_t)count;
	}
	/* A program may ignore its input: only its exit code shows an error. */
	if (filter->left == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
		close_end(&filter->to);
}

static enum pmpp_status exchange(struct filter *filter, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	while (status == PMPP_OK && (filter->output >= 0 || filter->messages >= 0)) {
		struct pollfd ends[] = {{filter->to, POLLOUT, 0}, {filter->output, POLLIN, 0},
			{filter->messages, POLLIN, 0}};
		double left_s = filter->end_s - now_s();
		if (left_s <= 0)
			return PMPP_FAIL(error, PMPP_TIMEOUT, "it did not end in time");
		if (poll(ends, 3, (int)(1000 * left_s) + 1) < 0 && errno != EINTR)
			return PMPP_FAIL(error, PMPP_IO, "poll: %s", strerror(errno));
		if (ends[0].revents)
			send_some(filter);
		if (ends[1].revents)
			status = receive(&filter->output, &filter->received[0], error);
		if (ends[2].revents && status == PMPP_OK)
			status = receive(&filter->messages, &filter->received[1], error);
	}
	return status;
}

/* ---- End ------------------------------------------------------------------------------------- */

/* Waits for the program. It has closed its outputs, but may still run. */
static enum pmpp_status wait_for(struct filter *filter, int *ret_wait, struct pmpp_error *error)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	pid_t ended;

	*ret_wait = 0;
	while ((ended = waitpid(filter->child, ret_wait, WNOHANG)) == 0) {
		if (now_s() > filter->end_s)
			return PMPP_FAIL(error, PMPP_TIMEOUT, "it did not end in time");
		nanosleep(&pause, NULL);
	}
	filter->child = 0;
	/* The parent of this process ignores SIGCHLD: the system has no exit code of the program,
	 * but its outputs are complete. */
	if (ended < 0 && errno == ECHILD)
		return PMPP_OK;
	return ended > 0 ? PMPP_OK : PMPP_FAIL(error, PMPP_IO, "waitpid: %s", strerror(errno));
}

static void kill_child(struct filter *filter)
{
	if (filter->child <= 0)
		return;
	kill(filter->child, SIGKILL);
	while (waitpid(filter->child, NULL, 0) < 0 && errno == EINTR)
		;
}

static enum pmpp_status check_exit(int wait, const char *messages, struct pmpp_error *error)
{
	int length = (int)strcspn(messages, "\n");

	if (WIFEXITED(wait) && WEXITSTATUS(wait) == 0)
		return PMPP_OK;
	if (WIFEXITED(wait))
		return PMPP_FAIL(error, PMPP_IO, "it ended with exit code %d%s%.*s",
			WEXITSTATUS(wait), length ? ": " : "", length > 300 ? 300 : length,
			messages);
	return PMPP_FAIL(error, PMPP_IO, "signal %d ended it", WTERMSIG(wait));
}

static enum pmpp_status finish(
	struct filter *filter, int wait, struct filter_result *ret_result, struct pmpp_error *error)
{
	struct received *output = &filter->received[0], *messages = &filter->received[1];
	char *clean = clean_text_copy(
		messages->length ? messages->bytes : "", messages->length, CLEAN_LINES);
	enum pmpp_status status = PMPP_OK;

	if (!clean || !make_room(output, 0))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for its output");
	else
		status = check_exit(wait, clean, error);
	if (status != PMPP_OK) {
		free(clean);
		return status;
	}
	output->bytes[output->length] = '\0';
	*ret_result = (struct filter_result){output->bytes, output->length, clean};
	output->bytes = NULL;
	return PMPP_OK;
}

enum pmpp_status filter_run(const char *const arguments[], const char *without, const char *input,
	size_t length, double timeout_s, struct filter_result *ret_result, struct pmpp_error *error)
{
	struct filter filter = {.input = input, .left = length, .end_s = now_s() + timeout_s};
	int wait = 0;
	enum pmpp_status status = start(&filter, arguments, without, error);
	bool started = status == PMPP_OK;

	if (status == PMPP_OK)
		status = exchange(&filter, error);
	close_end(&filter.to);
	close_end(&filter.output);
	close_end(&filter.messages);
	if (status == PMPP_OK)
		status = wait_for(&filter, &wait, error);
	kill_child(&filter);
	if (status == PMPP_OK)
		status = finish(&filter, wait, ret_result, error);
	if (status != PMPP_OK && started)
		pmpp_error_prefix(error, "%s", arguments[0]);
	free(filter.received[0].bytes);
	free(filter.received[1].bytes);
	return status;
}

void filter_result_finish(struct filter_result *result)
{
	free(result->output);
	free(result->messages);
	*result = (struct filter_result){0};
}
