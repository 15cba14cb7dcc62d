#include "common/model/access.h"

#include <stdbool.h>
#include <stdio.h>

/* ---- Lanes ----------------------------------------------------------------------------------- */

static bool takes_part(const struct warp_access *access, int lane)
{
	return access->lanes >> lane & 1;
}

static int lanes_of(const struct warp_access *access)
{
	return (int)access->model->lanes;
}

/* Writes the addresses of the active lanes among first to first + count - 1, ascending. Most requests
 * have this order already. An insertion sort then only copies them. */
static int sorted_addresses(
	const struct warp_access *access, int first, int count, uint64_t ret_sorted[MAX_LANES])
{
	int found = 0;

	for (int lane = first; lane < first + count; lane++) {
		uint64_t address = access->address[lane];
		int at = found;

		if (!takes_part(access, lane))
			continue;
		for (; at > 0 && ret_sorted[at - 1] > address; at--)
			ret_sorted[at] = ret_sorted[at - 1];
		ret_sorted[at] = address;
		found++;
	}
	return found;
}

/* ---- Global memory --------------------------------------------------------------------------- */

/* Number of aligned pieces of `unit` bytes, a power of two, that ranges of `width` bytes overlap. sorted:
 * the starts of the ranges, ascending. */
static uint32_t count_pieces(const uint64_t *sorted, int count, uint32_t width, uint32_t unit)
{
	int bits = __builtin_ctz(unit);
	uint64_t next = 0; /* pieces with a lower number are already counted */
	uint32_t pieces = 0;

	for (int i = 0; i < count; i++) {
		uint64_t first = sorted[i] >> bits;
		uint64_t end = ((sorted[i] + width - 1) >> bits) + 1;

		first = first > next ? first : next;
		if (end > first)
			pieces += (uint32_t)(end - first);
		next = end > next ? end : next;
	}
	return pieces;
}

struct global_cost access_global(const struct warp_access *access)
{
	const struct access_model *model = access->model;
	uint64_t sorted[MAX_LANES];
	int count = sorted_addresses(access, 0, lanes_of(access), sorted);
	struct global_cost cost = {
		.sectors = count_pieces(sorted, count, access->width_bytes, model->sector_bytes),
		.lines = count_pieces(sorted, count, access->width_bytes, model->line_bytes),
		.bytes_unique = count_pieces(sorted, count, access->width_bytes, 1),
		.alignment_bytes = model->line_bytes,
	};

	while (count > 0 && sorted[0] % cost.alignment_bytes != 0)
		cost.alignment_bytes /= 2;
	return cost;
}

/* ---- Shared memory --------------------------------------------------------------------------- */

/* Largest number of different words of one bank among the lanes of a phase. */
static uint32_t phase_ways(const struct warp_access *access, int first, int lanes)
{
	const struct access_model *model = access->model;
	uint64_t sorted[MAX_LANES];
	uint32_t of_bank[MAX_BANKS] = {0};
	int count = sorted_addresses(access, first, lanes, sorted);
	int bits = __builtin_ctz(model->bank_bytes);
	uint64_t next = 0; /* words with a lower number are already counted */
	uint32_t max = 0;

	for (int i = 0; i < count; i++) {
		uint64_t word = sorted[i] >> bits;
		uint64_t end = ((sorted[i] + access->width_bytes - 1) >> bits) + 1;

		for (word = word > next ? word : next; word < end; word++) {
			uint32_t *words = &of_bank[word & (model->banks - 1)];
			++*words;
			max = *words > max ? *words : max;
		}
		next = end > next ? end : next;
	}
	return max;
}

/* The number of lanes of a phase, a power of two. */
static int phase_lanes(const struct access_model *model, uint32_t width_bytes)
{
	uint32_t lanes = model->lanes;

	while (model->banks && lanes > 1 && lanes * width_bytes > model->banks * model->bank_bytes)
		lanes /= 2;
	return (int)lanes;
}

static bool has_lanes(const struct warp_access *access, int first, int end)
{
	while (first < end && !takes_part(access, first))
		first++;
	return first < end;
}

/* Whether every active lane of a part of the warp has the address of the lane `distance` places
 * away. */
static bool is_paired(const struct warp_access *access, int first, int end, int distance)
{
	for (int lane = first; lane < end; lane++) {
		int other = lane ^ distance;

		if (takes_part(access, lane) && takes_part(access, other) &&
			access->address[lane] != access->address[other])
			return false;
	}
	return true;
}

