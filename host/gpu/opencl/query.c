#include "host/gpu/opencl/internal.h"

#include <stdlib.h>
#include <string.h>

#define WHITE_SPACE " \t\r\n"

cl_uint opencl_query_uint(cl_device_id id, cl_device_info what)
{
	cl_uint value = 0;

	return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

cl_ulong opencl_query_ulong(cl_device_id id, cl_device_info what)
{
	cl_ulong value = 0;

	return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

size_t opencl_query_size(cl_device_id id, cl_device_info what)
{
	size_t value = 0;

	return clGetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static void copy_trimmed(char *target, size_t size, const char *text)
{
	size_t length;

	text += strspn(text, WHITE_SPACE);
	length = strlen(text);
	while (length > 0 && strchr(WHITE_SPACE, text[length - 1]))
		length--;
	if (length >= size)
		length = size - 1;
	memcpy(target, text, length);
	target[length] = '\0';
}

/* Drivers return an error instead of a cut text, so the query uses a large buffer. */
void opencl_query_text(cl_device_id id, cl_device_info what, char *target, size_t size)
{
	char text[2048] = "";

	if (clGetDeviceInfo(id, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
		text[0] = '\0';
	copy_trimmed(target, size, text);
}

void opencl_query_platform_text(
	cl_platform_id platform, cl_platform_info what, char *target, size_t size)
{
	char text[2048] = "";

	if (clGetPlatformInfo(platform, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
		text[0] = '\0';
	copy_trimmed(target, size, text);
}

char *opencl_query_extensions(cl_device_id id)
{
	size_t size = 0;

	if (clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS)
		size = 0;
	char *extensions = calloc(1, size + 1);
	if (extensions && size > 0 &&
		clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, size, extensions, NULL) != CL_SUCCESS)
		extensions[0] = '\0';
	return extensions;
}
