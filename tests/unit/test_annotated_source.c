/* The listing of an explained kernel: its source text and its notes. */
#include "host/explain/explain.c"
#include "host/page/page.c"
#include "tests/support/records.h"
#include "tests/support/test.h"

#include <sha256.h>

#define FILE_NAME "cuda_kernels/transpose/tiled.cu"

/* ---- The source text ------------------------------------------------------------------------- */

static const struct text_row {
	const char *name, *file, *hash; /* "": that of the file; NULL: none */
	bool whole;
} text_rows[] = {
	{"the hash of the file", FILE_NAME, "", true},
	{"another hash", FILE_NAME, "0123", false},
	{"no hash", FILE_NAME, NULL, false},
	{"no such file", "cuda_kernels/none.cu", "", false},
	{"a path out of the folder", "../../etc/passwd", "", false},
	{"no file", NULL, "", false},
};

/* ---- Listings -------------------------------------------------------------------------------- */

static size_t drawings; /* of the last listing */

/* Returns the text of the listing. */
static char *listing(const struct explanation_record *entry)
{
	struct page page = {0};
	char *text = NULL;

	IS(data_make(&page));
	page.out = test_stream(&text);
	annotated_source(&page, entry);
	NOT(page.failed);
	fclose(page.out);
	data_free(&page);
	drawings = test_count(text, "data-draw=\"lanes\"");
	return test_keep(text);
}

TEST_ROWS(which_text, text_rows, "text: %s", row->name)
{
	const char *source = sources_embedded(FILE_NAME);
	char hash[SHA256_DIGEST_STRING_LENGTH];
	TEST_RECORD(explanation_type, struct explanation_record, entry);
	text_set(&entry.file, row->file);
	SHA256Data((const uint8_t *)source, strlen(source), hash);
	if (row->hash)
		text_set(&entry.source_sha256, *row->hash ? row->hash : hash);
	struct line_record *line = record_list_add(&line_type, &entry.lines);
	line->line = 41;
	text_set(&line->text, "counted");
	char *text = listing(&entry);
	EQUAL(test_count(text, "<code><bdi>counted</bdi>"), !row->whole);
	EQUAL(test_count(text, ": only the counted lines"), !row->whole);
	EQUAL(test_count(text, "__shared__") > 0, row->whole);
}

static struct access_record *add_access(struct explanation_record *entry, int64_t line, int space)
{
	struct access_record *access = record_list_add(&access_type, &entry->accesses);

	access->line = line;
	access->space = space;
	access->kind = TRACE_LOAD;
	access->width_bytes = 4;
	access->coalescing = space == TRACE_SHARED ? ACCESS_SHARED : ACCESS_COALESCED;
	access->requests = 6;
	access->sectors_per_request = 4;
	access->active_lanes = 32;
	text_set(&access->text, "to[i] = from[i];");
	text_set(&access->operand, "A");
	text_set(&access->pattern, "contiguous");
	return access;
}

static void set_request(struct access_record *access, uint64_t step)
{
	struct pattern_votes votes = {.pattern = {.kind = PATTERN_STRIDE, .stride = 7, .run = 32},
		.requests = 6,
		.example = {
			.model = access_model_default(), .lanes = 0xffffffff, .width_bytes = 4}};

	for (unsigned lane = 0; lane < WARP_THREADS; lane++)
		votes.example.address[lane] = lane * step;
	IS(request_record_set(&access->request, (enum trace_space)access->space, &votes));
}

/* The equal accesses of an unrolled loop share one drawing. */
TEST(equal_accesses, "equal accesses")
{
	TEST_RECORD(explanation_type, struct explanation_record, entry);
	set_request(add_access(&entry, 9, TRACE_GLOBAL), 4);
	set_request(add_access(&entry, 9, TRACE_GLOBAL), 4);
	struct access_record *other = add_access(&entry, 9, TRACE_GLOBAL);
	other->sectors_per_request = 8;
	set_request(other, 8);
	set_request(add_access(&entry, 10, TRACE_GLOBAL), 8);
	char *text = listing(&entry);
	CHECK(EQUAL(drawings, 3), EQUAL(test_count(text, "2 times: "), 1),
		EQUAL(test_count(text, "<tr class=\"quiet\"><th scope=\"row\""), 2));
}

