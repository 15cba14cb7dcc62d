/* Kernels' texts, changed, and the problems that tell. */
#ifndef PMPP_TESTS_MUTANTS_TEXTS_H
#define PMPP_TESTS_MUTANTS_TEXTS_H

#include "tests/kernels/session.h"

/* The text without the barrier of this number, from 0. malloc'ed. */
char *text_without_barrier(const char *text, enum gpu_backend_id backend, size_t number);

/* A barrier of a variant's kernel. */
struct barrier_row {
	const struct variant *variant;
	size_t number;
};

/* Adds a row for each barrier of the first variant of each file of the family that the engine can run.
 * The context of a row is a struct barrier_row. */
void text_add_barriers(
	const struct family *family, const struct engine *engine, test_fn *run, bool is_long);

/* A tile and a bit along every dimension that a size names, three along the third: every barrier of
 * the kernel matters. */
struct problem text_problem_of_tiles(const struct config *config);

#endif
