/*
 * Comparison of result files: joins the rows that belong together, and judges which side is faster.
 *
 *     fields    the rows of files, the fields that identify them, and the fields that can be compared
 *     sides     the compared field, and the rows of each side
 *     judge     the rows of all sides that belong together; times, intervals and verdicts
 *     one_run   the file of each row of a ladder
 */
#ifndef PMPP_HOST_COMPARE_COMPARE_H
#define PMPP_HOST_COMPARE_COMPARE_H

#include "host/compare/fields.h"
#include "host/record/comparison.h"
#include "host/record/explanation.h"

struct compare_options {
	const char *by;   /* names of fields, separated by commas; NULL: chosen from the files */
	double tolerance; /* largest difference with the verdict SAME; NAN: by device type */
	/* true: one side is enough. Devices that have only a name are different on different hosts.
	 * false: a name alone identifies a device. */
	bool separate;
};

#define COMPARE_MAX_SIDES 64

/* Compares the files. The base is the side of the first row of the first file. Overwrites
 * *ret_document, except `tool`, which the caller sets. PMPP_USAGE with the reason: an unknown
 * field, more than COMPARE_MAX_SIDES sides, or only one side (unless options->separate). */
enum pmpp_status compare_files(const struct compared_file *files, size_t count,
	const struct compare_options *options, struct comparison_document *ret_document,
	struct pmpp_error *error);

/* Gives all GPUs of one name the same identity, so that their rows are on one side. CPUs keep their
 * identity, because machines with the same CPU can differ. Returns false if there is no memory. */
bool compared_files_join_models(struct compared_file *files, size_t count);

/* Orders the files of each ladder (device, backend and problem), and removes the rows that a better file
 * also has: almost all rows of a ladder are then from one run. Candidates are the files with at least half
 * as many times as the file with the most times. Order of preference: a file of `run` before a file of
 * `parity`, then the newest file, then the first file. A ladder with times in four or more files keeps
 * all rows, because four runs show the noise between runs. Returns false if there is no memory. */
bool compared_files_choose_runs(struct compared_file *files, size_t count);

/* The files that a command reads. Zero-initialise. */
struct result_files {
	struct compared_file *items; /* owned; one for each run */
	size_t count;
	struct explain_document *explanations; /* owned */
	size_t explanation_count;
	struct text_list shipped; /* paths of shipped files, which items point to; owned */
};

#endif
