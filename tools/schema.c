#include "tools/schema.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "host/record/comparison.h"
#include "host/record/document.h"
#include "host/record/explanation.h"
#include "host/record/history.h"
#include "host/record/internal.h"
#include "host/record/listing.h"
#include "host/record/measurement.h"
#include "host/record/model.h"
#include "host/record/result.h"
#include "host/record/store.h"

const struct document_type document_types[] = {
	{RESULT_SCHEMA, &result_document_type,
		"`run`, `verify`, `parity` and `roofline` with `--json`"},
	{INVENTORY_SCHEMA, &inventory_document_type, "`devices` with `--json`"},
	{EXPLAIN_SCHEMA, &explain_document_type, "`explain` with `--json`"},
	{COMPARISON_SCHEMA, &comparison_document_type, "`compare` with `--json`"},
	{COUNT_SCHEMA, &count_document_type, "`compare` of explain files with `--json`"},
	{LISTING_SCHEMA, &listing_document_type, "`list` with `--json`"},
	{MODEL_SCHEMA, &model_document_type, "`model` with `--json`"},
	{HISTORY_SCHEMA, &history_document_type, "`history` with `--json`"},
	{STORE_SCHEMA, &store_document_type, "`store export`"},
};
const size_t document_type_count = ARRAY_COUNT(document_types);

/* ---- JSON Schema --------------------------------------------------------------------------- */

static json_t *object_schema(const struct record_type *type);

/* Adds the schema of the members or elements. */
static void add_inside(json_t *schema, const struct record_field *field)
{
	const struct record_kind *kind = &record_kinds[field->kind];
	const char *element = record_kinds[kind->element].json;
	const char *place = kind->named ? "additionalProperties" : "items";

	if (field->kind == FIELD_OBJECT)
		json_object_update_new(schema, object_schema(field->type));
	else if (field->type)
		json_object_set_new(schema, place, object_schema(field->type));
	else if (field->kind == FIELD_NUMBERS)
		json_object_set_new(schema, place, json_pack("{s:[s,s]}", "type", element, "null"));
	else if (kind->named || strcmp(kind->json, "array") == 0)
		json_object_set_new(schema, place, json_pack("{s:s}", "type", element));
	for (size_t i = 0; i < 2 && kind->length && kind->length != LIST; i++)
		json_object_set_new(schema, i ? "maxItems" : "minItems",
			json_integer((json_int_t)kind->length));
	if (field->kind == FIELD_COUNT)
		json_object_set_new(schema, "minimum", json_integer(0));
}

/* The words of a field are examples and not an "enum", because a newer version may add words. */
static json_t *field_schema(const struct record_field *field)
{
	json_t *schema = json_object();
	json_t *examples = json_array();
	const char *json = record_kinds[field->kind].json;

	add_inside(schema, field);
	json_object_set_new(schema, "type",
		field->nullable ? json_pack("[s,s]", json, "null") : json_string(json));
	json_object_set_new(schema, "description",
		field->unit ? json_sprintf("%s (%s)", field->meaning, field->unit)
			    : json_string(field->meaning));
	for (size_t i = 0; field->words && field->words[i]; i++)
		json_array_append_new(examples, field->kind == FIELD_WORDS
							? json_pack("[s]", field->words[i])
							: json_string(field->words[i]));
	if (field->words)
		json_object_set(schema, "examples", examples);
	json_decref(examples);
	return schema;
}

static json_t *object_schema(const struct record_type *type)
{
	json_t *properties = json_object();
	json_t *required = json_array();

	for (size_t i = 0; type->fields()[i].name; i++) {
		const struct record_field *field = &type->fields()[i];
		json_object_set_new(properties, field->name, field_schema(field));
		if (!(field->optional || field->omitted))
			json_array_append_new(required, json_string(field->name));
	}
	return json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required",
		required);
}

char *schema_text(const struct document_type *document)
{
	json_t *schema = json_pack("{s:s, s:s, s:s}", "$schema",
		"https://json-schema.org/draft/2020-12/schema", "title", document->schema,
		"description", document->type->meaning);
	json_t *object = object_schema(document->type);
	json_t *properties = json_object_get(object, "properties");

	json_object_set_new(
		json_object_get(properties, "schema"), "const", json_string(document->schema));
	json_object_update_new(schema, object);
	char *text = json_dumps(schema, JSON_INDENT(1));
	json_decref(schema);
	return text;
}

/* ---- Markdown ------------------------------------------------------------------------------ */

#define MAX_TYPES 256

/* Types that are already on the page. */
struct written {
	const struct record_type *types[MAX_TYPES];
	size_t count;
};

