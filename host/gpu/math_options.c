#include "host/gpu/math_options.h"

static const char *const names[GPU_MATH_COUNT] = {
	[GPU_MATH_DEFAULT] = "default",
	[GPU_MATH_STRICT] = "strict",
	[GPU_MATH_FAST] = "fast",
};

const char *gpu_math_name(enum gpu_math math)
{
	return (size_t)math < GPU_MATH_COUNT ? names[math] : "unknown";
}

const char *gpu_math_options(enum gpu_backend_id backend, enum gpu_math math)
{
	return (size_t)math < GPU_MATH_COUNT ? gpu_backend_row(backend)->math[math] : "";
}
