#include "host/report/explain_page.h"
#include "tests/support/explain_example.h"
#include "tests/support/records.h"
#include "tests/support/test.h"

/* ---- Changing a document -------------------------------------------------------------------- */

static struct explanation_record *first_of(struct explain_document *document)
{
	return &document->explanations.items[0];
}

static void finish(struct explain_document *document)
{
	record_finish(&explain_document_type, document);
}

static void clear_list(const struct record_type *type, void *list)
{
	struct {
		char *items;
		size_t count;
	} raw;

	memcpy(&raw, list, sizeof raw);
	for (size_t i = 0; i < raw.count; i++)
		record_finish(type, raw.items + i * type->size);
	free(raw.items);
	memset(list, 0, sizeof raw);
}

/* Appends a copy of a record to its list. */
static void *add_copy(const struct record_type *type, void *list, const void *record)
{
	union {
		struct access_record access;
		struct explanation_record explanation;
	} copy;

	IS(type->size <= sizeof copy);
	test_ok(record_copy(type, record, &copy, &test_error));
	void *item = record_list_add(type, list);
	SOME(item);
	memcpy(item, &copy, type->size);
	return item;
}

/* ---- Looking at pages ---------------------------------------------------------------------- */

static char *page_of(const struct explain_document *document, bool colour, bool verbose)
{
	struct page_style style = {.colour = colour, .verbose = verbose};

	return WRITTEN(out, explain_page(out, document->explanations.items,
				    document->explanations.count, &style));
}

static size_t columns_of(const char *line, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length; i++)
		columns += (line[i] & 0xc0) != 0x80;
	return columns;
}

