#include "host/compare/kernel_figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The worst place of a kernel, and sums over its places. */
struct sums {
	double up, down; /* the figure is up / down */
	double worst;    /* value of the place `line` */
	int64_t line;
	const char *text;
};

static void add_place(struct sums *sums, double up, double down, int64_t line, const char *text)
{
	double value = up / down;

	sums->up += up;
	sums->down += down;
	if (!(down > 0) || (sums->text && value <= sums->worst))
		return;
	sums->worst = value;
	sums->line = line;
	sums->text = text;
}

static void set_value(struct require_value *ret_value, double value, const struct sums *place)
{
	ret_value->value = value;
	ret_value->line = place->line;
	ret_value->text = place->text;
}

static void set_reason(struct require_value *ret_value, const char *reason)
{
	ret_value->value = NAN;
	snprintf(ret_value->reason, sizeof ret_value->reason, "%s", reason);
}

/* ---- Traced figures -------------------------------------------------------------------------- */

/* Returns why the launch has no complete trace; NULL: it has. */
static const char *why_no_trace(const struct explanation_record *launch)
{
	if (!launch->sampled.record.present)
		return launch->no_trace ? launch->no_trace : "no trace";
	return launch->defects.count ? "a defect ended the trace" : NULL;
}

/* Sectors of a request of all accesses to the operand. No argument: of all accesses to global memory. */
static void find_sectors(const struct kernel_figures *of, const struct require_figure *figure,
	struct require_value *ret_value)
{
	struct sums sums = {0};

	for (size_t i = 0; i < of->launch_count; i++)
		for (size_t k = 0; k < of->launches[i].accesses.count; k++) {
			const struct access_record *access = &of->launches[i].accesses.items[k];
			double requests = (double)access->requests;
			if (access->space == TRACE_GLOBAL &&
				(!*figure->argument ||
					text_equal(access->operand, figure->argument)))
				add_place(&sums, round(access->sectors_per_request * requests),
					requests, access->line, access->text);
		}
	if (sums.down > 0)
		set_value(ret_value, sums.up / sums.down, &sums);
	else
		set_reason(ret_value, "the kernel does not access it");
}

/* A kernel without shared memory has no conflict. */
static void find_bank_ways(const struct kernel_figures *of, const struct require_figure *figure,
	struct require_value *ret_value)
{
	struct sums sums = {.worst = 1};

	(void)figure;
	for (size_t i = 0; i < of->launch_count; i++)
		for (size_t k = 0; k < of->launches[i].accesses.count; k++) {
			const struct access_record *access = &of->launches[i].accesses.items[k];
			if (access->space == TRACE_SHARED && access->ways > 0)
				add_place(
					&sums, (double)access->ways, 1, access->line, access->text);
		}
	set_value(ret_value, sums.worst, &sums);
}

/* Warps that diverge at least once / warps. */
static void find_divergence(const struct kernel_figures *of, const struct require_figure *figure,
	struct require_value *ret_value)
{
	struct sums place = {0};
	double warps = 0, divergent = 0;

	(void)figure;
	for (size_t i = 0; i < of->launch_count; i++) {
		const struct explanation_record *launch = &of->launches[i];
		warps += (double)launch->warps;
		divergent += (double)launch->divergent_warps;
		for (size_t k = 0; k < launch->branches.count; k++) {
			const struct branch_record *branch = &launch->branches.items[k];
			if (branch->divergent > 0)
				add_place(&place, (double)branch->divergent, 1, branch->line,
					branch->text);
		}
	}
	set_value(ret_value, divergent / warps, &place);
}

/* Barriers that a block passes: the mean over the traced blocks, summed over the launches. */
static void find_barriers(const struct kernel_figures *of, const struct require_figure *figure,
	struct require_value *ret_value)
{
	struct sums place = {0};
	double sum = 0;

	(void)figure;
	for (size_t i = 0; i < of->launch_count; i++)
		for (size_t k = 0; k < of->launches[i].barriers.count; k++) {
			const struct barrier_record *barrier = &of->launches[i].barriers.items[k];
			double each = (double)barrier->executions /
				      (double)of->launches[i].sampled.blocks;
			sum += each;
			add_place(&place, each, 1, barrier->line, barrier->text);
		}
	set_value(ret_value, sum, &place);
}

