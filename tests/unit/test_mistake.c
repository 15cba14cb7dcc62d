/* Names of mistakes, the signs of wrong outputs, and what the code of a kernel shows. */
#include "common/model/mistake.h"
#include "common/own/kernel.h"
#include "common/symptoms.h"
#include "tests/support/test.h"

#include <string.h>

/* ---- Names ------------------------------------------------------------------------------------- */

#define S(name) (1u << MISTAKE_##name##_SIGN)
#define PASS(m, n, k)                                                                             \
	{                                                                                         \
		.passed = true, .dim = {(m), (n), (k)}, .elements = (m) * (n), .block = {16, 16}, \
		.grid = {1, 1}, .rows = (m), .columns = (n)                                       \
	}
#define FAIL(m, n, k, ...)                                                                        \
	{                                                                                         \
		.dim = {(m), (n), (k)}, .elements = (m) * (n), .block = {16, 16}, .grid = {1, 1}, \
		.rows = (m), .columns = (n), __VA_ARGS__                                          \
	}
#define FAIL_VECTOR(n, blocks, ...)                                                           \
	{                                                                                     \
		.dim = {(n), 1, 1}, .elements = (n), .block = {16, 1}, .grid = {(blocks), 1}, \
		.rows = (n), .columns = 1, __VA_ARGS__                                        \
	}
#define DEFECT(what, at, with, words) \
	.defect = TRACE_##what, .line = (at), .other_line = (with), .text = (words)

/* Line 3: the sum; 5: the loop; 6: loads; 7: the store; 2: a return in a branch; 4: a barrier. */
static const struct code_item code[] = {
	{.kind = CODE_BRANCH, .line = 2, .text = "i >= n"},
	{.kind = CODE_RETURN, .line = 2, .branch = 1, .text = "return"},
	{.kind = CODE_VARIABLE, .line = 3, .name = "sum", .text = "float sum", .unset = true},
	{.kind = CODE_BARRIER, .line = 4},
	{.kind = CODE_LOOP, .line = 5, .text = "int k = 0; k < n; k++"},
	{.kind = CODE_INPUT, .line = 6, .loop = 5, .name = "A", .text = "sum += A[k]"},
	{.kind = CODE_OUTPUT, .line = 7, .name = "C", .text = "C[i] = sum", .store = true},
	{.kind = CODE_CONSTANT, .line = 8, .name = "top", .text = "top = 0"},
	{.kind = CODE_INPUT, .line = 9, .loop = 5, .name = "A", .text = "top = fmaxf(top, A[k])"},
	{.kind = CODE_LAUNCH, .line = 20},
	{.kind = CODE_BRANCH, .line = 10, .text = "t < 32"},
	{.kind = CODE_SHARED, .line = 11, .branch = 11, .name = "s", .text = "sum_of_warp(s, t)"},
	{.kind = CODE_ARRAY, .line = 15, .name = "tile", .extent = 32},
	{.kind = CODE_SHARED, .line = 16, .name = "tile", .text = "z = tile[y] * q"},
	{.kind = CODE_VARIABLE, .line = 12, .name = "x", .text = "int x = threadIdx.x"},
	{.kind = CODE_VARIABLE, .line = 12, .name = "y", .text = "y = threadIdx.y"},
	{.kind = CODE_INPUT,
		.line = 13,
		.name = "B",
		.text = "s[y] = (p * T + y < n && r < m) ? B[(p * T + x) * n + r] : 0"},
	{.kind = CODE_INPUT,
		.line = 14,
		.name = "B",
		.text = "s[y] = (p * T + y < n) ? B[(p * T + y) * n + r] : 0"},
	{.kind = CODE_VARIABLE,
		.line = 17,
		.name = "column",
		.text = "int column = blockIdx.x * 16 + x",
		.step = 16},
	{.kind = CODE_SHARED,
		.line = 18,
		.loop = 5,
		.name = "s",
		.text = "s[y] += left",
		.update = true},
};

