/*
 * Counts the instructions of PTX texts by opcode, and the shared memory of kernels.
 *
 * PTX is the assembly language that NVIDIA's compilers generate before the assembler allocates
 * registers ("Parallel Thread Execution ISA", NVIDIA). Each instruction in the text counts once,
 * however often it runs.
 */
#ifndef PMPP_COMMON_PTX_H
#define PMPP_COMMON_PTX_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTX_NAME_BYTES 40

/*
 * name: the opcode with only the important modifiers. Loads, stores and atomics keep the memory
 * space, the width of a vector and the read-only path: "ld.shared.v4", "ld.global.nc",
 * "atom.global". Arithmetic keeps a floating-point type: "fma.f32", but "add" for all integers.
 */
struct ptx_count {
	char name[PTX_NAME_BYTES];
	unsigned count[2]; /* in the first text, in the second text */
};

/* Zero-initialise. */
struct ptx_table {
	struct ptx_count *rows; /* owned; sorted by name */
	size_t count;
	unsigned total[2];
};

/* Whether the text is PTX: it contains .version and .target. */
bool ptx_is(const char *text);

/* Adds the instructions of the text to count[side]; side is 0 or 1. Counts the kernels named in
 * `entries` (all kernels if entry_count is 0) and all functions that are not kernels. Rows stay
 * sorted by name. */
enum pmpp_status ptx_count(const char *text, const char *const *entries, size_t entry_count,
	int side, struct ptx_table *table, struct pmpp_error *error);

/* Returns the static shared memory of a kernel in bytes. Returns -1 if it is unknown: the text has no
 * such kernel, or declares shared memory outside of kernels. */
int64_t ptx_shared_bytes(const char *text, const char *entry);

void ptx_table_finish(struct ptx_table *table);

#endif
