#include "host/record/device_shape.h"

#define RECORD_TYPES
#define RECORDS "host/record/device_shape.def"
#include "host/record/records.inc"

enum pmpp_status shape_record_fill(
	const struct device_shape *shape, struct shape_record *ret_record, struct pmpp_error *error)
{
	bool stored = true;

	ret_record->record.present = true;
	for (size_t i = 0; i < SHAPE_COUNT && stored; i++) {
		const struct shape_value *value = &shape->of[i];
		struct shape_value_record *record =
			record_list_add(&shape_value_type, &ret_record->values);

		stored = record != NULL;
		if (!stored)
			break;
		text_set(&record->name, shape_rows[i].key);
		text_set(&record->unit, shape_rows[i].unit);
		record->source = (int)value->source;
		if (value->source != SHAPE_UNKNOWN)
			record->value = value->value;
		text_set(&record->origin, value->origin);
	}
	for (size_t i = 0; i < shape->width_count && stored; i++)
		stored = integer_list_add(&ret_record->widths, shape->widths[i]);
	text_set(&ret_record->unit, shape->unit);
	text_set(&ret_record->part, shape->part);
	if (shape->part)
		ret_record->parts = shape->parts;
	text_set(&ret_record->model, shape->model);
	return stored ? PMPP_OK : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a device");
}
