/* Queues and events: how the profile's driver measures time.
 *
 * profiling = device      as PoCL
 *             one_ns      an event lasts 1 ns, at any time (Mesa's rusticl)
 *             step        times are multiples of `profiling_step_ns`
 *             no_queue    a queue with profiling is rejected
 *             no_info     a queue with profiling exists, but an event has no times
 */
#include "tests/opencl_layer/layer.h"

#include <string.h>

static bool profiling_is(const char *word)
{
	const char *value = profile_value(&layer.profile, "profiling");

	return value && strcmp(value, word) == 0;
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
	cl_command_queue_properties properties, cl_int *ret_code)
{
	if ((properties & CL_QUEUE_PROFILING_ENABLE) && profiling_is("no_queue")) {
		if (ret_code)
			*ret_code = CL_INVALID_QUEUE_PROPERTIES;
		return NULL;
	}
	return layer.below.clCreateCommandQueue(context, device, properties, ret_code);
}

/* The properties are pairs of a name and a value, ended by 0. */
static cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device,
	const cl_queue_properties *properties, cl_int *ret_code)
{
	bool profiles = false;

	for (size_t i = 0; properties && properties[i] != 0; i += 2)
		profiles |= properties[i] == CL_QUEUE_PROPERTIES &&
			    (properties[i + 1] & CL_QUEUE_PROFILING_ENABLE);
	if (layer_version() < 20 || (profiles && profiling_is("no_queue"))) {
		if (ret_code)
			*ret_code = layer_version() < 20 ? CL_INVALID_OPERATION
							 : CL_INVALID_QUEUE_PROPERTIES;
		return NULL;
	}
	return layer.below.clCreateCommandQueueWithProperties(
		context, device, properties, ret_code);
}

static cl_int CL_API_CALL get_event_times(
	cl_event event, cl_profiling_info what, size_t bytes, void *target, size_t *ret_bytes)
{
	cl_ulong ns = 0;
	cl_int code;

	if (profiling_is("no_info"))
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	code = layer.below.clGetEventProfilingInfo(event, what, sizeof ns, &ns, NULL);
	if (code != CL_SUCCESS)
		return code;
	if (profiling_is("one_ns"))
		ns = what == CL_PROFILING_COMMAND_END;
	if (profiling_is("step"))
		ns -= ns % layer_number("profiling_step_ns", 1);
	return layer_answer(&ns, sizeof ns, bytes, target, ret_bytes);
}

void layer_add_timers(cl_icd_dispatch *table)
{
	table->clCreateCommandQueue = create_queue;
	table->clCreateCommandQueueWithProperties = create_queue_with;
	table->clGetEventProfilingInfo = get_event_times;
}
