#include "host/suite/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/figures.h"
#include "common/model/floor.h"
#include "common/model/traced_work.h"
#include "common/own/kernel.h"
#include "common/text.h"
#include "host/gpu/ptx.h"
#include "host/suite/kernel_file.h"
#include "host/suite/roofs.h"
#include "host/suite/variant.h"

const void *suite_output(struct suite *suite, int64_t *ret_rows, int64_t *ret_columns)
{
	const struct verifier *verifier = &suite->bench.verifier;

	if (!verifier->rows)
		return NULL;
	*ret_rows = verifier->rows;
	*ret_columns = verifier->columns;
	return verifier->values;
}

enum pmpp_status suite_roofs(struct suite *suite, bool force, const struct roofs_record **ret_roofs,
	struct pmpp_error *error)
{
	enum pmpp_status status = device_roofs_get(&suite->roofs, &suite->bench, force, error);

	if (status == PMPP_OK)
		*ret_roofs = &suite->roofs.roofs;
	return status;
}

/* ---- Figures that follow from others -------------------------------------------------------- */

/* Figures of a timed outcome, and whether its time is possible. */

static void set_floor(const struct floors *floors, double ns, struct floor_record *floor)
{
	if (floors->largest < 0)
		return;
	floor->record.present = true;
	floor->resource = floors->largest;
	floor->ns = floors->ns[floors->largest];
	floor->share = floor->ns / ns;
}

/* Sets rates, metric, floor and limit of a timed outcome from the primary median. Unknown figures
 * are NAN; an unknown limit is LIMITED_BY_UNKNOWN. info: the device. */
static void derive_figures(struct outcome *outcome, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer)
{
	struct result_row *row = &outcome->row;
	const struct metric *metric = &outcome->problem.family->metric;
	const struct floor_work work = config_traffic(&outcome->config, &outcome->problem);
	const struct floor_rates rates = floor_rates_of(
		info, roofs, timer, (enum timing_primary)row->timing.primary, row->timing.flags);
	const struct floors floors = floors_of(&work, &rates);
	const double ns = result_row_median_ns(row);

	if (!(ns > 0))
		return;
	double share;
	enum limited_by limit = limit_measured(&floors, ns, &share);
	row->derived.gflops = row->work.flops / ns;
	row->derived.gbps = row->work.bytes_compulsory / ns;
	/* The floors and the metric count the work of the project's kernel. */
	if (row->own_kernel)
		return;
	row->derived.pct_roof = 100 * share;
	row->derived.limited_by = (int)limit;
	outcome->floors = floors;
	set_floor(&floors, ns, &row->derived.floor);
	if (metric->count)
		row->derived.metric = figures_metric(metric->kind,
			metric->count(&outcome->config, &outcome->problem), ns,
			(double)info->limits.clock_mhz, (double)info->limits.compute_units);
}

#define DOUBTFUL (TIMING_THROTTLED | TIMING_NOISY | TIMING_HOST_CLOCK)

static void explain_suspect(struct outcome *outcome, int resource, double floor_ns, double ns)
{
	static const char *const why[FLOOR_COUNT] = {
		[FLOOR_LAUNCH] = "empty launches take",
		[FLOOR_MEMORY] = "the bytes that no cache can hold take",
		[FLOOR_COMPUTE] = "the operations of the problem take",
		[FLOOR_TENSOR] = "the operations of the problem take",
	};
	char time[32], least[32], text[160];

	format_ns(ns, time, sizeof time);
	format_ns(floor_ns, least, sizeof least);
	snprintf(text, sizeof text, "%s is too short: %s %s at the measured rate of the device",
		time, why[resource], least);
	outcome_refuse(outcome, OUTCOME_SUSPECT, text, "");
}

static void note_fast_operations(
	struct outcome *outcome, const struct roofs_record *roofs, double ns, double margin)
{
	const struct work_record *work = &outcome->row.work;
	double rate = roofs_rate(roofs, (enum operations)work->operations);
	char text[160];

