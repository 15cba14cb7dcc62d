#include "host/report/export.h"

#include "host/report/table.h"

#include <stdlib.h>

/* Returns the record with the value of a column; NULL if the row does not have this record. */
typedef const void *part_fn(const void *row);

struct column {
	const char *title;
	part_fn *part; /* NULL: `offset` */
	const struct record_type *type;
	const char *field;
	size_t offset; /* of a record in the row, or of a pointer to it; 0 = the row itself */
	bool pointed;
};

static const void *row_samples(const void *row)
{
	const struct result_row *result = row;
	const struct samples_record *samples = timing_record_primary(&result->timing);

	return result->timing.record.present && samples->record.present ? samples : NULL;
}

static const void *row_peer(const void *row)
{
	return peer_list_fastest(&((const struct result_row *)row)->peers);
}

/* The record at the offset; every record begins with struct record. */
static const void *part_of(const struct column *column, const void *row)
{
	if (column->part)
		return column->part(row);
	const void *place = (const char *)row + column->offset;
	if (column->pointed)
		return *(const void *const *)place;
	const struct record *record = place;
	return column->offset == 0 || record->present ? record : NULL;
}

#define PART(member) offsetof(struct result_row, member)

#define OF_ROW(title)                                   \
	{                                               \
		title, NULL, &result_row_type, title, 0 \
	}

static const struct column result_columns[] = {
	OF_ROW("family"),
	OF_ROW("variant"),
	OF_ROW("technique"),
	OF_ROW("backend"),
	OF_ROW("device"),
	OF_ROW("problem"),
	OF_ROW("macros"),
	OF_ROW("status"),
	{"max_ratio", NULL, &verify_type, "max_ratio", PART(verify)},
	{"median_ns", row_samples, &samples_type, "median"},
	{"q1_ns", row_samples, &samples_type, "q1"},
	{"q3_ns", row_samples, &samples_type, "q3"},
	{"min_ns", row_samples, &samples_type, "min"},
	{"samples", row_samples, &samples_type, "n"},
	{"half_width", row_samples, &samples_type, "half_width"},
	{"gflops", NULL, &derived_type, "gflops", PART(derived)},
	{"gbps", NULL, &derived_type, "gbps", PART(derived)},
	{"pct_roof", NULL, &derived_type, "pct_roof", PART(derived)},
	{"limited_by", NULL, &derived_type, "limited_by", PART(derived)},
	{"floor", NULL, &floor_type, "resource", PART(derived.floor)},
	{"floor_ns", NULL, &floor_type, "ns", PART(derived.floor)},
	{"step", NULL, &derived_type, "step", PART(derived)},
	{"total", NULL, &derived_type, "total", PART(derived)},
	{"claim", NULL, &claim_type, "text", PART(claim)},
	{"claim_holds", NULL, &claim_type, "holds", PART(claim)},
	{"claim_verdict", NULL, &claim_type, "verdict", PART(claim)},
	{"step_ci95", NULL, &derived_type, "step_ci95", PART(derived)},
	{"step_paired", NULL, &derived_type, "step_paired", PART(derived)},
	OF_ROW("reason"),
	OF_ROW("fallback"),
	OF_ROW("peer"),
	{"peer_variant", row_peer, &peer_type, "variant"},
	{"peer_ratio", row_peer, &peer_type, "ratio"},
	{"peer_ci95", row_peer, &peer_type, "ci95"},
};

#define OF_PARITY(title)                                \
	{                                               \
		title, NULL, &parity_row_type, title, 0 \
	}

static const struct column parity_columns[] = {
	OF_PARITY("family"),
	OF_PARITY("variant"),
	OF_PARITY("device"),
	OF_PARITY("backends"),
	OF_PARITY("problem"),
	OF_PARITY("macros"),
	OF_PARITY("ratio"),
	OF_PARITY("ci95"),
	OF_PARITY("verdict"),
	OF_PARITY("bit_identical"),
	OF_PARITY("round_ratio"),
	OF_PARITY("tolerance"),
};

/* ---- Comparisons --------------------------------------------------------------------------- */

/* One line of the table: a row of the comparison, and one side compared with the base. */
struct compared_line {
	const struct comparison_row *row;
	const struct cell_record *base, *cell;
	const struct side_record *base_side, *side;
};

#define AT(member) offsetof(struct compared_line, member), true

#define OF_LINE(title)                                            \
	{                                                         \
		title, NULL, &comparison_row_type, title, AT(row) \
	}

static const struct column comparison_columns[] = {
	OF_LINE("family"),
	OF_LINE("variant"),
	OF_LINE("backend"),
	OF_LINE("device"),
	OF_LINE("dtype"),
	OF_LINE("problem"),
	OF_LINE("macros"),
	{"base", NULL, &side_type, "name", AT(base_side)},
	{"new", NULL, &side_type, "name", AT(side)},
	{"base_ns", NULL, &cell_type, "median_ns", AT(base)},
	{"new_ns", NULL, &cell_type, "median_ns", AT(cell)},
	{"ratio", NULL, &cell_type, "ratio", AT(cell)},
	{"ci95", NULL, &cell_type, "ci95", AT(cell)},
	{"tolerance", NULL, &cell_type, "tolerance", AT(cell)},
	{"verdict", NULL, &cell_type, "verdict", AT(cell)},
	{"reason", NULL, &cell_type, "reason", AT(cell)},
};

/* ---- Tables -------------------------------------------------------------------------------- */

static char *csv_text(const struct column *columns, size_t column_count, const void *rows,
	size_t row_count, size_t row_size)
{
	struct table table = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t c = 0; c < column_count; c++)
		table_add_column(&table, &(struct table_column){.title = columns[c].title});
	for (size_t r = 0; r < row_count; r++) {
		const void *row = (const char *)rows + r * row_size;
		table_row(&table, STYLE_PLAIN);
		for (size_t c = 0; c < column_count; c++)
			table_field(&table, columns[c].type, part_of(&columns[c], row),
				columns[c].field);
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
		return csv_text(parity_columns, ARRAY_COUNT(parity_columns), document->parity.items,
			document->parity.count, sizeof(struct parity_row));
	return csv_text(result_columns, ARRAY_COUNT(result_columns), document->results.items,
		document->results.count, sizeof(struct result_row));
}

char *export_comparison_csv(const struct comparison_document *document)
{
	size_t side_count = document->sides.count, count = 0;
	struct compared_line *lines = calloc(document->rows.count * side_count + 1, sizeof *lines);

	for (size_t r = 0; lines && r < document->rows.count; r++)
		for (size_t i = 1; i < side_count; i++) {
			const struct comparison_row *row = &document->rows.items[r];
			lines[count++] = (struct compared_line){row, &row->cells.items[0],
				&row->cells.items[i], &document->sides.items[0],
				&document->sides.items[i]};
		}
	char *text = lines ? csv_text(comparison_columns, ARRAY_COUNT(comparison_columns), lines,
				     count, sizeof *lines)
			   : NULL;
	free(lines);
	return text;
}
