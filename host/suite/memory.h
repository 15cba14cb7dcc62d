/*
 * Compares the memory that a problem needs, on the device and on the host, with the free memory.
 */
#ifndef PMPP_HOST_SUITE_MEMORY_H
#define PMPP_HOST_SUITE_MEMORY_H

#include "common/family.h"
#include "host/gpu/gpu.h"

/* In bytes. The type is double because the needs may overflow integers. */
struct memory_needs {
	double device;            /* operands and scratch buffers with their guards */
	double largest;           /* the largest of these buffers */
	const char *largest_name; /* name of its operand */
	double host; /* arrays of the suite; plus `device` if the device shares the host's memory */
};

/* keeps_copy: the host also keeps a copy of each operand (suite_trace()). */
struct memory_needs memory_needs_of(const struct gpu_device_info *info, const struct config *config,
	const struct problem *problem, bool keeps_copy);

/* Bytes that the problem can use: free memory, and memory that will be freed for the problem. */
struct memory_room {
	double device, host;
};

/* PMPP_TOO_LARGE if the needs exceed the device's limits or the room; the message has both amounts.
 * Allocates nothing. */
enum pmpp_status memory_check(const struct memory_needs *needs, const struct memory_room *room,
	const struct gpu_device_info *info, const struct problem *problem,
	struct pmpp_error *error);

/* Formats two amounts of bytes, "12.3 GB", with enough digits to show their difference. */
void memory_amounts_text(double needed, double available, char ret_needed[GPU_TEXT_BYTES],
	char ret_available[GPU_TEXT_BYTES]);

/* true: the needs are at most 80 % of the device memory and half of the host memory of the room.
 * For the choice of default sizes. */
bool memory_fits_well(const struct memory_needs *needs, const struct memory_room *room,
	const struct gpu_device_info *info);

#endif
