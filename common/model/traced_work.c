#include "common/model/traced_work.h"

#include <math.h>
#include <string.h>

#define SPREAD 3 /* blocks that are spread over the grid */

/* ---- Passes ---------------------------------------------------------------------------------- */

static double l1_passes(const struct trace *trace)
{
	return trace_estimate(trace, trace_sum(trace, TRACE_COUNT(passes), TRACE_GLOBAL,
					     TRACE_BIT(TRACE_LOAD) | TRACE_BIT(TRACE_STORE)));
}

static double shared_passes(const struct trace *trace)
{
	int64_t passes = trace_sum(trace, TRACE_COUNT(wavefronts), TRACE_SHARED, TRACE_ALL_KINDS);

	return trace_estimate(trace, passes - (int64_t)trace->traffic.joined_passes);
}

static double l2_bytes(const struct trace *trace)
{
	int64_t stored =
		trace_sum(trace, TRACE_COUNT(sectors), TRACE_GLOBAL, TRACE_BIT(TRACE_STORE));

	return trace->model->sector_bytes *
	       trace_estimate(trace, stored + (int64_t)trace->traffic.fetched);
}

/* ---- Bytes that are moved again -------------------------------------------------------------- */

static size_t find_block(const struct traffic_counts *counts, uint64_t number)
{
	size_t i = 0;

	while (i < counts->block_count && counts->blocks[i].number != number)
		i++;
	return i;
}

/* A watched block, with the next ones in x and in y. */
struct neighbours {
	const struct block_sectors *block, *right, *below;
	size_t index, right_index; /* of block and right */
};

static bool find_neighbours(const struct traced_launch *launch, struct neighbours *ret)
{
	const struct traffic_counts *counts = &launch->trace->traffic;

	for (size_t i = 0; i < counts->block_count; i++) {
		uint64_t number = counts->blocks[i].number;
		size_t right = find_block(counts, number + 1);
		size_t below = find_block(counts, number + launch->grid_x);

		if (launch->grid_x < 2 || right == counts->block_count ||
			below == counts->block_count)
			continue;
		*ret = (struct neighbours){&counts->blocks[i], &counts->blocks[right],
			&counts->blocks[below], i, right};
		return true;
	}
	return false;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Sectors of the block below that the first block has, but not its neighbour: the blocks between them
 * do not keep them in a cache. */
static double sectors_again(const struct neighbours *found, enum traffic_way way)
{
	return (double)difference(
		found->below->with[way][found->index], found->below->with[way][found->right_index]);
}

/* Different sectors of a row of blocks. */
static double sectors_of_row(const struct neighbours *found, double blocks)
{
	double sum = 0;

	for (int way = 0; way < TRAFFIC_WAYS; way++) {
		double first = (double)found->block->sectors[way];
		double more = (double)difference(
			found->right->sectors[way], found->right->with[way][found->index]);
		sum += first + (blocks - 1) * more;
	}
	return sum;
}

/* least: bytes that the run moves at least once. */
static double bytes_again(const struct neighbours *found, enum traffic_way way, double rows_above,
	double bytes, double least)
{
	double all = (double)found->block->sectors[way] * bytes;

	return fmax(0, fmin(sectors_again(found, way) * bytes * rows_above, all - least));
}

static void add_again(
	const struct traced_launch *launch, const struct floor_work *least, struct floor_work *work)
{
	const struct trace *trace = launch->trace;
	struct neighbours found;

	if (!find_neighbours(launch, &found))
		return;
	double blocks = (double)trace->total_blocks, columns = (double)launch->grid_x;
	double sector = trace->model->sector_bytes;
	double above = (blocks - columns) / blocks; /* share of blocks with a block above */
	double bytes = sector * blocks;
	double row = sector * sectors_of_row(&found, columns);

	work->again_read = bytes_again(&found, TRAFFIC_LOADED, above, bytes, least->bytes_read);
	work->again_written =
		bytes_again(&found, TRAFFIC_STORED, above, bytes, least->bytes_written);
	if (work->again_read + work->again_written == 0)
		return;
	work->again_after = fmin(row, least->bytes_read + least->bytes_written);
	work->overfetched = bytes * (double)(found.block->half_pairs + found.block->partial);
}

/* ---- Interface ------------------------------------------------------------------------------- */

static bool is_nvidia(const struct access_model *model)
{
	return strncmp(model->name, "sm_", strlen("sm_")) == 0;
}

struct floor_work traced_work(
	const struct floor_work *least, const struct traced_launch *launches, size_t count)
{
	struct floor_work work = *least;

	work.l1_passes = work.shared_passes = work.l2_bytes = 0;
	for (size_t i = 0; i < count; i++) {
		const struct trace *trace = launches[i].trace;
		if (!is_nvidia(trace->model)) {
			work.l1_passes = work.shared_passes = work.l2_bytes = NAN;
			return work;
		}
		work.l1_passes += l1_passes(trace);
		work.shared_passes += shared_passes(trace);
		work.l2_bytes += l2_bytes(trace);
	}
	/* Several launches read what others have written: their blocks are not compared. */
	if (count == 1)
		add_again(&launches[0], least, &work);
	return work;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static size_t add_block(uint64_t *blocks, size_t count, uint64_t number)
{
	size_t at = 0;

	while (at < count && blocks[at] < number)
		at++;
	if (at < count && blocks[at] == number)
		return count;
	memmove(&blocks[at + 1], &blocks[at], (count - at) * sizeof *blocks);
	blocks[at] = number;
	return count + 1;
}

size_t traced_work_blocks(const uint64_t grid[3], uint64_t ret_blocks[TRACED_WORK_BLOCKS])
{
	uint64_t total = grid[0] * grid[1] * grid[2];
	size_t count = 0;

	if (total <= TRACED_WORK_BLOCKS) {
		for (uint64_t i = 0; i < total; i++)
			ret_blocks[count++] = i;
		return count;
	}
	/* Block i is at the quarter i + 1 in x, and at another quarter in y and z. */
	for (uint64_t i = 0; i < SPREAD; i++) {
		uint64_t x = grid[0] * (i + 1) / 4, y = grid[1] * ((i + 1) % SPREAD + 1) / 4;
		uint64_t z = grid[2] * ((i + 2) % SPREAD + 1) / 4;
		uint64_t number = x + grid[0] * (y + grid[1] * z);

		count = add_block(ret_blocks, count, number);
		if (i > 0)
			continue;
		if (x + 1 < grid[0])
			count = add_block(ret_blocks, count, number + 1);
		if (y + 1 < grid[1])
			count = add_block(ret_blocks, count, number + grid[0]);
	}
	return count;
}
