/*
 * Origin of a file: the program, the run and the machine.
 */
#ifndef PMPP_HOST_RECORD_PROVENANCE_H
#define PMPP_HOST_RECORD_PROVENANCE_H

#include "host/record/result.h"

/* Each function sets all members and makes the record present. */
void tool_record_set(struct tool_record *tool, int argc, char *const *argv);
/* A new random id; start: now. */
void run_record_set(struct run_record *run, struct host_record *host);

/* "pmpp-run 0.1.0 (1234abcd), gcc 12.2.0" */
const char *tool_version_text(void);

#endif
