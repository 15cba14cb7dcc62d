#include "host/suite/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/model/ladder.h"
#include "common/model/sampling.h"
#include "common/text.h"
#include "host/suite/device.h"

/* Binds the plan of a peer. Its steps are calls. buffers: as in launch_bind(). */
static void launch_bind_library(struct gpu_library *library, const struct plan *plan,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run)
{
	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_call *planned = &plan->steps[s].as.call;
		struct gpu_call call = {.work = planned->work};

		memcpy(call.buffers, buffers, planned->buffer_count * sizeof *buffers);
		ret_run->steps[s] = (struct bound_step){
			.kind = PLAN_CALL, .as.call = {.library = library, .call = call}};
	}
	ret_run->library = library;
	ret_run->step_count = plan->step_count;
}

/* ---- Limits --------------------------------------------------------------------------------- */

/* Index of the plan's first launch of the variant's kernel. Its resources are those of the run. */
static size_t main_launch_of(const struct outcome *outcome)
{
	const struct plan_launch *launch;

	for (size_t step = 0; (launch = plan_launch_from(&outcome->plan, &step)); step++)
		if (strcmp(launch->entry, outcome->config.variant->entry) == 0)
			return step;
	return outcome->plan.step_count - 1;
}

/* Writes the limit that a compiled kernel and its block exceed; "" if there is none. */
static void feasible_kernel_limit(const struct gpu_kernel_resources *resources, uint64_t threads,
	const struct gpu_limits *limits, char *ret_text, size_t size)
{
	*ret_text = '\0';
	if (resources->shared_bytes > (int64_t)limits->shared_bytes)
		snprintf(ret_text, size,
			"%lld bytes of static shared memory per block; this device has %lu",
			(long long)resources->shared_bytes, (unsigned long)limits->shared_bytes);
	else if (resources->max_block_threads > 0 &&
		 threads > (uint64_t)resources->max_block_threads)
		snprintf(ret_text, size,
			"a block has %llu threads; on this device the kernel allows at most %d",
			(unsigned long long)threads, resources->max_block_threads);
}

/* Whether the device has the resources that the compiler chose for each launch. If it does not, the
 * function sets outcome->block_limit. */
static bool feasible_resources(struct outcome *outcome, const struct gpu_limits *limits)
{
	const struct plan_launch *launch;
	char text[160];

	for (size_t s = 0; (launch = plan_launch_from(&outcome->plan, &s)); s++) {
		feasible_kernel_limit(&outcome->step_resources[s], plan_launch_threads(launch),
			limits, text, sizeof text);
		if (*text) {
			outcome->block_limit = true;
			return outcome_refuse(outcome, OUTCOME_UNSUPPORTED, "", text);
		}
	}
	return true;
}

/* Threads of the largest block of the plan and of the other kernels of its program; 0 if there is
 * none. */
static uint64_t most_threads(const struct plan *plan)
{
	const struct plan_launch *launch;
	uint64_t most = plan->other_threads;

	for (size_t s = 0; (launch = plan_launch_from(plan, &s)); s++)
		if (plan_launch_threads(launch) > most)
			most = plan_launch_threads(launch);
	return most;
}

/* Classifies a failed build, whose error is set. A driver may reject blocks above the figure that it
 * reports, although other drivers accept them. For such a block the error becomes a block limit with
 * both numbers. Returns the status. */
static enum pmpp_status feasible_build_failure(
	const struct plan *plan, const struct gpu_limits *limits, struct pmpp_error *error)
{
	uint64_t threads = most_threads(plan);

	if (limits->reported_block_threads == 0 || threads <= limits->reported_block_threads)
		return PMPP_BUILD;
	pmpp_error_append(error, "; a block has %llu threads, and the device reports at most %lu",
		(unsigned long long)threads, (unsigned long)limits->reported_block_threads);
	return pmpp_error_set_block_limit(error);
}

/* ---- Known fallbacks ------------------------------------------------------------------------ */

static void fallback_values_text(
	const struct config *config, const struct config *instead_of, char *ret_text, size_t size)
{
	*ret_text = '\0';
	for (size_t i = 0; config->variant->macros[i].name; i++)
		if (config->value[i] != instead_of->value[i])
			text_append(ret_text, size, "%s%s=%d instead of %d", *ret_text ? ", " : "",
				config->variant->macros[i].name, config->value[i],
				instead_of->value[i]);
}

