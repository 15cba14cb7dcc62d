/*
 * Layout of an operand on the device: lines (rows, or columns if the variant requests columns) at
 * the distance of a pitch. The element type may be narrower than on the host.
 */
#ifndef PMPP_HOST_SUITE_LAYOUT_H
#define PMPP_HOST_SUITE_LAYOUT_H

#include "common/family.h"

struct layout {
	int64_t rows, columns; /* on the host, by rows */
	bool by_columns;       /* on the device: lines are columns */
	int64_t lines, line;   /* on the device: number of lines, elements per line */
	int64_t pitch;         /* distance of two lines, in elements */
	enum dtype host, device;
};

struct layout layout_of(const struct config *config, const struct problem *problem, size_t operand);
bool layout_equal(const struct layout *a, const struct layout *b);

/* Bytes on the device; UINT64_MAX if the number overflows. */
uint64_t layout_bytes(const struct layout *layout);

/* true: the bytes on the host and on the device are the same. */
bool layout_is_direct(const struct layout *layout);

/* Copy `lines` lines between the host's array and a staging buffer in device layout. The staging
 * buffer has lines * pitch elements. */
void layout_pack(const struct layout *layout, const void *array, int64_t first_line, int64_t lines,
	void *ret_staging);
void layout_unpack(const struct layout *layout, const void *staging, int64_t first_line,
	int64_t lines, void *ret_array);

#endif