/* Every line within so many columns; returns how many there are. */
static size_t fits(const char *page, size_t columns)
{
	size_t lines = 0;

	for (; *page; lines++) {
		size_t length = strcspn(page, "\n");
		if (columns_of(page, length) > columns)
			test_fail("%zu columns: %.*s", columns_of(page, length), (int)length, page);
		page += length + (page[length] == '\n');
	}
	return lines;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

TEST(page, "page")
{
	static const char *const parts[] = {
		"transpose/tiled  B = A^T, m=n=256, f32, TILE=32, BLOCK_ROWS=8\n",
		"corner turning: a tile is turned",
		"transpose_tiled, grid 64, block 32 x 8; 3 of 64 blocks traced: totals are estimates",
		"CUDA kernel cuda_kernels/transpose/tiled.cu\n",
		"   39  tile[ty + j][tx] = from[(size_t)j *…  load A: 4 sectors/request, "
		"contiguous; coalesced\n",
		"   44  to[(size_t)j * m] = tile[tx][ty + j…  load: 32-way conflict; n/a "
		"(shared)\n",
		"store B: 32 sectors/request, stride 256; uncoalesced\n",
		"12 warp-executions, 66.4 % of lanes\n",
		"diverges 31 of 160\n",
		"1 of 24 warps diverge; SIMT efficiency 98.0 %",
		"loads 262 kB for 262 kB requested, stores 2.10 MB for 262 kB requested; 524 kB\n",
		"            compulsory",
		"100.0 %: 8 blocks, 2048 threads, 64 warps per multiprocessor; limited by threads,\n",
		"compulsory 8.00, issued 0.50, traced 0.25 (of global loads 12.8) FLOP per byte; ridge\n",
		"            15.2 on NVIDIA H200 (for reference)\n",
		"limited by  memory: 0.25 FLOP a byte\n",
		"123 µs, 3200 of 4234 GB/s, 76 % of the roof at m=n=8192 on NVIDIA H200 (cuda)",
		"next rung   padded (padding); claim (speed): padded >= 1.05 x unpadded\n",
		"open        coalescing: 32 sectors a request at line 44",
	};
	FINISHED(finish) struct explain_document document = explain_example();
	char *text = page_of(&document, false, false);

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		HAS(text, parts[i]);
	LACKS(text, "   30  ", "DEFECT", "occupancy: 100 %", "\033", "null", "NVRTC",
		"rows one longer");
	IS(fits(text, EXPLAIN_PAGE_COLUMNS) <= 25);
}

TEST(verbose_page, "page, -v")
{
	FINISHED(finish) struct explain_document document = explain_example();
	char *text = page_of(&document, false, true);

	HAS(text, "   30  int tx = threadIdx.x;", "24 warp-executions\n",
		"requests 96, width_bytes 4, pattern stride 256,\n",
		"lines128_per_request 32, alignment_bytes 4,\n",
		"requests 96, width_bytes 4, pattern stride 32,\n",
		"checklist   occupancy, done: 100 %", "            coalescing, open: 32 sectors",
		"registers 20, shared_bytes 4096, spill_bytes 0, max_block 1024 (NVRTC sm_90)",
		"\n            rows one longer\n");
	fits(text, EXPLAIN_PAGE_COLUMNS);
}

/* Defects are printed first, in red, with their lines. */
TEST(defects, "defects")
{
	FINISHED(finish) struct explain_document document = explain_example();

	struct defect_record *defect = record_list_add(&defect_type, &first_of(&document)->defects);
	defect->kind = TRACE_RACE;
	defect->line = 39;
	defect->other_line = 44;
	text_set(&defect->text, "tile[] between barriers");
	char *text = page_of(&document, true, false);
	HAS(text, "\033[31mrace, lines 39 and 44: tile[] between barriers\033[0m");
	if (strstr(text, "race") > strstr(text, "launch"))
		test_fail("the defect comes late:\n%s", text);
	HAS(text, "3 of 64 blocks traced, up to the defect");
}

static struct check_record *add_check(
	struct explanation_record *entry, enum checklist_item item, enum check_state state)
{
	struct check_record *check = record_list_add(&check_item_type, &entry->checklist);

	check->item = (int)item;
	check->state = (int)state;
	return check;
}

/* Unknown figures are left out, or the page has the reason; none is printed as a number. */
TEST(missing, "what is not known")
{
	FINISHED(finish) struct explain_document document;
	struct explanation_record *entry;

	record_init(&explain_document_type, &document);
	entry = record_list_add(&explanation_type, &document.explanations);
	text_set(&entry->family, "matmul");
	text_set(&entry->variant, "f16-tensor");
	text_set(&entry->technique, "-");
	text_set(&entry->idea, "warps multiply");
	text_set(&entry->no_trace, "inline PTX");
	text_set(&entry->no_resources, "no NVRTC");
	text_set(&entry->no_measurement, "no GPU on this machine");
	entry->intensity.record.present = true;
	entry->intensity.compulsory = 85.3;
	char *text = page_of(&document, false, true);
	HAS(text, "matmul/f16-tensor", "technique   warps multiply\n", "no trace    inline PTX\n",
		"resources   unknown: no NVRTC\n", "intensity   compulsory 85.3 FLOP per byte\n",
		"not measured  no GPU on this machine\n");
	LACKS(text, "nan", "-1", "occupancy", "issued", "next rung", "launch", "limited by");
}

/* A variant that failed on the device, and checklists without an open item. */
TEST(not_open, "nothing open")
{
	FINISHED(finish) struct explain_document document = explain_example();
	struct explanation_record *entry = first_of(&document);

	entry->measured.status = OUTCOME_BUILD_ERROR;
	clear_list(&check_item_type, &entry->checklist);
	text_set(&add_check(entry, CHECK_OCCUPANCY, CHECK_DONE)->text, "100 %");
	char *text = page_of(&document, false, false);
	HAS(text, "measured    build error at m=n=8192 on NVIDIA H200 (cuda)\n",
		"open        no item of the checklist\n");
	/* An unknown item is not reported as closed. */
	add_check(entry, CHECK_TILING, CHECK_UNKNOWN);
	add_check(entry, CHECK_COARSENING, CHECK_UNKNOWN);
	text = page_of(&document, false, false);
	HAS(text, "unknown     tiling, coarsening\n");
	LACKS(text, "\nopen ");
}

/* Two launches: one head, then each launch. With -v both have their lines. */
TEST(launches, "two launches")
{
	FINISHED(finish) struct explain_document document = explain_example();
	struct explanation_record *second =
		add_copy(&explanation_type, &document.explanations, first_of(&document));

	text_set(&second->launch.kernel, "reduce_tree");
	second->launch.grid[0] = 1;
	memcpy(second->launch.block, (int64_t[3]){256, 1, 1}, sizeof second->launch.block);
	second->launch.shared_bytes = 1024;
	second->launch.index = second->launch.count = 2;
	for (int verbose = 0; verbose < 2; verbose++) {
		char *text = page_of(&document, false, verbose);
		HAS(text,
			"2 of 2: reduce_tree, grid 1, block 256, 1024 bytes of dynamic shared memory");
		const char *lines = strstr(text, "cuda_kernels/");
		if (!lines || (strstr(lines + 1, "cuda_kernels/") != NULL) != verbose)
			test_fail("lines of launches:\n%s", text);
		const char *limit = strstr(text, "limited by  ");
		if (!limit || strstr(limit + 1, "limited by  "))
			test_fail(
				"the limit of the variant stands there more than once:\n%s", text);
	}
}

/* The limit is unknown: the page shows the reason. */
TEST(unknown_limit, "an unknown limit")
{
	FINISHED(finish) struct explain_document document = explain_example();
	struct explanation_record *entry = first_of(&document);

	entry->limited_by = LIMITED_BY_UNKNOWN;
	text_set(&entry->limit_text, "operations are not counted");
	char *text = page_of(&document, false, false);
	HAS(text, "limited by  unknown: operations are not counted\n");
}

/* A limit without a time is a prediction. */
TEST(predicted_limit, "a predicted limit")
{
	for (int predicted = 0; predicted < 2; predicted++) {
		FINISHED(finish) struct explain_document document = explain_example();
		first_of(&document)->limit_predicted = predicted;
		char *text = page_of(&document, false, false);
		HAS(text, predicted ? "limited by  predicted: memory; 0.25 FLOP a byte\n"
				    : "limited by  memory: 0.25 FLOP a byte\n");
	}
}

/* A kernel written out: its findings fill a screen and no more. */
TEST(long_kernel, "a long kernel")
{
	FINISHED(finish) struct explain_document document = explain_example();
	struct access_list *accesses = &first_of(&document)->accesses;

	for (int i = 0; i < 3; i++)
		add_copy(&access_type, accesses, &accesses->items[0]);
	char *text = page_of(&document, false, false);
	HAS(text, "4x load A: 4 sectors/request, contiguous; coalesced\n");
	LACKS(text, "more note");
	for (int i = 0; i < 40; i++) {
		struct access_record *access =
			add_copy(&access_type, accesses, &accesses->items[0]);
		access->line = 100 + i;
	}
	text = page_of(&document, false, false);
	HAS(text, " more notes: -v\n", "uncoalesced");
	LACKS(text, "  139  ");
	EQUAL(fits(text, EXPLAIN_PAGE_COLUMNS), 25);
	text = page_of(&document, false, true);
	HAS(text, "  139  ");
}

static void add_line(struct explanation_record *entry, int64_t number, const char *text,
	int64_t warp_executions, int64_t lanes)
{
	struct line_record *line = record_list_add(&line_type, &entry->lines);

	line->line = number;
	text_set(&line->text, text);
	line->warp_executions = warp_executions;
	line->lanes = lanes;
	line->simt = (double)lanes / (32.0 * (double)warp_executions);
}

/* An edge inside of the only block: every line of it is short of lanes. */
TEST(ragged_kernel, "a kernel that is all edge")
{
	FINISHED(finish) struct explain_document document = explain_example();

	for (int i = 0; i < 40; i++)
		add_line(first_of(&document), 100 + i, "edge", 8, i ? 200 : 100);
	char *text = page_of(&document, false, false);
	HAS(text, " more notes: -v\n", "  100  edge");
	LACKS(text, "  139  ");
	EQUAL(fits(text, EXPLAIN_PAGE_COLUMNS), 25);
	HAS(text, "uncoalesced");
	text = page_of(&document, false, true);
	HAS(text, "  139  ");
	LACKS(text, "more note");
}

/* An atomic operation is one note, and so are the branches that a macro makes on one line. */
TEST(histogram, "atomic operations, branches of one line")
{
	static const struct {
		int64_t line;
		const char *text;
		int64_t divergent;
	} branches[] = {{41, "COUNT(x);", 3}, {41, "COUNT(x);", 0}, {41, "COUNT(x);", 5},
		{42, "if (t == 0)", 1}};
	FINISHED(finish) struct explain_document document = explain_example();
	struct explanation_record *entry = first_of(&document);

	struct access_record *access = &entry->accesses.items[0];
	text_set(&access->text, "atomicAdd(&H[v], 1u);");
	text_set(&access->operand, "H");
	text_set(&access->pattern, "scattered");
	access->kind = TRACE_ATOMIC;
	access->multiplicity = 1.94;
	access = &entry->accesses.items[1];
	access->line = 41;
	text_set(&access->text, "COUNT(x);");
	text_set(&access->pattern, "scattered");
	access->kind = TRACE_ATOMIC;
	access->ways = 1;
	access->wavefronts_per_request = 1;
	access->multiplicity = 1;
	record_finish(&access_type, &entry->accesses.items[2]);
	entry->accesses.count = 2;
	clear_list(&line_type, &entry->lines);
	add_line(entry, 40, "once", 1, 16);
	clear_list(&branch_type, &entry->branches);
	for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
		struct branch_record *branch = record_list_add(&branch_type, &entry->branches);
		branch->line = branches[i].line;
		text_set(&branch->text, branches[i].text);
		branch->executions = 8;
		branch->divergent = branches[i].divergent;
	}
	char *text = page_of(&document, false, false);
	HAS(text, "atomic H: 4 sectors/request, scattered, 1.9 lanes per\n",
		" address; coalesced\n", "atomic: no conflict, 1 lane per address; n/a (shared)\n");
	HAS(text,
		"   40  once                                  1 warp-execution, 50.0 % of lanes\n");
	HAS(text, "2 branches: diverge 8 of 16\n", "diverges 1 of 8\n");
}