	if (outcome->problem.family->certain || !(work->flops / ns > margin * rate))
		return;
	snprintf(text, sizeof text,
		"faster than the roof of %s operations allows: it may have another algorithm or "
		"precision",
		operations_words[work->operations]);
	outcome_note(outcome, text);
}

/* Returns whether the primary median is shorter than a certain floor allows
 * (common/model/floor.h). If so, sets the status to SUSPECT, with the reason. Otherwise adds a
 * note if the rate is above the roof of the operations in a family without `certain`. */
static bool derive_suspect(struct outcome *outcome, const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer)
{
	const struct timing_record *timing = &outcome->row.timing;
	const double ns = result_row_median_ns(&outcome->row);
	const struct floor_work work = config_certain(&outcome->config, &outcome->problem);
	struct floor_rates rates = floor_rates_of(
		info, roofs, timer, (enum timing_primary)timing->primary, timing->flags);

	/* next_launch_ns is a slope: other programs can make it larger than the shortest launch. */
	rates.launch_ns = fmin(rates.launch_ns, timer->least_launch_ns);
	rates.next_launch_ns = fmin(rates.next_launch_ns, timer->least_launch_ns);
	double floor_ns, margin = suspect_margin(info->type == GPU_TYPE_GPU,
				 (roofs->flags | timing->flags) & DOUBTFUL);

	if (!(ns > 0))
		return false;
	int resource = suspect_floor(&work, &rates, ns, margin, &floor_ns);
	if (resource >= 0)
		explain_suspect(outcome, resource, floor_ns, ns);
	else
		note_fast_operations(outcome, roofs, ns, margin);
	return resource >= 0;
}

/* ---- The session ---------------------------------------------------------------------------- */

/* Prepares timing: calibrates the timer, and measures the roofs unless the family is internal. Call
 * it before the problem's operands use the device's memory. If the device cannot run the suite's
 * own kernels, nothing is timed on it: ret_untimed is set to the reason. Otherwise ret_untimed is
 * unchanged. */
static enum pmpp_status prepare_timing(struct suite *suite, const struct family *family,
	char *ret_untimed, size_t size, struct pmpp_error *error)
{
	enum pmpp_status status = bench_calibrate(&suite->bench, suite->options.math, error);

	if (status == PMPP_OK && !family->internal)
		status = device_roofs_get(&suite->roofs, &suite->bench, false, error);
	return variant_absorb_calibration(status, ret_untimed, size, error);
}

/* Judges a timed outcome by the session's roofs and calibration. Sets its figures, or the status
 * SUSPECT without times (derive_suspect()). */
static void derive(const struct suite *suite, struct outcome *outcome)
{
	const struct gpu_device_info *info = &suite->bench.device->info;
	const struct timer_record *timer = &suite->bench.timer.record;

	if (!outcome->row.timing.record.present || outcome->row.status != OUTCOME_OK)
		return;
	if (derive_suspect(outcome, info, &suite->roofs.roofs, timer)) {
		bench_drop_times(outcome); /* only rows that passed have times */
		outcome_leave_untimed(outcome, "the time is too short");
		return;
	}
	derive_figures(outcome, info, &suite->roofs.roofs, timer);
}

/* ---- Running ------------------------------------------------------------------------------- */

enum pmpp_status suite_run(struct suite *suite, const struct config *config,
	const struct problem *problem, enum suite_action action, struct outcome *ret_outcome,
	struct pmpp_error *error)
{
	char untimed[sizeof ret_outcome->untimed] = "";
	struct bound_run run;
	enum pmpp_status status = PMPP_OK;

