#include "host/cli/explain_page.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A variant ----------------------------------------------------------------------------- */

/* Single quotes stand for double ones. */
static const char tiled[] =
	"[{'family': 'transpose', 'variant': 'tiled', 'technique': 'corner turning',"
	" 'idea': 'a tile is turned in shared memory', 'title': 'B = A^T',"
	" 'problem_text': 'm=n=256', 'choices': 'f32', 'macros': {'TILE': 32, 'BLOCK_ROWS': 8},"
	" 'next': {'variant': 'padded', 'technique': 'padding', 'idea': 'rows one longer',"
	"  'claim': 'padded >= 1.05 x unpadded'},"
	" 'launch': {'kernel': 'transpose_tiled', 'grid': [64, 1, 1], 'block': [32, 8, 1],"
	"  'shared_bytes': 0, 'index': 1, 'count': 1},"
	" 'file': 'cuda_kernels/transpose/tiled.cu', 'no_trace': null,"
	" 'sampled': {'blocks': 3, 'total': 64}, 'estimated': true,"
	" 'accesses': ["
	"  {'line': 39, 'text': '\\t\\ttile[ty + j][tx] = from[(size_t)j * n];', 'space': 'global',"
	"   'kind': 'load', 'width_bytes': 4, 'operand': 'A', 'requests': 96,"
	"   'sectors_per_request': 4.0, 'lines128_per_request': 1.0, 'efficiency': 1.0,"
	"   'pattern': 'contiguous', 'alignment_bytes': 128, 'active_lanes': 32.0,"
	"   'ways': null, 'multiplicity': null},"
	"  {'line': 44, 'text': '\\t\\t\\tto[(size_t)j * m] = tile[tx][ty + j];', 'space': 'shared',"
	"   'kind': 'load', 'width_bytes': 4, 'operand': null, 'requests': 96, 'ways': 32,"
	"   'wavefronts_per_request': 32.0, 'pattern': 'stride 32', 'active_lanes': 32.0},"
	"  {'line': 44, 'text': '\\t\\t\\tto[(size_t)j * m] = tile[tx][ty + j];', 'space': 'global',"
	"   'kind': 'store', 'width_bytes': 4, 'operand': 'B', 'requests': 96,"
	"   'sectors_per_request': 32.0, 'lines128_per_request': 32.0, 'efficiency': 0.125,"
	"   'pattern': 'stride 256', 'alignment_bytes': 4, 'active_lanes': 32.0}],"
	" 'lines': [{'line': 30, 'text': 'int tx = threadIdx.x;', 'warp_executions': 24,"
	"   'lanes': 768, 'simt': 1.0},"
	"  {'line': 41, 'text': '\\tif (adds)', 'warp_executions': 12, 'lanes': 255,"
	"   'simt': 0.6640625}],"
	" 'branches': [{'line': 41, 'text': '\\tif (adds)', 'executions': 160, 'divergent': 31}],"
	" 'simt_efficiency': 0.98, 'warps': 24, 'divergent_warps': 1,"
	" 'totals': {'estimated': true, 'bytes_compulsory': 524288,"
	"  'bytes_loaded_requested': 262144, 'bytes_loaded_moved': 262144,"
	"  'bytes_stored_requested': 262144, 'bytes_stored_moved': 2097152,"
	"  'bytes_atomic_requested': 0, 'bytes_atomic_moved': 0},"
	" 'defects': [],"
	" 'resources': {'registers': 20, 'shared_bytes': 4096, 'spill_bytes': 0, 'max_block': 1024,"
	"  'source': 'NVRTC sm_90'},"
	" 'occupancy': {'ratio': 1.0, 'blocks': 8, 'threads': 2048, 'warps': 64,"
	"  'limited_by': ['threads', 'registers'], 'target': 'compute capability 9.0'},"
	" 'intensity': {'compulsory': 8.0, 'issued': 0.5, 'requested': 0.25, 'loads': 12.8,"
	"  'moved': null},"
	" 'roofs': {'name': 'NVIDIA H200', 'measured': false, 'copy_gbps': 4234, 'ridge': 15.2},"
	" 'limited_by': 'memory', 'limit_text': '0.25 FLOP a byte',"
	" 'checklist': [{'item': 'occupancy', 'state': 'done', 'text': '100 %'},"
	"  {'item': 'coalescing', 'state': 'open', 'text': '32 sectors a request at line 44'}],"
	" 'measured': {'backend': 'cuda', 'device_name': 'NVIDIA H200', 'problem_text': 'm=n=8192',"
	"  'ns': 123000, 'gflops': 0, 'gbps': 3200, 'fraction_of_roof': 0.756,"
	"  'attainable_gbps': 4234, 'attainable_gflops': 0, 'status': 'ok'},"
	" 'no_measurement': null}]";

