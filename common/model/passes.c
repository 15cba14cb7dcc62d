#include "common/model/passes.h"

#include "common/integers.h"
#include "common/model/access.h"

struct warp_lanes warp_lanes_of_block(int x, int y, int64_t lane_bytes, int64_t row_bytes)
{
	int lanes = (int)min(x, WARP_THREADS);

	return (struct warp_lanes){.lanes = lanes,
		.rows = (int)min(y, WARP_THREADS / lanes),
		.lane_bytes = lane_bytes,
		.row_bytes = row_bytes};
}

/* Passes of a warp in which only the first `in_row` threads of the first `rows` rows are active. */
static double part_passes(const struct warp_lanes *lanes, int64_t in_row, int64_t rows)
{
	struct warp_access access = {.model = access_model_default(),
		.width_bytes = lanes->width_bytes ? lanes->width_bytes : 4};

	for (int i = 0; i < lanes->lanes * lanes->rows; i++) {
		int x = i % lanes->lanes, y = i / lanes->lanes;

		access.address[i] = (uint64_t)(lanes->first_byte + x * lanes->lane_bytes +
					       y * lanes->row_bytes);
		access.lanes |= (uint64_t)(x < in_row && y < rows) << i;
	}
	return access_shared(&access).wavefronts;
}

double passes_of_warp(const struct warp_lanes *lanes)
{
	return part_passes(lanes, lanes->lanes, lanes->rows);
}

double passes_of_grid(const struct warp_lanes *lanes, int64_t columns, int64_t rows)
{
	double across = (double)(columns / lanes->lanes), down = (double)(rows / lanes->rows);
	int64_t last_column = columns % lanes->lanes, last_row = rows % lanes->rows;

	return across * down * passes_of_warp(lanes) +
	       across * part_passes(lanes, lanes->lanes, last_row) +
	       down * part_passes(lanes, last_column, lanes->rows) +
	       part_passes(lanes, last_column, last_row);
}