/* The end of the phase that begins at lane `first`: one or two times phase_lanes() lanes. */
static int phase_end(const struct warp_access *access, int first)
{
	const struct access_model *model = access->model;
	int lanes = phase_lanes(model, access->width_bytes);
	int end = first + 2 * lanes;

	if (!model->joins_pairs || access->width_bytes <= model->bank_bytes ||
		end > lanes_of(access) || first % (2 * lanes) != 0 ||
		!has_lanes(access, first, first + lanes) || !has_lanes(access, first + lanes, end))
		return first + lanes;
	return is_paired(access, first, end, 1) || is_paired(access, first, end, 2) ? end
										    : first + lanes;
}

struct shared_cost access_shared(const struct warp_access *access)
{
	struct shared_cost cost = {0};
	int end;

	for (int first = 0; first < lanes_of(access) && access->model->banks; first = end) {
		end = phase_end(access, first);
		uint32_t ways = phase_ways(access, first, end - first);

		cost.phases += ways > 0;
		cost.wavefronts += ways;
		cost.ways = ways > cost.ways ? ways : cost.ways;
	}
	return cost;
}

uint32_t access_multiplicity(const struct warp_access *access)
{
	uint64_t sorted[MAX_LANES];
	int count = sorted_addresses(access, 0, lanes_of(access), sorted);
	uint32_t max = 0;
	uint32_t run = 0;

	for (int i = 0; i < count; i++) {
		run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
		max = run > max ? run : max;
	}
	return max;
}

/* ---- Patterns -------------------------------------------------------------------------------- */

struct step {
	bool known; /* two lanes of one run are active */
	bool even;  /* the same distance in every run */
	int64_t bytes;
};

/* The distance in bytes from lane to lane within runs of `run` lanes. */
static struct step step_within(const struct warp_access *access, int run)
{
	struct step step = {.even = true};

	for (int first = 0; first < lanes_of(access); first += run) {
		int before = -1;
		for (int lane = first; lane < first + run; lane++) {
			if (!takes_part(access, lane))
				continue;
			if (before >= 0) {
				int64_t distance =
					(int64_t)(access->address[lane] - access->address[before]);
				int gap = lane - before;
				int64_t bytes = gap == 1 ? distance : distance / gap;
				step.even &= distance == bytes * gap &&
					     (!step.known || bytes == step.bytes);
				step.bytes = bytes;
				step.known = true;
			}
			before = lane;
		}
	}
	return step;
}

struct access_pattern access_pattern(const struct warp_access *access)
{
	int64_t width = access->width_bytes;
	int lanes = lanes_of(access);

	if ((access->lanes & (access->lanes - 1)) == 0)
		return (struct access_pattern){.kind = PATTERN_SINGLE, .run = lanes};
	for (int run = lanes; run >= 2; run /= 2) {
		struct step step = step_within(access, run);
		if (!step.known || !step.even || step.bytes % width != 0)
			continue;
		/* Two lanes always have some distance. Only equal or neighbouring elements are a
		 * pattern. */
		if (run == 2 && step.bytes != 0 && step.bytes != width)
			continue;
		int64_t stride = step.bytes / width;
		if (stride > INT32_MAX || stride < INT32_MIN)
			continue;
		return (struct access_pattern){.kind = stride == 0   ? PATTERN_BROADCAST
						       : stride == 1 ? PATTERN_CONTIGUOUS
								     : PATTERN_STRIDE,
			.stride = stride == 0 || stride == 1 ? 0 : (int32_t)stride,
			.run = run};
	}
	return (struct access_pattern){.kind = PATTERN_SCATTERED, .run = lanes};
}

void access_pattern_text(const struct access_pattern *pattern, const struct access_model *model,
	char *ret_text, size_t size)
{
	static const char *const names[] = {[PATTERN_SINGLE] = "one lane",
		[PATTERN_BROADCAST] = "broadcast",
		[PATTERN_CONTIGUOUS] = "contiguous",
		[PATTERN_STRIDE] = "stride",
		[PATTERN_SCATTERED] = "scattered",
		[PATTERN_MIXED] = "mixed"};
	char stride[16] = "";
	char run[32] = "";

	if (pattern->kind == PATTERN_STRIDE)
		snprintf(stride, sizeof stride, " %d", pattern->stride);
	if (pattern->run < (int)model->lanes)
		snprintf(run, sizeof run, " in runs of %d", pattern->run);
	snprintf(ret_text, size, "%s%s%s", names[pattern->kind], stride, run);
}

/* ---- Passes over the banks ------------------------------------------------------------------ */

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
	ret_map->phase_lanes = phase_lanes(model, access->width_bytes);
	for (int first = 0, phase = 0; model->banks && first < (int)model->lanes;
		first = end, phase++) {
		size_t first_pass = ret_map->pass_count;

		end = phase_end(access, first);
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
