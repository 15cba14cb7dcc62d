#include <stdlib.h>
#include <string.h>

#include "common/clean_text.h"
#include "host/compare/fields.h"
#include "host/page/section.h"

static const char *backend_name(const char *backend)
{
	static const struct {
		const char *word, *name;
	} names[] = {{"cuda", "CUDA"}, {"opencl", "OpenCL"}, {"cuda-emu", "CUDA emulator"},
		{"opencl-emu", "OpenCL emulator"}};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (text_equal(names[i].word, backend))
			return names[i].name;
	return text_or_empty(backend);
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* Sets record, view and roofs from the file of a cell, unless an earlier cell has them. */
static void describe(struct page_side *side, const struct cell_record *cell)
{
	const struct device_record *device = device_of_key(cell->shown_in, cell->shown->device);
	const struct view_record *view = device_view(device, cell->shown->backend);

	if (!side->record) {
		side->record = device;
		side->view = view;
	}
	if (!side->roofs && view && view->roofs.record.present)
		side->roofs = &view->roofs;
	else if (!side->roofs && device && device->roofs.record.present)
		side->roofs = &device->roofs;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Maximum size of a device's name, in bytes. */
#define NAME_BYTES 120

/* Returns whether another device before `end` has the name. */
static bool is_taken(const struct page *page, size_t end, const char *name)
{
	for (size_t i = 0; i < end; i++)
		if (text_equal(page->sides[i].device_name, name))
			return true;
	return false;
}

/* Names a new device: without "(R)" and "(TM)", cut to NAME_BYTES, with a number if the name is taken. */
static void name_device(struct page *page, size_t index, const char *title)
{
	static const char *const noise[] = {"(R)", "(TM)"};
	struct page_side *side = &page->sides[index];
	char plain[NAME_BYTES], *found;
	size_t length = clean_text(title, strlen(title), CLEAN_LINE, plain, sizeof plain);
	const char *end = length < sizeof plain ? "" : "...";

	for (size_t i = 0; i < ARRAY_COUNT(noise); i++)
		while ((found = strstr(plain, noise[i]))) {
			const char *rest = found + strlen(noise[i]);
			memmove(found, rest, strlen(rest) + 1);
		}
	text_format(&side->device_name, "%s%s", plain, end);
	for (size_t n = 2; side->device_name && is_taken(page, index, side->device_name); n++)
		text_format(&side->device_name, "%s%s #%zu", plain, end, n);
	side->device = page->device_count++;
}

/* Fills a side from its first cell. The first side of a device names the device. */
static bool fill_side(struct page *page, size_t index, const struct cell_record *cell)
{
	struct page_side *side = &page->sides[index], *twin = page->sides;
	const char *key = text_or_empty(cell->shown->device);

	side->backend = text_or_empty(cell->shown->backend);
	side->backend_name = backend_name(side->backend);
	side->identity =
		side->record ? device_identity_on_host(side->record, cell->shown_in) : strdup(key);
	if (!side->identity)
		return false;
	while (!text_equal(twin->identity, side->identity))
		twin++;
	if (twin < side) {
		side->device = twin->device;
		text_set(&side->device_name, twin->device_name);
	} else {
		char *title = side->record && side->record->name ? device_record_title(side->record)
								 : NULL;
		name_device(page, index, title ? title : key);
		free(title);
	}
	text_format(&side->name, "%s, %.*s", text_or_empty(side->device_name), NAME_BYTES,
		side->backend_name);
	return side->device_name && side->name;
}

bool page_make_sides(struct page *page)
{
	const struct comparison_document *comparison = &page->comparison;
	bool ok = true;

	page->sides = calloc(comparison->sides.count + 1, sizeof *page->sides);
	if (!page->sides)
		return false;
	page->side_count = comparison->sides.count;
	for (size_t i = 0; i < page->side_count && ok; i++)
		for (size_t r = 0; r < comparison->rows.count && ok; r++) {
			const struct cell_record *cell = &comparison->rows.items[r].cells.items[i];
			if (!cell->shown)
				continue;
			describe(&page->sides[i], cell);
			ok = page->sides[i].name || fill_side(page, i, cell);
		}
	return ok;
}
