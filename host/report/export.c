#include "host/report/export.h"

#include "host/report/table.h"

#include <string.h>

/* ---- Columns ------------------------------------------------------------------------------- */

#define MAX_SOURCES 5

/* A record of a row; NULL: the row does not have it. */
struct source {
	const struct record_type *type;
	const void *record;
};

struct column {
	const char *title;
	const char *path; /* of the field in the source, "derived.floor.ns"; NULL = the title */
	unsigned source;
};

enum {
	RESULT_SAMPLES = 1,
	RESULT_PEER
};

static const struct column result_columns[] = {{"family"}, {"variant"}, {"technique"}, {"backend"},
	{"device"}, {"problem"}, {"macros"}, {"status"}, {"max_ratio", "verify.max_ratio"},
	{"median_ns", "median", RESULT_SAMPLES}, {"q1_ns", "q1", RESULT_SAMPLES},
	{"q3_ns", "q3", RESULT_SAMPLES}, {"min_ns", "min", RESULT_SAMPLES},
	{"samples", "n", RESULT_SAMPLES}, {"half_width", NULL, RESULT_SAMPLES},
	{"gflops", "derived.gflops"}, {"gbps", "derived.gbps"}, {"pct_roof", "derived.pct_roof"},
	{"limited_by", "derived.limited_by"}, {"floor", "derived.floor.resource"},
	{"floor_ns", "derived.floor.ns"}, {"step", "derived.step"}, {"total", "derived.total"},
	{"claim", "claim.text"}, {"claim_holds", "claim.holds"}, {"claim_verdict", "claim.verdict"},
	{"step_ci95", "derived.step_ci95"}, {"step_paired", "derived.step_paired"}, {"reason"},
	{"fallback"}, {"peer"}, {"peer_variant", "variant", RESULT_PEER},
	{"peer_ratio", "ratio", RESULT_PEER}, {"peer_ci95", "ci95", RESULT_PEER}};

static const struct column parity_columns[] = {{"family"}, {"variant"}, {"device"}, {"backends"},
	{"problem"}, {"macros"}, {"ratio"}, {"ci95"}, {"verdict"}, {"bit_identical"},
	{"round_ratio"}, {"tolerance"}};

enum {
	COMPARED_BASE = 1,
	COMPARED_CELL,
	COMPARED_BASE_SIDE,
	COMPARED_SIDE
};

static const struct column comparison_columns[] = {{"family"}, {"variant"}, {"backend"}, {"device"},
	{"dtype"}, {"problem"}, {"macros"}, {"base", "name", COMPARED_BASE_SIDE},
	{"new", "name", COMPARED_SIDE}, {"base_ns", "median_ns", COMPARED_BASE},
	{"new_ns", "median_ns", COMPARED_CELL}, {"ratio", NULL, COMPARED_CELL},
	{"ci95", NULL, COMPARED_CELL}, {"tolerance", NULL, COMPARED_CELL},
	{"verdict", NULL, COMPARED_CELL}, {"reason", NULL, COMPARED_CELL}};

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Sets the sources of a row; its first source is the row itself. */
typedef void sources_fn(const void *document, size_t row, struct source *ret_sources);

static void result_sources(const void *document, size_t index, struct source *ret_sources)
{
	const struct result_row *row =
		&((const struct result_document *)document)->results.items[index];
	const struct samples_record *samples = timing_record_primary(&row->timing);
	bool timed = row->timing.record.present && samples->record.present;

	ret_sources[0] = (struct source){&result_row_type, row};
	ret_sources[RESULT_SAMPLES] = (struct source){&samples_type, timed ? samples : NULL};
	ret_sources[RESULT_PEER] = (struct source){&peer_type, peer_list_fastest(&row->peers)};
}

static void parity_sources(const void *document, size_t index, struct source *ret_sources)
{
	ret_sources[0] = (struct source){
		&parity_row_type, &((const struct result_document *)document)->parity.items[index]};
}

/* A row for each row of the comparison and each side except the base. */
static void comparison_sources(const void *context, size_t index, struct source *ret_sources)
{
	const struct comparison_document *document = context;
	const size_t others = document->sides.count - 1, side = 1 + index % others;
	const struct comparison_row *row = &document->rows.items[index / others];

	ret_sources[0] = (struct source){&comparison_row_type, row};
	ret_sources[COMPARED_BASE] = (struct source){&cell_type, &row->cells.items[0]};
	ret_sources[COMPARED_CELL] = (struct source){&cell_type, &row->cells.items[side]};
	ret_sources[COMPARED_BASE_SIDE] = (struct source){&side_type, &document->sides.items[0]};
	ret_sources[COMPARED_SIDE] = (struct source){&side_type, &document->sides.items[side]};
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* Adds a cell with the field at the path. */
static void add_field(struct table *table, struct source source, const char *path)
{
	for (size_t length; path[length = strcspn(path, ".")]; path += length + 1) {
		char name[40];
		snprintf(name, sizeof name, "%.*s", (int)length, path);
		const struct record_field *field =
			&source.type->fields()[record_field_index(source.type, name)];
		const struct record *part =
			source.record ? (const void *)((const char *)source.record + field->offset)
				      : NULL;
		source = (struct source){field->type, part && part->present ? part : NULL};
	}
	table_field(table, source.type, source.record, path);
}

static char *csv_text(const struct column *columns, size_t column_count, sources_fn *sources_of,
	const void *document, size_t row_count)
{
	struct source sources[MAX_SOURCES];
	struct table table = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t c = 0; c < column_count; c++)
		table_add_column(&table, &(struct table_column){.title = columns[c].title});
	for (size_t r = 0; r < row_count; r++) {
		sources_of(document, r, sources);
		table_row(&table, STYLE_PLAIN);
		for (size_t c = 0; c < column_count; c++)
			add_field(&table, sources[columns[c].source],
				columns[c].path ? columns[c].path : columns[c].title);
	}
	if (out) {
		table_put_csv(&table, out);
		fclose(out);
	}
	table_finish(&table);
	return text;
}

char *export_csv(const struct result_document *document)
{
	if (document->parity.count)
		return csv_text(parity_columns, ARRAY_COUNT(parity_columns), parity_sources,
			document, document->parity.count);
	return csv_text(result_columns, ARRAY_COUNT(result_columns), result_sources, document,
		document->results.count);
}

char *export_comparison_csv(const struct comparison_document *document)
{
	size_t sides = document->sides.count;

	return csv_text(comparison_columns, ARRAY_COUNT(comparison_columns), comparison_sources,
		document, sides ? document->rows.count * (sides - 1) : 0);
}
