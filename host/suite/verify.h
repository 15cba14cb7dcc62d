/*
 * Verification: runs a variant in one or more passes and checks its output (docs/verification.md).
 */
#ifndef PMPP_HOST_SUITE_VERIFY_H
#define PMPP_HOST_SUITE_VERIFY_H

#include "host/suite/check_output.h"
#include "host/suite/launch.h"
#include "host/suite/operands.h"
#include "host/suite/outcome.h"

/* Zero-initialised but for programs and operands, which the owner sets. */
struct verifier {
	struct programs *programs;  /* not owned */
	struct operands *operands;  /* not owned; created for the variant before each call */
	struct reference reference; /* of the last problem */
	void *values;               /* the output of the last verified run, by rows; owned */
	void *again;                /* the output of a later run; owned */
	uint64_t bytes;             /* of each */
	enum dtype dtype;
	int64_t rows, columns; /* 0 = no output to show */
};

/* Whether an output can be checked. Returns false if the bound rejects nothing at this size
 * (BLIND_BOUND) or the reference is sampled, and the answer is exact for no integers. */
bool verify_is_possible(const struct config *config, const struct problem *problem);

/* Sets the row's verify, and its status and reason if the result is wrong. Afterwards the
 * device holds the problem's inputs, and verifier_output() returns the output. traced: also a pass
 * on the traced build, where the device has one. Fails as gpu.h's functions, and with
 * PMPP_OUT_OF_MEMORY on the host. */
enum pmpp_status verify_run(struct verifier *verifier, const struct bound_run *run, bool traced,
	struct outcome *outcome, struct pmpp_error *error);

/* Uploads the inputs, poisons the output, runs, and reads the output, by rows. Fails as gpu.h's
 * functions. */
enum pmpp_status verify_output(struct operands *operands, const struct bound_run *run,
	const struct problem *problem, void *ret_output, struct pmpp_error *error);

/* Checks the output of the last timed run; the status becomes FAILED if it is worse than the
 * verified one. */
enum pmpp_status verify_again(
	struct verifier *verifier, struct outcome *outcome, struct pmpp_error *error);

/* Checks the output of a companion's last timed run: an earlier variant of the same problem, on
 * operands of its own, whose verified output had the hash output_sha256 of the companion's row. If
 * the bits are the same, the output is right. Other bits must be within the bound; they are wrong
 * if the variant promises the same bits in every run. The status of the companion becomes FAILED if
 * the output is wrong. */
enum pmpp_status verify_companion(struct verifier *verifier, struct operands *operands,
	struct outcome *companion, struct pmpp_error *error);

/* The output of the last verified run, valid until the next call; NULL when there is none. */
const void *verifier_output(
	const struct verifier *verifier, int64_t *ret_rows, int64_t *ret_columns);

/* Drops the output: there is none until the next verified run. */
void verifier_forget_output(struct verifier *verifier);

/* Whether the verification has a pass on small integers. */
bool verify_checks_integers(const struct config *config, const struct problem *problem);

/* Bytes of host memory that the verifier has allocated. */
double verifier_held_bytes(const struct verifier *verifier);

/* Frees the outputs and the reference. */
void verifier_release(struct verifier *verifier);
void verifier_finish(struct verifier *verifier);

#endif
