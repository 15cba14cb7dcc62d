#include "host/record/schema.h"

#include <assert.h>
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "host/record/comparison.h"
#include "host/record/document.h"
#include "host/record/explanation.h"
#include "host/record/history.h"
#include "host/record/inventory.h"
#include "host/record/json.h"
#include "host/record/listing.h"
#include "host/record/model.h"
#include "host/record/result.h"
#include "host/record/store_file.h"

const struct document_type document_types[] = {
	{RESULT_SCHEMA, &result_document_type,
		"`run`, `verify`, `parity` and `roofline` with `--json`"},
	{INVENTORY_SCHEMA, &inventory_document_type, "`devices` with `--json`"},
	{EXPLAIN_SCHEMA, &explain_document_type, "`explain` with `--json`"},
	{COMPARISON_SCHEMA, &comparison_document_type, "`compare` with `--json`"},
	{LISTING_SCHEMA, &listing_document_type, "`list` with `--json`"},
	{MODEL_SCHEMA, &model_document_type, "`model` with `--json`"},
	{HISTORY_SCHEMA, &history_document_type, "`history` with `--json`"},
	{STORE_SCHEMA, &store_document_type, "`store export`"},
};
const size_t document_type_count = ARRAY_COUNT(document_types);

/* ---- Kinds --------------------------------------------------------------------------------- */

/* A kind of field in JSON Schema and in Markdown. */
static const struct {
	const char *json;  /* "type" of the value */
	const char *words; /* in Markdown */
	const char *items; /* "type" of the elements of an array, or of the values of an object */
} kinds[] = {
	[FIELD_TEXT] = {"string", "text", NULL},
	[FIELD_BOOL] = {"boolean", "boolean", NULL},
	[FIELD_TRUTH] = {"boolean", "boolean", NULL},
	[FIELD_INTEGER] = {"integer", "integer", NULL},
	[FIELD_COUNT] = {"integer", "integer", NULL},
	[FIELD_NUMBER] = {"number", "number", NULL},
	[FIELD_WORD] = {"string", "word", NULL},
	[FIELD_WORDS] = {"array", "array of words", "string"},
	[FIELD_OBJECT] = {"object", "object", NULL},
	[FIELD_OBJECTS] = {"array", "array of objects", NULL},
	[FIELD_KEYED] = {"object", "object of objects", NULL},
	[FIELD_TEXTS] = {"array", "array of texts", "string"},
	[FIELD_NUMBERS] = {"array", "array of numbers", "number"},
	[FIELD_INTEGERS] = {"array", "array of integers", "integer"},
	[FIELD_NAMED] = {"object", "object of integers", "integer"},
	[FIELD_TRIPLE] = {"array", "array of 3 integers", "integer"},
	[FIELD_INTERVAL] = {"array", "array of 2 numbers", "number"},
};

/* ---- JSON Schema --------------------------------------------------------------------------- */

static json_t *object_schema(const struct record_type *type);

/* Adds the schema of the members or elements. The words of a field are examples and not an "enum",
 * because a newer version may add words. */
static void add_inside(json_t *schema, const struct record_field *field)
{
	const char *items = kinds[field->kind].items;
	size_t length = field->kind == FIELD_TRIPLE ? 3 : field->kind == FIELD_INTERVAL ? 2 : 0;

	if (field->kind == FIELD_OBJECT) {
		json_t *object = object_schema(field->type);
		json_object_update(schema, object);
		json_decref(object);
	} else if (field->kind == FIELD_OBJECTS)
		json_object_set_new(schema, "items", object_schema(field->type));
	else if (field->kind == FIELD_KEYED)
		json_object_set_new(schema, "additionalProperties", object_schema(field->type));
	else if (field->kind == FIELD_NAMED)
		json_object_set_new(
			schema, "additionalProperties", json_pack("{s:s}", "type", items));
	else if (field->kind == FIELD_NUMBERS)
		json_object_set_new(schema, "items", json_pack("{s:[s,s]}", "type", items, "null"));
	else if (items)
		json_object_set_new(schema, "items", json_pack("{s:s}", "type", items));
	if (length) {
		json_object_set_new(schema, "minItems", json_integer((json_int_t)length));
		json_object_set_new(schema, "maxItems", json_integer((json_int_t)length));
	}
	if (field->kind == FIELD_COUNT)
		json_object_set_new(schema, "minimum", json_integer(0));
}

