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

#endif
