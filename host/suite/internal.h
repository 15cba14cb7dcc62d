/*
 * Inside the suite. Modules, lower ones first; each uses only those above it:
 *
 *   parallel    a loop over host threads
 *   inputs      host arrays of the inputs, by rows
 *   programs    compiled programs and kernels of the session
 *   layout      how an operand lies on the device
 *   operands    the problem's operands on the device: guards, poison, upload, checks
 *   launch      a plan bound to kernels and operands: one run; intervals around it
 *   reference   the right answer, shared by the variants of a problem
 *   verify      runs a variant and judges what it wrote
 *   calibrate   what the device's timer is worth
 *   probe       is the device as fast as it was?
 *   timing      contract pmpp-timing/1
 *   roofs       the device's measured limits
 *   derive      figures of an outcome
 *   suite       suite_run: the above in their order
 *   parity      two suites in turn
 *   trace       a variant's launches watched, on the emulator
 */
#ifndef PMPP_HOST_SUITE_INTERNAL_H
#define PMPP_HOST_SUITE_INTERNAL_H

#include "host/suite/suite.h"

#define OUTPUT_POISON 0x7fc0deadu /* a NaN: what an output holds before it is written */
#define GUARD_INPUT 0x7fc0cafeu   /* another: a load out of bounds makes the answer a NaN */
/* About 1.2: no NaN, since a NaN loaded out of bounds could be the very one stored there, and
 * adding to a NaN leaves it as it is. */
#define GUARD_OUTPUT 0x3f9dcafeu

/* Below this work the reference is computed for every element. */
#define FULL_REFERENCE_WORK 0x1p28

/* ---- parallel.c ---------------------------------------------------------------------------- */

typedef void parallel_fn(void *context, size_t index);

/* body(context, 0 .. count - 1), in any order, on as many threads as there are CPUs. */
void parallel_for(size_t count, parallel_fn *body, void *context);

size_t parallel_threads(void);

/* ---- inputs.c ------------------------------------------------------------------------------ */

struct input_slot {
	void *values;
	uint64_t bytes;
	struct problem problem; /* whose data it holds; family NULL = none */
};

/* One array an operand and kind of data: variants of a problem share them. */
struct inputs {
	struct input_slot random[PMPP_MAX_OPERANDS];
	struct input_slot integer[PMPP_MAX_OPERANDS];
};

/* Largest |element| of DATA_INTEGER inputs of the problem; 0: f32 would not be exact. */
int64_t inputs_integer_limit(const struct problem *problem);

/* Host arrays beside the family's operands (NULL for outputs), rounded as the problem says, valid
 * until the next call for another problem. */
enum pmpp_status inputs_get(struct suite *suite, const struct problem *problem,
	const void *ret_arrays[PMPP_MAX_OPERANDS], struct pmpp_error *error);
void inputs_finish(struct inputs *inputs);

/* ---- programs.c ---------------------------------------------------------------------------- */

struct program_entry {
	struct program_entry *next;
	char key[512]; /* file, macros and what else decides the binary */
	char source_sha256[65];
	struct gpu_program *program;
	struct gpu_kernel *kernels[PMPP_MAX_STEPS];
	size_t kernel_count;
};

enum pmpp_status programs_get(struct suite *suite, const struct config *config,
	const struct problem *problem, bool traced, struct program_entry **ret_entry,
	struct pmpp_error *error);
enum pmpp_status programs_kernel(struct program_entry *entry, const char *name,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error);
void programs_finish(struct program_entry **programs);

/* ---- layout.c ------------------------------------------------------------------------------ */

struct layout {
	int64_t rows, columns; /* on the host, by rows */
	bool by_columns;       /* on the device: lines are columns */
	int64_t lines, line;   /* on the device: how many, elements of each */
	int64_t pitch;         /* elements from one line to the next */
	enum dtype host, device;
};

struct layout layout_of(const struct config *config, const struct problem *problem, size_t operand);
bool layout_equal(const struct layout *a, const struct layout *b);

/* On the device; UINT64_MAX when that overflows. */
uint64_t layout_bytes(const struct layout *layout);

/* true: the host's bytes are the device's. */
bool layout_is_direct(const struct layout *layout);

/* Some lines between the host's array and their place of lines * pitch elements on the device. */
void layout_pack(const struct layout *layout, const void *array, int64_t first_line, int64_t lines,
	void *ret_staging);
void layout_unpack(const struct layout *layout, const void *staging, int64_t first_line,
	int64_t lines, void *ret_array);

/* ---- operands.c ---------------------------------------------------------------------------- */

#define MOST_BUFFERS (PMPP_MAX_OPERANDS + PMPP_MAX_SCRATCH)

