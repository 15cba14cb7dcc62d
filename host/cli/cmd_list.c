#include "host/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/record/document.h"
#include "host/record/listing.h"
#include "host/report/format.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

/* ---- Text ---------------------------------------------------------------------------------- */

static void tunables_text(const struct variant *variant, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (const struct macro *macro = variant->macros; macro->name && used < size; macro++) {
		const char *space = used ? " " : "";

		if (macro->value == MACRO_OF_LANES)
			used += (size_t)snprintf(
				text + used, size - used, "%s%s=width", space, macro->name);
		else if (macro->choices)
			used += (size_t)snprintf(text + used, size - used, "%s%s=%d", space,
				macro->name, macro->value);
	}
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
static void put_target(FILE *out, const struct target *target, bool colour)
{
	const struct family *family = target->family;
	int name_width = 7;
	int technique_width = 9;

	for (size_t i = 0; i < target->variant_count; i++) {
		int name = (int)strlen(target->variants[i]->name);
		int technique = (int)strlen(target->variants[i]->technique);
		name_width = name > name_width ? name : name_width;
		technique_width = technique > technique_width ? technique : technique_width;
	}
	fprintf(out, "%s%s%s  %s  (%s)\n  %s\n", style_code(colour, STYLE_BOLD), family->name,
		style_code(colour, STYLE_PLAIN), family->title, family->book, family->size_help);
	put_choices(out, family);
	for (size_t i = 0; i < target->variant_count; i++) {
		const struct variant *variant = target->variants[i];
		char tunables[128], needs[300];
		tunables_text(variant, tunables, sizeof tunables);
		pmpp_capability_texts(variant->needs, needs, sizeof needs);
		const char *only = variant->cuda_only   ? "  CUDA only"
				   : variant->one_sided ? "  OpenCL only"
							: "";
		fprintf(out, "  %-*s  %-*s  %s%s%s%s\n", name_width, variant->name, technique_width,
			variant->technique, tunables, only, variant->needs ? "  needs " : "",
			variant->needs ? needs : "");
	}
}

/* ---- Command ------------------------------------------------------------------------------- */

enum pmpp_status cmd_list(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	static const char *const all[] = {"all"};
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stdout, terminal_width(stdout));
	struct target_list targets = {0};
	struct listing_document document;
	bool stdout_taken = options->json && strcmp(options->json, "-") == 0;
	size_t count = options->argument_count;
	enum pmpp_status status =
		options->json ? document_check_path(options->json, error) : PMPP_OK;

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
		if (stdout_taken || options->terminal.quiet)
			continue;
		fputs(i ? "\n" : "", out);
		put_target(out, target, terminal_wants_colour(options->terminal.colour, stdout));
	}
	wrap_end(&wrap);
	if (status == PMPP_OK && options->json)
		status = document_save(&listing_document_type, &document, options->json, error);
	record_finish(&listing_document_type, &document);
	targets_finish(&targets);
	*ret_exit = EXIT_CODE_OK;
	return status;
}
