/*
 * The flush before each cold sample. After a flush the last-level cache holds no data of the run,
 * and no modified lines that the run would have to write back. There are two kinds:
 *
 *   read   The kernel of the read roof (roof/read) reads a region of twice the last-level cache.
 *          Its sums are checked once. Reading replaces all lines of the cache, and the modified
 *          ones are written to memory. Writing a region would leave the cache full of modified
 *          lines. The region holds random numbers, because some GPUs compress regular data.
 *   evict  The lines of the run's own buffers are evicted (gpu_buffer_evict()). On a CPU with a
 *          large cache, eviction takes far less time than reading.
 *
 * Both are queued on the device before the run; the host does not wait. On a CPU without eviction,
 * the read is limited to a part of the region, so that it takes no longer than the run.
 */
#ifndef PMPP_HOST_SUITE_FLUSH_H
#define PMPP_HOST_SUITE_FLUSH_H

#include "host/suite/launch.h"
#include "host/suite/operands.h"

enum flush_kind {
	FLUSH_NONE,
	FLUSH_READ,
	FLUSH_EVICT
};

/* The flush of one run. */
struct flush_plan {
	enum flush_kind kind;
	uint64_t bytes; /* read or evicted before each sample */
	bool complete;  /* no data of the run remain in the cache */
};

/* The owner sets programs; all other members are zero-initialised. Points into itself: do not copy
 * it. */
struct flusher {
	struct programs *programs; /* not owned */

	/* Operands of the kernel. The buffers are NULL until they are needed. */
	struct gpu_buffer *buffers[2]; /* the region and its sums */
	struct config config;
	struct problem problem; /* reads the whole region */
	struct bound_run run;
	uint64_t run_bytes; /* read by the bound run */
	double read_ns;     /* time to read the whole region; 0: not measured */
	bool unusable;      /* the kernel does not build, or its sums are wrong */
};

struct flush_request {
	double run_ns;     /* approximate time of one run */
	bool device_timer; /* as in struct interval_request */
};

/* Bytes of a complete flush by reading: twice the last-level cache. */
uint64_t flush_full_bytes(const struct gpu_device_info *info);

/* The part of `bytes` that can be read within max_ns, if reading all of them takes read_ns.
 * Returns a multiple of unit, at most `bytes`. */
uint64_t flush_part(uint64_t bytes, uint64_t unit, double read_ns, double max_ns);

/* Chooses how to flush the run on these operands, and creates the region if it is needed. The plan
 * is FLUSH_NONE if there is no memory for the region, or if its kernel fails. A failed kernel is
 * reported as a note. Fails like gpu_launch(). */
enum pmpp_status flush_choose(struct flusher *flush, const struct operands *operands,
	const struct flush_request *request, struct flush_plan *ret_plan, struct pmpp_error *error);

/* Queues the flush; the plan is from flush_choose(), for the same operands. */
enum pmpp_status flush_queue(struct flusher *flush, const struct operands *operands,
	const struct flush_plan *plan, struct pmpp_error *error);

/* Bytes of device memory that the region has allocated. */
uint64_t flush_held_bytes(const struct flusher *flush);

/* Frees the region if the allocation of `bytes` would use most of the device's memory, or does not
 * fit in the memory that other processes leave free. flush_choose() creates the region again. */
void flush_make_room(struct flusher *flush, uint64_t bytes);

void flush_release(struct flusher *flush);

#endif
