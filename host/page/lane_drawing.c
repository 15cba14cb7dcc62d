#include "host/page/lane_drawing.h"

#include <inttypes.h>
#include <stdbool.h>

/* Width of a lane, a bank and a word of four bytes. The widths are equal, so a contiguous request
 * is exactly below its lanes. */
#define CELL 18
#define LEFT 96
#define RIGHT 124
#define WORD_BYTES 4
#define STRIP_TOP 4
#define STRIP_HEIGHT 17
#define MEMORY_TOP 38
#define BANKS_TOP 50
#define BYTE_WIDTH ((double)CELL / WORD_BYTES)
#define FEW_ROWS 8
#define PHASE_GAP 6
#define DESCRIBED_ROWS 4

/* ---- Texts ----------------------------------------------------------------------------------- */

static int lowest_lane(uint64_t lanes)
{
	return __builtin_ctzll(lanes);
}

static int highest_lane(uint64_t lanes)
{
	return 63 - __builtin_clzll(lanes);
}

static int lane_count(uint64_t lanes)
{
	return __builtin_popcountll(lanes);
}

/* Returns the distance between neighbouring active lanes; 0 if it varies. There must be at least
 * two active lanes. */
static int lane_step(uint64_t lanes)
{
	uint64_t rest = lanes & (lanes - 1);
	int step = lowest_lane(rest) - lowest_lane(lanes);

	for (int lane = lowest_lane(lanes); lane <= highest_lane(lanes); lane++)
		if ((lanes >> lane & 1) != ((lane - lowest_lane(lanes)) % step == 0))
			return 0;
	return step;
}

void lane_drawing_lanes_text(uint64_t lanes, char *ret_text, size_t size)
{
	int count = lane_count(lanes);
	int step = count > 1 ? lane_step(lanes) : 0;

	if (count == 1)
		snprintf(ret_text, size, "lane %d", lowest_lane(lanes));
	else if (count == 2)
		snprintf(ret_text, size, "lanes %d, %d", lowest_lane(lanes), highest_lane(lanes));
	else if (step == 1)
		snprintf(ret_text, size, "lanes %d to %d", lowest_lane(lanes), highest_lane(lanes));
	else if (step > 1)
		snprintf(ret_text, size, "lanes %d, %d, ... %d", lowest_lane(lanes),
			lowest_lane(lanes) + step, highest_lane(lanes));
	else
		snprintf(ret_text, size, "%d lanes", count);
}

/* ---- Elements -------------------------------------------------------------------------------- */

/* Returns the number of cells beside each other: lanes, banks, or words of a line. */
static int columns_of(const struct access_model *model)
{
	uint32_t columns = model->line_bytes / WORD_BYTES;

	columns = columns > model->banks ? columns : model->banks;
	return (int)(columns > model->lanes ? columns : model->lanes);
}

static void begin_drawing(FILE *out, unsigned number, const struct access_model *model,
	double height, const char *title)
{
	int width = LEFT + columns_of(model) * CELL + RIGHT;

	fprintf(out,
		"<div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-label=\"Drawing\">"
		"<svg class=\"lanes\" role=\"img\" aria-labelledby=\"lanes-%u-title lanes-%u-desc\""
		" viewBox=\"0 0 %d %g\" width=\"%d\" height=\"%g\">\n"
		"<title id=\"lanes-%u-title\">%s</title>\n<desc id=\"lanes-%u-desc\">",
		number, number, width, height, width, height, number, title, number);
}

static void end_drawing(FILE *out)
{
	fputs("</svg></div>\n", out);
}

static void put_text(FILE *out, const char *class, double x, double y, const char *text)
{
	fprintf(out, "<text class=\"%s\" x=\"%g\" y=\"%g\">%s</text>", class, x, y, text);
}

/* Writes a box inside its cell, as a part of a path. */
static void put_box(FILE *out, double x, double y, double width, double height)
{
	fprintf(out, "M%g %gh%gv%gh%gz", x + 0.5, y + 0.5, width - 1, height - 1, 1 - width);
}

static void begin_path(FILE *out, const char *class)
{
	fprintf(out, "<path class=\"%s\" d=\"", class);
}

static void end_path(FILE *out)
{
	fputs("\"/>\n", out);
}

static double lane_x(int lane)
{
	return LEFT + lane * CELL;
}

/* Begins a group of texts of one colour. */
static void begin_texts(FILE *out, const char *class)
{
	fprintf(out, "<g class=\"%s\">", class);
}

