#include "common/model/occupancy.h"
#include "tests/support/test.h"

#if __has_include(<cuda_occupancy.h>)
#define HAVE_CALCULATOR 1
#include <cuda_occupancy.h>
#endif

#define T (1u << OCCUPANCY_THREADS)
#define B (1u << OCCUPANCY_BLOCKS)
#define R (1u << OCCUPANCY_REGISTERS)
#define S (1u << OCCUPANCY_SHARED)

/* ---- By hand ------------------------------------------------------------------------------- */

/* cc NULL: the multiprocessor of PMPP 3rd ed. 5.4, 1536 threads, 8 blocks, 16384 registers. */
static const struct hand_row {
	const char *cc;
	struct kernel_use use;
	int64_t blocks, threads, warps;
	unsigned limited_by;
	int64_t cliff_registers, cliff_blocks;
} hand_rows[] = {
	{NULL, {256, 10, 0}, 6, 1536, 48, T | R, 11, 5},
	{NULL, {256, 11, 0}, 5, 1280, 40, R, 13, 4},
	{NULL, {256, 12, 0}, 5, 1280, 40, R, 13, 4},
	{NULL, {128, 10, 0}, 8, 1024, 32, B, 17, 7},
	{NULL, {192, 10, 0}, 8, 1536, 48, T | B | R, 11, 7},
	{NULL, {100, 0, 0}, 8, 800, 32, B, 0, 0},
	{NULL, {1024, 17, 0}, 0, 0, 0, R, 0, 0},
	{"9.0", {256, 32, 0}, 8, 2048, 64, T | R, 33, 6},
	{"9.0", {1024, 64, 0}, 1, 1024, 32, R, 65, 0},
	{"9.0", {1024, 65, 0}, 0, 0, 0, R, 0, 0},
	{"9.0", {100, 0, 0}, 16, 1600, 64, T, 0, 0},
	{"9.0", {100, 32, 0}, 16, 1600, 64, T | R, 33, 12},
	{"9.0", {32, 32, 0}, 32, 1024, 32, B, 65, 28},
	{"9.0", {1, 1, 0}, 32, 32, 32, B, 65, 28},
	{"9.0", {256, 255, 0}, 1, 256, 8, R, 0, 0},
	/* 1280 registers a warp: 12 warps in each of 4 partitions, not 51 in total. */
	{"9.0", {96, 40, 0}, 16, 1536, 48, R, 41, 13},
	{"9.0", {256, 32, 227 * 1024}, 1, 256, 8, S, 0, 0},
	{"9.0", {256, 32, 48 * 1024}, 4, 1024, 32, S, 65, 3},
	/* 113 KiB and the reserved 1 KiB: exactly two blocks fit. One byte more: one block. */
	{"9.0", {64, 32, 113 * 1024}, 2, 128, 4, S, 0, 0},
	{"9.0", {64, 32, 113 * 1024 + 1}, 1, 64, 2, S, 0, 0},
	{"7.5", {64, 32, 32 * 1024}, 2, 128, 4, S, 0, 0},
	{"7.5", {1024, 64, 0}, 1, 1024, 32, T | R, 65, 0},
	{"8.0", {32, 0, 0}, 32, 1024, 32, B, 0, 0},
	{"8.6", {1024, 32, 0}, 1, 1024, 32, T, 65, 0},
	{"8.6", {96, 32, 0}, 16, 1536, 48, T | B, 41, 13},
	{"8.9", {64, 32, 0}, 24, 1536, 48, T | B, 41, 20},
	{"10.0", {256, 32, 0}, 8, 2048, 64, T | R, 33, 6},
	{"12.0", {256, 32, 0}, 6, 1536, 48, T, 41, 5},
};

static struct occupancy_unit sm_of(const char *cc)
{
	if (!cc)
		return occupancy_unit_given(1536, 8, 16384, 16384);
	const struct occupancy_unit *sm = occupancy_unit_of_cc(cc);
	SOME(sm);
	return *sm;
}

TEST_ROWS(by_hand, hand_rows, "%s: %d threads, %d registers, %d bytes", row->cc ? row->cc : "given",
	(int)row->use.threads, (int)row->use.registers, (int)row->use.shared_bytes)
{
	struct occupancy_unit sm = sm_of(row->cc);
	struct occupancy got;

	test_ok(occupancy_of(&sm, &row->use, &got, &test_error));
	CHECK(EQUAL(got.blocks, row->blocks), EQUAL(got.threads, row->threads),
		EQUAL(got.warps, row->warps), EQUAL(got.limited_by, row->limited_by),
		EQUAL(got.cliff_registers, row->cliff_registers ? row->cliff_registers : -1),
		EQUAL(got.cliff_blocks, row->cliff_registers ? row->cliff_blocks : -1));
	if (row->cc)
		test_near(got.occupancy,
			(double)row->warps * 32 / (double)occupancy_unit_threads(&sm), 1e-15);
	else
		test_near(got.occupancy, (double)row->threads / 1536, 1e-15);
}

/* ---- Unknown figures ----------------------------------------------------------------------- */

