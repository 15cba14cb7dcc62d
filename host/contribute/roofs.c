#include <math.h>

#include "common/capability.h"
#include "common/family.h"
#include "common/model/noise_floor.h"
#include "host/compare/fields.h"
#include "host/contribute/internal.h"
#include "host/suite/roof_figures.h"

/* Maximum relative error of a figure that is computed from a rounded time. */
#define TOLERANCE 1e-3

/* Maximum ratio of a figure to its roof: 1, a margin, and five standard deviations of the roof.
 * Rates: 1.10 on a GPU, 1.55 on a CPU. Floors: 1.15 and 1.60. The margin of floors is larger,
 * because older versions measured lower roofs of integers: a row of a shipped H200 has a share of
 * 1.13. */
#define RATE_MARGIN 0.05
#define FLOOR_MARGIN 0.10

/* The same ratio for the memory of a CPU. It is larger, because virtual machines share the memory,
 * but the roof is measured only once. On two cores of an AMD EPYC the same copy took 2.3 ms and,
 * minutes later, 1.3 ms. */
#define CPU_MEMORY_LIMIT 2.5

static double limit_of(const struct device_record *device, double margin, bool memory)
{
	if (memory && text_equal(device->type, "cpu"))
		return CPU_MEMORY_LIMIT;
	return 1 + margin + 5 * noise_floor_of_roof(device->type);
}

static enum operations operations_of(const struct result_row *row)
{
	return row->work.operations > 0 ? (enum operations)row->work.operations : OPERATIONS_F32;
}

static void check_follows(
	struct contribution_checker *checker, const char *name, double stated, double computed)
{
	char text[FIGURE_TEXT_BYTES];

	if (isfinite(computed) && !(fabs(stated - computed) <= TOLERANCE * fabs(computed)))
		add_problem(checker, "derived.%s is %s, but the time gives %.6g", name,
			figure_text(stated, 6, text), computed);
}

static void check_share(struct contribution_checker *checker)
{
	const struct result_row *row = checker->row;
	const struct floor_record *floor = &row->derived.floor;
	double limit = limit_of(checker->device, FLOOR_MARGIN, floor->resource == FLOOR_MEMORY);

	if (!floor->record.present || floor->resource < 0 || !(floor->ns > 0)) {
		add_problem(checker, "derived.floor must have a resource and a time above 0");
		return;
	}
	check_follows(checker, "floor.share", floor->share, floor->ns / result_row_median_ns(row));
	/* The stated share of a row that is limited by a cache is its share of the memory roof. */
	if (row->derived.limited_by != LIMITED_BY_CACHE)
		check_follows(checker, "pct_roof", row->derived.pct_roof,
			100 * floor->ns / result_row_median_ns(row));
	if (floor->share > limit)
		add_problem(checker,
			"the time is %.2f times shorter than the floor of %s; at most %.2f is "
			"plausible",
			floor->share, word_text(floor_words, floor->resource), limit);
}

/* Returns whether a cache can explain a rate above the memory roofs; false if its roof is unknown.
 * A CPU has no roof of a second-level cache, but its roof of shared memory is the rate of its
 * caches.
 */
static bool cache_explains(const struct contribution_checker *checker, double gbps,
	const struct roofs_record *roofs, double limit)
{
	const struct result_row *row = checker->row;
	bool cpu = text_equal(checker->device->type, "cpu");
	double cache_gbps = cpu ? roofs->shared_gbps : roofs->l2_gbps;
	bool warm = row->timing.primary == TIMING_HOT || row->timing.flags & TIMING_UNFLUSHED;
	bool fits = row->work.bytes_compulsory <= (double)checker->device->limits.cache_bytes;

	return (row->derived.limited_by == LIMITED_BY_CACHE || (warm && fits)) &&
	       gbps <= limit * cache_gbps;
}

/* Returns the largest rate of the row's operations in the units of work.flops; NaN: the roof is
 * unknown. work.flops counts two operations for a multiply-add, the roof of integers counts one.
 * Roofs of integers and of f16 are not measured on a CPU: its vectors have as many 32-bit integers
 * as f32 elements, and twice as many f16 elements. */
