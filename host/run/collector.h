/*
 * Consumes the events of a job: completes the rows, shows them, and keeps them for files and for
 * the exit code.
 */
#ifndef PMPP_HOST_RUN_COLLECTOR_H
#define PMPP_HOST_RUN_COLLECTOR_H

#include "common/model/exit_code.h"
#include "host/report/console.h"
#include "host/report/device_summary.h"
#include "host/run/event_sink.h"
#include "host/run/explanations.h"
#include "host/run/fleet.h"
#include "host/run/job.h"
#include "host/run/saver.h"

/* Output files: NULL = none, "-" = stdout. */
struct output_paths {
	const char *json, *csv, *markdown;
};

struct collector_options {
	const struct job *job;
	int argc; /* the command line, which is written to the files */
	char *const *argv;
	struct terminal_options terminal;
	struct output_paths outputs;
	const char *label;             /* run.label; NULL = none */
	struct saver *saver;           /* --save; not owned; NULL = nothing is saved */
	const struct fleet_rank *rank; /* of this process; NULL = no fleet */
};

struct collector {
	const struct job *job;
	struct output_paths outputs;
	struct saver *saver;
	struct console console;
	struct result_document document;  /* owned */
	struct explanations explanations; /* of `explain` */

	bool gpu;                      /* the group's device is a GPU */
	size_t group_first;            /* first row of the group in document.results */
	struct named_list too_large;   /* problems that did not fit, as reasons; owned */
	struct named_list not_meant;   /* reasons of claims not meant for the device; owned */
	struct named_list skips;       /* reasons of skipped rows, and how many rows; owned */
	struct named_list notes;       /* notes that were printed; owned */
	struct named_list untimed;     /* why rows that passed were not timed; owned */
	struct device_summary devices; /* rows of each device; owned */
	bool claims_not_applied;
	struct exit_counts counts;
};

/* Checks that the output files can be written, and that no file would replace another one.
 * operand_path: the file of --out, or NULL. */
enum pmpp_status collector_check_outputs(
	const struct output_paths *outputs, const char *operand_path, struct pmpp_error *error);

void collector_init(struct collector *collector, const struct collector_options *options);
void collector_finish(struct collector *collector);

/* The sink of the job's events. */
struct event_sink collector_sink(struct collector *collector);

/* Moves the results to *ret_document, an initialised record. */
void collector_take_document(struct collector *collector, struct result_document *ret_document);

/* Ends the table and prints the closing lines. */
void collector_close(struct collector *collector);

/* true: there are results to write. */
bool collector_has_results(const struct collector *collector);

/* Writes every output file, and saves rows that are not in the store yet. If there are several
 * errors, returns the first one and prints the others. */
enum pmpp_status collector_write_outputs(struct collector *collector, struct pmpp_error *error);

enum exit_code collector_exit_code(const struct collector *collector);

#endif
