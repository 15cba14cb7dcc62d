/*
 * Signals that end a job early: SIGINT, SIGTERM, SIGHUP (a closed terminal) and SIGPIPE (a closed
 * stdout or stderr). They set a flag, so that the caller still writes the results that are
 * finished. SIGQUIT ends the process at once.
 */
#ifndef PMPP_HOST_RUN_STOP_H
#define PMPP_HOST_RUN_STOP_H

#include <signal.h>

#include "common/status.h"

/* The number of the first signal; 0 = none. */
extern volatile sig_atomic_t stop_signal;

/* Between the two calls the signals are caught. They are blocked, except where stop_mask() or
 * stop_admit() lets them in, so no result is lost between a test of the flag and a wait, or while
 * files are written. A signal that the process ignores stays ignored. After stop_end() all of them
 * are ignored: the process is about to end with the exit code of its results. */
void stop_begin(void);
void stop_end(void);

/* The signal mask for ppoll() that lets the signals in; NULL outside of stop_begin() and
 * stop_end(): the mask does not change. */
const sigset_t *stop_mask(void);

/* Lets the signals in at any time, until stop_block(). */
void stop_admit(void);
void stop_block(void);

/* In a forked process whose parent catches the signals: ignores them. */
void stop_ignore(void);

/* PMPP_INTERRUPTED, with the signal's name, if a signal came. */
enum pmpp_status stop_check(struct pmpp_error *error);

#endif
