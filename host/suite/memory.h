/*
 * Memory that a problem takes on the device and on the host, against what there is.
 */
#ifndef PMPP_HOST_SUITE_MEMORY_H
#define PMPP_HOST_SUITE_MEMORY_H

#include "common/family.h"
#include "host/gpu/gpu.h"

/* In bytes, as double: a problem may be far beyond any machine. */
struct memory_needs {
	double device;            /* operands and scratch buffers with their guards */
	double largest;           /* of these buffers */
	const char *largest_name; /* of that operand */
	double host; /* arrays of the suite; on a device that shares the host's memory, also its
			buffers */
};

/* keeps_copy: the host also keeps a copy of each operand (suite_trace()). */
struct memory_needs memory_needs_of(const struct gpu_device_info *info, const struct config *config,
	const struct problem *problem, bool keeps_copy);

/* Bytes that the problem may take: what is free, and what is released for it. */
struct memory_room {
	double device, host;
};

/* PMPP_TOO_LARGE with both figures if the needs exceed the device's limits or the room. Allocates
 * nothing. */
enum pmpp_status memory_check(const struct memory_needs *needs, const struct memory_room *room,
	const struct gpu_device_info *info, const struct problem *problem,
	struct pmpp_error *error);

/* Two amounts of bytes in the unit of the first, "12.3 GB", with so many digits that they differ.
 */
void memory_amounts_text(double needed, double there, char ret_needed[GPU_TEXT_BYTES],
	char ret_there[GPU_TEXT_BYTES]);

/* true: the needs leave a part of the room to others. For sizes that the program chooses. */
bool memory_fits_well(const struct memory_needs *needs, const struct memory_room *room,
	const struct gpu_device_info *info);

#endif
