#include "host/suite/outcome.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/suite/device.h"
#include "host/suite/kernel_file.h"

/* ---- Parts of rows -------------------------------------------------------------------------- */

/* Fills the parts of a result row that depend only on the variant, its problem and its plan. */

void fill_dims(const struct problem *problem, struct named_list *list)
{
	for (size_t i = 0; i < problem->family->dim_count; i++)
		named_list_add(list, problem->family->dim_names[i], problem->dim[i]);
}

/* LANES is left out if it is the device's width: then rows of different devices, and rows of files
 * that are older than LANES, have equal macros. */
void fill_macros(const struct config *config, struct named_list *list)
{
	for (size_t i = 0; config->variant->macros[i].name; i++) {
		const struct macro *macro = &config->variant->macros[i];

		if (macro->value == MACRO_OF_LANES &&
			config->value[i] == macro_default(macro, &config->shape))
			continue;
		named_list_add(list, macro->name, config->value[i]);
	}
}

/* The figures that the row reads, but that are unknown on the device. */
static void fill_notes(const struct config *config, struct text_list *list)
{
	const struct kernel_shape *shape = &config->shape;
	bool lanes = config_lanes(config) > 0;
	const struct {
		unsigned bit;
		const char *what, *before, *after; /* around the assumed value */
		int64_t value;
	} rows[] = {
		{KERNEL_SHAPE_LANES, "width", lanes ? "LANES=" : "",
			lanes ? " is assumed; set it with --set LANES=N" : " lanes are assumed",
			shape->lanes},
		{KERNEL_SHAPE_UNITS, "number of units", "", " are assumed", shape->units},
		{KERNEL_SHAPE_UNIT_THREADS, "number of resident threads of a unit", "",
			" are assumed", shape->unit_threads},
		{KERNEL_SHAPE_UNIT_SHARED, "shared memory of a unit", "", " bytes are assumed",
			shape->unit_shared_bytes},
		{KERNEL_SHAPE_SECTOR, "smallest transfer of memory", "", " bytes are assumed",
			shape->sector_bytes},
	};
	unsigned assumed = shape->assumed & config_reads(config);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[160];

		if (!(assumed & rows[i].bit))
			continue;
		snprintf(text, sizeof text, "the %s of this device is unknown: %s%lld%s",
			rows[i].what, rows[i].before, (long long)rows[i].value, rows[i].after);
		text_list_add(list, text);
	}
}

/* Values above the default that config_for() chose because of the width of the device. A fallback has
 * only smaller values. */
static void fill_enlarged(const struct config *config, struct text_list *list)
{
	for (size_t i = 0; config->variant->macros[i].name; i++) {
		const struct macro *macro = &config->variant->macros[i];
		const int value = macro_default(macro, &config->shape);
		char text[160];

		if (config->value[i] <= value || config->chosen >> i & 1)
			continue;
		snprintf(text, sizeof text,
			"%s=%d instead of %d, which is too small for warps of %d threads",
			macro->name, config->value[i], value, (int)config->shape.lanes);
		text_list_add(list, text);
	}
}

static const char *data_name(const struct problem *problem)
{
	const char *data = problem->family->data[problem->data];

	if (problem->source == INPUT_USER)
		return "user";
	return data ? data : "random";
}

void fill_row_head(const struct config *config, const struct problem *problem,
	const struct gpu_device_info *info, const char *kernel_dir, struct result_row *ret_row)
{
	const struct variant *variant = config->variant;
	bool own = kernel_file_is_own(variant, info->backend, kernel_dir);

	record_init(&result_row_type, ret_row);
	text_set(&ret_row->family, problem->family->name);
	text_set(&ret_row->variant, variant->name);
	ret_row->own_kernel = own;
	text_set(&ret_row->technique, own ? OWN_KERNEL_TECHNIQUE : variant->technique);
	text_set(&ret_row->backend, gpu_backend_name(info->backend));
	text_set(&ret_row->device, device_key(info).text);
	text_set(&ret_row->dtype, dtype_info(problem->dtype)->name);
	text_set(&ret_row->op, problem->family->ops[problem->op]);
	text_set(&ret_row->data, data_name(problem));
	fill_dims(problem, &ret_row->problem);
	ret_row->seed = (int64_t)problem->seed;
	fill_macros(config, &ret_row->macros);
	ret_row->lanes = config_lanes(config) ? config_lanes(config) : -1;
	fill_notes(config, &ret_row->notes);
	fill_enlarged(config, &ret_row->notes);
	text_set(&ret_row->repro, reproducibility_name(config_reproducibility(config, problem)));
}

/* If the row's claim is not meant for the device, a GPU, adds the claim with the reason. */
static void fill_claim(
	const struct config *config, const struct gpu_device_info *info, struct result_row *row)
{
	const struct claim *claim = &config->variant->claim;
	const char *missing = claim_missing_text(claim->needs, &info->shape);

	if (!claim->text || !missing || info->type != GPU_TYPE_GPU)
		return;
	row->claim.record.present = true;
	text_set(&row->claim.text, claim->text);
	text_set(&row->claim.reason, missing);
	record_set_absent(&result_row_type, row, "claim", false);
}