	outcome_init(ret_outcome, config, problem, suite_device(suite), &suite->options);
	if (action != SUITE_TIME)
		snprintf(untimed, sizeof untimed, "not requested");
	else if (suite_is_emulated(suite_device(suite)))
		snprintf(untimed, sizeof untimed, "emulated: times are not performance");
	else if (!suite->bench.lost)
		status = prepare_timing(suite, problem->family, untimed, sizeof untimed, error);
	if (status == PMPP_OK)
		status = variant_verify(&suite->bench, ret_outcome, &run, error);
	if (status == PMPP_OK)
		status = variant_time(&suite->bench, &run, untimed, ret_outcome, error);
	if (status == PMPP_OK)
		derive(suite, ret_outcome);
	if (status == PMPP_OK && ret_outcome->row.timing.record.present)
		earlier_rows_add(&suite->bench.earlier, ret_outcome);
	return status;
}

/* ---- Parity --------------------------------------------------------------------------------- */

/* Parity: runs one variant on two suites, compares the results, and times both in turn. */

void parity_result_finish(struct parity_result *result)
{
	outcome_finish(&result->a);
	outcome_finish(&result->b);
	record_finish(&parity_row_type, &result->row);
}

/* PMPP_OUT_OF_MEMORY on the host; the row is then untouched. */
static enum pmpp_status compare_times(
	struct parity_result *result, double tolerance, struct pmpp_error *error)
{
	const struct samples_record *a = timing_record_primary(&result->a.row.timing);
	const struct samples_record *b = timing_record_primary(&result->b.row.timing);
	struct parity_row *row = &result->row;
	struct stats_ratio ratio;
	enum pmpp_status status =
		timing_ratio(&result->a.row.timing, &result->b.row.timing, &ratio, error);

	if (status != PMPP_OK)
		return status;
	row->ratio = a->median / b->median;
	row->round_ratio = ratio.median;
	memcpy(row->ci95, ratio.ci95, sizeof ratio.ci95);
	row->n = a->n;
	row->tolerance = tolerance;
	row->verdict = (int)parity_judge(row->ci95, &row->tolerance);
	return PMPP_OK;
}

/* ---- PTX ----------------------------------------------------------------------------------- */

/* Returns the PTX of one side: the program's binary, or the output of a compiler without a device.
 */
static enum pmpp_status side_ptx(const struct suite *suite, const struct outcome *outcome,
	const struct bound_run *run, char **ret_ptx, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &suite->bench.device->info;
	const struct bound_step *first = &run->steps[outcome->main_launch];
	struct pmpp_error other = PMPP_ERROR_INIT;
	enum pmpp_status status = gpu_program_ptx(first->as.launch.kernel->program, ret_ptx, error);

	if (status != PMPP_UNSUPPORTED)
		return status;
	status = kernel_ptx_of_file(&outcome->config, &outcome->problem, info->backend,
		suite->options.kernel_dir, outcome->math, info->arch, ret_ptx, &other);
	/* If no such compiler exists, the first error is reported. */
	if (status != PMPP_UNSUPPORTED)
		pmpp_error_move(error, &other);
	pmpp_error_clear(&other);
	return status;
}

/* After PMPP_OUT_OF_MEMORY the counts are incomplete. */
static enum pmpp_status add_counts(
	const struct ptx_table *table, struct ptx_record *record, struct pmpp_error *error)
{
	bool complete = true;

	for (size_t side = 0; side < 2; side++)
		complete = complete && integer_list_add(&record->totals, table->total[side]);
	for (size_t i = 0; i < table->count && complete; i++) {
		const struct ptx_count *row = &table->rows[i];
		if (row->count[0] == row->count[1])
			continue;
		struct instruction_record *added =
			record_list_add(&instruction_type, &record->instructions);
		complete = added && integer_list_add(&added->counts, row->count[0]) &&
			   integer_list_add(&added->counts, row->count[1]);
		if (added)
			text_set(&added->name, row->name);
	}
	return complete ? PMPP_OK : PMPP_NO_MEMORY(error, "the counts");
}

