/* Loops over all variants of all families. */
#ifndef PMPP_TESTS_SUPPORT_VARIANTS_H
#define PMPP_TESTS_SUPPORT_VARIANTS_H

#include "common/family.h"

/* EACH_VARIANT (variant) statement: for each variant of a family, in order. */
#define EACH_VARIANT(variant)                                                                     \
	for (size_t family_ = 0; family_ < family_count; family_++)                               \
		for (const struct variant *variant = families[family_]->variants;                 \
			variant < families[family_]->variants + families[family_]->variant_count; \
			variant++)

#endif
