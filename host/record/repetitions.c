#include "host/record/repetitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/repetition.h"
#include "common/model/sampling.h"
#include "common/stats.h"

/* ---- Runs that are not ok ------------------------------------------------------------------ */

/* Returns the index of the first row with the worst status. A skipped row is better than any other
 * row. */
static size_t worst_of(const struct result_row *rows, size_t count)
{
	size_t worst = 0;

	for (size_t i = 1; i < count; i++) {
		bool worse = outcome_badness(rows[i].status) > outcome_badness(rows[worst].status);
		if (outcome_is_skipped(rows[worst].status)
				? !outcome_is_skipped(rows[i].status)
				: worse && !outcome_is_skipped(rows[i].status))
			worst = i;
	}
	return worst;
}

/* Moves the rows that are not skipped to the front. Keeps their order. Returns their number. */
static size_t front_run(struct result_row *rows, size_t count)
{
	size_t run = 0;

	for (size_t i = 0; i < count; i++) {
		if (outcome_is_skipped(rows[i].status))
			continue;
		struct result_row row = rows[i];
		memmove(&rows[run + 1], &rows[run], (i - run) * sizeof row);
		rows[run++] = row;
	}
	return run;
}

/* Adds the number of the run to the reason, unless all runs have the same status. */
static void name_run(struct result_row *row, size_t run, size_t count, bool alike)
{
	char *reason = NULL;

	if (alike)
		return;
	text_set(&reason, text_or_empty(row->reason));
	text_format(&row->reason, "run %zu of %zu%s%s", run + 1, count,
		reason && *reason ? ": " : "", text_or_empty(reason));
	free(reason);
}

/* ---- Times --------------------------------------------------------------------------------- */

/* Returns whether a row is before another in the order of medians. */
static bool is_before(const struct result_row *rows, size_t row, size_t other)
{
	double a = result_row_median_ns(&rows[row]), b = result_row_median_ns(&rows[other]);

	return a < b || (!(b < a) && row < other);
}

/* Returns the index of the row with the middle median; count if a row has no times. */
static size_t middle_of(const struct result_row *rows, size_t count)
{
	size_t middle = count;

	for (size_t i = 0; i < count; i++) {
		size_t before = 0;
		if (!(result_row_median_ns(&rows[i]) > 0))
			return count;
		for (size_t k = 0; k < count; k++)
			before += is_before(rows, k, i);
		if (before == (count - 1) / 2)
			middle = i;
	}
	return middle;
}

static enum pmpp_status copy_runs(const struct result_row *rows, size_t count,
	struct repetitions_record *repetitions, struct pmpp_error *error)
{
	for (size_t i = 0; i < count; i++) {
		enum pmpp_status status = record_list_add_copy(
			&timing_type, &repetitions->runs, &rows[i].timing, error);
		if (status != PMPP_OK)
			return status;
	}
	repetitions->record.present = true;
	return PMPP_OK;
}

/* Sets the interval over the runs, and the warnings of all runs. */
static void set_interval(struct result_row *row, const struct noise_floor *floor)
{
	struct repetitions_record *repetitions = &row->repetitions;
	double *medians = NULL;
	size_t count = result_row_medians(row, &medians);
	double median = result_row_median_ns(row);
	unsigned flags = 0;

	for (size_t i = 0; i < repetitions->runs.count; i++)
		flags |= repetitions->runs.items[i].flags;
	row->timing.flags = flags & ~(unsigned)TIMING_NOISY;
	repetitions->noise_sd = floor->sd;
	if (count) {
		const struct repetitions all = {.medians_ns = medians,
			.count = count,
			.half_width = timing_record_primary(&row->timing)->half_width,
			.floor = *floor};
		const struct repetition_estimate estimate = repetition_estimate_of(&all);
		repetition_interval(&estimate, repetitions->ci95);
		repetitions->half_width =
			(repetitions->ci95[1] - repetitions->ci95[0]) / 2 / median;
	}
	if (!(repetitions->half_width < SAMPLING_HALF_WIDTH))
		row->timing.flags |= TIMING_NOISY;
	free(medians);
}

/* ---- Ratios of samples taken in turn -------------------------------------------------------- */

/* A ratio of a row and its interval; NULL: the ratio was not measured in turn. peer: variant of the
 * peer, for peer_of() only. */
typedef double *ratio_fn(struct result_row *row, const char *peer, double **ret_ci95);

static double *step_of(struct result_row *row, const char *peer, double **ret_ci95)
{
	(void)peer;
	*ret_ci95 = row->derived.step_ci95;
	return row->derived.step_paired == TRUTH_YES ? &row->derived.step : NULL;
}

static double *observed_of(struct result_row *row, const char *peer, double **ret_ci95)
{
	(void)peer;
	*ret_ci95 = row->claim.ci95;
	return row->claim.record.present && row->claim.paired == TRUTH_YES ? &row->claim.observed
									   : NULL;
}

static struct peer_record *find_peer(struct result_row *row, const char *variant)
{
	for (size_t i = 0; i < row->peers.count; i++)
		if (text_equal(row->peers.items[i].variant, variant))
			return &row->peers.items[i];
	return NULL;
}