/* A side without PTX is not an error of the variant: the record has the reason. */
static void compare_ptx(
	struct suite *const suites[2], const struct bound_run runs[2], struct parity_result *result)
{
	const struct outcome *outcomes[2] = {&result->a, &result->b};
	struct ptx_record *record = &result->row.ptx;
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct ptx_table table = {0};
	char *texts[2] = {NULL, NULL};
	enum pmpp_status status = PMPP_OK;

	for (int i = 0; i < 2 && status == PMPP_OK; i++)
		status = side_ptx(suites[i], outcomes[i], &runs[i], &texts[i], &error);
	if (status == PMPP_OK)
		status = kernel_ptx_count(
			&result->a.plan, (const char *const *)texts, &table, &error);
	if (status == PMPP_OK)
		status = add_counts(&table, record, &error);
	if (status != PMPP_OK) {
		record_finish(&ptx_type, record);
		text_format(&record->reason, "%.200s", error.message);
	}
	record->record.present = true;
	pmpp_error_clear(&error);
	ptx_table_finish(&table);
	for (int i = 0; i < 2; i++)
		free(texts[i]);
}

/* ---- Times --------------------------------------------------------------------------------- */

/* Call it if both sides passed. Takes samples in turn, checks the outputs again, and sets the
 * figures and the ratio. */
static enum pmpp_status time_both(struct suite *const suites[2], const struct bound_run runs[2],
	double tolerance, struct parity_result *result, struct pmpp_error *error)
{
	struct outcome *outcomes[2] = {&result->a, &result->b};
	struct timed_run timed[2];
	enum pmpp_status status = PMPP_OK;

	for (int i = 0; i < 2; i++)
		timed[i] = (struct timed_run){.timer = &suites[i]->bench.timer,
			.operands = &suites[i]->bench.operands,
			.options = &suites[i]->options,
			.run = &runs[i],
			.timing = &outcomes[i]->row.timing};
	status = timing_run(timed, 2, error);
	for (int i = 0; i < 2; i++)
		bench_read_state(&suites[i]->bench, outcomes[i]);
	for (int i = 0; i < 2; i++) {
		struct verifier *verifier = &suites[i]->bench.verifier;
		if (status == PMPP_OK)
			status = verify_again(verifier, &runs[i], outcomes[i], error);
		if (status == PMPP_OK && outcomes[i]->row.status == OUTCOME_OK)
			status = verify_other_data(verifier, &runs[i], outcomes[i], error);
		status = bench_absorb(&suites[i]->bench, outcomes[i], status, error);
		derive(suites[i], outcomes[i]);
	}
	if (status == PMPP_OK && result->a.row.status == OUTCOME_OK &&
		result->b.row.status == OUTCOME_OK)
		status = bench_absorb(&suites[0]->bench, outcomes[0],
			compare_times(result, tolerance, error), error);
	if (status != PMPP_OK || result->a.row.status != OUTCOME_OK ||
		result->b.row.status != OUTCOME_OK) {
		bench_drop_times(&result->a);
		bench_drop_times(&result->b);
		outcome_leave_untimed(&result->a, "a side did not pass");
		outcome_leave_untimed(&result->b, "a side did not pass");
		return status;
	}
	if (result->row.verdict != PARITY_SAME)
		compare_ptx(suites, runs, result);
	return PMPP_OK;
}

/* Sets the fields that are known before the two sides run. */
static void fill_head(const struct config *config, const struct problem *problem,
	const struct gpu_device_info *const infos[2], struct parity_row *ret_row)
{
	record_init(&parity_row_type, ret_row);
	text_set(&ret_row->family, problem->family->name);
	text_set(&ret_row->variant, config->variant->name);
	text_set(&ret_row->device, device_key(infos[0]).text);
	for (int i = 0; i < 2; i++)
		text_list_add(&ret_row->backends, gpu_backend_name(infos[i]->backend));
	ret_row->same_device = suite_same_device(infos[0], infos[1]);
	fill_dims(problem, &ret_row->problem);
	ret_row->verdict = PARITY_RESULTS_ONLY;
	ret_row->n = 0;
}

