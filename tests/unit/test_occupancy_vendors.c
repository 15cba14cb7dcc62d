/* Occupancy on GPUs of AMD and Intel, against published figures. */
#include "common/model/occupancy.h"
#include "tests/support/test.h"

#define KIB 1024

static struct occupancy_unit unit_of(const char *name, int64_t width)
{
	const struct occupancy_unit *row = occupancy_unit_find(name);

	SOME(row);
	struct occupancy_unit unit = *row;
	IS(occupancy_unit_set_width(&unit, width));
	return unit;
}

static struct occupancy found_of(const struct occupancy_unit *unit, const struct kernel_use *use)
{
	struct occupancy got;

	test_ok(occupancy_of(unit, use, &got, &test_error));
	return got;
}

/* ---- AMD: LLVM's tests --------------------------------------------------------------------- */

/*
 * "Occupancy" in llvm/test/CodeGen/AMDGPU/occupancy-levels.ll. The kernels that use vector registers
 * have blocks of at most 32 threads. The columns hold for all targets that the test names.
 */
static const struct target {
	const char *names[8];
	int64_t width;
} targets[] = {
	{{"gfx900", "gfx906"}, 64},
	{{"gfx950"}, 64},
	{{"gfx1010"}, 32},
	{{"gfx1010"}, 64},
	{{"gfx1030", "gfx1102", "gfx1150", "gfx1152", "gfx1153"}, 32},
	{{"gfx1030", "gfx1102", "gfx1150", "gfx1152", "gfx1153"}, 64},
	{{"gfx1100", "gfx1101", "gfx1151", "gfx1200"}, 32},
	{{"gfx1100", "gfx1101", "gfx1151", "gfx1200"}, 64},
};

#define TARGETS (sizeof targets / sizeof *targets)

static const struct vector_row {
	int64_t registers, waves[TARGETS];
} vector_rows[] = {
	{0, {10, 8, 20, 20, 16, 16, 16, 16}},
	{24, {10, 8, 20, 20, 16, 16, 16, 16}},
	{28, {9, 8, 20, 18, 16, 16, 16, 16}},
	{32, {8, 8, 20, 16, 16, 16, 16, 16}},
	{36, {7, 8, 20, 14, 16, 12, 16, 16}},
	{40, {6, 8, 20, 12, 16, 12, 16, 16}},
	{44, {5, 8, 20, 11, 16, 10, 16, 16}},
	{48, {5, 8, 20, 10, 16, 10, 16, 16}},
	{56, {4, 8, 18, 9, 16, 9, 16, 12}},
	{64, {4, 8, 16, 8, 16, 8, 16, 10}},
	{72, {3, 7, 14, 7, 12, 7, 16, 10}},
	{80, {3, 6, 12, 6, 12, 6, 16, 9}},
	{84, {3, 5, 11, 6, 10, 5, 16, 9}},
	{88, {2, 5, 11, 5, 10, 5, 16, 8}},
	{96, {2, 5, 10, 5, 10, 5, 16, 8}},
	{100, {2, 4, 9, 5, 9, 4, 12, 7}},
	{112, {2, 4, 9, 4, 9, 4, 12, 6}},
	{128, {2, 4, 8, 4, 8, 4, 10, 5}},
	{144, {1, 3, 7, 3, 7, 3, 10, 5}},
	{168, {1, 3, 6, 3, 5, 3, 9, 4}},
	{200, {1, 2, 5, 2, 4, 2, 7, 3}},
	{256, {1, 2, 4, 2, 4, 2, 5, 2}},
};

/* Bytes of LDS, threads of a block. */
static const struct lds_row {
	int64_t bytes, threads, waves[TARGETS];
} lds_rows[] = {
	{6552, 1024, {8, 8, 16, 20, 16, 16, 16, 16}},
	{6556, 1024, {8, 8, 16, 20, 16, 16, 16, 16}},
	{13112, 1024, {8, 8, 16, 20, 16, 16, 16, 16}},
	{8252, 32, {2, 5, 4, 4, 4, 4, 4, 4}},
	{8252, 64, {2, 5, 8, 4, 8, 4, 8, 4}},
	{8252, 96, {4, 8, 12, 8, 12, 8, 12, 8}},
	{8252, 128, {4, 8, 15, 8, 15, 8, 15, 8}},
	{8252, 192, {6, 8, 20, 12, 15, 12, 15, 12}},
	{8252, 256, {7, 8, 20, 15, 16, 15, 16, 15}},
	{8252, 512, {10, 8, 20, 20, 16, 16, 16, 16}},
	{8252, 1024, {8, 8, 16, 20, 16, 16, 16, 16}},
};