static uint32_t dynamic_shared(const struct plan *plan)
{
	const struct plan_launch *launch;
	uint32_t most = 0;

	for (size_t s = 0; (launch = plan_launch_from(plan, &s)); s++)
		if (launch->shared_bytes > most)
			most = launch->shared_bytes;
	return most;
}

/* The blocks of a config depend on its macros. Few plans have blocks that also depend on the sizes
 * of the problem. */
static struct fallback key_of(const struct config *config, const struct problem *problem)
{
	struct plan plan;

	config_plan(config, problem, &plan);
	return (struct fallback){.from = *config,
		.threads = (unsigned)most_threads(&plan),
		.shared = dynamic_shared(&plan),
		.dtype = problem->dtype,
		.op = problem->op};
}

static bool same_config(const struct config *a, const struct config *b)
{
	return a->variant == b->variant && a->chosen == b->chosen &&
	       memcmp(a->value, b->value, sizeof a->value) == 0;
}

/* Returns the result for a config and a problem; NULL: not searched. Sizes of the problem matter
 * only if the plan's blocks depend on them. */
static const struct fallback *fallbacks_find(const struct fallbacks *fallbacks,
	const struct config *config, const struct problem *problem)
{
	for (size_t i = 0; i < fallbacks->count; i++) {
		const struct fallback *item = &fallbacks->items[i];
		if (!same_config(&item->from, config))
			continue;
		const struct fallback key = key_of(config, problem);
		if (item->threads == key.threads && item->shared == key.shared &&
			item->dtype == key.dtype && item->op == key.op)
			return item;
	}
	return NULL;
}

/* Adds a result. to: NULL if nothing fits. Without memory, the result is not kept. */
static void fallbacks_add(struct fallbacks *fallbacks, const struct config *from,
	const struct config *to, const struct problem *problem, const char *text)
{
	struct fallback *item = array_add(fallbacks, sizeof *item);

	if (!item)
		return;
	*item = key_of(from, problem);
	item->fits = to != NULL;
	if (to)
		item->to = *to;
	snprintf(item->text, sizeof item->text, "%s", text);
}

/* ---- Peers ---------------------------------------------------------------------------------- */

/* Binds the plan of a peer's outcome to its library, which stays open, and sets row.peer. Fails like
 * gpu_library_open(). */
static enum pmpp_status bind_peer(struct bench *bench, struct outcome *outcome,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error)
{
	enum peer_library id = outcome->config.variant->peer;
	char text[GPU_LIBRARY_TEXT_BYTES];
	enum pmpp_status status = bench_library(bench, id, text, error);

	if (status != PMPP_OK)
		return status;
	text_set(&outcome->row.peer, text);
	launch_bind_library(bench->libraries[id], &outcome->plan, buffers, ret_run);
	return PMPP_OK;
}

/* ---- Earlier rows --------------------------------------------------------------------------- */

/* The rows of a problem that passed and were timed in this session, and peers that another process
 * has timed. A later variant can be timed in turn with them. */

/* The rounding of the inputs and the owner of the kernel are properties of the variant. */
static bool is_same_problem(const struct problem *a, const struct problem *b)
{
	struct problem rounded = *b;

	rounded.rounding = a->rounding;
	rounded.own_kernel = a->own_kernel;
	return problem_equal(a, &rounded);
}

void earlier_rows_add(struct earlier_rows *rows, const struct outcome *outcome)
{
	if (outcome->problem.family->internal)
		return;
	if (rows->count && !is_same_problem(&rows->items[0].problem, &outcome->problem))
		rows->count = 0;
	struct earlier_row *row = array_add(rows, sizeof *row);
	if (!row) {
		rows->count = 0;
		return;
	}
	*row = (struct earlier_row){.config = outcome->config,
		.problem = outcome->problem,
		.median_ns = result_row_median_ns(&outcome->row)};
	snprintf(row->output_sha256, sizeof row->output_sha256, "%s",
		text_or_empty(outcome->row.verify.output_sha256));
}

