#include "host/record/device_shape.h"

static const struct record_field shape_value_fields[] = {
	MEMBER(struct shape_value_record, name, TEXT, 0, NULL, "0.1", "name of the figure"),
	MEMBER(struct shape_value_record, value, COUNT, FIELD_OMITTED, NULL, "0.1",
		"the figure; absent: unknown"),
	MEMBER(struct shape_value_record, unit, TEXT, FIELD_OMITTED, NULL, "0.1",
		"unit of the figure; absent: none"),
	MEMBER_IN(struct shape_value_record, source, WORD, 0, shape_source_words, "0.1",
		"query: the driver reports the figure; table: pmpp's table of known chips; unknown"),
	MEMBER(struct shape_value_record, origin, TEXT, FIELD_OMITTED, NULL, "0.1",
		"the query, or the source of the table's figure, or why the driver's report is not "
		"used"),
};

static const struct record_type shape_value_type = {"shape value", "a figure of a device",
	sizeof(struct shape_value_record), shape_value_fields, MEMBER_COUNT(shape_value_fields), 0};

static const struct record_field shape_fields[] = {
	MEMBER_OF(struct shape_record, values, OBJECTS, 0, shape_value_type, "0.1", "the figures"),
	MEMBER(struct shape_record, widths, INTEGERS, 0, "threads", "0.1",
		"all widths of warps that the device executes; empty: unknown"),
	MEMBER(struct shape_record, unit, TEXT, FIELD_OMITTED, NULL, "0.1",
		"what a unit is, such as multiprocessor; absent: unknown"),
	MEMBER(struct shape_record, part, TEXT, FIELD_OMITTED, NULL, "0.1",
		"what a unit consists of, such as EU; absent: nothing that drivers count"),
	MEMBER(struct shape_record, parts, COUNT, FIELD_OMITTED, NULL, "0.1", "parts of a unit"),
	MEMBER(struct shape_record, model, TEXT, FIELD_OMITTED, NULL, "0.1",
		"name of the models of access and occupancy, such as gfx942; absent: none"),
};

const struct record_type shape_type = {"shape", "figures that kernels and models depend on",
	sizeof(struct shape_record), shape_fields, MEMBER_COUNT(shape_fields), 0};

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
