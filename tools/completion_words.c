#include "tools/manual.h"

#include "common/family.h"
#include "common/model/access_model.h"
#include "common/model/occupancy.h"
#include "host/compare/compare.h"
#include "host/gpu/backends.h"
#include "host/gpu/gpu.h"
#include "host/record/shipped.h"

#include <stdlib.h>
#include <string.h>

/* ---- Values of options --------------------------------------------------------------------- */

static void choices(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	(void)readers;
	for (size_t i = 0; row->choices[i]; i++)
		put(context, row->choices[i]);
}

#define ONE_DEVICE (CMD_PARITY | CMD_EXPLAIN | CMD_CONTRIBUTE)   /* these reject `all` */
#define STORED (CMD_HISTORY | CMD_STORE_EXPORT | CMD_STORE_LIST) /* these read stored results */

/* Whether one of the commands `readers` is not in `without`. */
static bool has_other(unsigned readers, unsigned without)
{
	return (readers & ~without) != 0;
}

/* A contribution has no times of emulators. */
static bool has_backend(unsigned readers, enum gpu_backend_id id)
{
	return !gpu_backend_row(id)->on_request || has_other(readers, CMD_CONTRIBUTE);
}

static void backends(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	(void)row;
	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++)
		/* parity compares another backend with OpenCL. */
		if (has_backend(readers, id) &&
			(id != GPU_BACKEND_OPENCL || has_other(readers, CMD_PARITY)))
			put(context, gpu_backend_name(id));
	if (has_other(readers, ONE_DEVICE))
		put(context, "all");
}

/* "gpu", "cpu", "all", "cuda:0": names of devices are left out, because finding them takes time. */
static void devices(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	char label[40];

	(void)row;
	put(context, "gpu");
	put(context, "cpu");
	if (has_other(readers, ONE_DEVICE))
		put(context, "all");
	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++) {
		if (!has_backend(readers, id) || !has_other(readers, STORED))
			continue;
		/* An OpenCL device has the number of its platform too. */
		snprintf(label, sizeof label, "%s:%s", gpu_backend_name(id),
			id == GPU_BACKEND_OPENCL ? "0.0" : "0");
		put(context, label);
	}
}

static void dtypes(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	(void)row;
	(void)readers;
	for (size_t f = 0; f < family_count; f++)
		for (size_t i = 0; i < families[f]->dtype_count && !families[f]->internal; i++)
			put(context, dtype_info(families[f]->dtypes[i])->name);
}

static void operations(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	(void)row;
	(void)readers;
	for (size_t f = 0; f < family_count; f++)
		for (size_t i = 0; i < PMPP_MAX_CHOICES && families[f]->ops[i]; i++)
			if (!families[f]->internal)
				put(context, families[f]->ops[i]);
}

static void data(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	(void)row;
	(void)readers;
	for (size_t f = 0; f < family_count; f++)
		for (size_t i = 0; i < PMPP_MAX_CHOICES && families[f]->data[i]; i++)
			if (!families[f]->internal)
				put(context, families[f]->data[i]);
}

static void tunables_of(const struct variant *variant, word_fn *put, void *context)
{
	char word[64];

	for (const struct macro *macro = variant->macros; macro->name; macro++)
		if (macro->choices) {
			snprintf(word, sizeof word, "%s=", macro->name);
			put(context, word);
		}
}

static void tunables(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	(void)row;
	(void)readers;
	for (size_t f = 0; f < family_count; f++)
		for (size_t i = 0; i < families[f]->variant_count && !families[f]->internal; i++)
			tunables_of(&families[f]->variants[i], put, context);
}

static void capabilities(
	const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	(void)row;
	(void)readers;
	for (size_t i = 0; i < occupancy_unit_count; i++)
		if (occupancy_units[i].cc)
			put(context, occupancy_units[i].cc);
}

static void models(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	(void)row;
	for (size_t i = 0; access_model_words[i] && has_other(readers, CMD_OCCUPANCY); i++)
		put(context, access_model_words[i]);
	for (size_t i = 0; i < occupancy_unit_count && !has_other(readers, CMD_OCCUPANCY); i++)
		put(context, occupancy_units[i].name);
}

static void fields(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	(void)row;
	for (int field = 0; field < ROW_FAMILY && (readers & CMD_COMPARE); field++)
		put(context, compare_field_name(field));
	if (readers & CMD_REPORT) {
		put(context, compare_field_name(ROW_DEVICE));
		put(context, "model");
	}
}

static void shipped(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct shipped_list list = {0};

	(void)row;
	(void)readers;
	if (shipped_find(&list, &ignored) != PMPP_OK)
		pmpp_error_clear(&ignored);
	for (size_t i = 0; i < list.names.count; i++)
		put(context, list.names.items[i]);
	put(context, "all");
	shipped_finish(&list);
}

void option_words_each(const struct option_row *row, unsigned readers, word_fn *put, void *context)
{
	static void (*const sources[WORDS_COUNT])(
		const struct option_row *row, unsigned readers, word_fn *put, void *context) = {
		[WORDS_CHOICES] = choices,
		[WORDS_BACKENDS] = backends,
		[WORDS_DEVICES] = devices,
		[WORDS_DTYPES] = dtypes,
		[WORDS_OPERATIONS] = operations,
		[WORDS_DATA] = data,
		[WORDS_TUNABLES] = tunables,
		[WORDS_CAPABILITIES] = capabilities,
		[WORDS_MODELS] = models,
		[WORDS_FIELDS] = fields,
		[WORDS_SHIPPED] = shipped,
	};

	if (sources[row->words])
		sources[row->words](row, readers, put, context);
}

/* ---- Text ---------------------------------------------------------------------------------- */

struct word_text {
	FILE *out;
	char seen[4000]; /* " opencl cuda " */
};

static void put_once(void *context, const char *word)
{
	struct word_text *text = context;
	char marked[72];
	size_t used = strlen(text->seen);

	snprintf(marked, sizeof marked, " %s ", word);
	if (strstr(text->seen, marked))
		return;
	fprintf(text->out, "%s%s", used ? " " : "", word);
	snprintf(text->seen + used, sizeof text->seen - used, "%s", marked);
}

void option_words_put(const struct option_row *row, unsigned readers, FILE *out)
{
	struct word_text text = {.out = out};

	option_words_each(row, readers, put_once, &text);
}

void family_words_put(bool variants, FILE *out)
{
	const char *separator = "";

	for (size_t f = 0; f < family_count; f++) {
		const struct family *family = families[f];
		if (family->internal)
			continue;
		fprintf(out, "%s%s", separator, family->name);
		separator = " ";
		for (size_t i = 0; variants && i < family->variant_count; i++)
			fprintf(out, " %s/%s", family->name, family->variants[i].name);
	}
}
