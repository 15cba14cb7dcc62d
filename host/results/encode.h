/*
 * The parts of a result file (schema pmpp-result/1) as JSON values: docs of the fields are in
 * docs/measuring.md. NaN and infinities become null. Every function returns a new reference, NULL
 * for lack of memory only.
 */
#ifndef PMPP_HOST_RESULTS_ENCODE_H
#define PMPP_HOST_RESULTS_ENCODE_H

#include "host/suite/parity.h"

#include <jansson.h>

/* A number, or null where it is not finite. */
json_t *encode_number(double value);

/* null for "" and NULL. Bytes that are no UTF-8 become '?'. */
json_t *encode_text_or_null(const char *text);

/* null below 0: unknown. */
json_t *encode_count(int64_t count);

/* {"m": 512, ...}; {"TILE": 16, ...} */
json_t *encode_dims(const struct problem *problem);
json_t *encode_macros(const struct config *config);

/* {"registers": ..., "shared_bytes", "spill_bytes", "max_block"} */
json_t *encode_resources(const struct gpu_kernel_resources *resources);

/* Any record. */
json_t *encode_record(const struct record_type *type, const void *record);

/* An entry of `devices`, with one view. roofs and timer may be NULL. */
json_t *encode_device(const struct gpu_device_info *info, const struct roofs_record *roofs,
	const struct timer_record *timer);

/* Adds the views of another entry for the same device, and roofs where they are missing. */
void merge_device(json_t *device, json_t *other);

/* The fields of a result that are known before it ran. */
json_t *encode_row_head(const struct config *config, const struct problem *problem,
	const struct gpu_device_info *info);

/* The head for a row that ended without an outcome: crashed, timeout, an infeasible point. */
void encode_row_ending(json_t *row, enum outcome_status status, const char *reason);

#endif
