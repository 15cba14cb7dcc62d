/*
 * The shape of a device in files: common/model/shape.h as a record.
 */
#ifndef PMPP_HOST_RECORD_DEVICE_SHAPE_H
#define PMPP_HOST_RECORD_DEVICE_SHAPE_H

#include "common/model/shape.h"
#include "host/record/record.h"

struct shape_value_record {
	struct record record;
	char *name;
	int64_t value; /* -1 = unknown */
	char *unit;    /* NULL = none */
	int source;    /* enum shape_source */
	char *origin;  /* NULL = none */
};

struct shape_value_list {
	struct shape_value_record *items;
	size_t count;
};

struct shape_record {
	struct record record;
	struct shape_value_list values;
	struct integer_list widths;
	char *unit, *part; /* NULL = unknown, none */
	int64_t parts;     /* -1 = none */
	char *model;       /* NULL = none */
};

extern const struct record_type shape_type;

/* Fills an initialised record. PMPP_OUT_OF_MEMORY is the only error. */
enum pmpp_status shape_record_fill(const struct device_shape *shape,
	struct shape_record *ret_record, struct pmpp_error *error);

#endif
