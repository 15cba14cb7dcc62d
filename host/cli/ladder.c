#include "host/cli/ladder.h"

#include <math.h>
#include <string.h>

#include "common/family.h"
#include "host/cli/console.h"
#include "host/results/encode.h"

/* How many macros two rows have with equal values: in a sweep, like is compared with like. */
static size_t common_macros(const json_t *a, const json_t *b)
{
	const json_t *others = json_object_get(b, "macros");
	const char *name;
	json_t *value;
	size_t count = 0;

	json_object_foreach(json_object_get(a, "macros"), name, value) count +=
		json_equal(value, json_object_get(others, name));
	return count;
}

/* Median of the named variant's row on the same backend, the nearest in macros; NaN without. */
static double median_of(const char *variant, const json_t *row, const json_t *before)
{
	double median = NAN;
	size_t most = 0;
	const json_t *other;
	size_t i;

	json_array_foreach(before, i, other)
	{
		size_t common = common_macros(row, other);
		if (strcmp(row_text(other, "variant"), variant) != 0 ||
			strcmp(row_text(other, "backend"), row_text(row, "backend")) != 0 ||
			!isfinite(row_median_ns(other)))
			continue;
		if (isfinite(median) && common <= most)
			continue;
		median = row_median_ns(other);
		most = common;
	}
	return median;
}

static json_t *encode_claim(const struct claim *claim, double observed, bool gpu)
{
	bool known = gpu && isfinite(observed);

	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "text", claim->text, "expected",
		claim->at_least > 0 ? json_real(claim->at_least) : json_null(), "at_most",
		claim->at_most > 0 ? json_real(claim->at_most) : json_null(), "observed",
		encode_number(observed), "holds",
		known ? json_boolean(claim_holds(claim, observed)) : json_null());
}

void ladder_add(json_t *row, const json_t *before, bool gpu)
{
	const struct family *family = family_find(row_text(row, "family"));
	const struct variant *variant =
		family ? variant_find(family, row_text(row, "variant")) : NULL;
	json_t *derived = json_object_get(row, "derived");
	double median = row_median_ns(row);

	if (!variant)
		return;
	if (derived) {
		double base = variant->base ? median_of(variant->base, row, before) : NAN;
		double first = variant == family->variants
				       ? median
				       : median_of(family->variants[0].name, row, before);
		json_object_set_new(derived, "step", encode_number(base / median));
		json_object_set_new(derived, "total", encode_number(first / median));
	}
	const char *over = variant->claim.over ? variant->claim.over : variant->base;
	if (variant->claim.text && over)
		json_object_set_new(row, "claim",
			encode_claim(&variant->claim, median_of(over, row, before) / median, gpu));
	else
		json_object_set_new(row, "claim", json_null());
}
