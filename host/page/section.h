/*
 * Shared data of the page's sections: devices (sides.h), rows (model.h) and figures (data.h), made once
 * from the comparison of all files; and what several sections write.
 */
#ifndef PMPP_HOST_PAGE_SECTION_H
#define PMPP_HOST_PAGE_SECTION_H

#include "host/page/input.h"
#include "host/report/html.h"
#include "host/report/table.h"

/* One device through one backend. It has the same index as in page->comparison.sides. */
struct page_side {
	char *name;        /* "NVIDIA H200, CUDA"; unique */
	char *device_name; /* "NVIDIA H200"; with a number if two devices have the same name */
	char *identity;    /* of the device */
	size_t device;     /* equal on all sides of the device; the devices are numbered from 0 */
	const char *backend, *backend_name; /* "cuda", "CUDA" */
	const struct device_record *record; /* NULL: no file describes the device */
	const struct view_record *view;     /* through this backend; NULL: the file has none */
	const struct roofs_record *roofs;   /* of the view, else of the device; NULL: unknown */
};

struct page_family {
	const char *name;
	size_t first, end; /* indexes of its problems: from first to end - 1 */
};

/* The rows of one family and size. */
struct page_problem {
	size_t family; /* index among the families */
	char *text;    /* "f32 m=n=k=2048" */
	size_t first, count;
};

/* A variant at one problem on one side. */
struct page_row {
	const struct comparison_row *compared;
	const struct cell_record *cell;
	const struct result_row *result; /* the run that the page shows */
	size_t side, problem;
	char *label; /* "tiled", or "tiled TILE=32" if the problem has it with several macro values */
	bool timed;
	/* The problem is the one that the charts show for this family and side: the problem at which
	 * most sides have their ladder (at least half of the variants of their largest one), in f16
	 * only if there is no other. A side without a ladder there has its own. */
	bool main;
	double rate;      /* the family's own figure, else GFLOP/s or GB/s; NAN: unknown */
	const char *unit; /* "GB/s" */
	bool less_is_better;
	double share; /* largest floor / time; NAN: unknown */
};

struct page {
	const struct page_input *input;
	FILE *out;
	struct comparison_document comparison;
	struct page_side *sides;
	size_t side_count, device_count;
	struct page_family *families; /* in the order of the files */
	size_t family_count;
	struct page_problem *problems; /* by family */
	size_t problem_count;
	struct page_row *rows; /* by problem, in ladder order, then by side */
	size_t row_count;
	struct parity_pairs *pairs; /* parity.h */
	void *figures;              /* of the charts: the JSON object of data.h */
	bool failed;                /* there was no memory */
};

/* Returns the end of the rows of a family: the rows have the indexes *ret_first to end - 1. */
size_t page_family_rows(const struct page *page, size_t family, size_t *ret_first);

/* The family of a row. */
const char *page_family(const struct page *page, const struct page_row *row);

/* Returns the fastest row that solves the family's problem at full precision
 * (variant_solves_family()), among the main rows of a family on a device; NULL: none. */
const struct page_row *page_fastest(const struct page *page, size_t family, size_t device);

/* Returns the name of the run, or the name of the file without folders. */
const char *page_file_name(const struct compared_file *file);

/* Returns the name of the device of number `device`. */
const char *page_device_name(const struct page *page, size_t device);

/* Writes a heading for a part of a section: the name of a device or side. */
void page_heading(struct page *page, const char *name);

/* Writes the place of a chart: `draw` names the function of page.js. Its two options have names and
 * numbers; NULL: none. */
void page_chart(struct page *page, const char *draw, const char *first, size_t first_value,
	const char *second, size_t second_value);

/* A closed <details> around a table. */
void page_table_begin(struct page *page, const char *summary);
void page_table_end(struct page *page);

/* Begins a table row that links can point to: #rNUMBER, the number of the row. */
void page_table_row(struct page *page, struct table *table, const struct page_row *row);

/* Adds a cell with a number above 0 and its unit; an empty cell if the number is unknown. */
void page_table_number(struct table *table, double value, const char *unit);

/* Writes the table and frees it. */
void page_put_table(struct page *page, struct table *table, const char *caption);

/* "throttled, noisy"; "" without flags. */
#define PAGE_FLAGS_BYTES 128
void page_format_flags(unsigned flags, char ret_text[PAGE_FLAGS_BYTES]);

/* Return the variants with which the step and the claim of a row compare; NULL: none, or unknown. */
const char *page_step_base(const struct page *page, const struct page_row *row);
const char *page_claim_base(const struct page *page, const struct page_row *row);

/* Writes "5.591 [5.584, 5.594] x of naive". Leaves out what is unknown: the interval, the variant, or
 * all: "". */
#define PAGE_CLAIM_BYTES 200
void page_format_claim(
	const struct page *page, const struct page_row *row, char ret_text[PAGE_CLAIM_BYTES]);

#endif
