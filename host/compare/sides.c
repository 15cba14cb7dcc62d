#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/internal.h"

/* ---- The compared field ---------------------------------------------------------------------- */

static bool add_once(struct text_list *list, const char *text)
{
	return !text || !*text || text_list_has(list, text) || text_list_add(list, text);
}

/* Returns the different texts of a field in the rows whose field `group` has a value. value NULL: in
 * all rows. */
static struct text_list values_in(const struct comparison *comparison, enum compare_field group,
	const char *value, enum compare_field field)
{
	struct text_list values = {0};

	for (size_t i = 0; i < comparison->rows.count; i++) {
		const struct compared_row *row = &comparison->rows.items[i];
		if (!value || text_equal(row->texts[group], value))
			add_once(&values, row->texts[field]);
	}
	return values;
}

/* Returns how many elements of `a` are also in `b`. */
static size_t common(const struct text_list *a, const struct text_list *b)
{
	size_t count = 0;

	for (size_t i = 0; i < a->count; i++)
		count += text_list_has(b, a->items[i]);
	return count;
}

/* Returns whether two groups of rows (files or devices) each have a value that the other group lacks. Common
 * values are ignored, for example the CPU of two machines of one model. */
static bool differs(
	const struct comparison *comparison, enum compare_field group, enum compare_field field)
{
	struct text_list groups = values_in(comparison, group, NULL, group);
	struct text_list *values = calloc(groups.count + 1, sizeof *values);
	bool found = false;

	for (size_t a = 0; values && a < groups.count; a++) {
		values[a] = values_in(comparison, group, groups.items[a], field);
		for (size_t b = 0; b < a; b++) {
			size_t shared = common(&values[a], &values[b]);
			found |= shared < values[a].count && shared < values[b].count;
		}
	}
	for (size_t a = 0; values && a < groups.count; a++)
		text_list_finish(&values[a]);
	free(values);
	text_list_finish(&groups);
	return found;
}

/* Returns the first field that differs between the files, or between the rows of a single file: device,
 * backend, driver, else the run. If two devices also have no common backend, returns device and backend. */
static unsigned choose(const struct comparison *comparison)
{
	static const enum compare_field fields[] = {ROW_DEVICE, ROW_BACKEND, ROW_DRIVER};
	bool single = comparison->file_count == 1;

	for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
		enum compare_field field = fields[i];
		if (!differs(comparison, single ? field : ROW_RUN, field))
			continue;
		bool backends = field == ROW_DEVICE &&
				differs(comparison, single ? ROW_DEVICE : ROW_RUN, ROW_BACKEND);
		return COMPARE_BIT(field) | (backends ? COMPARE_BIT(ROW_BACKEND) : 0);
	}
	return COMPARE_BIT(ROW_RUN);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the different drivers of each file as one text. They are sorted, because the order of the rows does
 * not matter. Returns false if there is no memory. */
