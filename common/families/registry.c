#include "common/family.h"

#include "common/own/kernel.h"

#include <string.h>

/* All families, in the order of `list`. The file of a family is common/families/<name>.c. A new
 * family also needs a line in common/meson.build. */
#define FAMILY_MAP(XX)   \
	XX(matmul)       \
	XX(coalesce)     \
	XX(vecadd)       \
	XX(traverse)     \
	XX(transpose)    \
	XX(camping)      \
	XX(reduce)       \
	XX(divergence)   \
	XX(grayscale)    \
	XX(histogram)    \
	XX(window)       \
	XX(softmax)      \
	XX(prefetch)     \
	XX(instructions) \
	XX(occupancy)    \
	XX(latency)      \
	XX(audit)        \
	XX(roof)

#define XX(name) extern const struct family family_##name;
FAMILY_MAP(XX)
#undef XX

const struct family *const families[] = {
#define XX(name) &family_##name,
	FAMILY_MAP(XX)
#undef XX
};
const size_t family_count = sizeof families / sizeof *families;

static const struct family *own_family;

void family_set_own(const struct family *family)
{
	own_family = family;
}

const struct family *family_find(const char *name)
{
	if (own_family && strcmp(own_family->name, name) == 0)
		return own_family;
	for (size_t i = 0; i < family_count; i++)
		if (strcmp(families[i]->name, name) == 0)
			return families[i];
	return NULL;
}

const struct variant *variant_find(const struct family *family, const char *name)
{
	for (size_t i = 0; i < family->variant_count; i++)
		if (strcmp(family->variants[i].name, name) == 0)
			return &family->variants[i];
	return NULL;
}

static bool is_in(const struct variant *variant, const struct variant *rows, size_t count)
{
	return variant >= rows && variant < rows + count;
}

bool peer_suits(const struct variant *peer, const struct variant *variant)
{
	return variant->peer == PEER_NONE && variant->rounding == peer->rounding &&
	       variant->by_columns == peer->by_columns;
}

const struct family *variant_family(const struct variant *variant)
{
	if (variant->own)
		return variant->own->family;
	for (size_t i = 0; i < family_count; i++)
		if (is_in(variant, families[i]->variants, families[i]->variant_count) ||
			is_in(variant, families[i]->peers, families[i]->peer_count))
			return families[i];
	return NULL;
}

bool variant_solves_family(const char *family, const char *variant)
{
	const struct family *found = family_find(family);
	const struct variant *row = found ? variant_find(found, variant) : NULL;

	return !row || (found->reference && row->rounding == ROUND_NONE && !row->by_columns);
}
