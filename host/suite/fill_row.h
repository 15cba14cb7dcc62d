/*
 * Result rows: the parts that follow from a variant, its problem and its plan.
 */
#ifndef PMPP_HOST_SUITE_FILL_ROW_H
#define PMPP_HOST_SUITE_FILL_ROW_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/record/result.h"

/* Makes a row with the fields that are known before the variant runs, from family to repro. The
 * caller finishes it. A lack of memory leaves texts NULL, which the writer of the record reports.
 */
void fill_row_head(const struct config *config, const struct problem *problem,
	const struct gpu_device_info *info, struct result_row *ret_row);

/* Sizes by dimension; values by macro. Both append to an empty list. */
void fill_dims(const struct problem *problem, struct named_list *list);
void fill_macros(const struct config *config, struct named_list *list);

/* The steps of a plan, appended to an empty list. */
void fill_steps(const struct plan *plan, struct step_list *list);

/* The record is then present. */
void fill_resources(const struct gpu_kernel_resources *resources, struct resources_record *record);

#endif
