/*
 * The measured limits of a device as text.
 */
#ifndef PMPP_HOST_REPORT_ROOFS_TEXT_H
#define PMPP_HOST_REPORT_ROOFS_TEXT_H

#include "host/record/measurement.h"

#include <stdbool.h>
#include <stdio.h>

/* "measured 12 min ago": the age of the oldest roof. "measured" if the age is below a minute. No
 * line end. */
void roofs_text_put_age(FILE *out, const struct roofs_record *roofs);

/* One line for each roof: its rate, or why it is unknown; then the timer, the age and the flags.
 * label: names the device for the options; colour: with escape sequences. */
void roofs_text_put(FILE *out, const char *label, const struct device_record *device, bool colour);

#endif