static void compare(const struct kernel_use *use, const int64_t waves[TARGETS])
{
	for (size_t t = 0; t < TARGETS; t++)
		for (const char *const *name = targets[t].names; *name; name++) {
			struct occupancy_unit unit = unit_of(*name, targets[t].width);
			struct occupancy got = found_of(&unit, use);
			if (got.compiler_warps != waves[t])
				test_fail("%s, waves of %d: %d, LLVM has %d", *name,
					(int)targets[t].width, (int)got.compiler_warps,
					(int)waves[t]);
			/* Whole blocks: never more than the compiler reports. */
			IS(got.simd_warps <= got.compiler_warps);
		}
}

TEST_ROWS(llvm_registers, vector_rows, "LLVM: %d vector registers", (int)row->registers)
{
	compare(&(struct kernel_use){.threads = 32, .registers = row->registers}, row->waves);
}

TEST_ROWS(llvm_lds, lds_rows, "LLVM: %d bytes, %d threads", (int)row->bytes, (int)row->threads)
{
	compare(&(struct kernel_use){.threads = row->threads, .shared_bytes = row->bytes},
		row->waves);
}

/* reserved: with the trap handler of ROCm. The registers are those that LLVM prints: on gfx950 and
 * ROCm it adds 6 to those that the kernel names. */
static const struct scalar_row {
	const char *name;
	int64_t scalars, reserved, waves;
} scalar_rows[] = {
	{"gfx900", 80, 0, 10},
	{"gfx900", 88, 0, 8},
	{"gfx900", 100, 0, 7},
	{"gfx900", 101, 0, 7},
	{"gfx900", 80, 16, 8},
	{"gfx900", 88, 16, 7},
	{"gfx900", 100, 16, 6},
	{"gfx900", 101, 16, 6},
	{"gfx950", 80, 0, 8},
	{"gfx950", 88, 0, 8},
	{"gfx950", 100, 0, 7},
	{"gfx950", 86, 16, 7},
	{"gfx950", 94, 16, 7},
	{"gfx950", 106, 16, 6},
	{"gfx1010", 106, 0, 20},
	{"gfx1030", 106, 0, 16},
	{"gfx1100", 106, 0, 16},
};

TEST_ROWS(llvm_scalars, scalar_rows, "LLVM: %s, %d of %d", row->name, (int)row->scalars,
	(int)row->reserved)
{
	struct occupancy_unit unit = *occupancy_unit_find(row->name);
	struct kernel_use use = {.threads = 32, .scalars = row->scalars};

	EQUAL(unit.scalar_reserved, unit.scalars ? 16 : 0);
	unit.scalar_reserved = row->reserved;
	struct occupancy got = found_of(&unit, &use);
	CHECK(EQUAL(got.compiler_warps, row->waves), EQUAL(got.simd_warps, row->waves));
	if (row->waves < unit.simd_warps)
		EQUAL(got.limited_by, 1u << OCCUPANCY_SCALARS);
}

/* ---- AMD: by hand -------------------------------------------------------------------------- */

#define T (1u << OCCUPANCY_THREADS)
#define B (1u << OCCUPANCY_BLOCKS)
#define R (1u << OCCUPANCY_REGISTERS)
#define S (1u << OCCUPANCY_SHARED)
#define C (1u << OCCUPANCY_SCALARS)
#define BARRIERS (1u << OCCUPANCY_BARRIERS)