static const struct name_row {
	const char *name; /* NULL: not known */
	struct mistake_size sizes[3];
	int line;
	bool selects, vector, windows; /* windows: the third size is the radius of a window */
} name_rows[] = {
	{"swapped sizes", {PASS(16, 16, 16), PASS(17, 17, 17), FAIL(3, 5, 7, .signs = S(ALL))}, 6},
	{"transposed index", {PASS(1, 1, 1), FAIL(16, 16, 16, .signs = S(ALL) | S(TRANSPOSED))}, 7},
	{"missing bounds test",
		{PASS(16, 16, 16),
			FAIL(17, 17, 17,
				DEFECT(OUT_OF_BOUNDS, 6, 0, "out-of-bounds load of argument 1"))},
		6},
	{"index out of range",
		{PASS(16, 16, 16),
			FAIL(17, 17, 17,
				DEFECT(OUT_OF_BOUNDS, 13, 0, "out-of-bounds load of argument 2"))},
		13},
	{"missing bounds test",
		{PASS(16, 16, 16),
			FAIL(17, 17, 17,
				DEFECT(OUT_OF_BOUNDS, 14, 0, "out-of-bounds load of argument 2"))},
		14},
	{"loop bound too long",
		{FAIL(1, 1, 1, .signs = S(ALL) | S(EXTRA_TERM),
			 DEFECT(OUT_OF_BOUNDS, 6, 0, "out-of-bounds load of argument 1")),
			FAIL(16, 16, 16, .signs = S(ALL) | S(EXTRA_TERM),
				DEFECT(OUT_OF_BOUNDS, 6, 0, "out-of-bounds load of argument 1"))},
		5},
	{"index out of range",
		{FAIL(1, 1, 1, .signs = S(ALL),
			 DEFECT(OUT_OF_BOUNDS, 6, 0, "out-of-bounds load of argument 1")),
			FAIL(16, 16, 16, .signs = S(ALL),
				DEFECT(OUT_OF_BOUNDS, 6, 0, "out-of-bounds load of argument 1"))},
		6},
	{"shared array too small",
		{FAIL(1, 1, 1,
			DEFECT(OUT_OF_BOUNDS, 6, 0, "out-of-bounds store of shared memory"))},
		6},
	{"missing barrier", {FAIL(16, 16, 16, DEFECT(RACE, 6, 9, "a data race in shared memory"))},
		6},
	{"warp-synchronous code without __syncwarp", /* in a function in line 30 */
		{FAIL(16, 16, 16, DEFECT(RACE, 30, 31, "a data race in shared memory"))}, 30},
	{"output never written",
		{FAIL(1, 1, 1, .signs = S(ALL) | S(UNWRITTEN)),
			FAIL(17, 17, 17, .signs = S(ALL) | S(UNWRITTEN))},
		7},
	{"halo missing", {PASS(1, 1, 2), FAIL(32, 32, 2, .signs = S(EDGES))}, 6, .windows = true},
	{"wrong offset of a tile",
		{{.dim = {48, 48, 48},
			.rows = 48,
			.columns = 48,
			.block = {16, 16},
			.grid = {2, 2},
			.signs = S(UNWRITTEN),
			.from_column = 40}},
		17},
	{"lost tail", /* the grid is not that of tiles that overlap */
		{FAIL_VECTOR(1002, 4, .signs = S(UNWRITTEN), .from_row = 1000),
			FAIL_VECTOR(1003, 4, .signs = S(UNWRITTEN), .from_row = 1000)},
		7, .vector = true},
	{"loop bound too short", {PASS(8, 1, 1), FAIL(100, 1, 1, .from_row = 8)}, 5,
		.vector = true},
	{NULL, {PASS(1, 1, 1), FAIL_VECTOR(7, 7, .from_row = 1)}, 0,
		.vector = true}, /* sums of rows */
	{"swapped sizes", {PASS(16, 16, 2), FAIL(7, 13, 2, .signs = S(ALL))}, 6, .windows = true},
	{"grid too small",
		{{.dim = {1, 1, 1}, .block = {16, 16}},
			FAIL(17, 1, 1, .signs = S(ALL) | S(TAIL_TERMS))},
		20, .vector = true},
	{"race on the output",
		{FAIL(16, 16, 16, DEFECT(RACE, 7, 7, "a data race in global memory"))}, 7},
	{"barrier under a branch",
		{FAIL(17, 17, 17, DEFECT(BARRIER, 4, 0, "not all threads: 3 of 4 have returned"))},
		2},
	{"block smaller than the tile",
		{FAIL(1, 1, 1, DEFECT(UNINITIALISED, 16, 0, "load of shared memory"))}, 15},
	{"uninitialised sum", {FAIL(16, 16, 16, .signs = S(ALL) | S(UNSET))}, 3},
	{"output added instead of set", {FAIL(16, 16, 16, .signs = S(ALL) | S(OLD_OUTPUT))}, 7},
	{"loop bound too short",
		{FAIL(1, 1, 1, .signs = S(ALL) | S(LAST_TERM) | S(FIRST_TERM)),
			FAIL(16, 16, 16, .signs = S(ALL) | S(LAST_TERM))},
		5},
	{"store inside the loop",
		{PASS(1, 1, 1), FAIL(2, 2, 2, .signs = S(ALL) | S(ONE_TERM) | S(FIRST_TERM)),
			FAIL(16, 16, 16, .signs = S(ALL) | S(ONE_TERM))},
		7},
	{"lost tail", {PASS(16, 16, 16), FAIL(17, 17, 17, .signs = S(ALL) | S(TAIL_TERMS))}, 5},
	{"grid too small",
		{PASS(16, 16, 16), FAIL(17, 17, 17, .signs = S(UNWRITTEN) | S(SOME_UNWRITTEN),
					   .from_column = 16)},
		20},
	{"wrong identity of max or min",
		{PASS(16, 16, 16),
			FAIL(17, 17, 17, .signs = S(ALL) | S(ONE_VALUE), .data = "negative")},
		8, true},
	{NULL, {PASS(16, 16, 16), FAIL(17, 17, 17, .signs = S(FACTOR), .from_row = 16)}, 0},
};

