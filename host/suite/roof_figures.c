#include "host/suite/roof_figures.h"

#include <math.h>

#include "host/suite/device.h"

#define PLACES(figure_, member)                                            \
	{                                                                  \
		.figure = offsetof(struct roofs_record, figure_),          \
		.age = offsetof(struct roofs_record, ages_s.member),       \
		.flags = offsetof(struct roofs_record, roof_flags.member), \
	}

static const struct {
	size_t figure, age, flags; /* offsets */
} places[ROOF_FIGURE_COUNT] = {
	[ROOF_COPY] = PLACES(copy_gbps, copy),
	[ROOF_READ] = PLACES(read_gbps, read),
	[ROOF_L2] = PLACES(l2_gbps, l2),
	[ROOF_SHARED] = PLACES(shared_gbps, shared),
	[ROOF_FMA] = PLACES(fma_gflops.f32, fma_f32),
	[ROOF_FMA_F16] = PLACES(fma_gflops.f16, fma_f16),
	[ROOF_FMA_F64] = PLACES(fma_gflops.f64, fma_f64),
	[ROOF_INTEGER] = PLACES(integer_gops, integer),
	[ROOF_SPECIAL] = PLACES(special_gops, special),
	[ROOF_TENSOR_F16] = PLACES(tensor_gflops.f16, tensor_f16),
	[ROOF_TENSOR_TF32] = PLACES(tensor_gflops.tf32, tensor_tf32),
	[ROOF_H2D] = PLACES(h2d_gbps, h2d),
	[ROOF_D2H] = PLACES(d2h_gbps, d2h),
};

struct roofs_record roofs_unknown(void)
{
	struct roofs_record roofs;

	record_init(&roofs_type, &roofs);
	roofs.fma_gflops.record.present = true;
	roofs.tensor_gflops.record.present = true;
	roofs.ages_s.record.present = true;
	roofs.roof_flags.record.present = true;
	roofs.age_s = 0;
	return roofs;
}

double *roof_figure(struct roofs_record *roofs, enum roof_role role)
{
	return (double *)(void *)((char *)roofs + places[role].figure);
}

double *roof_age(struct roofs_record *roofs, enum roof_role role)
{
	return (double *)(void *)((char *)roofs + places[role].age);
}

unsigned *roof_warnings(struct roofs_record *roofs, enum roof_role role)
{
	return (unsigned *)(void *)((char *)roofs + places[role].flags);
}

static double value_of(const struct roofs_record *roofs, enum roof_role role)
{
	return *(const double *)(const void *)((const char *)roofs + places[role].figure);
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

void roofs_set(struct roofs_record *roofs, enum roof_role role, double value, double age_s)
{
	*roof_figure(roofs, role) = value;
	*roof_age(roofs, role) = age_s;
	roofs->age_s = 0;
	for (int i = 0; i < ROOF_FIGURE_COUNT; i++)
		roofs->age_s = fmax(roofs->age_s, *roof_age(roofs, (enum roof_role)i));
}

void roofs_complete(struct roofs_record *roofs, const struct roofs_record *other)
{
	struct roofs_record from = *other;

	for (int i = 0; i < ROOF_FIGURE_COUNT; i++) {
		enum roof_role role = (enum roof_role)i;
		double value = value_of(other, role), age_s = *roof_age(&from, role);

		if (isnan(value) || !isnan(*roof_figure(roofs, role)))
			continue;
		roofs_set(roofs, role, value, isnan(age_s) ? other->age_s : age_s);
		*roof_warnings(roofs, role) = *roof_warnings(&from, role);
		roofs->flags |= other->roof_flags.record.present ? *roof_warnings(&from, role)
								 : other->flags;
	}
}

bool roofs_are_sane(const struct roofs_record *roofs)
{
	for (int role = 0; role < ROOF_FIGURE_COUNT; role++)
		if (value_of(roofs, (enum roof_role)role) <= 0)
			return false;
	return true;
}

/* ---- Rates of the floors -------------------------------------------------------------------- */

/* The measured rates of a device, in the form that floors_of() needs. */

struct floor_rates floor_rates_of(const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer,
	enum timing_primary primary, unsigned flags)
{
	bool batch = primary == TIMING_HOT;
	bool is_cpu = suite_device_class(info) == DEVICE_CLASS_CPU;
	struct floor_rates rates = {
		/* Hot samples are a batch of runs. */
		.launch_ns = batch ? timer->next_launch_ns : timer->least_launch_ns,
		.next_launch_ns = timer->next_launch_ns,
		.copy_gbps = roofs->copy_gbps,
		.read_gbps = roofs->read_gbps,
		/* A CPU has no separate shared memory: the data are in caches of several levels
		 * with different rates. */
		.l2_gbps = is_cpu ? NAN : roofs->l2_gbps,
		.shared_gbps = is_cpu ? NAN : roofs->shared_gbps,
		.cache_bytes = (double)suite_cache_bytes(info),
		.overfetches = suite_overfetches(info),
		.warm = batch || flags & TIMING_UNFLUSHED,
		/* CUDA C++ Programming Guide, "Unified Data/L1 Cache": 7.0 and newer. */
		.l1_is_shared = (info->capabilities & PMPP_CAP_NVIDIA_PTX) != 0,
	};

	for (int i = 0; i < OPERATIONS_COUNT; i++)
		rates.gops[i] = roofs_rate(roofs, (enum operations)i);
	return rates;
}