static double counted_rate(
	const struct contribution_checker *checker, const struct roofs_record *roofs)
{
	enum operations operations = operations_of(checker->row);
	double rate = roofs_rate(roofs, operations);
	bool cpu = isnan(rate) && text_equal(checker->device->type, "cpu");

	if (cpu && operations == OPERATIONS_F16)
		return 2 * roofs_rate(roofs, OPERATIONS_F32);
	if (operations != OPERATIONS_INTEGER)
		return rate;
	return cpu ? roofs_rate(roofs, OPERATIONS_F32) : 2 * rate;
}

/* Returns whether a device may have no roof of the row's operations (host/suite/roof_rows.h).
 * OpenCL: f16, and tensor cores. CUDA: tensor cores, if mma.sync does not reach their rate and the
 * GPU has no wgmma. */
static bool may_lack_roof(const struct result_row *row, const struct view_record *view)
{
	enum operations operations = operations_of(row);
	bool tensor = operations == OPERATIONS_TENSOR_F16 || operations == OPERATIONS_TENSOR_TF32;

	if (text_equal(row->backend, "opencl"))
		return tensor || operations == OPERATIONS_F16;
	return tensor && !pmpp_mma_reaches_rate(text_or_empty(view->arch)) &&
	       !(view->capabilities & PMPP_CAP_WGMMA);
}

static void check_rates(struct contribution_checker *checker, const struct view_record *view)
{
	const struct roofs_record *roofs = &view->roofs;
	const struct result_row *row = checker->row;
	double limit = limit_of(checker->device, RATE_MARGIN, false);
	double memory_limit = limit_of(checker->device, RATE_MARGIN, true);
	double ns = result_row_median_ns(row);
	double gflops = row->work.flops / ns, gbps = row->work.bytes_compulsory / ns;
	double memory = fmax(roofs->copy_gbps, roofs->read_gbps);
	double rate = counted_rate(checker, roofs);

	check_follows(checker, "gflops", row->derived.gflops, gflops);
	check_follows(checker, "gbps", row->derived.gbps, gbps);
	if (gbps > memory_limit * memory && !cache_explains(checker, gbps, roofs, limit))
		add_problem(checker,
			"%.4g GB/s is more than %.2f times the largest memory roof, %.4g GB/s, "
			"and no cache explains it: measure the roofs again on a quiet machine "
			"(`pmpp-run roofline`), then run `contribute` again",
			gbps, memory_limit, memory);
	if (gflops > 0 && !(rate > 0) && !may_lack_roof(row, view))
		add_problem(checker, "the device has no measured roof of the operations '%s'",
			operations_words[operations_of(row)]);
	if (gflops > limit * rate)
		add_problem(checker,
			"%.4g GFLOP/s is more than %.2f times the roof of its operations, %.4g "
			"GFLOP/s",
			gflops, limit, rate);
}

/* Checks that the row has the figure of its family, or none if its family has none. */
static void check_metric(struct contribution_checker *checker)
{
	const struct derived_record *derived = &checker->row->derived;
	const struct family *family = family_find(text_or_empty(checker->row->family));
	const char *name = family ? family->metric.name : NULL;
	char text[FIGURE_TEXT_BYTES];

	if (!family || (!derived->metric_name && isnan(derived->metric)))
		return;
	if (!name || !text_equal(derived->metric_name, name) || derived->metric <= 0)
		add_problem(checker, "derived.metric is %s %s, but the figure of the family is %s",
			figure_text(derived->metric, 6, text), text_or_empty(derived->metric_name),
			name ? name : "none");
}

/* Returns whether the row has the figures that the other checks need. */
static bool has_figures(struct contribution_checker *checker)
{
	const struct result_row *row = checker->row;
	const struct work_record *work = &row->work;

	if (!work->record.present || !(work->flops >= 0) || !(work->bytes_compulsory >= 0) ||
		work->bytes_issued < 0) {
		add_problem(checker, "work must have flops and bytes_compulsory of at least 0");
		return false;
	}
	if (!row->derived.record.present)
		add_problem(checker, "a row with a time must have 'derived'");
	else
		check_metric(checker);
	return row->derived.record.present;
}

void check_figures(struct contribution_checker *checker)
{
	const struct view_record *view = device_view(checker->device, checker->row->backend);

	if (!view || !view->roofs.record.present || !(view->roofs.copy_gbps > 0)) {
		add_problem(checker, "the device has no measured roofs of this backend");
		return;
	}
	if (!has_figures(checker))
		return;
	check_share(checker);
	check_rates(checker, view);
}
