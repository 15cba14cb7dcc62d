/*
 * The shape of a device in files: common/model/shape.h as a record.
 */
#ifndef PMPP_HOST_RECORD_DEVICE_SHAPE_H
#define PMPP_HOST_RECORD_DEVICE_SHAPE_H

#include "common/model/shape.h"
#include "host/record/record.h"

#define RECORDS "host/record/device_shape.def"
#include "host/record/records.inc"

/* Fills an initialised record. PMPP_OUT_OF_MEMORY is the only error. */
enum pmpp_status shape_record_fill(const struct device_shape *shape,
	struct shape_record *ret_record, struct pmpp_error *error);

#endif
