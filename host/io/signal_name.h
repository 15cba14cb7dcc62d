/*
 * Names of signals, for messages.
 */
#ifndef PMPP_HOST_IO_SIGNAL_NAME_H
#define PMPP_HOST_IO_SIGNAL_NAME_H

/* Returns "KILL" for SIGKILL; "?" for the number of a signal that ends no process. */
const char *signal_name(int number);

#endif
