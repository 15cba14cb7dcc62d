/*
 * Comparison of result files: joins the rows that belong together, and judges which side is faster. The
 * parts of compare.c, in this order: the rows of files and their fields; the compared field and the
 * sides; groups of rows, times, intervals and verdicts; the order of the rows; for pages, the file of
 * each row of a ladder.
 */
#ifndef PMPP_HOST_COMPARE_COMPARE_H
#define PMPP_HOST_COMPARE_COMPARE_H

#include "host/record/comparison.h"
#include "host/record/explanation.h"

/* ---- Rows of files, and the fields that identify them ------------------------------------------ */

/* An input file. */
struct compared_file {
	const char *path;
	const char *name; /* name of the run if the path has several runs; else NULL */
	bool shipped;     /* the file of a device that ships with the program */
	struct result_document document;
	bool has_lost_rows; /* rows were removed, so the file may be empty */
	size_t dropped;     /* number of removed rows: their ladder is from another file */
};

/* --by can name the fields before ROW_FAMILY. */
enum compare_field {
	ROW_DEVICE,
	ROW_BACKEND,
	ROW_DRIVER,
	ROW_RUN,
	ROW_LABEL,
	ROW_HOST,
	ROW_MATH,
	ROW_MACROS,
	ROW_FAMILY,
	ROW_VARIANT,
	ROW_DTYPE,
	ROW_OP,
	ROW_DATA,
	ROW_PROBLEM,
	ROW_CONTRACT,
	ROW_FIELD_COUNT
};

/* A row of a file. The texts are owned. */
struct compared_row {
	const struct result_row *row;
	const struct compared_file *of;
	const struct result_document *document;
	const struct device_record *device; /* NULL: the file has no such device */
	size_t file, side, order;
	char *texts[ROW_FIELD_COUNT]; /* NULL: unknown */
	char *key;                    /* the identity without the compared fields */
};

struct compared_rows {
	struct compared_row *items; /* of all files, in their order; owned */
	size_t count;
};

/* Makes the rows of the files and their texts. hosts_apart: ROW_DEVICE is device_identity_on_host(). Returns
 * false if there is no memory. compared_rows_finish() in both cases. */
bool compared_rows_make(const struct compared_file *files, size_t count, bool hosts_apart,
	struct compared_rows *ret_rows);
void compared_rows_finish(struct compared_rows *rows);

/* Bit of a field in a set of fields. */
#define COMPARE_BIT(field) (1u << (field))

/* Name of a field, for --by and for messages. */
const char *compare_field_name(enum compare_field field);

/* Sets the key: the identity without the fields of a set. A kernel of the user joins the project's kernel
 * only in a comparison of runs. Returns false if there is no memory. */
bool compared_row_set_key(struct compared_row *row, unsigned without);

/* ---- Comparisons ------------------------------------------------------------------------------- */

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

/* Orders the files of each ladder (device, backend and problem), and removes the rows that a better file
 * also has: almost all rows of a ladder are then from one run. Candidates are the files with at least half
 * as many times as the file with the most times. Order of preference: a file of `run` before a file of
 * `parity`, then the newest file, then the first file. A ladder with times in four or more files keeps
 * all rows, because four runs show the noise between runs. by_model: before that, all GPUs of one name get
 * the same identity, so that their rows are on one side; CPUs keep their identity, because machines with
 * the same CPU can differ. Returns false if there is no memory. */
bool compared_files_choose_runs(struct compared_file *files, size_t count, bool by_model);

/* The files that a command reads. Zero-initialise. */
struct result_files {
	struct compared_file *items; /* owned; one for each run */
	size_t count;
	struct explain_document_list explanations;
	struct text_list shipped; /* paths of shipped files, which items point to; owned */
};

#endif
