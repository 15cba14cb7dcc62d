#include "host/compare/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool part_is_timed(const struct part *part)
{
	return part->count > 0 && !part->failed;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static void add_medians(struct part *part, const struct result_row *row)
{
	double *medians = NULL;
	bool fits = part->count == 0 || row->timing.primary == part->primary;
	size_t count = row->status == OUTCOME_OK && fits ? result_row_medians(row, &medians) : 0;
	double *all = count ? realloc(part->medians_ns, (part->count + count) * sizeof *all) : NULL;

	if (all) {
		part->medians_ns = all;
		memcpy(all + part->count, medians, count * sizeof *all);
		part->count += count;
		part->primary = row->timing.primary;
		/* fmax() ignores NAN. */
		part->half_width = fmax(part->half_width, result_row_run_half_width(row));
	}
	free(medians);
}

static void add_run(
	struct part *part, const struct compared_row *compared, struct cell_record *cell)
{
	const struct result_row *row = compared->row;
	const struct floor_record *floor = &row->derived.floor;
	bool measured;

	part->failed |= row->status != OUTCOME_OK && !outcome_is_skipped(row->status);
	if (row->timing.record.present)
		cell->flags |= row->timing.flags;
	if (!part->first || outcome_badness(row->status) > outcome_badness(cell->status)) {
		cell->status = row->status;
		text_set(&cell->reason, row->reason);
	}
	add_medians(part, row);
	if (part->first)
		return;
	part->first = compared;
	part->type = compared->device ? compared->device->type : NULL;
	part->noise = result_row_noise(row, compared->device, &measured);
	part->floor_ns = floor->record.present && floor->ns > 0 ? floor->ns : NAN;
	cell->limited_by = row->derived.limited_by;
}

/* The runs of a side, without an estimate. */
static void collect(
	const struct joined *group, size_t side, struct part *part, struct cell_record *cell)
{
	const struct joined *runs = group->near[side] ? group->near[side] : group;
	bool elsewhere = group->near_to && group->near_to->near[side] == group;

	*part = (struct part){.half_width = NAN, .floor_ns = NAN};
	cell->side = (int64_t)side;
	cell->runs = 0;
	for (size_t i = 0; i < runs->count && !elsewhere; i++)
		if (runs->rows[i]->side == side)
			add_run(part, runs->rows[i], cell);
}

void part_fill(const struct joined *group, size_t side, double spread, struct part *part,
	struct cell_record *cell)
{
	collect(group, side, part, cell);
	if (!part_is_timed(part))
		return;
	part->raised = sqrt(spread) > part->noise.sd;
	part->noise = noise_floor_raised(&part->noise, spread);
	const struct repetitions runs = {.medians_ns = part->medians_ns,
		.count = part->count,
		.half_width = part->half_width,
		.floor = part->noise};
	part->estimate = repetition_estimate_of(&runs);
	cell->median_ns = exp(part->estimate.log_ns);
	repetition_interval(&part->estimate, cell->ci95_ns);
	cell->runs = (int64_t)part->count;
	cell->noise_sd = part->noise.sd;
	cell->pct_roof = 100 * part->floor_ns / cell->median_ns;
}

void part_finish(struct part *part)
{
	free(part->medians_ns);
	*part = (struct part){0};
}

/* ---- The spread of a side -------------------------------------------------------------------- */

/* Writes the variance of each row with several runs on a side; returns the number of these rows.
 * *ret_dof: mean degrees of freedom of the variances. */
static size_t variances_of(const struct join *join, size_t side, double *variances, double *ret_dof)
{
	size_t count = 0;
	double dof = 0, sum = 0;
	struct cell_record cell;
	struct part part;

	for (size_t g = 0; g < join->count; g++) {
		record_init(&cell_type, &cell);
		collect(&join->groups[g], side, &part, &cell);
		if (part_is_timed(&part) && part.count > 1) {
			variances[count++] = repetition_variance(part.medians_ns, part.count, &dof);
			sum += dof;
		}
		part_finish(&part);
		record_finish(&cell_type, &cell);
	}
	*ret_dof = count ? sum / (double)count : 0;
	return count;
}

double *spreads_of(const struct join *join, size_t side_count)
{
	double *spreads = calloc(side_count, sizeof *spreads);
	double *variances = calloc(join->count + 1, sizeof *variances);
	double dof = 0;

	for (size_t side = 0; spreads && variances && side < side_count; side++) {
		size_t count = variances_of(join, side, variances, &dof);
		spreads[side] = noise_floor_spread(variances, count, dof);
	}
	if (!variances) {
		free(spreads);
		spreads = NULL;
	}
	free(variances);
	return spreads;
}
