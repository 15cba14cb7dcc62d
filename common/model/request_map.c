#include "common/model/request_map.h"

/* Assigns the word of a lane to the first pass of the phase in which the bank serves this word or
 * is idle. */
static void serve(
	struct bank_map *map, size_t first_pass, int phase, size_t bank, uint64_t word, int lane)
{
	for (size_t i = first_pass; i < MAX_LANES; i++) {
		struct bank_pass *pass = &map->passes[i];
		if (i == map->pass_count) {
			*pass = (struct bank_pass){.phase = phase};
			map->pass_count++;
		}
		if (pass->lanes[bank] && pass->word[bank] != word)
			continue;
		pass->word[bank] = word;
		pass->lanes[bank] |= (uint64_t)1 << lane;
		return;
	}
}

void request_map_banks(const struct warp_access *access, struct bank_map *ret_map)
{
	const struct access_model *model = access->model;
	int end;

	ret_map->pass_count = 0;
	ret_map->phase_lanes = access_phase_lanes(model, access->width_bytes);
	for (int first = 0, phase = 0; model->banks && first < (int)model->lanes;
		first = end, phase++) {
		size_t first_pass = ret_map->pass_count;

		end = access_phase_end(access, first);
		if (end - first > ret_map->phase_lanes)
			ret_map->phase_lanes = end - first;
		for (int lane = first; lane < end; lane++) {
			if (!(access->lanes >> lane & 1))
				continue;
			uint64_t last = access->address[lane] + access->width_bytes - 1;
			for (uint64_t word = access->address[lane] / model->bank_bytes;
				word <= last / model->bank_bytes; word++)
				serve(ret_map, first_pass, phase, (size_t)(word % model->banks),
					word, lane);
		}
	}
}