static json_t *parse(const char *text)
{
	json_error_t error;
	char *copy = strdup(text);

	for (char *c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	json_t *json = json_loads(copy, JSON_DECODE_ANY, &error);
	if (!json)
		test_fail("%d:%d: %s", error.line, error.column, error.text);
	free(copy);
	return json;
}

static json_t *variant(void)
{
	json_t *entries = parse(tiled);

	explain_complete(entries);
	return entries;
}

/* Changes a field of the first entry; the value as JSON. */
static void change(json_t *entries, const char *field, const char *value)
{
	json_object_set_new(json_array_get(entries, 0), field, parse(value));
}

/* ---- Looking at pages ---------------------------------------------------------------------- */

static char *page_of(const json_t *entries, bool colour, bool verbose)
{
	struct page_style style = {.colour = colour, .verbose = verbose};
	static char text[1 << 16];
	FILE *out = fmemopen(text, sizeof text, "w");

	explain_page(out, entries, &style);
	fclose(out);
	return strdup(text);
}

static void has(const char *page, const char *part)
{
	if (!strstr(page, part))
		test_fail("'%s' is missing in:\n%s", part, page);
}

static void lacks(const char *page, const char *part)
{
	if (strstr(page, part))
		test_fail("'%s' does not belong in:\n%s", part, page);
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

static void page(const void *context)
{
	static const char *const parts[] = {
		"transpose/tiled  B = A^T, m=n=256, f32, TILE=32, BLOCK_ROWS=8\n",
		"corner turning: a tile is turned",
		"transpose_tiled, grid 64, block 32 x 8; 3 of 64 blocks traced: totals are estimates",
		"cuda_kernels/transpose/tiled.cu\n",
		"   39  tile[ty + j][tx] = from[(size_t)j *…  load A: 4 sectors/request, "
		"contiguous; coalesced\n",
		"   44  to[(size_t)j * m] = tile[tx][ty + j…  load: 32-way conflict; n/a "
		"(shared)\n",
		"store B: 32 sectors/request, stride 256; uncoalesced\n",
		"12 warp-executions, 66.4 % of lanes\n",
		"diverges 31 of 160\n",
		"1 of 24 warps diverge; SIMT efficiency 98.0 %",
		"banks       up to 32 lanes wait for one bank: 32 wavefronts a request at line 44\n",
		"loads move 262 kB for 262 kB, stores move 2.10 MB for 262 kB; 524 kB compulsory",
		"20 registers, 4096 bytes shared, blocks of up to 1024 threads (NVRTC sm_90)",
		"100.0 %: 8 blocks, 2048 threads, 64 warps a multiprocessor; limited by threads,\n",
		"compulsory 8.00, issued 0.50, traced 0.25 (of global loads 12.8) FLOP a byte; "
		"ridge 15.2",
		"memory: 0.25 FLOP a byte (roofs of NVIDIA H200, for reference)",
		"123 µs, 3200 of 4234 GB/s, 76 % of the roof at m=n=8192 on NVIDIA H200 (cuda)",
		"padded (padding): rows one longer; claim: padded >= 1.05 x unpadded",
		"open        coalescing: 32 sectors a request at line 44",
	};
	json_t *entries = variant();
	char *text = page_of(entries, false, false);

	(void)context;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		has(text, parts[i]);
	lacks(text, "   30  ");
	lacks(text, "DEFECT");
	lacks(text, "occupancy: 100 %");
	lacks(text, "\033");
	lacks(text, "null");
	fits(text, PAGE_COLUMNS);
	free(text);
	json_decref(entries);
}

static void verbose_page(const void *context)
{
	json_t *entries = variant();
	char *text = page_of(entries, false, true);

	(void)context;
	has(text, "   30  int tx = threadIdx.x;");
	has(text, "24 warp-executions\n");
	has(text, "96 requests of 4 bytes a lane: 32 lines of 128,\n");
	has(text, "96 requests of 4 bytes a lane, stride 32: 32\n");
	has(text, "checklist   occupancy, done: 100 %");
	has(text, "            coalescing, open: 32 sectors");
	fits(text, PAGE_COLUMNS);
	free(text);
	json_decref(entries);
}

/* Found defects come before anything else, in red, and name their lines. */
static void defects(const void *context)
{
	json_t *entries = variant();

	(void)context;
	change(entries, "defects",
		"[{'kind': 'race', 'line': 39, 'other_line': 44, 'text': 'tile[] between barriers'}]");
	char *text = page_of(entries, true, false);
	has(text, "\033[31mrace, lines 39 and 44: tile[] between barriers\033[0m");
	if (strstr(text, "race") > strstr(text, "launch"))
		test_fail("the defect comes late:\n%s", text);
	free(text);
	json_decref(entries);
}

/* What is not known is left out or says why; nothing of it is a number. */
static void missing(const void *context)
{
	json_t *entries =
		parse("[{'family': 'matmul', 'variant': 'f16-tensor', 'technique': '-',"
		      " 'idea': 'warps multiply', 'no_trace': 'inline PTX',"
		      " 'accesses': null, 'resources': null, 'no_resources': 'no NVRTC',"
		      " 'occupancy': null, 'intensity': {'compulsory': 85.3, 'issued': null},"
		      " 'measured': null, 'no_measurement': 'no GPU here', 'next': null}]");
	char *text = page_of(entries, false, false);

	(void)context;
	has(text, "matmul/f16-tensor");
	has(text, "technique   warps multiply\n");
	has(text, "no trace    inline PTX\n");
	has(text, "resources   unknown: no NVRTC\n");
	has(text, "intensity   compulsory 85.3 FLOP a byte\n");
	has(text, "measured    nothing: no GPU here\n");
	lacks(text, "nan");
	lacks(text, "occupancy");
	lacks(text, "issued");
	lacks(text, "next rung");
	free(text);
	change(entries, "measured",
		"{'status': 'build_error', 'backend': 'opencl', 'device_name': 'pthread',"
		" 'problem_text': 'n=5'}");
	text = page_of(entries, false, false);
	has(text, "measured    build error at n=5 on pthread (opencl)\n");
	free(text);
	change(entries, "checklist", "[{'item': 'occupancy', 'state': 'done', 'text': '100 %'}]");
	text = page_of(entries, false, false);
	has(text, "open        nothing of the checklist of six\n");
	free(text);
	/* What was not looked at is not said to be closed. */
	change(entries, "checklist",
		"[{'item': 'occupancy', 'state': 'done'}, {'item': 'tiling', 'state': 'unknown'},"
		" {'item': 'coarsening', 'state': 'unknown'}]");
	text = page_of(entries, false, false);
	has(text, "unknown     tiling, coarsening\n");
	lacks(text, "\nopen ");
	free(text);
	json_decref(entries);
}

/* Two launches: one head, then each launch with its lines. */
static void launches(const void *context)
{
	json_t *entries = variant();
	json_t *second = json_deep_copy(json_array_get(entries, 0));

	(void)context;
	json_object_set_new(second, "launch",
		parse("{'kernel': 'reduce_tree', 'grid': [1, 1, 1], 'block': [256, 1, 1],"
		      " 'shared_bytes': 1024, 'index': 2, 'count': 2}"));
	json_array_append_new(entries, second);
	char *text = page_of(entries, false, false);
	has(text, "2 of 2: reduce_tree, grid 1, block 256, 1024 bytes of dynamic shared memory");
	const char *lines = strstr(text, "cuda_kernels/");
	if (!lines || !strstr(lines + 1, "cuda_kernels/"))
		test_fail("the lines of one launch are missing:\n%s", text);
	const char *limit = strstr(text, "limited by  ");
	if (!limit || strstr(limit + 1, "limited by  "))
		test_fail("the limit of the variant stands there more than once:\n%s", text);
	free(text);
	json_decref(entries);
}

/* A kernel written out: its findings fill a screen and no more. */
static void long_kernel(const void *context)
{
	json_t *entries = variant();
	json_t *accesses = json_object_get(json_array_get(entries, 0), "accesses");
	json_t *first = json_array_get(accesses, 0);

	(void)context;
	for (int i = 0; i < 3; i++)
		json_array_append(accesses, first);
	char *text = page_of(entries, false, false);
	has(text, "4x load A: 4 sectors/request, contiguous; coalesced\n");
	lacks(text, "left out");
	free(text);
	for (int i = 0; i < 40; i++) {
		json_t *access = json_deep_copy(first);
		json_object_set_new(access, "line", json_integer(100 + i));
		json_array_append_new(accesses, access);
	}
	text = page_of(entries, false, false);
	has(text, "41 notes without a finding left out: -v shows all");
	has(text, "uncoalesced");
	lacks(text, "  139  ");
	if (fits(text, PAGE_COLUMNS) > 40)
		test_fail("more than a screen:\n%s", text);
	free(text);
	text = page_of(entries, false, true);
	has(text, "  139  ");
	free(text);
	json_decref(entries);
}

/* An edge inside of the only block: every line of it is short of lanes. */
static void ragged_kernel(const void *context)
{
	json_t *entries = variant();
	json_t *lines = json_object_get(json_array_get(entries, 0), "lines");

	(void)context;
	for (int i = 0; i < 40; i++)
		json_array_append_new(
			lines, json_pack("{s:i, s:s, s:i, s:i, s:f}", "line", 100 + i, "text",
				       "edge", "warp_executions", 8, "lanes", i ? 200 : 100, "simt",
				       i ? 200 / 256.0 : 100 / 256.0));
	char *text = page_of(entries, false, false);
	has(text, "1 note without a finding left out: -v shows all\n");
	has(text, "40 notes of lines that half of the lanes or more run left out\n");
	has(text, "  100  edge");
	lacks(text, "  139  ");
	has(text, "uncoalesced");
	free(text);
	text = page_of(entries, false, true);
	has(text, "  139  ");
	lacks(text, "left out");
	free(text);
	json_decref(entries);
}

/* An atomic operation is one note, and so are the branches that a macro makes on one line. */
static void histogram(const void *context)
{
	json_t *entries = variant();

	(void)context;
	change(entries, "accesses",
		"[{'line': 39, 'text': 'atomicAdd(&H[v], 1u);', 'space': 'global', 'kind': 'atomic',"
		"  'operand': 'H', 'width_bytes': 4, 'requests': 8, 'sectors_per_request': 4.0,"
		"  'pattern': 'scattered', 'active_lanes': 32.0, 'multiplicity': 1.94},"
		" {'line': 41, 'text': 'COUNT(x);', 'space': 'shared', 'kind': 'atomic', 'ways': 1,"
		"  'width_bytes': 4, 'requests': 8, 'wavefronts_per_request': 1.0,"
		"  'pattern': 'scattered', 'active_lanes': 32.0, 'multiplicity': 1.0}]");
	change(entries, "lines",
		"[{'line': 40, 'text': 'once', 'warp_executions': 1, 'lanes': 16, 'simt': 0.5}]");
	change(entries, "branches",
		"[{'line': 41, 'text': 'COUNT(x);', 'executions': 8, 'divergent': 3},"
		" {'line': 41, 'text': 'COUNT(x);', 'executions': 8, 'divergent': 0},"
		" {'line': 41, 'text': 'COUNT(x);', 'executions': 8, 'divergent': 5},"
		" {'line': 42, 'text': 'if (t == 0)', 'executions': 8, 'divergent': 1}]");
	char *text = page_of(entries, false, false);
	has(text, "atomic H: 4 sectors/request, scattered, 1.9 to an\n");
	has(text, " address; coalesced\n");
	has(text, "atomic: no conflict, 1 to an address; n/a (shared)\n");
	has(text,
		"   40  once                                  1 warp-execution, 50.0 % of lanes\n");
	has(text, "2 branches: diverge 8 of 16\n");
	has(text, "diverges 1 of 8\n");
	lacks(text, "banks ");
	free(text);
	json_decref(entries);
}

/* A head of many macros goes on below, and a grid of one block is not "all of 1". */
static void long_head(const void *context)
{
	json_t *entries = variant();

	(void)context;
	change(entries, "macros",
		"{'BLOCK': 256, 'STRIDE': 1, 'STEPS': 16, 'FACTOR': 739982445, 'ADDEND': 506952121,"
		" 'TRIPS_LEAST': 6, 'TRIPS_KINDS': 3}");
	change(entries, "sampled", "{'blocks': 1, 'total': 1}");
	change(entries, "estimated", "false");
	char *text = page_of(entries, false, false);
	has(text, "\n            ADDEND=506952121, TRIPS_LEAST=6, TRIPS_KINDS=3\ntechnique");
	has(text, "block 32 x 8; traced\n");
	fits(text, PAGE_COLUMNS);
	free(text);
	json_decref(entries);
}

static void diff(const void *context)
{
	struct page_style style = {0};
	json_t *first = variant();
	json_t *second = variant();
	static char text[1 << 16];
	FILE *out = fmemopen(text, sizeof text, "w");

	(void)context;
	change(second, "variant", "'padded'");
	change(second, "measured", "null");
	change(second, "no_measurement", "null");
	explain_diff(out, first, second, &style);
	fclose(out);
	has(text, "            transpose/tiled                             transpose/padded\n");
	has(text, "occupancy   100.0 %: 8 blocks, 2048 threads, 64 warps   100.0 %: 8 blocks");
	has(text, "open        coalescing                                  coalescing\n");
	has(text, "measured    123 µs, 3200 of 4234 GB/s, 76 % of the      -\n");
	const char *lines = strstr(text, "\ntranspose/tiled\n");
	if (!lines || !strstr(lines, "\ntranspose/padded\n"))
		test_fail("the lines of both are missing below:\n%s", text);
	has(lines, "uncoalesced");
	fits(text, PAGE_COLUMNS);
	json_decref(first);
	json_decref(second);
}

static void lost(const void *context)
{
	struct page_style style = {0};
	json_t *row =
		parse("{'family': 'reduce', 'variant': 'shuffle', 'label': 'shuffle BLOCK=64',"
		      " 'technique': '-', 'idea': 'lanes pass registers', 'status': 'timeout',"
		      " 'reason': 'no end after 120 s'}");
	static char text[4096];
	FILE *out = fmemopen(text, sizeof text, "w");

	(void)context;
	explain_lost_page(out, row, &style);
	fclose(out);
	has(text, "reduce/shuffle BLOCK=64");
	has(text, "timeout     no end after 120 s\n");
	json_decref(row);
}

/* Lines of any length and script are cut to their columns, and no byte of a character is lost. */
static void wide_source(const void *context)
{
	json_t *entries = variant();
	json_t *access = json_array_get(json_object_get(json_array_get(entries, 0), "accesses"), 0);

	(void)context;
	json_object_set_new(access, "text",
		json_string("\tµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ"));
	char *text = page_of(entries, false, false);
	has(text, "   39  µµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ…  load A");
	fits(text, PAGE_COLUMNS);
	free(text);
	json_object_set_new(access, "text", json_string("\tµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ"));
	text = page_of(entries, false, false);
	has(text, "   39  µµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµµ  load A");
	free(text);
	json_decref(entries);
}

/* ---- Coalescing ---------------------------------------------------------------------------- */

static const struct coalescing {
	const char *name, *space;
	double width, lanes, sectors;
	const char *want;
	const char *pattern; /* NULL: "contiguous" */
} coalescing_rows[] = {
	{"contiguous", "global", 4, 32, 4, "coalesced"},
	{"misaligned", "global", 4, 32, 5, "coalesced"},
	{"stride 2", "global", 4, 32, 8, "uncoalesced"},
	{"six sectors", "global", 4, 32, 6, "uncoalesced"},
	{"broadcast", "global", 4, 32, 1, "coalesced"},
	{"16 bytes a lane", "global", 16, 32, 16, "coalesced"},
	{"16 bytes a lane, apart", "global", 16, 32, 32, "uncoalesced"},
	{"bytes", "global", 1, 32, 1, "coalesced"},
	{"bytes, every third", "global", 1, 32, 3, "uncoalesced"},
	{"one lane", "global", 4, 1, 1, "coalesced"},
	{"half a warp", "global", 4, 16, 2, "coalesced"},
	{"half a warp, apart", "global", 4, 16, 16, "uncoalesced"},
	{"shared", "shared", 4, 32, 0, "n/a (shared)"},
	{"rows of 16, misaligned", "global", 4, 32, 6, "coalesced", "contiguous in runs of 16"},
	{"rows of 16, 7 sectors", "global", 4, 32, 7, "uncoalesced", "contiguous in runs of 16"},
	{"rows of 4, half of each sector", "global", 4, 32, 8, "uncoalesced",
		"contiguous in runs of 4"},
	{"rows of 16 bytes", "global", 1, 32, 3, "uncoalesced", "contiguous in runs of 16"},
	{"no contiguous rows", "global", 4, 32, 6, "uncoalesced", "stride 2 in runs of 16"},
};

static void coalescing(const void *context)
{
	const struct coalescing *row = context;
	json_t *entries = json_pack("[{s:[{s:s, s:f, s:f, s:f, s:s}]}]", "accesses", "space",
		row->space, "width_bytes", row->width, "active_lanes", row->lanes,
		"sectors_per_request", row->sectors, "pattern",
		row->pattern ? row->pattern : "contiguous");
	json_t *access = json_array_get(json_object_get(json_array_get(entries, 0), "accesses"), 0);

	assert_string_equal(access_coalescing(access), row->want);
	explain_complete(entries);
	assert_string_equal(json_string_value(json_object_get(access, "coalescing")), row->want);
	json_decref(entries);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, page, NULL, "page");
	test_add(&list, verbose_page, NULL, "page, -v");
	test_add(&list, defects, NULL, "defects");
	test_add(&list, missing, NULL, "what is not known");
	test_add(&list, launches, NULL, "two launches");
	test_add(&list, long_kernel, NULL, "a long kernel");
	test_add(&list, histogram, NULL, "atomic operations, branches of one line");
	test_add(&list, long_head, NULL, "a long head");
	test_add(&list, ragged_kernel, NULL, "a kernel that is all edge");
	test_add(&list, wide_source, NULL, "wide source lines");
	test_add(&list, diff, NULL, "two variants");
	test_add(&list, lost, NULL, "a lost page");
	for (size_t i = 0; i < sizeof coalescing_rows / sizeof *coalescing_rows; i++)
		test_add(&list, coalescing, &coalescing_rows[i], "coalescing: %s",
			coalescing_rows[i].name);
	return test_run(&list, argc, argv);
}