static double *peer_of(struct result_row *row, const char *peer, double **ret_ci95)
{
	struct peer_record *found = find_peer(row, peer);

	*ret_ci95 = found ? found->ci95 : NULL;
	return found ? &found->ratio : NULL;
}

/* Sets the ratio of the target to the geometric mean over the rows. The target is a copy of one of
 * the rows. */
static void mean_ratio(ratio_fn *ratio, const char *peer, struct result_row *rows, size_t count,
	const struct noise_floor *floor, double *scratch, struct result_row *target)
{
	double *ci95;

	for (size_t i = 0; i < count; i++) {
		const double *value = ratio(&rows[i], peer, &ci95);
		if (!value || !(*value > 0))
			return;
		scratch[i] = *value;
	}
	const struct repetitions all = {
		.medians_ns = scratch, .count = count, .half_width = NAN, .floor = *floor};
	const struct repetition_estimate estimate = repetition_estimate_of(&all);
	double *value = ratio(target, peer, &ci95);
	*value = exp(estimate.log_ns);
	repetition_interval(&estimate, ci95);
}

/* ---- Peers --------------------------------------------------------------------------------- */

/* Adds the peers that only other runs have. */
static enum pmpp_status add_peers(const struct result_row *rows, size_t count,
	struct result_row *target, struct pmpp_error *error)
{
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < rows[i].peers.count; p++) {
			const struct peer_record *from = &rows[i].peers.items[p];
			if (find_peer(target, from->variant))
				continue;
			enum pmpp_status status =
				record_list_add_copy(&peer_type, &target->peers, from, error);
			if (status != PMPP_OK)
				return status;
		}
	return PMPP_OK;
}

/* Sets the median over the runs. Returns false if a run does not have the peer. scratch: 2 * count
 * numbers. */
static bool merge_median(
	struct peer_record *peer, struct result_row *rows, size_t count, double *scratch)
{
	for (size_t i = 0; i < count; i++) {
		const struct peer_record *found = find_peer(&rows[i], peer->variant);
		if (!found || !(found->ratio > 0))
			return false;
		scratch[i] = found->median_ns;
	}
	peer->median_ns = stats_of(scratch, count, scratch + count).median;
	return true;
}

/* A ratio of fewer runs would not be that of the row's time. scratch: 2 * count numbers. */
static enum pmpp_status merge_peers(struct result_row *rows, size_t count,
	const struct noise_floor *floor, double *scratch, struct result_row *target,
	struct pmpp_error *error)
{
	enum pmpp_status status = add_peers(rows, count, target, error);

	for (size_t i = 0; i < target->peers.count && status == PMPP_OK; i++) {
		struct peer_record *peer = &target->peers.items[i];
		if (merge_median(peer, rows, count, scratch))
			mean_ratio(peer_of, peer->variant, rows, count, floor, scratch, target);
		else
			peer->median_ns = peer->ratio = peer->ci95[0] = peer->ci95[1] = NAN;
	}
	return status;
}

/* ---- Public -------------------------------------------------------------------------------- */

static enum pmpp_status merge_times(struct result_row *rows, size_t count, size_t middle,
	const struct device_record *device, struct result_row *ret_row, struct pmpp_error *error)
{
	const struct noise_floor floor = noise_floor_default(device ? device->type : NULL);
	double *scratch = calloc(2 * count, sizeof *scratch);
	enum pmpp_status status =
		scratch ? record_copy(&result_row_type, &rows[middle], ret_row, error)
			: PMPP_NO_MEMORY(error, "the runs");

	if (status == PMPP_OK) {
		status = copy_runs(rows, count, &ret_row->repetitions, error);
		if (status == PMPP_OK)
			status = merge_peers(rows, count, &floor, scratch, ret_row, error);
		if (status != PMPP_OK)
			record_finish(&result_row_type, ret_row);
	}
	if (status == PMPP_OK) {
		set_interval(ret_row, &floor);
		mean_ratio(step_of, NULL, rows, count, &floor, scratch, ret_row);
		mean_ratio(observed_of, NULL, rows, count, &floor, scratch, ret_row);
	}
	free(scratch);
	return status;
}

enum pmpp_status repetitions_merge(struct result_row *rows, size_t count,
	const struct device_record *device, struct result_row *ret_row, struct pmpp_error *error)
{
	size_t worst = worst_of(rows, count);
	bool alike = true;

	for (size_t i = 1; i < count; i++)
		alike &= rows[i].status == rows[0].status;
	bool ok = rows[worst].status == OUTCOME_OK;
	size_t run = ok ? front_run(rows, count) : 0;
	size_t middle = run > 1 ? middle_of(rows, run) : run;
	if (middle < run)
		return merge_times(rows, run, middle, device, ret_row, error);
	/* front_run() has changed the order only if the worst run is ok. */
	if (ok)
		worst = 0;
	else
		name_run(&rows[worst], worst, count, alike);
	record_move(&result_row_type, &rows[worst], ret_row);
	return PMPP_OK;
}
