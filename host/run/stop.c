#include "host/run/stop.h"

#include "host/io/signal_name.h"

#include <stdbool.h>
#include <string.h>

volatile sig_atomic_t stop_signal;

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

void stop_ignore(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaction(signals[i], &ignore, NULL);
	if (caught)
		sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void stop_end(void)
{
	/* SIG_IGN also drops pending signals. */
	stop_ignore();
	caught = false;
}

const sigset_t *stop_mask(void)
{
	return caught ? &mask_before : NULL;
}

void stop_admit(void)
{
	if (caught)
		sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void stop_block(void)
{
	const sigset_t set = all_signals();

	if (caught)
		sigprocmask(SIG_BLOCK, &set, NULL);
}

enum pmpp_status stop_check(struct pmpp_error *error)
{
	if (!stop_signal)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_INTERRUPTED, "interrupted by SIG%s", signal_name(stop_signal));
}
