/*
 * The work of a run, from the traces of its launches: the floors of a kernel that has no formulas.
 */
#ifndef PMPP_COMMON_MODEL_TRACED_WORK_H
#define PMPP_COMMON_MODEL_TRACED_WORK_H

#include "common/model/floor.h"
#include "common/model/trace.h"

/* A launch, for the order of its blocks. */
struct traced_launch {
	const struct trace *trace; /* with counts of traffic (block_traffic.h) */
	uint64_t grid_x, grid_y;   /* blocks of the grid in x and in y */
};

/*
 * `least` has the launches, the bytes that every kernel moves, and the operations; a trace does not
 * show them. The rest is of the traces, scaled from their blocks to the grids:
 *
 *   l1_passes      passes of loads and stores
 *   shared_passes  passes without those that joined loads save
 *   l2_bytes       the sectors that loads fetch into the first-level cache, and those of each store.
 *                  Atomic operations do not count: their rate is not measured
 *   again_...      sectors that a block loads or stores, and the block below it in the grid too
 *                  (gx blocks later, where gx is the number of blocks in x). again_after: the sectors
 *                  of gx blocks. Only if three watched blocks are neighbours (traced_work_blocks())
 *   overfetched    other sectors of pairs, and partly written sectors, where blocks move them again
 *
 * The passes are those of NVIDIA's GPUs; with a model of another vendor they stay unknown, and so do l2_bytes.
 */
struct floor_work traced_work(
	const struct floor_work *least, const struct traced_launch *launches, size_t count);

#define TRACED_WORK_BLOCKS 5

/* Selects the blocks of a grid to trace: three that are spread, inside the grid, and the next ones
 * in x and in y of one of them. All blocks of a small grid. Returns their number; the blocks are ascending. */
size_t traced_work_blocks(const uint64_t grid[3], uint64_t ret_blocks[TRACED_WORK_BLOCKS]);

#endif
