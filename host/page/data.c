#include "host/page/data.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "common/model/access.h"
#include "common/model/last_level_cache.h"

/* ---- Values ---------------------------------------------------------------------------------- */

static json_t *text_of(const char *text)
{
	char *clean = text ? html_clean(text) : NULL;
	json_t *value = clean ? json_string(clean) : json_null();

	free(clean);
	return value;
}

static json_t *index_of(size_t value)
{
	return json_integer((json_int_t)value);
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
	json_t *object = json_object();

	if (!roofs)
		return object;
	const struct {
		const char *name;
		double rate;
	} rates[] = {{"copy", roofs->copy_gbps}, {"read", roofs->read_gbps},
		{"f32", roofs->fma_gflops.f32}, {"f16", roofs->fma_gflops.f16},
		{"f64", roofs->fma_gflops.f64}, {"tensor-f16", roofs->tensor_gflops.f16},
		{"tensor-tf32", roofs->tensor_gflops.tf32}, {"integer", roofs->integer_gops},
		{"special", roofs->special_gops}};
	for (size_t i = 0; i < ARRAY_COUNT(rates); i++)
		if (rates[i].rate > 0)
			json_object_set_new(object, rates[i].name, number_of(rates[i].rate));
	return object;
}

/* The last-level cache from the table of known GPUs, else the size that the driver reports. */
static double cache_of(const struct page_side *side)
{
	const struct device_record *device = side->record;
	const struct cache_facts facts = {.vendor = text_or_empty(device ? device->vendor : NULL),
		.name = text_or_empty(device ? device->name : NULL),
		.is_gpu = device && text_equal(device->type, "gpu")};
	const struct limits_record *limits = device ? &device->limits : NULL;

	if (side->view && side->view->limits.record.present)
		limits = &side->view->limits;
	return fmax((double)last_level_cache_bytes(&facts),
		limits && limits->record.present ? (double)limits->cache_bytes : 0);
}

static json_t *side_of(const struct page *page, size_t index)
{
	const struct page_side *side = &page->sides[index];

	return json_pack("{so so so so so so}", "name", text_of(side->name), "device",
		index_of(side->device), "backend", text_of(side->backend_name), "type",
		text_of(page->comparison.sides.items[index].type), "roofs", roofs_of(side->roofs),
		"cache", number_of(cache_of(side)));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static const char *const columns[] = {"problem", "side", "name", "technique", "main", "ns", "low",
	"high", "rate", "unit", "less", "flops", "bytes", "operations", "limit", "share", "step",
	"base", "verdict", "observed", "expected", "solves"};

static json_t *row_of(const struct page *page, const struct page_row *row)
{
	const struct derived_record *derived = &row->result->derived;
	const struct work_record *work = &row->result->work;
	const struct claim_record *claim = &row->result->claim;
	const bool worked = work->record.present;
	const char *variant = text_or_empty(row->compared->variant);
	json_t *values[] = {index_of(row->problem), index_of(row->side), text_of(row->label),
		text_of(row->result->technique), index_of(row->main),
		number_of(row->cell->median_ns), number_of(row->cell->ci95_ns[0]),
		number_of(row->cell->ci95_ns[1]), number_of(row->rate), text_of(row->unit),
		index_of(row->less_is_better), number_of(worked ? work->flops : NAN),
		number_of(worked ? work->bytes_compulsory : NAN),
		text_of(worked ? word_text(operations_words, work->operations) : NULL),
		text_of(limited_by_name((enum limited_by)derived->limited_by)),
		number_of(row->share), number_of(derived->step), text_of(page_step_base(page, row)),
		text_of(claim_verdict_name(page_claim(row))), number_of(claim->observed),
		number_of(claim->expected),
		index_of(variant_solves_family(page_family(page, row), variant))};
	json_t *list = json_array();

	_Static_assert(ARRAY_COUNT(values) == ARRAY_COUNT(columns), "a value for each column");
	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		json_array_append_new(list, values[i]);
	return list;
}

static json_t *pair_of(const struct page *page, const struct page_pair *pair)
{
	static const char *const bits[] = {
		[TRUTH_UNKNOWN] = "unknown", [TRUTH_NO] = "differ", [TRUTH_YES] = "identical"};

	return json_pack("[ooooooss]", index_of((size_t)(pair->row - page->rows)),
		index_of((size_t)(pair->other - page->rows)), number_of(pair->ratio),
		number_of(pair->ci95[0]), number_of(pair->ci95[1]), number_of(pair->tolerance),
		verdict_words[pair->verdict], bits[pair->bits]);
}

void data_add_overview(struct page *page, const char *group, const struct page_row *row,
	const struct page_row *other)
{
	append(page, "overview",
		json_pack("[soo]", group, index_of((size_t)(row - page->rows)),
			index_of((size_t)(other - page->rows))));
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
	json_t *addresses = json_array();

	for (size_t lane = 0; lane < model->lanes; lane++)
		if (request->lanes >> lane & 1)
			json_array_append_new(addresses, index_of(request->address[lane]));
	json_t *drawing = json_pack("{so so so so so so}", "lanes", index_of(model->lanes),
		"active", lanes_of(request->lanes), "width", index_of(request->width_bytes),
		"address", addresses, "line", index_of(model->line_bytes), "sector",
		index_of(model->sector_bytes));
	if (shared)
		json_object_set_new(drawing, "passes", passes_of(request));
	return append(page, "drawings", drawing);
}

size_t data_add_split(
	struct page *page, const struct access_model *model, uint64_t lanes, uint64_t first)
{
	return append(page, "drawings",
		json_pack("{so so so}", "lanes", index_of(model->lanes), "active", lanes_of(lanes),
			"first", lanes_of(first)));
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
	for (size_t i = 0; i < page->device_count; i++)
		append(page, "devices", text_of(page_device_name(page, i)));
	for (size_t i = 0; i < page->side_count; i++)
		append(page, "sides", side_of(page, i));
	for (size_t i = 0; i < page->family_count; i++)
		append(page, "families", text_of(page->families[i].name));
	for (size_t i = 0; i < page->problem_count; i++)
		append(page, "problems",
			json_pack("{so so}", "family", index_of(page->problems[i].family), "text",
				text_of(page->problems[i].text)));
	for (size_t i = 0; i < ARRAY_COUNT(columns); i++)
		append(page, "columns", json_string(columns[i]));
	for (size_t i = 0; i < page->row_count; i++)
		append(page, "rows", row_of(page, &page->rows[i]));
	for (size_t i = 0; i < page->pair_count; i++)
		append(page, "parity", pair_of(page, &page->pairs[i]));
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
