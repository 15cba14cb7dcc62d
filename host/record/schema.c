#include "host/record/schema.h"

#include <assert.h>
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
const size_t document_type_count = MEMBER_COUNT(document_types);

/* ---- Kinds --------------------------------------------------------------------------------- */

/* Names of a kind of field in JSON Schema and in Markdown. */
static const struct {
	const char *json;  /* "type" of the value */
	const char *words; /* Markdown */
	const char *items; /* "type" of the elements of an array, or of the values of an object */
} kinds[] = {
	[FIELD_TEXT] = {"string", "text", NULL},
	[FIELD_BOOL] = {"boolean", "true or false", NULL},
	[FIELD_TRUTH] = {"boolean", "true or false", NULL},
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

/* Adds the description of the members or elements. Words are listed in the description and not as
 * an "enum": a newer version may add some. */
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
		field->flags & FIELD_NULLABLE ? json_pack("[s,s]", json, "null")
					      : json_string(json));
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

	for (size_t i = 0; i < type->field_count; i++) {
		const struct record_field *field = &type->fields[i];
		json_object_set_new(properties, field->name, field_schema(field));
		if (!(field->flags & (FIELD_OPTIONAL | FIELD_OMITTED)))
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

/* Types already written. */
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

static void put_words(FILE *out, const struct record_field *field)
{
	for (size_t i = 0; field->words && field->words[i]; i++)
		fprintf(out, "%s`%s`", i ? ", " : ": ", field->words[i]);
}

static void put_field(FILE *out, const struct record_field *field)
{
	fprintf(out, "| `%s` | %s%s%s%s", field->name, kinds[field->kind].words,
		field->type ? " (" : "", field->type ? field->type->name : "",
		field->type ? ")" : "");
	fprintf(out, "%s | %s | %s", field->flags & FIELD_NULLABLE ? " or null" : "",
		field->unit ? field->unit : "", field->meaning);
	put_words(out, field);
	fprintf(out, "%s | %s |\n",
		field->flags & (FIELD_OPTIONAL | FIELD_OMITTED) ? " (may be absent)" : "",
		field->since);
}

/* The type, then the types of its members, each once. */
static void put_type(FILE *out, const struct record_type *type, struct written *written)
{
	if (is_written(written, type))
		return;
	assert(written->count < MAX_TYPES);
	written->types[written->count++] = type;
	fprintf(out, "\n### %s\n\n%c%s.\n\n", type->name,
		type->meaning[0] - ('a' <= type->meaning[0] && type->meaning[0] <= 'z' ? 32 : 0),
		type->meaning + 1);
	fputs("| key | value | unit | meaning | since |\n|---|---|---|---|---|\n", out);
	for (size_t i = 0; i < type->field_count; i++)
		put_field(out, &type->fields[i]);
	for (size_t i = 0; i < type->field_count; i++)
		if (type->fields[i].type)
			put_type(out, type->fields[i].type, written);
}

static const char introduction[] =
	"# Result format\n"
	"\n"
	"This page is generated from the tables of fields in `host/record/`: do not edit it.\n"
	"`docs/schema/` has the same tables as JSON Schema.\n"
	"\n"
	"Rules for readers:\n"
	"\n"
	"- `schema` has a name and a major version. Refuse a newer major version.\n"
	"- A later version may add keys and words; the meaning of the others does not change. If you\n"
	"  write the file again, keep the keys that you do not know.\n"
	"- Numbers are never NaN or infinite: null is an unknown number.\n"
	"- Times are in ns unless the key ends in another unit. Units are decimal.\n"
	"\n"
	"The reader of `pmpp-run` refuses a file with one line that names the file, and the line and\n"
	"the key if they are known:\n"
	"\n"
	"| refused | limit |\n"
	"|---|---|\n"
	"| a file that is too large, or a pipe or device that does not end | %d MB |\n"
	"| too many values | %d, about one in 8 bytes |\n"
	"| objects and arrays that are nested too deeply | %d levels |\n"
	"| sizes (`problem`) or `macros` with too many keys | %d keys |\n"
	"| a text that needs more memory than the process can allocate | |\n"
	"| a text that is not JSON (RFC 8259) or not UTF-8, NaN and Infinity included | |\n"
	"| the character U+0000, control characters in the name of a size, macro or backend | |\n"
	"| a number that does not fit: integers in 64 bits, others in a double | |\n"
	"| a key twice in one object | |\n"
	"| another schema, a newer major version | |\n"
	"| a key that is missing, a value of the wrong type | |\n"
	"\n"
	"A byte order mark is ignored. Control characters in other texts become `\\xNN`. Values are not\n"
	"compared with each other. The reader accepts a time of 0 or less, an interval that descends and\n"
	"a negative width. They are written again unchanged, and count as unknown.\n";

char *schema_markdown(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct written written = {.count = 0};

	if (!out)
		return NULL;
	fprintf(out, introduction, DOCUMENT_MAX_BYTES / 1000000, JSON_MAX_VALUES, JSON_MAX_DEPTH,
		RECORD_MAX_NAMES);
	for (size_t i = 0; i < document_type_count; i++) {
		const struct document_type *document = &document_types[i];
		fprintf(out, "\n## %s\n\nWritten by %s.\n", document->schema, document->writer);
		put_type(out, document->type, &written);
	}
	fclose(out);
	return text;
}