/* All rows belong to one backend, so it has no name here. */
static struct ladder_rung make_rung(const struct config *config, double median_ns)
{
	struct ladder_rung rung = {
		.variant = config->variant->name, .backend = "", .median_ns = median_ns};

	for (; config->variant->macros[rung.macro_count].name; rung.macro_count++)
		rung.macros[rung.macro_count] =
			(struct ladder_macro){config->variant->macros[rung.macro_count].name,
				config->value[rung.macro_count]};
	return rung;
}

/* Returns the row of the named variant for the outcome's problem; NULL if there is none. In a sweep
 * ladder_find() selects the row. */
static const struct earlier_row *earlier_rows_find(
	const struct earlier_rows *rows, const char *variant, const struct outcome *outcome)
{
	const struct ladder_rung own = make_rung(&outcome->config, 0);
	const struct earlier_row *row = NULL;

	if (!rows->count || !is_same_problem(&rows->items[0].problem, &outcome->problem))
		return NULL;
	struct ladder_rung *rungs = calloc(rows->count, sizeof *rungs);
	if (!rungs)
		return NULL;
	for (size_t i = 0; i < rows->count; i++)
		rungs[i] = make_rung(&rows->items[i].config, rows->items[i].median_ns);
	const struct ladder_rung *found = ladder_find(variant, &own, rungs, rows->count);
	if (found)
		row = &rows->items[found - rungs];
	free(rungs);
	return row;
}

_Static_assert(LADDER_MAX_MACROS >= PMPP_MAX_MACROS, "a rung has all macros of a variant");

/* Gets the rows of all peers of the outcome's variant that solve its problem. Returns their number, at most `max`;
 * 0 for the outcome of a peer. */
static size_t earlier_rows_peers(const struct earlier_rows *rows, const struct outcome *outcome,
	const struct earlier_row **ret_peers, size_t max)
{
	const struct variant *variant = outcome->config.variant;
	size_t count = 0;

	for (size_t i = 0; i < rows->count && count < max; i++) {
		const struct earlier_row *row = &rows->items[i];
		if (row->config.variant->peer != PEER_NONE &&
			peer_suits(row->config.variant, variant) &&
			is_same_problem(&row->problem, &outcome->problem))
			ret_peers[count++] = row;
	}
	return count;
}

/* ---- Companions ----------------------------------------------------------------------------- */

/* Companions of a variant: earlier rows that are timed in turn with it. They are the base of its step
 * and its claim, and its peers (--peers). The variant is not timed twice: its samples in these rounds
 * are the samples of its row. The companions' samples are used only for the ratios.
 *
 * A companion has operands of its own. Inputs with the same problem and layout as the variant's are
 * shared. There is no companion if
 *   - the earlier row was not timed in this session, but in another process,
 *   - its run is so long that there would be fewer than 6 rounds, and it is not a peer,
 *   - the device is not a GPU, the minimum number of samples takes longer than min_time, and it is
 *     not a peer, or
 *   - the operands of both do not fit in the memory. */

#define MIN_ROUNDS 6 /* fewer have no interval: common/stats.h */

static const char *claim_over(const struct variant *variant)
{
	return variant->claim.over ? variant->claim.over : variant->base;
}

#define MAX_PEERS 2
#define MAX_COMPANIONS (MAX_PEERS + 2) /* and one for the step, one for the claim */

/* Points into itself: do not copy it. */
struct companion {
	struct outcome outcome;
	struct operands operands; /* some inputs are borrowed from the bench */
	struct bound_run run;
};

/* Zero-initialised: none. */
struct companions {
	struct companion items[MAX_COMPANIONS];
	size_t count;
};

/* ---- Creating ------------------------------------------------------------------------------ */

/* true: there is time for enough rounds with the row. On a GPU the companion takes the minimum
 * number of samples, however long that takes. On other devices claims do not apply, so the
 * companion takes no longer than min_time. Otherwise a ladder of slow kernels would take twice as
 * long. */
