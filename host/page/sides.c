#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/fields.h"
#include "host/page/parts.h"

/* ---- Backends -------------------------------------------------------------------------------- */

static const struct {
	const char *word, *name;
	unsigned mark;
} backends[] = {
	{"cuda", "CUDA", 0},
	{"opencl", "OpenCL", 1},
	{"cuda-emu", "CUDA emulator", 2},
	{"opencl-emu", "OpenCL emulator", 3},
};

#define BACKENDS (sizeof backends / sizeof *backends)

static size_t backend_index(const char *backend)
{
	size_t i = 0;

	while (i < BACKENDS && !text_equal(backends[i].word, backend))
		i++;
	return i;
}

const char *page_backend_name(const char *backend)
{
	size_t i = backend_index(backend);

	return i < BACKENDS ? backends[i].name : text_or_empty(backend);
}

/* ---- Rows of sides --------------------------------------------------------------------------- */

/* The values that identify a side. */
struct found {
	char *device;        /* identity; owned */
	const char *backend; /* "" = none */
	const char *key;     /* key of the device, if its file does not describe the device */
};

struct finder {
	struct page *page;
	struct found *found; /* one for each side; owned */
	size_t count;
};

/* Returns the identity that the comparison uses. malloc'ed; NULL if there is no memory. */
static char *identity_of(const struct result_document *document, const struct result_row *row)
{
	const struct device_record *device = device_of_key(document, row->device);

	return device ? device_identity_on_host(device, document)
		      : strdup(text_or_empty(row->device));
}

/* Numbers the sides like the comparison: in the order of their first rows. */
static bool find_side(struct finder *finder, const struct result_document *document,
	const struct result_row *row, size_t *ret_side)
{
	char *device = identity_of(document, row);
	const char *backend = text_or_empty(row->backend);
	size_t side = 0;

	if (!device)
		return false;
	while (side < finder->count && (strcmp(finder->found[side].device, device) != 0 ||
					       strcmp(finder->found[side].backend, backend) != 0))
		side++;
	if (side == finder->count && side < finder->page->comparison.sides.count)
		finder->found[finder->count++] = (struct found){device, backend, row->device};
	else
		free(device);
	*ret_side = side;
	return true;
}

