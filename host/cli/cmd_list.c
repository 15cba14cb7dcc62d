#include "host/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "host/record/document.h"
#include "host/record/listing.h"
#include "host/report/table.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

/* ---- Records ------------------------------------------------------------------------------- */

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

/* Appends a family with `count` of its variants. */
static enum pmpp_status add_family(struct listing_document *document, const struct family *family,
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
	return stored ? PMPP_OK : PMPP_NO_MEMORY(error, "the list of %s", family->name);
}

/* ---- Text ---------------------------------------------------------------------------------- */

static void tunables_text(const struct variant *variant, char *text, size_t size)
{
	*text = '\0';
	for (const struct macro *macro = variant->macros; macro->name; macro++)
		if (macro->value == MACRO_OF_LANES)
			text_append(text, size, "%s%s=width", *text ? " " : "", macro->name);
		else if (macro->choices)
			text_append(
				text, size, "%s%s=%d", *text ? " " : "", macro->name, macro->value);
}

static void put_names(FILE *out, const char *option, const char *const names[PMPP_MAX_CHOICES])
{
	for (size_t i = 0; i < PMPP_MAX_CHOICES && names[i]; i++)
		fprintf(out, "%s%s", i ? ", " : option, names[i]);
}

/* "--dtype f32, i32  --op sum, max, min" */
static void put_choices(FILE *out, const struct family *family)
{
	if (family->dtype_count + (family->ops[0] != NULL) + (family->data[0] != NULL) == 0)
		return;
	for (size_t i = 0; i < family->dtype_count; i++)
		fprintf(out, "%s%s", i ? ", " : "  --dtype ", dtype_info(family->dtypes[i])->name);
	put_names(out, "  --op ", family->ops);
	put_names(out, "  --data ", family->data);
	fputc('\n', out);
}

/* Prints the family and the selected variants. */
static void put_target(FILE *out, const struct target *target, const struct page_style *style)
{
	static const struct table_column columns[] = {{.title = "variant", .width = 7},
		{.title = "technique", .width = 9},
		{.title = "tunables and needs", .align = TABLE_REST}};
	const struct family *family = target->family;
	struct table table;

	fprintf(out, "%s%s%s  %s  (%s)\n  %s\n", style_code(style->colour, STYLE_BOLD),
		family->name, style_code(style->colour, STYLE_PLAIN), family->title, family->book,
		family->size_help);
	put_choices(out, family);
	table_init(&table, columns, sizeof columns / sizeof *columns);
	table.indent = 2;
	table.untitled = true;
	for (size_t i = 0; i < target->variant_count; i++) {
		const struct variant *variant = target->variants[i];
		char tunables[128], needs[300];
		tunables_text(variant, tunables, sizeof tunables);
		pmpp_capability_texts(variant->needs, needs, sizeof needs);
		const char *only = variant->cuda_only   ? "  CUDA only"
				   : variant->one_sided ? "  OpenCL only"
							: "";
		table_row(&table, STYLE_PLAIN);
		table_text(&table, variant->name);
		table_text(&table, variant->technique);
		table_format(&table, "%s%s%s%s", tunables, only, variant->needs ? "  needs " : "",
			variant->needs ? needs : "");
	}
	table_put(&table, out, style);
	table_finish(&table);
}

/* ---- Command ------------------------------------------------------------------------------- */

enum pmpp_status cmd_list(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	static const char *const all[] = {"all"};
	const struct page_style style = terminal_page_style(&options->terminal, stdout);
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stdout, style.width);
	struct target_list targets = {0};
	struct listing_document document;
	size_t count = options->argument_count;
	enum pmpp_status status = document_check_path(options->json, error);

	(void)ret_exit;
	if (status == PMPP_OK)
		status = targets_parse(
			count ? options->arguments : all, count ? count : 1, &targets, error);

	record_init(&listing_document_type, &document);
	text_set(&document.schema, LISTING_SCHEMA);
	for (size_t i = 0; i < targets.count && status == PMPP_OK; i++) {
		const struct target *target = &targets.items[i];

		if (options->json)
			status = add_family(&document, target->family, target->variants,
				target->variant_count, error);
		if (!cli_prints(options))
			continue;
		fputs(i ? "\n" : "", out);
		put_target(out, target, &style);
	}
	wrap_end(&wrap);
	if (status == PMPP_OK)
		status = document_save(
			&listing_document_type, &document, options->json, NULL, error);
	record_finish(&listing_document_type, &document);
	targets_finish(&targets);
	return status;
}
