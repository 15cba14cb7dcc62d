/* Layouts of operands on the device: conversion to each layout and back, and the gaps of a
 * layout. Outputs that are known to be right. */
#include "host/suite/verify.c"
#include "tests/support/test.h"

static const struct shape {
	int64_t rows, columns;
	bool by_columns;
	int64_t gap; /* elements beyond a line */
	enum dtype host, device;
} shapes[] = {
	{1, 1, false, 0, DTYPE_F32, DTYPE_F32},
	{5, 7, false, 0, DTYPE_F32, DTYPE_F32},
	{5, 7, true, 0, DTYPE_F32, DTYPE_F32},
	{37, 41, false, 3, DTYPE_F32, DTYPE_F32},
	{300, 65, true, 5, DTYPE_I32, DTYPE_I32},
	{65, 300, true, 0, DTYPE_U8, DTYPE_U8},
	{31, 33, false, 1, DTYPE_U8, DTYPE_U8},
	{600, 3, true, 0, DTYPE_F16, DTYPE_F16},
	{33, 70, false, 0, DTYPE_F32, DTYPE_F16},
	{33, 70, true, 2, DTYPE_F32, DTYPE_F16},
};

static struct layout layout_from(const struct shape *shape)
{
	struct layout layout = {.rows = shape->rows,
		.columns = shape->columns,
		.by_columns = shape->by_columns,
		.lines = shape->by_columns ? shape->columns : shape->rows,
		.line = shape->by_columns ? shape->rows : shape->columns,
		.host = shape->host,
		.device = shape->device};

	layout.pitch = layout.line + shape->gap;
	return layout;
}

/* The values are small integers, which every type can represent. */
TEST_ROWS(there_and_back, shapes, "%lldx%lld %s %s as %s, gap %lld", (long long)row->rows,
	(long long)row->columns, row->by_columns ? "by columns" : "by rows",
	dtype_info(row->host)->name, dtype_info(row->device)->name, (long long)row->gap)
{
	struct layout layout = layout_from(row);
	size_t elements = (size_t)(row->rows * row->columns);
	size_t host_bytes = elements * dtype_info(row->host)->bytes;
	FREED char *array = calloc(1, host_bytes), *again = calloc(1, host_bytes);
	size_t bytes = (size_t)(layout.lines * layout.pitch) * dtype_info(row->device)->bytes;
	FREED char *device = malloc(bytes);

	EQUAL(layout_bytes(&layout), bytes);
	IS(array && again && device);
	memset(device, 0x5a, bytes);
	for (int64_t i = 0; i < (int64_t)elements; i++)
		dtype_store(row->host, array, i, (double)(i * 7 % 100));
	/* In two parts, like a large operand. */
	int64_t half = layout.lines / 2;
	size_t line_bytes = (size_t)layout.pitch * dtype_info(layout.device)->bytes;
	if (half > 0)
		layout_pack(&layout, array, 0, half, device);
	layout_pack(&layout, array, half, layout.lines - half, device + (size_t)half * line_bytes);
	for (int64_t r = 0; r < row->rows; r++)
		for (int64_t c = 0; c < row->columns; c++) {
			int64_t at = row->by_columns ? c * layout.pitch + r : r * layout.pitch + c;
			test_near(dtype_load(layout.device, device, at),
				(double)((r * row->columns + c) * 7 % 100), 0);
		}
	for (int64_t l = 0; l < layout.lines; l++)
		for (size_t b = (size_t)layout.line * dtype_info(layout.device)->bytes;
			b < line_bytes; b++)
			EQUAL(device[(size_t)l * line_bytes + b], 0x5a);
	if (half > 0)
		layout_unpack(&layout, device, 0, half, again);
	layout_unpack(
		&layout, device + (size_t)half * line_bytes, half, layout.lines - half, again);
	assert_memory_equal(array, again, host_bytes);
}

TEST(of_variants, "layouts of variants")
{
	const struct family *family = family_find("matmul");
	struct config plain = config_default(variant_find(family, "naive"));
	struct config turned = config_default(variant_find(family, "corner-turned"));
	struct problem problem = problem_default(family);

	problem.dim[0] = 7;
	problem.dim[1] = 5;
	problem.dim[2] = 3;
	struct layout a = layout_of(&plain, &problem, 0), b = layout_of(&turned, &problem, 1);
	CHECK(IS(layout_is_direct(&a)), EQUAL(layout_bytes(&a), 84), NOT(layout_is_direct(&b)),
		EQUAL(b.lines, 5), EQUAL(b.line, 3));
	problem.rounding = ROUND_F16;
	struct layout halves = layout_of(&plain, &problem, 0);
	struct layout output = layout_of(&plain, &problem, 2);
	CHECK(EQUAL(layout_bytes(&halves), 42), NOT(layout_equal(&a, &halves)),
		EQUAL(output.device, DTYPE_F32));
	problem.dim[0] = problem.dim[2] = INT64_MAX / 2;
	struct layout large = layout_of(&plain, &problem, 0);
	IS(layout_bytes(&large) == UINT64_MAX);
}

TEST(right_outputs, "a right output is known only for its own problem, bound and bits")
{
	const struct family *family = family_find("matmul");
	struct right_outputs outputs = {0};
	struct right_output right = {.problem = problem_default(family), .gamma = 1, .hash = "a"};
	struct right_output others[] = {right, right, right, right, right};

	others[0].problem.source = INPUT_SEED;
	others[1].gamma = 2;
	strcpy(others[2].hash, "b");
	others[3].exact = true;
	others[4].variant = variant_find(family, "naive");
	right_output_add(&outputs, &right);
	NOT(right_output_find(&outputs, &right) == NULL);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		IS(right_output_find(&outputs, &others[i]) == NULL);
	right.problem.family = family_find("reduce");
	right_output_add(&outputs, &right);
	EQUAL(outputs.count, 1);
	free(outputs.items);
}
