#include "common/model/shape.h"

#include "common/model/access_model.h"

#define KIB 1024
#define MAX_WIDTH 1024 /* threads: wider than every warp */

const char *const shape_source_words[SHAPE_SOURCE_COUNT + 1] = {
	[SHAPE_UNKNOWN] = "unknown",
	[SHAPE_QUERY] = "query",
	[SHAPE_TABLE] = "table",
	[SHAPE_SOURCE_COUNT] = NULL,
};

const struct shape_row shape_rows[SHAPE_COUNT] = {
#define XX(id, key, unit, text) [SHAPE_##id] = {key, unit, text},
	SHAPE_MAP(XX)
#undef XX
};

int64_t shape_value_or(const struct device_shape *shape, enum shape_id id, int64_t otherwise)
{
	return shape->of[id].source == SHAPE_UNKNOWN ? otherwise : shape->of[id].value;
}

void shape_set(struct device_shape *shape, enum shape_id id, int64_t value,
	enum shape_source source, const char *origin)
{
	if (shape->of[id].source != SHAPE_UNKNOWN || value < 0)
		return;
	shape->of[id] = (struct shape_value){value, source, origin};
}

void shape_refuse(struct device_shape *shape, enum shape_id id, const char *reason)
{
	if (shape->of[id].source == SHAPE_UNKNOWN)
		shape->of[id].origin = reason;
}

void shape_set_widths(struct device_shape *shape, uint64_t widths)
{
	if (shape->width_count > 0)
		return;
	for (uint32_t width = 1; width <= MAX_WIDTH && shape->width_count < SHAPE_MAX_WIDTHS;
		width *= 2)
		if (widths & width)
			shape->widths[shape->width_count++] = width;
}

void shape_set_width_list(struct device_shape *shape, const size_t *widths, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		if ((widths[i] & (widths[i] - 1)) == 0)
			sum |= widths[i];
	shape_set_widths(shape, sum);
}

void shape_set_model(struct device_shape *shape, const struct access_model *model)
{
	const struct {
		enum shape_id id;
		uint32_t value;
	} rows[] = {{SHAPE_LANES, model->lanes}, {SHAPE_SECTOR, model->sector_bytes},
		{SHAPE_LINE, model->line_bytes}, {SHAPE_BANKS, model->banks},
		{SHAPE_BANK_BYTES, model->bank_bytes}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		shape->of[rows[i].id] = (struct shape_value){0};
		if (rows[i].value > 0)
			shape_set(shape, rows[i].id, rows[i].value, SHAPE_TABLE, "access model");
	}
	shape->width_count = 0;
	shape_set_widths(shape, model->lanes);
	shape->model = model->name;
}

/* CUDA C++ Programming Guide, Technical Specifications per Compute Capability (9.0); the driver
 * reports 132 multiprocessors. */
const struct kernel_shape kernel_shape_reference = {.lanes = 32,
	.units = 132,
	.unit_threads = 2048,
	.unit_shared_bytes = 228 * KIB,
	.sector_bytes = 32};

struct kernel_shape kernel_shape_of(const struct device_shape *shape)
{
	struct kernel_shape result = kernel_shape_reference;
	const struct {
		enum shape_id id;
		unsigned bit;
		int64_t *member;
	} members[] = {
		{SHAPE_UNITS, KERNEL_SHAPE_UNITS, &result.units},
		{SHAPE_UNIT_THREADS, KERNEL_SHAPE_UNIT_THREADS, &result.unit_threads},
		{SHAPE_UNIT_SHARED, KERNEL_SHAPE_UNIT_SHARED, &result.unit_shared_bytes},
		{SHAPE_SECTOR, KERNEL_SHAPE_SECTOR, &result.sector_bytes},
	};
	int64_t lanes = shape_value_or(shape, SHAPE_LANES, 0);

	if (lanes > 0)
		result.lanes = (int32_t)lanes;
	else
		result.assumed |= KERNEL_SHAPE_LANES;
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		int64_t value = shape_value_or(shape, members[i].id, 0);

		if (value > 0)
			*members[i].member = value;
		else
			result.assumed |= members[i].bit;
	}
	return result;
}
