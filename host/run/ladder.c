#include "host/run/ladder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "common/model/ladder.h"
#include "host/report/console.h"
#include "host/results/encode.h"

/* ret_macros: room for PMPP_MAX_MACROS. */
static struct ladder_rung rung_of(const json_t *row, struct ladder_macro *ret_macros)
{
	struct ladder_rung rung = {.variant = row_text(row, "variant"),
		.backend = row_text(row, "backend"),
		.macros = ret_macros,
		.median_ns = row_median_ns(row)};
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(row, "macros"), name, value)
	{
		if (rung.macro_count < PMPP_MAX_MACROS)
			ret_macros[rung.macro_count++] =
				(struct ladder_macro){name, json_integer_value(value)};
	}
	return rung;
}

static json_t *encode_claim(const struct claim *claim, double over_ns, double ns, bool gpu)
{
	struct claim_finding finding = claim_judge(claim, over_ns, ns, gpu);

	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "text", claim->text, "expected",
		claim->at_least > 0 ? json_real(claim->at_least) : json_null(), "at_most",
		claim->at_most > 0 ? json_real(claim->at_most) : json_null(), "observed",
		encode_number(finding.observed), "holds",
		finding.verdict == CLAIM_NOT_APPLICABLE
			? json_null()
			: json_boolean(finding.verdict == CLAIM_HOLDS));
}

static void add_factors(json_t *row, const struct variant *variant, const char *first, bool gpu,
	const struct ladder_rung *rungs, size_t before)
{
	const struct ladder_rung *rung = &rungs[before];
	const char *over = variant->claim.over ? variant->claim.over : variant->base;
	json_t *derived = json_object_get(row, "derived");

	if (derived) {
		struct ladder_factors factors =
			ladder_factors(variant->base, first, rung, rungs, before);
		json_object_set_new(derived, "step", encode_number(factors.step));
		json_object_set_new(derived, "total", encode_number(factors.total));
	}
	if (variant->claim.text && over)
		json_object_set_new(row, "claim",
			encode_claim(&variant->claim, ladder_median(over, rung, rungs, before),
				rung->median_ns, gpu));
	else
		json_object_set_new(row, "claim", json_null());
}

void ladder_add(json_t *row, const json_t *before, bool gpu)
{
	const struct family *family = family_find(row_text(row, "family"));
	const struct variant *variant =
		family ? variant_find(family, row_text(row, "variant")) : NULL;
	size_t count = json_array_size(before);
	struct ladder_rung *rungs = calloc(count + 1, sizeof *rungs);
	struct ladder_macro(*macros)[PMPP_MAX_MACROS] = calloc(count + 1, sizeof *macros);

	if (variant && rungs && macros) {
		for (size_t i = 0; i < count; i++)
			rungs[i] = rung_of(json_array_get(before, i), macros[i]);
		rungs[count] = rung_of(row, macros[count]);
		add_factors(row, variant, family->variants[0].name, gpu, rungs, count);
	}
	free(rungs);
	free(macros);
}
