/*
 * Fills the parts of a result row that depend only on the variant, its problem and its plan.
 */
#ifndef PMPP_HOST_SUITE_FILL_ROW_H
#define PMPP_HOST_SUITE_FILL_ROW_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/record/result.h"

/* Initialises a row with the fields that are known before the variant runs, from family to repro,
 * with a note for each figure that is unknown on the device. kernel_dir: as in struct suite_options.
 * The caller finishes it. If memory runs out, texts are NULL; the writer of the record reports
 * this. */
void fill_row_head(const struct config *config, const struct problem *problem,
	const struct gpu_device_info *info, const char *kernel_dir, struct result_row *ret_row);

/* Append the size of each dimension, or the value of each macro, to an empty list. LANES is left out
 * if it is the device's width. */
void fill_dims(const struct problem *problem, struct named_list *list);
void fill_macros(const struct config *config, struct named_list *list);

/* If the row's claim is not meant for the device, a GPU, adds the claim with the reason. */
void fill_claim(
	const struct config *config, const struct gpu_device_info *info, struct result_row *row);

/* Appends the steps of a plan to an empty list. */
void fill_steps(const struct plan *plan, struct step_list *list);

/* Fills the record and marks it as present. */
void fill_resources(const struct gpu_kernel_resources *resources, struct resources_record *record);

#endif
