/* The version of OpenCL C that a program is compiled in. */
#include "host/gpu/opencl/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries of OpenCL 3.0, and two bits of the result of the first one. */
#define DEVICE_ATOMIC_MEMORY_CAPABILITIES 0x1063
#define ATOMIC_ORDER_ACQ_REL (1 << 1)
#define ATOMIC_SCOPE_DEVICE (1 << 5)
#define DEVICE_OPENCL_C_ALL_VERSIONS 0x1066
#define DEVICE_OPENCL_C_FEATURES 0x106F

/* PoCL 5.0 and 6.0 have wait_group_events() for generic pointers only. In OpenCL C 1.2 a pointer to an
 * event is private, and the kernel cannot be linked. */
#define GENERIC_POINTERS "__opencl_c_generic_address_space"

/* An element of the two lists: cl_name_version. */
struct name_version {
	cl_uint version; /* major version in the upper 10 bits */
	char name[64];
};

#define MAJOR_SHIFT 22

/* Returns the number of elements; *ret_items is malloc'ed. 0: the device does not have the query. */
static size_t query_list(cl_device_id id, cl_device_info what, struct name_version **ret_items)
{
	size_t bytes = 0;

	if (clGetDeviceInfo(id, what, 0, NULL, &bytes) != CL_SUCCESS ||
		bytes < sizeof **ret_items || bytes % sizeof **ret_items)
		return 0;
	*ret_items = malloc(bytes);
	if (!*ret_items || clGetDeviceInfo(id, what, bytes, *ret_items, NULL) != CL_SUCCESS) {
		free(*ret_items);
		return 0;
	}
	return bytes / sizeof **ret_items;
}

/* Whether the compiler has the major version. Devices without the list of versions report only the
 * newest one, as text: "OpenCL C 2.0". */
static bool has_version(cl_device_id id, unsigned major)
{
	struct name_version *items = NULL;
	size_t count = query_list(id, DEVICE_OPENCL_C_ALL_VERSIONS, &items);
	char text[64], wanted[16];
	bool found = false;

	for (size_t i = 0; i < count; i++)
		found |= items[i].version >> MAJOR_SHIFT == major;
	if (count) {
		free(items);
		return found;
	}
	opencl_query_text(id, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
	snprintf(wanted, sizeof wanted, "OpenCL C %u.", major);
	return strncmp(text, wanted, strlen(wanted)) == 0;
}

bool opencl_has_feature(cl_device_id id, const char *name)
{
	struct name_version *items = NULL;
	size_t count = query_list(id, DEVICE_OPENCL_C_FEATURES, &items);
	bool found = false;

	for (size_t i = 0; i < count; i++)
		found |= strncmp(items[i].name, name, sizeof items[i].name) == 0;
	if (count)
		free(items);
	return found;
}

static bool has_scoped_atomics(cl_device_id id)
{
	static const cl_ulong needed = ATOMIC_ORDER_ACQ_REL | ATOMIC_SCOPE_DEVICE;

	return (opencl_query_ulong(id, DEVICE_ATOMIC_MEMORY_CAPABILITIES) & needed) == needed;
}

/* OpenCL C 2.0 has atomic functions of device scope and sub-groups. In 3.0 both are optional. */
void opencl_find_languages(struct opencl_device *device)
{
	cl_device_id id = device->id;
	bool has_2 = has_version(id, 2), has_3 = has_version(id, 3);
	bool is_cpu = opencl_query_ulong(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
	const char *otherwise = has_2 ? "-cl-std=CL2.0" : DEFAULT_LANGUAGE;

	device->newest_language = has_3 ? "-cl-std=CL3.0" : otherwise;
	device->scoped_language = has_3 && has_scoped_atomics(id) ? "-cl-std=CL3.0" : otherwise;
	device->sub_group_language = has_3 && opencl_has_feature(id, "__opencl_c_subgroups")
					     ? "-cl-std=CL3.0"
					     : otherwise;
	device->copy_language = is_cpu && has_3 && opencl_has_feature(id, GENERIC_POINTERS)
					? "-cl-std=CL3.0"
					: DEFAULT_LANGUAGE;
}

const char *opencl_language(const struct opencl_device *device, const struct gpu_program_desc *desc)
{
	if (desc->newest)
		return device->newest_language;
	if (desc->device_scope)
		return device->scoped_language;
	if (desc->sub_groups)
		return device->sub_group_language;
	return strstr(desc->source, "wait_group_events") ? device->copy_language : DEFAULT_LANGUAGE;
}
