/*
 * latency: R[c] = the last line of a chase of `hops` hops through next[], for STARTS chases that
 * begin at equal distances. Every hop is a load whose address is the result of the previous hop.
 *
 * A line of 128 bytes has one element, so n is the working set in lines, and each hop goes to
 * another line. The places p of the cycle are visited in the order p, p + s, p + 2 s ... modulo n,
 * with s prime to n: this is one cycle for every n. s is close to n / golden ratio: then the places
 * of k successive hops are about n / k apart (the three-distance theorem). So neighbouring lines,
 * DRAM rows and pages are visited again as late as possible, and a step is longer than the range of
 * a hardware prefetcher (at most a page).
 *
 * The line of a place is the place itself, except that random neighbours are exchanged. So a kernel
 * cannot calculate the last line without loads, but the reference can, because the exchange depends
 * on the seed only. No permutation is stored. The data of another seed and of the cases are random
 * ways through the lines, without a formula; there the reference walks.
 *
 * The primary figure is cold: all caches are overwritten before a run. Therefore the kernel first
 * reads a working set of up to WARM_LINES lines. This takes some microseconds per run and leaves
 * the set in the nearest cache that can hold it, so ns/hop is the latency of that cache. A larger
 * set is not read first: its hops go to memory, unless they return to a line of the same run.
 * STARTS * hops should be much larger than the number of lines read first, and smaller than n for
 * the largest sets. The defaults satisfy this.
 */
#include "common/check_sizes.h"
#include "common/data.h"
#include "common/families/traffic.h"
#include "common/family.h"
#include "common/model/passes.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	DIM_N,
	DIM_HOPS
};

#define LINE_WORDS 32            /* 128 bytes: a line of all NVIDIA GPUs, two of most CPUs */
#define STARTS 32                /* chases */
#define WARM_LINES (1 << 18)     /* 32 MiB: fits in an L2 of 60 MB and in many L3 caches */
#define GOLDEN_RATIO 0x9e3779b9u /* 2^32 / golden ratio */

/* ---- The cycle ----------------------------------------------------------------------------- */

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b > 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The largest s <= n / golden ratio that is prime to n. The loop ends at 1 or, for n = 1, at 0. */
static uint64_t step_of_cycle(uint64_t n)
{
	uint64_t s = n * GOLDEN_RATIO >> 32;

	while (greatest_common_divisor(s, n) != 1)
		s--;
	return s;
}

/* The line of a place, and the place of a line: neighbours 2 k and 2 k + 1 may be exchanged. */
static uint64_t exchanged(const struct problem *problem, uint64_t i)
{
	uint64_t n = (uint64_t)problem->dim[DIM_N];
	bool alone = n % 2 && i == n - 1;

	return alone ? i : i ^ (data_bits(problem->seed, 0, i / 2) >> 63);
}

/* The first word of a line is the number of the next line. The other words are the number of their
 * own line: a kernel that loads the wrong word stays there and never leaves the array. The cases
 * visit the lines in other orders, which have no closed form. */
static void fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target)
{
	uint32_t *words = target;
	uint64_t n = (uint64_t)problem->dim[DIM_N];
	uint64_t s = step_of_cycle(n);

	for (int64_t i = 0; i < count; i++) {
		uint64_t line = (uint64_t)(first + i) / LINE_WORDS;
		uint64_t next = line;
		bool is_first = (first + i) % LINE_WORDS == 0;

		if (is_first && problem->source == INPUT_SEED)
			next = data_bits(problem->seed, operand, line) % n;
		else if (is_first && problem->source == INPUT_CASE)
			next = data_case_below(n, (int64_t)line, (int64_t)n, problem->seed, operand,
				problem->data_case);
		else if (is_first)
			next = exchanged(problem, (exchanged(problem, line) + s) % n);
		words[i] = (uint32_t)next;
	}
}

static bool check_inputs(
	const struct problem *problem, const void *const *inputs, char *ret_text, size_t size)
{
	const uint32_t *next = inputs[0];

	for (int64_t line = 0; line < problem->dim[DIM_N]; line++)
		if (next[line * LINE_WORDS] >= problem->dim[DIM_N]) {
			snprintf(ret_text, size,
				"next[%lld][0] is %u: a chase must stay within %lld lines",
				(long long)line, next[line * LINE_WORDS],
				(long long)problem->dim[DIM_N]);
			return false;
		}
	return true;
}

