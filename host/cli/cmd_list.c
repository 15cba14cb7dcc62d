#include "host/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "host/record/document.h"
#include "host/record/listing.h"
#include "host/report/table.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

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
	const struct page_style style = {
		.colour = terminal_wants_colour(options->terminal.colour, stdout),
		.width = terminal_width(stdout)};
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stdout, style.width);
	struct target_list targets = {0};
	struct listing_document document;
	size_t count = options->argument_count;
	enum pmpp_status status =
		options->json ? document_check_path(options->json, error) : PMPP_OK;

	(void)ret_exit;
	if (status == PMPP_OK)
		status = targets_parse(
			count ? options->arguments : all, count ? count : 1, &targets, error);

	record_init(&listing_document_type, &document);
	text_set(&document.schema, LISTING_SCHEMA);
	for (size_t i = 0; i < targets.count && status == PMPP_OK; i++) {
		const struct target *target = &targets.items[i];

		if (options->json)
			status = listing_add_family(&document, target->family, target->variants,
				target->variant_count, error);
		if (!cli_prints(options))
			continue;
		fputs(i ? "\n" : "", out);
		put_target(out, target, &style);
	}
	wrap_end(&wrap);
	if (status == PMPP_OK && options->json)
		status = document_save(
			&listing_document_type, &document, options->json, NULL, error);
	record_finish(&listing_document_type, &document);
	targets_finish(&targets);
	return status;
}
