#include "common/model/passes.h"

#include "common/integers.h"
#include "common/model/access.h"

struct warp_lanes warp_lanes_of_block(int x, int y, int64_t lane_bytes, int64_t row_bytes)
{
	int lanes = (int)least(x, WARP_THREADS);

	return (struct warp_lanes){.lanes = lanes,
		.rows = (int)least(y, WARP_THREADS / lanes),
		.lane_bytes = lane_bytes,
		.row_bytes = row_bytes};
}

double warp_passes(const struct warp_lanes *lanes)
{
	int count = lanes->lanes * lanes->rows;
	struct warp_access access = {.width_bytes = lanes->width_bytes ? lanes->width_bytes : 4,
		.lanes = (uint32_t)((UINT64_C(1) << count) - 1)};

	for (int i = 0; i < count; i++)
		access.address[i] = (uint64_t)(i % lanes->lanes * lanes->lane_bytes +
					       i / lanes->lanes * lanes->row_bytes);
	return access_shared(&access).wavefronts;
}

double grid_passes(const struct warp_lanes *lanes, int64_t columns, int64_t rows)
{
	double whole = (double)(columns / lanes->lanes) * (double)(rows / lanes->rows);
	double all = (double)ceil_div(columns, lanes->lanes) * (double)ceil_div(rows, lanes->rows);

	return whole * warp_passes(lanes) + (all - whole);
}