static void end_texts(FILE *out)
{
	fputs("</g>\n", out);
}

/* Writes "5" (the lane), or "4x" for a cell that four lanes share. */
static void put_cell_text(FILE *out, double middle, double baseline, uint64_t lanes)
{
	int count = lane_count(lanes);

	fprintf(out, "<text%s x=\"%g\" y=\"%g\">%d%s</text>", count < 10 ? "" : " class=\"narrow\"",
		middle, baseline, count == 1 ? lowest_lane(lanes) : count, count == 1 ? "" : "×");
}

/* Writes boxes and numbers of the lanes. Writes nothing if there are no lanes. */
static void put_lanes(FILE *out, const char *boxes, const char *texts, uint64_t lanes)
{
	if (!lanes)
		return;
	begin_path(out, boxes);
	for (int lane = 0; lane < MAX_LANES; lane++)
		if (lanes >> lane & 1)
			put_box(out, lane_x(lane), STRIP_TOP, CELL, STRIP_HEIGHT);
	end_path(out);
	begin_texts(out, texts);
	for (int lane = 0; lane < MAX_LANES; lane++)
		if (lanes >> lane & 1)
			put_cell_text(out, lane_x(lane) + CELL / 2.0, STRIP_TOP + 12.5,
				(uint64_t)1 << lane);
	end_texts(out);
}

/* Writes the row of lanes. lanes: the active lanes; waiting: the active lanes that wait. */
static void put_strip(FILE *out, const struct access_model *model, uint64_t lanes, uint64_t waiting)
{
	const uint64_t all = UINT64_MAX >> (64 - model->lanes);

	put_text(out, "label", LEFT - 8, STRIP_TOP + 13, "lane");
	put_lanes(out, "inactive", "dim", all & ~lanes);
	put_lanes(out, "lane", "on-lane", lanes & ~waiting);
	put_lanes(out, "waits", "on-waits", waiting);
}

static void put_row_labels(FILE *out, const struct access_model *model, const char *left,
	uint64_t lanes, double top, double height)
{
	char text[48];
	double baseline = top + height / 2 + 3.5;

	put_text(out, "label", LEFT - 8, baseline, left);
	lane_drawing_lanes_text(lanes, text, sizeof text);
	put_text(out, "side", LEFT + columns_of(model) * CELL + 8, baseline, text);
}

static double row_height(size_t rows)
{
	return rows > FEW_ROWS ? 13 : 18;
}

/* ---- Global memory --------------------------------------------------------------------------- */

/* Finds the bytes of a lane that are in a line. Returns false if there are none. */
static bool bytes_in_line(const struct warp_access *access, int lane, uint64_t number,
	double *ret_first, double *ret_count)
{
	const uint64_t line_bytes = access->model->line_bytes;
	uint64_t begin = number * line_bytes;
	uint64_t first = access->address[lane];
	uint64_t end = first + access->width_bytes;

	if (!(access->lanes >> lane & 1) || first >= begin + line_bytes || end <= begin)
		return false;
	first = first > begin ? first : begin;
	end = end < begin + line_bytes ? end : begin + line_bytes;
	*ret_first = (double)(first - begin);
	*ret_count = (double)(end - first);
	return true;
}

/* Returns all lanes that request this address. */
static uint64_t lanes_at(const struct warp_access *access, uint64_t address)
{
	uint64_t lanes = 0;

	for (int lane = 0; lane < (int)access->model->lanes; lane++)
		if (access->lanes >> lane & 1 && access->address[lane] == address)
			lanes |= (uint64_t)1 << lane;
	return lanes;
}

static int sectors_of_line(const struct access_model *model)
{
	return (int)(model->line_bytes / model->sector_bytes);
}

/* Writes sectors of a line. sectors: bit i is sector i. */
static void put_sectors(FILE *out, const struct access_model *model, const char *class,
	uint32_t sectors, double top, double height)
{
	double width = model->sector_bytes * BYTE_WIDTH;

	if (!sectors)
		return;
	begin_path(out, class);
	for (int i = 0; i < sectors_of_line(model); i++)
		if (sectors >> i & 1)
			put_box(out, LEFT + i * width, top, width, height);
	end_path(out);
}