/* What an input's buffer holds; an upload of the same again is left out. */
struct operand_content {
	bool known;
	struct problem problem;
	struct layout layout;
};

struct operands {
	const struct family *family; /* NULL = none */
	struct layout layouts[PMPP_MAX_OPERANDS];
	uint64_t guard_bytes;
	struct gpu_buffer *buffers[MOST_BUFFERS]; /* operands; scratch from PMPP_MAX_OPERANDS on */
	struct operand_content content[PMPP_MAX_OPERANDS];
	bool guards_known;
	void *staging[2]; /* STAGING_BYTES or one line of an operand, the larger */
	uint64_t staging_bytes;
};

/* PMPP_USAGE with both figures when the problem's operands do not fit on the device, or what the
 * suite keeps of it does not fit on the host. Overflow-safe, allocates nothing. */
enum pmpp_status operands_check_memory(const struct gpu_device_info *info,
	const struct config *config, const struct problem *problem, struct pmpp_error *error);

/* Buffers for the problem as the variant wants them; those that fit already are kept. */
enum pmpp_status operands_create(struct suite *suite, const struct config *config,
	const struct problem *problem, struct pmpp_error *error);
void operands_finish(struct operands *operands);

/* Inputs from the host, guards. */
enum pmpp_status operands_upload(
	struct suite *suite, const struct problem *problem, struct pmpp_error *error);

/* Queues the poison over the output, and over the scratch buffers if asked. */
enum pmpp_status operands_poison(struct suite *suite, bool scratch, struct pmpp_error *error);

/* The output, by rows. */
enum pmpp_status operands_read_output(
	struct suite *suite, void *ret_output, struct pmpp_error *error);

/* The guards of every buffer hold their pattern. */
enum pmpp_status operands_check_guards(
	struct suite *suite, bool *ret_intact, struct pmpp_error *error);

/* The inputs on the device are those of the last upload. */
enum pmpp_status operands_check_inputs(struct suite *suite, const struct problem *problem,
	bool *ret_intact, struct pmpp_error *error);

/* After a failed launch: nothing on the device is known any more. */
void operands_forget(struct operands *operands);

/* ---- launch.c ------------------------------------------------------------------------------ */

/* A plan with kernels and operands. Points into itself: not to be copied. */
struct bound_launch {
	struct gpu_kernel *kernel;
	struct gpu_launch launch; /* its args are those below */
	struct gpu_arg args[PMPP_MAX_ARGS];
};

struct bound_fill {
	struct gpu_buffer *buffer;
	uint32_t pattern;
};

struct bound_step {
	enum plan_step_kind kind;
	union {
		struct bound_launch launch;
		struct bound_fill fill;
	} as;
};

/* Points into itself: do not copy. */
struct bound_run {
	size_t step_count;
	struct bound_step steps[PMPP_MAX_STEPS]; /* beside the plan's */
};

/* buffers: beside the family's operands; scratch from PMPP_MAX_OPERANDS on. */
enum pmpp_status launch_bind(struct program_entry *entry, const struct plan *plan,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error);

/* Queues one launch or fill. */
enum pmpp_status launch_step(const struct bound_step *step, struct pmpp_error *error);

/* Queues the run's launches and fills. */
enum pmpp_status launch_run(const struct bound_run *run, struct pmpp_error *error);

struct interval {
	double device_ns; /* for all runs of the batch; the host's where the timer is not trusted */
	double host_ns;   /* NAN when not settled */
};

/* batch runs inside one interval. settled: waits for earlier work first, and the host clock is read
 * too; otherwise what was queued before hides the time it takes to submit. */
enum pmpp_status launch_interval(struct suite *suite, const struct bound_run *run, size_t batch,
	bool settled, struct interval *ret_interval, struct pmpp_error *error);

double host_clock_ns(void);

/* ---- reference.c --------------------------------------------------------------------------- */

/* A region and the answer there, by rows; NULL where it is computed on the fly. */
struct reference_part {
	struct region region;
	struct expected *expected;
};

struct reference {
	struct problem problem;        /* family NULL = none */
	const struct variant *variant; /* for which it was computed */
	bool sampled;
	size_t row_count, column_count; /* when sampled */
	struct reference_part *parts;
	size_t part_count;
};

/* The suite's reference for the variant and the problem; kept when it is that already. */
enum pmpp_status reference_get(struct suite *suite, const struct variant *variant,
	const struct problem *problem, const void *const *inputs,
	const struct reference **ret_reference, struct pmpp_error *error);
void reference_finish(struct reference *reference);

/* Whether the problem's reference is of sampled rows and columns only. */
bool reference_is_sampled(const struct problem *problem);

