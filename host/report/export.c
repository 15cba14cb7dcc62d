#include "host/report/export.h"

#include "host/report/table.h"

#include <stdlib.h>

/* Returns the record with the value of a column; NULL if the row does not have this record. */
typedef const void *part_fn(const void *row);

struct column {
	const char *title;
	part_fn *part; /* NULL: the row itself */
	const struct record_type *type;
	const char *field;
};

static const void *row_verify(const void *row)
{
	const struct result_row *result = row;

	return result->verify.record.present ? &result->verify : NULL;
}

static const void *row_samples(const void *row)
{
	const struct result_row *result = row;
	const struct samples_record *samples = timing_record_primary(&result->timing);

	return result->timing.record.present && samples->record.present ? samples : NULL;
}

static const void *row_derived(const void *row)
{
	return &((const struct result_row *)row)->derived;
}

static const void *row_floor(const void *row)
{
	const struct floor_record *floor = &((const struct result_row *)row)->derived.floor;

	return floor->record.present ? floor : NULL;
}

static const void *row_claim(const void *row)
{
	const struct result_row *result = row;

	return result->claim.record.present ? &result->claim : NULL;
}

static const void *row_peer(const void *row)
{
	return peer_list_fastest(&((const struct result_row *)row)->peers);
}

#define OF_ROW(title)                                \
	{                                            \
		title, NULL, &result_row_type, title \
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
	{"max_ratio", row_verify, &verify_type, "max_ratio"},
	{"median_ns", row_samples, &samples_type, "median"},
	{"q1_ns", row_samples, &samples_type, "q1"},
	{"q3_ns", row_samples, &samples_type, "q3"},
	{"min_ns", row_samples, &samples_type, "min"},
	{"samples", row_samples, &samples_type, "n"},
	{"half_width", row_samples, &samples_type, "half_width"},
	{"gflops", row_derived, &derived_type, "gflops"},
	{"gbps", row_derived, &derived_type, "gbps"},
	{"pct_roof", row_derived, &derived_type, "pct_roof"},
	{"limited_by", row_derived, &derived_type, "limited_by"},
	{"floor", row_floor, &floor_type, "resource"},
	{"floor_ns", row_floor, &floor_type, "ns"},
	{"step", row_derived, &derived_type, "step"},
	{"total", row_derived, &derived_type, "total"},
	{"claim", row_claim, &claim_type, "text"},
	{"claim_holds", row_claim, &claim_type, "holds"},
	{"claim_verdict", row_claim, &claim_type, "verdict"},
	{"step_ci95", row_derived, &derived_type, "step_ci95"},
	{"step_paired", row_derived, &derived_type, "step_paired"},
	OF_ROW("reason"),
	OF_ROW("fallback"),
	OF_ROW("peer"),
	{"peer_variant", row_peer, &peer_type, "variant"},
	{"peer_ratio", row_peer, &peer_type, "ratio"},
	{"peer_ci95", row_peer, &peer_type, "ci95"},
};

#define OF_PARITY(title)                             \
	{                                            \
		title, NULL, &parity_row_type, title \
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

static const void *line_row(const void *line)
{
	return ((const struct compared_line *)line)->row;
}

static const void *line_base(const void *line)
{
	return ((const struct compared_line *)line)->base;
}

static const void *line_cell(const void *line)
{
	return ((const struct compared_line *)line)->cell;
}

static const void *line_base_side(const void *line)
{
	return ((const struct compared_line *)line)->base_side;
}

static const void *line_side(const void *line)
{
	return ((const struct compared_line *)line)->side;
}

#define OF_LINE(title)                                       \
	{                                                    \
		title, line_row, &comparison_row_type, title \
	}

static const struct column comparison_columns[] = {
	OF_LINE("family"),
	OF_LINE("variant"),
	OF_LINE("backend"),
	OF_LINE("device"),
	OF_LINE("dtype"),
	OF_LINE("problem"),
	OF_LINE("macros"),
	{"base", line_base_side, &side_type, "name"},
	{"new", line_side, &side_type, "name"},
	{"base_ns", line_base, &cell_type, "median_ns"},
	{"new_ns", line_cell, &cell_type, "median_ns"},
	{"ratio", line_cell, &cell_type, "ratio"},
	{"ci95", line_cell, &cell_type, "ci95"},
	{"tolerance", line_cell, &cell_type, "tolerance"},
	{"verdict", line_cell, &cell_type, "verdict"},
	{"reason", line_cell, &cell_type, "reason"},
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
			table_field(&table, columns[c].type,
				columns[c].part ? columns[c].part(row) : row, columns[c].field);
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
		return csv_text(parity_columns, MEMBER_COUNT(parity_columns),
			document->parity.items, document->parity.count, sizeof(struct parity_row));
	return csv_text(result_columns, MEMBER_COUNT(result_columns), document->results.items,
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
	char *text = lines ? csv_text(comparison_columns, MEMBER_COUNT(comparison_columns), lines,
				     count, sizeof *lines)
			   : NULL;
	free(lines);
	return text;
}
