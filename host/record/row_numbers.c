#include "host/record/row_numbers.h"

#include "common/array.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct row_identity {
	const char *text; /* points to own_text, or to the text of a search */
	size_t count;     /* number of rows */
	char own_text[];
};

static int compare(const void *a, const void *b)
{
	return strcmp(
		((const struct row_identity *)a)->text, ((const struct row_identity *)b)->text);
}

/* Adds an identity without rows to the tree. Returns NULL if there is no memory. */
static struct row_identity *add_identity(struct row_numbers *numbers, const char *text)
{
	size_t size = strlen(text) + 1;
	struct row_identity *identity = malloc(sizeof *identity + size);

	if (!identity)
		return NULL;
	memcpy(identity->own_text, text, size);
	identity->text = identity->own_text;
	identity->count = 0;
	if (!tsearch(identity, &numbers->tree, compare)) {
		free(identity);
		return NULL;
	}
	return identity;
}

bool row_numbers_add(struct row_numbers *numbers, const char *identity)
{
	const struct row_identity key = {.text = identity};

	if (numbers->count == numbers->capacity) {
		size_t capacity = 2 * numbers->capacity + 64;
		struct row_number *larger = array_resize(numbers->items, capacity, sizeof *larger);
		if (!larger)
			return false;
		numbers->items = larger;
		numbers->capacity = capacity;
	}
	struct row_identity **found = tfind(&key, &numbers->tree, compare);
	struct row_identity *known = found ? *found : add_identity(numbers, identity);
	if (!known)
		return false;
	numbers->items[numbers->count++] = (struct row_number){known, known->count++};
	return true;
}

const char *row_numbers_identity(const struct row_numbers *numbers, size_t row)
{
	return numbers->items[row].identity->text;
}

void row_numbers_finish(struct row_numbers *numbers)
{
	/* tdestroy() exists only in the GNU C library and musl. */
	while (numbers->tree) {
		struct row_identity *identity = *(struct row_identity **)numbers->tree;
		tdelete(identity, &numbers->tree, compare);
		free(identity);
	}
	free(numbers->items);
	*numbers = (struct row_numbers){0};
}