static const struct figure_row {
	const char *name;
	int space;
	uint64_t step; /* 0: no request */
	int64_t ways;
	int coalescing;
	const char *text;
	bool open;
} figure_rows[] = {
	{"a coalesced access", TRACE_GLOBAL, 4, -1, ACCESS_COALESCED,
		"Drawn: warp 0 of block 0; 6 of 6 requests have its pattern (<bdi>stride 7</bdi>). requests "
		"6, width_bytes 4, pattern contiguous"},
	{"an uncoalesced access", TRACE_GLOBAL, 128, -1, ACCESS_UNCOALESCED, "Drawn: warp 0", true},
	{"no bank conflict", TRACE_SHARED, 132, 1, ACCESS_SHARED, "<bdi>load: no conflict"},
	{"a bank conflict", TRACE_SHARED, 128, 32, ACCESS_SHARED, "<bdi>load: 32-way conflict",
		true},
	{"an older file", TRACE_GLOBAL, 0, -1, ACCESS_COALESCED,
		"No drawing: the file has no example. Run explain again."},
};

TEST_ROWS(figure, figure_rows, "figure: %s", row->name)
{
	TEST_RECORD(explanation_type, struct explanation_record, entry);
	struct access_record *access = add_access(&entry, 9, row->space);
	access->ways = row->ways;
	access->coalescing = row->coalescing;
	if (row->step)
		set_request(access, row->step);
	char *text = listing(&entry);
	EQUAL(drawings, row->step != 0);
	EQUAL(test_count(text, "<details class=\"access finding\" open>"), row->open);
	HAS(text, row->text);
}

/* The branches of one line share one drawing. A branch that never diverges has none. */
TEST(branches, "branches of a line")
{
	static const int64_t divergent[] = {0, 2, 5};
	TEST_RECORD(explanation_type, struct explanation_record, entry);
	for (size_t i = 0; i < sizeof divergent / sizeof *divergent; i++) {
		struct branch_record *branch = record_list_add(&branch_type, &entry.branches);
		const struct split_votes votes = {.executions = (uint64_t)divergent[i],
			.lanes = 64,
			.first_lanes = 16,
			.example = 0xff,
			.first = (uint32_t)divergent[i]};
		branch->line = 4;
		branch->executions = 8;
		branch->divergent = divergent[i];
		IS(split_record_set(&branch->split, &votes, access_model_default()));
	}
	char *text = listing(&entry);
	EQUAL(drawings, 1);
	HAS(text, "branch</strong>, <bdi>2 branches: diverge 7 of 16",
		"2 of 8 active lanes run first", "25.0 % of the active lanes run first");
}

/* The whole file up to the end of the executed function. */
TEST(whole_file, "the whole file")
{
	TEST_RECORD(explanation_type, struct explanation_record, entry);
	const char *source = sources_embedded("cuda_kernels/transpose/naive.cu");
	char hash[SHA256_DIGEST_STRING_LENGTH];
	SHA256Data((const uint8_t *)source, strlen(source), hash);
	text_set(&entry.file, "cuda_kernels/transpose/naive.cu");
	text_set(&entry.source_sha256, hash);
	struct line_record *line = record_list_add(&line_type, &entry.lines);
	line->line = 16;
	line->warp_executions = 512;
	line->lanes = 512 * 8;
	line->simt = 0.25;
	text_set(&line->text, "int group = blockIdx.x;");
	char *text = listing(&entry);
	CHECK(EQUAL(test_count(text, "<tr><th scope=\"row\""), 1),
		EQUAL(test_count(text, "<th scope=\"row\""), 31), HAS(text, ">512<"),
		HAS(text, "25.0 %"), LACKS(text, "transpose_strided_load"));
}

TEST(nothing, "no trace")
{
	TEST_RECORD(explanation_type, struct explanation_record, entry);
	char *text = listing(&entry);
	STRING(text, "");
}