static uint64_t end_of_walk(const struct problem *problem, const uint32_t *next, uint64_t line)
{
	for (int64_t h = 0; h < problem->dim[DIM_HOPS]; h++)
		line = next[line * LINE_WORDS];
	return line;
}

static void reference(const struct problem *problem, const void *const *inputs,
	struct region region, struct expected *ret_expected)
{
	uint64_t n = (uint64_t)problem->dim[DIM_N];
	/* s < n <= 2^32 and hops <= 2^32: no overflow. */
	uint64_t distance = step_of_cycle(n) * (uint64_t)problem->dim[DIM_HOPS] % n;

	for (int64_t i = 0; i < region.rows; i++) {
		uint64_t start = (uint64_t)(region.row + i) * n / STARTS;
		uint64_t end =
			problem->source == INPUT_RANDOM
				? exchanged(problem, (exchanged(problem, start) + distance) % n)
				: end_of_walk(problem, inputs[0], start);
		ret_expected[i] = (struct expected){.value = (double)end};
	}
}

/* ---- Work ---------------------------------------------------------------------------------- */

static double all_hops(const struct problem *problem)
{
	return (double)STARTS * (double)problem->dim[DIM_HOPS];
}

static double count_hops(const struct config *config, const struct problem *problem)
{
	(void)config;
	return all_hops(problem);
}

/* The lines count too: they are generated and copied to the device. */
static double work(const struct problem *problem)
{
	return all_hops(problem) + (double)problem->dim[DIM_N];
}

static double bytes_issued(const struct config *config, const struct problem *problem)
{
	int64_t n = problem->dim[DIM_N];
	double warmed = n <= WARM_LINES ? (double)n : 0;

	(void)config;
	return sizeof(uint32_t) * (all_hops(problem) + warmed + STARTS);
}

/* s^-1 modulo n, for s prime to n: x with s x = 1 modulo n (Euclid's algorithm). */
static uint64_t inverse(uint64_t s, uint64_t n)
{
	int64_t r = (int64_t)n, next_r = (int64_t)s, x = 0, next_x = 1;

	while (next_r != 0) {
		int64_t quotient = r / next_r;
		int64_t rest = r - quotient * next_r, last = x - quotient * next_x;

		r = next_r;
		next_r = rest;
		x = next_x;
		next_x = last;
	}
	return (uint64_t)(x < 0 ? x + (int64_t)n : x);
}

