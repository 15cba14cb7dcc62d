#include "common/model/request_map.h"

#include <stdbool.h>
#include <string.h>

static bool takes_part(const struct warp_access *access, int lane)
{
	return access->lanes >> lane & 1;
}

/* ---- Global memory --------------------------------------------------------------------------- */

/* Returns the line with this number. Inserts it in ascending order if it is new. */
static struct line_touch *find_line(struct sector_map *map, uint64_t number)
{
	size_t at = 0;

	while (at < map->line_count && map->lines[at].number < number)
		at++;
	if (at < map->line_count && map->lines[at].number == number)
		return &map->lines[at];
	memmove(&map->lines[at + 1], &map->lines[at], (map->line_count - at) * sizeof *map->lines);
	map->line_count++;
	map->lines[at] = (struct line_touch){.number = number};
	return &map->lines[at];
}

void request_map_sectors(const struct warp_access *access, struct sector_map *ret_map)
{
	const struct access_model *model = access->model;

	*ret_map = (struct sector_map){0};
	for (int lane = 0; lane < (int)model->lanes; lane++) {
		if (!takes_part(access, lane))
			continue;
		for (uint32_t i = 0; i < access->width_bytes; i++) {
			uint64_t address = access->address[lane] + i;
			unsigned byte = (unsigned)(address % model->line_bytes);
			struct line_touch *line = find_line(ret_map, address / model->line_bytes);
			line->sectors |= 1u << byte / model->sector_bytes;
			line->bytes[byte / 64] |= (uint64_t)1 << byte % 64;
			line->lanes |= (uint64_t)1 << lane;
		}
	}
	for (size_t i = 0; i < ret_map->line_count; i++)
		ret_map->sectors += (uint32_t)__builtin_popcount(ret_map->lines[i].sectors);
}

/* ---- Shared memory --------------------------------------------------------------------------- */

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
			if (!takes_part(access, lane))
				continue;
			uint64_t last = access->address[lane] + access->width_bytes - 1;
			for (uint64_t word = access->address[lane] / model->bank_bytes;
				word <= last / model->bank_bytes; word++)
				serve(ret_map, first_pass, phase, (size_t)(word % model->banks),
					word, lane);
		}
	}
}
