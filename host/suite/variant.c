#include "host/suite/variant.h"

#include "host/gpu/math_options.h"
#include "host/suite/companions.h"
#include "host/suite/device.h"
#include "host/suite/fallback.h"
#include "host/suite/feasible.h"
#include "host/suite/fill_row.h"
#include "host/suite/fit_search.h"
#include "host/suite/unset.h"

#include <stdio.h>
#include <string.h>

#define UNVERIFIABLE                                                                               \
	"rounding errors can be as large as the result, and integer inputs do not make it exact; " \
	"choose a smaller size"

/* Each row gets the warnings, even if an earlier row compiled the program. A kernel that certainly
 * uses an uninitialised variable does not run: its result may be right by chance, and its indices
 * may be out of bounds. */
static void record_warnings(const struct kernel_warnings *warnings, struct outcome *outcome)
{
	for (size_t i = 0; i < warnings->texts.count; i++)
		text_list_add(&outcome->row.build.warnings, warnings->texts.items[i]);
	outcome->suspicion = warnings->suspicion;
	if (warnings->uninitialised)
		outcome_refuse(outcome, OUTCOME_FAILED, warnings->uninitialised, "");
}

static enum pmpp_status build_kernels(struct bench *bench, const struct suite_options *options,
	struct outcome *outcome, struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct program_request request = {
		.config = &outcome->config, .problem = &outcome->problem, .math = options->math};
	const struct plan *plan = &outcome->plan;
	struct build_record *record = &outcome->row.build;
	struct program_entry *entry;
	enum pmpp_status status = programs_get(&bench->programs, &request, &entry, error);

	if (status == PMPP_BUILD)
		return feasible_build_failure(plan, &bench->device->info.limits, error);
	if (status != PMPP_OK)
		return status;
	outcome->math = options->math;
	text_set(&record->source_sha256, entry->source_sha256);
	text_set(&record->code_sha256, entry->code_sha256);
	text_set(&record->options, entry->program->options);
	text_set(&record->math, gpu_math_name(options->math));
	text_set(&record->cache, gpu_cache_outcome_name(entry->program->cache));
	record->compile_ms = entry->program->compile_ms;
	record_warnings(&entry->warnings, outcome);
	status = launch_bind(entry, plan, bench->operands.buffers, ret_run, error);
	for (size_t s = 0; s < plan->step_count && status == PMPP_OK; s++)
		if (ret_run->steps[s].kind == PLAN_LAUNCH)
			status = gpu_kernel_resources(ret_run->steps[s].as.launch.kernel,
				&outcome->step_resources[s], error);
	outcome->resources = outcome->step_resources[feasible_main_launch(outcome)];
	fill_resources(&outcome->resources, &outcome->row.resources);
	return status;
}

/* A peer has no kernels. */
static enum pmpp_status build(struct bench *bench, const struct suite_options *options,
	struct outcome *outcome, struct bound_run *ret_run, struct pmpp_error *error)
{
	if (outcome->config.variant->peer == PEER_NONE)
		return build_kernels(bench, options, outcome, ret_run, error);
	text_set(&outcome->row.build.compiler, NULL);
	return peers_bind(&bench->peers, outcome, bench->operands.buffers, ret_run, error);
}

/* Adds an uninitialised variable to the reason if one is proved or suspected. */
static enum pmpp_status explain_failure(struct verifier *verifier, const struct bound_run *run,
	struct outcome *outcome, enum pmpp_status status, struct pmpp_error *error)
{
	enum pmpp_status after = unset_find(verifier, run, outcome, status, error);

	if (after != status || !outcome->suspicion)
		return after;
	if (status == PMPP_LAUNCH)
		pmpp_error_append(error, "; %s", outcome->suspicion);
	else
		text_format(&outcome->row.reason, "%s; %s", text_or_empty(outcome->row.reason),
			outcome->suspicion);
	return after;
}

/* Integers of the project's kernels are exact, so only other kernels need this note. */
static void accept(struct outcome *outcome)
{
	const struct family *family = outcome->problem.family;

	outcome->row.status = OUTCOME_OK;
	if (outcome->row.own_kernel && family->own_difference && outcome->row.verify.max_ratio > 0)
		outcome_note(outcome, family->own_difference);
}

