/*
 * Comparison of result files: which rows belong together, and which side is faster.
 *
 *     fields    what a row is identified by, and what can be compared
 *     sides     which field is compared, and the rows of each side
 *     join      the rows of all sides that belong together
 *     judge     times, intervals and verdicts
 *     best      the fastest variants of each problem
 *     models    GPUs of one model as one device
 *     doubled_rows   rows that a few files have
 */
#ifndef PMPP_HOST_COMPARE_COMPARE_H
#define PMPP_HOST_COMPARE_COMPARE_H

#include "host/record/comparison.h"

/* A file, as it was read. */
struct compared_file {
	const char *path;
	const char *name; /* of the run, if the path has several runs; else NULL */
	bool shipped;     /* the file of a device that ships with the program */
	struct result_document document;
	bool has_lost_rows; /* rows were removed: the file may have none */
};

struct compare_options {
	const char *by;   /* names of fields, separated by commas; NULL: chosen from the files */
	bool per_roof;    /* compare shares of the devices' roofs, not times */
	double tolerance; /* largest difference that is SAME; NAN: by device type */
	/* Rows join only if their identities are equal, and one side is enough. Devices that have
	 * only a name are different on different hosts. Else a row of the base also joins the
	 * nearest row of a side, as NOCOMP, and a name alone identifies a device. */
	bool separate;
};

#define COMPARE_MAX_SIDES 64

/* Compares the files; the base is the side of the first row of the first file. *ret_document is
 * overwritten; its `tool` is left to the caller. PMPP_USAGE with the reason: an unknown field, more
 * than COMPARE_MAX_SIDES sides, or only one (unless options->separate). */
enum pmpp_status compare_files(const struct compared_file *files, size_t count,
	const struct compare_options *options, struct comparison_document *ret_document,
	struct pmpp_error *error);

/* Gives all GPUs of one name the same identity, so that their rows are on one side. CPUs keep
 * theirs: machines with the same CPU can differ. Returns false if no memory is left. */
bool compared_files_join_models(struct compared_file *files, size_t count);

/* Removes rows of the same variant, problem and device that two or three files have, except for the
 * one with the most samples: few runs say nothing about the noise between runs. A row of `run` is
 * better than a row of `parity`. Four runs or more stay. false for lack of memory. */
bool compared_files_leave_doubled_rows(struct compared_file *files, size_t count);

/* Whether --by can name these fields; PMPP_USAGE lists them otherwise. */
enum pmpp_status compare_check_by(const char *by, struct pmpp_error *error);

#endif
