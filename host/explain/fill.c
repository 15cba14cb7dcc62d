/* Explanations as records. */
#include "host/explain/internal.h"

#include <sha256.h>
#include <string.h>

#include "host/suite/device.h"
#include "host/suite/outcome.h"

/* ---- Head ---------------------------------------------------------------------------------- */

static const char own_idea[] =
	"it replaces the kernel of the project (--kernel-dir). explain does not "
	"check its result: pmpp-run verify does";

static void fill_head(const struct config *config, const struct problem *problem, bool own_kernel,
	struct explanation_record *record)
{
	const struct variant *variant = config->variant;
	char text[160], choices[80];

	problem_text(problem, text, sizeof text);
	problem_choices_text(problem, choices, sizeof choices);
	text_set(&record->family, problem->family->name);
	text_set(&record->variant, variant->name);
	text_set(&record->technique, own_kernel ? OWN_KERNEL_TECHNIQUE : variant->technique);
	text_set(&record->idea, own_kernel ? own_idea : variant->idea);
	record->own_kernel = own_kernel;
	text_set(&record->title, problem->family->title);
	text_set(&record->problem_text, text);
	text_set(&record->choices, choices);
}

void explain_fill_head(const struct config *config, const struct problem *problem,
	const char *label, bool own_kernel, struct explanation_record *ret_record)
{
	record_init(&explanation_type, ret_record);
	explanation_record_set_head_only(ret_record, true);
	text_set(&ret_record->label, label);
	fill_head(config, problem, own_kernel, ret_record);
}

/* ---- The variant --------------------------------------------------------------------------- */

/* Fills in the next variant of the ladder whose base is this variant. */
static void fill_next(const struct explanation *explanation, struct next_record *next)
{
	const struct family *family = explanation->problem.family;
	const struct variant *variant = explanation->config.variant;
	const struct variant *end = family->variants + family->variant_count;

	for (const struct variant *other = variant + 1; other < end; other++) {
		if (!other->base || strcmp(other->base, variant->name) != 0)
			continue;
		next->record.present = true;
		text_set(&next->variant, other->name);
		text_set(&next->technique, other->technique);
		text_set(&next->idea, other->idea);
		text_set(&next->claim, other->claim.text);
		return;
	}
}

static void fill_variant(const struct explanation *explanation, struct explanation_record *record)
{
	const struct variant *variant = explanation->config.variant;
	const char *source = explanation->source;
	char hash[SHA256_DIGEST_STRING_LENGTH];

	fill_head(&explanation->config, &explanation->problem, explanation->own_kernel, record);
	if (explanation->own_kernel) {
		record_set_absent(&explanation_type, record, "book", true);
	} else {
		text_set(&record->book, variant->book);
		text_set(&record->base, variant->base);
		fill_next(explanation, &record->next);
	}
	fill_dims(&explanation->problem, &record->problem);
	fill_macros(&explanation->config, &record->macros);
	if (explanation->measured)
		text_set(&record->fallback, explanation->outcome.row.fallback);
	if (source)
		text_set(&record->source_sha256,
			SHA256Data((const uint8_t *)source, strlen(source), hash));
	if (!record->no_trace)
		text_set(&record->traced, gpu_backend_name(explanation->traced));
}

/* ---- Launch -------------------------------------------------------------------------------- */

static void fill_launch(
	const struct explanation *explanation, size_t index, struct launch_record *record)
{
	const struct plan_launch *launch = explanation->launches[index].planned;

	record->record.present = true;
	text_set(&record->kernel, launch->entry);
	for (size_t i = 0; i < 3; i++) {
		record->grid[i] = (int64_t)launch->groups[i];
		record->block[i] = (int64_t)launch->block[i];
	}
	record->shared_bytes = (int64_t)launch->shared_bytes;
	record->index = (int64_t)index + 1;
	record->count = (int64_t)explanation->launch_count;
}