/* Verifies the outcome's config. A limit for blocks sets outcome->block_limit. */
static enum pmpp_status verify_config(struct bench *bench, const struct suite_options *options,
	struct outcome *outcome, struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	enum pmpp_status status;

	if (!feasible_here(outcome, info))
		return PMPP_OK;
	if (!verify_is_possible(&outcome->config, &outcome->problem)) {
		outcome_refuse(outcome, OUTCOME_UNVERIFIED,
			"cannot be verified at this size: ", UNVERIFIABLE);
		return PMPP_OK;
	}
	status = bench_check_memory(bench, &outcome->config, &outcome->problem, false, error);
	if (status != PMPP_OK)
		return bench_absorb(bench, outcome, status, error);
	config_plan(&outcome->config, &outcome->problem, &outcome->plan);
	fill_steps(&outcome->plan, &outcome->row.launches);
	if (!feasible_plan(outcome, &info->limits))
		return PMPP_OK;
	status = bench_place(bench, options, &outcome->config, &outcome->problem, error);
	if (status != PMPP_OK)
		return bench_absorb(bench, outcome, status, error);
	bench_progress(options, outcome, "compiling");
	status = build(bench, options, outcome, ret_run, error);
	if (status == PMPP_OK && (outcome->row.status == OUTCOME_FAILED ||
					 !feasible_resources(outcome, &info->limits)))
		return PMPP_OK;
	if (status == PMPP_OK) {
		bench_progress(options, outcome, "verifying");
		status = verify_run(&bench->verifier, ret_run, options->traced, outcome, error);
	}
	if (status == PMPP_OK && verify_record_passed(&outcome->row.verify))
		accept(outcome);
	else if (status == PMPP_OK || status == PMPP_LAUNCH)
		status = explain_failure(&bench->verifier, ret_run, outcome, status, error);
	return bench_absorb(bench, outcome, status, error);
}

/* ---- Fallback ------------------------------------------------------------------------------ */

#define MAX_LAUNCHES 4 /* of points that build, but are not launched */

/* Verifies a point. If its blocks fit, its outcome replaces *outcome. Otherwise *outcome stays, and
 * ret_limit has the limit. text: for the row. */
static enum pmpp_status try_point(struct bench *bench, const struct suite_options *options,
	const struct config *point, const char *text, char ret_limit[FALLBACK_TEXT_BYTES],
	struct outcome *outcome, struct bound_run *ret_run, struct pmpp_error *error)
{
	struct outcome tried;

	outcome_init(&tried, point, &outcome->problem, &bench->device->info, options);
	enum pmpp_status status = verify_config(bench, options, &tried, ret_run, error);
	if (status == PMPP_OK && tried.block_limit) {
		snprintf(ret_limit, FALLBACK_TEXT_BYTES, "%s", text_or_empty(tried.row.reason));
		outcome_finish(&tried);
		return PMPP_OK;
	}
	text_set(&tried.row.fallback, text);
	outcome_finish(outcome);
	*outcome = tried;
	return status;
}

/* Adds the smallest point and its limit to the reason of a row for which no point fits. If the smallest
 * point has the same limit as the row, its tunables do not matter, and the reason stays. */
static void refuse_all(struct bench *bench, const struct config *smallest, const char *limit,
	struct outcome *outcome)
{
	char values[160], text[FALLBACK_TEXT_BYTES];

	fallback_values_text(smallest, &outcome->config, values, sizeof values);
	if (*values && strcmp(limit, text_or_empty(outcome->row.reason)) != 0)
		snprintf(text, sizeof text, "%.180s; no smaller tile fits (%.100s): %.180s",
			text_or_empty(outcome->row.reason), values, limit);
	else
		snprintf(text, sizeof text, "%.500s", text_or_empty(outcome->row.reason));
	fallbacks_add(&bench->fallbacks, &outcome->config, NULL, &outcome->problem, text);
	text_set(&outcome->row.reason, text);
}

/* Verifies the points from `first` on, until the driver launches the blocks of one. */
static enum pmpp_status try_points(struct bench *bench, const struct suite_options *options,
	const struct fallback_points *points, size_t first, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct config from = outcome->config;
	char text[FALLBACK_TEXT_BYTES], values[160], limit[FALLBACK_TEXT_BYTES];

	for (size_t i = first, tries = 1; i < points->count; i++, tries++) {
		const size_t index = tries < MAX_LAUNCHES ? i : points->count - 1;
		const struct config *point = &points->items[index];

		fallback_values_text(point, &from, values, sizeof values);
		snprintf(text, sizeof text, "%s: %.340s", values,
			text_or_empty(outcome->row.reason));
		enum pmpp_status status =
			try_point(bench, options, point, text, limit, outcome, ret_run, error);
		if (status != PMPP_OK)
			return status;
		if (!outcome->block_limit) {
			fallbacks_add(&bench->fallbacks, &from, point, &outcome->problem, text);
			return PMPP_OK;
		}
		if (index + 1 == points->count)
			break;
	}
	refuse_all(bench, &points->items[points->count - 1], limit, outcome);
	return PMPP_OK;
}

