/*
 * Results: one row for each variant that ran, one for each pair of backends that was compared, and
 * the file that holds them (schema pmpp-result/1). The tables in result.c give units and meanings;
 * docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_RESULT_H
#define PMPP_HOST_RECORD_RESULT_H

#include "common/model/claim.h"
#include "common/model/limit.h"
#include "common/model/outcome.h"
#include "common/model/parity.h"
#include "common/operations.h"
#include "host/record/error.h"
#include "host/record/measurement.h"

/* ---- Parts of a row ------------------------------------------------------------------------ */

/* One step of a run: a launch (kernel, grid, block, shared_bytes) or a fill (fill). The keys of the
 * other kind are absent. */
struct step_record {
	struct record record;
	char *kernel;
	int64_t grid[3], block[3]; /* blocks; threads */
	int64_t shared_bytes;      /* dynamic */
	int64_t fill;              /* the 32-bit pattern */
};

struct step_list {
	struct step_record *items;
	size_t count;
};

struct build_record {
	struct record record;
	char *source_sha256, *options, *math;
	double compile_ms;
	char *cache, *compiler;
	struct text_list warnings; /* the compiler's, about the kernel file */
};

/* A negative value is unknown. */
struct resources_record {
	struct record record;
	int64_t registers, shared_bytes, spill_bytes, max_block;
	char *source; /* explain: the device or the compiler that reports them; NULL elsewhere */
};

struct work_record {
	struct record record;
	double flops, bytes_compulsory, bytes_issued; /* of one run */
	int operations;                               /* enum operations: the type of flops */
};

/* The largest floor of a run (common/model/floor.h). */
struct floor_record {
	struct record record;
	int resource; /* enum floor_resource */
	double ns;    /* the time that the resource needs */
	double share; /* of the median */
};

/* Figures from the primary median; NaN = unknown. */
struct derived_record {
	struct record record;
	double metric;     /* the family's own figure */
	char *metric_name; /* NULL: the family has none */
	double gflops, gbps, intensity, pct_roof;
	int limited_by; /* enum limited_by */
	struct floor_record floor;
	double step, total; /* gain over the base variant, and over the ladder's first */
	double step_ci95[2];
	enum record_truth step_paired; /* the base was timed in turn with this variant */
};

struct claim_record {
	struct record record;
	char *text;
	double expected, at_most; /* the ratio's limits; NaN = no such limit */
	double observed;          /* time of the other variant over this one's */
	enum record_truth holds;
	double ci95[2];           /* of observed */
	enum record_truth paired; /* as step_paired */
	int verdict;              /* enum claim_verdict */
};

/* The verdict. If a file has none, it follows from `holds`. */
enum claim_verdict claim_record_verdict(const struct claim_record *claim);

/* The runs of --repeat. The row itself is that of the middle run. */
struct repetitions_record {
	struct record record;
	struct timing_list runs; /* in order */
	double ci95[2];          /* of the time, over the runs, in ns (common/model/repetition.h) */
	double half_width;       /* of ci95, as a fraction of the median */
	double noise_sd;         /* the floor of noise that was used */
};

/* ---- Rows ---------------------------------------------------------------------------------- */

struct result_row {
	struct record record;
	char *family, *variant, *technique, *backend;
	char *device; /* device_record.key */
	char *dtype, *op, *data;
	struct named_list problem; /* by dimension */
	int64_t seed;
	struct named_list macros;
	char *repro;
	int status; /* enum outcome_status */
	char *reason;
	struct step_list launches;
	struct build_record build;
	struct resources_record resources;
	struct verify_record verify;
	struct timing_record timing;
	struct repetitions_record repetitions; /* not present: one run */
	struct device_state_record device_state;
	struct work_record work;
	struct derived_record derived;
	char *peer;
	struct claim_record claim;
	char *log;
	struct error_record error; /* present where an error ended the row */
};

struct result_list {
	struct result_row *items;
	size_t count;
};

/* Ends a row without an outcome: sets the status and the reason, and marks the keys of a variant
 * that ran (launches, build, ... peer, derived) as absent. */
void result_row_end(struct result_row *row, enum outcome_status status, const char *reason);

/* Comparisons with other rows: step, step_ci95, step_paired, total and claim. The first function
 * makes them unknown and leaves their keys out of the row. The second one makes the keys part of
 * the row. */
