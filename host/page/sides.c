#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/fields.h"
#include "host/page/sides.h"

static const char *backend_name(const char *backend)
{
	static const struct {
		const char *word, *name;
	} names[] = {{"cuda", "CUDA"}, {"opencl", "OpenCL"}, {"cuda-emu", "CUDA emulator"},
		{"opencl-emu", "OpenCL emulator"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_equal(names[i].word, backend))
			return names[i].name;
	return text_or_empty(backend);
}

/* ---- Devices --------------------------------------------------------------------------------- */

static bool is_newer(const struct result_document *a, const struct result_document *b)
{
	return !b ||
	       strcmp(text_or_empty(a->run.started_utc), text_or_empty(b->run.started_utc)) > 0;
}

/* Returns the roofs of the view, else of the device; NULL: unknown. */
static const struct roofs_record *roofs_of(
	const struct device_record *device, const struct view_record *view)
{
	if (view && view->roofs.record.present)
		return &view->roofs;
	return device->roofs.record.present ? &device->roofs : NULL;
}

/* The newest files that have the device, its view and its roofs. */
struct newest {
	const struct result_document *device, *view, *roofs;
};

static void use_device(struct page_side *side, const struct result_document *document,
	const struct device_record *device, struct newest *newest)
{
	const struct view_record *view = device_view(device, side->backend);
	const struct roofs_record *roofs = roofs_of(device, view);

	if (view ? is_newer(document, newest->view)
		 : !newest->view && is_newer(document, newest->device)) {
		side->record = device;
		side->view = view;
		newest->device = document;
		newest->view = view ? document : newest->view;
	}
	if (roofs && is_newer(document, newest->roofs)) {
		side->roofs = roofs;
		newest->roofs = document;
	}
}

/* Sets record, view and roofs from the newest files that have the device. */
static bool describe(struct page_side *side, const struct page_input *input)
{
	struct newest newest = {0};

	for (size_t f = 0; f < input->file_count; f++) {
		const struct result_document *document = &input->files[f].document;
		for (size_t d = 0; d < document->devices.count; d++) {
			const struct device_record *device = &document->devices.items[d];
			char *identity = device_identity_on_host(device, document);
			if (!identity)
				return false;
			if (strcmp(identity, side->identity) == 0)
				use_device(side, document, device, &newest);
			free(identity);
		}
	}
	return true;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Maximum size of a device's name, in bytes. */
#define NAME_BYTES 120

/* Returns the name without "(R)" and "(TM)", cut to NAME_BYTES between characters. malloc'ed. */
static char *plain_name(const char *name)
{
	static const char *const noise[] = {"(R)", "(TM)"};
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
	while (*name && length > 0 && (text[length - 1] & 0xc0) == 0x80)
		length--;
	if (*name && length > 0)
		length--;
	text_format(&plain, "%.*s%s", (int)length, text, *name ? "..." : "");
	return plain;
}

/* Returns whether another device before `end` has the name. */
static bool is_taken(const struct page *page, size_t end, const char *name)
{
	for (size_t i = 0; i < end; i++)
		if (text_equal(page->sides[i].device_name, name))
			return true;
	return false;
}

/* Sets the number and the name of the device, which its first side has already. */
static bool name_device(struct page *page, size_t index, const char *title)
{
	struct page_side *side = &page->sides[index];

	for (size_t i = 0; i < index; i++)
		if (strcmp(page->sides[i].identity, side->identity) == 0) {
			side->device = page->sides[i].device;
			text_set(&side->device_name, page->sides[i].device_name);
			return side->device_name != NULL;
		}
	char *plain = plain_name(title);
	text_set(&side->device_name, plain);
	for (size_t number = 2; side->device_name && is_taken(page, index, side->device_name);
		number++)
		text_format(&side->device_name, "%s #%zu", plain, number);
	free(plain);
	side->device = page->device_count++;
	return side->device_name != NULL;
}

/* Fills a side from its first cell. */
static bool fill_side(struct page *page, size_t index, const struct cell_record *cell)
{
	struct page_side *side = &page->sides[index];
	const char *key = text_or_empty(cell->shown->device);
	const struct device_record *device = device_of_key(cell->shown_in, cell->shown->device);

	side->backend = text_or_empty(cell->shown->backend);
	side->backend_name = backend_name(side->backend);
	side->identity = device ? device_identity_on_host(device, cell->shown_in) : strdup(key);
	if (!side->identity || !describe(side, page->input))
		return false;
	char *title = side->record && side->record->name ? device_record_title(side->record) : NULL;
	bool ok = name_device(page, index, title ? title : key);
	free(title);
	if (ok)
		text_format(
			&side->name, "%s, %.*s", side->device_name, NAME_BYTES, side->backend_name);
	return side->name != NULL;
}

bool sides_make_page(struct page *page)
{
	const struct comparison_document *comparison = &page->comparison;
	size_t count = comparison->sides.count;
	bool ok = true;

	page->sides = calloc(count + 1, sizeof *page->sides);
	if (!page->sides)
		return false;
	page->side_count = count;
	for (size_t i = 0; i < count && ok; i++)
		for (size_t r = 0; r < comparison->rows.count && ok && !page->sides[i].name; r++)
			if (comparison->rows.items[r].cells.items[i].shown)
				ok = fill_side(page, i, &comparison->rows.items[r].cells.items[i]);
	return ok;
}

void sides_finish_page(struct page *page)
{
	for (size_t i = 0; i < page->side_count; i++) {
		free(page->sides[i].name);
		free(page->sides[i].device_name);
		free(page->sides[i].identity);
	}
	free(page->sides);
}
