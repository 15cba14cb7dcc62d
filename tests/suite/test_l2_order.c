/* The order in which roof/l2 reads the rows of A, in a model of the first-level cache of one
 * compute unit: reads must reach the second level. The functions of the order are those of the
 * OpenCL kernel, compiled as C; the CUDA kernel must have the same text. */
#include "host/io/sources.h"
#include "host/suite/roof_rows.h"
#include "tests/support/test.h"

/* ---- The kernel as C ----------------------------------------------------------------------- */

typedef unsigned uint;
typedef unsigned long ulong;
typedef float float4; /* no vectors, because the test only uses the order */

#define __global
#define __kernel __attribute__((unused)) static
#define reqd_work_group_size(x, y, z) unused
#define get_group_id(dimension) (dimension)
#define get_local_id(dimension) (dimension)
#define BLOCK 256
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "cl_kernels/roof/l2.cl"
#pragma GCC diagnostic pop

/* ---- Sizes --------------------------------------------------------------------------------- */

#define MIB ((int64_t)1 << 20)

static const struct size_row {
	const char *driver, *vendor, *name;
	uint64_t cache_bytes; /* as reported */
	unsigned units;
	int64_t bytes;   /* of A */
	double total_gb; /* that a run reads: at least */
} size_rows[] = {
	{"CUDA", "NVIDIA", "NVIDIA H200", 60 * MIB, 132, 15 * MIB, 6},
	{"OpenCL", "NVIDIA Corporation", "NVIDIA H200", 0, 132, 15 * MIB, 6},
	{"CUDA", "NVIDIA", "NVIDIA B200", 132644864, 148, 16 * MIB, 6},
	{"ROCm, a cache for each die", "Advanced Micro Devices, Inc.", "gfx942:sramecc+:xnack-",
		32 << 10, 304, 2 * MIB, 4},
	{"NEO", "Intel(R) Corporation", "Intel(R) Arc(TM) A770 Graphics", 16 * MIB, 512, 4 * MIB,
		6},
	{"unknown", "Vendor", "GPU", 0, 40, 2 * MIB, 0.5},
};

static struct roof_row row_of(const struct size_row *row)
{
	struct gpu_device_info info = {.type = GPU_TYPE_GPU,
		.limits = {.cache_bytes = row->cache_bytes,
			.compute_units = row->units,
			.global_bytes = (uint64_t)64 << 30,
			.max_buffer_bytes = (uint64_t)64 << 30}};
	struct roof_row got;

	snprintf(info.vendor, sizeof info.vendor, "%s", row->vendor);
	snprintf(info.name, sizeof info.name, "%s", row->name);
	IS(roof_row_of(&info, ROOF_L2, false, &got));
	return got;
}

TEST_ROWS(sizes, size_rows, "the size for %s, %s", row->name, row->driver)
{
	struct roof_row got = row_of(row);
	const int64_t *dim = got.problem.dim;
	struct plan plan;

	config_plan(&got.config, &got.problem, &plan);
	test_note("%.1f MiB, %lld passes", (double)dim[0] * 4 / MIB, (long long)dim[2]);
	CHECK(EQUAL(dim[0] * 4, row->bytes), EQUAL(dim[0] % dim[1], 0),
		IS(got.amount >= row->total_gb * 1e9 && got.amount <= 20e9));
	/* A block reads at most 2 MiB. */
	const uint64_t *groups = plan_step_launch(&plan.steps[0])->groups;
	EQUAL(groups[0] % (uint64_t)dim[2], 0);
	IS(groups[0] / (uint64_t)dim[2] * 2 * MIB >= (uint64_t)row->bytes);
	IS(got.problem.source != INPUT_USER);
}

/* ---- A first-level cache ------------------------------------------------------------------- */

#define CACHE_ROWS 64 /* 256 KiB of rows of 4 KiB: compute capability 9.0 */
#define RESIDENT 8    /* blocks of one multiprocessor */
#define HIT_TIME 1.0  /* for a row */
#define MISS_TIME 5.0 /* 128 bytes a cycle from the first level, about 25 from the second */

struct cached {
	uint row;     /* 4 KiB: the columns of a block */
	int64_t used; /* number of the last access; 0: empty */
};

/* Reads a row and makes it the most recently used row. Returns whether it was in the cache. */
static bool cache_read_row(struct cached cache[CACHE_ROWS], uint row, int64_t number)
{
	struct cached *oldest = &cache[0];

	for (int i = 0; i < CACHE_ROWS; i++) {
		if (cache[i].used && cache[i].row == row) {
			cache[i].used = number;
			return true;
		}
		if (cache[i].used < oldest->used)
			oldest = &cache[i];
	}
	*oldest = (struct cached){row, number};
	return false;
}

struct reader {
	uint row, step, chunk;
	uint left;   /* rows */
	double time; /* at which its last read ended */
};

static struct reader *next_reader(struct reader *readers)
{
	struct reader *next = NULL;

	for (int b = 0; b < RESIDENT; b++)
		if (readers[b].left && (!next || readers[b].time < next->time))
			next = &readers[b];
	return next;
}

