/*
 * Lines after the tables of `run`: the place of the device among the shipped devices.
 */
#ifndef PMPP_HOST_REPORT_STANDING_TEXT_H
#define PMPP_HOST_REPORT_STANDING_TEXT_H

#include "host/contribute/contribute.h"

#include <stdio.h>

/* Writes a title, then a line for each problem:
 *
 *     matmul  m=n=k=2048  3rd of 3: h200 f16-tensor 135 µs, h100 f16-tensor 136 µs, this device ...
 *
 * Writes nothing if there are no standings. A line shows the three fastest devices, the device
 * itself and its neighbours in the order of times. */
void standing_text_put(FILE *out, const struct standings *standings);

#endif
