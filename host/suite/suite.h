/*
 * The suite: proves a variant right on a device, then times it (design: verification gates speed).
 *
 * A suite is a session on one open device. It keeps what variants share: compiled programs, inputs
 * and references of the current problem, the device's calibration and roofs.
 */
#ifndef PMPP_HOST_SUITE_SUITE_H
#define PMPP_HOST_SUITE_SUITE_H

#include "common/family.h"
#include "common/model/outcome.h"
#include "common/model/parity.h"
#include "common/model/trace.h"
#include "common/stats.h"
#include "host/gpu/gpu.h"
#include "host/record/measurement.h"

/* ---- Options ------------------------------------------------------------------------------- */

/* A stage of long work, for the progress line. */
typedef void suite_progress_fn(void *context, const char *text);

struct suite_options {
	enum gpu_math math;
	const char *kernel_dir; /* root to read kernels from; NULL: embedded */
	bool traced;            /* cuda-emu: also the instrumented build with exact bounds */
	bool unguarded;         /* no guards beside operands: the engine itself knows their ends */
	bool flush;             /* flush the last-level cache before cold samples (default) */
	double min_time_ms;     /* sample at least this long, all samples together */
	size_t min_samples;     /* default 10 (3 where one run takes over 1 s) */
	size_t max_samples;
	suite_progress_fn *progress; /* may be NULL */
	void *progress_context;
	/* DATA_USER: host arrays by rows, beside family->operands; NULL where there is none. The
	 * caller owns them. */
	const void *user_inputs[PMPP_MAX_OPERANDS];
};

/* min_time 50 ms, 10 to 200 samples, flush on. */
#define SUITE_OPTIONS_DEFAULT    \
	((struct suite_options){ \
		.flush = true, .min_time_ms = 50, .min_samples = 10, .max_samples = 200})

struct suite;

/* Sets POCL_AFFINITY=1 (unless set). PoCL reads it when its devices are first asked for: a command
 * that times calls this before gpu_enumerate(). suite_open() does so too, for one that did not. */
void suite_set_environment(void);

enum pmpp_status suite_open(const struct gpu_device_info *info, const struct suite_options *options,
	struct suite **ret_suite, struct pmpp_error *error);
void suite_close(struct suite **suite); /* NULL is allowed */

/* The device it is open on; valid as long as the suite. */
const struct gpu_device_info *suite_device(const struct suite *suite);

/* GPU, CPU or emulated: which default size a device gets. */
enum device_class suite_device_class(const struct gpu_device_info *info);

/* ---- Outcome of one variant ---------------------------------------------------------------- */

struct verify_result {
	bool done;
	char coverage[96];   /* "all elements", "8 rows and 8 columns; all on integers" */
	double max_ratio;    /* largest error as a fraction of its bound; infinity on NaN */
	uint64_t nan;        /* non-finite or unwritten elements of those looked at */
	uint64_t mismatches; /* elements beyond their bound, nan included */
	int64_t first_row, first_column; /* of the first mismatch; -1 = none */
	double first_got;
	double first_want;
	bool canary_ok; /* guards of every operand are untouched */
	bool inputs_intact;
	/* Of the output's bits, by rows: SHA-256 of the SHA-256 digests of its pieces of 1 MiB.
	 * "" before a run. */
	char output_sha256[65];
};

/* true when the answer passed in every respect. */
bool verify_passed(const struct verify_result *result);

/* "below_resolution", ...; for one bit. */
const char *timing_flag_name(enum timing_flag flag);
#define TIMING_FLAG_COUNT 5

struct sample_set {
	double *ns; /* owned; in the order taken */
	struct stats stats;
};

/* Contract pmpp-timing/1: docs/measuring.md. Times of one run, in ns. */
struct timing {
	bool done;
	char reason[128];       /* why there is none ("emulated: ...") */
	struct sample_set cold; /* device interval, cache flushed before */
	struct sample_set hot;  /* device interval of a batch over its length */
	struct sample_set host; /* host clock around launch + finish */
	bool primary_is_hot;
	unsigned flags;
};

/* The samples that stand for the variant (cold, or hot where that is primary). */
const struct sample_set *timing_primary(const struct timing *timing);

struct outcome {
	enum outcome_status status;
	char reason[600];
	char *log; /* compiler log of a build error; owned */

	struct config config;
	struct problem problem;
	struct plan plan;

	char source_sha256[65];
	char options[512];
	enum gpu_math math;
	double compile_ms;
	enum gpu_cache_outcome cache;
	struct gpu_kernel_resources resources;                      /* of the first launch */
	struct gpu_kernel_resources step_resources[PMPP_MAX_STEPS]; /* beside plan.steps */

	struct verify_result verify;
	struct timing timing;

	double flops, bytes_compulsory, bytes_issued;
	/* Of the primary median; NAN where untimed or the roof is unknown. */
	double gflops, gbps, intensity, fraction_of_roof;
	double metric; /* family->metric; NAN where it has none */
	enum limited_by limited_by;
};

void outcome_finish(struct outcome *outcome); /* frees what it owns */

/* ---- Kernel files: what a compiler gets of a variant --------------------------------------- */

#define KERNEL_NAME_BYTES 128

