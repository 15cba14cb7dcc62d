/* Examples of a trace as records (host/record/explanation.h). */
#include "host/explain/explain.c"
#include "host/page/page.c"
#include "tests/support/records.h"
#include "tests/support/test.h"

#define ODD 0xaaaaaaaau

/* ---- Requests -------------------------------------------------------------------------------- */

/* Every other lane requests 4 bytes, 132 bytes from lane to lane. */
static struct pattern_votes strided(void)
{
	struct pattern_votes votes = {.pattern = {.kind = PATTERN_STRIDE, .stride = 33, .run = 32},
		.requests = 5,
		.example = {.model = access_model_default(), .lanes = ODD, .width_bytes = 4},
		.place = {.block = 7, .warp = 2}};

	for (unsigned lane = 0; lane < WARP_THREADS; lane++)
		votes.example.address[lane] = lane & 1 ? 0x10000 + 4 + 132 * (uint64_t)lane : 3;
	return votes;
}

static void finish(struct access_record *record)
{
	record_finish(&access_type, record);
}

static struct access_record new_access(void)
{
	struct access_record record;

	record_init(&access_type, &record);
	record.width_bytes = 4;
	return record;
}

static const enum trace_space spaces[] = {TRACE_GLOBAL, TRACE_SHARED};

TEST_ROWS(set, spaces, "request: %s memory", trace_space_words[*row])
{
	enum trace_space space = *row;
	FINISHED(finish) struct access_record record = new_access();
	struct pattern_votes votes = strided();

	CHECK(IS(request_record_set(&record.request, space, &votes)),
		IS(record.request.record.present), EQUAL(record.request.block, 7),
		EQUAL(record.request.warp, 2), EQUAL(record.request.requests, 5),
		STRING(record.request.pattern, "stride 33"),
		EQUAL(record.request.offsets.count, WARP_THREADS));
	/* The lowest address is 0x10000 + 136: its line begins at 0x10080. */
	for (int lane = 0; lane < WARP_THREADS; lane++)
		EQUAL(record.request.offsets.items[lane], lane & 1 ? 4 + 132 * lane - 128 : -1);
	EQUAL(record.request.banks.count, space == TRACE_SHARED ? WARP_THREADS : 0);
	for (size_t lane = 0; lane < record.request.banks.count; lane++)
		EQUAL(record.request.banks.items[lane], lane & 1 ? (int)(1 + 33 * lane) % 32 : -1);
}

TEST(read_back, "request: read back")
{
	FINISHED(finish) struct access_record record = new_access();
	struct pattern_votes votes = strided();
	struct warp_access access;

	CHECK(IS(request_record_set(&record.request, TRACE_GLOBAL, &votes)),
		IS(request_record_read(&record, access_model_default(), &access)),
		EQUAL(access.lanes, ODD), EQUAL(access.width_bytes, 4));
	for (int lane = 1; lane < WARP_THREADS; lane += 2)
		EQUAL(access.address[lane], votes.example.address[lane] - 0x10080);
	EQUAL(access_global(&access).sectors, access_global(&votes.example).sectors);
}

TEST(set_nothing, "request: none")
{
	FINISHED(finish) struct access_record record = new_access();
	struct pattern_votes votes = {0};
	struct warp_access access;

	IS(request_record_set(&record.request, TRACE_GLOBAL, &votes));
	NOT(record.request.record.present);
	NOT(request_record_read(&record, access_model_default(), &access));
}

/* Requests that a file can have, but a trace cannot. */
static const struct refused_row {
	const char *name;
	size_t count;
	int64_t width, first, rest; /* the offset of lane 0 and of the others */
} refused_rows[] = {
	{"no lanes", 0, 4, 0, 0},
	{"a lane too few", 31, 4, 0, 0},
	{"a lane too many", 33, 4, 0, 0},
	{"no active lane", 32, 4, -1, -1},
	{"a negative offset", 32, 4, -2, 0},
	{"an offset out of range", 32, 4, INT64_MAX, 0},
	{"no width", 32, 0, 0, 0},
	{"a negative width", 32, -4, 0, 0},
	{"a width out of range", 32, 17, 0, 0},
};

TEST_ROWS(refuse, refused_rows, "request: refused: %s", row->name)
{
	FINISHED(finish) struct access_record record = new_access();
	struct warp_access access = {.lanes = 9};

	record.request.record.present = true;
	record.width_bytes = row->width;
	for (size_t i = 0; i < row->count; i++)
		IS(integer_list_add(&record.request.offsets, i ? row->rest : row->first));
	NOT(request_record_read(&record, access_model_default(), &access));
	EQUAL(access.lanes, 9);
}

/* ---- Branches -------------------------------------------------------------------------------- */

TEST(split, "branch")
{
	struct split_votes votes = {.executions = 2,
		.lanes = 40,
		.first_lanes = 9,
		.example = 0xffff,
		.first = 0x0f00,
		.place = {.block = 3, .warp = 1}};
	uint64_t lanes = 0, first = 0;

	TEST_RECORD(branch_type, struct branch_record, record);
	CHECK(IS(split_record_set(&record.split, &votes, access_model_default())),
		EQUAL(record.split.block, 3), EQUAL(record.split.warp, 1),
		EQUAL(record.split.lanes, 40), EQUAL(record.split.first_lanes, 9),
		EQUAL(record.split.ways.count, WARP_THREADS));
	for (int lane = 0; lane < WARP_THREADS; lane++)
		EQUAL(record.split.ways.items[lane], lane >= 16 ? -1 : lane < 8 || lane >= 12);
	CHECK(IS(split_record_read(&record.split, access_model_default(), &lanes, &first)),
		EQUAL(lanes, 0xffff), EQUAL(first, 0x0f00));
	record.split.ways.items[3] = 2;
	NOT(split_record_read(&record.split, access_model_default(), &lanes, &first));
	record.split.ways.items[3] = -2;
	NOT(split_record_read(&record.split, access_model_default(), &lanes, &first));
	for (size_t i = 0; i < record.split.ways.count; i++)
		record.split.ways.items[i] = -1;
	NOT(split_record_read(&record.split, access_model_default(), &lanes, &first));
	record.split.ways.count--;
	NOT(split_record_read(&record.split, access_model_default(), &lanes, &first));
}

TEST(split_nothing, "branch: no divergent execution")
{
	struct split_votes votes = {0};
	uint64_t lanes = 0, first = 0;

	TEST_RECORD(branch_type, struct branch_record, record);
	IS(split_record_set(&record.split, &votes, access_model_default()));
	NOT(record.split.record.present);
	NOT(split_record_read(&record.split, access_model_default(), &lanes, &first));
}
