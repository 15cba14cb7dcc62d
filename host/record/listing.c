#include "host/record/listing.h"

#include "common/capability.h"

/* ---- Tables -------------------------------------------------------------------------------- */

static const char *const capability_words[] = {
#define XX(name, bit, text) [bit] = text,
	PMPP_CAPABILITY_MAP(XX)
#undef XX
		NULL};

#define RECORD_TYPES
#define RECORDS "host/record/listing.def"
#include "common/records.inc"

/* ---- Filling ------------------------------------------------------------------------------- */

static bool fill_tunables(const struct macro *macro, struct list_tunable_list *list)
{
	bool stored = true;

	for (; macro->name && stored; macro++) {
		if (!macro->choices)
			continue;
		struct tunable_record *tunable = record_list_add(&list_tunable_type, list);
		if (!tunable)
			return false;
		text_set(&tunable->name, macro->name);
		tunable->value = macro_default(macro, &kernel_shape_reference);
		for (const int *choice = macro->choices; *choice && stored; choice++)
			stored = integer_list_add(&tunable->choices, *choice);
	}
	return stored;
}

static bool fill_variant(const struct variant *variant, struct variant_record *record)
{
	char meant_for[160];

	text_set(&record->name, variant->name);
	text_set(&record->technique, variant->technique);
	text_set(&record->idea, variant->idea);
	text_set(&record->book, variant->book);
	text_set(&record->file, variant->file);
	text_set(&record->entry, variant->entry);
	text_set(&record->base, variant->base);
	record->needs = variant->needs;
	text_set(&record->repro, reproducibility_name(variant->repro));
	record->one_sided = variant->one_sided;
	record->cuda_only = variant->cuda_only;
	record->claim.record.present = variant->claim.text != NULL;
	text_set(&record->claim.text, variant->claim.text);
	record->claim.at_least = variant->claim.at_least;
	record->claim.at_most = variant->claim.at_most;
	claim_needs_text(variant->claim.needs, meant_for, sizeof meant_for);
	text_set_known(&record->claim.meant_for, meant_for);
	return fill_tunables(variant->macros, &record->tunables);
}

static bool fill_dtypes(const struct family *family, struct text_list *list)
{
	bool stored = family->dtype_count || text_list_add(list, dtype_info(DTYPE_F32)->name);

	for (size_t i = 0; i < family->dtype_count && stored; i++)
		stored = text_list_add(list, dtype_info(family->dtypes[i])->name);
	return stored;
}

/* Appends the texts of a list that ends with NULL. */
static bool fill_names(const char *const *names, size_t count, struct text_list *list)
{
	bool stored = true;

	for (size_t i = 0; i < count && names[i] && stored; i++)
		stored = text_list_add(list, names[i]);
	return stored;
}

enum pmpp_status listing_add_family(struct listing_document *document, const struct family *family,
	const struct variant *const *variants, size_t count, struct pmpp_error *error)
{
	struct family_record *record = record_list_add(&family_type, &document->families);
	bool stored = record != NULL;

	if (stored) {
		text_set(&record->name, family->name);
		text_set(&record->title, family->title);
		text_set(&record->problem, family->size_help);
		text_set(&record->book, family->book);
		stored = fill_names(family->dim_names, family->dim_count, &record->dimensions) &&
			 fill_dtypes(family, &record->dtypes) &&
			 fill_names(family->ops, PMPP_MAX_CHOICES, &record->ops) &&
			 fill_names(family->data, PMPP_MAX_CHOICES, &record->data);
	}
	for (size_t i = 0; i < count && stored; i++) {
		struct variant_record *variant = record_list_add(&variant_type, &record->variants);
		stored = variant && fill_variant(variants[i], variant);
	}
	return stored ? PMPP_OK
		      : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the list of %s",
				family->name);
}