static bool is_fast_enough(const struct earlier_row *row, const struct suite_options *options,
	const struct gpu_device_info *info)
{
	const struct sampling_limits limits = sampling_limits_of(options->min_samples,
		options->max_samples, options->min_time_ms * 1e6, row->median_ns);
	double in_time = limits.min_ns / row->median_ns;
	double rounds = fmin(fmax((double)limits.min, in_time), (double)limits.max);

	return rounds >= MIN_ROUNDS &&
	       (info->type == GPU_TYPE_GPU || in_time >= (double)limits.min);
}

static enum pmpp_status bind(
	struct companion *companion, struct bench *bench, struct pmpp_error *error)
{
	struct outcome *outcome = &companion->outcome;

	config_plan(&outcome->config, &outcome->problem, &outcome->plan);
	if (outcome->config.variant->peer != PEER_NONE)
		return bind_peer(
			bench, outcome, companion->operands.buffers, &companion->run, error);
	return verify_bind(&bench->programs, &companion->operands, outcome, false, GPU_FILL_PATTERN,
		&companion->run, error);
}

/* *ret_created stays false if there is no memory. */
static enum pmpp_status create_one(struct companion *companion, struct bench *bench,
	const struct earlier_row *row, bool *ret_created, struct pmpp_error *error)
{
	struct outcome *outcome = &companion->outcome;
	struct operands *operands = &companion->operands;

	outcome_init(outcome, &row->config, &row->problem, &bench->device->info, bench->options);
	text_set(&outcome->row.verify.output_sha256, row->output_sha256);
	*operands = (struct operands){.device = bench->device, .inputs = &bench->inputs};
	operands_plan(operands, &outcome->config, &outcome->problem, bench->options->unguarded);
	uint64_t bytes = operands_borrow(operands, &bench->operands, &outcome->problem);
	if (!bench_fits_companion(bench, outcome, bytes))
		return PMPP_OK;
	enum pmpp_status status = operands_create(operands, error);
	if (status == PMPP_OK)
		status = operands_upload(operands, &outcome->problem, error);
	if (status == PMPP_OK)
		status = operands_poison(operands, POISON_NAN, error);
	if (status == PMPP_OK)
		status = bind(companion, bench, error);
	*ret_created = status == PMPP_OK;
	if (status != PMPP_OUT_OF_MEMORY)
		return status;
	pmpp_error_clear(error);
	return PMPP_OK;
}

static void finish_one(struct companion *companion)
{
	operands_release(&companion->operands);
	outcome_finish(&companion->outcome);
}

static enum pmpp_status add(struct companions *companions, struct bench *bench,
	const struct earlier_row *row, struct pmpp_error *error)
{
	struct companion *companion = &companions->items[companions->count];
	bool created = false;

	if (!row)
		return PMPP_OK;
	/* The user requests peers, so they are timed even if their runs are long. */
	if (row->config.variant->peer == PEER_NONE &&
		!is_fast_enough(row, bench->options, &bench->device->info))
		return PMPP_OK;
	enum pmpp_status status = create_one(companion, bench, row, &created, error);
	if (created)
		companions->count++;
	else
		finish_one(companion);
	return status;
}

/* Creates the companions of a verified outcome whose operands are on the bench. Skips a companion
 * for which there is no memory. Fails like the functions of gpu.h. */
static enum pmpp_status companions_prepare(struct companions *companions, struct bench *bench,
	const struct outcome *outcome, struct pmpp_error *error)
{
	const struct variant *variant = outcome->config.variant;
	const char *base = variant->base;
	const char *over = variant->claim.text ? claim_over(variant) : NULL;
	const struct earlier_row *peers[MAX_PEERS];
	size_t peer_count = earlier_rows_peers(&bench->earlier, outcome, peers, MAX_PEERS);
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < peer_count && status == PMPP_OK; i++)
		status = add(companions, bench, peers[i], error);
	if (status == PMPP_OK && base)
		status = add(companions, bench, earlier_rows_find(&bench->earlier, base, outcome),
			error);
	if (status == PMPP_OK && over && (!base || strcmp(over, base) != 0))
		status = add(companions, bench, earlier_rows_find(&bench->earlier, over, outcome),
			error);
	return status;
}

/* ---- Using --------------------------------------------------------------------------------- */

