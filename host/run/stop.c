#include "host/run/stop.h"

#include "host/io/os.h"

#include <string.h>

volatile sig_atomic_t stop_signal;

/* SIGPIPE is the last: stop_end() keeps its handler. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
#define SIGNAL_COUNT (sizeof signals / sizeof *signals)

static sigset_t mask_before;
static bool caught;

static void request_stop(int number)
{
	if (!stop_signal)
		stop_signal = number;
}

static sigset_t all_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaddset(&set, signals[i]);
	return set;
}

void stop_begin(void)
{
	const struct sigaction action = {.sa_handler = request_stop};
	const sigset_t set = all_signals();

	stop_signal = 0;
	sigprocmask(SIG_BLOCK, &set, &mask_before);
	for (size_t i = 0; i < SIGNAL_COUNT; i++) {
		struct sigaction before;
		sigaction(signals[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
	caught = true;
}

/* Ignores the first signals of the table. SIG_IGN also drops pending signals. */
static void ignore_signals(size_t count)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (size_t i = 0; i < count; i++)
		sigaction(signals[i], &ignore, NULL);
	if (caught)
		sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void stop_ignore(void)
{
	ignore_signals(SIGNAL_COUNT);
}

void stop_end(void)
{
	ignore_signals(SIGNAL_COUNT - 1);
	caught = false;
}

const sigset_t *stop_mask(void)
{
	return caught ? &mask_before : NULL;
}

void stop_admit(bool admitted)
{
	const sigset_t set = all_signals();

	if (caught)
		sigprocmask(
			admitted ? SIG_SETMASK : SIG_BLOCK, admitted ? &mask_before : &set, NULL);
}

enum pmpp_status stop_check(struct pmpp_error *error)
{
	if (!stop_signal)
		return PMPP_OK;
	return PMPP_FAIL(
		error, PMPP_INTERRUPTED, "interrupted by SIG%s", os_signal_name(stop_signal));
}
