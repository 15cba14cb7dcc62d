/*
 * Facts about the machine that operating systems report in different ways. The build takes
 * os_machine_linux.c or os_machine_darwin.c.
 */
#ifndef PMPP_HOST_IO_OS_MACHINE_H
#define PMPP_HOST_IO_OS_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* Number of processors that this process is allowed to use, at least 1. macOS: those that are
 * online. */
size_t os_usable_processors(void);

/* Model of the processor, such as "AMD EPYC 9654"; "" if the system does not report one. */
void os_processor_name(char *ret_text, size_t size);

/* Sum of the last-level caches of the processors that this process is allowed to use, in bytes; 0 if
 * the system does not report one. macOS: one cache. */
uint64_t os_last_cache_bytes(void);

#endif
