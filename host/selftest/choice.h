/* Choice of the mutants that run on a device, the kernel and the problem of each, and the findings. */
#ifndef PMPP_HOST_SELFTEST_CHOICE_H
#define PMPP_HOST_SELFTEST_CHOICE_H

#include "common/model/exit_code.h"
#include "common/status.h"
#include "host/gpu/gpu.h"
#include "host/record/result.h"
#include "host/selftest/mutants.h"

/* The number of mutants in all tables. */
size_t mutant_count(void);

/* Returns the mutant of a task of a selftest. Tasks count from 0, the mutants of all tables in each round. */
const struct mutant *mutant_at(size_t task);

/* The rounds of a selftest, in the order in which they run. Each round between SELFTEST_FAMILIES and
 * SELFTEST_NOT_CHOSEN has one mutant of each table. */
enum selftest_round {
	SELFTEST_KINDS,            /* the first defect of each table */
	SELFTEST_FAMILIES,         /* the first defect of each family */
	SELFTEST_NOT_CHOSEN = 999, /* not run */
	SELFTEST_NOT_HERE,         /* not run: the device cannot run the mutant */
	SELFTEST_ROUNDS
};

/* Writes the round of each mutant on a device, by number. On an emulator each access is checked.
 * all: each mutant is chosen; false: the first of each table, family and verdict, and mutants_data.
 */
void selftest_rounds(const struct gpu_device_info *info, bool all, int *ret_rounds);

const struct variant *mutant_variant(const struct mutant *mutant);

/*
 * The problem of a mutant. Each mutant has data of its own. Local memory keeps its values from
 * kernel to kernel on some devices: with the same data, an element that a kernel leaves
 * uninitialised can have the right value from the kernel before.
 */
struct problem mutant_problem(const struct mutant *mutant);

/* Returns the text of the kernel with its change; the caller frees it. PMPP_INTERNAL: the kernel
 * does not have the text to change. PMPP_OUT_OF_MEMORY. */
enum pmpp_status mutant_text(const struct mutant *mutant, enum gpu_backend_id backend,
	char **ret_text, struct pmpp_error *error);

enum selftest_finding {
	FINDING_GOOD,     /* a wrong kernel was rejected, or a right kernel passed */
	FINDING_MISTAKEN, /* a wrong kernel got through, or a right kernel was called wrong */
	FINDING_NOT_RUN,  /* not judged; the row has the reason */
	FINDING_COUNT
};

/* Zero-initialise. */
struct selftest_tally {
	size_t wrong[MUTANT_TABLE_COUNT][FINDING_COUNT]; /* kernels with a mistake */
	size_t all_wrong[FINDING_COUNT];                 /* of all tables */
	size_t right[FINDING_COUNT];                     /* controls */
};

/* Judges the row of `verify` of a mutant and counts it. A right kernel that did not end in time is not judged,
 * nor is a kernel for which memory ran out. */
enum selftest_finding selftest_tally_add(
	struct selftest_tally *tally, const struct mutant *mutant, const struct result_row *row);

/* 3 if a kernel was judged mistakenly, 77 if no kernel was judged, else 0. */
enum exit_code selftest_tally_exit(const struct selftest_tally *tally);

#endif
