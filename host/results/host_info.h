/* The machine and the program, for result files. */
#ifndef PMPP_HOST_RESULTS_HOST_INFO_H
#define PMPP_HOST_RESULTS_HOST_INFO_H

#include <jansson.h>

/* `host`: cpu, cores, memory, system. */
json_t *host_info(void);

/* A name for the machine that says nothing about its owner: 16 hex digits of a hash. */
void host_id(char ret_id[17]);

/* `tool`: name, version, git revision, compiler and the command line. */
json_t *tool_info(int argc, char *const *argv);

/* "pmpp-run 0.1.0 (a1b2c3d), gcc 12.2.0" */
const char *tool_version_text(void);

/* `run`: a random id, the start in UTC, host_id and label (null). */
json_t *run_info(void);

#endif