static int by_variant(const void *a, const void *b)
{
	const struct page_result *x = a, *y = b;

	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	int order = strcmp(text_or_empty(x->row->variant), text_or_empty(y->row->variant));
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static bool find_results(struct finder *finder)
{
	const struct page_input *input = finder->page->input;
	struct page_parts *parts = finder->page->parts;
	size_t total = 0;
	bool ok = true;

	for (size_t f = 0; f < input->file_count; f++)
		total += input->files[f].document.results.count;
	parts->results = calloc(total + 1, sizeof *parts->results);
	for (size_t f = 0; parts->results && f < input->file_count; f++) {
		const struct result_document *document = &input->files[f].document;
		for (size_t r = 0; r < document->results.count && ok; r++) {
			struct page_result *result = &parts->results[parts->result_count];
			result->row = &document->results.items[r];
			result->order = parts->result_count++;
			ok = find_side(finder, document, result->row, &result->side);
		}
	}
	if (parts->results)
		qsort(parts->results, parts->result_count, sizeof *parts->results, by_variant);
	return parts->results && ok;
}

/* ---- Devices of sides ------------------------------------------------------------------------ */

static bool is_newer(const struct result_document *a, const struct result_document *b)
{
	return !b ||
	       strcmp(text_or_empty(a->run.started_utc), text_or_empty(b->run.started_utc)) > 0;
}

static bool is_device(const struct device_record *device, const struct result_document *document,
	const char *identity)
{
	char *text = device_identity_on_host(device, document);
	bool same = text && strcmp(text, identity) == 0;

	free(text);
	return same;
}

/* Returns the roofs of the view, else of the device; NULL = unknown. */
static const struct roofs_record *roofs_of(
	const struct device_record *device, const struct view_record *view)
{
	if (view && view->roofs.record.present)
		return &view->roofs;
	return device->roofs.record.present ? &device->roofs : NULL;
}

/* Fills device, view and roofs from the newest files that have them. */
static void describe(struct page_side *side, const struct page_input *input, const char *identity)
{
	const struct result_document *newest = NULL, *newest_view = NULL, *newest_roofs = NULL;

	for (size_t f = 0; f < input->file_count; f++) {
		const struct result_document *document = &input->files[f].document;
		for (size_t d = 0; d < document->devices.count; d++) {
			const struct device_record *device = &document->devices.items[d];
			const struct view_record *view = device_view(device, side->backend);
			const struct roofs_record *roofs = roofs_of(device, view);
			if (!is_device(device, document, identity))
				continue;
			if (view ? is_newer(document, newest_view)
				 : !newest_view && is_newer(document, newest)) {
				side->device = device;
				side->view = view;
				newest = document;
				newest_view = view ? document : newest_view;
			}
			if (roofs && is_newer(document, newest_roofs)) {
				side->roofs = roofs;
				newest_roofs = document;
			}
		}
	}
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Maximum size of a device's name, in bytes. Titles of many columns and charts contain it. */
#define NAME_BYTES 120

/* Returns the name of a side's device without "(R)" and "(TM)", cut to NAME_BYTES. malloc'ed; NULL
 * if there is no memory. */
static char *plain_name(const struct page *page, const struct finder *finder, size_t side)
{
	static const char *const noise[] = {"(R)", "(TM)"};
	const struct device_record *device = page->sides[side].device;
	char *title = device && device->name ? device_record_title(device) : NULL;
	const char *name = title ? title : text_or_empty(finder->found[side].key);
	char text[NAME_BYTES];
	char *plain = NULL;
	size_t length = 0;

	while (*name && length < sizeof text) {
		size_t skipped = 0;
		for (size_t i = 0; i < sizeof noise / sizeof *noise && !skipped; i++)
			if (strncmp(name, noise[i], strlen(noise[i])) == 0)
				skipped = strlen(noise[i]);
		if (skipped)
			name += skipped;
		else
			text[length++] = *name++;
	}
	/* Remove an incomplete UTF-8 character at the end. */
	while (*name && length > 0 && (text[length - 1] & 0xc0) == 0x80)
		length--;
	if (*name && length > 0)
		length--;
	text_format(&plain, "%.*s%s", (int)length, text, *name ? "..." : "");
	free(title);
	return plain;
}

/* Returns whether a side before `end` has the name. */
static bool is_taken(const struct page *page, size_t end, const char *name)
{
	for (size_t i = 0; i < end; i++)
		if (text_equal(page->sides[i].device_name, name))
			return true;
	return false;
}

/* Sets the name of the device: the name on its first side, or a new name. All names are compared,
 * because the name of a device in a file can end in a number. Returns false if there is no
 * memory. */
static bool set_device_name(struct page *page, size_t index, const char *plain)
{
	struct page_side *side = &page->sides[index];

	for (size_t i = 0; i < index && !side->device_name; i++)
		if (page->sides[i].device_index == side->device_index)
			text_set(&side->device_name, page->sides[i].device_name);
	if (side->device_name)
		return true;
	text_set(&side->device_name, plain);
	for (size_t number = 2; side->device_name && is_taken(page, index, side->device_name);
		number++)
		text_format(&side->device_name, "%s #%zu", plain, number);
	return side->device_name != NULL;
}

static bool set_names(struct page *page, const struct finder *finder, size_t index)
{
	struct page_side *side = &page->sides[index];
	char *plain = plain_name(page, finder, index);

	if (plain && set_device_name(page, index, plain))
		text_format(&side->name, "%s, %.*s", side->device_name, NAME_BYTES,
			page_backend_name(side->backend));
	free(plain);
	return side->name != NULL;
}

/* Returns the number of the side's device. Devices are numbered in the order of their first
 * sides. */
static size_t device_index(const struct page *page, const struct finder *finder, size_t side)
{
	size_t next = 0;

	for (size_t i = 0; i < side; i++) {
		if (strcmp(finder->found[i].device, finder->found[side].device) == 0)
			return page->sides[i].device_index;
		if (page->sides[i].device_index >= next)
			next = page->sides[i].device_index + 1;
	}
	return next;
}

/* ---- Public ---------------------------------------------------------------------------------- */

bool page_make_sides(struct page *page)
{
	size_t count = page->comparison.sides.count;
	struct finder finder = {.page = page, .found = calloc(count + 1, sizeof *finder.found)};
	bool ok = finder.found && find_results(&finder);

	page->sides = calloc(count + 1, sizeof *page->sides);
	ok = ok && page->sides;
	for (size_t i = 0; i < finder.count && ok; i++) {
		struct page_side *side = &page->sides[i];
		side->backend = finder.found[i].backend;
		size_t backend = backend_index(side->backend);
		side->mark = backend < BACKENDS ? backends[backend].mark : CHART_MARKS - 1;
		describe(side, page->input, finder.found[i].device);
		side->device_index = device_index(page, &finder, i);
		side->tint = (unsigned)(side->device_index % CHART_TINTS);
		ok = set_names(page, &finder, i);
		page->side_count = i + 1;
	}
	for (size_t i = 0; i < finder.count; i++)
		free(finder.found[i].device);
	free(finder.found);
	return ok;
}

void page_free_sides(struct page *page)
{
	for (size_t i = 0; i < page->side_count; i++) {
		free(page->sides[i].name);
		free(page->sides[i].device_name);
	}
	free(page->sides);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_row(const struct comparison_row *compared, const struct result_row *row)
{
	return text_equal(compared->family, row->family) &&
	       text_equal(compared->dtype, row->dtype) && text_equal(compared->op, row->op) &&
	       text_equal(compared->data, row->data) &&
	       named_list_equal(&compared->problem, &row->problem) &&
	       named_list_equal(&compared->macros, &row->macros) &&
	       (!compared->math || !row->build.record.present ||
		       text_equal(compared->math, row->build.math));
}

static int64_t sample_count(const struct result_row *row)
{
	return row->timing.record.present ? timing_record_primary(&row->timing)->n : -1;
}

/* Returns the index of the first result of the side and the variant, or the index for inserting
 * it. */
static size_t first_result(const struct page_parts *parts, size_t side, const char *variant)
{
	size_t low = 0, high = parts->result_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct page_result *result = &parts->results[middle];
		bool before = result->side != side
				      ? result->side < side
				      : strcmp(text_or_empty(result->row->variant), variant) < 0;
		low = before ? middle + 1 : low;
		high = before ? high : middle;
	}
	return low;
}

const struct result_row *page_row(
	const struct page *page, const struct comparison_row *row, size_t side)
{
	const struct page_parts *parts = page->parts;
	const char *variant = text_or_empty(row->variant);
	const struct result_row *best = NULL;

	for (size_t i = first_result(parts, side, variant); i < parts->result_count; i++) {
		const struct page_result *result = &parts->results[i];
		if (result->side != side || !text_equal(result->row->variant, variant))
			break;
		if (is_row(row, result->row) &&
			(!best || sample_count(result->row) > sample_count(best)))
			best = result->row;
	}
	return best;
}
