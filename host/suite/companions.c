#include "host/suite/companions.h"

#include "common/model/sampling.h"
#include "host/io/host_memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIN_ROUNDS 6 /* fewer have no interval: common/stats.h */

static const char *claim_over(const struct variant *variant)
{
	return variant->claim.over ? variant->claim.over : variant->base;
}

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

/* true: there is memory for the operands in addition to the flush region. */
static bool fits(const struct bench *bench, const struct suite_options *options,
	const struct outcome *outcome, uint64_t bytes)
{
	const struct gpu_device_info *info = &bench->device->info;
	uint64_t wanted = options->flush ? flush_full_bytes(info) : 0;
	uint64_t held = flush_held_bytes(&bench->flush);
	struct host_memory host;
	struct memory_needs needs = {
		.device = (double)bytes + (double)(wanted > held ? wanted - held : 0),
		.host = (double)operands_staging_bytes(&outcome->config, &outcome->problem)};

	host_memory_read(&host);
	if (gpu_shares_host_memory(info))
		needs.host += needs.device;
	const struct memory_room room = {.device = (double)gpu_free_bytes(bench->device),
		.host = (double)host.available_bytes};
	return memory_fits_well(&needs, &room, info);
}

static enum pmpp_status bind(struct companion *companion, struct bench *bench,
	const struct suite_options *options, struct pmpp_error *error)
{
	struct outcome *outcome = &companion->outcome;
	const struct program_request request = {
		.config = &outcome->config, .problem = &outcome->problem, .math = options->math};
	struct program_entry *entry;

	config_plan(&outcome->config, &outcome->problem, &outcome->plan);
	if (outcome->config.variant->peer != PEER_NONE)
		return peers_bind(&bench->peers, outcome, companion->operands.buffers,
			&companion->run, error);
	enum pmpp_status status = programs_get(&bench->programs, &request, &entry, error);
	return status == PMPP_OK ? launch_bind(entry, &outcome->plan, companion->operands.buffers,
					   &companion->run, error)
				 : status;
}

/* *ret_created stays false if there is no memory. */
static enum pmpp_status create_one(struct companion *companion, struct bench *bench,
	const struct suite_options *options, const struct earlier_row *row, bool *ret_created,
	struct pmpp_error *error)
{
	struct outcome *outcome = &companion->outcome;
	struct operands *operands = &companion->operands;

	outcome_init(outcome, &row->config, &row->problem, &bench->device->info, options);
	text_set(&outcome->row.verify.output_sha256, row->output_sha256);
	*operands = (struct operands){.device = bench->device, .inputs = &bench->inputs};
	companion->timer = bench->timer;
	companion->timer.operands = operands;
	operands_plan(operands, &outcome->config, &outcome->problem, options->unguarded);
	uint64_t bytes = operands_borrow(operands, &bench->operands, &outcome->problem);
	if (!fits(bench, options, outcome, bytes))
		return PMPP_OK;
	enum pmpp_status status = operands_create(operands, error);
	if (status == PMPP_OK)
		status = operands_upload(operands, &outcome->problem, error);
	if (status == PMPP_OK)
		status = operands_poison(operands, POISON_NAN, error);
	if (status == PMPP_OK)
		status = bind(companion, bench, options, error);
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
	const struct suite_options *options, const struct earlier_row *row,
	struct pmpp_error *error)
{
	struct companion *companion = &companions->items[companions->count];
	bool created = false;

	if (!row)
		return PMPP_OK;
	/* The user requests peers, so they are timed even if their runs are long. */
	if (row->config.variant->peer == PEER_NONE &&
		!is_fast_enough(row, options, &bench->device->info))
		return PMPP_OK;
	enum pmpp_status status = create_one(companion, bench, options, row, &created, error);
	if (created)
		companions->count++;
	else
		finish_one(companion);
	return status;
}

enum pmpp_status companions_prepare(struct companions *companions, struct bench *bench,
	const struct suite_options *options, const struct outcome *outcome,
	struct pmpp_error *error)
{
	const struct variant *variant = outcome->config.variant;
	const char *base = variant->base;
	const char *over = variant->claim.text ? claim_over(variant) : NULL;
	const struct earlier_row *peers[MAX_PEERS];
	size_t peer_count = earlier_rows_peers(&bench->earlier, outcome, peers, MAX_PEERS);
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < peer_count && status == PMPP_OK; i++)
		status = add(companions, bench, options, peers[i], error);
	if (status == PMPP_OK && base)
		status = add(companions, bench, options,
			earlier_rows_find(&bench->earlier, base, outcome), error);
	if (status == PMPP_OK && over && (!base || strcmp(over, base) != 0))
		status = add(companions, bench, options,
			earlier_rows_find(&bench->earlier, over, outcome), error);
	return status;
}

void companions_finish(struct companions *companions)
{
	for (size_t i = 0; i < companions->count; i++)
		finish_one(&companions->items[i]);
	companions->count = 0;
}

/* ---- Using --------------------------------------------------------------------------------- */

size_t companions_runs(struct companions *companions, const struct suite_options *options,
	struct timed_run ret_runs[MAX_COMPANIONS])
{
	for (size_t i = 0; i < companions->count; i++) {
		struct companion *companion = &companions->items[i];
		ret_runs[i] = (struct timed_run){.timer = &companion->timer,
			.options = options,
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
	derived->step_ci95[0] = ratio->ci95[0];
	derived->step_ci95[1] = ratio->ci95[1];
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
	claim->ci95[0] = ratio->ci95[0];
	claim->ci95[1] = ratio->ci95[1];
	claim->paired = TRUTH_YES;
	record_set_absent(&result_row_type, row, "claim", false);
}

static void add_peer(const struct stats_ratio *ratio, const struct companion *companion,
	const struct bench *bench, struct result_row *row)
{
	struct peer_record *peer = record_list_add(&peer_type, &row->peers);

	if (!peer)
		return; /* the row then has no ratio */
	peers_describe(&bench->peers, &companion->outcome, peer);
	peer->median_ns = result_row_median_ns(&companion->outcome.row);
	peer->ratio = ratio->median;
	peer->ci95[0] = ratio->ci95[0];
	peer->ci95[1] = ratio->ci95[1];
}

static void note_wrong(
	const struct companion *companion, const struct bench *bench, const struct outcome *outcome)
{
	const struct programs *programs = &bench->programs;
	const char *family = outcome->problem.family->name;
	const struct variant *variant = companion->outcome.config.variant;
	const char *name = variant->name;
	char text[400];

	snprintf(text, sizeof text,
		"%s/%s has no %s: %s/%s ran in turn with it, and the output of %s was wrong: "
		"%.200s",
		family, outcome->config.variant->name,
		variant->peer == PEER_NONE ? "step" : "ratio to the peer", family, name, name,
		text_or_empty(companion->outcome.row.reason));
	if (programs->note)
		programs->note(programs->note_context, text);
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

enum pmpp_status companions_compare(struct companions *companions, struct bench *bench,
	struct outcome *outcome, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; status == PMPP_OK && i < companions->count; i++)
		status = compare_one(&companions->items[i], bench, outcome, error);
	return status;
}
