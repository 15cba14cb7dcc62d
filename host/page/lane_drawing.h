/*
 * Drawings of one warp's accesses and branches, as inline SVG without scripts and style attributes.
 * The page's style sheet defines the colours by class. A drawing has a title and a description for
 * screen readers. Units are pixels at full width.
 */
#ifndef PMPP_HOST_PAGE_LANE_DRAWING_H
#define PMPP_HOST_PAGE_LANE_DRAWING_H

#include "common/model/request_map.h"

#include <stdio.h>

/* `number` makes the ids of the drawing unique on the page. */

/* Global memory: draws the lanes, and below them each line that they touch. A line shows its
 * sectors, and in the sectors the bytes that each lane requests. */
void lane_drawing_sectors(
	FILE *out, unsigned number, const struct warp_access *access, const struct sector_map *map);

/* Shared memory: draws the lanes, and below them a row for each pass and a column for each bank. */
void lane_drawing_banks(
	FILE *out, unsigned number, const struct warp_access *access, const struct bank_map *map);

/* A branch: draws the lanes that run first, the waiting lanes and the inactive lanes. */
void lane_drawing_split(FILE *out, unsigned number, const struct access_model *model,
	uint64_t lanes, uint64_t first);

/* The key of one mark, as an image without text. */
enum lane_mark {
	MARK_INACTIVE,
	MARK_REQUESTED,
	MARK_SECTOR,
	MARK_EXTRA_PASS,
	MARK_WAITS,
	MARK_COUNT
};
void lane_drawing_mark(FILE *out, enum lane_mark mark);

/* "lane 5", "lanes 0 to 31", "lanes 0, 2, ... 30", "7 lanes". */
void lane_drawing_lanes_text(uint64_t lanes, char *ret_text, size_t size);

#endif
