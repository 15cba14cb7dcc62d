/*
 * Consumes the events of a job: completes the rows, shows them, and keeps them for files and for
 * the exit code.
 */
#ifndef PMPP_HOST_RUN_COLLECTOR_H
#define PMPP_HOST_RUN_COLLECTOR_H

#include "host/record/explanation.h"
#include "host/record/result.h"
#include "host/report/terminal.h"
#include "host/run/job.h"

/* Output files: NULL = none, "-" = stdout. */
struct output_paths {
	const char *json, *csv, *markdown;
};

/* A rank of a fleet (host/cli/command_job.c). */
struct fleet_rank {
	int64_t rank, ranks;  /* 0 <= rank < ranks */
	int64_t local;        /* number of the rank on its host; = rank if it is unknown */
	char id[200];         /* the same for all ranks of one start, and for no other start */
	char locks[PATH_MAX]; /* folder of the locks of the devices of this host */
};

struct collector_options {
	const struct job *job;
	int argc; /* the command line, which is written to the files */
	char *const *argv;
	struct terminal_options terminal;
	struct output_paths outputs;
	const char *label;             /* run.label; NULL = none */
	bool save;                     /* --save: to the default store */
	const struct fleet_rank *rank; /* of this process; NULL = no fleet */
	bool warned;                   /* another job has printed the warnings of the compiler */
	struct explain_document *ret_explanations; /* initialised; NULL = not needed */
};

/* Checks that the output files can be written, and that no file would replace another one.
 * operand_path: the file of --out, or NULL. */
enum pmpp_status collector_check_outputs(
	const struct output_paths *outputs, const char *operand_path, struct pmpp_error *error);

/* Runs the job, shows its rows, writes the output files, and saves the rows. Finished rows are kept
 * even if the job ended early. Errors before the job begins: the store cannot be written.
 * ret_document: an initialised record for the results, or NULL. */
enum pmpp_status collector_run(const struct collector_options *options,
	struct result_document *ret_document, int *ret_exit, struct pmpp_error *error);

#endif
