#include "common/bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double gamma_of_any(int64_t h, double unit_roundoff)
{
	double hu = (double)h * unit_roundoff;
	return hu < 1.0 ? hu / (1.0 - hu) : INFINITY;
}

static double gamma_of_sum(int64_t h, double unit_roundoff)
{
	double hu = (double)h * unit_roundoff;

	return hu < 0.5 ? gamma_of_any(h, unit_roundoff) : 2 * hu;
}

static double growth(int64_t h, double unit_roundoff)
{
	return expm1((double)h * log1p(unit_roundoff));
}

double bound_of_chain(enum chain_kind kind, int64_t h, double unit_roundoff)
{
	static double (*const functions[CHAIN_KIND_COUNT])(int64_t, double) = {
		[CHAIN_ANY] = gamma_of_any,
		[CHAIN_SUM] = gamma_of_sum,
		[CHAIN_CHOPPED_SUM] = growth,
	};

	return functions[kind](h, unit_roundoff);
}

#define SUM_RUN 4096 /* elements of a run, which is summed separately */

struct expected expected_sum(const float *terms, int64_t count)
{
	struct expected all = {0};

	for (int64_t begin = 0; begin < count; begin += SUM_RUN) {
		int64_t end = begin + SUM_RUN < count ? begin + SUM_RUN : count;
		double sum = 0, magnitudes = 0;

		for (int64_t i = begin; i < end; i++) {
			sum += terms[i];
			magnitudes += fabs((double)terms[i]);
		}
		all.value += sum;
		all.terms += magnitudes;
	}
	return all;
}

#define EXACT_BELOW 0x1p24 /* f32 represents every integer below this magnitude exactly */
#define IMPROBABLE 64.0    /* -ln(half the probability) */
#define ENOUGH 8.0         /* products of integers up to this magnitude rarely coincide */

static int64_t root(double product, int factors)
{
	return (int64_t)(factors == 1 ? product : sqrt(product));
}

int64_t bound_integer_limit(int64_t terms, int factors)
{
	double certain = (EXACT_BELOW - 1) / (double)terms;
	double probable = EXACT_BELOW / sqrt(2 * IMPROBABLE * (double)terms);
	double enough = factors == 1 ? ENOUGH : ENOUGH * ENOUGH;

	return root(fmax(certain, fmin(probable, enough)), factors);
}

bool f32_is_finite(float value)
{
	return dtype_is_finite(DTYPE_F32, &value, 0);
}

/* Tests the bits, as f32_is_finite(). */
static bool is_finite(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u;
}

double bound_ratio(enum dtype dtype, double got, const struct expected *want, double gamma)
{
	const struct dtype_info *info = dtype_info(dtype);

	if (!is_finite(got))
		return INFINITY;
	if (!info->is_float)
		return got == want->value ? 0
		       : want->terms > 0  ? INFINITY
					  : fabs(got - want->value) / want->slack;
	double bound = gamma * want->terms + want->slack + info->min;
	double ratio = fabs(got - want->value) / bound;
	return isnan(ratio) ? INFINITY : ratio;
}

double bound_ulps(double got, double want)
{
	int exponent = FLT_MIN_EXP;

	if (want != 0)
		frexp(want, &exponent);
	if (exponent < FLT_MIN_EXP)
		exponent = FLT_MIN_EXP;
	return fabs(got - want) / ldexp(1, exponent - FLT_MANT_DIG);
}