/* The share of hits if each block is slower than the block before it. */
static double hit_share(struct reader *readers, uint rows, double slower)
{
	struct cached cache[CACHE_ROWS] = {0};
	int64_t reads = 0, hits = 0;

	for (struct reader *reader; (reader = next_reader(readers)); reads++) {
		bool hit = cache_read_row(cache, reader->chunk * rows + reader->row, reads + 1);

		hits += hit;
		reader->time +=
			(hit ? HIT_TIME : MISS_TIME) * (1 + slower * (double)(reader - readers));
		reader->row = row_after(reader->row, reader->step, rows);
		reader->left--;
	}
	return (double)hits / (double)reads;
}

static const struct order_row {
	const char *name;
	bool one_order;  /* all passes use step 1, and all blocks the same columns */
	uint distance;   /* between the blocks of one multiprocessor; 0: units */
	double slower;   /* than the block before it, as a fraction of its time */
	double from, to; /* share of hits */
} order_rows[] = {
	{"an order for each pass, in step", false, 0, 0, 0, 0.02},
	{"an order for each pass, unequal blocks", false, 0, 0.2, 0, 0.02},
	{"an order for each pass, neighbours, in step", false, 1, 0, 0, 0.02},
	{"an order for each pass, neighbours, unequal blocks", false, 1, 0.2, 0, 0.02},
	/* With one order the model finds hits. */
	{"one order, blocks catch up", true, 0, 0.2, 0.25, 1},
	{"one order, neighbours", true, 1, 0, 0.8, 1},
};

/* The mean of some multiprocessors of an H200. */
TEST_ROWS(order, order_rows, "%s: %g to %g %% hits", row->name, 100 * row->from, 100 * row->to)
{
	enum {
		SAMPLES = 12
	};
	const struct roof_row l2 = row_of(&size_rows[0]);
	uint units = size_rows[0].units;
	uint rows = (uint)(l2.problem.dim[0] / l2.problem.dim[1]);
	uint passes = (uint)l2.problem.dim[2];
	uint chunks = (uint)(l2.problem.dim[1] / (4 * BLOCK));
	double share = 0;

	for (uint s = 0; s < SAMPLES; s++) {
		uint unit = s * units / SAMPLES;
		struct reader readers[RESIDENT];

		for (uint b = 0; b < RESIDENT; b++) {
			uint block = row->distance ? unit * RESIDENT + b * row->distance
						   : unit + b * units;
			uint pass = block / chunks;
			readers[b] = (struct reader){first_row(pass, passes, rows),
				.step = row->one_order ? 1 : step_of(pass, rows),
				.chunk = row->one_order ? 0 : chunk_of(block, chunks),
				.left = rows};
		}
		share += hit_share(readers, rows, row->slower) / SAMPLES;
	}
	test_note("%.2f %% hits", 100 * share);
	IS(share >= row->from && share <= row->to);
}

/* ---- The order itself ---------------------------------------------------------------------- */

static const uint row_counts[] = {1, 2, 3, 4, 6, 12, 97, 250, 254, 512, 3200, 3840, 4096};

/* Each pass visits each row once. */
TEST_ROWS(visits, row_counts, "each of %u rows once", *row)
{
	const uint rows = *row;
	FREED bool *visited = calloc(rows, sizeof *visited);

	SOME(visited);
	for (uint pass = 0; pass < 40; pass++) {
		uint at = first_row(pass, 40, rows), step = step_of(pass, rows);

		memset(visited, 0, rows * sizeof *visited);
		for (uint r = 0; r < rows; r++, at = row_after(at, step, rows)) {
			IS(at < rows && !visited[at]);
			visited[at] = true;
		}
	}
}

/* Copies the text from `from` up to `to`; `type` becomes "uint", `inlined` becomes "inline". */
static void extract(const char *path, const char *type, const char *inlined, char *ret_text)
{
	const char *source = sources_embedded(path);
	const char *at = source ? strstr(source, "/* A prime") : NULL;
	const char *end = at ? strstr(at, "next - rows;") : NULL;

	SOME(end);
	while (at < end) {
		const char *word = NULL, *as = NULL;

		if (strncmp(at, type, strlen(type)) == 0)
			word = type, as = "uint";
		else if (strncmp(at, inlined, strlen(inlined)) == 0)
			word = inlined, as = "inline";
		if (word) {
			ret_text = stpcpy(ret_text, as);
			at += strlen(word);
		} else {
			*ret_text++ = *at++;
		}
	}
	*ret_text = '\0';
}

TEST(same_text, "both languages have one order")
{
	char opencl[4096], cuda[4096];

	extract("cl_kernels/roof/l2.cl", "ulong", "inline", opencl);
	extract("cuda_kernels/roof/l2.cu", "unsigned long long", "__device__", cuda);
	for (char *at; (at = strstr(cuda, "unsigned"));) {
		memcpy(at, "uint", 4);
		memmove(at + 4, at + 8, strlen(at + 8) + 1);
	}
	STRING(cuda, opencl);
}