void result_row_drop_comparisons(struct result_row *row);
void result_row_keep_comparisons(struct result_row *row);

/* Whether the problem does not fit in memory (PMPP_TOO_LARGE). */
bool result_row_is_too_large(const struct result_row *row);

/* The four functions below accept the rows of any file that record_read reads. An impossible figure
 * is unknown: a time of 0 or less, an interval that descends, a negative width. All figures of a
 * row are unknown if its `primary` is a word of a newer version. */

/* Median of the primary samples in ns, finite and above 0; NaN: unknown, or no samples. */
double result_row_median_ns(const struct result_row *row);

/* The medians of all runs (--repeat), or of the only run, in ns, each finite and above 0. Returns
 * their number, 0 if the row is not timed. *ret_medians is malloc'ed; NULL for 0 or for lack of
 * memory. */
size_t result_row_medians(const struct result_row *row, double **ret_medians);

/* 95 % interval of that median in ns, ascending, finite and above 0, over the runs if there are
 * several; both NaN: unknown. */
void result_row_interval_ns(const struct result_row *row, double ret_interval[2]);

/* Half-width of that interval / median. For a row without an interval (timing contract
 * pmpp-timing/1) it is the notch. Finite and at least 0; NaN: unknown. */
double result_row_half_width(const struct result_row *row);

/* The half-width of one run: that of the middle run if there are several. NaN: unknown. */
double result_row_run_half_width(const struct result_row *row);

/* How often the PTX of each side has an instruction. */
struct instruction_record {
	struct record record;
	char *name;                 /* as ptx_count.name (common/ptx.h) */
	struct integer_list counts; /* two, in the order of the backends */
};

struct instruction_list {
	struct instruction_record *items;
	size_t count;
};

/* The PTX of both sides, compared. */
struct ptx_record {
	struct record record;
	struct integer_list totals;           /* two: all instructions; empty: not counted */
	struct instruction_list instructions; /* counts differ; by name */
	char *reason;                         /* why nothing is counted; NULL: it is */
};

/* The floor of noise of the row's variant and problem on its device: measured, else that of the
 * family, else the default of the device's type. device: NULL = unknown. *ret_measured: it was
 * measured. */
struct noise_floor result_row_noise(
	const struct result_row *row, const struct device_record *device, bool *ret_measured);

/* Whether two rows have the same family, backend, device, type, operation, data and problem. */
bool result_row_same_problem(const struct result_row *a, const struct result_row *b);

struct parity_row {
	struct record record;
	char *family, *variant, *device;
	struct text_list backends; /* two: the ratio is the first one's time over the second's */
	bool same_device;
	struct named_list problem, macros;
	double ratio;
	double ci95[2];
	int verdict; /* enum parity_verdict */
	enum record_truth bit_identical;
	int64_t n;             /* samples of each side */
	double round_ratio;    /* median of the ratios of rounds; ci95 is its interval */
	double tolerance;      /* what the verdict allowed */
	struct ptx_record ptx; /* only if the row is timed and not SAME */
};

struct parity_list {
	struct parity_row *items;
	size_t count;
};

/* ---- Files --------------------------------------------------------------------------------- */

struct tool_record {
	struct record record;
	char *name, *version, *git, *compiler;
	struct text_list argv;
};

struct run_record {
	struct record record;
	char *id, *started_utc, *host_id, *label;
	int64_t rank, ranks; /* of a fleet; -1 = the run is in no fleet */
};

struct host_record {
	struct record record;
	char *cpu;
	int64_t cores, memory_bytes;
	char *system, *kernel, *machine;
};

/* A file of the schema pmpp-result/1. */
struct result_document {
	struct record record;
	char *schema;
	struct tool_record tool;
	struct run_record run;
	struct host_record host;
	struct device_list devices;
	struct result_list results;
	struct parity_list parity;
};

#define RESULT_SCHEMA "pmpp-result/1"

extern const struct record_type step_type, resources_type, result_row_type, parity_row_type,
	instruction_type, ptx_type, tool_type, run_type, host_type, claim_type, derived_type,
	floor_type, result_document_type;

/* Adds a copy of the device, or its views to the device of the same key. */
enum pmpp_status result_document_add_device(struct result_document *document,
	const struct device_record *device, struct pmpp_error *error);

#endif
