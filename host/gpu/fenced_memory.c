#include "host/gpu/fenced_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define ALIGNMENT 256
/* On each side, in bytes: more than a 32-bit index reaches in an array of 16-byte elements. The pages take
 * address space only. */
#define GAP_BYTES ((size_t)64 << 30)
#define MIN_GAP_BYTES ((size_t)64 << 10) /* a multiple of every size of a page */

static size_t rounded(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* If the address space is limited, its bytes are for operands. */
static size_t largest_gap(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY ? GAP_BYTES
										    : MIN_GAP_BYTES;
}

/* Reserves address space. Returns its first byte; NULL: there is not enough. */
static char *reserve(size_t bytes, size_t *ret_gap)
{
	for (size_t gap = largest_gap(); gap >= MIN_GAP_BYTES; gap /= 32) {
		void *map =
			mmap(NULL, bytes + 2 * gap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*ret_gap = gap;
		if (map != MAP_FAILED)
			return map;
	}
	return NULL;
}

bool fenced_memory_create(struct fenced_memory *memory, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t used = rounded(bytes, ALIGNMENT);
	size_t pages = rounded(used, page);
	char *map = reserve(pages, &memory->gap);

	if (!map)
		return false;
	memory->map = map;
	memory->map_bytes = pages + 2 * memory->gap;
	if (mprotect(map + memory->gap, pages, PROT_READ | PROT_WRITE) != 0) {
		fenced_memory_destroy(memory);
		return false;
	}
	/* Indices past the end are more common than those before the start. */
	memory->bytes = map + memory->gap + (pages - used);
	return true;
}

void fenced_memory_protect(struct fenced_memory *memory)
{
	mprotect(memory->map + memory->gap, memory->map_bytes - 2 * memory->gap, PROT_READ);
}

void fenced_memory_destroy(struct fenced_memory *memory)
{
	if (memory->map)
		munmap(memory->map, memory->map_bytes);
	*memory = (struct fenced_memory){0};
}
