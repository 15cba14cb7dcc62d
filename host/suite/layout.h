/*
 * How an operand lies on the device: its lines (rows, or columns where the variant asks for
 * columns), a pitch apart, in an element type that may be narrower than the host's.
 */
#ifndef PMPP_HOST_SUITE_LAYOUT_H
#define PMPP_HOST_SUITE_LAYOUT_H

#include "common/family.h"

struct layout {
	int64_t rows, columns; /* on the host, by rows */
	bool by_columns;       /* on the device: lines are columns */
	int64_t lines, line;   /* on the device: number of lines, elements of each */
	int64_t pitch;         /* elements from one line to the next */
	enum dtype host, device;
};

struct layout layout_of(const struct config *config, const struct problem *problem, size_t operand);
bool layout_equal(const struct layout *a, const struct layout *b);

/* Bytes on the device; UINT64_MAX when that overflows. */
uint64_t layout_bytes(const struct layout *layout);

/* true: the bytes on the host and on the device are the same. */
bool layout_is_direct(const struct layout *layout);

/* Copies some lines between the host's array and their place of lines * pitch elements on the
 * device. */
void layout_pack(const struct layout *layout, const void *array, int64_t first_line, int64_t lines,
	void *ret_staging);
void layout_unpack(const struct layout *layout, const void *staging, int64_t first_line,
	int64_t lines, void *ret_array);

#endif
