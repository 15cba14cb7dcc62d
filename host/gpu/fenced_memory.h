/*
 * Memory between unmapped pages: an access to these pages raises a signal.
 */
#ifndef PMPP_HOST_GPU_FENCED_MEMORY_H
#define PMPP_HOST_GPU_FENCED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Memory that a kernel can access. The gaps on both sides are not mapped: an access to them raises
 * SIGSEGV. */
struct fenced_memory {
	char *bytes; /* aligned to 256 bytes */
	char *map;   /* gap, memory, gap */
	size_t map_bytes, gap;
};

/* Allocates memory, filled with zeros. Up to 255 bytes between the end of the memory and the gap
 * can be unused, and less than a page before its start. Returns false for lack of memory. */
bool fenced_memory_create(struct fenced_memory *memory, size_t bytes);
void fenced_memory_destroy(struct fenced_memory *memory);

/* Makes the memory read-only. */
void fenced_memory_protect(struct fenced_memory *memory);

/* Whether an address is in the memory or in one of its gaps. */
static inline bool fenced_memory_is_near(const struct fenced_memory *memory, const char *address)
{
	return address >= memory->map && address < memory->map + memory->map_bytes;
}

#endif