static void put_requested(FILE *out, const struct warp_access *access,
	const struct line_touch *line, double top, double height)
{
	double first, count;
	double inset = height < CELL ? 1 : 2;

	begin_path(out, "requested");
	for (int lane = 0; lane < (int)access->model->lanes; lane++)
		if (bytes_in_line(access, lane, line->number, &first, &count) &&
			lowest_lane(lanes_at(access, access->address[lane])) == lane)
			put_box(out, LEFT + first * BYTE_WIDTH, top + inset, count * BYTE_WIDTH,
				height - 2 * inset);
	end_path(out);
	if (access->width_bytes < WORD_BYTES)
		return;
	begin_texts(out, "on-requested");
	for (int lane = 0; lane < (int)access->model->lanes; lane++) {
		uint64_t lanes = lanes_at(access, access->address[lane]);
		if (!bytes_in_line(access, lane, line->number, &first, &count) ||
			lowest_lane(lanes) != lane || count < WORD_BYTES)
			continue;
		put_cell_text(out, LEFT + (first + count / 2) * BYTE_WIDTH, top + height / 2 + 3.5,
			lanes);
	}
	end_texts(out);
}

static void describe_lines(
	FILE *out, const struct access_model *model, const struct sector_map *map)
{
	char lanes[48];

	for (size_t i = 0; i < map->line_count && i < DESCRIBED_ROWS; i++) {
		lane_drawing_lanes_text(map->lines[i].lanes, lanes, sizeof lanes);
		fprintf(out, "Line at byte %" PRIu64 ": %d of %d sectors, %s. ",
			map->lines[i].number * model->line_bytes,
			__builtin_popcount(map->lines[i].sectors), sectors_of_line(model), lanes);
	}
	if (map->line_count > DESCRIBED_ROWS)
		fprintf(out, "%zu more lines.", map->line_count - DESCRIBED_ROWS);
}

void lane_drawing_sectors(
	FILE *out, unsigned number, const struct warp_access *access, const struct sector_map *map)
{
	const struct access_model *model = access->model;
	const uint32_t all = UINT32_MAX >> (32 - sectors_of_line(model));
	double height = row_height(map->line_count);
	char text[120];

	snprintf(text, sizeof text, "%d lanes of a warp touch %u sector%s of global memory",
		lane_count(access->lanes), map->sectors, map->sectors == 1 ? "" : "s");
	begin_drawing(
		out, number, model, MEMORY_TOP + (height + 2) * (double)map->line_count + 4, text);
	describe_lines(out, model, map);
	fputs("</desc>\n", out);
	put_strip(out, access->model, access->lanes, 0);
	for (size_t i = 0; i < map->line_count; i++) {
		const struct line_touch *line = &map->lines[i];
		double top = MEMORY_TOP + (height + 2) * (double)i;
		snprintf(text, sizeof text, "byte %" PRIu64, line->number * model->line_bytes);
		put_row_labels(out, model, text, line->lanes, top, height);
		put_sectors(out, model, "untouched", all & ~line->sectors, top, height);
		put_sectors(out, model, "sector", line->sectors, top, height);
		put_requested(out, access, line, top, height);
		fputc('\n', out);
	}
	end_drawing(out);
}

/* ---- Shared memory --------------------------------------------------------------------------- */

static uint64_t lanes_of_pass(const struct bank_pass *pass)
{
	uint64_t lanes = 0;

	for (int bank = 0; bank < MAX_BANKS; bank++)
		lanes |= pass->lanes[bank];
	return lanes;
}

/* A phase takes at least one pass. All passes after the first one are extra passes. */
static bool is_extra(const struct bank_map *map, size_t pass)
{
	return pass > 0 && map->passes[pass - 1].phase == map->passes[pass].phase;
}

static double pass_top(const struct bank_map *map, size_t pass)
{
	int gaps = map->passes[pass].phase - map->passes[0].phase;

	return BANKS_TOP + row_height(map->pass_count) * (double)pass + gaps * PHASE_GAP;
}

static void describe_passes(FILE *out, const struct access_model *model, const struct bank_map *map)
{
	char lanes[48];

	for (size_t i = 0; i < map->pass_count && i < DESCRIBED_ROWS; i++) {
		int busy = 0;
		for (int bank = 0; bank < MAX_BANKS; bank++)
			busy += map->passes[i].lanes[bank] != 0;
		lane_drawing_lanes_text(lanes_of_pass(&map->passes[i]), lanes, sizeof lanes);
		fprintf(out, "Pass %zu: %d of %u banks serve %s. ", i + 1, busy, model->banks,
			lanes);
	}
	if (map->pass_count > DESCRIBED_ROWS)
		fprintf(out, "%zu more passes.", map->pass_count - DESCRIBED_ROWS);
}