/* Fills in one run for each companion and returns their number. */
static size_t companions_runs(struct companions *companions, struct bench *bench,
	struct timed_run ret_runs[MAX_COMPANIONS])
{
	for (size_t i = 0; i < companions->count; i++) {
		struct companion *companion = &companions->items[i];
		ret_runs[i] = (struct timed_run){.timer = &bench->timer,
			.operands = &companion->operands,
			.options = bench->options,
			.run = &companion->run,
			.timing = &companion->outcome.row.timing,
			.companion = true};
	}
	return companions->count;
}

static void set_step(const struct stats_ratio *ratio, struct derived_record *derived)
{
	static const char *const names[] = {"step", "step_ci95", "step_paired"};

	derived->step = ratio->median;
	memcpy(derived->step_ci95, ratio->ci95, sizeof ratio->ci95);
	derived->step_paired = TRUTH_YES;
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		record_set_absent(&derived_type, derived, names[i], false);
}

static void set_claim(
	const struct stats_ratio *ratio, const struct variant *variant, struct result_row *row)
{
	struct claim_record *claim = &row->claim;

	claim->record.present = true;
	text_set(&claim->text, variant->claim.text);
	claim->observed = ratio->median;
	memcpy(claim->ci95, ratio->ci95, sizeof ratio->ci95);
	claim->paired = TRUTH_YES;
	record_set_absent(&result_row_type, row, "claim", false);
}

static void add_peer(const struct stats_ratio *ratio, const struct companion *companion,
	const struct bench *bench, struct result_row *row)
{
	struct peer_record *peer = record_list_add(&peer_type, &row->peers);

	if (!peer)
		return; /* the row then has no ratio */
	const struct variant *variant = companion->outcome.config.variant;
	const struct gpu_library *library = bench->libraries[variant->peer];
	text_set(&peer->variant, variant->name);
	text_set(&peer->library, library->name);
	text_set_known(&peer->version, library->version);
	text_set_known(&peer->detail, library->detail);
	peer->median_ns = result_row_median_ns(&companion->outcome.row);
	peer->ratio = ratio->median;
	memcpy(peer->ci95, ratio->ci95, sizeof ratio->ci95);
}

static void note_wrong(
	const struct companion *companion, const struct bench *bench, const struct outcome *outcome)
{
	const char *family = outcome->problem.family->name;
	const struct variant *variant = companion->outcome.config.variant;
	const char *name = variant->name;

	programs_note(&bench->programs,
		"%s/%s has no %s: %s/%s ran in turn with it, and the output of %s was wrong: "
		"%.200s",
		family, outcome->config.variant->name,
		variant->peer == PEER_NONE ? "step" : "ratio to the peer", family, name, name,
		text_or_empty(companion->outcome.row.reason));
}

static enum pmpp_status compare_one(struct companion *companion, struct bench *bench,
	struct outcome *outcome, struct pmpp_error *error)
{
	const struct variant *variant = outcome->config.variant;
	const char *name = companion->outcome.config.variant->name;
	struct stats_ratio ratio = {NAN, {NAN, NAN}};
	enum pmpp_status status = verify_companion(
		&bench->verifier, &companion->operands, &companion->outcome, error);

	if (status != PMPP_OK)
		return status;
	if (companion->outcome.row.status == OUTCOME_FAILED)
		note_wrong(companion, bench, outcome);
	else
		status = timing_ratio(
			&companion->outcome.row.timing, &outcome->row.timing, &ratio, error);
	if (status != PMPP_OK)
		return status;
	if (companion->outcome.config.variant->peer != PEER_NONE) {
		if (companion->outcome.row.status != OUTCOME_FAILED)
			add_peer(&ratio, companion, bench, &outcome->row);
		return PMPP_OK;
	}
	if (variant->base && strcmp(name, variant->base) == 0)
		set_step(&ratio, &outcome->row.derived);
	if (variant->claim.text && strcmp(name, claim_over(variant)) == 0 &&
		!outcome->row.own_kernel && !companion->outcome.row.own_kernel)
		set_claim(&ratio, variant, &outcome->row);
	return PMPP_OK;
}

/* ---- The largest config that fits ----------------------------------------------------------- */

