/*
 * Types of operations. A device has a rate for each type.
 */
#ifndef PMPP_COMMON_OPERATIONS_H
#define PMPP_COMMON_OPERATIONS_H

#include "common/dtype.h"

enum operations {
	OPERATIONS_OF_DTYPE, /* in a table of rows: the operations of the problem's dtype */
	OPERATIONS_F32,
	OPERATIONS_F16,
	OPERATIONS_F64,
	OPERATIONS_TENSOR_F16,  /* tensor cores: products of f16, sums in f32 */
	OPERATIONS_TENSOR_TF32, /* tensor cores: products of TF32, sums in f32 */
	OPERATIONS_INTEGER,     /* 32 bits: an addition, multiply-add, shift or logic is one */
	OPERATIONS_SPECIAL,     /* a reciprocal, root, power of 2 or sine is one */
	OPERATIONS_COUNT
};

/* The words in result files, by enum operations; ended by NULL. The first one is empty. */
extern const char *const operations_words[OPERATIONS_COUNT + 1];

/* The type of operations on elements: never OPERATIONS_OF_DTYPE. */
enum operations operations_of_dtype(enum dtype dtype);

#endif