/* A trace ends at its first defect. So does the count of the check runs, which have other sizes: it is for kernels
 * whose trace has none. Writes outside of the operands have no line. */
static double count_check_defects(const struct kernel_figures *of, struct sums *place)
{
	double outside = 0;

	for (size_t i = 0; of->rows && i < of->rows->count; i++) {
		const struct symptoms_record *symptoms = &of->rows->items[i].symptoms;
		const struct defect_record *defect = &symptoms->defect;
		if (defect->record.present) {
			add_place(place, 1, 1, defect->line < 0 ? 0 : defect->line, defect->text);
			return 1;
		}
		if (symptoms->record.present && symptoms->signs >> MISTAKE_OUTSIDE_SIGN & 1)
			outside = 1;
	}
	if (outside > 0)
		add_place(place, 1, 1, 0, mistake_sign_words[MISTAKE_OUTSIDE_SIGN]);
	return outside;
}

static void find_defects(const struct kernel_figures *of, const struct require_figure *figure,
	struct require_value *ret_value)
{
	struct sums place = {0};
	double count = 0;

	(void)figure;
	for (size_t i = 0; i < of->launch_count; i++)
		for (size_t k = 0; k < of->launches[i].defects.count; k++) {
			const struct defect_record *defect = &of->launches[i].defects.items[k];
			count++;
			add_place(&place, 1, 1, defect->line < 0 ? 0 : defect->line, defect->text);
		}
	if (count == 0)
		count = count_check_defects(of, &place);
	set_value(ret_value, count, &place);
}

/* ---- Figures of launches --------------------------------------------------------------------- */

static double registers_of(const struct explanation_record *launch)
{
	return (double)launch->resources.registers;
}

static double spilled_bytes_of(const struct explanation_record *launch)
{
	return (double)launch->resources.spill_bytes;
}

static double shared_bytes_of(const struct explanation_record *launch)
{
	int64_t bytes = launch->resources.shared_bytes;

	return bytes < 0 ? -1 : (double)(bytes + launch->launch.shared_bytes);
}

static double occupancy_of_launch(const struct explanation_record *launch)
{
	/* Without registers it is only an upper limit. */
	return launch->occupancy.record.present && launch->resources.registers >= 0
		       ? launch->occupancy.ratio
		       : -1;
}

/* The worst value of all launches. value: returns a negative number if it is not known. */
static void find_worst(const struct kernel_figures *of, bool smallest,
	double (*value)(const struct explanation_record *launch), struct require_value *ret_value)
{
	for (size_t i = 0; i < of->launch_count; i++) {
		const struct explanation_record *launch = &of->launches[i];
		double found = value(launch);
		if (found < 0) {
			set_reason(ret_value,
				launch->no_resources ? launch->no_resources : "it is not known");
			return;
		}
		if (i == 0 || (smallest ? found < ret_value->value : found > ret_value->value))
			ret_value->value = found;
	}
}

/* ---- Floors ---------------------------------------------------------------------------------- */

static void find_floor(const struct kernel_figures *of, const struct require_figure *figure,
	struct require_value *ret_value)
{
	const struct explanation_record *found = of->launches;
	char reason[REQUIRE_REASON_BYTES];

	for (size_t i = 0; *figure->argument && of->rungs && i < of->rungs->count; i++)
		if (text_equal(of->rungs->items[i].variant, figure->argument))
			found = &of->rungs->items[i];
	const char *size = found->floors.problem_text;
	const char *own_size = of->launches->floors.problem_text;
	double own = floors_largest_ns(&of->launches->floors);
	ret_value->value = floors_largest_ns(&found->floors);
	if (isnan(ret_value->value))
		set_reason(ret_value, "the floors are not known");
	if (isnan(own) || isnan(ret_value->value) || text_equal(size, own_size))
		return;
	snprintf(
		reason, sizeof reason, "the floors are at different sizes: %s; %s", own_size, size);
	set_reason(ret_value, reason);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static const struct result_row *row_of(
	const struct result_row_list *rows, const char *variant, const struct result_row *beside)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct result_row *row = &rows->items[i];
		if (text_equal(row->variant, variant) &&
			text_equal(row->backend, beside->backend) &&
			text_equal(row->device, beside->device) &&
			named_list_equal(&row->problem, &beside->problem))
			return row;
	}
	return NULL;
}

