/*
 * Consumes the events of a job: completes the rows, shows them, and keeps them for files and for
 * the exit code.
 */
#ifndef PMPP_HOST_RUN_COLLECTOR_H
#define PMPP_HOST_RUN_COLLECTOR_H

#include "common/model/exit_code.h"
#include "host/record/event.h"
#include "host/record/result.h"
#include "host/record/store.h"
#include "host/report/console.h"
#include "host/report/terminal.h"
#include "host/run/event_sink.h"
#include "host/run/job.h"

struct saver {
	bool active;
	char path[STORE_PATH_BYTES];
	struct store_rest rest; /* the first rows that are not in the store yet. replaces:
				 * saver_interim() was called */
	size_t interim_rows;    /* rows that saver_interim() has saved last */
	bool warned, noted;
};

/* Checks that the store can be written, and makes it if it is missing. */
enum pmpp_status saver_init(struct saver *ret_saver, struct pmpp_error *error);

/* Saves the rows of a job that is repeated: document has all rows, merged from the runs so far.
 * They replace those of the last call. Errors are as in saver_add(), which has no effect from now
 * on. */
void saver_interim(
	struct saver *saver, const struct result_document *document, struct terminal *terminal);

/* Saves the remaining rows (after saver_interim(): all rows), and waits up to STORE_WAIT_MS for
 * other processes. The error has the number of rows that are not in the store, or that have an
 * earlier state there. */
enum pmpp_status saver_end(
	struct saver *saver, const struct result_document *document, struct pmpp_error *error);

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
	struct saver *saver;           /* --save; not owned; NULL = nothing is saved */
	const struct fleet_rank *rank; /* of this process; NULL = no fleet */
};

/* Texts that are counted. */
enum tally {
	TALLY_TOO_LARGE, /* problems that did not fit, as reasons */
	TALLY_NOT_MEANT, /* reasons of claims that are not meant for the device */
	TALLY_SKIPS,     /* reasons of skipped rows */
	TALLY_NOTES,     /* notes that were printed */
	TALLY_UNTIMED,   /* why rows that passed were not timed */
	TALLY_COUNT
};

/* Counts a text. Returns true if it is new. */
bool named_list_tally(struct named_list *list, const char *text);

struct collector {
	const struct job *job;
	struct output_paths outputs;
	struct saver *saver;
	struct console console;
	struct result_document document;      /* owned */
	struct explain_document explanations; /* of `explain`; owned */

	bool gpu;                               /* the group's device is a GPU */
	size_t group_first;                     /* first row of the group in document.results */
	struct named_list tallies[TALLY_COUNT]; /* owned */
	bool claims_not_applied;
	bool size_warned; /* the file of --json is too large for the reader */
	struct exit_counts counts;
};

/* Checks that the output files can be written, and that no file would replace another one.
 * operand_path: the file of --out, or NULL. */
enum pmpp_status collector_check_outputs(
	const struct output_paths *outputs, const char *operand_path, struct pmpp_error *error);

/* Runs the job, shows its rows, writes the output files, and saves the rows. Finished rows are kept
 * even if the job ended early. ret_document: an initialised record for the results, or NULL. */
enum pmpp_status collector_run(const struct collector_options *options,
	struct result_document *ret_document, int *ret_exit, struct pmpp_error *error);

/* The parts of collector_run(). */
void collector_init(struct collector *collector, const struct collector_options *options);
void collector_finish(struct collector *collector);

/* The sink of the job's events. */
struct event_sink collector_sink(struct collector *collector);

/* Ends the table and prints the closing lines. */
void collector_close(struct collector *collector);

enum exit_code collector_exit_code(const struct collector *collector);

/* Sets derived.step, derived.total and claim. A ratio that the suite measured with samples taken in
 * turn (step_paired, claim.paired) stays. Other ratios are calculated from two medians. before: the
 * count rows of the same group that were reported earlier. gpu: the group's device is a GPU, so
 * that claims apply. A row of an unknown variant stays as it is. */
void complete_row(struct result_row *row, const struct result_row *before, size_t count, bool gpu);

#endif
