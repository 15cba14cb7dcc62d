#include "host/suite/roof_figures.h"

#include <math.h>

static const size_t offsets[ROOF_FIGURE_COUNT] = {
	[ROOF_COPY] = offsetof(struct roofs_record, copy_gbps),
	[ROOF_READ] = offsetof(struct roofs_record, read_gbps),
	[ROOF_L2] = offsetof(struct roofs_record, l2_gbps),
	[ROOF_SHARED] = offsetof(struct roofs_record, shared_gbps),
	[ROOF_FMA] = offsetof(struct roofs_record, fma_gflops.f32),
	[ROOF_FMA_F16] = offsetof(struct roofs_record, fma_gflops.f16),
	[ROOF_FMA_F64] = offsetof(struct roofs_record, fma_gflops.f64),
	[ROOF_INTEGER] = offsetof(struct roofs_record, integer_gops),
	[ROOF_SPECIAL] = offsetof(struct roofs_record, special_gops),
	[ROOF_TENSOR_F16] = offsetof(struct roofs_record, tensor_gflops.f16),
	[ROOF_TENSOR_TF32] = offsetof(struct roofs_record, tensor_gflops.tf32),
	[ROOF_H2D] = offsetof(struct roofs_record, h2d_gbps),
	[ROOF_D2H] = offsetof(struct roofs_record, d2h_gbps),
};

struct roofs_record roofs_unknown(void)
{
	struct roofs_record roofs;

	record_init(&roofs_type, &roofs);
	roofs.fma_gflops.record.present = true;
	roofs.tensor_gflops.record.present = true;
	roofs.age_s = 0;
	return roofs;
}

double *roof_figure(struct roofs_record *roofs, enum roof_role role)
{
	return (double *)(void *)((char *)roofs + offsets[role]);
}

static double value_of(const struct roofs_record *roofs, enum roof_role role)
{
	return *(const double *)(const void *)((const char *)roofs + offsets[role]);
}

double roofs_rate(const struct roofs_record *roofs, enum operations operations)
{
	static const struct {
		enum operations operations;
		enum roof_role role;
	} rates[] = {
		{OPERATIONS_F32, ROOF_FMA},
		{OPERATIONS_F16, ROOF_FMA_F16},
		{OPERATIONS_F64, ROOF_FMA_F64},
		{OPERATIONS_TENSOR_F16, ROOF_TENSOR_F16},
		{OPERATIONS_TENSOR_TF32, ROOF_TENSOR_TF32},
		{OPERATIONS_INTEGER, ROOF_INTEGER},
		{OPERATIONS_SPECIAL, ROOF_SPECIAL},
	};

	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
		if (rates[i].operations == operations)
			return value_of(roofs, rates[i].role);
	return NAN;
}

void roofs_complete(struct roofs_record *roofs, const struct roofs_record *other)
{
	bool completed = false;

	for (int role = 0; role < ROOF_FIGURE_COUNT; role++) {
		double *figure = roof_figure(roofs, (enum roof_role)role);
		double value = value_of(other, (enum roof_role)role);

		if (isnan(value) || !isnan(*figure))
			continue;
		*figure = value;
		completed = true;
	}
	if (!completed)
		return;
	roofs->flags |= other->flags;
	roofs->age_s = fmax(roofs->age_s, other->age_s);
}

bool roofs_are_sane(const struct roofs_record *roofs)
{
	for (int role = 0; role < ROOF_FIGURE_COUNT; role++)
		if (value_of(roofs, (enum roof_role)role) <= 0)
			return false;
	return true;
}
