#include "host/cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/report/console.h"
#include "host/results/file.h"

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *encode_needs(unsigned needs)
{
	json_t *list = json_array();

	for (unsigned bit = 1; bit && needs; bit <<= 1)
		if (needs & bit) {
			json_array_append_new(list, json_string(pmpp_capability_text(bit)));
			needs &= ~bit;
		}
	return list;
}

static json_t *encode_tunables(const struct variant *variant)
{
	json_t *tunables = json_object();

	for (const struct macro *macro = variant->macros; macro->name; macro++) {
		json_t *choices = json_array();
		for (const int *choice = macro->choices; choice && *choice; choice++)
			json_array_append_new(choices, json_integer(*choice));
		if (macro->choices)
			json_object_set_new(tunables, macro->name,
				json_pack(
					"{s:i, s:O}", "default", macro->value, "choices", choices));
		json_decref(choices);
	}
	return tunables;
}

static json_t *encode_variant(const struct variant *variant)
{
	json_t *claim =
		variant->claim.text
			? json_pack("{s:s, s:f, s:f}", "text", variant->claim.text, "at_least",
				  variant->claim.at_least, "at_most", variant->claim.at_most)
			: json_null();

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:o, s:o, s:s, s:b, s:o}", "name",
		variant->name, "technique", variant->technique, "idea", variant->idea, "book",
		variant->book, "file", variant->file, "entry", variant->entry, "base",
		variant->base, "needs", encode_needs(variant->needs), "tunables",
		encode_tunables(variant), "repro", reproducibility_name(variant->repro),
		"one_sided", variant->one_sided, "claim", claim);
}

static json_t *encode_names(const char *const names[PMPP_MAX_CHOICES])
{
	json_t *list = json_array();

	for (size_t i = 0; i < PMPP_MAX_CHOICES && names[i]; i++)
		json_array_append_new(list, json_string(names[i]));
	return list;
}

static json_t *encode_dtypes(const struct family *family)
{
	json_t *list = json_array();

	for (size_t i = 0; i < family->dtype_count; i++)
		json_array_append_new(list, json_string(dtype_info(family->dtypes[i])->name));
	if (family->dtype_count == 0)
		json_array_append_new(list, json_string(dtype_info(DTYPE_F32)->name));
	return list;
}

static json_t *encode_family(const struct family *family)
{
	json_t *variants = json_array();
	json_t *dims = json_array();

	for (size_t i = 0; i < family->variant_count; i++)
		json_array_append_new(variants, encode_variant(&family->variants[i]));
	for (size_t i = 0; i < family->dim_count; i++)
		json_array_append_new(dims, json_string(family->dim_names[i]));
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", family->name,
		"title", family->title, "problem", family->problem, "book", family->book,
		"dimensions", dims, "dtypes", encode_dtypes(family), "ops",
		encode_names(family->ops), "data", encode_names(family->kinds), "variants",
		variants);
}

/* ---- Text ---------------------------------------------------------------------------------- */

static void tunables_text(const struct variant *variant, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (const struct macro *macro = variant->macros; macro->name && used < size; macro++)
		if (macro->choices)
			used += (size_t)snprintf(text + used, size - used, "%s%s=%d",
				used ? " " : "", macro->name, macro->value);
}

static void put_names(const char *option, const char *const names[PMPP_MAX_CHOICES])
{
	for (size_t i = 0; i < PMPP_MAX_CHOICES && names[i]; i++)
		printf("%s%s", i ? ", " : option, names[i]);
}

/* "--dtype f32, i32  --op sum, max, min" */
static void put_choices(const struct family *family)
{
	if (family->dtype_count + (family->ops[0] != NULL) + (family->kinds[0] != NULL) == 0)
		return;
	for (size_t i = 0; i < family->dtype_count; i++)
		printf("%s%s", i ? ", " : "  --dtype ", dtype_info(family->dtypes[i])->name);
	put_names("  --op ", family->ops);
	put_names("  --data ", family->kinds);
	putchar('\n');
}

static void put_family(const struct family *family, bool colour)
{
	int name_width = 7;
	int technique_width = 9;

	for (size_t i = 0; i < family->variant_count; i++) {
		int name = (int)strlen(family->variants[i].name);
		int technique = (int)strlen(family->variants[i].technique);
		name_width = name > name_width ? name : name_width;
		technique_width = technique > technique_width ? technique : technique_width;
	}
	printf("%s%s%s  %s  (%s)\n  %s\n", style_code(colour, STYLE_BOLD), family->name,
		style_code(colour, STYLE_PLAIN), family->title, family->book, family->problem);
	put_choices(family);
	for (size_t i = 0; i < family->variant_count; i++) {
		const struct variant *variant = &family->variants[i];
		char tunables[128];
		tunables_text(variant, tunables, sizeof tunables);
		printf("  %-*s  %-*s  %s%s%s\n", name_width, variant->name, technique_width,
			variant->technique, tunables, variant->needs ? "  needs " : "",
			variant->needs ? pmpp_capability_text(variant->needs) : "");
	}
}

/* ---- Command ------------------------------------------------------------------------------- */

enum pmpp_status cmd_list(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	static const char *const all[] = {"all"};
	struct target_list targets = {0};
	json_t *list = json_array();
	json_t *document = NULL;
	bool stdout_taken = options->json && strcmp(options->json, "-") == 0;
	size_t count = options->argument_count;
	enum pmpp_status status =
		targets_parse(count ? options->arguments : all, count ? count : 1, &targets, error);

	for (size_t i = 0; i < targets.count && status == PMPP_OK; i++) {
		json_array_append_new(list, encode_family(targets.items[i].family));
		if (stdout_taken || options->quiet)
			continue;
		fputs(i ? "\n" : "", stdout);
		put_family(targets.items[i].family, console_wants_colour(options, stdout));
	}
	if (status == PMPP_OK && options->json) {
		document = json_pack("{s:s, s:O}", "schema", "pmpp-list/1", "families", list);
		status = output_json(options->json, document, error);
	}
	json_decref(document);
	json_decref(list);
	targets_finish(&targets);
	*ret_exit = EXIT_CODE_OK;
	return status;
}
