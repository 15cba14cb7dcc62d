/* The two functions that an ICD loader calls in a layer. */
#include "tests/opencl_layer/layer.h"

#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct layer layer;

void layer_stop(const char *text, const char *value)
{
	fprintf(stderr, "profile layer: %s: %s\n", text, value);
	exit(1);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(
	cl_layer_info what, size_t bytes, void *target, size_t *ret_bytes)
{
	static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	static const char name[] = "profile layer";

	if (what == CL_LAYER_API_VERSION)
		return layer_answer(&version, sizeof version, bytes, target, ret_bytes);
	if (what == CL_LAYER_NAME)
		return layer_answer(name, sizeof name, bytes, target, ret_bytes);
	return CL_INVALID_VALUE;
}

/* Reads the file that a variable names. false: the variable is not set. */
static bool read_file(const char *variable, struct profile *profile)
{
	const char *path = getenv(variable);
	const char *reason;

	if (!path || !*path)
		return false;
	if (!profile_read(path, profile, &reason))
		layer_stop(reason, path);
	return true;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *below,
	cl_uint *ret_count, const cl_icd_dispatch **ret_table)
{
	static cl_icd_dispatch table;

	if (count < sizeof table / sizeof(void *))
		return CL_INVALID_VALUE;
	memcpy(&layer.below, below, sizeof layer.below);
	table = layer.below;
	layer.answers_only = getenv(ANSWERS_VARIABLE) != NULL;
	read_file(LIMITS_VARIABLE, &layer.limits);
	if (read_file(PROFILE_VARIABLE, &layer.profile)) {
		layer_add_queries(&table);
		layer_add_programs(&table);
		layer_add_launches(&table);
		layer_add_timers(&table);
	}
	*ret_table = &table;
	*ret_count = sizeof table / sizeof(void *);
	return CL_SUCCESS;
}

/* Newer versions of Khronos's loader (2025) call this function instead. The only property says
 * whether the loader calls clDeinitLayer(), which has nothing to do here. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count,
	const cl_icd_dispatch *below, cl_uint *ret_count, const cl_icd_dispatch **ret_table,
	const cl_properties *properties);

CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count,
	const cl_icd_dispatch *below, cl_uint *ret_count, const cl_icd_dispatch **ret_table,
	const cl_properties *properties)
{
	(void)properties;
	return clInitLayer(count, below, ret_count, ret_table);
}

CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void);

CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void)
{
	return CL_SUCCESS;
}
