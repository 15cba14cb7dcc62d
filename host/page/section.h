/*
 * Shared data of the page's sections: devices, rows and figures, made once from the comparison of all
 * files; and what several sections write.
 */
#ifndef PMPP_HOST_PAGE_SECTION_H
#define PMPP_HOST_PAGE_SECTION_H

#include "common/model/verdict.h"
#include "host/compare/compare.h"
#include "host/report/html.h"
#include "host/report/table.h"

/* ---- Data ------------------------------------------------------------------------------------ */

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
	size_t first, end;                 /* its rows have the indexes first to end - 1 */
	size_t first_problem, end_problem; /* its problems */
};

/* One family and size. */
struct page_problem {
	size_t family; /* index among the families */
	char *text;    /* "f32 m=n=k=2048" */
	const char *dtype;
	size_t first, end;               /* its rows */
	size_t timed[COMPARE_MAX_SIDES]; /* number of rows with a time, for each side */
};

/* A variant at one problem on one side. */
struct page_row {
	const struct comparison_row *compared;
	const struct cell_record *cell;
	const struct result_row *result; /* the run that the page shows */
	size_t side, problem;
	char *label; /* "tiled", or "tiled TILE=32" if the problem has it with several macro values */
	bool timed;
	bool fastest; /* main row that solves the problem of the family fastest on its device */
	/* The charts show this problem for the family and side. It is the problem with the most timed ladder
	 * rows of all sides; f16 only if there is no other type. A side has a ladder at a problem if it timed
	 * at least half as many variants there as at its best problem. A side without a ladder there shows
	 * its own best problem. */
	bool main;
	double rate;      /* the family's own figure, else GFLOP/s or GB/s; NAN: unknown */
	const char *unit; /* "GB/s" */
	bool less_is_better;
	double share; /* largest floor / time; NAN: unknown */
};

/* A variant on one device through two backends. */
struct page_pair {
	const struct page_row *row, *other; /* both have a time; OpenCL is first */
	double ratio;                       /* time of `row` / time of `other`; > 0 */
	double ci95[2];                     /* NAN: unknown */
	double tolerance;
	enum verdict verdict;   /* of `row`: SAME, FAST, SLOW or AMBG */
	enum record_truth bits; /* whether the results have identical bits */
	bool in_turn;           /* from a parity row: both were timed in turn */
};

struct page {
	const struct result_files *input;
	FILE *out;
	struct comparison_document comparison;
	struct page_side *sides;
	size_t side_count, device_count;
	struct page_family *families; /* in the order of the program; unknown families are last */
	size_t family_count;
	struct page_problem *problems; /* by family */
	size_t problem_count;
	struct page_row *rows; /* by problem, in ladder order, then by side */
	size_t row_count;
	struct page_pair *pairs; /* in the order of the rows */
	size_t pair_count;
	void *figures; /* of the charts: the JSON object of data.h */
	bool failed;   /* there was no memory */
};

/* Makes page->sides, rows and pairs from page->comparison. Returns false if there is no memory. */
bool page_fill(struct page *page);
void page_finish(struct page *page);

const char *page_family(const struct page *page, const struct page_row *row);

/* The number of a row's device, and the name of the device of a number. */
size_t page_device(const struct page *page, const struct page_row *row);
const char *page_device_name(const struct page *page, size_t device);

/* Counts the pairs of a device; near: only those whose ratio is within 5 %. */
size_t page_count_pairs(const struct page *page, size_t device, bool near);

/* Returns the name of the variant that the row improves; NULL: none, or the family is not known. */
const char *page_step_base(const struct page *page, const struct page_row *row);

/* Returns the verdict about the claim of a row with a time; CLAIM_NOT_APPLICABLE: there is none. */
enum claim_verdict page_claim(const struct page_row *row);

/* ---- Parts of the page ----------------------------------------------------------------------- */

/* The place of a chart, for html_format(): `draw` names the function of page.js, and the attributes are its
 * options: PAGE_CHART("sweep", " data-side=\"%zu\""). The script removes a chart that has nothing to show. */
#define PAGE_CHART(draw, options) \
	"<figure class=\"chart\" data-draw=\"" draw "\"" options "></figure>\n"

/* Adds a cell with a number above 0 and its unit; an empty cell if the number is unknown. */
void page_table_number(struct table *table, double value, const char *unit);

/* Writes the table, unless it has no rows, and frees it. folded: inside of a closed <details>. */
void page_put_table(struct page *page, struct table *table, const char *caption, bool folded);

/* Makes a table of the rows from first to end - 1 that the filter accepts, without empty columns. ladder:
 * charts link to these rows, which are of one family. */
typedef bool page_row_filter(const struct page_row *row);
void page_rows_table(struct page *page, struct table *table, size_t first, size_t end,
	page_row_filter *is_shown, bool ladder);

/* ---- Sections -------------------------------------------------------------------------------- */

/* Writes the content of a section to page->out; nothing if there is no data. */
typedef void section_fn(struct page *page);

section_fn section_overview;  /* the answer: devices and backends compared, or what limits */
section_fn section_ladders;   /* each family: chart and table of all variants */
section_fn section_rooflines; /* each side: every variant as a point, its floor marked */
section_fn section_parity;    /* OpenCL against another backend on each device, with intervals */
section_fn section_sweeps;    /* variants with several sizes; cache sizes marked */
section_fn section_claims;    /* which claim holds on which side */
section_fn section_explained; /* annotated sources */
section_fn section_skipped;   /* variants without a time, and the reasons */
section_fn section_devices;   /* the devices, their drivers and roofs; the files */

#endif