static bool add_drivers(struct comparison *comparison)
{
	bool ok = true;

	for (size_t f = 0; f < comparison->file_count && ok; f++) {
		char *text = NULL, file[24];
		snprintf(file, sizeof file, "%zu", f); /* ROW_RUN of its rows */
		struct text_list drivers = values_in(comparison, ROW_RUN, file, ROW_DRIVER);
		if (drivers.count)
			qsort(drivers.items, drivers.count, sizeof *drivers.items, by_text);
		for (size_t i = 0; i < drivers.count; i++)
			text_format(&text, "%s%s%s", text_or_empty(text), i ? "; " : "",
				drivers.items[i]);
		ok = text_list_add(&comparison->drivers, text_or_empty(text));
		free(text);
		text_list_finish(&drivers);
	}
	return ok;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the value of a field of a row, or its name for people. malloc'ed. */
static char *value_of(const struct comparison *comparison, const struct compared_row *row,
	enum compare_field field, bool for_people)
{
	char *text = NULL;

	if (for_people && field == ROW_DEVICE && row->device)
		return device_record_title(row->device);
	/* Within a single file, each row is compared by its own driver. */
	if (field == ROW_DRIVER && comparison->file_count > 1)
		text_set(&text, comparison->drivers.items[row->file]);
	else if (for_people && field == ROW_RUN)
		text_set(&text, row->of->name ? row->of->name : base_name(row->of->path));
	else if (for_people && field == ROW_HOST)
		text_format(&text, "host %.8s", text_or_empty(row->texts[field]));
	else
		text_set(&text, row->texts[field] ? row->texts[field] : "none");
	return text;
}

/* Returns the values of the compared fields as a text; malloc'ed. */
static char *side_text(
	const struct comparison *comparison, const struct compared_row *row, bool for_people)
{
	char *text = NULL;

	for (unsigned i = 0; i < ROW_FIELD_COUNT; i++) {
		if (!(comparison->by & COMPARE_BIT(i)))
			continue;
		char *value = value_of(comparison, row, (enum compare_field)i, for_people);
		text_format(&text, "%s%s%s", text_or_empty(text),
			!text        ? ""
			: for_people ? ", "
				     : "\n",
			text_or_empty(value));
		free(value);
	}
	return text;
}

/* Makes the name of a side unique. Appends the device's identity, or replaces the name by the whole path.
 * number > 0 (second round): appends the number instead. */
static void make_unique(const struct comparison *comparison, size_t side, size_t number)
{
	const struct compared_row *row = comparison->rows.items;
	char **name = &comparison->document->sides.items[side].name;

	while (row->side != side)
		row++;
	const struct device_record *device = row->device;
	const char *identity = device ? device->uuid ? device->uuid : device->pci : NULL;
	if (comparison->by == COMPARE_BIT(ROW_RUN))
		text_format(name, "%s%s%s", row->of->path, row->of->name ? ": " : "",
			text_or_empty(row->of->name));
	if (number)
		text_format(name, "%s #%zu", text_or_empty(*name), number);
	else if (comparison->by & COMPARE_BIT(ROW_DEVICE))
		text_format(name, "%s (%.*s)", text_or_empty(*name),
			device && device->uuid ? 8 : 12, text_or_empty(identity));
}

/* Sets the letters, and gives sides of the same name different names. */
static void name_sides(const struct comparison *comparison)
{
	struct side_list *sides = &comparison->document->sides;

	for (size_t i = 0; i < sides->count; i++) {
		struct side_record *side = &sides->items[i];
		if (sides->count == 2)
			snprintf(side->letter, sizeof side->letter, "%s", i ? "new" : "base");
		else if (i < 26)
			snprintf(side->letter, sizeof side->letter, "%c", (int)('A' + i));
		else
			snprintf(side->letter, sizeof side->letter, "S%zu", i + 1);
	}
	for (int round = 0; round < 2; round++) {
		uint64_t clash = 0;
		for (size_t i = 0; i < sides->count; i++)
			for (size_t j = 0; j < sides->count; j++)
				if (i != j &&
					text_equal(sides->items[i].name, sides->items[j].name))
					clash |= UINT64_C(1) << i;
		for (size_t i = 0; i < sides->count; i++)
			if (clash >> i & 1)
				make_unique(comparison, i, round ? i + 1 : 0);
	}
}

/* ---- Sides ----------------------------------------------------------------------------------- */

static bool describe(struct side_record *side, const struct compared_row *row)
{
	const struct device_record *device = row->device;
	const struct run_record *run = &row->document->run;

	side->shipped &= row->of->shipped;
	side->interrupted |= run->interrupted;
	if (!side->type && device)
		text_set(&side->type, device->type);
	if (result_row_median_ns(row->row) > 0) {
		side->rows++;
		if (!side->load)
			device_state_load_text(&row->row->device_state, &side->load);
	}
	return add_once(&side->files, row->of->path) &&
	       add_once(&side->devices, device ? device->name : row->row->device) &&
	       add_once(&side->backends, row->texts[ROW_BACKEND]) &&
	       add_once(&side->drivers, row->texts[ROW_DRIVER]) &&
	       add_once(&side->hosts, run->host_id) &&
	       add_once(&side->started_utc, run->started_utc);
}

/* Sets the side of a row. Adds a side if no earlier row has the same values. values: values of the
 * sides so far. */
static bool place_row(
	struct comparison *comparison, struct compared_row *row, struct text_list *values)
{
	struct side_list *sides = &comparison->document->sides;
	char *value = side_text(comparison, row, false);
	bool ok = value != NULL;

	row->side = 0;
	while (ok && row->side < values->count && strcmp(values->items[row->side], value) != 0)
		row->side++;
	if (ok && row->side == values->count) {
		struct side_record *side = record_list_add(&side_type, sides);
		ok = side && text_list_add(values, value);
		if (ok) {
			side->name = side_text(comparison, row, true);
			side->shipped = true;
		}
	}
	free(value);
	return ok && describe(&sides->items[row->side], row);
}

static enum pmpp_status check_sides(const struct comparison *comparison, struct pmpp_error *error)
{
	const struct side_list *sides = &comparison->document->sides;

	if (sides->count > COMPARE_MAX_SIDES)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%zu sides are too many (at most %d): give fewer files or runs, or another --by",
			sides->count, COMPARE_MAX_SIDES);
	if (sides->count > 1 || comparison->options->separate)
		return PMPP_OK;
	if (comparison->file_count == 1 && !comparison->options->by)
		return PMPP_FAIL(error, PMPP_USAGE,
			"nothing to compare: %s has one device and one backend, in one run; give a second "
			"file",
			comparison->files[0].path);
	return PMPP_FAIL(error, PMPP_USAGE,
		"nothing to compare: all rows have the same %s%s; give other files, or another --by",
		comparison->document->by.count ? comparison->document->by.items[0] : "run",
		comparison->document->by.count > 1 ? " and other compared fields" : "");
}

enum pmpp_status sides_make(struct comparison *comparison, struct pmpp_error *error)
{
	const char *by = comparison->options->by;
	struct text_list values = {0};
	enum pmpp_status status = PMPP_OK;

	if (by)
		status = compare_fields_parse(by, &comparison->by, error);
	else
		comparison->by = choose(comparison);
	if (status != PMPP_OK)
		return status;
	bool ok = add_drivers(comparison);
	for (size_t i = 0; i < ROW_FIELD_COUNT && ok; i++)
		if (comparison->by & COMPARE_BIT(i))
			ok = text_list_add(&comparison->document->by,
				compare_field_name((enum compare_field)i));
	for (size_t i = 0; i < comparison->rows.count && ok; i++)
		ok = place_row(comparison, &comparison->rows.items[i], &values);
	text_list_finish(&values);
	text_list_finish(&comparison->drivers);
	if (!ok)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
	status = check_sides(comparison, error);
	if (status == PMPP_OK)
		name_sides(comparison);
	return status;
}
