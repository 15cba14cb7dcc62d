/*
 * The operands of a problem on the device, and the verification of a variant: it runs in one or more
 * passes, and its output is checked (docs/verification.md).
 *
 * Each buffer of the operands has a guard on both sides, which a kernel must not touch. The output is
 * poisoned before a run, and the inputs are compared after it.
 */
#ifndef PMPP_HOST_SUITE_VERIFY_H
#define PMPP_HOST_SUITE_VERIFY_H

#include "host/record/measurement.h"
#include "host/suite/launch.h"
#include "host/suite/outcome.h"

/* ---- Operands ------------------------------------------------------------------------------- */

struct layout {
	int64_t rows, columns; /* on the host, by rows */
	bool by_columns;       /* on the device: lines are columns */
	int64_t lines, line;   /* on the device: number of lines, elements per line */
	int64_t pitch;         /* distance of two lines, in elements */
	enum dtype host, device;
};

struct input_slot {
	void *values; /* owned */
	uint64_t bytes;
	struct problem problem; /* problem of the values */
	size_t operand;
	uint64_t last_use;
};

#define INPUT_SLOTS 256

struct input_slots {
	struct input_slot items[INPUT_SLOTS];
	uint64_t bytes; /* of all arrays */
	uint64_t uses;
};

/* Zero-initialised: no arrays. */
struct inputs {
	/* INPUT_USER: one array per operand, in the order of family->operands; set by the owner;
	 * NULL = none; not owned. */
	const void *user[PMPP_MAX_OPERANDS];
	/* The arrays of the last problems. */
	struct input_slots random;
	struct input_slots checks; /* of the other sources */
};

#define MAX_BUFFERS (PMPP_MAX_OPERANDS + PMPP_MAX_SCRATCH)

/* The contents of an output and of the scratch buffers before a run. The runs of a verification begin
 * with different ones: an element that a kernel leaves out, or takes into its result, is wrong in
 * one of them. For example, max() ignores NaN and values below all others. */
enum poison {
	POISON_KEEP = -1, /* verify_output(): what the last run left */
	POISON_NAN,       /* of a type without NaN: another value */
	POISON_BELOW,
	POISON_ABOVE,
	POISON_COUNT,
	POISON_ZERO = POISON_COUNT /* only to find the cause of a wrong result */
};

/* Every sample begins with this poison, so the check after the timing sees the last sample. It is
 * not NaN: a kernel could test for NaN, and leave out the work if a result is there. */
#define TIMED_POISON POISON_ABOVE

/* Contents of an input's buffer. Equal contents are not uploaded again. */
struct operand_content {
	bool known;
	struct problem problem;
	struct layout layout;
};

/* Zero-initialised, except device and inputs, which the owner sets. */
struct operands {
	struct gpu_device *device;   /* not owned; must outlive the operands */
	struct inputs *inputs;       /* not owned; source of the uploads */
	const struct family *family; /* NULL = none */
	struct layout layouts[PMPP_MAX_OPERANDS];
	uint64_t guard_bytes;
	uint64_t wanted_bytes[MAX_BUFFERS];      /* of each buffer; 0 = no buffer */
	struct gpu_buffer *buffers[MAX_BUFFERS]; /* operands; scratch from PMPP_MAX_OPERANDS on */
	struct operand_content content[PMPP_MAX_OPERANDS];
	bool borrowed[PMPP_MAX_OPERANDS]; /* the buffer belongs to other operands */
	bool guards_known;
	void *staging[2]; /* two of staging_bytes each */
	uint64_t staging_bytes;
};

/* Bytes of host memory that operands_create() and the copies between host and device allocate. */
uint64_t operands_staging_bytes(const struct config *config, const struct problem *problem);

/* Sets the layouts for the variant and destroys the buffers that do not fit them. Returns the bytes
 * of device memory that operands_create() will allocate. Call memory_check() first: the sizes must
 * not overflow. */
uint64_t operands_plan(struct operands *operands, const struct config *config,
	const struct problem *problem, bool unguarded);

/* After operands_plan() of empty operands: uses the inputs of other operands on the same device if
 * problem and layout are equal. The other operands must not change as long as these have buffers.
 * Do not call operands_plan() afterwards. Returns the bytes of device memory that operands_create()
 * will allocate. */
uint64_t operands_borrow(
	struct operands *operands, const struct operands *lender, const struct problem *problem);

/* Creates the missing buffers of the plan. Frees all buffers on failure. */
enum pmpp_status operands_create(struct operands *operands, struct pmpp_error *error);

/* Bytes of device memory of the operands' buffers. */
uint64_t operands_held_bytes(const struct operands *operands);

/* Destroys the buffers that are not borrowed; operands_plan() may follow. */
void operands_release(struct operands *operands);

/* Writes the problem's inputs and the guards, except those that the buffers already hold. */
enum pmpp_status operands_upload(
	struct operands *operands, const struct problem *problem, struct pmpp_error *error);

/* The same in little time for large problems on an emulator: each input repeats its first few MiB. The contents
 * of the buffers are then unknown. */
