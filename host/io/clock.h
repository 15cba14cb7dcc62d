/* The monotonic clock of the host. */
#ifndef PMPP_HOST_IO_CLOCK_H
#define PMPP_HOST_IO_CLOCK_H

/* Returns the time since an unspecified start, in ns. */
double host_clock_ns(void);

#endif
