#include "common/data.h"

#include <math.h>

uint64_t data_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
	uint64_t z = seed * 0xd1342543de82ef95u + stream * 0xaf251af3b0f025b5u;

	z += (index + 1) * 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

float data_random(uint64_t seed, uint64_t stream, uint64_t index)
{
	static const float scales[] = {1.0f, 0.5f, 0.25f, 0.125f};
	uint64_t bits = data_bits(seed, stream, index);

	return ((float)(bits >> 40) * 0x1p-23f - 1.0f) * scales[bits & 3];
}

static double random_element(enum dtype dtype, uint64_t seed, uint64_t stream, uint64_t index)
{
	uint64_t bits;

	if (dtype_info(dtype)->is_float)
		return (double)data_random(seed, stream, index);
	bits = data_bits(seed, stream, index);
	if (dtype == DTYPE_I32)
		return (double)((int64_t)(bits >> 43) - (1 << 20));
	return (double)(dtype == DTYPE_U8 ? bits >> 56 : bits >> 32);
}

void data_fill_random(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream)
{
	float *floats = target;

	/* Nearly all operands are f32: the conversion to double and back is skipped. */
	for (int64_t i = 0; dtype == DTYPE_F32 && i < count; i++)
		floats[i] = data_random(seed, stream, (uint64_t)(first + i));
	for (int64_t i = 0; dtype != DTYPE_F32 && i < count; i++)
		dtype_store(dtype, target, i,
			random_element(dtype, seed, stream, (uint64_t)(first + i)));
}

static int64_t integer(uint64_t seed, uint64_t stream, uint64_t index, int64_t limit)
{
	uint64_t span = 2 * (uint64_t)limit + 1;

	return (int64_t)((data_bits(seed, stream, index) >> 32) * span >> 32) - limit;
}

void data_fill_integer(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream, int64_t limit)
{
	for (int64_t i = 0; i < count; i++)
		dtype_store(dtype, target, i,
			(double)integer(seed, stream, (uint64_t)(first + i), limit));
}

#define ALL_WIDE_TERMS 0x1p15
#define WIDE_TERMS 0x1p14
#define WIDE_STREAM 0x77696465

bool data_is_wide(uint64_t seed, uint64_t stream, uint64_t place, double terms)
{
	double share = terms <= ALL_WIDE_TERMS ? 1 : WIDE_TERMS / terms;

	return (double)(data_bits(seed, stream ^ WIDE_STREAM, place) >> 11) < share * 0x1p53;
}

int64_t data_wide(uint64_t seed, uint64_t stream, uint64_t index)
{
	uint64_t bits = data_bits(seed, stream, index);
	/* 2^11 + 1, 2^11 + 3, ... 2^13 - 1 */
	int64_t magnitude = 2049 + 2 * (int64_t)((bits >> 32) * 3072 >> 32);

	return bits & 1 ? magnitude : -magnitude;
}

void data_fill_wide(float *target, int64_t first, int64_t count, uint64_t seed, uint64_t stream,
	int64_t limit, double terms)
{
	for (int64_t i = 0; i < count; i++) {
		uint64_t index = (uint64_t)(first + i);

		target[i] = data_is_wide(seed, stream, index, terms)
				    ? (float)data_wide(seed, stream, index)
				    : (float)integer(seed, stream, index, limit);
	}
}

/* ---- Cases --------------------------------------------------------------------------------- */

/* The values of a type: small ones, and two that are beyond all of them. f32 cannot hold those of i32.
 */
static const struct case_scale {
	double low, high; /* of ordinary elements: uniform between them */
	double least, largest;
	double step; /* the smallest magnitude of a positive and of a negative element */
	double subnormal;
	double large;
} case_scales[DTYPE_COUNT] = {
	[DTYPE_F32] = {-1, 1, -64, 64, 0x1p-10, 0x1p-127, 0x1p50},
	[DTYPE_F16] = {-1, 1, -64, 64, 0x1p-10, 0x1p-15, 0x1p14},
	[DTYPE_I32] = {-0x1p20, 0x1p20, -0x1p28 - 1, 0x1p28 + 1, 1, 1.5, 0x1p31},
	[DTYPE_U32] = {0x1p8, 0x1p20, 0, 0x1p28, 1, 1.5, 0},
	[DTYPE_U8] = {64, 192, 0, 255, 1, 1.5, 0},
	[DTYPE_F64] = {-1, 1, -64, 64, 0x1p-10, 0x1p-1023, 0x1p50},
};

struct case_place {
	enum dtype dtype;
	const struct case_scale *scale;
	int64_t index, total;
	uint64_t bits;
	double share;     /* uniform in [0, 1) */
	double same;      /* the same for all elements */
	bool same_is_odd; /* a bit of it */
};

static bool is_unsigned(const struct case_place *at)
{
	return at->scale->low > 0;
}

static double ordinary(const struct case_place *at, double share)
{
	return at->scale->low + share * (at->scale->high - at->scale->low);
}

static double upper(const struct case_place *at, double share)
{
	return is_unsigned(at) ? ordinary(at, 0.5 + share / 2)
			       : at->scale->step + share * (at->scale->high - at->scale->step);
}

static double lower(const struct case_place *at, double share)
{
	return is_unsigned(at) ? at->scale->step + share * (ordinary(at, 0.5) - at->scale->step)
			       : -upper(at, share);
}

static double negative(const struct case_place *at)
{
	return is_unsigned(at) ? upper(at, at->share) : lower(at, at->share);
}