/* Finds the largest config of a list whose blocks fit a device, by building kernels. */

#define MAX_BUILDS 8
#define BUILDS_IN_ORDER 3 /* a step or two below the default fit most devices */

/* Sets ret_limit to "" if the kernels of the plan fit the device. */
static enum pmpp_status check_kernels(struct program_entry *entry, const struct plan *plan,
	const struct gpu_limits *limits, char ret_limit[FALLBACK_TEXT_BYTES],
	struct pmpp_error *error)
{
	const struct plan_launch *launch;
	enum pmpp_status status = PMPP_OK;

	*ret_limit = '\0';
	for (size_t s = 0;
		status == PMPP_OK && !*ret_limit && (launch = plan_launch_from(plan, &s)); s++) {
		struct gpu_kernel *kernel;

		status = programs_kernel(entry, launch->entry, &kernel, error);
		if (status == PMPP_OK)
			feasible_kernel_limit(&kernel->resources, plan_launch_threads(launch),
				limits, ret_limit, FALLBACK_TEXT_BYTES);
	}
	return status;
}

/* Sets ret_limit to "" if the point fits the device. */
static enum pmpp_status check_point(struct bench *bench, const struct problem *problem,
	const struct config *point, char ret_limit[FALLBACK_TEXT_BYTES], struct pmpp_error *error)
{
	const struct gpu_limits *limits = &bench->device->info.limits;
	const struct program_request program = {
		.config = point, .problem = problem, .math = bench->options->math};
	struct program_entry *entry;
	struct plan plan;

	config_plan(point, problem, &plan);
	fallback_block_limit(&plan, limits, ret_limit, FALLBACK_TEXT_BYTES);
	if (*ret_limit)
		return PMPP_OK;
	enum pmpp_status status = programs_get(&bench->programs, &program, &entry, error);
	if (status == PMPP_BUILD)
		status = feasible_build_failure(&plan, limits, error);
	if (status == PMPP_OK)
		status = check_kernels(entry, &plan, limits, ret_limit, error);
	if (status != PMPP_BUILD && !(status == PMPP_UNSUPPORTED && error->block_limit))
		return status;
	if (status == PMPP_UNSUPPORTED)
		snprintf(ret_limit, FALLBACK_TEXT_BYTES, "%.500s", error->message);
	pmpp_error_clear(error);
	return PMPP_OK;
}

/* Finds the first point whose blocks fit. The first points are built in their order. If none of
 * them fits, the search halves the rest of the list, which assumes that the points after a point
 * that fits also fit. The number of builds is at most 8. *ret_index: the point, or the number of
 * points if none fits; then ret_limit has the limit of the last point. A point whose build fails for
 * another reason counts as one that fits: its row reports the failure. */
static enum pmpp_status fit_search(struct bench *bench, const struct problem *problem,
	const struct fallback_points *points, size_t *ret_index,
	char ret_limit[FALLBACK_TEXT_BYTES], struct pmpp_error *error)
{
	size_t count = points->count;
	size_t low = 0;      /* no point before it fits */
	size_t high = count; /* it fits, or it is the end of the list */

	for (size_t builds = 0; builds < MAX_BUILDS && low < high; builds++) {
		size_t left = MAX_BUILDS - builds;
		bool in_order = builds < BUILDS_IN_ORDER || high - low <= left;
		size_t point = in_order ? low : low + (high - low) / 2;
		char limit[FALLBACK_TEXT_BYTES];

		if (left == 1 && high == count)
			point = count - 1; /* the smallest */
		enum pmpp_status status =
			check_point(bench, problem, &points->items[point], limit, error);
		if (status != PMPP_OK)
			return status;
		if (*limit) {
			low = point + 1;
			snprintf(ret_limit, FALLBACK_TEXT_BYTES, "%s", limit);
		} else {
			high = point;
		}
	}
	*ret_index = high;
	return PMPP_OK;
}

/* ---- Building and verifying ----------------------------------------------------------------- */

/* Each row gets the warnings, even if an earlier row compiled the program. A kernel that certainly
 * uses an uninitialised variable does not run: its result may be right by chance, and its indices
 * may be out of bounds. */
