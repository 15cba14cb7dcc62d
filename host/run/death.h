/*
 * The text of a row whose worker process died.
 */
#ifndef PMPP_HOST_RUN_DEATH_H
#define PMPP_HOST_RUN_DEATH_H

#include <stddef.h>

/* wait_status: from waitpid(). needs: text of the host memory that the task needs; NULL: no task was in
 * progress. driver_fd: the worker's stderr (driver_text.h); its cause is a part of the text. */
void death_describe(int wait_status, const char *needs, int driver_fd, char *text, size_t size);

#endif
