#include "host/page/data.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "common/model/last_level_cache.h"
#include "common/model/request_map.h"
#include "host/page/parity.h"

/* ---- Values ---------------------------------------------------------------------------------- */

static json_t *text_of(const char *text)
{
	char *clean = text ? html_clean(text) : NULL;
	json_t *value = clean ? json_string(clean) : json_null();

	free(clean);
	return value;
}

/* The digits that charts can show. */
static json_t *number_of(double value)
{
	char text[40];

	if (!isfinite(value) || fabs(value) > 1e30 || (value != 0 && fabs(value) < 1e-30))
		return json_null();
	snprintf(text, sizeof text, "%.5g", value);
	value = strtod(text, NULL);
	return fabs(value) < 1e15 && value == floor(value) ? json_integer((json_int_t)value)
							   : json_real(value);
}

static json_t *lanes_of(uint64_t lanes)
{
	json_t *list = json_array();

	for (int lane = 0; lane < MAX_LANES; lane++)
		if (lanes >> lane & 1)
			json_array_append_new(list, json_integer(lane));
	return list;
}

static size_t append(struct page *page, const char *list, json_t *value)
{
	json_t *array = json_object_get(page->figures, list);

	page->failed |= json_array_append_new(array, value) != 0;
	return json_array_size(array) - 1;
}

/* ---- Sides ----------------------------------------------------------------------------------- */

static json_t *roofs_of(const struct roofs_record *roofs)
{
	static const struct {
		const char *name;
		size_t offset;
	} fields[] = {
		{"copy", offsetof(struct roofs_record, copy_gbps)},
		{"read", offsetof(struct roofs_record, read_gbps)},
		{"f32", offsetof(struct roofs_record, fma_gflops.f32)},
		{"f16", offsetof(struct roofs_record, fma_gflops.f16)},
		{"f64", offsetof(struct roofs_record, fma_gflops.f64)},
		{"tensor-f16", offsetof(struct roofs_record, tensor_gflops.f16)},
		{"tensor-tf32", offsetof(struct roofs_record, tensor_gflops.tf32)},
		{"integer", offsetof(struct roofs_record, integer_gops)},
		{"special", offsetof(struct roofs_record, special_gops)},
	};
	json_t *object = json_object();

	for (size_t i = 0; roofs && i < sizeof fields / sizeof *fields; i++) {
		double rate;
		memcpy(&rate, (const char *)roofs + fields[i].offset, sizeof rate);
		if (rate > 0)
			json_object_set_new(object, fields[i].name, number_of(rate));
	}
	return object;
}

/* Uses the sizes from the table of known GPUs, else the size that the driver reports. */
static json_t *caches_of(const struct page_side *side)
{
	const struct device_record *device = side->record;
	const struct limits_record *limits = side->view && side->view->limits.record.present
						     ? &side->view->limits
					     : device ? &device->limits
						      : NULL;
	const struct cache_facts facts = {.vendor = text_or_empty(device ? device->vendor : NULL),
		.name = text_or_empty(device ? device->name : NULL),
		.is_gpu = device && text_equal(device->type, "gpu")};
	double last = (double)last_level_cache_bytes(&facts);
	double second = (double)last_level_cache_l2_bytes(&facts);
	double reported = limits && limits->record.present ? (double)limits->cache_bytes : 0;
	json_t *list = json_array();

	if (fmax(last, reported) > 0)
		json_array_append_new(
			list, json_pack("[so]", last > 0 ? "last-level cache" : "cache",
				      number_of(fmax(last, reported))));
	if (second > 0 && second < last)
		json_array_append_new(
			list, json_pack("[so]", "second-level cache", number_of(second)));
	return list;
}