/* half: one compute unit of a work-group processor. */
static const struct hand_row {
	const char *name;
	int64_t width;
	bool half;
	struct kernel_use use;
	int64_t blocks, simd_warps;
	unsigned limited_by;
	double ratio;
} hand_rows[] = {
	/* llvm.org/docs/CommandGuide/llvm-calc-occupancy.html: 8 waves of each SIMD. 50 registers
	 * occupy 56: 512 / 56 = 9 waves, 36 of them are 4 blocks. Scalar registers: 30 + 16 occupy 48:
	 * 800 / 48 = 16 waves. */
	{"gfx90a", 64, false, {512, 50, 0, 30}, 4, 8, T | R, 1},
	/* 100 registers occupy 120: 1536 / 120 = 12 of 16 waves (gpuopen.com/learn/
	 * occupancy-explained). A block of 256 has 8 waves: 4 * 12 / 8 = 6 blocks. */
	{"gfx1100", 32, false, {256, 100}, 6, 12, R, 0.75},
	{"gfx1100", 32, true, {256, 100}, 3, 12, R, 0.75},
	/* 65536 / 8704 = 7 blocks of one wave on four SIMDs. */
	{"gfx900", 64, false, {64, 0, 8252}, 7, 2, S, 7.0 / 40},
	/* Two waves: at most 16 blocks with a barrier. One wave needs none: 40 blocks. */
	{"gfx900", 64, false, {128, 0, 0}, 16, 8, BARRIERS, 0.8},
	{"gfx900", 64, false, {64, 0, 0}, 40, 10, T, 1},
	{"gfx900", 64, false, {65, 0, 0}, 16, 8, BARRIERS, 0.8},
	/* 64 KiB of one compute unit, 128 KiB of a pair. */
	{"gfx1030", 32, false, {256, 0, 32 * KIB}, 4, 8, S, 0.5},
	{"gfx1030", 32, true, {256, 0, 32 * KIB}, 2, 8, S, 0.5},
	{"gfx1030", 32, true, {64, 0, 0}, 16, 16, T | BARRIERS, 1},
	/* A wave of 64 occupies twice the registers: 1536 / 2 / 72 = 10. */
	{"gfx1100", 64, false, {64, 64}, 40, 10, R, 0.625},
	/* 5 waves of each SIMD are 20, but a block of 1024 has 16. */
	{"gfx90a", 64, false, {1024, 96}, 1, 4, R, 0.5},
	/* AccVGPRs follow the others at a multiple of four: 52 + 64 occupy 120: 4 waves. */
	{"gfx90a", 64, false, {256, 50, 0, 0, 64}, 4, 4, R, 0.5},
	{"gfx942", 64, false, {256, 256, 0, 0, 256}, 1, 1, R, 0.125},
	/* gfx908 has a file of their own: 64 of 256, 4 waves. */
	{"gfx908", 64, false, {256, 50, 0, 0, 64}, 4, 4, R, 0.4},
	/* gfx950: 160 KiB of LDS in units of 1280 bytes. */
	{"gfx950", 64, false, {256, 0, 64 * KIB}, 2, 2, S, 0.25},
	{"gfx942", 64, false, {256, 0, 64 * KIB}, 1, 1, S, 0.125},
	/* 96 + 16 scalar registers: 800 / 112 = 7 waves, 28 of them on a compute unit. */
	{"gfx942", 64, false, {256, 32, 0, 96}, 7, 7, C, 0.875},

	/* ---- Intel: Intel's GPU Occupancy Calculator ---------------------------------------- */

	/* Arc B580: 8 EUs with 8 threads; a block of 256 is 8 threads of 32 lanes. */
	{"xe2", 32, false, {256, 0, 64 * KIB}, 2, 2, S, 0.25},
	{"xe2", 32, false, {256, 0, 16 * KIB}, 8, 8, T | S, 1},
	{"xe2", 16, false, {256, 0, 16 * KIB}, 4, 8, T, 1},
	/* 20 KiB occupy 24 on Xe2 and Xe-HPC, 32 on the others. */
	{"xe2", 32, false, {256, 0, 20 * KIB}, 5, 5, S, 0.625},
	{"xe-hpc", 32, false, {256, 0, 20 * KIB}, 5, 5, S, 0.625},
	/* More than 128 registers: half of the threads. */
	{"xe-hpc", 16, false, {256, 128, 0}, 4, 8, T | R, 1},
	{"xe-hpc", 16, false, {256, 129, 0}, 2, 4, R, 0.5},
	{"xe-hpc", 16, false, {256, 256, 0}, 2, 4, R, 0.5},
	/* Each block of more than one thread needs a barrier register: Xe-HPG has 128 of them. */
	{"xe-hpg", 16, false, {16, 0, 0}, 128, 8, T | B, 1},
	{"xe-hpg", 16, false, {16, 0, 0, 0, 0, true}, 128, 8, T | B | BARRIERS, 1},
	{"xe-lp", 16, false, {16, 0, 0, 0, 0, true}, 64, 4, BARRIERS, 64.0 / 112},
	{"xe-hpg", 8, false, {1024, 0, 64 * KIB}, 1, 8, T, 1},
	{"xe-hpg", 16, false, {1024, 0, 64 * KIB}, 2, 8, T | S, 1},
	/* 16 EUs with 7 threads; 512 = 32 threads of 16 lanes: 3 blocks of 112 / 32. */
	{"xe-lp", 16, false, {512, 0, 0}, 3, 6, T, 96.0 / 112},
	{"xe-lp", 32, false, {512, 0, 33 * KIB}, 1, 1, S, 16.0 / 112},
	/* 8 EUs with 7 threads: 56 / 16 = 3 blocks of 48 threads. */
	{"gen9", 16, false, {256, 0, 0}, 3, 6, T, 48.0 / 56},
	{"gen9", 32, false, {256, 128, 1}, 7, 7, T | R, 1},
};