/* Writes a grid. Its empty cells are the banks that serve no word. */
static void put_grid(FILE *out, int banks, double top, double height)
{
	begin_path(out, "banks");
	for (int bank = 0; bank <= banks; bank++)
		fprintf(out, "M%g %gv%g", lane_x(bank), top, height);
	fprintf(out, "M%d %gh%dM%d %gh%d", LEFT, top, banks * CELL, LEFT, top + height,
		banks * CELL);
	end_path(out);
}

static void put_pass(
	FILE *out, const struct access_model *model, const struct bank_map *map, size_t number)
{
	const struct bank_pass *pass = &map->passes[number];
	const bool extra = is_extra(map, number);
	double height = row_height(map->pass_count);
	double top = pass_top(map, number);
	char text[32];

	put_grid(out, (int)model->banks, top, height);
	begin_path(out, extra ? "extra" : "requested");
	for (int bank = 0; bank < MAX_BANKS; bank++)
		if (pass->lanes[bank])
			put_box(out, lane_x(bank), top, CELL, height);
	end_path(out);
	begin_texts(out, extra ? "on-extra" : "on-requested");
	for (int bank = 0; bank < MAX_BANKS; bank++)
		if (pass->lanes[bank])
			put_cell_text(out, lane_x(bank) + CELL / 2.0, top + height / 2 + 3.5,
				pass->lanes[bank]);
	end_texts(out);
	snprintf(text, sizeof text, "pass %zu", number + 1);
	put_row_labels(out, model, text, lanes_of_pass(pass), top, height);
	fputc('\n', out);
}

void lane_drawing_banks(
	FILE *out, unsigned number, const struct warp_access *access, const struct bank_map *map)
{
	const struct access_model *model = access->model;
	char text[120];

	snprintf(text, sizeof text,
		"%d lanes of a warp need %zu pass%s over the banks of shared memory",
		lane_count(access->lanes), map->pass_count, map->pass_count == 1 ? "" : "es");
	begin_drawing(out, number, model,
		pass_top(map, map->pass_count - 1) + row_height(map->pass_count) + 4, text);
	describe_passes(out, model, map);
	fputs("</desc>\n", out);
	put_strip(out, access->model, access->lanes, 0);
	put_text(out, "label", LEFT - 8, BANKS_TOP - 6, "bank");
	begin_texts(out, "dim");
	for (int bank = 0; bank < (int)model->banks; bank++)
		put_cell_text(out, lane_x(bank) + CELL / 2.0, BANKS_TOP - 6, (uint64_t)1 << bank);
	end_texts(out);
	for (size_t i = 0; i < map->pass_count; i++)
		put_pass(out, model, map, i);
	end_drawing(out);
}

/* ---- Branches -------------------------------------------------------------------------------- */

void lane_drawing_split(FILE *out, unsigned number, const struct access_model *model,
	uint64_t lanes, uint64_t first)
{
	uint64_t waiting = lanes & ~first;
	char text[120];

	snprintf(text, sizeof text, "%d lanes of a warp reach the branch", lane_count(lanes));
	begin_drawing(out, number, model, STRIP_TOP + STRIP_HEIGHT + 4, text);
	if (first) {
		lane_drawing_lanes_text(first, text, sizeof text);
		fprintf(out, "Run first: %s. ", text);
	}
	if (waiting) {
		lane_drawing_lanes_text(waiting, text, sizeof text);
		fprintf(out, "Wait: %s.", text);
	}
	fputs("</desc>\n", out);
	put_strip(out, model, lanes, waiting);
	end_drawing(out);
}

/* ---- Key ------------------------------------------------------------------------------------- */

void lane_drawing_mark(FILE *out, enum lane_mark mark)
{
	static const char *const classes[MARK_COUNT] = {[MARK_INACTIVE] = "inactive",
		[MARK_REQUESTED] = "requested",
		[MARK_SECTOR] = "sector",
		[MARK_EXTRA_PASS] = "extra",
		[MARK_WAITS] = "waits"};

	fprintf(out,
		"<svg class=\"lanes mark\" aria-hidden=\"true\" viewBox=\"0 0 %d %d\" width=\"%d\""
		" height=\"%d\">",
		CELL, CELL, CELL, CELL);
	begin_path(out, classes[mark]);
	put_box(out, 0, 0, CELL, CELL);
	end_path(out);
	fputs("</svg>", out);
}
