#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/internal.h"

/* ---- The compared field ---------------------------------------------------------------------- */

static bool add_once(struct text_list *list, const char *text)
{
	return !text || !*text || text_list_has(list, text) || text_list_add(list, text);
}

/* Returns the different texts of a field in the rows of a file. */
static struct text_list values_in(
	const struct comparison *comparison, size_t file, enum compare_field field)
{
	struct text_list values = {0};

	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->rows[i].file == file)
			add_once(&values, comparison->rows[i].texts[field]);
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

/* Returns whether each list has an element that the other list lacks. */
static bool both_have_more(const struct text_list *a, const struct text_list *b)
{
	size_t shared = common(a, b);

	return shared < a->count && shared < b->count;
}

/* Returns whether two files each have a value of the field that the other file lacks. Common values
 * are ignored, for example the CPU of two machines of one model. */
static bool differs_between_files(const struct comparison *comparison, enum compare_field field)
{
	struct text_list *values = calloc(comparison->file_count, sizeof *values);
	bool differs = false;

	for (size_t a = 0; values && a < comparison->file_count; a++) {
		values[a] = values_in(comparison, a, field);
		for (size_t b = 0; b < a; b++)
			differs |= both_have_more(&values[a], &values[b]);
	}
	for (size_t a = 0; values && a < comparison->file_count; a++)
		text_list_finish(&values[a]);
	free(values);
	return differs;
}

/* Returns whether the rows differ in the field. Used for a single file. */
static bool differs_within(const struct comparison *comparison, enum compare_field field)
{
	for (size_t i = 1; i < comparison->row_count; i++)
		if (!text_equal(comparison->rows[i].texts[field], comparison->rows[0].texts[field]))
			return true;
	return false;
}

/* Returns the different backends of the rows of a device. */
static struct text_list backends_of(const struct comparison *comparison, const char *device)
{
	struct text_list backends = {0};

	for (size_t i = 0; i < comparison->row_count; i++)
		if (text_equal(comparison->rows[i].texts[ROW_DEVICE], device))
			add_once(&backends, comparison->rows[i].texts[ROW_BACKEND]);
	return backends;
}

/* Returns whether a single file has two devices without a common backend. */
static bool backends_differ_within(const struct comparison *comparison)
{
	struct text_list devices = values_in(comparison, 0, ROW_DEVICE);
	bool differs = false;

	for (size_t i = 1; i < devices.count && !differs; i++) {
		struct text_list first = backends_of(comparison, devices.items[0]);
		struct text_list other = backends_of(comparison, devices.items[i]);
		differs = first.count && other.count && common(&first, &other) == 0;
		text_list_finish(&first);
		text_list_finish(&other);
	}
	text_list_finish(&devices);
	return differs;
}

/* Returns the first field that differs between the files: device, backend, driver, else the run. If
 * two devices have no backend in common, returns both device and backend. */
static unsigned choose(const struct comparison *comparison)
{
	static const enum compare_field order[] = {ROW_DEVICE, ROW_BACKEND, ROW_DRIVER};
	bool single = comparison->file_count == 1;

	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		if (!(single ? differs_within(comparison, order[i])
			     : differs_between_files(comparison, order[i])))
			continue;
		bool with_backend = order[i] == ROW_DEVICE &&
				    (single ? backends_differ_within(comparison)
					    : differs_between_files(comparison, ROW_BACKEND));
		return COMPARE_BIT(order[i]) | (with_backend ? COMPARE_BIT(ROW_BACKEND) : 0);
	}
	return COMPARE_BIT(ROW_RUN);
}

/* ---- Sides ----------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the different drivers of a file, sorted, because the order of the rows does not matter.
 * malloc'ed; NULL if there is no memory. */
static char *drivers_of(const struct comparison *comparison, size_t file)
{
	struct text_list drivers = values_in(comparison, file, ROW_DRIVER);
	char *text = NULL;
	if (drivers.count)
		qsort(drivers.items, drivers.count, sizeof *drivers.items, by_text);
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < drivers.count; i++)
		fprintf(out, "%s%s", i ? "; " : "", drivers.items[i]);
	if (out)
		fclose(out);
	text_list_finish(&drivers);
	return text;
}

static bool make_drivers(struct comparison *comparison)
{
	comparison->drivers = calloc(comparison->file_count, sizeof *comparison->drivers);
	for (size_t f = 0; comparison->drivers && f < comparison->file_count; f++) {
		comparison->drivers[f] = drivers_of(comparison, f);
		if (!comparison->drivers[f])
			return false;
	}
	return comparison->drivers != NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void put_title(const struct device_record *device, FILE *out)
{
	char *title = device_record_title(device);

	fputs(text_or_empty(title), out);
	free(title);
}

/* Writes the value of a field of a row. for_people: write a name instead of an identity. */
static void put_value(const struct comparison *comparison, const struct compared_row *row,
	enum compare_field field, bool for_people, FILE *out)
{
	/* Within a single file, each row is compared by its own driver. */
	if (field == ROW_DRIVER && comparison->file_count > 1)
		fputs(comparison->drivers[row->file], out);
	else if (for_people && field == ROW_DEVICE && row->device)
		put_title(row->device, out);
	else if (for_people && field == ROW_RUN)
		fputs(row->name ? row->name : base_name(row->path), out);
	else if (for_people && field == ROW_HOST)
		fprintf(out, "host %.8s", text_or_empty(row->texts[field]));
	else
		fputs(row->texts[field] ? row->texts[field] : "none", out);
}

/* Returns the values of the compared fields as a text; malloc'ed. */
static char *side_text(
	const struct comparison *comparison, const struct compared_row *row, bool for_people)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *separator = "";

	if (!out)
		return NULL;
	for (unsigned i = 0; i < ROW_FIELD_COUNT; i++) {
		if (!(comparison->by & COMPARE_BIT(i)))
			continue;
		fputs(separator, out);
		put_value(comparison, row, (enum compare_field)i, for_people, out);
		separator = for_people ? ", " : "\n";
	}
	fclose(out);
	return text;
}

