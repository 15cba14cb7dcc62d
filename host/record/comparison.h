/*
 * Comparisons of result files: one row for each variant, with a cell for each side (schema
 * pmpp-compare/1). The tables in comparison.c give units and meanings.
 */
#ifndef PMPP_HOST_RECORD_COMPARISON_H
#define PMPP_HOST_RECORD_COMPARISON_H

#include "common/model/verdict.h"
#include "host/record/result.h"

/* One column: the rows with one value of the compared field. */
struct side_record {
	struct record record;
	char *name; /* unique in the comparison */
	struct text_list files, devices, backends, drivers, hosts, started_utc;
	char *type;             /* type of the first device */
	struct text_list noise; /* origins of the floors of noise */
	char *load;             /* other programs use the CPU of a row; NULL: no */
	bool interrupted;       /* a file is of a run that ended early */
	bool shipped;           /* all its rows are from shipped devices */
	int64_t rows;           /* timed rows */
	int64_t doubled;        /* ignored rows: another file of the side has the same run */
	double spread_sd;       /* typical standard deviation between the runs; NaN: unknown */
	int64_t raised;         /* rows whose floor of noise is raised to spread_sd */
};

struct side_list {
	struct side_record *items;
	size_t count;
};

/* One variant on one side. */
struct cell_record {
	struct record record;
	int64_t side;              /* index into sides */
	int status;                /* enum outcome_status; WORD_NULL: the side has no such row */
	char *reason;              /* why there is no time, or why the times are not compared */
	struct named_list problem; /* sizes of this side, if only they differ from the base */
	double median_ns;          /* mean of the medians of all runs; NaN: not timed */
	double ci95_ns[2];         /* interval of median_ns; includes the floor of noise */
	int64_t runs;              /* runs in all files of this side */
	int64_t samples;           /* fewest samples of a run */
	double noise_sd;           /* the floor of noise that was used */
	double pct_roof;           /* 100 * largest floor / median_ns */
	int limited_by;            /* enum limited_by */
	unsigned flags;            /* bits of enum timing_flag, of all runs */
	bool own_kernel;           /* of the user, in any run */

	/* Comparison with the base. The cell of the base does not have these keys. */
	double ratio, ci95[2], ci99[2], tolerance;
	int verdict;                 /* enum verdict */
	double p_slow;               /* p-value of "not slower than the limit of SLOW" */
	enum record_truth confirmed; /* a confirmed regression (Holm's method) */

	/* Not in files: the run that stands for all runs of the cell, and its file. It is a timed run
	 * if there is one, with the most samples. NULL: the side has no such row. */
	const struct result_row *shown;
	const struct result_document *shown_in;
};

struct cell_list {
	struct cell_record *items;
	size_t count;
};

struct comparison_row {
	struct record record;
	char *family, *variant;
	char *backend, *device; /* NULL: it is the compared field */
	char *dtype, *op, *data;
	struct named_list problem, macros;
	char *math, *contract;
	char *peer;                   /* library that computed the results; NULL: this project */
	char *claim;                  /* text of the claim; NULL = none */
	struct text_list claims;      /* verdict about the claim on each side; "" = unknown */
	struct text_list also_differ; /* "source", "driver", "seed", "library" */
	struct cell_list cells;       /* one for each side, in the order of sides */
};

struct comparison_row_list {
	struct comparison_row *items;
	size_t count;
};

/* The fastest variants of one problem on one side: those that are not known to be slower than the
 * fastest one. All of them solve the problem at full precision (variant_solves_family()). */
struct best_record {
	struct record record;
	char *family, *problem;
	int64_t side;
	struct text_list variants;    /* the fastest one first */
	struct text_list own_kernels; /* those of `variants` whose kernel is of the user */
};

struct best_list {
	struct best_record *items;
	size_t count;
};

struct verdict_counts_record {
	struct record record;
	int64_t side, same, fast, slow, ambg, missing, nocomp;
	int64_t confirmed; /* SLOW rows that are confirmed regressions */
	double mean_ratio; /* geometric mean of the ratios */
};

struct verdict_counts_list {
	struct verdict_counts_record *items;
	size_t count;
};

struct comparison_document {
	struct record record;
	char *schema;
	struct tool_record tool;
	struct text_list by; /* the compared fields */
	bool per_roof;       /* ratio compares shares of the roofs, not times */
	struct side_list sides;
	struct comparison_row_list rows;
	struct best_list best;
	struct verdict_counts_list counts; /* one for each side except the base */
};

#define COMPARISON_SCHEMA "pmpp-compare/1"

extern const struct record_type comparison_document_type, comparison_row_type, cell_type, side_type,
	best_type, counts_type;

/* The problem of a row as text, such as "f32 k=64 m=64 n=64": type, operation, data (if not
 * random), sizes, math (if not default). Backend and device follow, unless they are the compared
 * fields. malloc'ed; NULL if there is no memory. */
char *comparison_row_problem(const struct comparison_row *row);

/* Sections of a comparison. A section has the rows of one family and problem: section s has the
 * rows order[starts[s]] to order[starts[s + 1] - 1]. Sections are in the order of their first
 * rows. */
struct comparison_sections {
	size_t *order, *starts; /* owned; NULL if there is no memory */
	size_t count;
};

struct comparison_sections comparison_sections_make(const struct comparison_document *document);
void comparison_sections_finish(struct comparison_sections *sections);

#define COMPARE_LETTER_BYTES 24

/* Short name of a side in tables and reasons: "base" and "new" if there are two sides, else "A",
 * "B", ... */
void compare_letter(size_t side, size_t side_count, char ret_letter[COMPARE_LETTER_BYTES]);

/* Returns the counter of a verdict. */
int64_t *verdict_counts_at(struct verdict_counts_record *counts, enum verdict verdict);

#endif