static void add_sides(struct page *page)
{
	for (size_t i = 0; i < page->device_count; i++)
		append(page, "devices", text_of(page_device_name(page, i)));
	for (size_t i = 0; i < page->side_count; i++) {
		const struct page_side *side = &page->sides[i];
		append(page, "sides",
			json_pack("{so sI so so so so}", "name", text_of(side->name), "device",
				(json_int_t)side->device, "backend", text_of(side->backend_name),
				"type", text_of(page->comparison.sides.items[i].type), "roofs",
				roofs_of(side->roofs), "caches", caches_of(side)));
	}
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const char *operations_of(const struct result_row *row)
{
	return row->work.record.present ? word_text(operations_words, row->work.operations) : NULL;
}

static json_t *claim_of(const struct page *page, const struct page_row *row)
{
	const struct claim_record *claim = &row->result->claim;
	const char *verdict = claim_verdict_name(claim_record_verdict(claim));

	if (!row->timed || !claim->record.present || !claim->text || !verdict)
		return json_null();
	return json_pack("[osoooo]", text_of(claim->text), verdict, number_of(claim->observed),
		number_of(claim->expected), number_of(claim->at_most),
		text_of(page_claim_base(page, row)));
}

static const char *const columns[] = {"problem", "side", "name", "variant", "technique", "main",
	"ns", "low", "high", "rate", "unit", "less", "gflops", "gbps", "bytes", "intensity",
	"operations", "limit", "floor", "share", "step", "base", "total", "claim", "flags",
	"solves", "peer"};

static void add_row(struct page *page, const struct page_row *row)
{
	const struct result_row *result = row->result;
	const struct derived_record *derived = &result->derived;
	const struct work_record *work = &result->work;
	double ns = row->cell->median_ns;
	bool worked = work->record.present;
	char flags[PAGE_FLAGS_BYTES];

	page_format_flags(row->cell->flags, flags);
	json_t *values[] = {json_integer((json_int_t)row->problem),
		json_integer((json_int_t)row->side), text_of(row->label),
		text_of(row->compared->variant), text_of(result->technique),
		json_integer(row->main), number_of(ns), number_of(row->cell->ci95_ns[0]),
		number_of(row->cell->ci95_ns[1]), number_of(row->rate), text_of(row->unit),
		json_integer(row->less_is_better), number_of(worked ? work->flops / ns : NAN),
		number_of(worked ? work->bytes_compulsory / ns : NAN),
		number_of(worked ? work->bytes_compulsory : NAN),
		number_of(worked ? work->flops / work->bytes_compulsory : NAN),
		text_of(operations_of(result)),
		text_of(limited_by_name((enum limited_by)derived->limited_by)),
		text_of(derived->floor.record.present
				? word_text(floor_words, derived->floor.resource)
				: NULL),
		number_of(row->share), number_of(derived->step), text_of(page_step_base(page, row)),
		number_of(derived->total), claim_of(page, row), text_of(*flags ? flags : NULL),
		json_integer(variant_solves_family(
			page_family(page, row), text_or_empty(row->compared->variant))),
		text_of(row->compared->peer)};
	json_t *list = json_array();

	_Static_assert(sizeof values / sizeof *values == sizeof columns / sizeof *columns,
		"a value for each column");
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		page->failed |= json_array_append_new(list, values[i]) != 0;
	append(page, "rows", list);
}

static void add_rows(struct page *page)
{
	for (size_t i = 0; i < page->family_count; i++) {
		const struct family *family = family_find(page->families[i].name);
		append(page, "families",
			json_pack("{so so}", "name", text_of(page->families[i].name), "title",
				text_of(family ? family->title : NULL)));
	}
	for (size_t i = 0; i < page->problem_count; i++)
		append(page, "problems",
			json_pack("{sI so}", "family", (json_int_t)page->problems[i].family, "text",
				text_of(page->problems[i].text)));
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		append(page, "columns", json_string(columns[i]));
	for (size_t i = 0; i < page->row_count; i++)
		add_row(page, &page->rows[i]);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static json_t *pair_of(const struct parity_pair *pair)
{
	static const char *const bits[] = {
		[TRUTH_UNKNOWN] = "unknown", [TRUTH_NO] = "differ", [TRUTH_YES] = "identical"};

	return json_pack("[oooooooss]", text_of(pair->family), text_of(pair->variant),
		text_of(pair->problem), number_of(pair->ratio), number_of(pair->ci95[0]),
		number_of(pair->ci95[1]), number_of(pair->tolerance), verdict_words[pair->verdict],
		bits[pair->bits]);
}

static void add_pairs(struct page *page)
{
	for (size_t d = 0; d < page->device_count; d++) {
		const struct parity_pairs *pairs = &page->pairs[d];
		json_t *list = json_array();
		for (size_t i = 0; i < pairs->count; i++)
			json_array_append_new(list, pair_of(&pairs->items[i]));
		append(page, "parity",
			json_pack("{sI sI so}", "first", (json_int_t)pairs->sides[0], "second",
				(json_int_t)pairs->sides[1], "pairs", list));
	}
}

void data_add_overview(
	struct page *page, size_t family, const char *group, size_t row, size_t other, double ratio)
{
	append(page, "overview",
		json_pack("[I s I I o]", (json_int_t)family, group, (json_int_t)row,
			(json_int_t)other, number_of(ratio)));
}

/* ---- Drawings -------------------------------------------------------------------------------- */

static json_t *passes_of(const struct warp_access *request)
{
	json_t *list = json_array();
	struct bank_map map;

	request_map_banks(request, &map);
	for (size_t i = 0; i < map.pass_count; i++) {
		json_t *banks = json_array();
		for (size_t bank = 0; bank < request->model->banks; bank++)
			json_array_append_new(banks, lanes_of(map.passes[i].lanes[bank]));
		bool first = i == 0 || map.passes[i].phase != map.passes[i - 1].phase;
		json_array_append_new(
			list, json_pack("{sb so}", "first", (int)first, "banks", banks));
	}
	return list;
}

size_t data_add_request(struct page *page, const struct warp_access *request, bool shared)
{
	const struct access_model *model = request->model;
	json_t *drawing = json_pack("{sI so sI}", "lanes", (json_int_t)model->lanes, "active",
		lanes_of(request->lanes), "width", (json_int_t)request->width_bytes);
	json_t *addresses = json_array();

	for (size_t lane = 0; lane < model->lanes; lane++)
		if (request->lanes >> lane & 1)
			json_array_append_new(
				addresses, json_integer((json_int_t)request->address[lane]));
	json_object_set_new(drawing, "address", addresses);
	json_object_set_new(drawing, "line", json_integer(model->line_bytes));
	json_object_set_new(drawing, "sector", json_integer(model->sector_bytes));
	if (shared)
		json_object_set_new(drawing, "passes", passes_of(request));
	return append(page, "drawings", drawing);
}

size_t data_add_split(
	struct page *page, const struct access_model *model, uint64_t lanes, uint64_t first)
{
	return append(page, "drawings",
		json_pack("{sI so so}", "lanes", (json_int_t)model->lanes, "active",
			lanes_of(lanes), "first", lanes_of(first)));
}

/* ---- Public ---------------------------------------------------------------------------------- */

void data_free(struct page *page)
{
	json_decref(page->figures);
}

bool data_make(struct page *page)
{
	page->figures = json_pack("{ss s[] s[] s[] s[] s[] s[] s[] s[] s[]}", "schema",
		"pmpp-page/1", "devices", "sides", "families", "problems", "columns", "rows",
		"parity", "overview", "drawings");
	if (!page->figures)
		return false;
	add_sides(page);
	add_rows(page);
	add_pairs(page);
	return !page->failed;
}

bool data_put(const struct page *page, FILE *out)
{
	char *text = json_dumps(
		page->figures, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));

	/* In JSON, '<' and '>' are only inside of strings. */
	for (const char *next = text; next && *next; next++)
		if (*next == '<' || *next == '>' || *next == '&')
			fprintf(out, "\\u%04x", (unsigned)*next);
		else
			fputc(*next, out);
	free(text);
	return text != NULL;
}
