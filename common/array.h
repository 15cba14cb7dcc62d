/* Arrays that grow. */
#ifndef PMPP_COMMON_ARRAY_H
#define PMPP_COMMON_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Returns the array `items` (NULL: a new array) with room for `count` items of `size` bytes. Returns
 * NULL if there is no memory, and leaves `items` unchanged. Replaces reallocarray(), which macOS
 * lacks. */
static inline void *array_resize(void *items, size_t count, size_t size)
{
	return size && count > SIZE_MAX / size ? NULL : realloc(items, count * size);
}

/* Makes room for one more item in an array of `count` items. array: the address of its pointer. Returns false
 * if there is no memory, and leaves the array unchanged. */
static inline bool array_reserve(void *array, size_t *capacity, size_t count, size_t size)
{
	void *items;
	size_t larger = 2 * *capacity + 32;

	if (count < *capacity)
		return true;
	/* The pointer has another type than void *: it is copied, not read as one. */
	memcpy(&items, array, sizeof items);
	items = array_resize(items, larger, size);
	if (!items)
		return false;
	memcpy(array, &items, sizeof items);
	*capacity = larger;
	return true;
}

/* Appends a zeroed item of `size` bytes to a list, and returns its address. list: a struct { T *items; size_t
 * count; ... } whose capacity is a power of two, so that it follows from the count. Returns NULL if there is no
 * memory, and leaves the list unchanged. */
static inline void *array_add(void *list, size_t size)
{
	struct {
		char *items;
		size_t count;
	} raw;

	/* The pointer has another type than char *: it is copied, not read as one. */
	memcpy(&raw, list, sizeof raw);
	if ((raw.count & (raw.count - 1)) == 0)
		raw.items = array_resize(raw.items, raw.count ? 2 * raw.count : 1, size);
	if (!raw.items)
		return NULL;
	char *item = raw.items + raw.count++ * size;
	memcpy(list, &raw, sizeof raw);
	return memset(item, 0, size);
}

#endif