static int compare_places(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

/* Number of lines that the chases visit. A chase starts at its place in the cycle and visits `hops`
 * lines. Lines from the place of the next chase on count only once. */
static double lines_visited(const struct problem *problem)
{
	uint64_t n = (uint64_t)problem->dim[DIM_N];
	uint64_t hops = (uint64_t)problem->dim[DIM_HOPS];
	uint64_t to_place = inverse(step_of_cycle(n), n);
	uint64_t place[STARTS + 1];
	double lines = 0;

	for (uint64_t c = 0; c < STARTS; c++)
		place[c] =
			exchanged(problem, c * n / STARTS) * to_place % n; /* factors below 2^32 */
	qsort(place, STARTS, sizeof *place, compare_places);
	place[STARTS] = place[0] + n;
	for (int c = 0; c < STARTS; c++) {
		uint64_t gap = place[c + 1] - place[c];

		lines += (double)(gap < hops ? gap : hops);
	}
	return lines;
}

/* One word of each visited line, and the results. */
static double bytes_compulsory(const struct problem *problem)
{
	return sizeof(uint32_t) * (lines_visited(problem) + STARTS);
}

/* One sector of each line is read, once. If the set is warmed, a block first reads all lines, and
 * all its threads access the same bank. Then one thread hops. It also reads the values of the other
 * threads from shared memory. */
static void traffic(
	const struct config *config, const struct problem *problem, struct floor_work *work)
{
	int64_t n = problem->dim[DIM_N];
	int block = config_value(config, "BLOCK");
	bool warmed = n <= WARM_LINES;

	work->bytes_read =
		(double)config->shape.sector_bytes * (warmed ? (double)n : lines_visited(problem));
	work->l2_bytes = work->bytes_read + work->bytes_written;
	traffic_set(work, (warmed ? (double)n : 0) + all_hops(problem) + STARTS,
		passes_count_warps(block) + block - 1);
}

static void plan_chains(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	plan_add_grid(
		ret_plan, config, problem, 1, config_value(config, "BLOCK"), 1, PLAN_ARG_ULONG);
}

static const struct check_size sizes[] = {
	{{AT(1), AT(1)}},
	{{AT(2), AT(3)}},
	{{AT(31), AT(37)}},
	{{AT(STARTS), AT(64)}},
	{{AT(STARTS + 1), AT(5)}},
	{{TILES(DIM_N, 1, -1), AT(100)}},
	{{TILES(DIM_N, 1, 0), TILES(DIM_N, 1, 0)}},
	{{TILES(DIM_N, 1, 1), AT(1)}},
	{{AT(WARM_LINES), AT(3)}},
	{{AT(WARM_LINES + 1), AT(1021)}},
	{{AT(1009), LARGE(0)}},
};

/* An eighth of the budget; 2^23 hops are enough for any device. Mesa's llvmpipe ends a loop after
 * 65535 iterations, summed over nested loops: the slowest engines get fewer hops. */
static const struct check_rule check = {
	.large = {.work_each = 8 * STARTS, .max = 1 << 18, .few = 1021},
	.sets = {{.sizes = WITH_COUNT(sizes)}}};

/* ---- The ladder ------------------------------------------------------------------------------ */

static const struct operand operands[] = {
	VECTOR("next", OPERAND_IN, DIM_N, .columns_scale = LINE_WORDS, .dtype = DTYPE_U32),
	VECTOR("R", OPERAND_OUT, DIM_ONE, .rows_scale = STARTS, .dtype = DTYPE_U32),
};

static const enum dtype dtypes[] = {DTYPE_U32};
static const int block_choices[] = {32, 64, 128, 256, 0};
static const int chains_choices[] = {1, 2, 4, 8, 16, 32, 0};

#define ROW(chains, choices)                                                                  \
	.book = "4.6, 6.2", .file = "chains", .entry = "latency_chains", .plan = plan_chains, \
	.bytes_issued = bytes_issued, .traffic = traffic, .tile = {{"BLOCK"}},                \
	.reads = KERNEL_SHAPE_SECTOR,                                                         \
	.macros = {{"CHAINS", (chains), (choices)}, {"BLOCK", 256, block_choices},            \
		{"STARTS", STARTS, NULL}, {"LINE_WORDS", LINE_WORDS, NULL},                   \
		{"WARM_LINES", WARM_LINES, NULL}}

static const struct variant variants[] = {
	{.name = "chase",
		.technique = "-",
		.idea = "one thread follows one chase after another: a hop takes the latency of the "
			"cache or memory that holds the working set",
		ROW(1, NULL)},
	{.name = "chains",
		.technique = "parallelism",
		.idea = "the thread follows 8 chases at once, and their loads overlap: a hop takes an "
			"eighth of the latency at best (Little's law)",
		.base = "chase",
		.claim = {.text = "8 chains >= 4 x one", .at_least = 4},
		ROW(8, chains_choices)},
};

const struct family family_latency = {
	.name = "latency",
	.title = "R = last line of each chase through `next`",
	.size_help =
		"R[32] = lines that 32 chases reach after `hops` hops through next[n], in u32; a line "
		"of 128 bytes has one element; sizes n lines x hops, each from 1 to 2^32",
	.book = "PMPP 4th ed., 4.6 and 6.2",
	.dim_names = {"n", "hops"},
	.dim_count = 2,
	.dim_max = (int64_t)1 << 32,
	.dim_default = {[DIM_HOPS] = 8192},
	/* A hop to memory takes almost a microsecond on a GPU: 50 ms per run. */
	.default_size = {[DEVICE_CLASS_GPU] = {1 << 21, 2048},
		[DEVICE_CLASS_CPU] = {1 << 20},
		[DEVICE_CLASS_EMULATED] = {1 << 10, 64}},
	.dtypes = WITH_COUNT(dtypes),
	.operands = WITH_COUNT(operands),
	.fill = fill,
	.cases = ALL_CASES,
	.check_inputs = check_inputs,
	.reference = reference,
	.work = work,
	.bytes_compulsory = bytes_compulsory,
	.check = &check,
	.metric = {METRIC_NS_EACH, "ns/hop", count_hops},
	.variants = WITH_COUNT(variants),
};
