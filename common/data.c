#include "common/data.h"

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

void data_fill_integer(enum dtype dtype, void *target, int64_t first, int64_t count, uint64_t seed,
	uint64_t stream, int64_t limit)
{
	uint64_t span = 2 * (uint64_t)limit + 1;

	for (int64_t i = 0; i < count; i++) {
		uint64_t bits = data_bits(seed, stream, (uint64_t)(first + i)) >> 32;
		dtype_store(dtype, target, i, (double)((int64_t)(bits * span >> 32) - limit));
	}
}
