/* Kernels' texts, changed, and the problems that tell. */
#ifndef PMPP_TESTS_MUTANTS_TEXTS_H
#define PMPP_TESTS_MUTANTS_TEXTS_H

#include "tests/kernels/session.h"

/* The number of barriers of a block in the code of a kernel. */
size_t text_barriers(const char *text, enum gpu_backend_id backend);

/* The text without the barrier of this number, from 0. malloc'ed. */
char *text_without_barrier(const char *text, enum gpu_backend_id backend, size_t number);

/* Whether the variant's kernel is right without its barriers on this backend. The barrier of
 * prefetch/async-copy separates the reads of a buffer from its next copy. In the OpenCL emulator each
 * work-item copies the element that it reads, so this order is not needed there. */
bool text_needs_no_barrier(const struct variant *variant, enum gpu_backend_id backend);

/* A tile and a bit along every dimension that a size names, three along the third: every barrier of
 * the kernel matters. */
struct problem text_problem_of_tiles(const struct config *config);

#endif
