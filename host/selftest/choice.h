/* Choice of the mutants that run on a device, and the kernel and the problem of each. */
#ifndef PMPP_HOST_SELFTEST_CHOICE_H
#define PMPP_HOST_SELFTEST_CHOICE_H

#include "common/status.h"
#include "host/gpu/gpu.h"
#include "host/selftest/mutants.h"

/* The number of mutants in all tables. */
size_t mutant_count(void);

/* Returns the mutant with a number, counted over all tables from 0; NULL: there are fewer. */
const struct mutant *mutant_at(size_t number);

size_t mutant_number(const struct mutant *mutant);

/* The index of its table in mutant_tables. */
size_t mutant_table_of(const struct mutant *mutant);

/* Whether a mutant can run: with the capabilities of the device, and with an enum mutant_engines
 * bit for its backend. traced: an emulator checks each access. */
bool mutant_can_run(const struct mutant *mutant, const struct gpu_device_info *info, bool traced);

/* Which mutants are alike, for mutant_is_first(). */
enum mutant_likeness {
	LIKE_TABLE = 1 << 0,
	LIKE_FAMILY = 1 << 1,
	LIKE_VERDICT = 1 << 2,
	LIKE_DEFECTS = 1 << 3 /* controls do not count */
};

/* Whether no mutant before this one, in the order of the tables, is like it and can run. like: bits
 * of enum mutant_likeness, all of which must hold. */
bool mutant_is_first(const struct mutant *mutant, const struct gpu_device_info *info, bool traced,
	unsigned like);

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

#endif
