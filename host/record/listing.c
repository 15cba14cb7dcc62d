#include "host/record/listing.h"

#include "common/capability.h"

/* ---- Tables -------------------------------------------------------------------------------- */

static const struct record_field tunable_fields[] = {
	{.name = "default",
		.kind = FIELD_INTEGER,
		.offset = offsetof(struct tunable_record, value),
		.since = "0.1",
		.meaning = "value without --set"},
	MEMBER(struct tunable_record, choices, INTEGERS, 0, NULL, "0.1",
		"values that --set accepts"),
};

static const struct record_type tunable_type = {"tunable", "a macro that --set can change",
	sizeof(struct tunable_record), tunable_fields, MEMBER_COUNT(tunable_fields),
	offsetof(struct tunable_record, name)};

static const struct record_field claim_limits_fields[] = {
	MEMBER(struct claim_limits_record, text, TEXT, 0, NULL, "0.1",
		"the claim as text; it compares speeds"),
	MEMBER(struct claim_limits_record, at_least, NUMBER, 0, "1", "0.1",
		"minimum ratio of times; 0: no minimum"),
	MEMBER(struct claim_limits_record, at_most, NUMBER, 0, "1", "0.1",
		"maximum ratio of times; 0: no maximum"),
	MEMBER(struct claim_limits_record, meant_for, TEXT, FIELD_OMITTED, NULL, "0.1",
		"what a GPU must have, or the claim is not applicable; absent: nothing"),
};

static const struct record_type claim_limits_type = {"claim limits",
	"the speed-up that the book claims for a variant", sizeof(struct claim_limits_record),
	claim_limits_fields, MEMBER_COUNT(claim_limits_fields), 0};

static const char *const capability_words[] = {
#define XX(name, bit, text) [bit] = text,
	PMPP_CAPABILITY_MAP(XX)
#undef XX
		NULL};

static const struct record_field variant_fields[] = {
	MEMBER(struct variant_record, name, TEXT, 0, NULL, "0.1", "name"),
	MEMBER(struct variant_record, technique, TEXT, 0, NULL, "0.1",
		"optimisation that the variant adds"),
	MEMBER(struct variant_record, idea, TEXT, 0, NULL, "0.1", "the idea in one sentence"),
	MEMBER(struct variant_record, book, TEXT, 0, NULL, "0.1", "place in the book"),
	MEMBER(struct variant_record, file, TEXT, 0, NULL, "0.1",
		"name of the kernel file, without extension"),
	MEMBER(struct variant_record, entry, TEXT, 0, NULL, "0.1", "kernel function of that file"),
	MEMBER(struct variant_record, base, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"the variant that it builds on; null: none"),
	MEMBER_IN(struct variant_record, needs, WORDS, 0, capability_words, "0.1",
		"features that the variant needs"),
	MEMBER_OF(struct variant_record, tunables, KEYED, 0, tunable_type, "0.1",
		"macros that --set can change, by name"),
	MEMBER(struct variant_record, repro, TEXT, 0, NULL, "0.1",
		"promise of equal bits: bitwise (on every engine), run (on one engine) or "
		"bound (none)"),
	MEMBER(struct variant_record, one_sided, BOOL, 0, NULL, "0.1",
		"true: the variant has only an OpenCL kernel"),
	MEMBER(struct variant_record, cuda_only, BOOL, FIELD_OPTIONAL, NULL, "0.1",
		"true: the variant has only a CUDA kernel"),
	MEMBER_OF(struct variant_record, claim, OBJECT, FIELD_NULLABLE, claim_limits_type, "0.1",
		"claim of the book; null: none"),
};

static const struct record_type variant_type = {"variant", "a kernel pair of a family",
	sizeof(struct variant_record), variant_fields, MEMBER_COUNT(variant_fields), 0};

static const struct record_field family_fields[] = {
	MEMBER(struct family_record, name, TEXT, 0, NULL, "0.1", "name"),
	MEMBER(struct family_record, title, TEXT, 0, NULL, "0.1", "the problem as a formula"),
	MEMBER(struct family_record, problem, TEXT, 0, NULL, "0.1",
		"operands, order of sizes and valid range"),
	MEMBER(struct family_record, book, TEXT, 0, NULL, "0.1", "place in the book"),
	MEMBER(struct family_record, dimensions, TEXTS, 0, NULL, "0.1",
		"names of the dimensions, in the order of --size"),
	MEMBER(struct family_record, dtypes, TEXTS, 0, NULL, "0.1",
		"values of --dtype, the default first"),
	MEMBER(struct family_record, ops, TEXTS, 0, NULL, "0.1",
		"values of --op, the default first"),
	MEMBER(struct family_record, data, TEXTS, 0, NULL, "0.1",
		"values of --data, the default first"),
	MEMBER_OF(struct family_record, variants, OBJECTS, 0, variant_type, "0.1",
		"the variants in ladder order"),
};

static const struct record_type family_type = {"family", "variants that solve one problem",
	sizeof(struct family_record), family_fields, MEMBER_COUNT(family_fields), 0};

static const struct record_field listing_fields[] = {
	MEMBER(struct listing_document, schema, TEXT, 0, NULL, "0.1", "name and major version"),
	MEMBER_OF(struct listing_document, families, OBJECTS, 0, family_type, "0.1",
		"the chosen families"),
};

const struct record_type listing_document_type = {"listing", "families and their variants",
	sizeof(struct listing_document), listing_fields, MEMBER_COUNT(listing_fields), 0};

/* ---- Filling ------------------------------------------------------------------------------- */

static bool fill_tunables(const struct macro *macro, struct tunable_record_list *list)
{
	bool stored = true;

	for (; macro->name && stored; macro++) {
		struct tunable_record *tunable =
			macro->choices ? record_list_add(&tunable_type, list) : NULL;
		if (!tunable) {
			stored = !macro->choices;
			continue;
		}
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