enum pmpp_status operands_upload_repeated(
	struct operands *operands, const struct problem *problem, struct pmpp_error *error);

/* Queues fills of the output and of the scratch buffers with the poison of the output's type on the
 * device. */
enum pmpp_status operands_poison(
	struct operands *operands, enum poison poison, struct pmpp_error *error);

/* Marks the contents of all buffers as unknown. Call it after a failed launch. */
void operands_forget(struct operands *operands);

/* ---- Verification --------------------------------------------------------------------------- */

/* An output by rows, packed. */
struct output {
	const void *values; /* not owned */
	enum dtype dtype;
	int64_t rows, columns;
};

/* A region and its reference, by rows; NULL if it is computed during each comparison. */
struct reference_part {
	struct region region;
	struct expected *expected;
};

/* Zero-initialised: none. */
struct reference {
	struct problem problem;        /* family NULL = none */
	const struct variant *variant; /* variant of the reference */
	bool sampled;
	struct reference_part *parts;
	size_t part_count;
	uint64_t last_use;
};

#define REFERENCES 64

/* The references of the last problems. Zero-initialised: none. */
struct references {
	struct reference items[REFERENCES];
	uint64_t uses;
};

/* Outputs of a family that passed a comparison. Zero-initialised: none. */
struct right_outputs {
	struct right_output *items; /* owned */
	size_t count;
};

#define OUTPUT_HASH_BYTES 65 /* 64 hexadecimal digits and the end */

/* Zero-initialised, except programs and operands, which the owner sets. */
struct verifier {
	struct programs *programs; /* not owned */
	struct operands *operands; /* not owned; created for the variant before each call */
	struct references references;
	struct references others; /* of the passes on other data */
	struct right_outputs right;
	char hash[OUTPUT_HASH_BYTES]; /* of `values`; not of internal families */
	void *values;                 /* the output of the last verified run, by rows; owned */
	void *again;                  /* the output of a later run; owned */
	uint64_t bytes;               /* size of each of the two outputs */
	enum dtype dtype;
	int64_t rows, columns; /* 0 = no output to show */
};

/* true: an output can be checked. Random inputs do not suffice if the bound rejects nothing at this
 * size (BLIND_BOUND), or if the reference is sampled. The function then returns false, unless the
 * result is exact on integer inputs. */
bool verify_is_possible(const struct config *config, const struct problem *problem);

/* Sets the row's `verify`, and its status and reason if the result is wrong. If the device can fill
 * local variables, the reason of a wrong result names an uninitialised one. Afterwards the device holds
 * the problem's inputs, and the verifier the output. traced: also run a pass on
 * the traced build, if the device has one. Fails like the functions of gpu.h, and with
 * PMPP_OUT_OF_MEMORY on the host. */
enum pmpp_status verify_run(struct verifier *verifier, const struct bound_run *run, bool traced,
	struct outcome *outcome, struct pmpp_error *error);

/* Builds a form of the outcome's program, and binds its plan to the operands. Fails like
 * launch_build(). */
enum pmpp_status verify_bind(struct programs *programs, const struct operands *operands,
	const struct outcome *outcome, bool traced, enum gpu_fill fill, struct bound_run *ret_run,
	struct pmpp_error *error);

/* Checks the output of the last timed run. The status becomes FAILED if the output is wrong. */
enum pmpp_status verify_again(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, struct pmpp_error *error);

/* Repeats the timed run on other data, and checks its output. The output and the scratch buffers
 * keep what the timed run left there. This finds a kernel that keeps earlier results and skips the
 * work. Does nothing if the inputs are the user's, or if the operands
 * have more than 512 MiB. Sets the status to FAILED if the output is wrong. Afterwards the device
 * holds the other data. */
enum pmpp_status verify_other_data(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, struct pmpp_error *error);

/* Checks the output of a companion's last timed run. The companion is an earlier variant of the
 * same problem with operands of its own; the hash of its verified output is output_sha256 of its
 * row. Equal bits are right. Different bits must be within the bound, and are wrong if the variant
 * promises the same bits in every run. The status of the companion becomes FAILED if the output is
 * wrong. */
enum pmpp_status verify_companion(struct verifier *verifier, struct operands *operands,
	struct outcome *companion, struct pmpp_error *error);

/* Discards the output: there is none until the next verified run. */
void verifier_forget_output(struct verifier *verifier);

/* In bytes. The type is double because the needs may overflow integers. */
struct memory_needs {
	double device;            /* operands and scratch buffers with their guards */
	double largest;           /* the largest of these buffers */
	const char *largest_name; /* name of its operand */
	double host; /* of a verification; plus `device` if the device shares the host's memory */
};

/* keeps_copy: the host also keeps a copy of each operand (suite_trace()). */
struct memory_needs verify_needs(const struct gpu_device_info *info, const struct config *config,
	const struct problem *problem, bool keeps_copy);

/* Bytes of host memory that the verifier, its inputs and the staging buffers have allocated. */
double verifier_held_bytes(const struct verifier *verifier);

/* Frees the operands, the inputs, the outputs and the references. */
void verifier_release(struct verifier *verifier);

#endif