/* Unknown unless both sides passed. */
static enum record_truth bits_of(const struct outcome *a, const struct outcome *b)
{
	const char *first = a->row.verify.output_sha256;

	if (a->row.status != OUTCOME_OK || b->row.status != OUTCOME_OK)
		return TRUTH_UNKNOWN;
	return truth_of(first && text_equal(first, b->row.verify.output_sha256));
}

/* Copies the config of the side with a fallback to the other side, which has not run this config. */
static void pass_config(const struct suite *const suites[2], struct outcome *const outcomes[2],
	size_t from, size_t to)
{
	const struct outcome *source = outcomes[from];
	const struct gpu_device_info *info = suite_device(suites[to]);
	char text[GPU_TEXT_BYTES];

	outcome_finish(outcomes[to]);
	outcome_init(outcomes[to], &source->config, &source->problem, info, &suites[to]->options);
	if (source->row.fallback)
		text_format(&outcomes[to]->row.fallback, "%s (%s)", source->row.fallback,
			gpu_device_text(suite_device(suites[from]), text));
}

static bool same_values(const struct config *a, const struct config *b)
{
	return memcmp(a->value, b->value, sizeof a->value) == 0;
}

/* Both sides run the same config: the one of the side that needs the smaller blocks. */
static enum pmpp_status verify_both(struct suite *const suites[2],
	struct outcome *const outcomes[2], struct bound_run runs[2], struct pmpp_error *error)
{
	const struct suite *const both[2] = {suites[0], suites[1]};
	enum pmpp_status status = variant_verify(&suites[0]->bench, outcomes[0], &runs[0], error);

	if (status == PMPP_OK && !same_values(&outcomes[0]->config, &outcomes[1]->config))
		pass_config(both, outcomes, 0, 1);
	if (status == PMPP_OK)
		status = variant_verify(&suites[1]->bench, outcomes[1], &runs[1], error);
	if (status != PMPP_OK || same_values(&outcomes[0]->config, &outcomes[1]->config))
		return status;
	pass_config(both, outcomes, 1, 0);
	return variant_verify(&suites[0]->bench, outcomes[0], &runs[0], error);
}

enum pmpp_status suite_parity(struct suite *a, struct suite *b, const struct config *config,
	const struct problem *problem, double tolerance, struct parity_result *ret_result,
	struct pmpp_error *error)
{
	struct suite *const suites[2] = {a, b};
	const struct own_kernel *own = config->variant->own;
	struct config configs[2] = {*config, *config};
	struct outcome *outcomes[2] = {&ret_result->a, &ret_result->b};
	struct bound_run runs[2];
	char why[sizeof ret_result->a.untimed] = "";
	const struct gpu_device_info *infos[2] = {suite_device(a), suite_device(b)};
	bool common = suite_same_device(infos[0], infos[1]) && !suite_is_emulated(infos[0]) &&
		      !suite_is_emulated(infos[1]);
	enum pmpp_status status = PMPP_OK;

