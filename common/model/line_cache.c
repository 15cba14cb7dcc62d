#include "common/model/line_cache.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct cache_line {
	uint64_t number;       /* address / bytes of a line */
	uint32_t sectors;      /* bit i: the line has sector i */
	uint32_t newer, older; /* lines in the order of their last use; NONE: there is none */
	uint32_t next;         /* line with the same hash */
};

struct line_cache {
	unsigned line_sectors;
	size_t capacity, count;
	uint32_t newest, oldest;
	size_t bucket_count; /* a power of two */
	uint32_t *buckets;   /* first line of each hash */
	struct cache_line *lines;
};

struct line_cache *line_cache_create(size_t lines, unsigned line_sectors)
{
	struct line_cache *cache = calloc(1, sizeof *cache);

	if (!cache)
		return NULL;
	cache->line_sectors = line_sectors;
	cache->capacity = lines;
	cache->bucket_count = 1;
	while (cache->bucket_count < 2 * lines)
		cache->bucket_count *= 2;
	cache->buckets = malloc(cache->bucket_count * sizeof *cache->buckets);
	cache->lines = malloc(lines * sizeof *cache->lines);
	if (!cache->buckets || !cache->lines) {
		line_cache_destroy(cache);
		return NULL;
	}
	line_cache_clear(cache);
	return cache;
}

void line_cache_destroy(struct line_cache *cache)
{
	if (!cache)
		return;
	free(cache->buckets);
	free(cache->lines);
	free(cache);
}

void line_cache_clear(struct line_cache *cache)
{
	memset(cache->buckets, 0xff, cache->bucket_count * sizeof *cache->buckets);
	cache->count = 0;
	cache->newest = cache->oldest = NONE;
}

static uint32_t *bucket_of(struct line_cache *cache, uint64_t number)
{
	return &cache->buckets[(number * 0x9e3779b97f4a7c15u >> 32) & (cache->bucket_count - 1)];
}

static uint32_t *link_or(struct line_cache *cache, uint32_t index, size_t member, uint32_t *end)
{
	return index == NONE ? end : (uint32_t *)((char *)&cache->lines[index] + member);
}

static void unlink_line(struct line_cache *cache, uint32_t index)
{
	const struct cache_line *line = &cache->lines[index];

	*link_or(cache, line->newer, offsetof(struct cache_line, older), &cache->newest) =
		line->older;
	*link_or(cache, line->older, offsetof(struct cache_line, newer), &cache->oldest) =
		line->newer;
}

static void make_newest(struct line_cache *cache, uint32_t index)
{
	struct cache_line *line = &cache->lines[index];

	line->newer = NONE;
	line->older = cache->newest;
	*link_or(cache, cache->newest, offsetof(struct cache_line, newer), &cache->oldest) = index;
	cache->newest = index;
}

/* Returns a line that is in no list: an unused one, else the oldest. */
static uint32_t take_line(struct line_cache *cache)
{
	if (cache->count < cache->capacity)
		return (uint32_t)cache->count++;
	uint32_t index = cache->oldest;
	uint32_t *link = bucket_of(cache, cache->lines[index].number);
	while (*link != index)
		link = &cache->lines[*link].next;
	*link = cache->lines[index].next;
	unlink_line(cache, index);
	return index;
}

bool line_cache_load(struct line_cache *cache, uint64_t sector)
{
	uint64_t number = sector / cache->line_sectors;
	uint32_t bit = (uint32_t)1 << sector % cache->line_sectors;
	uint32_t *bucket = bucket_of(cache, number), index = *bucket;

	while (index != NONE && cache->lines[index].number != number)
		index = cache->lines[index].next;
	if (index == NONE) {
		index = take_line(cache);
		cache->lines[index] = (struct cache_line){.number = number, .next = *bucket};
		*bucket = index;
	} else {
		unlink_line(cache, index);
	}
	make_newest(cache, index);
	bool misses = !(cache->lines[index].sectors & bit);
	cache->lines[index].sectors |= bit;
	return misses;
}