static void record_warnings(const struct kernel_warnings *warnings, struct outcome *outcome)
{
	for (size_t i = 0; i < warnings->texts.count; i++)
		text_list_add(&outcome->row.build.warnings, warnings->texts.items[i]);
	outcome->suspicion = warnings->suspicion;
	if (warnings->uninitialised && outcome->row.own_kernel) {
		outcome->row.symptoms.record.present = true;
		outcome->row.symptoms.signs |= 1u << MISTAKE_UNSET_SIGN;
	}
	if (warnings->uninitialised)
		outcome_refuse(outcome, OUTCOME_FAILED, warnings->uninitialised, "");
}

static enum pmpp_status build_kernels(struct bench *bench, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct program_request request = {.config = &outcome->config,
		.problem = &outcome->problem,
		.math = bench->options->math};
	const struct plan *plan = &outcome->plan;
	struct build_record *record = &outcome->row.build;
	struct program_entry *entry;
	enum pmpp_status status = programs_get(&bench->programs, &request, &entry, error);

	if (status == PMPP_BUILD)
		return feasible_build_failure(plan, &bench->device->info.limits, error);
	if (status != PMPP_OK)
		return status;
	text_set(&record->source_sha256, entry->source_sha256);
	text_set(&record->code_sha256, entry->code_sha256);
	text_set(&record->options, entry->program->options);
	text_set(&record->math, gpu_math_name(bench->options->math));
	text_set(&record->cache, gpu_cache_outcome_name(entry->program->cache));
	record->compile_ms = entry->program->compile_ms;
	record_warnings(&entry->warnings, outcome);
	status = launch_bind(entry, plan, bench->operands.buffers, ret_run, error);
	for (size_t s = 0; s < plan->step_count && status == PMPP_OK; s++)
		if (ret_run->steps[s].kind == PLAN_LAUNCH)
			outcome->step_resources[s] = ret_run->steps[s].as.launch.kernel->resources;
	outcome->main_launch = main_launch_of(outcome);
	fill_resources(&outcome->step_resources[outcome->main_launch], &outcome->row.resources);
	return status;
}

/* A peer has no kernels. */
static enum pmpp_status build(struct bench *bench, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error)
{
	if (outcome->config.variant->peer == PEER_NONE)
		return build_kernels(bench, outcome, ret_run, error);
	text_set(&outcome->row.build.compiler, NULL);
	return bind_peer(bench, outcome, bench->operands.buffers, ret_run, error);
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
static enum pmpp_status verify_config(struct bench *bench, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error)
{
	bool placed;
	enum pmpp_status status = bench_place(bench, outcome, false, &placed, error);

	if (status == PMPP_OK && !placed)
		return PMPP_OK;
	if (status == PMPP_OK) {
		bench_progress(bench, outcome, "compiling");
		status = build(bench, outcome, ret_run, error);
	}
	if (status == PMPP_OK && (outcome->row.status == OUTCOME_FAILED ||
					 !feasible_resources(outcome, &bench->device->info.limits)))
		return PMPP_OK;
	if (status == PMPP_OK) {
		bench_progress(bench, outcome, "verifying");
		status = verify_run(
			&bench->verifier, ret_run, bench->options->traced, outcome, error);
	}
	if (status == PMPP_OK && verify_record_passed(&outcome->row.verify))
		accept(outcome);
	return bench_absorb(bench, outcome, status, error);
}

/* ---- Fallback ------------------------------------------------------------------------------ */

#define MAX_LAUNCHES 4 /* of points that build, but are not launched */

/* Verifies a point. If its blocks fit, its outcome replaces *outcome. Otherwise *outcome stays, and
 * ret_limit has the limit. text: for the row. */
static enum pmpp_status try_point(struct bench *bench, const struct config *point, const char *text,
	char ret_limit[FALLBACK_TEXT_BYTES], struct outcome *outcome, struct bound_run *ret_run,
	struct pmpp_error *error)
{
	struct outcome tried;

	outcome_init(&tried, point, &outcome->problem, &bench->device->info, bench->options);
	enum pmpp_status status = verify_config(bench, &tried, ret_run, error);
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
	char values[160];

