/* Buffers and launches: the limits of the profile's device. */
#include "tests/opencl_layer/layer.h"

static cl_mem refuse_buffer(cl_int code, cl_int *ret_code)
{
	if (ret_code)
		*ret_code = code;
	return NULL;
}

/* The profile's limit may exceed PoCL's, which is the host's memory. The error is then lack of
 * memory. */
static cl_mem CL_API_CALL create_buffer(
	cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *ret_code)
{
	cl_int code = CL_SUCCESS;
	cl_mem buffer;

	if (bytes == 0 || bytes > layer_number("CL_DEVICE_MAX_MEM_ALLOC_SIZE", UINT64_MAX))
		return refuse_buffer(CL_INVALID_BUFFER_SIZE, ret_code);
	buffer = layer.below.clCreateBuffer(context, flags, bytes, host, &code);
	if (code == CL_INVALID_BUFFER_SIZE)
		code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (ret_code)
		*ret_code = code;
	return buffer;
}

static cl_mem CL_API_CALL create_sub_buffer(cl_mem buffer, cl_mem_flags flags,
	cl_buffer_create_type type, const void *info, cl_int *ret_code)
{
	const cl_buffer_region *region = info;

	if (type == CL_BUFFER_CREATE_TYPE_REGION && region &&
		region->origin * 8 % layer_number("CL_DEVICE_MEM_BASE_ADDR_ALIGN", 8) != 0)
		return refuse_buffer(CL_MISALIGNED_SUB_BUFFER_OFFSET, ret_code);
	return layer.below.clCreateSubBuffer(buffer, flags, type, info, ret_code);
}

/* Whether the global size may be any number. OpenCL 2.x: for programs of OpenCL C 2.0. OpenCL 3.0:
 * if the driver reports this feature. */
static bool takes_remainders(cl_kernel kernel)
{
	if (layer_version() >= 30)
		return layer_number("CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT", 0);
	return layer_version() >= 20 && layer_language_of(kernel) >= 20;
}

static cl_int check_block(cl_kernel kernel, cl_device_id device, cl_uint dimensions,
	const size_t *global, const size_t *local)
{
	size_t required[3] = {0};
	uint64_t items[3] = {1, 1, 1};
	size_t threads = 1;

	layer.below.clGetKernelWorkGroupInfo(
		kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL);
	profile_numbers(profile_value(&layer.profile, "CL_DEVICE_MAX_WORK_ITEM_SIZES"), items, 3);
	for (cl_uint i = 0; i < dimensions; i++) {
		threads *= local[i];
		if (local[i] > items[i])
			return CL_INVALID_WORK_ITEM_SIZE;
		if (required[0] > 0 && local[i] != required[i])
			return CL_INVALID_WORK_GROUP_SIZE;
		if (global[i] % local[i] != 0 && !takes_remainders(kernel))
			return CL_INVALID_WORK_GROUP_SIZE;
	}
	return threads > layer_kernel_block(kernel, device) ? CL_INVALID_WORK_GROUP_SIZE
							    : CL_SUCCESS;
}

/* PoCL's figure contains the __local arguments that are set. */
static cl_int check_local(cl_kernel kernel, cl_device_id device)
{
	cl_ulong bytes = 0;

	layer.below.clGetKernelWorkGroupInfo(
		kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
	return bytes > layer_number("CL_DEVICE_LOCAL_MEM_SIZE", 0) ? CL_OUT_OF_RESOURCES
								   : CL_SUCCESS;
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
	const size_t *offset, const size_t *global, const size_t *local, cl_uint event_count,
	const cl_event *events, cl_event *ret_event)
{
	cl_device_id device = NULL;
	cl_int code = layer.below.clGetCommandQueueInfo(
		queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);

	if (code == CL_SUCCESS && local && dimensions >= 1 && dimensions <= 3)
		code = check_block(kernel, device, dimensions, global, local);
	if (code == CL_SUCCESS)
		code = check_local(kernel, device);
	if (code != CL_SUCCESS)
		return code;
	return layer.below.clEnqueueNDRangeKernel(
		queue, kernel, dimensions, offset, global, local, event_count, events, ret_event);
}

void layer_add_launches(cl_icd_dispatch *table)
{
	table->clCreateBuffer = create_buffer;
	table->clCreateSubBuffer = create_sub_buffer;
	table->clEnqueueNDRangeKernel = launch;
}
