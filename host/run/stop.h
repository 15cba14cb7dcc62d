/*
 * Signals that end a job early: SIGINT, SIGTERM, SIGHUP (a closed terminal) and SIGPIPE (a closed
 * stdout or stderr). They set a flag, so that the caller still writes the results that are
 * finished. SIGQUIT ends the process at once.
 */
#ifndef PMPP_HOST_RUN_STOP_H
#define PMPP_HOST_RUN_STOP_H

#include <signal.h>
#include <stdbool.h>

#include "common/status.h"

/* The number of the first signal; 0 = none. */
extern volatile sig_atomic_t stop_signal;

/* Between stop_begin() and stop_end() the signals are caught. They are blocked, except with
 * stop_mask() or after stop_admit(). Therefore no signal is missed between a test of the flag and a
 * wait, and no signal interrupts the writing of files. Ignored signals stay ignored. stop_end()
 * drops pending signals and ignores later ones, because the process is about to end with the exit
 * code of its results. SIGPIPE still sets the flag: a closed pipe has an exit code of its own. */
void stop_begin(void);
void stop_end(void);

/* Returns the mask for os_wait_readable() that unblocks the signals. Outside of stop_begin() and
 * stop_end() the mask is NULL, and the wait changes no mask. */
const sigset_t *stop_mask(void);

/* Unblocks the signals, or blocks them again. */
void stop_admit(bool admitted);

/* Ignores the signals. For a forked process whose parent catches them. */
void stop_ignore(void);

/* Returns PMPP_INTERRUPTED, with the name of the signal, if a signal arrived, else PMPP_OK. */
enum pmpp_status stop_check(struct pmpp_error *error);

#endif