/* A head with many macros is wrapped, and a grid of one block is not "all of 1". */
TEST(long_head, "a long head")
{
	static const struct {
		const char *name;
		int64_t value;
	} macros[] = {{"STEPS", 16}, {"FACTOR", 739982445}, {"ADDEND", 506952121},
		{"TRIPS_LEAST", 6}, {"TRIPS_KINDS", 3}};
	FINISHED(finish) struct explain_document document = explain_example();
	struct explanation_record *entry = first_of(&document);

	text_set(&entry->macros.items[0].name, "BLOCK");
	entry->macros.items[0].value = 256;
	text_set(&entry->macros.items[1].name, "STRIDE");
	entry->macros.items[1].value = 1;
	for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
		named_list_add(&entry->macros, macros[i].name, macros[i].value);
	entry->sampled.blocks = entry->sampled.total = 1;
	entry->estimated = false;
	char *text = page_of(&document, false, false);
	HAS(text, "\n            ADDEND=506952121, TRIPS_LEAST=6, TRIPS_KINDS=3\ntechnique",
		"block 32 x 8; traced\n");
	fits(text, EXPLAIN_PAGE_COLUMNS);
	entry->sampled.in_part = true;
	text = page_of(&document, false, false);
	HAS(text, "block 32 x 8; sampled in part: no totals\n");
	entry->sampled.total = 7;
	text = page_of(&document, false, false);
	HAS(text, "; 1 of 7 blocks traced, sampled");
}

TEST(lost, "a lost page")
{
	struct page_style style = {0};

	TEST_RECORD(explanation_type, struct explanation_record, record);
	text_set(&record.family, "reduce");
	text_set(&record.variant, "shuffle");
	text_set(&record.label, "shuffle BLOCK=64");
	text_set(&record.technique, "-");
	text_set(&record.idea, "lanes pass registers");
	explanation_record_end(&record, OUTCOME_TIMEOUT, "no end after 120 s");
	HAS(WRITTEN(out, explain_page(out, &record, 1, &style)), "reduce/shuffle BLOCK=64",
		"timeout     no end after 120 s\n");
}

/* Lines of any length and script are cut to their columns, and no byte of a character is lost. */
TEST(wide_source, "wide source lines")
{
	FINISHED(finish) struct explain_document document = explain_example();
	struct access_record *access = &first_of(&document)->accesses.items[0];

	text_set(&access->text, "\tµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ");
	char *text = page_of(&document, false, false);
	HAS(text, "   39  µµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ…  load A");
	fits(text, EXPLAIN_PAGE_COLUMNS);
	text_set(&access->text, "\tµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ");
	text = page_of(&document, false, false);
	HAS(text, "   39  µµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ  load A");
}
