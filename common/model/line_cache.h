/*
 * A first-level cache: lines with sectors. A load fetches the sectors that its line does not have. The
 * least recently used line is replaced (LRU). The number of different lines used since the last use of
 * a line is its stack distance. A load hits if this distance is less than the lines of the cache (R.
 * Mattson, J. Gecsei, D. Slutz, I. Traiger, Evaluation techniques for storage hierarchies, IBM
 * Systems Journal 9(2), 1970). The cache is fully associative: it has no conflict misses.
 */
#ifndef PMPP_COMMON_MODEL_LINE_CACHE_H
#define PMPP_COMMON_MODEL_LINE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_cache;

/* lines: of the cache, at least one. line_sectors: sectors of a line. NULL for lack of memory. */
struct line_cache *line_cache_create(size_t lines, unsigned line_sectors);
void line_cache_destroy(struct line_cache *cache);

/* Loads one sector: address / bytes of a sector. Returns whether it must be fetched. */
bool line_cache_load(struct line_cache *cache, uint64_t sector);

/* Removes all lines. */
void line_cache_clear(struct line_cache *cache);

#endif
