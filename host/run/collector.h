/*
 * Consumes the events of a job: completes the rows, shows them, and keeps them for the result file
 * and the exit code.
 */
#ifndef PMPP_HOST_RUN_COLLECTOR_H
#define PMPP_HOST_RUN_COLLECTOR_H

#include "common/model/exit_code.h"
#include "host/report/console.h"
#include "host/run/job.h"

struct collector {
	const struct cli_options *options;
	struct console console;
	json_t *document;    /* pmpp-result/1 or pmpp-explain/1; owned */
	json_t *group_rows;  /* of the group in progress; owned */
	json_t *misfits;     /* events of sizes that did not fit; owned */
	json_t *skip_counts; /* {reason: count}; owned */
	json_t *notes;       /* {message: shown already}; owned */
	json_t *sides[2];    /* explanations of --diff; NULL = not there (yet); owned */
	bool gpu;            /* the group's device is one */
	bool claims_not_applied;
	size_t counts[OUTCOME_CLASS_COUNT];
};

enum pmpp_status collector_init(
	struct collector *collector, const struct cli_options *options, struct pmpp_error *error);
void collector_finish(struct collector *collector);

/* The sink's function; context is the collector. */
void collector_emit(void *context, json_t *event);

/* Ends the table and prints the closing lines. */
void collector_close(struct collector *collector);

/* --json, --csv and --md can be written. */
enum pmpp_status collector_check_outputs(
	const struct cli_options *options, struct pmpp_error *error);
enum pmpp_status collector_write_outputs(
	const struct collector *collector, struct pmpp_error *error);

enum exit_code collector_exit_code(const struct collector *collector);

/* ---- collector_explain.c --------------------------------------------------------------------- */

/* Events `explanation`, and `result` of a variant that could not be explained. */
void collector_explanation(struct collector *collector, json_t *event);
void collector_lost_page(struct collector *collector, json_t *event);

/* What --diff has been waiting for: both pages side by side, or the one that there is. */
void collector_put_sides(struct collector *collector);

#endif
