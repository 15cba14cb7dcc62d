/*
 * Memory between unmapped pages: an access beyond it is a signal.
 */
#ifndef PMPP_HOST_GPU_FENCED_MEMORY_H
#define PMPP_HOST_GPU_FENCED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Memory that a kernel can access. The gaps on both sides have no memory: an access to them is a SIGSEGV. */
struct fenced_memory {
	char *bytes; /* aligned to 256 bytes */
	char *map;   /* gap, memory, gap */
	size_t map_bytes, gap;
};

/* Allocates memory, filled with zeros. Less than 256 bytes between its end and the gap can be unused, less
 * than a page at its start. Returns false for lack of memory. */
bool fenced_memory_create(struct fenced_memory *memory, size_t bytes);
void fenced_memory_destroy(struct fenced_memory *memory);

/* Makes the whole pages of a range inaccessible. */
void fenced_memory_protect(char *begin, char *end);

/* Whether an address is in the memory or in one of its gaps. */
static inline bool fenced_memory_is_near(const struct fenced_memory *memory, const char *address)
{
	return address >= memory->map && address < memory->map + memory->map_bytes;
}

#endif