/* The variant's answer for one region: its own, or the family's. */
void reference_region(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected);

/* The answer at one element; NAN for lack of memory. */
double reference_element(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, int64_t row, int64_t column);

/* ---- verify.c ------------------------------------------------------------------------------ */

/* Fills in outcome->verify, and outcome->status and reason when the answer is wrong. The device
 * then holds the problem's inputs, and suite->output the output. */
enum pmpp_status verify_run(struct suite *suite, const struct bound_run *run,
	struct outcome *outcome, struct pmpp_error *error);

/* Judges what the last timed run left; FAILED when that is not as good as what was verified. */
enum pmpp_status verify_again(
	struct suite *suite, struct outcome *outcome, struct pmpp_error *error);

/* ---- probe.c ------------------------------------------------------------------------------- */

/* The known work: the FMA roof's kernel on operands of its own. */
struct probe {
	bool ready;
	struct gpu_buffer *buffers[2];
	struct bound_run run;
	double best_ns; /* of the session */
};

/* Runs it once; ret_slow: clearly slower than the best of the session. */
enum pmpp_status probe_run(struct suite *suite, bool *ret_slow, struct pmpp_error *error);
void probe_finish(struct probe *probe);

/* Makes the probe ready (calibration uses it too). */
enum pmpp_status probe_prepare(struct suite *suite, struct pmpp_error *error);

/* ---- timing.c ------------------------------------------------------------------------------ */

/* One variant, verified, its operands on the device. */
struct timed_run {
	struct suite *suite;
	const struct bound_run *run;
	struct timing *timing;
	double run_ns; /* about how long one takes */
	size_t batch;  /* runs of a hot sample */
};

/* Times count runs in turn (A B A B); suites must differ. Fills in their timings. */
enum pmpp_status timing_run(struct timed_run *runs, size_t count, struct pmpp_error *error);
void timing_finish(struct timing *timing);

/* ---- roofs.c ------------------------------------------------------------------------------- */

/* Sizes of a roof on this device; false when it has no such roof. role: "copy", "read", "fma",
 * "shared". */
bool roofs_problem(const struct gpu_device_info *info, const char *role,
	const struct variant **ret_variant, struct problem *ret_problem);

/* Every figure NAN. */
struct roofs roofs_unknown(void);

/* ---- derive.c ------------------------------------------------------------------------------ */

/* Rates, share of the roof and limit of a timed outcome; NAN and NULL where unknown. */
void derive_figures(struct outcome *outcome, const struct suite *suite);

/* ---- suite.c ------------------------------------------------------------------------------- */

struct suite {
	struct gpu_device *device;
	struct suite_options options;
	bool lost; /* the device answers no more */

	struct inputs inputs;
	struct program_entry *programs;
	struct operands operands;
	struct reference reference;
	struct probe probe;

	struct gpu_buffer *flush; /* written before cold samples; NULL until needed */
	bool flush_failed;        /* there is no memory for it */

	void *output; /* of the last verified run, by rows */
	void *again;  /* and of the one read after timing */
	enum dtype output_dtype;
	uint64_t output_bytes;
	int64_t output_rows, output_columns; /* 0 = no output to show */

	bool calibrated, roofs_known;
	struct calibration calibration;
	struct roofs roofs;
};

/* An outcome that owns nothing, with every figure unknown. */
void outcome_init(
	struct outcome *outcome, const struct config *config, const struct problem *problem);

/* What timing needs to know of the device, before the problem takes its memory. A device that
 * cannot run the suite's own kernels can still be verified on: ret_why then says why it is not
 * timed, and is left alone otherwise. */
enum pmpp_status suite_know_device(struct suite *suite, const struct family *family, char *ret_why,
	size_t size, struct pmpp_error *error);

/* Everything before timing: skips, builds, verifies. ret_run is bound when status is OUTCOME_OK. */
enum pmpp_status suite_verify_variant(struct suite *suite, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error);

/* Whether the variant's needs, macros and domain allow it here, and the blocks and grids of its
 * plan fit the device. If not, the outcome gets a status and a reason. */
bool suite_can_run(struct outcome *outcome, const struct gpu_device_info *info);
bool suite_fits_device(struct outcome *outcome, const struct gpu_limits *limits);

/* A failure that concerns the variant becomes its outcome and PMPP_OK; others are returned. */
enum pmpp_status outcome_absorb(struct suite *suite, struct outcome *outcome,
	enum pmpp_status status, struct pmpp_error *error);

void suite_progress(struct suite *suite, const struct outcome *outcome, const char *what);

bool suite_is_emulated(const struct suite *suite);

#endif