TEST_ROWS(by_hand, hand_rows, "%zu: %s, %d lanes, %d threads", i, row->name, (int)row->width,
	(int)row->use.threads)
{
	struct occupancy_unit unit = unit_of(row->name, row->width);

	if (row->half)
		IS(occupancy_unit_halve(&unit));
	struct occupancy got = found_of(&unit, &row->use);
	CHECK(EQUAL(got.blocks, row->blocks), EQUAL(got.simd_warps, row->simd_warps),
		EQUAL(got.limited_by, row->limited_by), NEAR(got.occupancy, row->ratio, 1e-15));
}

TEST(cliffs, "cliffs")
{
	struct occupancy_unit hpc = unit_of("xe-hpc", 16), mi300 = unit_of("gfx942", 64);
	struct occupancy got = found_of(&hpc, &(struct kernel_use){.threads = 256, .registers = 1});

	CHECK(EQUAL(got.cliff_registers, 129), EQUAL(got.cliff_blocks, 2));
	/* 64 registers: 8 waves. 65 occupy 72: 7 waves, 28 / 4 = 7 blocks. */
	got = found_of(&mi300, &(struct kernel_use){.threads = 256, .registers = 64});
	CHECK(EQUAL(got.blocks, 8), EQUAL(got.cliff_registers, 65), EQUAL(got.cliff_blocks, 7));
}

/* ---- Range --------------------------------------------------------------------------------- */

static const struct bad_row {
	const char *name;
	struct kernel_use use;
	const char *part;
} bad_rows[] = {
	{"gen9", {257}, "1 to 256"},
	{"xe-lp", {512, 129}, "at most 128"},
	{"xe-hpc", {512, 257}, "at most 256"},
	{"xe-hpg", {512, 0, 64 * KIB + 1}, "65536"},
	{"gfx900", {256, 257}, "at most 256"},
	{"gfx900", {256, 1, 0, 113}, "at most 112 scalar registers"},
	{"gfx900", {256, 1, 0, 0, 1}, "at most 0 AccVGPRs"},
	{"gfx90a", {256, 1, 0, 0, 257}, "at most 256 AccVGPRs"},
	{"gfx90a", {256, 300, 0, 0, 256}, "at most 512 registers with its AccVGPRs"},
	{"gfx1030", {256, 0, 64 * KIB + 1}, "65536"},
	{"gfx942", {256, 0, 64 * KIB + 1}, "65536"},
	{"gfx950", {256, 0, 160 * KIB + 1}, "163840"},
	{"gfx90a", {256, -1, 0, 0, 4}, "registers"},
};

TEST_ROWS(bad, bad_rows, "refused: %s, %s", row->name, row->part)
{
	struct occupancy got;

	test_refused(occupancy_of(occupancy_unit_find(row->name), &row->use, &got, &test_error),
		PMPP_USAGE, row->part);
}

/* Every row at every width holds a block, and no limit is below another for more of a resource. */
TEST(every_row, "every row")
{
	for (size_t i = 0; i < occupancy_unit_count; i++)
		for (int64_t width = 1; width <= 128; width *= 2) {
			struct occupancy_unit unit = occupancy_units[i];
			if (!occupancy_unit_set_width(&unit, width))
				continue;
			int64_t before = INT64_MAX;
			for (int64_t r = 0; r <= unit.thread_registers; r++) {
				struct kernel_use use = {.threads = 64, .registers = r};
				struct occupancy got = found_of(&unit, &use);
				assert_in_range(got.blocks, 1, before);
				IS(got.occupancy <= 1);
				IS(got.simd_warps <= unit.simd_warps);
				before = got.blocks;
			}
		}
}

TEST(widths, "widths and pairs")
{
	static const int64_t none[] = {-32, 0, 1, 3, 24, 48, 96, 128, INT64_MAX};
	struct occupancy_unit unit = *occupancy_unit_find("gfx1100");

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		NOT(occupancy_unit_set_width(&unit, none[i]));
	CHECK(EQUAL(occupancy_unit_threads(&unit), 2048), IS(occupancy_unit_set_width(&unit, 64)),
		EQUAL(occupancy_unit_threads(&unit), 4096), IS(occupancy_unit_halve(&unit)),
		NOT(occupancy_unit_halve(&unit)), EQUAL(occupancy_unit_threads(&unit), 2048));
	unit = *occupancy_unit_find("gfx942");
	CHECK(NOT(occupancy_unit_set_width(&unit, 32)), NOT(occupancy_unit_halve(&unit)));
	/* Arc A770: 32 Xe cores hold 131072 items of sub-groups of 32. */
	unit = unit_of("xe-hpg", 32);
	EQUAL(32 * occupancy_unit_threads(&unit), 131072);
}