static double positive(const struct case_place *at)
{
	return is_unsigned(at) ? lower(at, at->share) : upper(at, at->share);
}

static double equal(const struct case_place *at)
{
	if (is_unsigned(at)) /* a white pixel, the last bin */
		return at->scale->largest;
	return at->same_is_odd ? upper(at, at->same) : lower(at, at->same);
}

static double ascending(const struct case_place *at)
{
	return ordinary(at, (double)at->index / (double)at->total);
}

/* The elements at two places are beyond all others. */
static double outlier(const struct case_place *at, int64_t largest, int64_t least)
{
	if (at->index == largest)
		return at->scale->largest;
	return at->index == least ? at->scale->least : ordinary(at, at->share);
}

static double ends(const struct case_place *at)
{
	return outlier(at, 0, at->total - 1);
}

static double swapped(const struct case_place *at)
{
	return outlier(at, at->total - 1, 0);
}

static double middle(const struct case_place *at)
{
	return outlier(at, at->total / 2, at->total / 2 - 1);
}

/* A normal float of any magnitude up to `step`. */
static double tiny(const struct case_place *at)
{
	double least = 2 * at->scale->subnormal;
	double doublings = log2(at->scale->step / least);
	double magnitude = ldexp(least, (int)((double)(at->bits >> 4 & 0xff) / 256 * doublings));

	return at->bits & 8 ? magnitude * (1 + at->share) : -magnitude * (1 + at->share);
}

static double zeros(const struct case_place *at)
{
	bool is_float = at->scale->subnormal < at->scale->step;

	if (at->bits & 1)
		return at->bits & 2 ? -0.0 : 0.0;
	return is_float && at->bits & 4 ? tiny(at) : ordinary(at, at->share);
}

static double subnormal(const struct case_place *at)
{
	return is_unsigned(at) ? (double)(at->bits & 1)
			       : (2 * at->share - 1) * at->scale->subnormal;
}

/* A sixteenth of the integers are the largest of the type, and a sixteenth the least. */
static double large(const struct case_place *at)
{
	uint64_t word = at->bits & 7 ? at->bits >> 32 : at->bits & 8 ? UINT32_MAX : 0;

	if (at->dtype == DTYPE_U8)
		return (double)(at->bits >> 56);
	if (!dtype_info(at->dtype)->is_float)
		return (double)word - at->scale->large;
	return (2 * at->share - 1) * at->scale->large;
}

static const struct case_row {
	const char *name;
	double (*element)(const struct case_place *at);
} case_rows[CASE_COUNT] = {
	[CASE_NEGATIVE] = {"negative", negative},
	[CASE_POSITIVE] = {"positive", positive},
	[CASE_EQUAL] = {"equal", equal},
	[CASE_ASCENDING] = {"ascending", ascending},
	[CASE_ENDS] = {"largest first", ends},
	[CASE_SWAPPED] = {"largest last", swapped},
	[CASE_MIDDLE] = {"largest in the middle", middle},
	[CASE_ZEROS] = {"zeros", zeros},
	[CASE_SUBNORMAL] = {"subnormal", subnormal},
	[CASE_LARGE] = {"large", large},
};

const char *data_case_name(enum data_case data_case)
{
	return case_rows[data_case].name;
}

struct case_start {
	uint64_t seed, stream;
	enum data_case data_case;
};

static double element_at(struct case_place *at, const struct case_start *start, int64_t index)
{
	at->index = index;
	at->bits = data_bits(start->seed, start->stream, (uint64_t)index);
	at->share = (double)(at->bits >> 40) * 0x1p-24;
	return case_rows[start->data_case].element(at);
}

/* The members that are equal for all elements. */
static struct case_place place_of(
	const struct case_scale *scale, int64_t total, const struct case_start *start)
{
	uint64_t same = data_bits(start->seed, start->stream, UINT64_MAX);

	return (struct case_place){.scale = scale,
		.total = total,
		.same = (double)(same >> 40) * 0x1p-24,
		.same_is_odd = same & 1};
}

void data_fill_case(enum dtype dtype, enum dtype range, void *target, int64_t first, int64_t count,
	int64_t total, uint64_t seed, uint64_t stream, enum data_case data_case)
{
	const struct case_start start = {seed, stream, data_case};
	struct case_place at = place_of(&case_scales[range], total, &start);

	at.dtype = dtype;
	for (int64_t i = 0; i < count; i++) {
		double value = element_at(&at, &start, first + i);
		dtype_store(dtype, target, i, dtype_info(dtype)->is_float ? value : trunc(value));
	}
}

uint64_t data_case_below(uint64_t bound, int64_t index, int64_t total, uint64_t seed,
	uint64_t stream, enum data_case data_case)
{
	double last = (double)(bound - 1);
	const struct case_scale scale = {.low = last / 4,
		.high = 3 * last / 4,
		.largest = last,
		.step = fmin(1, last),
		.subnormal = 1.5};
	const struct case_start start = {seed, stream, data_case};
	struct case_place at = place_of(&scale, total, &start);
	double value;

	at.dtype = DTYPE_U32;
	value = fmax(trunc(element_at(&at, &start, index)), 0);
	return (uint64_t)value % bound;
}

void data_fill_case_below(enum dtype dtype, uint64_t bound, void *target, int64_t first,
	int64_t count, int64_t total, uint64_t seed, uint64_t stream, enum data_case data_case)
{
	for (int64_t i = 0; i < count; i++)
		dtype_store(dtype, target, i,
			(double)data_case_below(bound, first + i, total, seed, stream, data_case));
}
