/*
 * Names of signals, for messages.
 */
#ifndef PMPP_HOST_IO_SIGNAL_NAME_H
#define PMPP_HOST_IO_SIGNAL_NAME_H

/* Returns "KILL" for SIGKILL; "?" for a number without a name. */
const char *signal_name(int number);

#endif
