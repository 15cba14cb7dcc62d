#include "host/record/identity.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each part begins with its length, so that two different lists of parts never give the same
 * text. */
static void put_text(FILE *out, const char *text)
{
	fprintf(out, "%zu:%s,", strlen(text_or_empty(text)), text_or_empty(text));
}

/* Returns false if there is no memory. */
static bool put_named(FILE *out, const struct named_list *list)
{
	struct named_value *sorted = named_list_sorted(list);

	if (!sorted)
		return false;
	fprintf(out, "%zu:", list->count);
	for (size_t i = 0; i < list->count; i++) {
		put_text(out, sorted[i].name);
		fprintf(out, "%lld,", (long long)sorted[i].value);
	}
	free(sorted);
	return true;
}

/* Appends the texts, then the two lists. */
static char *identity_of(const char *const *texts, size_t count, const struct named_list *problem,
	const struct named_list *macros)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < count; i++)
		put_text(out, texts[i]);
	bool whole = put_named(out, problem) && put_named(out, macros) && !ferror(out);
	if (fclose(out) == 0 && whole)
		return text;
	free(text);
	return NULL;
}

char *result_row_identity(const struct result_row *row)
{
	const char *const texts[] = {row->family, row->variant, row->backend, row->device,
		row->dtype, row->op, row->data, row->build.math, row->timing.contract};

	return identity_of(texts, sizeof texts / sizeof *texts, &row->problem, &row->macros);
}

char *parity_row_identity(const struct parity_row *row)
{
	const struct text_list *backends = &row->backends;
	const char *const texts[] = {row->family, row->variant, row->device,
		backends->count > 0 ? backends->items[0] : NULL,
		backends->count > 1 ? backends->items[1] : NULL};

	return identity_of(texts, sizeof texts / sizeof *texts, &row->problem, &row->macros);
}

/* ---- Numbers -------------------------------------------------------------------------------- */

bool row_numbers_add(struct row_numbers *numbers, const char *identity, size_t *ret_again)
{
	json_t *counts = numbers->counts ? (json_t *)numbers->counts : json_object();

	numbers->counts = (struct record_extra *)counts;
	*ret_again = (size_t)json_integer_value(json_object_get(counts, identity));
	return json_object_set_new(counts, identity, json_integer((json_int_t)*ret_again + 1)) == 0;
}

void row_numbers_finish(struct row_numbers *numbers)
{
	json_decref((json_t *)numbers->counts);
	numbers->counts = NULL;
}