static bool is_written(const struct written *written, const struct record_type *type)
{
	for (size_t i = 0; i < written->count; i++)
		if (written->types[i] == type)
			return true;
	return false;
}

/* The anchor that Markdown gives to a heading. */
static void put_anchor(FILE *out, const char *heading)
{
	for (const char *at = heading; *at; at++)
		if (isalnum((unsigned char)*at) || *at == '-' || *at == '_')
			fputc(tolower((unsigned char)*at), out);
		else if (*at == ' ')
			fputc('-', out);
}

static void put_link(FILE *out, const char *heading)
{
	fprintf(out, "[%s](#", heading);
	put_anchor(out, heading);
	fputc(')', out);
}

static void put_words(FILE *out, const struct record_field *field)
{
	for (size_t i = 0; field->words && field->words[i]; i++) {
		fputs(i ? ", " : ". Words: ", out);
		if (*field->words[i])
			fprintf(out, "`%s`", field->words[i]);
		else
			fputs("empty text", out);
	}
}

static void put_value(FILE *out, const struct record_field *field)
{
	fputs(record_kinds[field->kind].words, out);
	if (field->type) {
		fputs(": ", out);
		put_link(out, field->type->name);
	}
	if (field->nullable)
		fputs(field->type ? ", or null" : " or null", out);
	if (field->optional || field->omitted)
		fputs("; may be absent", out);
}

static void put_field(FILE *out, const struct record_field *field)
{
	fprintf(out, "| `%s` | ", field->name);
	put_value(out, field);
	fprintf(out, " | %s | %s", field->unit ? field->unit : "", field->meaning);
	put_words(out, field);
	fputs(" |\n", out);
}

/* Writes the type, then the types of its members. Each type is written once. */
static void put_type(FILE *out, const struct record_type *type, struct written *written)
{
	if (is_written(written, type))
		return;
	assert(written->count < MAX_TYPES);
	written->types[written->count++] = type;
	fprintf(out, "\n### %s\n\n%c%s.\n\n", type->name,
		type->meaning[0] - ('a' <= type->meaning[0] && type->meaning[0] <= 'z' ? 32 : 0),
		type->meaning + 1);
	fputs("| key | value | unit | meaning |\n|---|---|---|---|\n", out);
	for (size_t i = 0; type->fields()[i].name; i++)
		put_field(out, &type->fields()[i]);
	for (size_t i = 0; type->fields()[i].name; i++)
		if (type->fields()[i].type)
			put_type(out, type->fields()[i].type, written);
}

/* The table of files. */
static void put_files(FILE *out)
{
	fputs("# Result format\n\n"
	      "`pmpp-run` writes these JSON files:\n\n"
	      "| `schema` in the file | written by | JSON Schema |\n|---|---|---|\n",
		out);
	for (size_t i = 0; i < document_type_count; i++) {
		const struct document_type *document = &document_types[i];
		int name = (int)strcspn(document->schema, "/");
		fputs("| ", out);
		put_link(out, document->schema);
		fprintf(out, " | %s | [%.*s](schema/%.*s-%s.schema.json) |\n", document->writer,
			name, document->schema, name, document->schema,
			document->schema + name + 1);
	}
}

static const char limits[] =
	"\n"
	"`build/formats docs` generates this page and the JSON Schema files from the lists of\n"
	"records in `host/record/`. Do not edit them. [reading-files.md](reading-files.md) has the\n"
	"rules for programs that read the files, and explains the columns of the tables.\n"
	"\n"
	"`pmpp-run` rejects a file that exceeds one of these limits:\n"
	"\n"
	"| what | limit |\n"
	"|---|---|\n"
	"| size of a file, or of the data from a pipe or device | %d MB |\n"
	"| number of values | %d, about one per 8 bytes |\n"
	"| nested objects and arrays | %d levels |\n"
	"| keys of `problem` or `macros` | %d keys |\n"
	"| memory for the text | the memory that the process can allocate |\n";

char *schema_markdown(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct written written = {.count = 0};

	if (!out)
		return NULL;
	put_files(out);
	fprintf(out, limits, DOCUMENT_MAX_BYTES / 1000000, JSON_MAX_VALUES, JSON_MAX_DEPTH,
		RECORD_MAX_NAMES);
	for (size_t i = 0; i < document_type_count; i++) {
		const struct document_type *document = &document_types[i];
		fprintf(out, "\n## %s\n\nWritten by %s.\n", document->schema, document->writer);
		put_type(out, document->type, &written);
	}
	fclose(out);
	return text;
}
