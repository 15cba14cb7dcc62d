/* Drawings of requests: each drawing agrees with the counted costs of its request. */
#include "host/page/lane_drawing.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define ALL 0xffffffffu

/* ---- Reading a drawing ----------------------------------------------------------------------- */

struct drawing {
	char *text; /* owned */
	size_t length;
	FILE *out;
};

static void begin(struct drawing *drawing)
{
	*drawing = (struct drawing){0};
	drawing->out = open_memstream(&drawing->text, &drawing->length);
	assert_non_null(drawing->out);
}

static unsigned count(const char *text, const char *end, const char *part)
{
	unsigned found = 0;

	for (; (text = strstr(text, part)) && text < end; text++)
		found++;
	return found;
}

/* Boxes of all paths of a class. */
static unsigned boxes(const struct drawing *drawing, const char *class)
{
	char start[64];
	unsigned found = 0;

	snprintf(start, sizeof start, "<path class=\"%s\" d=\"", class);
	for (const char *path = drawing->text; (path = strstr(path, start)); path++)
		found += count(path, strstr(path, "/>"), "M");
	return found;
}

static unsigned parts(const struct drawing *drawing, const char *part)
{
	return count(drawing->text, drawing->text + drawing->length, part);
}

/* Every drawing has a title and a description, and no script, style or external reference. */
static void check_drawing(const struct drawing *drawing)
{
	static const char *const wanted[] = {"role=\"img\"",
		"aria-labelledby=\"lanes-7-title lanes-7-desc\"", "<title id=\"lanes-7-title\">",
		"<desc id=\"lanes-7-desc\">", "</desc>", "viewBox=\"0 0 "};
	static const char *const forbidden[] = {
		"style=", "<script", "href", "url(", "nan", "inf", "fill=", "stroke="};

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (parts(drawing, wanted[i]) != 1)
			test_fail("not once %s: %s", wanted[i], drawing->text);
	for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
		if (parts(drawing, forbidden[i]))
			test_fail("%s: %s", forbidden[i], drawing->text);
	assert_int_equal(parts(drawing, "<text "), parts(drawing, "</text>"));
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* Lane t requests base + t * step. */
static const struct request_row {
	const char *name;
	uint64_t base;
	uint32_t width;
	int64_t step;
	uint32_t lanes;
	const char *text; /* part of the drawing of sectors */
} rows[] = {
	{"contiguous", 0, 4, 4, ALL, ">lanes 0 to 31<"},
	{"a transposed access", 0, 4, 1024, ALL, ">byte 31744<"},
	{"stride 2", 0, 4, 8, ALL, ">lanes 16 to 31<"},
	{"misaligned", 4, 4, 4, ALL, ">lane 31<"},
	{"broadcast", 64, 4, 0, ALL, ">32×<"},
	{"inactive lanes", 0, 4, 4, 0x55555555, ">lanes 0, 2, ... 30<"},
	{"two lanes", 0, 4, 4, 0x00010002, ">lanes 1, 16<"},
	{"lanes without a regular pattern", 0, 4, 4, 0x0000000b, ">3 lanes<"},
	{"one lane", 0, 4, 4, 1u << 9, ">lane 9<"},
	{"bytes", 0, 1, 1, ALL, ">byte 0<"},
	{"8 bytes", 0, 8, 8, ALL, ">byte 128<"},
	{"16 bytes, misaligned", 8, 16, 16, ALL, ">byte 512<"},
	{"a column of tile[32][32]", 0, 4, 128, ALL, ">byte 3968<"},
	{"a column of tile[32][33]", 0, 4, 132, ALL, ">byte 3968<"},
	{"as far as possible", (uint64_t)1 << 48, 16, 1 << 20, ALL, ">byte 281474976710656<"},
};

static struct warp_access make(const struct request_row *row)
{
	struct warp_access access = {
		.model = access_model_default(), .lanes = row->lanes, .width_bytes = row->width};

	for (int lane = 0; lane < WARP_THREADS; lane++)
		access.address[lane] = row->base + (uint64_t)(lane * row->step);
	return access;
}

static void check_sectors(const struct warp_access *access, const char *text)
{
	const struct access_model *model = access->model;
	struct global_cost cost = access_global(access);
	struct sector_map map;
	struct drawing drawing;

	request_map_sectors(access, &map);
	begin(&drawing);
	lane_drawing_sectors(drawing.out, 7, access, &map);
	fclose(drawing.out);
	check_drawing(&drawing);
	assert_int_equal(boxes(&drawing, "sector"), cost.sectors);
	assert_int_equal(boxes(&drawing, "sector") + boxes(&drawing, "untouched"),
		model->line_bytes / model->sector_bytes * cost.lines);
	assert_int_equal(boxes(&drawing, "lane"), __builtin_popcountll(access->lanes));
	assert_int_equal(boxes(&drawing, "lane") + boxes(&drawing, "inactive"), model->lanes);
	assert_int_equal(parts(&drawing, ">byte "), cost.lines);
	if (!strstr(drawing.text, text))
		test_fail("no %s: %s", text, drawing.text);
	free(drawing.text);
}

static void sectors(const void *context)
{
	const struct request_row *row = context;
	struct warp_access access = make(row);

	check_sectors(&access, row->text);
}

static void check_banks(const struct warp_access *access)
{
	struct shared_cost cost = access_shared(access);
	struct bank_map map;
	struct drawing drawing;
	unsigned words = 0;

	request_map_banks(access, &map);
	for (size_t i = 0; i < map.pass_count; i++)
		for (uint32_t bank = 0; bank < access->model->banks; bank++)
			words += map.passes[i].lanes[bank] != 0;
	begin(&drawing);
	lane_drawing_banks(drawing.out, 7, access, &map);
	fclose(drawing.out);
	check_drawing(&drawing);
	assert_int_equal(parts(&drawing, ">pass "), cost.wavefronts);
	assert_int_equal(parts(&drawing, "<path class=\"requested\""), cost.phases);
	assert_int_equal(parts(&drawing, "<path class=\"extra\""), cost.wavefronts - cost.phases);
	assert_int_equal(boxes(&drawing, "requested") + boxes(&drawing, "extra"), words);
	free(drawing.text);
}

static void banks(const void *context)
{
	const struct request_row *row = context;
	struct warp_access access = make(row);

	check_banks(&access);
}

/* All lanes of a model, words next to each other and words of one bank. */
static const struct model_row {
	const char *model;
	uint32_t lanes; /* 0: the model's own width */
	const char *text, *last;
} model_rows[] = {
	{"sm_90", 8, ">lanes 0 to 7<", ">byte 896<"},
	{"sm_90", 64, ">lanes 32 to 63<", ">byte 8064<"},
	{"gfx942", 0, ">lanes 32 to 63<", ">byte 8064<"},
	{"gfx1100", 0, ">lanes 0 to 31<", ">byte 3968<"},
	{"xe-hpg", 0, ">lanes 0 to 15<", ">byte 1920<"},
};

static void models(const void *context)
{
	const struct model_row *row = context;
	const struct access_model *own = access_model_find(row->model);
	const struct access_model *model =
		row->lanes ? access_model_with_lanes(own, row->lanes) : own;
	struct warp_access access = {.model = model, .width_bytes = 4};

	access.lanes = UINT64_MAX >> (64 - model->lanes);
	for (uint64_t lane = 0; lane < model->lanes; lane++)
		access.address[lane] = 4 * lane;
	check_sectors(&access, row->text);
	check_banks(&access);
	for (uint64_t lane = 0; lane < model->lanes; lane++)
		access.address[lane] = 128 * lane;
	check_sectors(&access, row->last);
	check_banks(&access);
}

/* ---- Branches -------------------------------------------------------------------------------- */

static const struct split_row {
	const char *name;
	uint32_t lanes, first;
	const char *text;
} split_rows[] = {
	{"every other lane", ALL, 0x55555555,
		"Run first: lanes 0, 2, ... 30. Wait: lanes 1, 3, ... 31."},
	{"one lane", ALL, 1, "Run first: lane 0. Wait: lanes 1 to 31."},
	{"inactive lanes", 0xff, 0x0f, "Run first: lanes 0 to 3. Wait: lanes 4 to 7."},
	{"no lane first", 0xff, 0, "<desc id=\"lanes-7-desc\">Wait: lanes 0 to 7."},
	{"no lane waits", 0xff, 0xff, "Run first: lanes 0 to 7. </desc>"},
};

static void split(const void *context)
{
	const struct split_row *row = context;
	struct drawing drawing;

	begin(&drawing);
	lane_drawing_split(drawing.out, 7, access_model_default(), row->lanes, row->first);
	fclose(drawing.out);
	check_drawing(&drawing);
	assert_int_equal(boxes(&drawing, "lane"), __builtin_popcount(row->first));
	assert_int_equal(boxes(&drawing, "waits"), __builtin_popcount(row->lanes & ~row->first));
	assert_int_equal(boxes(&drawing, "inactive"), __builtin_popcount(~row->lanes));
	if (!strstr(drawing.text, row->text))
		test_fail("no %s: %s", row->text, drawing.text);
	free(drawing.text);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		test_add(&list, sectors, &rows[i], "sectors: %s", rows[i].name);
		test_add(&list, banks, &rows[i], "banks: %s", rows[i].name);
	}
	for (size_t i = 0; i < sizeof model_rows / sizeof *model_rows; i++)
		test_add(&list, models, &model_rows[i], "model: %s, %u lanes", model_rows[i].model,
			model_rows[i].lanes);
	for (size_t i = 0; i < sizeof split_rows / sizeof *split_rows; i++)
		test_add(&list, split, &split_rows[i], "branch: %s", split_rows[i].name);
	return test_run(&list, argc, argv);
}