	if (own && own->twin)
		configs[1].variant = &own->twin->variant;
	fill_head(config, problem, infos, &ret_result->row);
	for (int i = 0; i < 2; i++)
		outcome_init(outcomes[i], &configs[i], problem, infos[i], &suites[i]->options);
	if (!common)
		snprintf(why, sizeof why, "no common device");
	for (int i = 0; status == PMPP_OK && !*why && i < 2; i++)
		status = prepare_timing(suites[i], problem->family, why, sizeof why, error);
	if (status == PMPP_OK)
		status = verify_both(suites, outcomes, runs, error);
	/* An error of the second side does not hide a wrong result of the first side. */
	if (status != PMPP_OK)
		status = bench_absorb(&a->bench, outcomes[0], status, error);
	if (status != PMPP_OK)
		return status;
	fill_macros(&outcomes[0]->config, &ret_result->row.macros);
	ret_result->row.bit_identical = bits_of(outcomes[0], outcomes[1]);
	if (!*why &&
		(ret_result->a.row.status != OUTCOME_OK || ret_result->b.row.status != OUTCOME_OK))
		snprintf(why, sizeof why, "a side did not pass");
	if (!*why)
		return time_both(suites, runs, tolerance, ret_result, error);
	outcome_leave_untimed(outcomes[0], why);
	outcome_leave_untimed(outcomes[1], why);
	return PMPP_OK;
}

/* ---- Traces --------------------------------------------------------------------------------- */

/* Tracing: runs a variant's launches on an emulator and records their accesses and branches. */

/*
 * A watched launch is some hundred times slower than a plain one, so only a few blocks of a large
 * grid are watched. If a later launch follows, the buffers are restored and the whole grid runs
 * unwatched, so that the later launch reads correct data.
 */

#define STEP_LIMIT ((uint64_t)1 << 27) /* watched basic blocks per launch: some seconds */
#define FEW_BLOCKS 3                   /* first, middle, last */

/* The whole grid is watched up to both limits. QUICK_STEPS: basic blocks. QUICK_BYTES: loaded and
 * stored bytes; the watch needs 80 bytes of memory per byte. */
#define QUICK_STEPS 0x1p21
#define QUICK_BYTES 0x1p25

/* Contents of the buffers, and of the variables of the program, before a launch. */
struct saved {
	void *bytes[MAX_BUFFERS];
	void *variables;
};

struct tracing {
	struct bench *bench;
	const struct trace_request *request;
	struct suite_trace *result;
	struct bound_run traced;
	struct bound_run plain; /* bound at its first use */
	bool plain_bound;
	const struct outcome *outcome;
};

void suite_trace_finish(struct suite_trace *trace)
{
	for (size_t i = 0; i < PMPP_MAX_STEPS; i++)
		trace_finish(&trace->traces[i]);
}

static enum pmpp_status save(
	const struct tracing *tracing, struct saved *ret_saved, struct pmpp_error *error)
{
	const struct operands *operands = &tracing->bench->operands;
	struct gpu_variables variables = launch_variables(&tracing->traced);
	enum pmpp_status status = PMPP_OK;

	*ret_saved = (struct saved){.variables = malloc(variables.bytes + 1)};
	if (!ret_saved->variables)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory to keep the variables");
	if (variables.bytes)
		memcpy(ret_saved->variables, variables.now, variables.bytes);
	for (size_t i = 0; i < MAX_BUFFERS && status == PMPP_OK; i++) {
		struct gpu_buffer *buffer = operands->buffers[i];
		if (!buffer)
			continue;
		ret_saved->bytes[i] = malloc(buffer->bytes);
		if (!ret_saved->bytes[i])
			return PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory to keep the operands");
		status = gpu_buffer_read(buffer, 0, ret_saved->bytes[i], buffer->bytes, error);
	}
	return status;
}

static enum pmpp_status restore(
	const struct tracing *tracing, const struct saved *saved, struct pmpp_error *error)
{
	const struct operands *operands = &tracing->bench->operands;
	struct gpu_variables variables = launch_variables(&tracing->traced);
	enum pmpp_status status = PMPP_OK;

	if (variables.bytes)
		memcpy(variables.now, saved->variables, variables.bytes);
	for (size_t i = 0; i < MAX_BUFFERS && status == PMPP_OK; i++) {
		struct gpu_buffer *buffer = operands->buffers[i];
		if (buffer)
			status = gpu_buffer_write(buffer, 0, saved->bytes[i], buffer->bytes, error);
	}
	return status;
}

/* ---- One launch ------------------------------------------------------------------------------ */

