#include "common/data.h"

uint64_t data_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
	uint64_t z = seed * 0xd1342543de82ef95u + stream * 0xaf251af3b0f025b5u;

	z += (index + 1) * 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void data_fill_random(float *target, int64_t count, uint64_t seed, uint64_t stream)
{
	static const float scales[] = {1.0f, 0.5f, 0.25f, 0.125f};

	for (int64_t i = 0; i < count; i++) {
		uint64_t bits = data_bits(seed, stream, (uint64_t)i);
		target[i] = ((float)(bits >> 40) * 0x1p-23f - 1.0f) * scales[bits & 3];
	}
}

void data_fill_integer(float *target, int64_t count, uint64_t seed, uint64_t stream, int64_t limit)
{
	uint64_t span = 2 * (uint64_t)limit + 1;

	for (int64_t i = 0; i < count; i++) {
		uint64_t bits = data_bits(seed, stream, (uint64_t)i) >> 32;
		target[i] = (float)((int64_t)(bits * span >> 32) - limit);
	}
}
