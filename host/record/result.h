/*
 * Results: one row for each variant that ran, one row for each variant that was compared on two
 * backends, and their file (schema pmpp-result/1). The tables in result.c give units and meanings;
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
#include "host/record/peer.h"

/* ---- Parts of a row ------------------------------------------------------------------------ */

/* One step of a run: a launch (kernel, grid, block, shared_bytes), a fill (fill) or a call of a
 * library (function). Each kind has only its own keys. */
struct step_record {
	struct record record;
	char *kernel;
	int64_t grid[3], block[3]; /* grid in blocks, block in threads */
	int64_t shared_bytes;      /* dynamic shared memory per block */
	int64_t fill;              /* 32-bit pattern */
	char *function;            /* of a library; NULL: another kind of step */
};

struct step_list {
	struct step_record *items;
	size_t count;
};

struct build_record {
	struct record record;
	char *source_sha256, *code_sha256, *options, *math;
	double compile_ms;
	char *cache, *compiler;
	struct text_list warnings; /* warnings of the compiler about the kernel file */
};

/* Negative values are unknown. */
struct resources_record {
	struct record record;
	int64_t registers, shared_bytes, spill_bytes, max_block;
	int64_t sgprs, accvgprs; /* AMD; -1 = none, or unknown */
	char *source;            /* explain: device or compiler that reports them; else NULL */
};

struct work_record {
	struct record record;
	double flops, bytes_compulsory, bytes_issued; /* work of one run */
	int operations;                               /* enum operations: type of flops */
};

/* The largest floor of a run (common/model/floor.h). */
struct floor_record {
	struct record record;
	int resource; /* enum floor_resource */
	double ns;    /* time that the resource needs */
	double share; /* ns / median */
};

/* Figures from the primary median; NaN = unknown. */
struct derived_record {
	struct record record;
	double metric;     /* figure of the family */
	char *metric_name; /* NULL: the family has no such figure */
	double gflops, gbps, intensity, pct_roof;
	int limited_by; /* enum limited_by */
	struct floor_record floor;
	double step, total; /* speed-up over the base, over the first variant of the ladder */
	double step_ci95[2];
	enum record_truth step_paired; /* base and variant were timed in turn */
};

struct claim_record {
	struct record record;
	char *text;
	double expected, at_most; /* limits of the ratio; NaN = no limit */
	double observed;          /* time of the other variant / time of this variant */
	enum record_truth holds;
	double ci95[2];           /* interval of observed */
	enum record_truth paired; /* both variants were timed in turn */
	int verdict;              /* enum claim_verdict */
	char *reason;             /* why it is not meant for the device; NULL = it is */
};

/* Returns the verdict. If the file has no verdict, it follows from `holds`. */
enum claim_verdict claim_record_verdict(const struct claim_record *claim);

/* Runs of --repeat. The row has the times of the run with the middle median. */
struct repetitions_record {
	struct record record;
	struct timing_list runs; /* in order of time */
	double ci95[2]; /* interval of the time over the runs, in ns (common/model/repetition.h) */
	double half_width; /* half-width of ci95 / median */
	double noise_sd;   /* the floor of noise that was used */
};

/* ---- Rows ---------------------------------------------------------------------------------- */

struct result_row {
	struct record record;
	char *family, *variant, *technique, *backend;
	bool own_kernel; /* of the user (--kernel-dir), not of the project */
	char *device;    /* device_record.key of the device */
	char *dtype, *op, *data;
	struct named_list problem; /* sizes by dimension */
	int64_t seed;
	struct named_list macros;
	int64_t lanes;          /* value of the macro LANES; -1 = the kernel has none */
	struct text_list notes; /* assumptions */
	char *fallback; /* macros that a limit for blocks replaced, and the limit; NULL: none */
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
	char *peer;             /* library of a peer's row; NULL: a kernel of this project */
	struct peer_list peers; /* --peers: this row compared with libraries */
	struct claim_record claim;
	char *log;
	char *driver_text;
	struct error_record error; /* present if an error ended the row */
};

struct result_list {
	struct result_row *items;
	size_t count;
};

/* Ends a row whose variant has no result: sets the status and the reason, and marks the keys of a
 * variant that ran (launches, build, ... peer, derived) as absent. */
