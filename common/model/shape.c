#include "common/model/shape.h"

#define KIB 1024

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