TEST_ROWS(names, name_rows, "%s", row->name ? row->name : "not known")
{
	struct mistake_size sizes[3];
	struct mistake_evidence evidence = {.sizes = sizes,
		.dim_count = 3,
		.matrix = !row->vector,
		.window = row->windows ? 2 : -1,
		.least_window = 1,
		.selects = row->selects,
		.code = code,
		.code_count = sizeof code / sizeof *code};
	struct mistake mistake;

	for (size_t i = 0; i < 3 && row->sizes[i].dim[0]; i++) {
		sizes[i] = row->sizes[i];
		sizes[i].text = sizes[i].text ? sizes[i].text : "";
		sizes[i].from_row = sizes[i].from_row ? sizes[i].from_row : -1;
		sizes[i].from_column = sizes[i].from_column ? sizes[i].from_column : -1;
		evidence.size_count++;
	}
	CHECK(EQUAL(mistake_find(&evidence, &mistake), true), EQUAL(mistake.line, row->line),
		STRING(mistake.name ? mistake.name : "", row->name ? row->name : ""),
		EQUAL(*mistake_advice(row->name) != '\0', row->name != NULL));
}

TEST(right, "no mistake if all sizes pass")
{
	const struct mistake_size sizes[] = {PASS(16, 16, 16), PASS(3, 5, 7)};
	const struct mistake_evidence evidence = {.sizes = sizes, .size_count = 2, .dim_count = 3};
	struct mistake mistake;

	CHECK(EQUAL(mistake_find(&evidence, &mistake), false));
}

