/* Arrays that grow. */
#ifndef PMPP_COMMON_ARRAY_H
#define PMPP_COMMON_ARRAY_H

#include <stdint.h>
#include <stdlib.h>

/* Returns the array `items` (NULL: a new array) with room for `count` items of `size` bytes. Returns
 * NULL if there is no memory, and leaves `items` unchanged. Replaces reallocarray(), which macOS
 * lacks. */
static inline void *array_resize(void *items, size_t count, size_t size)
{
	return size && count > SIZE_MAX / size ? NULL : realloc(items, count * size);
}

#endif
