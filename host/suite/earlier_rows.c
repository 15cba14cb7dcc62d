#include "host/suite/earlier_rows.h"

#include "common/model/ladder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		earlier_rows_finish(rows);
	struct earlier_row *items = realloc(rows->items, (rows->count + 1) * sizeof *items);
	if (!items) {
		earlier_rows_finish(rows);
		return;
	}
	rows->items = items;
	struct earlier_row *row = &items[rows->count++];
	*row = (struct earlier_row){.config = outcome->config,
		.problem = outcome->problem,
		.median_ns = result_row_median_ns(&outcome->row)};
	snprintf(row->output_sha256, sizeof row->output_sha256, "%s",
		text_or_empty(outcome->row.verify.output_sha256));
}

/* All rows belong to one backend, so it has no name here. */
static struct ladder_rung make_rung(
	const struct config *config, double median_ns, struct ladder_macro *macros)
{
	struct ladder_rung rung = {.variant = config->variant->name,
		.backend = "",
		.macros = macros,
		.median_ns = median_ns};

	for (; config->variant->macros[rung.macro_count].name; rung.macro_count++)
		macros[rung.macro_count] =
			(struct ladder_macro){config->variant->macros[rung.macro_count].name,
				config->value[rung.macro_count]};
	return rung;
}

const struct earlier_row *earlier_rows_find(
	const struct earlier_rows *rows, const char *variant, const struct outcome *outcome)
{
	struct ladder_macro own_macros[PMPP_MAX_MACROS];
	const struct ladder_rung own = make_rung(&outcome->config, 0, own_macros);
	const struct ladder_rung *found = NULL;
	const struct earlier_row *row = NULL;

	if (!rows->count || !is_same_problem(&rows->items[0].problem, &outcome->problem))
		return NULL;
	struct ladder_rung *rungs = calloc(rows->count, sizeof *rungs);
	struct ladder_macro *macros = calloc(rows->count * PMPP_MAX_MACROS, sizeof *macros);
	for (size_t i = 0; rungs && macros && i < rows->count; i++)
		rungs[i] = make_rung(&rows->items[i].config, rows->items[i].median_ns,
			&macros[i * PMPP_MAX_MACROS]);
	if (rungs && macros)
		found = ladder_find(variant, &own, rungs, rows->count);
	if (found)
		row = &rows->items[found - rungs];
	free(rungs);
	free(macros);
	return row;
}

size_t earlier_rows_peers(const struct earlier_rows *rows, const struct outcome *outcome,
	const struct earlier_row **ret_peers, size_t max)
{
	const struct variant *variant = outcome->config.variant;
	size_t count = 0;

	if (variant->peer != PEER_NONE)
		return 0;
	for (size_t i = 0; i < rows->count && count < max; i++) {
		const struct earlier_row *row = &rows->items[i];
		if (row->config.variant->peer != PEER_NONE &&
			row->config.variant->rounding == variant->rounding &&
			is_same_problem(&row->problem, &outcome->problem))
			ret_peers[count++] = row;
	}
	return count;
}

void earlier_rows_finish(struct earlier_rows *rows)
{
	free(rows->items);
	*rows = (struct earlier_rows){0};
}