static void fill_occupancy(const struct explanation *explanation,
	const struct launch_explanation *launch, struct occupancy_record *record)
{
	const struct occupancy *found = &launch->occupancy;

	if (!launch->occupancy_known)
		return;
	record->record.present = true;
	record->ratio = found->occupancy;
	record->blocks = found->blocks;
	record->threads = found->threads;
	record->warps = found->warps;
	record->limited_by = found->limited_by;
	if (explanation->target.has_unit && explanation->target.unit.rules->simd) {
		const struct occupancy_unit *unit = &explanation->target.unit;
		text_set(&record->unit, unit->unit);
		text_set(&record->simd, unit->rules->simd);
		record->simd_warps = found->simd_warps;
		record->compiler_warps = found->compiler_warps;
	}
	text_format(&record->target, "%s%s", explanation->target.name,
		explanation->target.has_unit
			? ""
			: ": at least; only its maximum block size and shared memory are known");
}

/* ---- Models and measurement ---------------------------------------------------------------- */

static void fill_roofs(const struct explanation *explanation, struct target_roofs_record *record)
{
	const struct explain_target *target = &explanation->target;

	if (!explain_has_roofs(explanation))
		return;
	record->record.present = true;
	text_set(&record->name, target->hardware.name);
	record->measured = target->roofs_measured;
	record->copy_gbps = target->hardware.rates.copy_gbps;
	record->fma_gflops = target->hardware.rates.gops[OPERATIONS_F32];
	record->ridge = roofline_ridge(&target->hardware);
}

static void fill_measured(const struct explanation *explanation, struct measured_record *record)
{
	const struct result_row *row = &explanation->outcome.row;
	const struct derived_record *derived = &row->derived;
	const struct roofline_device device = {.rates = explanation->device_rates};
	char key[DEVICE_KEY_BYTES], text[160], title[DEVICE_TITLE_BYTES];

	if (!explanation->measured)
		return;
	fill_device_key(&explanation->device, key, sizeof key);
	problem_text(&explanation->measured_problem, text, sizeof text);
	record->record.present = true;
	text_set(&record->backend, gpu_backend_name(explanation->device.backend));
	text_set(&record->device, key);
	fill_device_title(&explanation->device, title, sizeof title);
	text_set(&record->device_name, title);
	fill_dims(&explanation->measured_problem, &record->problem);
	text_set(&record->problem_text, text);
	record->ns = result_row_median_ns(row);
	record->gflops = derived->gflops;
	record->gbps = derived->gbps;
	record->fraction_of_roof = derived->pct_roof / 100;
	record->flags = result_row_flags(row);
	device_state_load_text(&row->device_state, &record->load);
	record->limited_by = derived->limited_by;
	if (device.rates.copy_gbps > 0 && device.rates.gops[OPERATIONS_F32] > 0) {
		record->attainable_gflops = roofline_gflops(&device, derived->intensity);
		record->attainable_gbps = roofline_gbps(&device, derived->intensity);
	}
	record->status = row->status;
}

/* ---- All of it ----------------------------------------------------------------------------- */

enum pmpp_status explain_fill(
	struct explanation *explanation, struct explanation_list *list, struct pmpp_error *error)
{
	struct explanation_record *common = &explanation->record;
	enum pmpp_status status = PMPP_OK;

	fill_variant(explanation, common);
	fill_roofs(explanation, &common->roofs);
	fill_measured(explanation, &common->measured);
	for (size_t i = 0; i < explanation->launch_count && status == PMPP_OK; i++) {
		struct launch_explanation *launch = &explanation->launches[i];
		status = record_list_add_copy(&explanation_type, list, common, error);
		if (status != PMPP_OK)
			break;
		struct explanation_record *record = &list->items[list->count - 1];
		fill_launch(explanation, i, &record->launch);
		if (!record->no_resources)
			fill_resources(&launch->resources, &record->resources);
		fill_occupancy(explanation, launch, &record->occupancy);
		if (!explain_fill_trace(explanation, launch, record))
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory for an explanation");
	}
	return status;
}
