/*
 * The units of known GPUs. One row holds for every width of its GPU, because a register file has as
 * many bytes at each one.
 */
#ifndef PMPP_COMMON_MODEL_OCCUPANCY_TABLE_H
#define PMPP_COMMON_MODEL_OCCUPANCY_TABLE_H

#include "common/model/occupancy_unit.h"

/* NVIDIA, ascending compute capabilities; then AMD; then Intel. */
extern const struct occupancy_unit occupancy_units[];
extern const size_t occupancy_unit_count;

/* Returns the row with the name, for example "gfx942"; NULL if there is none. */
const struct occupancy_unit *occupancy_unit_find(const char *name);

/* Returns the row of a compute capability, for example "9.0"; NULL if there is none. */
const struct occupancy_unit *occupancy_unit_of_cc(const char *cc);

/* Write all names of the table for messages: "sm_75, ...", or "7.5, 8.0, ...". */
void occupancy_unit_names(char *ret_text, size_t size);
void occupancy_unit_ccs(char *ret_text, size_t size);

/* Hardware that is not in the table, as PMPP describes it. threads >= 1; the other figures may be
 * 0 = unknown. Nothing is rounded. */
struct occupancy_unit occupancy_unit_given(
	int64_t threads, int64_t blocks, int64_t registers, int64_t shared_bytes);

#endif