TEST(threads_alone, "only the number of threads is known")
{
	struct occupancy_unit sm = occupancy_unit_given(1000, 0, 0, 0);
	struct kernel_use use = {.threads = 300};
	struct occupancy got;

	test_ok(occupancy_of(&sm, &use, &got, &test_error));
	CHECK(EQUAL(got.blocks, 3), EQUAL(got.limited_by, T),
		IS(got.allowed[OCCUPANCY_BLOCKS] == INT64_MAX), NEAR(got.occupancy, 0.9, 1e-15));
}

static const struct bad_row {
	const char *name, *cc;
	struct kernel_use use;
	const char *part;
} bad_rows[] = {
	{"no threads", "9.0", {0, 32, 0}, "1 to 1024"},
	{"a negative count", "9.0", {-1, 32, 0}, "not -1"},
	{"too many threads", "9.0", {1025, 32, 0}, "not 1025"},
	{"too many registers", "9.0", {256, 256, 0}, "at most 255"},
	{"negative registers", "9.0", {256, -1, 0}, "registers"},
	{"too much shared memory", "9.0", {256, 32, 227 * 1024 + 1}, "232448"},
	{"too much for 7.5", "7.5", {256, 32, 64 * 1024 + 1}, "65536"},
	{"negative shared memory", "9.0", {256, 32, -1}, "not -1"},
	{"registers without their count", "", {256, 32, 0}, "known"},
	{"shared memory without its size", "", {256, 0, 1}, "known"},
	{"overflow", "9.0", {256, INT64_MAX, INT64_MAX}, "registers"},
};

TEST_ROWS(bad, bad_rows, "refused: %s", row->name)
{
	struct occupancy_unit sm = *row->cc ? sm_of(row->cc) : occupancy_unit_given(1536, 0, 0, 0);
	struct occupancy got = {.blocks = 77};

	test_refused(occupancy_of(&sm, &row->use, &got, &test_error), PMPP_USAGE, row->part);
	EQUAL(got.blocks, 77);
}

TEST(names, "names")
{
	for (size_t i = 0; i < occupancy_unit_count; i++) {
		const struct occupancy_unit *unit = &occupancy_units[i];
		SAME(occupancy_unit_find(unit->name), unit);
		if (unit->cc)
			SAME(occupancy_unit_of_cc(unit->cc), unit);
	}
	CHECK(NIL(occupancy_unit_of_cc("9.1")), NIL(occupancy_unit_of_cc("")),
		NIL(occupancy_unit_find("9.0")), NIL(occupancy_unit_find("gfx94")),
		STRING(occupancy_limit_words[OCCUPANCY_SHARED], "shared memory"));
}

/* ---- NVIDIA's calculator ------------------------------------------------------------------- */

#ifdef HAVE_CALCULATOR

/* The calculator's own limits (blocks, granularities, partitions), with the sizes of our table. */
static int calculator_blocks(const struct occupancy_unit *sm, const struct kernel_use *use)
{
	char *minor;
	cudaOccDeviceProp device = {
		(int)strtol(sm->cc, &minor, 10),
		.maxThreadsPerBlock = 1024,
		.maxThreadsPerMultiprocessor = (int)occupancy_unit_threads(sm),
		.regsPerBlock = (int)(sm->registers * sm->simds),
		.regsPerMultiprocessor = (int)(sm->registers * sm->simds),
		.warpSize = 32,
		.sharedMemPerBlock = 48 * 1024,
		.sharedMemPerMultiprocessor = (size_t)sm->shared_bytes,
		.numSms = 1,
		.sharedMemPerBlockOptin = (size_t)sm->block_shared_bytes,
		.reservedSharedMemPerBlock = (size_t)sm->reserved_bytes,
	};
	cudaOccFuncAttributes kernel = {
		1024,
		.numRegs = (int)use->registers,
		.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
		.maxDynamicSharedSizeBytes = (size_t)use->shared_bytes,
		.numBlockBarriers = 1,
	};
	cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
	cudaOccResult result = {0};

	device.computeMinor = atoi(minor + 1);
	EQUAL(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state,
		      (int)use->threads, (size_t)use->shared_bytes),
		CUDA_OCC_SUCCESS);
	return result.activeBlocksPerMultiprocessor;
}

static void against_calculator(const void *context)
{
	const struct occupancy_unit *sm = context;
	struct occupancy got;
	int compared = 0;

	for (int64_t threads = 1; threads <= 1024; threads += threads < 64 ? 7 : 29)
		for (int64_t registers = 1; registers <= 255; registers += 3)
			for (int64_t bytes = 0; bytes <= sm->block_shared_bytes; bytes += 6143) {
				struct kernel_use use = {.threads = threads,
					.registers = registers,
					.shared_bytes = bytes};
				test_ok(occupancy_of(sm, &use, &got, &test_error));
				int want = calculator_blocks(sm, &use);
				if (got.blocks != want)
					test_fail("%d threads, %d registers, %d bytes: %d blocks, "
						  "the calculator has %d",
						(int)threads, (int)registers, (int)bytes,
						(int)got.blocks, want);
				compared++;
			}
	test_note("%d kernels", compared);
}

#else

static void against_calculator(const void *context)
{
	(void)context;
	test_skip("no cuda_occupancy.h");
}

#endif

int main(int argc, char **argv)
{
	for (size_t i = 0; i < occupancy_unit_count && occupancy_units[i].cc; i++)
		test_add(against_calculator, &occupancy_units[i],
			"the same as NVIDIA's calculator: %s", occupancy_units[i].name);
	return test_run(argc, argv);
}
