/*
 * The measured limits of a device as text.
 */
#ifndef PMPP_HOST_REPORT_ROOFS_TEXT_H
#define PMPP_HOST_REPORT_ROOFS_TEXT_H

#include "host/record/measurement.h"
#include "host/report/page_style.h"

#include <stdio.h>

/* Prints "measured 12 min ago", or "measured" if the age is 0 (in this run). Prints no line end. */
void roofs_text_put_age(FILE *out, double age_s);

/* Prints one line for each roof: its rate, or why the rate is unknown. Then prints the timer, the
 * age and the flags. label: the device as in options, "cuda:0". */
void roofs_text_put(FILE *out, const char *label, const struct device_record *device,
	const struct page_style *style);

#endif