struct kernel_file {
	char name[KERNEL_NAME_BYTES]; /* "matmul/tiled.cu" */
	char *source;                 /* owned */
	/* The config's, then the problem's choices, whose names lie in choices: do not copy. */
	struct gpu_macro macros[PMPP_MAX_MACROS + PMPP_CHOICE_MACROS];
	size_t macro_count;
	struct choice_macros choices;
};

/* The file that a backend compiles, read below root where that is not NULL. PMPP_USAGE when it
 * cannot be read. */
enum pmpp_status kernel_file_load(const struct config *config, const struct problem *problem,
	enum gpu_backend_id backend, const char *root, struct kernel_file *ret_file,
	struct pmpp_error *error);
void kernel_file_finish(struct kernel_file *file);

/* ---- Running ------------------------------------------------------------------------------- */

enum suite_action {
	SUITE_VERIFY = 1 << 0,
	SUITE_TIME = 1 << 1 /* implies SUITE_VERIFY: nothing is timed that did not pass */
};

/*
 * Verifies and, if asked, times one variant. What is wrong with the variant itself (does not build,
 * fails, crashes the emulator, cannot run here) goes into *ret_outcome with PMPP_OK. The function
 * fails only for what concerns the whole problem or device: PMPP_USAGE when the problem does not
 * fit in memory (message: how much is needed, how much there is), PMPP_OUT_OF_MEMORY on the host,
 * PMPP_UNAVAILABLE when the device is lost. ret_outcome is finished by the caller either way.
 */
enum pmpp_status suite_run(struct suite *suite, const struct config *config,
	const struct problem *problem, unsigned actions, struct outcome *ret_outcome,
	struct pmpp_error *error);

/* ---- Tracing ------------------------------------------------------------------------------- */

enum trace_blocks {
	TRACE_BLOCKS_AUTO, /* all where that is quick, else first, middle and last */
	TRACE_BLOCKS_ALL,
	TRACE_BLOCKS_LISTED
};

struct trace_request {
	enum trace_blocks blocks;
	const uint64_t *numbers; /* TRACE_BLOCKS_LISTED: x fastest; ascending; not owned */
	size_t number_count;
	uint64_t step_limit; /* basic blocks that the lanes of a launch may enter; 0: the default */
};

/* Beside plan.steps; fills have an empty trace. */
struct suite_trace {
	struct plan plan;
	struct trace traces[PMPP_MAX_STEPS];
	char reason[400]; /* why there is no trace: one-sided, inline PTX; "" = there is */
};

void suite_trace_finish(struct suite_trace *trace);

/* Runs the variant's launches on the emulator's traced build, the warps in lockstep. suite is one
 * on cuda-emu. A defect ends its launch and stands in the trace; what the emulator cannot run is a
 * reason, with PMPP_OK. Fails as suite_run; PMPP_USAGE also for a block that is not in the grid. */
enum pmpp_status suite_trace(struct suite *suite, const struct config *config,
	const struct problem *problem, const struct trace_request *request,
	struct suite_trace *ret_trace, struct pmpp_error *error);

/* Output of the last verified run, by rows, of the output operand's type, valid until the next
 * call; NULL when there is none. */
const void *suite_output(struct suite *suite, int64_t *ret_rows, int64_t *ret_columns);

/* The largest `work` (family->work) that verify's large check may have on this device: 4096^3 on a
 * GPU, 2^26 on PoCL, 2^24 emulated, 2^21 traced and on other CPU OpenCL, 2^18 on Oclgrind. */
double suite_work_budget(const struct gpu_device_info *info, bool traced);

/* ---- Roofs and calibration ----------------------------------------------------------------- */

struct roofs {
	double copy_gbps, read_gbps, fma_gflops, shared_gbps, h2d_gbps, d2h_gbps; /* NAN: unknown */
	double age_s; /* since measured; 0 = now */
};

/* Measured once per device and driver, kept in the cache directory; force measures again. All NAN
 * for emulated devices. */
enum pmpp_status suite_roofs(
	struct suite *suite, bool force, struct roofs *ret_roofs, struct pmpp_error *error);

struct calibration {
	double empty_launch_ns;     /* device interval of an empty kernel, median */
	double host_launch_ns;      /* host clock around launch + finish of it, median */
	double timer_resolution_ns; /* smallest step seen between device intervals */
	bool device_timer_ok;       /* sanity on both sides, host clock is used otherwise */
	char reason[160];           /* why not ok */
};

enum pmpp_status suite_calibration(
	struct suite *suite, struct calibration *ret_calibration, struct pmpp_error *error);

/* ---- Parity -------------------------------------------------------------------------------- */

struct parity_result {
	bool timed;         /* false: no common device, or a side did not pass */
	double ratio;       /* median(a) / median(b); a is OpenCL, b CUDA */
	double interval[2]; /* bootstrap 95 % */
	enum parity_verdict verdict;
	bool bit_identical;
	size_t n;            /* samples a side */
	struct outcome a, b; /* finished by parity_result_finish */
};

void parity_result_finish(struct parity_result *result);

/* Verifies on both, compares the output bits, and, when the two are one physical device (UUID, else
 * PCI address), times them in turn, A B A B. Fails as suite_run. */
enum pmpp_status suite_parity(struct suite *a, struct suite *b, const struct config *config,
	const struct problem *problem, double tolerance, struct parity_result *ret_result,
	struct pmpp_error *error);

/* Joined by UUID, else PCI address. */
bool suite_same_device(const struct gpu_device_info *a, const struct gpu_device_info *b);

#endif