void result_row_end(struct result_row *row, enum outcome_status status, const char *reason);

/* Comparisons with other rows: step, step_ci95, step_paired, total, claim and peers.
 * result_row_drop_comparisons() makes them unknown and marks their keys as absent.
 * result_row_keep_comparisons() marks the keys as part of the row. */
void result_row_drop_comparisons(struct result_row *row);
void result_row_keep_comparisons(struct result_row *row);

/* Returns true if the problem does not fit in memory (PMPP_TOO_LARGE). */
bool result_row_is_too_large(const struct result_row *row);

/* The next five functions accept the rows of any file that record_read() reads. Impossible figures
 * are unknown: a time of 0 or less, a descending interval, a negative width. If `primary` is a word
 * of a newer version, all figures of the row are unknown. */

/* Returns the median of the primary samples in ns, finite and above 0; NaN: unknown, or no
 * samples. */
double result_row_median_ns(const struct result_row *row);

/* Returns the bits of enum timing_flag of a row; 0: it has no time. Without `throttled` if other programs
 * used the CPU: nearly all rows would have it, and device_state_load_text() says why. */
unsigned result_row_flags(const struct result_row *row);

/* Gets the medians of all runs (--repeat), or of the only run, in ns. Each is finite and above 0.
 * Returns their number: 0 if the row is not timed or if there is no memory. *ret_medians is
 * malloc'ed; NULL if the number is 0. */
size_t result_row_medians(const struct result_row *row, double **ret_medians);

/* Gets the 95 % interval in ns of the median, or of the time over several runs. The ends are
 * ascending, finite and above 0; both NaN: unknown. */
void result_row_interval_ns(const struct result_row *row, double ret_interval[2]);

/* Returns the half-width of this interval / median. For a row without an interval (timing contract
 * pmpp-timing/1) it is the notch. Finite and at least 0; NaN: unknown. */
double result_row_half_width(const struct result_row *row);

/* Returns the half-width of one run: of the middle run, if there are several. NaN: unknown. */
double result_row_run_half_width(const struct result_row *row);

/* Number of times that the PTX of each side has an instruction. */
struct instruction_record {
	struct record record;
	char *name;                 /* same as ptx_count.name (common/ptx.h) */
	struct integer_list counts; /* two, in the order of the backends */
};

struct instruction_list {
	struct instruction_record *items;
	size_t count;
};

/* PTX instructions of both sides. */
struct ptx_record {
	struct record record;
	struct integer_list totals;           /* two numbers of instructions; empty: not counted */
	struct instruction_list instructions; /* instructions with different counts, by name */
	char *reason;                         /* why there are no counts; NULL: there are */
};

/* Returns the floor of noise for the variant, problem and device of a row: the measured floor of
 * the variant, else of its family, else the default of the device type. device: NULL = unknown.
 * *ret_measured: true for a measured floor. */
struct noise_floor result_row_noise(
	const struct result_row *row, const struct device_record *device, bool *ret_measured);

/* Returns true if two rows have the same family, backend, device, type, operation, data and
 * problem. */
bool result_row_same_problem(const struct result_row *a, const struct result_row *b);

struct parity_row {
	struct record record;
	char *family, *variant, *device;
	struct text_list backends; /* two; ratio: time of the first / time of the second */
	bool same_device;
	struct named_list problem, macros;
	double ratio;
	double ci95[2];
	int verdict; /* enum parity_verdict */
	enum record_truth bit_identical;
	int64_t n;             /* number of samples of each side */
	double round_ratio;    /* median of the ratios of the rounds; ci95 is its interval */
	double tolerance;      /* largest distance from 1 that counts as the same speed */
	struct ptx_record ptx; /* present if the row is timed and not SAME */
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
	char *fleet;         /* NULL = no fleet */
	int64_t rank, ranks; /* rank and ranks of a fleet; -1 = no fleet */
	bool interrupted;    /* the run ended early: rows are missing */
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

/* Adds a copy of the device. If the document has the device already (same key), adds its views. */
enum pmpp_status result_document_add_device(struct result_document *document,
	const struct device_record *device, struct pmpp_error *error);

#endif
