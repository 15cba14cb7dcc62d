/*
 * The answers of the rows of `instructions`. For the family's own files only.
 */
#ifndef PMPP_COMMON_FAMILIES_INSTRUCTIONS_ANSWER_H
#define PMPP_COMMON_FAMILIES_INSTRUCTIONS_ANSWER_H

#include "common/family.h"

enum {
	DIM_N,
	DIM_TRIPS
};
enum {
	OPERAND_A,
	OPERAND_T,
	OPERAND_B
};

#define INSTRUCTIONS_TABLE 256 /* coefficients */
/* constant-uniform: neighbouring elements with one index, at least as many as a warp has lanes. */
#define INSTRUCTIONS_UNIFORM 128

/* Maximum number of trips for which the answers depend on each trip: f16 counts the trips exactly,
 * products do not overflow or underflow, and errors are smaller than the effect of one trip. */
#define INSTRUCTIONS_MAX_TRIPS 2048

float instructions_coefficient(int64_t j);

/* variant->reference of every row. */
void instructions_reference(const struct variant *variant, const struct problem *problem,
	const void *const *inputs, struct region region, struct expected *ret_expected);

/* The last argument of the row's kernel: a factor in eighths, or an integer for integers. */
int instructions_factor(const struct variant *variant);

/* Operations that the row's metric counts in a trip. */
double instructions_per_trip(const struct variant *variant);

/* Minimum number of operations of a trip; compilers may add others. 0 = the operations of
 * config_flops(). A single f32 sum or product counts as two: it takes the time of a multiply-add.
 * special: functions of the hardware, such as the reciprocal in a division. */
struct instructions_mix {
	double f32, integer, special;
	bool constants; /* all trips of a chain have the same operands: with relaxed arithmetic an
			 * OpenCL compiler may combine any number of trips into one operation */
	bool library;   /* calls a precise function; its operations depend on the compiler */
};

struct instructions_mix instructions_mix(const struct variant *variant);

#endif
