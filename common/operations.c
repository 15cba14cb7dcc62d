#include "common/operations.h"

const char *const operations_words[OPERATIONS_COUNT + 1] = {
	[OPERATIONS_OF_DTYPE] = "",
	[OPERATIONS_F32] = "f32",
	[OPERATIONS_F16] = "f16",
	[OPERATIONS_F64] = "f64",
	[OPERATIONS_TENSOR_F16] = "tensor-f16",
	[OPERATIONS_TENSOR_TF32] = "tensor-tf32",
	[OPERATIONS_INTEGER] = "integer",
	[OPERATIONS_SPECIAL] = "special",
};

enum operations operations_of_dtype(enum dtype dtype)
{
	static const enum operations of_dtype[DTYPE_COUNT] = {
		[DTYPE_F32] = OPERATIONS_F32,
		[DTYPE_F16] = OPERATIONS_F32, /* kernels convert f16 and calculate in f32 */
		[DTYPE_I32] = OPERATIONS_INTEGER,
		[DTYPE_U32] = OPERATIONS_INTEGER,
		[DTYPE_U8] = OPERATIONS_INTEGER,
		[DTYPE_F64] = OPERATIONS_F64,
	};
	return of_dtype[dtype];
}