static json_t *field_schema(const struct record_field *field)
{
	json_t *schema = json_object();
	json_t *examples = field->words ? json_array() : NULL;
	const char *json = kinds[field->kind].json;

	add_inside(schema, field);
	json_object_set_new(schema, "type",
		field->nullable ? json_pack("[s,s]", json, "null") : json_string(json));
	json_object_set_new(schema, "description",
		field->unit ? json_sprintf("%s (%s)", field->meaning, field->unit)
			    : json_string(field->meaning));
	for (size_t i = 0; examples && field->words[i]; i++)
		json_array_append_new(examples, field->kind == FIELD_WORDS
							? json_pack("[s]", field->words[i])
							: json_string(field->words[i]));
	if (examples)
		json_object_set_new(schema, "examples", examples);
	return schema;
}

static json_t *object_schema(const struct record_type *type)
{
	json_t *properties = json_object();
	json_t *required = json_array();

	for (size_t i = 0; type->fields[i].name; i++) {
		const struct record_field *field = &type->fields[i];
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
	json_object_update(schema, object);
	json_decref(object);
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
	fputs(kinds[field->kind].words, out);
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
	for (size_t i = 0; type->fields[i].name; i++)
		put_field(out, &type->fields[i]);
	for (size_t i = 0; type->fields[i].name; i++)
		if (type->fields[i].type)
			put_type(out, type->fields[i].type, written);
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

static const char rules[] =
	"\n"
	"`build/formats docs` generates this page and the JSON Schema files from the tables of\n"
	"fields in `host/record/`. Do not edit them.\n"
	"\n"
	"## Rules for programs that read the files\n"
	"\n"
	"- `schema` has a name and a major version. Reject a newer major version.\n"
	"- A later version can add keys and words. It does not change the meaning of existing keys and words.\n"
	"- If you write a file again, keep the keys that you do not know.\n"
	"- Numbers are never NaN or infinite. An unknown number is null.\n"
	"- Times are in ns, unless the key ends in another unit. Units are decimal.\n"
	"\n"
	"## What `pmpp-run` rejects\n"
	"\n"
	"`pmpp-run` rejects a file that exceeds one of these limits:\n"
	"\n"
	"| what | limit |\n"
	"|---|---|\n"
	"| size of a file, or of the data from a pipe or device | %d MB |\n"
	"| number of values | %d, about one per 8 bytes |\n"
	"| nested objects and arrays | %d levels |\n"
	"| keys of `problem` or `macros` | %d keys |\n"
	"| memory for the text | the memory that the process can allocate |\n"
	"\n"
	"It also rejects:\n"
	"\n"
	"- a text that is not JSON (RFC 8259) or not UTF-8. NaN and Infinity are not JSON\n"
	"- the character U+0000, and control characters in the name of a size, macro or backend\n"
	"- an integer that does not fit in 64 bits, and any number that does not fit in a double\n"
	"- an object that has a key twice\n"
	"- another schema, and a newer major version\n"
	"- a missing key, and a value of the wrong type\n"
	"\n"
	"The message is one line. It names the file and, if they are known, the line and the key.\n"
	"\n"
	"`pmpp-run` accepts the following:\n"
	"\n"
	"| in the file | effect |\n"
	"|---|---|\n"
	"| a byte order mark at the start | is ignored |\n"
	"| a control character in another text | becomes `\\xNN` |\n"
	"| values that contradict each other | are not checked |\n"
	"| a time of 0 or less, a descending interval, a negative width | count as unknown; a "
	"rewritten file has them unchanged |\n"
	"\n"
	"## How to read the tables\n"
	"\n"
	"| column | contents |\n"
	"|---|---|\n"
	"| key | name of the member of the JSON object |\n"
	"| value | type of the value. `or null`: the value may be null. `may be absent`: some "
	"objects do not have the key |\n"
	"| unit | unit of a number; 1 for a ratio; empty for other values |\n"
	"| meaning | what the value means. The list after `Words:` has the possible words |\n";

char *schema_markdown(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct written written = {.count = 0};

	if (!out)
		return NULL;
	put_files(out);
	fprintf(out, rules, DOCUMENT_MAX_BYTES / 1000000, JSON_MAX_VALUES, JSON_MAX_DEPTH,
		RECORD_MAX_NAMES);
	for (size_t i = 0; i < document_type_count; i++) {
		const struct document_type *document = &document_types[i];
		fprintf(out, "\n## %s\n\nWritten by %s.\n", document->schema, document->writer);
		put_type(out, document->type, &written);
	}
	fclose(out);
	return text;
}