/* A defect is not an error: it is part of the trace. */
static enum pmpp_status watch_launch(struct tracing *tracing, size_t step,
	const struct gpu_watch *watch, struct pmpp_error *error)
{
	struct gpu_device *device = tracing->bench->device;
	struct trace *trace = &tracing->result->traces[step];

	trace_finish(trace);
	gpu_watch(device, watch, trace);
	enum pmpp_status status = launch_step(&tracing->traced.steps[step], error);
	gpu_watch(device, NULL, NULL);
	if (trace->defect.kind == TRACE_NO_DEFECT)
		return status;
	pmpp_error_clear(error);
	return PMPP_OK;
}

/* Whether the whole grid can be watched, judged by the trace of three blocks. */
static bool is_quick(const struct trace *trace, uint64_t total)
{
	if (trace->sampled_blocks < FEW_BLOCKS || trace->unwatched_steps > 0)
		return false;
	double grids = (double)total / FEW_BLOCKS;
	double bytes = (double)trace->block_bytes_loaded + (double)trace->block_bytes_stored;

	return (double)trace->steps * grids <= QUICK_STEPS && bytes * grids <= QUICK_BYTES;
}

/* Watches the requested blocks. TRACE_BLOCKS_AUTO: watches a few blocks; if they took few steps,
 * watches the whole grid. */
static enum pmpp_status watch_blocks(
	struct tracing *tracing, size_t step, const struct saved *saved, struct pmpp_error *error)
{
	const struct trace_request *request = tracing->request;
	const struct trace *trace = &tracing->result->traces[step];
	const struct plan_launch *launch = &tracing->result->plan.steps[step].as.launch;
	uint64_t total = plan_launch_groups(launch);
	const uint64_t few[FEW_BLOCKS] = {0, total / 2, total - 1};
	uint64_t spread[TRACED_WORK_BLOCKS];
	struct gpu_watch watch = {
		.step_limit = request->step_limit ? request->step_limit : STEP_LIMIT,
		.cache_bytes = request->cache_bytes};

	if (request->blocks == TRACE_BLOCKS_SPREAD) {
		watch.blocks = spread;
		watch.block_count = traced_work_blocks(launch->groups, spread);
	} else if (request->blocks == TRACE_BLOCKS_LISTED) {
		watch.blocks = request->numbers;
		watch.block_count = request->number_count;
	} else if (request->blocks == TRACE_BLOCKS_AUTO && total > FEW_BLOCKS) {
		watch.blocks = few;
		watch.block_count = FEW_BLOCKS;
	}
	enum pmpp_status status = watch_launch(tracing, step, &watch, error);
	if (status != PMPP_OK || watch.blocks != few || trace->defect.kind != TRACE_NO_DEFECT ||
		!is_quick(trace, total))
		return status;
	status = restore(tracing, saved, error);
	watch.blocks = NULL;
	return status == PMPP_OK ? watch_launch(tracing, step, &watch, error) : status;
}

/* Runs the whole grid unwatched, in the faster plain build. If variables keep values for the next launch, uses
 * the traced build, which has these values. */
static enum pmpp_status run_plain(struct tracing *tracing, size_t step, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	if (launch_variables(&tracing->traced).bytes)
		return launch_step(&tracing->traced.steps[step], error);
	if (!tracing->plain_bound) {
		status = verify_bind(&tracing->bench->programs, &tracing->bench->operands,
			tracing->outcome, false, GPU_FILL_PATTERN, &tracing->plain, error);
		tracing->plain_bound = status == PMPP_OK;
	}
	if (status == PMPP_OK)
		status = launch_step(&tracing->plain.steps[step], error);
	return status;
}