/* Replaces an outcome whose blocks do not fit by the largest declared point that fits. */
static enum pmpp_status fall_back(struct bench *bench, const struct suite_options *options,
	struct outcome *outcome, struct bound_run *ret_run, struct pmpp_error *error)
{
	struct fallback_points points;
	struct plan plan;
	char limit[FALLBACK_TEXT_BYTES];
	size_t first = 0;

	if (!fallback_points_make(&outcome->config, &points))
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for smaller blocks");
	const struct config smallest =
		points.count ? points.items[points.count - 1] : outcome->config;
	config_plan(&smallest, &outcome->problem, &plan);
	fallback_block_limit(&plan, &bench->device->info.limits, limit, sizeof limit);
	fallback_points_drop(&points, &outcome->problem, &bench->device->info.limits);
	const struct fit_request request = {.programs = &bench->programs,
		.problem = &outcome->problem,
		.math = options->math,
		.points = &points};
	enum pmpp_status status = fit_search(&request, &first, limit, error);
	if (status == PMPP_OK && first < points.count)
		status = try_points(bench, options, &points, first, outcome, ret_run, error);
	else if (status == PMPP_OK)
		refuse_all(bench, &smallest, limit, outcome);
	fallback_points_finish(&points);
	return status;
}

enum pmpp_status variant_verify(struct bench *bench, const struct suite_options *options,
	struct outcome *outcome, struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct fallback *known =
		fallbacks_find(&bench->fallbacks, &outcome->config, &outcome->problem);
	char limit[FALLBACK_TEXT_BYTES];
	enum pmpp_status status;

	/* There is no output to return until this variant has passed. */
	verifier_forget_output(&bench->verifier);
	if (bench->lost)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE,
			"%s no longer responds after a failed kernel", bench->device->info.name);
	if (known && known->fits) {
		const struct config point = known->to;

		outcome->block_limit = true;
		status = try_point(
			bench, options, &point, known->text, limit, outcome, ret_run, error);
		if (status != PMPP_OK || !outcome->block_limit)
			return status;
	}
	status = verify_config(bench, options, outcome, ret_run, error);
	if (status != PMPP_OK || !outcome->block_limit)
		return status;
	if (known && !known->fits)
		text_set(&outcome->row.reason, known->text);
	else
		status = fall_back(bench, options, outcome, ret_run, error);
	return status;
}

/* Times the variant in turn with its companions. */
static enum pmpp_status time_one(struct bench *bench, const struct suite_options *options,
	const struct bound_run *run, struct outcome *outcome, struct pmpp_error *error)
{
	struct timed_run runs[1 + MAX_COMPANIONS] = {{.timer = &bench->timer,
		.options = options,
		.run = run,
		.timing = &outcome->row.timing}};
	struct companions companions = {0};
	enum pmpp_status status;

	bench_progress(options, outcome, "timing");
	status = companions_prepare(&companions, bench, options, outcome, error);
	if (status == PMPP_OK)
		status = timing_run(
			runs, 1 + companions_runs(&companions, options, runs + 1), error);
	bench_read_state(bench, outcome);
	if (status == PMPP_OK)
		status = verify_again(&bench->verifier, run, outcome, error);
	if (status == PMPP_OK && outcome->row.status == OUTCOME_OK)
		status = companions_compare(&companions, bench, outcome, error);
	companions_finish(&companions);
	if (status == PMPP_OK && outcome->row.status == OUTCOME_OK)
		status = verify_other_data(&bench->verifier, run, outcome, error);
	if (status != PMPP_OK || outcome->row.status != OUTCOME_OK)
		bench_drop_times(outcome); /* only rows that passed have times */
	return bench_absorb(bench, outcome, status, error);
}

enum pmpp_status variant_run(struct bench *bench, const struct suite_options *options,
	const char *untimed, struct outcome *outcome, struct pmpp_error *error)
{
	struct bound_run run;
	enum pmpp_status status = variant_verify(bench, options, outcome, &run, error);

	if (status == PMPP_OK && outcome->row.status == OUTCOME_OK && !*untimed)
		status = time_one(bench, options, &run, outcome, error);
	if (!outcome->row.timing.record.present)
		outcome_leave_untimed(
			outcome, *untimed ? untimed : "only a variant that passed is timed");
	return status;
}

enum pmpp_status variant_absorb_calibration(
	enum pmpp_status status, char *ret_untimed, size_t size, struct pmpp_error *error)
{
	if (!suite_is_about_timing(status))
		return status;
	snprintf(ret_untimed, size, "cannot be calibrated: %.100s", error->message);
	pmpp_error_clear(error);
	return PMPP_OK;
}