TEST(barrier, "a barrier of some threads, and one after a return, if all sizes pass")
{
	static const struct code_item items[] = {
		{.kind = CODE_VARIABLE, .line = 1, .name = "t", .text = "int t = threadIdx.x"},
		{.kind = CODE_BRANCH, .line = 2, .text = "t < s"},
		{.kind = CODE_BARRIER, .line = 3, .branch = 2},
		{.kind = CODE_BARRIER, .line = 4},
	};
	const struct mistake_size sizes[] = {PASS(16, 16, 16)};
	struct mistake_evidence evidence = {.sizes = sizes,
		.size_count = 1,
		.dim_count = 3,
		.exit_line = 4,
		.code = items,
		.code_count = sizeof items / sizeof *items};
	struct mistake mistake;

	CHECK(EQUAL(mistake_find(&evidence, &mistake), false));
	evidence.exit_line = 3;
	CHECK(EQUAL(mistake_find(&evidence, &mistake), true), EQUAL(mistake.line, 3));
}

TEST(step, "tiles that are not as far apart as the block has threads")
{
	static const struct code_item items[] = {
		{.kind = CODE_VARIABLE, .line = 1, .name = "i", .step = 16},
		{.kind = CODE_VARIABLE, .line = 2, .name = "j", .step = 15},
	};
	const struct mistake_size sizes[] = {
		PASS(1, 1, 1), PASS(16, 16, 16), FAIL(17, 17, 17, .signs = S(ALL), .text = "")};
	const struct mistake_evidence evidence = {.sizes = sizes,
		.size_count = 3,
		.dim_count = 3,
		.window = -1,
		.code = items,
		.code_count = 2};
	struct mistake mistake;

	CHECK(EQUAL(mistake_find(&evidence, &mistake), true), EQUAL(mistake.line, 2),
		STRING(mistake.name, "wrong offset of a tile"));
}

/* ---- Signs ------------------------------------------------------------------------------------- */

enum {
	EDGE = 4
};

/* Sums of products over the terms begin to end - 1, of A or its transpose. */
static void multiply(const float *a, const float *b, int begin, int end, bool transposed, float *c)
{
	for (int i = 0; i < EDGE * EDGE; i++) {
		c[i] = 0;
		for (int k = begin; k < end; k++)
			c[i] += a[transposed ? k * EDGE + i / EDGE : i / EDGE * EDGE + k] *
				b[k * EDGE + i % EDGE];
	}
}

static const struct sign_row {
	const char *name;
	int begin, end;
	bool transposed, columns_unwritten;
	unsigned has, lacks;
	int64_t from_column;
	bool all_unwritten;
} sign_rows[] = {
	{"a right output", 0, EDGE, false, false, 0, ~0u, -1},
	{"the last term", 0, EDGE - 1, false, false, S(ALL) | S(LAST_TERM),
		S(FIRST_TERM) | S(ONE_TERM), -1},
	{"the first term", 1, EDGE, false, false, S(ALL) | S(FIRST_TERM), S(LAST_TERM), -1},
	{"half of the terms", 0, EDGE / 2, false, false, S(HALF_TERMS), S(LAST_TERM), -1},
	{"one term", EDGE - 1, EDGE, false, false, S(ONE_TERM), S(LAST_TERM), -1},
	{"an input is transposed", 0, EDGE, true, false, S(INPUT_TRANSPOSED),
		S(LAST_TERM) | S(UNWRITTEN), -1},
	{"unwritten columns", 0, EDGE, false, true, S(UNWRITTEN) | S(SOME_UNWRITTEN), S(ALL),
		EDGE - 1},
	{"the value before the run is right at one place", 0, EDGE, false, false,
		S(ALL) | S(UNWRITTEN), 0, -1, true},
};