static enum pmpp_status trace_launch(
	struct tracing *tracing, size_t step, bool last, struct pmpp_error *error)
{
	const struct trace *trace = &tracing->result->traces[step];
	struct saved saved = {0};
	/* The last launch runs once, unless its first blocks decide which blocks are watched. */
	bool once = (last || tracing->request->repeated) &&
		    tracing->request->blocks != TRACE_BLOCKS_AUTO;
	enum pmpp_status status = once ? PMPP_OK : save(tracing, &saved, error);

	if (status == PMPP_OK)
		status = watch_blocks(tracing, step, &saved, error);
	/* Repeated inputs have no right result that a later launch could read. */
	if (status == PMPP_OK && !last && trace->estimated && !tracing->request->repeated &&
		trace->defect.kind == TRACE_NO_DEFECT) {
		status = restore(tracing, &saved, error);
		if (status == PMPP_OK)
			status = run_plain(tracing, step, error);
	}
	free(saved.variables);
	for (size_t i = 0; i < MAX_BUFFERS; i++)
		free(saved.bytes[i]);
	return status;
}

/* ---- All launches ---------------------------------------------------------------------------- */

static enum pmpp_status trace_plan(struct tracing *tracing, struct pmpp_error *error)
{
	const struct bound_run *run = &tracing->traced;
	enum pmpp_status status = PMPP_OK;

	for (size_t s = 0; s < run->step_count && status == PMPP_OK; s++) {
		if (run->steps[s].kind == PLAN_LAUNCH)
			status = trace_launch(tracing, s, s + 1 == run->step_count, error);
		else
			status = launch_step(&run->steps[s], error);
		if (tracing->result->traces[s].defect.kind != TRACE_NO_DEFECT)
			break; /* later launches would read missing data */
	}
	return status;
}

/* Prepares the operands for a run on the emulator, and binds the traced build to them. */
static enum pmpp_status prepare(struct tracing *tracing, struct pmpp_error *error)
{
	struct bench *bench = tracing->bench;
	const struct outcome *outcome = tracing->outcome;
	bool repeated = tracing->request->repeated;
	enum pmpp_status status =
		repeated ? operands_upload_repeated(&bench->operands, &outcome->problem, error)
			 : operands_upload(&bench->operands, &outcome->problem, error);

	if (status == PMPP_OK && !repeated)
		status = operands_poison(&bench->operands, POISON_NAN, error);
	if (status == PMPP_OK)
		status = gpu_watch_test(bench->device, error);
	if (status == PMPP_OK)
		status = verify_bind(&bench->programs, &bench->operands, outcome, true,
			GPU_FILL_PATTERN, &tracing->traced, error);
	if (status == PMPP_OK)
		launch_reset(&tracing->traced);
	return status;
}

enum pmpp_status suite_trace(struct suite *suite, const struct config *config,
	const struct problem *problem, const struct trace_request *request,
	struct suite_trace *ret_trace, struct pmpp_error *error)
{
	struct outcome outcome;
	bool placed;
	struct tracing tracing = {.bench = &suite->bench,
		.request = request,
		.result = ret_trace,
		.outcome = &outcome};
	enum pmpp_status status;

	*ret_trace = (struct suite_trace){0};
	outcome_init(&outcome, config, problem, suite_device(suite), &suite->options);
	status = bench_place(&suite->bench, &outcome, true, &placed, error);
	ret_trace->plan = outcome.plan;
	if (placed) {
		bench_progress(&suite->bench, &outcome, "tracing");
		status = prepare(&tracing, error);
		if (status == PMPP_OK)
			status = trace_plan(&tracing, error);
		operands_forget(&suite->bench.operands);
	}
	if (status == PMPP_OUT_OF_MEMORY)
		bench_release_problem(&suite->bench);
	else if (status == PMPP_UNSUPPORTED)
		status = bench_absorb(&suite->bench, &outcome, status, error);
	snprintf(ret_trace->reason, sizeof ret_trace->reason, "%s",
		text_or_empty(outcome.row.reason));
	outcome_finish(&outcome);
	return status;
}
