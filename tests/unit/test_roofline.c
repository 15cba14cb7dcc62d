#include "common/model/roofline.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

/* ---- Roofs --------------------------------------------------------------------------------- */

/* An A100 as PMPP 4th ed. 5.1 has it: 19500 GFLOP/s, 1555 GB/s. */
static const struct roofline_device a100 = {"A100", 1555, 19500, 5000, 108};

/* Intensities of PMPP 4th ed. 5.1 and 5.4: the naive product, tiles of 16 and 32. */
static const struct attainable_row {
	const char *name;
	const struct roofline_device *device;
	double intensity, gflops, gbps;
} attainable_rows[] = {
	{"naive product", &a100, 0.25, 388.75, 1555},
	{"tiles of 16", &a100, 4, 6220, 1555},
	{"tiles of 32", &a100, 8, 12440, 1555},
	{"at the ridge", &a100, 19500.0 / 1555, 19500, 1555},
	{"above the ridge", &a100, 25, 19500, 780},
	{"no arithmetic", &a100, 0, 0, 1555},
	{"nothing moved", &a100, INFINITY, 19500, 0},
	{"reference, naive product", &roofline_reference, 0.25, 1066.1675, 4264.67},
	{"reference, tiles of 32", &roofline_reference, 8, 34117.36, 4264.67},
};

static void attainable(const void *context)
{
	const struct attainable_row *row = context;

	test_near(roofline_gflops(row->device, row->intensity), row->gflops, 1e-9 * row->gflops);
	test_near(roofline_gbps(row->device, row->intensity), row->gbps, 1e-9 * row->gbps);
}

static void ridge(const void *context)
{
	(void)context;
	test_near(roofline_ridge(&a100), 12.54, 0.005); /* "12.5 OP/B" in the book */
	test_near(roofline_ridge(&roofline_reference), 15.33, 0.005);
}

/* ---- What limits --------------------------------------------------------------------------- */

#define MANY 1e6

static const struct limit_row {
	const char *name;
	struct roofline_work work;
	enum limited_by limit;
	const char *part; /* of the text */
} limit_rows[] = {
	{"memory", {1e10, 4e10, MANY, 2048}, LIMITED_BY_MEMORY, "0.25 FLOP a byte"},
	{"its attainable speed", {1e10, 4e10, MANY, 2048}, LIMITED_BY_MEMORY, "389 GFLOP/s"},
	{"compute", {1e12, 4e10, MANY, 2048}, LIMITED_BY_COMPUTE, "25 FLOP a byte"},
	{"no arithmetic", {0, 4e10, MANY, 2048}, LIMITED_BY_MEMORY, "1555 GB/s"},
	{"just below the ridge", {12.5e10, 1e10, MANY, 2048}, LIMITED_BY_MEMORY, "12.5 FLOP"},
	{"just above the ridge", {12.6e10, 1e10, MANY, 2048}, LIMITED_BY_COMPUTE, "12.6 FLOP"},
	{"one block", {1e10, 4e10, 256, 2048}, LIMITED_BY_LATENCY, "2.37 threads"},
	{"a warp a scheduler", {1e10, 4e10, MANY, 128}, LIMITED_BY_LATENCY, "128 threads"},
	{"a warp more", {1e10, 4e10, MANY, 160}, LIMITED_BY_MEMORY, NULL},
	{"a grid of a warp a scheduler", {1e10, 4e10, 108 * 128, 2048}, LIMITED_BY_LATENCY,
		"128 threads"},
	{"a grid of one more", {1e10, 4e10, 108 * 128 + 32, 2048}, LIMITED_BY_MEMORY, NULL},
	{"unknown occupancy", {1e10, 4e10, MANY, NAN}, LIMITED_BY_MEMORY, NULL},
	{"unknown occupancy, one block", {1e10, 4e10, 256, NAN}, LIMITED_BY_LATENCY, "2.37"},
	/* 3 x 5 us at 1555 GB/s: 23.3 MB. */
	{"short by bytes", {0, 23e6, MANY, 2048}, LIMITED_BY_LATENCY, "14.8 us"},
	{"not short by bytes", {0, 24e6, MANY, 2048}, LIMITED_BY_MEMORY, NULL},
	{"not short by arithmetic", {3e8, 1e6, MANY, 2048}, LIMITED_BY_COMPUTE, NULL},
};

static void limit(const void *context)
{
	const struct limit_row *row = context;
	char text[160] = "";

	assert_int_equal(roofline_limit(&a100, &row->work, text, sizeof text), row->limit);
	assert_true(strlen(text) > 10);
	if (row->part && !strstr(text, row->part))
		test_fail("'%s' is not in '%s'", row->part, text);
}

/* Nothing is said of threads or short runs where the device tells neither figure. */
static void unknown(const void *context)
{
	struct roofline_device device = {"?", 1555, 19500, NAN, 0};
	struct roofline_work work = {0, 1, 1, 1};
	char text[160];

	(void)context;
	assert_int_equal(roofline_limit(&device, &work, text, sizeof text), LIMITED_BY_MEMORY);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof attainable_rows / sizeof *attainable_rows; i++)
		test_add(&list, attainable, &attainable_rows[i], "attainable: %s",
			attainable_rows[i].name);
	test_add(&list, ridge, NULL, "ridge");
	for (size_t i = 0; i < sizeof limit_rows / sizeof *limit_rows; i++)
		test_add(&list, limit, &limit_rows[i], "limit: %s", limit_rows[i].name);
	test_add(&list, unknown, NULL, "limit of a device that tells little");
	return test_run(&list, argc, argv);
}