static bool describe(struct side_record *side, const struct compared_row *row, bool shipped)
{
	const struct device_record *device = row->device;
	bool measured = false;

	side->shipped &= shipped;
	side->interrupted |= row->document->run.interrupted;
	if (!side->type && device)
		text_set(&side->type, device->type);
	if (result_row_median_ns(row->row) > 0) {
		side->rows++;
		if (!side->load)
			device_state_load_text(&row->row->device_state, &side->load);
		result_row_noise(row->row, device, &measured);
		add_once(&side->noise, measured ? "measured" : "default");
	}
	return add_once(&side->files, row->path) &&
	       add_once(&side->devices, device ? device->name : row->row->device) &&
	       add_once(&side->backends, row->texts[ROW_BACKEND]) &&
	       add_once(&side->drivers, row->texts[ROW_DRIVER]) &&
	       add_once(&side->hosts, row->document->run.host_id) &&
	       add_once(&side->started_utc, row->document->run.started_utc);
}

/* Writes up to 12 characters of the identity, to distinguish devices with the same name. */
static void put_short_identity(const struct compared_row *row, FILE *out)
{
	const char *identity = text_or_empty(row->texts[ROW_DEVICE]);
	const char *colon = strchr(identity, ':');
	bool uuid = row->device && row->device->uuid;

	fprintf(out, " (%.*s)", uuid ? 8 : 12, colon ? colon + 1 : identity);
}

/* Makes a name unique. Appends the device's identity, or replaces the name by the whole path.
 * number > 0 (second round): appends the number instead. */
static void make_unique(const struct comparison *comparison, const struct compared_row *row,
	char **name, size_t number)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	if (comparison->by == COMPARE_BIT(ROW_RUN))
		fprintf(out, "%s%s%s", row->path, row->name ? ": " : "", text_or_empty(row->name));
	else
		fputs(text_or_empty(*name), out);
	if (number)
		fprintf(out, " #%zu", number);
	else if (comparison->by & COMPARE_BIT(ROW_DEVICE))
		put_short_identity(row, out);
	fclose(out);
	text_set(name, text);
	free(text);
}

/* Gives sides of the same name different names. firsts: the first row of each side. */
static void distinguish(struct comparison *comparison, const struct compared_row *const *firsts)
{
	struct side_list *sides = &comparison->document->sides;
	bool *clash = calloc(sides->count, sizeof *clash);

	for (int round = 0; clash && round < 2; round++) {
		for (size_t i = 0; i < sides->count; i++) {
			clash[i] = false;
			for (size_t j = 0; j < sides->count; j++)
				clash[i] |= i != j &&
					    text_equal(sides->items[i].name, sides->items[j].name);
		}
		for (size_t i = 0; i < sides->count; i++)
			if (clash[i])
				make_unique(comparison, firsts[i], &sides->items[i].name,
					round ? i + 1 : 0);
	}
	free(clash);
}

/* Sets the side of a row. Adds a side if no earlier row has the same values. values: values of the
 * sides so far; firsts: first rows of the sides so far. */
static bool place_row(struct comparison *comparison, struct compared_row *row,
	struct text_list *values, const struct compared_row **firsts)
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
			char *name = side_text(comparison, row, true);
			text_set(&side->name, name);
			free(name);
			side->shipped = true;
			side->rows = 0;
			side->doubled = 0;
			side->raised = 0;
			firsts[row->side] = row;
		}
	}
	free(value);
	return ok && describe(&sides->items[row->side], row, comparison->files[row->file].shipped);
}

enum pmpp_status sides_make(struct comparison *comparison)
{
	const struct compared_row **firsts = calloc(comparison->row_count + 1, sizeof *firsts);
	struct text_list values = {0};
	enum pmpp_status status = PMPP_OK;
	bool ok = firsts != NULL && make_drivers(comparison);

	if (comparison->options->by)
		status = compare_fields_parse(
			comparison->options->by, &comparison->by, comparison->error);
	else
		comparison->by = choose(comparison);
	for (size_t i = 0; i < ROW_FIELD_COUNT && ok && status == PMPP_OK; i++)
		if (comparison->by & COMPARE_BIT(i))
			ok = text_list_add(&comparison->document->by,
				compare_field_name((enum compare_field)i));
	for (size_t i = 0; i < comparison->row_count && ok && status == PMPP_OK; i++)
		ok = place_row(comparison, &comparison->rows[i], &values, firsts);
	if (status == PMPP_OK && !ok)
		status = PMPP_FAIL(
			comparison->error, PMPP_OUT_OF_MEMORY, "no memory for the comparison");
	if (status == PMPP_OK)
		distinguish(comparison, firsts);
	text_list_finish(&values);
	free(firsts);
	return status;
}