/* Time of the rung / time of the kernel: the smallest of all devices and sizes. */
static void find_step(const struct kernel_figures *of, const struct require_figure *figure,
	struct require_value *ret_value)
{
	double smallest = NAN;

	ret_value->skipped = of->not_timed != NULL;
	set_reason(ret_value, of->not_timed ? of->not_timed : "it was not timed");
	for (size_t i = 0; of->rows && i < of->rows->count; i++) {
		const struct result_row *row = &of->rows->items[i];
		const struct result_row *other = row_of(of->rows, figure->argument, row);
		double step = other ? result_row_median_ns(other) / result_row_median_ns(row) : NAN;
		if (text_equal(row->variant, of->variant) && step > 0)
			smallest = fmin(smallest, step);
	}
	ret_value->value = smallest;
}

/* ---- All figures ----------------------------------------------------------------------------- */

/* The outcome of a check run that has no result; NULL: there is none. */
static const char *broken_outcome(const struct result_row_list *rows)
{
	for (size_t i = 0; rows && i < rows->count; i++)
		if (result_row_class(&rows->items[i]) == OUTCOME_CLASS_BROKEN)
			return outcome_status_name((enum outcome_status)rows->items[i].status);
	return NULL;
}

static void find_correct(const struct kernel_figures *of, const struct require_figure *figure,
	struct require_value *ret_value)
{
	const struct mistake *mistake = of->mistake;

	(void)figure;
	if (of->correct == TRUTH_UNKNOWN)
		set_reason(ret_value, "it was not verified");
	else
		ret_value->value = of->correct == TRUTH_YES;
	if (of->correct != TRUTH_NO)
		return;
	ret_value->line = mistake ? mistake->line : 0;
	if (mistake)
		ret_value->text = mistake->name ? mistake->name : mistake->text;
	else
		ret_value->text = broken_outcome(of->rows);
}

static void find_of_launch(const struct kernel_figures *of, const struct require_figure *figure,
	struct require_value *ret_value)
{
	static double (*const values[FIGURE_COUNT])(const struct explanation_record *) = {
		[FIGURE_OCCUPANCY] = occupancy_of_launch,
		[FIGURE_REGISTERS] = registers_of,
		[FIGURE_SPILLED_BYTES] = spilled_bytes_of,
		[FIGURE_SHARED_BYTES] = shared_bytes_of,
	};

	find_worst(of, figure->id == FIGURE_OCCUPANCY, values[figure->id], ret_value);
}

static const struct {
	void (*find)(const struct kernel_figures *, const struct require_figure *,
		struct require_value *);
	bool explained; /* needs an explanation */
	bool traced;    /* needs a complete trace */
} finders[FIGURE_COUNT] = {
	[FIGURE_CORRECT] = {find_correct, false, false},
	[FIGURE_DEFECTS] = {find_defects, true, false},
	[FIGURE_SECTORS] = {find_sectors, true, true},
	[FIGURE_BANK_WAYS] = {find_bank_ways, true, true},
	[FIGURE_OCCUPANCY] = {find_of_launch, true, false},
	[FIGURE_REGISTERS] = {find_of_launch, true, false},
	[FIGURE_SPILLED_BYTES] = {find_of_launch, true, false},
	[FIGURE_SHARED_BYTES] = {find_of_launch, true, false},
	[FIGURE_DIVERGENCE] = {find_divergence, true, true},
	[FIGURE_BARRIERS] = {find_barriers, true, true},
	[FIGURE_FLOOR] = {find_floor, true, false},
	[FIGURE_STEP] = {find_step, false, false},
};

void kernel_figure_find(
	void *context, const struct require_figure *figure, struct require_value *ret_value)
{
	const struct kernel_figures *of = context;
	const char *reason = NULL;

	*ret_value = (struct require_value){.value = NAN};
	for (size_t i = 0; i < of->launch_count && !reason; i++)
		if (finders[figure->id].traced)
			reason = why_no_trace(&of->launches[i]);
	/* A kernel without any trace has no defects that are known. */
	if (of->launch_count && figure->id == FIGURE_DEFECTS &&
		!of->launches[0].sampled.record.present)
		reason = why_no_trace(&of->launches[0]);
	if (finders[figure->id].explained && of->launch_count == 0)
		reason = "it was not traced";
	if (reason)
		set_reason(ret_value, reason);
	else
		finders[figure->id].find(of, figure, ret_value);
}