	fallback_values_text(smallest, &outcome->config, values, sizeof values);
	if (*values && strcmp(limit, text_or_empty(outcome->row.reason)) != 0)
		text_format(&outcome->row.reason, "%s; no smaller tile fits (%s): %s",
			text_or_empty(outcome->row.reason), values, limit);
	fallbacks_add(&bench->fallbacks, &outcome->config, NULL, &outcome->problem,
		text_or_empty(outcome->row.reason));
}

/* Verifies the points from `first` on, until the driver launches the blocks of one. */
static enum pmpp_status try_points(struct bench *bench, const struct fallback_points *points,
	size_t first, struct outcome *outcome, struct bound_run *ret_run, struct pmpp_error *error)
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
			try_point(bench, point, text, limit, outcome, ret_run, error);
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
static enum pmpp_status fall_back(struct bench *bench, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error)
{
	const struct gpu_limits *limits = &bench->device->info.limits;
	struct fallback_points points;
	struct plan plan;
	char limit[FALLBACK_TEXT_BYTES];
	size_t first = 0;

	if (!fallback_points_make(&outcome->config, &outcome->problem, limits, &points))
		return PMPP_NO_MEMORY(error, "smaller blocks");
	config_plan(&points.smallest, &outcome->problem, &plan);
	fallback_block_limit(&plan, limits, limit, sizeof limit);
	enum pmpp_status status =
		fit_search(bench, &outcome->problem, &points, &first, limit, error);
	if (status == PMPP_OK && first < points.count)
		status = try_points(bench, &points, first, outcome, ret_run, error);
	else if (status == PMPP_OK)
		refuse_all(bench, &points.smallest, limit, outcome);
	free(points.items);
	return status;
}

enum pmpp_status variant_verify(struct bench *bench, struct outcome *outcome,
	struct bound_run *ret_run, struct pmpp_error *error)
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
		status = try_point(bench, &point, known->text, limit, outcome, ret_run, error);
		if (status != PMPP_OK || !outcome->block_limit)
			return status;
	}
	status = verify_config(bench, outcome, ret_run, error);
	if (status != PMPP_OK || !outcome->block_limit)
		return status;
	if (known && !known->fits)
		text_set(&outcome->row.reason, known->text);
	else
		status = fall_back(bench, outcome, ret_run, error);
	return status;
}

/* ---- Timing --------------------------------------------------------------------------------- */

/* Times the variant in turn with its companions. */
enum pmpp_status variant_time(struct bench *bench, const struct bound_run *run, const char *untimed,
	struct outcome *outcome, struct pmpp_error *error)
{
	struct timed_run runs[1 + MAX_COMPANIONS] = {{.timer = &bench->timer,
		.operands = &bench->operands,
		.options = bench->options,
		.run = run,
		.timing = &outcome->row.timing}};
	struct companions companions = {0};
	static const char not_passed[] = "only a variant that passed is timed";
	enum pmpp_status status;

	if (*untimed || outcome->row.status != OUTCOME_OK) {
		outcome_leave_untimed(outcome, *untimed ? untimed : not_passed);
		return PMPP_OK;
	}
	bench_progress(bench, outcome, "timing");
	status = companions_prepare(&companions, bench, outcome, error);
	if (status == PMPP_OK)
		status = timing_run(runs, 1 + companions_runs(&companions, bench, runs + 1), error);
	bench_read_state(bench, outcome);
	if (status == PMPP_OK)
		status = verify_again(&bench->verifier, run, outcome, error);
	for (size_t i = 0; i < companions.count; i++)
		if (status == PMPP_OK && outcome->row.status == OUTCOME_OK)
			status = compare_one(&companions.items[i], bench, outcome, error);
	for (size_t i = 0; i < companions.count; i++)
		finish_one(&companions.items[i]);
	if (status == PMPP_OK && outcome->row.status == OUTCOME_OK)
		status = verify_other_data(&bench->verifier, run, outcome, error);
	if (status != PMPP_OK || outcome->row.status != OUTCOME_OK)
		bench_drop_times(outcome); /* only rows that passed have times */
	status = bench_absorb(bench, outcome, status, error);
	if (!outcome->row.timing.record.present)
		outcome_leave_untimed(outcome, not_passed);
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