TEST_ROWS(signs, sign_rows, "signs: %s", row->name)
{
	const struct problem problem = {.family = family_find("matmul"), .dim = {EDGE, EDGE, EDGE}};
	uint32_t poison = 0x7fc0dead;
	float a[EDGE * EDGE], b[EDGE * EDGE], c[EDGE * EDGE];
	const void *const inputs[PMPP_MAX_OPERANDS] = {a, b};
	struct symptoms_input input = {.problem = &problem,
		.inputs = inputs,
		.values = c,
		.gamma = 1e-6,
		.block = {EDGE, EDGE}};
	struct symptoms symptoms;

	for (int i = 0; i < EDGE * EDGE; i++) {
		a[i] = (float)(i * i % 7 + 1);
		b[i] = (float)(i * 5 % 11 + 1);
	}
	multiply(a, b, row->begin, row->end, row->transposed, c);
	for (int i = EDGE - 1; i < EDGE * EDGE && row->columns_unwritten; i += EDGE)
		memcpy(&c[i], &poison, sizeof poison);
	if (row->all_unwritten)
		memcpy(&poison, c, sizeof poison);
	for (int i = 0; i < EDGE * EDGE && row->all_unwritten; i++)
		c[i] = c[0];
	input.poison = poison;
	CHECK(EQUAL(symptoms_find(&input, &symptoms), true));
	CHECK(EQUAL(symptoms.signs & row->has, row->has), EQUAL(symptoms.signs & row->lacks, 0),
		EQUAL(symptoms.from_column, row->from_column));
}

/* ---- Code -------------------------------------------------------------------------------------- */

static const char kernel_text[] =
	"__global__ void matmul(const float *A, const float *B, float *C, int m, int n, int k)\n"
	"{\n"
	"	__shared__ float tile[16];\n"
	"	int row = threadIdx.y; short col = threadIdx.x;\n"
	"	float sum;\n"
	"	if (row >= m)\n"
	"		return;\n"
	"	for (int i = 0; i < k; i++) {\n"
	"		tile[col] = A[row * k + i];\n"
	"		__syncthreads();\n"
	"		sum += tile[i] * B[i * n + col];\n"
	"	}\n"
	"	C[row * n + col] += sum;\n"
	"}\n";

static const struct code_row {
	enum code_kind kind;
	int line, loop_line, branch_line;
	const char *name;
	bool store, update, unset, narrow;
	int64_t step; /* of the loop with the barrier */
} code_rows[] = {
	{CODE_ARRAY, 3, 0, 0, "tile", .store = false},
	{CODE_VARIABLE, 4, 0, 0, "row", .store = false},
	{CODE_VARIABLE, 4, 0, 0, "col", .narrow = true},
	{CODE_VARIABLE, 5, 0, 0, "sum", .unset = true},
	{CODE_BRANCH, 6, 0, 0, "", .store = false},
	{CODE_RETURN, 7, 0, 6, "", .store = false},
	{CODE_LOOP, 8, 0, 0, "", .store = false},
	{CODE_SHARED, 9, 8, 0, "tile", .store = true},
	{CODE_INPUT, 9, 8, 0, "A", .step = 1},
	{CODE_BARRIER, 10, 8, 0, "", .store = false},
	{CODE_SHARED, 11, 8, 0, "tile", .store = false},
	{CODE_INPUT, 11, 8, 0, "B", .step = 1},
	{CODE_OUTPUT, 13, 0, 0, "C", .store = true, .update = true},
};

TEST(items, "items of the code")
{
	const struct own_wishes wishes = {0};
	struct own_kernel *kernel = NULL;
	struct code_item *items = NULL;
	size_t count = 0;

	test_ok(own_kernel_read("matmul.cu", kernel_text, &wishes, &kernel, &test_error));
	CHECK(EQUAL(own_kernel_code(kernel, &items, &count), true),
		EQUAL(count, sizeof code_rows / sizeof *code_rows), EQUAL(items[0].extent, 16));
	for (size_t i = 0; i < count; i++) {
		const struct code_row *row = &code_rows[i];
		const struct code_item *item = &items[i];
		CHECK(EQUAL(item->kind, row->kind), EQUAL(item->line, row->line),
			STRING(item->name, row->name),
			EQUAL(item->loop ? items[item->loop - 1].line : 0, row->loop_line),
			EQUAL(item->branch ? items[item->branch - 1].line : 0, row->branch_line),
			EQUAL(item->store, row->store), EQUAL(item->update, row->update),
			EQUAL(item->unset, row->unset), EQUAL(item->narrow, row->narrow),
			EQUAL(item->step, row->step));
	}
	free(items);
	own_kernel_destroy(kernel);
}
