/*
 * Verification: runs a variant in one or more passes and checks its output (docs/verification.md).
 */
#ifndef PMPP_HOST_SUITE_VERIFY_H
#define PMPP_HOST_SUITE_VERIFY_H

#include "host/record/measurement.h"
#include "host/suite/launch.h"
#include "host/suite/operands.h"
#include "host/suite/outcome.h"

/* An output by rows, packed. */
struct output {
	const void *values; /* not owned */
	enum dtype dtype;
	int64_t rows, columns;
};

/*
 * The functions update *result. max_ratio is the largest of all comparisons. nan, mismatches and
 * first are from the first comparison that found a mismatch.
 */

/* Checks with the family's exact_check that every element is equal. problem: with integer inputs.
 * PMPP_OUT_OF_MEMORY on the host; *result is then unchanged. */
enum pmpp_status check_output_exact(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, const struct output *output, struct verify_record *result,
	struct pmpp_error *error);

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
	size_t row_count, column_count; /* if sampled */
	struct reference_part *parts;
	size_t part_count;
};

/* Zero-initialised, except programs and operands, which the owner sets. */
struct verifier {
	struct programs *programs;  /* not owned */
	struct operands *operands;  /* not owned; created for the variant before each call */
	struct reference reference; /* reference of the last problem */
	struct reference other;     /* of the last pass on other data */
	void *values;               /* the output of the last verified run, by rows; owned */
	void *again;                /* the output of a later run; owned */
	uint64_t bytes;             /* size of each of the two outputs */
	enum dtype dtype;
	int64_t rows, columns; /* 0 = no output to show */
};

/* true: an output can be checked. Random inputs do not suffice if the bound rejects nothing at this
 * size (BLIND_BOUND), or if the reference is sampled. The function then returns false, unless the
 * result is exact on integer inputs. */
bool verify_is_possible(const struct config *config, const struct problem *problem);

/* Sets the row's `verify`, and its status and reason if the result is wrong. Afterwards the device
 * holds the problem's inputs, and verifier_output() returns the output. traced: also run a pass on
 * the traced build, if the device has one. Fails like the functions of gpu.h, and with
 * PMPP_OUT_OF_MEMORY on the host. */
enum pmpp_status verify_run(struct verifier *verifier, const struct bound_run *run, bool traced,
	struct outcome *outcome, struct pmpp_error *error);

/* Builds a form of the outcome's program, and binds its plan to the operands. Fails like
 * launch_build(). */
enum pmpp_status verify_bind(struct programs *programs, const struct operands *operands,
	const struct outcome *outcome, bool traced, enum gpu_fill fill, struct bound_run *ret_run,
	struct pmpp_error *error);

/* Uploads the inputs, poisons the output, executes the run, and reads the output, by rows. Call
 * launch_reset() before it, unless the run continues an earlier one. Fails like the functions of gpu.h. */
enum pmpp_status verify_output(struct operands *operands, const struct bound_run *run,
	const struct problem *problem, enum poison poison, void *ret_output,
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

/* The output of the last verified run, valid until the next call; NULL if there is none. */
const void *verifier_output(
	const struct verifier *verifier, int64_t *ret_rows, int64_t *ret_columns);

/* Discards the output: there is none until the next verified run. */
void verifier_forget_output(struct verifier *verifier);

/* Host memory that a verification needs, in bytes: the inputs for each kind of data, the outputs of
 * two runs, and the references. The type is double because the amount may overflow integers. */
double verify_needed_bytes(const struct config *config, const struct problem *problem);

/* Bytes of host memory that the verifier has allocated. */
double verifier_held_bytes(const struct verifier *verifier);

/* Frees the outputs and the reference. */
void verifier_release(struct verifier *verifier);
void verifier_finish(struct verifier *verifier);

#endif
