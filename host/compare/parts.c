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

/* Returns the number of samples of a verified run; -1: no time. */
static int64_t samples_of(const struct result_row *row)
{
	return row->status == OUTCOME_OK && row->timing.record.present
		       ? timing_record_primary(&row->timing)->n
		       : -1;
}

static void add_run(
	struct part *part, const struct compared_row *compared, struct cell_record *cell)
{
	const struct result_row *row = compared->row;
	const struct floor_record *floor = &row->derived.floor;
	bool measured;

	part->failed |= row->status != OUTCOME_OK && !outcome_is_skipped(row->status);
	cell->flags |= result_row_flags(row);
	if (!part->first || outcome_badness(row->status) > outcome_badness(cell->status)) {
		cell->status = row->status;
		text_set(&cell->reason, row->reason);
	}
	cell->own_kernel |= row->own_kernel;
	if (!cell->shown || samples_of(row) > samples_of(cell->shown)) {
		cell->shown = row;
		cell->shown_in = compared->document;
	}
	if (result_row_median_ns(row) > 0) {
		const int64_t samples = timing_record_primary(&row->timing)->n;
		cell->samples = cell->samples && cell->samples < samples ? cell->samples : samples;
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

/* Collects the runs of a side. Does not set the estimate. */
static void collect(
	const struct joined *group, size_t side, struct part *part, struct cell_record *cell)
{
	const struct joined *runs = group->near[side] ? group->near[side] : group;
	bool elsewhere = group->near_to && group->near_to->near[side] == group;

	*part = (struct part){.half_width = NAN, .floor_ns = NAN};
	cell->side = (int64_t)side;
	cell->runs = cell->samples = 0;
	for (size_t i = 0; i < runs->count && !elsewhere; i++)
		if (runs->rows[i]->side == side)
			add_run(part, runs->rows[i], cell);
}

void part_fill(const struct joined *group, size_t side, const struct noise_spread *spreads,
	struct part *part, struct cell_record *cell)
{
	collect(group, side, part, cell);
	if (!part_is_timed(part))
		return;
	const struct noise_floor floor = part->noise;
	part->noise = noise_floor_raised(&floor, &spreads[noise_floor_class(part->type)]);
	part->raised = part->noise.sd > floor.sd;
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

/* The rows of one side that have several runs, in one noise class. */
struct varied {
	double *variances; /* one for each row; scratch */
	size_t count;
	double dof; /* sum over the rows */
};

static void add_variance(const struct part *part, struct varied *classes)
{
	struct varied *varied = &classes[noise_floor_class(part->type)];
	double dof = 0;

	if (!part_is_timed(part) || part->count < 2)
		return;
	varied->variances[varied->count++] =
		repetition_variance(part->medians_ns, part->count, &dof);
	varied->dof += dof;
}

static void spreads_of_side(
	const struct join *join, size_t side, double *scratch, struct noise_spread *ret_spreads)
{
	struct varied classes[NOISE_CLASSES] = {0};
	struct cell_record cell;
	struct part part;

	for (size_t c = 0; c < NOISE_CLASSES; c++)
		classes[c].variances = scratch + c * join->count;
	for (size_t g = 0; g < join->count; g++) {
		record_init(&cell_type, &cell);
		collect(&join->groups[g], side, &part, &cell);
		add_variance(&part, classes);
		part_finish(&part);
		record_finish(&cell_type, &cell);
	}
	for (size_t c = 0; c < NOISE_CLASSES; c++)
		ret_spreads[c] = noise_floor_spread(classes[c].variances, classes[c].count,
			classes[c].dof / fmax((double)classes[c].count, 1));
}

struct noise_spread *spreads_of(const struct join *join, size_t side_count)
{
	struct noise_spread *spreads = calloc(side_count * NOISE_CLASSES, sizeof *spreads);
	double *scratch = calloc(NOISE_CLASSES * join->count + 1, sizeof *scratch);

	for (size_t side = 0; spreads && scratch && side < side_count; side++)
		spreads_of_side(join, side, scratch, &spreads[side * NOISE_CLASSES]);
	if (!scratch) {
		free(spreads);
		spreads = NULL;
	}
	free(scratch);
	return spreads;
}
