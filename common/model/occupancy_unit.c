#include "common/model/occupancy_unit.h"

bool occupancy_unit_set_width(struct occupancy_unit *unit, int64_t lanes)
{
	bool power_of_two = lanes > 0 && (lanes & (lanes - 1)) == 0;

	if (!power_of_two || !(unit->widths & (uint64_t)lanes))
		return false;
	unit->lanes = lanes;
	return true;
}

bool occupancy_unit_halve(struct occupancy_unit *unit)
{
	if (!unit->paired)
		return false;
	unit->paired = false;
	unit->unit = "compute unit";
	unit->simds /= 2;
	unit->barriers /= 2;
	unit->shared_bytes /= 2;
	return true;
}

int64_t occupancy_unit_threads(const struct occupancy_unit *unit)
{
	return unit->simds * unit->simd_warps * unit->lanes;
}
