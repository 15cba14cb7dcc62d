/*
 * The shape of a device as text.
 */
#ifndef PMPP_HOST_REPORT_SHAPE_TEXT_H
#define PMPP_HOST_REPORT_SHAPE_TEXT_H

#include "common/model/shape.h"

#include <stdio.h>

/* Prints the number of units without a line end: "60 units"; with parts "48 units reported, 96
 * compute units" or "512 units reported, 32 Xe cores". reported: as the driver counts. */
void shape_text_put_units(FILE *out, const struct device_shape *shape, uint32_t reported);

/* Prints one line for each figure: its name, value, unit and source. Then the widths, the unit and
 * the model. */
void shape_text_put(FILE *out, const struct device_shape *shape);

#endif
