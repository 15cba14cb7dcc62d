/*
 * The measured limits of a device as text.
 */
#ifndef PMPP_HOST_REPORT_ROOFS_TEXT_H
#define PMPP_HOST_REPORT_ROOFS_TEXT_H

#include "host/record/measurement.h"

#include <stdbool.h>
#include <stdio.h>

/* "measured", with how long ago the oldest of the roofs was measured if that is a minute or more:
 * "measured 12 min ago". No line end. */
void roofs_put_age(FILE *out, const struct roofs_record *roofs);

/* One line for each roof: its rate, or why it is unknown; then the timer, the age and the flags.
 * label: names the device for the options; colour: with escape sequences. */
void roofs_put(FILE *out, const char *label, const struct device_record *device, bool colour);

#endif