void fill_resources(const struct gpu_kernel_resources *resources, struct resources_record *record)
{
	record->record.present = true;
	record->registers = resources->registers;
	record->shared_bytes = resources->shared_bytes;
	record->spill_bytes = resources->spill_bytes;
	record->max_block = resources->max_block_threads;
	if (resources->scalar_registers > 0)
		record->sgprs = resources->scalar_registers;
	if (resources->acc_registers > 0)
		record->accvgprs = resources->acc_registers;
}

/* ---- Outcomes ------------------------------------------------------------------------------- */

static void init_build(struct build_record *build, const struct gpu_device_info *info)
{
	build->record.present = true;
	text_set(&build->options, "");
	text_set(&build->math, gpu_math_name((enum gpu_math)0));
	text_set(&build->cache, gpu_cache_outcome_name((enum gpu_cache_outcome)0));
	text_set_known(&build->compiler, info->compiler);
	build->compile_ms = 0;
}

static void init_work(struct outcome *outcome, const struct problem *problem)
{
	const struct config *config = &outcome->config;
	struct result_row *row = &outcome->row;
	struct work_record *work = &row->work;
	bool own = row->own_kernel;

	work->record.present = true;
	work->flops = own ? problem_flops(problem) : config_flops(config, problem);
	work->bytes_compulsory = problem_bytes_compulsory(&outcome->problem);
	work->operations = (int)(own ? operations_of_dtype(problem->dtype)
				     : config_operations(config, problem));
	work->bytes_issued = own ? NAN : config_bytes_issued(config, problem);
	row->derived.record.present = true;
	row->derived.intensity = work->flops / work->bytes_compulsory;
	text_set(&row->derived.metric_name, problem->family->metric.name);
}

/* Whether sums of a kernel of the user may lose subnormal numbers: atomicAdd() of f32 in global memory sets them
 * to 0 on GPUs (PTX ISA, "atom"), in every mode of the compiler. */
static bool may_flush(const struct family *family, const struct gpu_device_info *info,
	const struct arithmetic *arithmetic)
{
	return family->chain && family->integer_limit && info->type == GPU_TYPE_GPU &&
	       arithmetic->rules == ARITHMETIC_CUDA;
}

void outcome_init(struct outcome *outcome, const struct config *config,
	const struct problem *problem, const struct gpu_device_info *info,
	const struct suite_options *options)
{
	static const struct gpu_kernel_resources unknown = {-1, -1, -1, -1};
	struct result_row *row = &outcome->row;

	*outcome = (struct outcome){.config = *config, .problem = *problem, .math = options->math};
	for (size_t s = 0; s < PMPP_MAX_STEPS; s++)
		outcome->step_resources[s] = unknown;
	outcome->problem.rounding = config->variant->rounding;
	outcome->problem.arithmetic = info->arithmetic[options->math];
	fill_row_head(config, &outcome->problem, info, options->kernel_dir, row);
	bool lenient = row->own_kernel && !options->as_project;
	outcome->problem.own_kernel = lenient;
	if (lenient && may_flush(problem->family, info, &outcome->problem.arithmetic))
		outcome->problem.arithmetic.flushes_f32 = true;
	outcome->promises_bits =
		config->variant->repro != REPRO_BOUND && (!lenient || options->bitwise);
	if (lenient && !options->bitwise)
		text_set(&row->repro, reproducibility_name(REPRO_BOUND));
	row->status = OUTCOME_UNVERIFIED;
	init_build(&row->build, info);
	fill_resources(&unknown, &row->resources);
	init_work(outcome, problem);
	result_row_drop_comparisons(row);
	if (!row->own_kernel)
		fill_claim(config, info, row);
}

void outcome_finish(struct outcome *outcome)
{
	record_finish(&result_row_type, &outcome->row);
}

bool outcome_refuse(
	struct outcome *outcome, enum outcome_status status, const char *what, const char *detail)
{
	outcome->row.status = (int)status;
	text_format(&outcome->row.reason, "%s%s", what, detail);
	return false;
}

void outcome_note(struct outcome *outcome, const char *text)
{
	struct text_list *notes = &outcome->row.notes;
	char note[200];

	snprintf(note, sizeof note, "%s/%s: %s", outcome->problem.family->name,
		outcome->config.variant->name, text);
	if (!text_list_has(notes, note))
		text_list_add(notes, note);
}

void outcome_leave_untimed(struct outcome *outcome, const char *reason)
{
	snprintf(outcome->untimed, sizeof outcome->untimed, "%s", reason);
	if (!outcome->row.reason)
		text_set(&outcome->row.reason, outcome->untimed);
}
