#include <math.h>
#include <stdlib.h>

#include "common/stats.h"
#include "host/contribute/internal.h"

/* Maximum difference between a statistic and its value for the rounded samples: the samples and the
 * statistic each have an error of at most ROUNDED_NS. */
#define TOLERANCE_NS (2.2 * ROUNDED_NS)

/* Maximum relative error of ratios of times. */
#define TOLERANCE_RATIO 1e-6

static bool is_near(double stated, double computed, double tolerance)
{
	return (isnan(stated) && isnan(computed)) || fabs(stated - computed) <= tolerance;
}

static void check_time(struct contribution_checker *checker, const char *kind, const char *name,
	double stated, double computed)
{
	char text[2][FIGURE_TEXT_BYTES];

	if (!is_near(stated, computed, TOLERANCE_NS + 1e-12 * fabs(computed)))
		add_problem(checker, "%s.%s is %s ns, but the samples give %s ns", kind, name,
			figure_text(stated, 10, text[0]), figure_text(computed, 10, text[1]));
}

/* Widths are stated as fractions of the median. */
static void check_width(struct contribution_checker *checker, const char *kind, const char *name,
	double stated, double computed, double median)
{
	double tolerance = TOLERANCE_RATIO + 4 * TOLERANCE_NS / median;
	char text[2][FIGURE_TEXT_BYTES];

	if (!is_near(stated, computed, tolerance))
		add_problem(checker, "%s.%s is %s, but the samples give %s", kind, name,
			figure_text(stated, 6, text[0]), figure_text(computed, 6, text[1]));
}

static void check_statistics(struct contribution_checker *checker, const char *kind,
	const struct samples_record *samples, const struct stats *stats)
{
	const struct {
		const char *name;
		double stated, computed;
	} times[] = {
		{"min", samples->min, stats->min},
		{"q1", samples->q1, stats->q1},
		{"median", samples->median, stats->median},
		{"q3", samples->q3, stats->q3},
		{"ci95[0]", samples->ci95[0], stats->ci95[0]},
		{"ci95[1]", samples->ci95[1], stats->ci95[1]},
	};

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		check_time(checker, kind, times[i].name, times[i].stated, times[i].computed);
	check_width(checker, kind, "notch", samples->notch, stats_notch(stats), stats->median);
	check_width(checker, kind, "half_width", samples->half_width, stats_half_width(stats),
		stats->median);
}

static bool are_times(const struct number_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!(isfinite(list->items[i]) && list->items[i] > 0))
			return false;
	return list->count > 0;
}

static void check_kind(struct contribution_checker *checker, const char *kind,
	const struct samples_record *samples)
{
	if (!samples->record.present)
		return;
	if (samples->n != (int64_t)samples->ns.count || !are_times(&samples->ns)) {
		add_problem(checker, "%s has %zu samples, n is %lld; all samples must be above 0",
			kind, samples->ns.count, (long long)samples->n);
		return;
	}
	double *scratch = calloc(samples->ns.count, sizeof *scratch);
	if (!scratch) {
		checker->no_memory = true;
		return;
	}
	const struct stats stats = stats_of(samples->ns.items, samples->ns.count, scratch);
	check_statistics(checker, kind, samples, &stats);
	free(scratch);
}

static void check_timing(struct contribution_checker *checker, const struct timing_record *timing)
{
	check_kind(checker, "cold", &timing->cold);
	check_kind(checker, "hot", &timing->hot);
	check_kind(checker, "host", &timing->host);
}

void check_samples(struct contribution_checker *checker)
{
	const struct timing_list *runs = &checker->row->repetitions.runs;
	double interval[2];

	check_timing(checker, &checker->row->timing);
	for (size_t i = 0; checker->row->repetitions.record.present && i < runs->count; i++)
		check_timing(checker, &runs->items[i]);
	result_row_interval_ns(checker->row, interval);
	if (checker->row->repetitions.record.present && !(interval[0] > 0))
		add_problem(checker, "repetitions.ci95 is not an interval of times");
}
