#include "host/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/repetition.h"
#include "common/text.h"
#include "host/record/identity.h"
#include "host/record/result.h"

/* ---- Texts --------------------------------------------------------------------------------- */

/* Returns a malloc'ed copy; NULL for an empty text, or if there is no memory. */
static char *copy_of(const char *text)
{
	return text && *text ? strdup(text) : NULL;
}

/* "k=128 m=7 n=5": sorted by name, so that the order in the file does not matter. malloc'ed. */
static char *named_text(const struct named_list *list)
{
	struct named_value *sorted = named_list_sorted(list);
	char *text = NULL;

	if (!sorted)
		return NULL;
	text_set(&text, "");
	for (size_t i = 0; i < list->count; i++)
		text_format(&text, "%s%s%s=%lld", text_or_empty(text), i ? " " : "", sorted[i].name,
			(long long)sorted[i].value);
	free(sorted);
	return text;
}

/* ---- The table ----------------------------------------------------------------------------- */

#define OF_ROW(member) offsetof(struct result_row, member)
#define OF_RUN(member) offsetof(struct result_document, run.member)

/* Offset of a text of the row, of a text of its run, or of named values of the row; 0: none. */
static const struct {
	const char *name;
	bool identifies; /* must be equal for two rows to be compared */
	size_t in_row, in_document, named;
} fields[ROW_FIELD_COUNT] = {
	[ROW_DEVICE] = {"device", true, OF_ROW(device)},
	[ROW_BACKEND] = {"backend", true, OF_ROW(backend)},
	[ROW_DRIVER] = {"driver", false},
	[ROW_RUN] = {"run", false},
	[ROW_LABEL] = {"label", false, 0, OF_RUN(label)},
	[ROW_HOST] = {"host", false, 0, OF_RUN(host_id)},
	[ROW_MATH] = {"math", true, OF_ROW(build.math)},
	[ROW_MACROS] = {"macros", true, .named = OF_ROW(macros)},
	[ROW_FAMILY] = {"family", true, OF_ROW(family)},
	[ROW_VARIANT] = {"variant", true, OF_ROW(variant)},
	[ROW_DTYPE] = {"dtype", true, OF_ROW(dtype)},
	[ROW_OP] = {"op", true, OF_ROW(op)},
	[ROW_DATA] = {"data", true, OF_ROW(data)},
	[ROW_PROBLEM] = {"problem", true, .named = OF_ROW(problem)},
	[ROW_CONTRACT] = {"contract", true, OF_ROW(timing.contract)},
};

const char *compare_field_name(enum compare_field field)
{
	return fields[field].name;
}

/* Parses "device,backend". PMPP_USAGE for an unknown name. */
static enum pmpp_status parse_fields(
	const char *text, unsigned *ret_fields, struct pmpp_error *error)
{
	*ret_fields = 0;
	for (;; text++) {
		size_t length = strcspn(text, ",");
		unsigned i = 0;
		while (i < ROW_FAMILY && !(strlen(fields[i].name) == length &&
						 strncmp(fields[i].name, text, length) == 0))
			i++;
		if (i == ROW_FAMILY)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--by=%.*s: give one or several of device, backend, driver, run, "
				"label, host, math, macros",
				(int)(length > 40 ? 40 : length), text);
		*ret_fields |= COMPARE_BIT(i);
		text += length;
		if (!*text)
			return PMPP_OK;
	}
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static char *field_text(const struct compared_row *row, size_t field, bool hosts_apart)
{
	const struct view_record *view = device_view(row->device, row->row->backend);
	const char *of_row = (const char *)row->row, *document = (const char *)row->document;
	char *text = NULL;

	if (field == ROW_DEVICE && row->device)
		return hosts_apart ? device_identity_on_host(row->device, row->document)
				   : device_public_identity(row->device, row->document);
	if (field == ROW_DRIVER)
		return view ? copy_of(view->driver) : NULL;
	if (fields[field].named)
		return named_text((const void *)(of_row + fields[field].named));
	if (fields[field].in_row)
		return copy_of(*(char *const *)(of_row + fields[field].in_row));
	if (fields[field].in_document)
		return copy_of(*(char *const *)(document + fields[field].in_document));
	text_format(&text, "%zu", row->file);
	return text;
}

bool compared_rows_make(const struct compared_file *files, size_t count, bool hosts_apart,
	struct compared_rows *ret_rows)
{
	size_t total = 0;
	bool ok;

	for (size_t f = 0; f < count; f++)
		total += files[f].document.results.count;
	*ret_rows = (struct compared_rows){.items = calloc(total + 1, sizeof *ret_rows->items)};
	ok = ret_rows->items != NULL;
	for (size_t f = 0; f < count; f++)
		for (size_t r = 0; r < files[f].document.results.count && ok; r++) {
			struct compared_row *row = &ret_rows->items[ret_rows->count];
			*row = (struct compared_row){.row = &files[f].document.results.items[r],
				.of = &files[f],
				.document = &files[f].document,
				.file = f,
				.order = ret_rows->count++};
			row->device = device_list_find(&row->document->devices, row->row->device);
			for (size_t i = 0; i < ROW_FIELD_COUNT; i++)
				row->texts[i] = field_text(row, i, hosts_apart);
			ok = row->texts[ROW_RUN] && row->texts[ROW_PROBLEM] &&
			     row->texts[ROW_MACROS];
		}
	return ok;
}

void compared_rows_finish(struct compared_rows *rows)
{
	for (size_t r = 0; r < rows->count; r++) {
		for (size_t i = 0; i < ROW_FIELD_COUNT; i++)
			free(rows->items[r].texts[i]);
		free(rows->items[r].key);
	}
	free(rows->items);
	*rows = (struct compared_rows){0};
}

/* Returns the fields of the identity in which two rows differ, without the fields of a set. An unknown
 * text (NULL) equals every text. */
static unsigned difference_of(
	const struct compared_row *a, const struct compared_row *b, unsigned without)
{
	unsigned difference = 0;

	for (unsigned i = 0; i < ROW_FIELD_COUNT; i++)
		if (fields[i].identifies && !(without & COMPARE_BIT(i)) && a->texts[i] &&
			b->texts[i] && strcmp(a->texts[i], b->texts[i]) != 0)
			difference |= COMPARE_BIT(i);
	return difference;
}

bool compared_row_set_key(struct compared_row *row, unsigned without)
{
	const unsigned of_runs = COMPARE_BIT(ROW_RUN) | COMPARE_BIT(ROW_LABEL);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return false;
	for (size_t i = 0; i < ROW_FIELD_COUNT; i++) {
		size_t field = (ROW_FAMILY + i) % ROW_FIELD_COUNT;
		if (fields[field].identifies && !(without & COMPARE_BIT(field)))
			fprintf(out, "%s\n", text_or_empty(row->texts[field]));
	}
	if (row->row->own_kernel && !(without & of_runs))
		fputs("own\n", out);
	fclose(out);
	free(row->key);
	row->key = text;
	return text != NULL;
}

/* A comparison in progress. */
struct comparison {
	const struct compared_file *files;
	size_t file_count;
	const struct compare_options *options;
	struct compared_rows rows;
	unsigned by;              /* the compared fields */
	struct text_list drivers; /* by file: the drivers of all its rows; only for make_sides() */
	struct comparison_document *document;
};

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
static unsigned choose_fields(const struct comparison *comparison)
{
	static const enum compare_field candidates[] = {ROW_DEVICE, ROW_BACKEND, ROW_DRIVER};
	bool single = comparison->file_count == 1;

	for (size_t i = 0; i < ARRAY_COUNT(candidates); i++) {
		enum compare_field field = candidates[i];
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
		text_set(&text, row->of->name ? row->of->name : path_name(row->of->path));
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

/* Chooses the compared fields, fills document.sides and sets `side` of each row. */
static enum pmpp_status make_sides(struct comparison *comparison, struct pmpp_error *error)
{
	const char *by = comparison->options->by;
	struct text_list values = {0};
	enum pmpp_status status = PMPP_OK;

	if (by)
		status = parse_fields(by, &comparison->by, error);
	else
		comparison->by = choose_fields(comparison);
	if (status != PMPP_OK)
		return status;
	bool ok = add_drivers(comparison);
	for (size_t i = 0; i < ROW_FIELD_COUNT && ok; i++)
		if (comparison->by & COMPARE_BIT(i))
			ok = text_list_add(&comparison->document->by, fields[i].name);
	for (size_t i = 0; i < comparison->rows.count && ok; i++)
		ok = place_row(comparison, &comparison->rows.items[i], &values);
	text_list_finish(&values);
	text_list_finish(&comparison->drivers);
	if (!ok)
		return PMPP_NO_MEMORY(error, "the comparison");
	status = check_sides(comparison, error);
	if (status == PMPP_OK)
		name_sides(comparison);
	return status;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The rows that belong together: on each side one row, or several rows from repeated runs. */
struct joined {
	const struct compared_row **rows; /* in order; owned by `join` */
	size_t count;
};

struct join {
	const struct compared_row **rows; /* sorted by key, then in order; owned */
	size_t row_count;
	struct joined *groups; /* in the order of their first rows; owned */
	size_t count;
};

static int by_key(const void *a, const void *b)
{
	const struct compared_row *x = *(const struct compared_row *const *)a;
	const struct compared_row *y = *(const struct compared_row *const *)b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static int by_first(const void *a, const void *b)
{
	size_t x = ((const struct joined *)a)->rows[0]->order;
	size_t y = ((const struct joined *)b)->rows[0]->order;

	return (x > y) - (x < y);
}

/* Sorts the rows and makes a group of each key. */
static void make_groups(struct join *join)
{
	qsort(join->rows, join->row_count, sizeof *join->rows, by_key);
	for (size_t i = 0; i < join->row_count; i++) {
		if (i == 0 || strcmp(join->rows[i]->key, join->rows[i - 1]->key) != 0)
			join->groups[join->count++] = (struct joined){.rows = &join->rows[i]};
		join->groups[join->count - 1].count++;
	}
	qsort(join->groups, join->count, sizeof *join->groups, by_first);
}

/* Returns whether an earlier row of the group on the same side is from the same run in another
 * file: a copy of the file, or an export of the store. */
static bool is_doubled(const struct joined *group, size_t index)
{
	const struct compared_row *row = group->rows[index];
	const char *run = row->document->run.id;

	for (size_t i = 0; run && *run && i < index; i++)
		if (group->rows[i]->side == row->side && group->rows[i]->file != row->file &&
			text_equal(group->rows[i]->document->run.id, run))
			return true;
	return false;
}

/* Removes the rows whose run is already in the group, and counts the removed rows. */
static void drop_doubled(struct joined *group, struct side_list *sides)
{
	size_t kept = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct compared_row *row = group->rows[i];
		/* The rows before `kept` are the rows before i without the duplicate rows. */
		group->rows[kept] = row;
		if (!is_doubled(group, kept)) {
			kept++;
			continue;
		}
		struct side_record *side = &sides->items[row->side];
		side->doubled++;
		side->rows -= result_row_median_ns(row->row) > 0;
	}
	group->count = kept;
}

/* ---- Rows that nearly match ------------------------------------------------------------------ */

/* Number of rows of each side that are tried before and after a group. A limit is needed because sweeps over
 * thousands of sizes have thousands of rows. */
#define NEAR_WINDOW 32

/* Returns the row of a side with the variant of a group and the fewest other differences. Searches the
 * neighbours of the group. NULL: none. */
static const struct compared_row *join_near(const struct comparison *comparison,
	const struct join *join, const struct joined *group, size_t side)
{
	const size_t window = NEAR_WINDOW * comparison->document->sides.count;
	size_t first = (size_t)(group->rows - join->rows);
	size_t end = first + window < join->row_count ? first + window : join->row_count;
	const struct compared_row *near = NULL;
	int least = ROW_FIELD_COUNT;

	for (size_t i = first > window ? first - window : 0; i < end; i++) {
		if (join->rows[i]->side != side)
			continue;
		unsigned difference = difference_of(group->rows[0], join->rows[i], comparison->by);
		int count = __builtin_popcount(difference);
		if (count >= least ||
			difference & (COMPARE_BIT(ROW_FAMILY) | COMPARE_BIT(ROW_VARIANT)))
			continue;
		near = join->rows[i];
		least = count;
	}
	return near;
}

/* Joins the rows of all sides. Returns false if there is no memory. The caller calls join_finish() in
 * both cases. */
static bool join_make(struct comparison *comparison, struct join *ret_join)
{
	const size_t count = comparison->rows.count;
	struct join join = {.rows = calloc(count + 1, sizeof *join.rows),
		.row_count = count,
		.groups = calloc(count + 1, sizeof *join.groups)};
	bool ok = join.rows && join.groups;

	for (size_t i = 0; i < count && ok; i++) {
		ok = compared_row_set_key(&comparison->rows.items[i], comparison->by);
		join.rows[i] = &comparison->rows.items[i];
	}
	if (ok) {
		make_groups(&join);
		for (size_t i = 0; i < join.count; i++)
			drop_doubled(&join.groups[i], &comparison->document->sides);
	}
	*ret_join = join;
	return ok;
}

static void join_finish(struct join *join)
{
	free(join->groups);
	free(join->rows);
}

/* One side of a row. */
struct part {
	const struct compared_row *first; /* NULL: the side has no such row */
	double *medians_ns;               /* of all runs; owned */
	size_t count;
	int primary;       /* primary samples of these runs; runs with other samples are ignored */
	double half_width; /* largest half-width of a single run; NAN: unknown */
	double floor_ns;   /* derived.floor.ns: largest floor of the time; NAN: unknown */
	bool failed;       /* a run has no verified time */
	const char *type;  /* of the device; NULL: unknown */
	struct repetition_estimate estimate;
};

/* All runs passed, and at least one was timed. */
static bool is_timed(const struct part *part)
{
	return part->count > 0 && !part->failed;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

static void add_medians(struct part *part, const struct result_row *row)
{
	double *medians = NULL;
	bool fits = part->count == 0 || row->timing.primary == part->primary;
	size_t count = row->status == OUTCOME_OK && fits ? result_row_medians(row, &medians) : 0;
	double *all = count ? realloc(part->medians_ns, (part->count + count) * sizeof *all) : NULL;

	if (all) {
		part->medians_ns = all;
		memcpy(all + part->count, medians, count * sizeof *all);
		part->count += count;
		part->primary = row->timing.primary;
		/* fmax() ignores NAN. */
		part->half_width = fmax(part->half_width, result_row_run_half_width(row));
	}
	free(medians);
}

/* Returns the number of samples of a verified run; -1: no time. */
static int64_t samples_of(const struct result_row *row)
{
	return row->status == OUTCOME_OK && row->timing.record.present
		       ? timing_record_primary(&row->timing)->n
		       : -1;
}

static void add_run(
	struct part *part, const struct compared_row *compared, struct cell_record *cell)
{
	const struct result_row *row = compared->row;
	const struct floor_record *floor = &row->derived.floor;

	part->failed |= row->status != OUTCOME_OK && !outcome_is_skipped(row->status);
	cell->flags |= result_row_flags(row);
	if (!part->first || outcome_badness(row->status) > outcome_badness(cell->status)) {
		cell->status = row->status;
		text_set(&cell->reason, row->reason);
	}
	cell->own_kernel |= row->own_kernel;
	if (!cell->shown || samples_of(row) > samples_of(cell->shown)) {
		cell->shown = row;
		cell->shown_in = compared->document;
	}
	add_medians(part, row);
	if (part->first)
		return;
	part->first = compared;
	part->type = compared->device ? compared->device->type : NULL;
	part->floor_ns = floor->record.present && floor->ns > 0 ? floor->ns : NAN;
	cell->limited_by = row->derived.limited_by;
	if (row->claim.record.present)
		cell->claim = (int)claim_record_verdict(&row->claim);
}

/* Collects the runs of a side. Does not set the estimate. */
static void collect(
	const struct joined *group, size_t side, struct part *part, struct cell_record *cell)
{
	*part = (struct part){.half_width = NAN, .floor_ns = NAN};
	cell->side = (int64_t)side;
	cell->runs = 0;
	for (size_t i = 0; i < group->count; i++)
		if (group->rows[i]->side == side)
			add_run(part, group->rows[i], cell);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static void estimate(struct part *part, const struct noise_floor *floor, struct cell_record *cell)
{
	const struct repetitions runs = {.medians_ns = part->medians_ns,
		.count = part->count,
		.half_width = part->half_width,
		.floor = *floor};

	part->estimate = repetition_estimate_of(&runs);
	cell->median_ns = exp(part->estimate.log_ns);
	repetition_interval(&part->estimate, cell->ci95_ns);
	cell->runs = (int64_t)part->count;
	cell->noise_sd = floor->sd;
	cell->pct_roof = 100 * part->floor_ns / cell->median_ns;
}

/* The spread of a side, from its rows of one noise class that have several runs. parts: of the side in
 * the first row; scratch: a number for each row */
static struct noise_spread spread_of(const struct comparison_document *document,
	const struct part *parts, size_t class, double *scratch)
{
	double dof = 0, sum = 0;
	size_t count = 0;

	for (size_t r = 0; r < document->rows.count; r++, parts += document->sides.count) {
		if (!is_timed(parts) || parts->count < 2 || noise_floor_class(parts->type) != class)
			continue;
		scratch[count++] = repetition_variance(parts->medians_ns, parts->count, &dof);
		sum += dof;
	}
	return noise_floor_spread(scratch, count, sum / fmax((double)count, 1));
}

/* Sets the times of a side. Its spread can increase the floors of noise. */
static void estimate_side(
	struct comparison_document *document, struct part *parts, size_t side, double *scratch)
{
	struct side_record *record = &document->sides.items[side];
	struct noise_spread spreads[NOISE_CLASSES];
	double variance = 0;

	for (size_t c = 0; c < NOISE_CLASSES; c++) {
		spreads[c] = spread_of(document, &parts[side], c, scratch);
		variance = fmax(variance, spreads[c].variance);
	}
	record->spread_sd = variance > 0 ? sqrt(variance) : NAN;
	for (size_t r = 0; r < document->rows.count; r++) {
		struct part *part = &parts[r * document->sides.count + side];
		const struct noise_floor least = noise_floor_default(part->type);
		const struct noise_floor floor =
			noise_floor_raised(&least, &spreads[noise_floor_class(part->type)]);
		if (!is_timed(part))
			continue;
		record->raised += floor.sd > least.sd;
		estimate(part, &floor, &document->rows.items[r].cells.items[side]);
	}
}

/* ---- Verdicts -------------------------------------------------------------------------------- */

/* A side of a row, and the base. */
struct pair {
	const struct comparison *comparison;
	const struct join *join;
	const struct joined *group;
	const struct part *base, *part;
	const struct cell_record *base_cell;
	struct cell_record *cell;
};

static const char *letter_of(const struct pair *pair, const struct cell_record *cell)
{
	return pair->comparison->document->sides.items[cell->side].letter;
}

/* Judges a row that one side does not have. The reason has the differences from the nearest row of this
 * side: "problem: k=64 / k=128, math: default / fast". */
static void judge_absent(const struct pair *pair)
{
	const struct compared_row *base = pair->base->first, *part = pair->part->first;
	const struct cell_record *absent = base ? pair->cell : pair->base_cell;
	char **reason = &pair->cell->reason;

	if (!is_timed(pair->base) && !is_timed(pair->part))
		return;
	const struct compared_row *near =
		join_near(pair->comparison, pair->join, pair->group, (size_t)absent->side);
	base = base ? base : near;
	part = part ? part : near;
	unsigned difference = near ? difference_of(base, part, pair->comparison->by) : 0;
	text_set(reason, NULL);
	for (unsigned i = 0; i < ROW_FIELD_COUNT; i++)
		if (difference & COMPARE_BIT(i))
			text_format(reason, "%s%s%s: %s / %s", text_or_empty(*reason),
				*reason ? ", " : "", fields[i].name, base->texts[i],
				part->texts[i]);
	if (near && base->row->own_kernel != part->row->own_kernel)
		text_format(reason, "%s%skernel: %s / %s", text_or_empty(*reason),
			*reason ? ", " : "", base->row->own_kernel ? "own" : "of pmpp",
			part->row->own_kernel ? "own" : "of pmpp");
	/* A row that ended early has no math mode and no contract. */
	if (near && !*reason && near->row->status != OUTCOME_OK)
		text_format(reason, "%s: %s", letter_of(pair, absent),
			word_text(outcome_status_words, near->row->status));
	pair->cell->verdict = *reason ? VERDICT_NOCOMP : VERDICT_MISSING;
}

/* Names the side that has no time. If no side has a time, there is nothing to compare. */
static void judge_untimed(const struct pair *pair)
{
	struct cell_record *cell = pair->cell;
	const struct cell_record *without = is_timed(pair->base) ? cell : pair->base_cell;
	const char *word = word_text(outcome_status_words, without->status);

	if (!is_timed(pair->base) && !is_timed(pair->part))
		return;
	text_format(&cell->reason, "%s: %s%s%s", letter_of(pair, without),
		*word && without->status != OUTCOME_OK ? word : "not timed",
		without->reason && *without->reason ? ": " : "", text_or_empty(without->reason));
	cell->verdict = VERDICT_NOCOMP;
}

/* The time on a throttled GPU depends on the state of the GPU, not only on the kernel. CPUs do not
 * count: nearly all their runs have the warning, and their floor of noise includes the effect. */
static bool is_throttled(const struct part *part, const struct cell_record *cell)
{
	return text_equal(part->type, "gpu") && cell->flags & TIMING_THROTTLED;
}

static void note_throttled(const struct pair *pair)
{
	struct cell_record *cell = pair->cell;
	bool first = is_throttled(pair->base, pair->base_cell);
	bool second = is_throttled(pair->part, cell);

	if (cell->verdict == VERDICT_SAME || (!first && !second))
		return;
	text_format(&cell->reason, "%s throttled",
		first && second ? "both" : letter_of(pair, first ? pair->base_cell : cell));
	cell->verdict = VERDICT_AMBG;
}

static void judge_times(const struct pair *pair)
{
	const struct repetition_ratio ratio =
		repetition_ratio_of(&pair->part->estimate, &pair->base->estimate);
	const struct verdict_limits limits = verdict_limits_with(
		pair->comparison->options->tolerance, pair->base->type, pair->part->type);
	struct cell_record *cell = pair->cell;

	cell->ratio = ratio.ratio;
	memcpy(cell->ci95, ratio.ci95, sizeof cell->ci95);
	memcpy(cell->ci99, ratio.ci99, sizeof cell->ci99);
	cell->tolerance = limits.same;
	cell->verdict = (int)verdict_of(cell->ci95, cell->ci99, &limits);
	cell->p_slow = repetition_p_above(&ratio, 1 + limits.differ);
	note_throttled(pair);
}

static void judge_pair(const struct pair *pair)
{
	const struct part *base = pair->base, *part = pair->part;

	if (!base->first || !part->first) {
		judge_absent(pair);
	} else if (!is_timed(base) || !is_timed(part)) {
		judge_untimed(pair);
	} else if (base->primary != part->primary) {
		text_format(&pair->cell->reason, "samples: %s / %s",
			word_text(timing_primary_words, base->primary),
			word_text(timing_primary_words, part->primary));
		pair->cell->verdict = VERDICT_NOCOMP;
	} else {
		judge_times(pair);
	}
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Sets the members that all rows of a group share. */
static bool fill_head(
	const struct comparison *comparison, const struct joined *group, struct comparison_row *row)
{
	const struct compared_row *first = group->rows[0];
	const struct result_row *from = first->row;
	char *title = first->device ? device_record_title(first->device) : NULL;

	text_set(&row->family, from->family);
	text_set(&row->variant, from->variant);
	if (!(comparison->by & COMPARE_BIT(ROW_BACKEND)))
		text_set(&row->backend, from->backend);
	if (!(comparison->by & COMPARE_BIT(ROW_DEVICE)))
		text_set(&row->device, first->device ? title : from->device);
	free(title);
	text_set(&row->dtype, from->dtype);
	text_set(&row->op, from->op);
	text_set(&row->data, from->data);
	if (!(comparison->by & COMPARE_BIT(ROW_MATH)))
		text_set(&row->math, first->texts[ROW_MATH]);
	text_set(&row->contract, first->texts[ROW_CONTRACT]);
	text_set(&row->claim, from->claim.record.present ? from->claim.text : NULL);
	/* A row that did not pass has no name of the library. */
	for (size_t i = 0; i < group->count && !row->peer; i++)
		text_set(&row->peer, group->rows[i]->row->peer);
	return named_list_append(&from->problem, &row->problem) &&
	       named_list_append(&from->macros, &row->macros);
}

/* Returns whether two rows of one backend were compiled from the same code: from the same file, or from
 * files whose digests of the code are known and equal. */
static bool same_code(const struct build_record *first, const struct build_record *second)
{
	return text_equal(first->source_sha256, second->source_sha256) ||
	       (first->code_sha256 && text_equal(first->code_sha256, second->code_sha256));
}

/* Lists the fields that differ between the base and another side, without the compared fields. */
static void note_differences(
	unsigned by, const struct part *parts, size_t count, struct comparison_row *row)
{
	static const char *const names[] = {"source", "driver", "seed", "library"};
	bool differs[ARRAY_COUNT(names)] = {false};

	for (size_t i = 1; i < count && parts[0].first; i++) {
		const struct compared_row *a = parts[0].first, *b = parts[i].first;
		if (!b || !is_timed(&parts[0]) || !is_timed(&parts[i]))
			continue;
		bool backend = text_equal(a->row->backend, b->row->backend);
		differs[0] |= backend && !same_code(&a->row->build, &b->row->build);
		differs[1] |= backend && !(by & COMPARE_BIT(ROW_DRIVER)) &&
			      !text_equal(a->texts[ROW_DRIVER], b->texts[ROW_DRIVER]) &&
			      text_equal(a->texts[ROW_DEVICE], b->texts[ROW_DEVICE]);
		differs[2] |= a->row->seed != b->row->seed;
		differs[3] |= !text_equal(a->row->peer, b->row->peer);
	}
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (differs[i])
			text_list_add(&row->also_differ, names[i]);
}

static void judge_row(const struct comparison *comparison, const struct join *join,
	const struct joined *group, const struct part *parts, struct comparison_row *row)
{
	size_t count = row->cells.count;

	for (size_t i = 1; i < count; i++) {
		const struct pair pair = {.comparison = comparison,
			.join = join,
			.group = group,
			.base = &parts[0],
			.part = &parts[i],
			.base_cell = &row->cells.items[0],
			.cell = &row->cells.items[i]};
		judge_pair(&pair);
	}
	note_differences(comparison->by, parts, count, row);
}

/* Adds a row of the document for each group, with its cells and parts. */
static bool add_rows(struct comparison *comparison, const struct join *join, struct part *parts)
{
	struct comparison_document *document = comparison->document;

	for (size_t g = 0; g < join->count; g++) {
		const struct joined *group = &join->groups[g];
		struct comparison_row *row = record_list_add(&comparison_row_type, &document->rows);
		if (!row || !fill_head(comparison, group, row))
			return false;
		for (size_t i = 0; i < document->sides.count; i++) {
			struct cell_record *cell = record_list_add(&cell_type, &row->cells);
			if (!cell)
				return false;
			collect(group, i, parts++, cell);
		}
	}
	return true;
}

/* ---- Counts ---------------------------------------------------------------------------------- */

static int by_p(const void *a, const void *b)
{
	double x = (*(struct cell_record *const *)a)->p_slow;
	double y = (*(struct cell_record *const *)b)->p_slow;

	return (x > y) - (x < y);
}

/* Counts the verdicts of a side, and confirms its SLOW rows. Peers are not counted: they are not
 * kernels of this project. judged: room for all rows */
static bool count_side(
	struct comparison_document *document, size_t side, struct cell_record **judged)
{
	struct verdict_counts_record *counts = record_list_add(&counts_type, &document->counts);
	size_t count = 0, ratios = 0;
	bool confirmed = true;
	double sum = 0;

	if (!counts)
		return false;
	counts->side = (int64_t)side;
	for (size_t r = 0; r < document->rows.count; r++) {
		struct cell_record *cell = &document->rows.items[r].cells.items[side];
		if (document->rows.items[r].peer || cell->verdict < 0)
			continue;
		++*verdict_counts_at(counts, (enum verdict)cell->verdict);
		if (cell->ratio > 0) {
			sum += log(cell->ratio);
			ratios++;
		}
		if (cell->p_slow >= 0) /* not NAN */
			judged[count++] = cell;
	}
	if (ratios)
		counts->mean_ratio = exp(sum / (double)ratios);
	qsort(judged, count, sizeof *judged, by_p);
	for (size_t k = 0; k < count; k++) {
		confirmed &= judged[k]->p_slow <= verdict_p_limit(k, count);
		if (judged[k]->verdict != VERDICT_SLOW)
			continue;
		judged[k]->confirmed = truth_of(confirmed);
		counts->confirmed += confirmed;
	}
	return true;
}

static bool judge_groups(struct comparison *comparison, const struct join *join)
{
	struct comparison_document *document = comparison->document;
	size_t sides = document->sides.count, all = join->count * sides;
	struct part *parts = calloc(all + 1, sizeof *parts);
	double *scratch = calloc(join->count + 1, sizeof *scratch);
	struct cell_record **judged = calloc(join->count + 1, sizeof *judged);
	bool ok = parts && scratch && judged && add_rows(comparison, join, parts);

	for (size_t i = 0; i < sides && ok; i++)
		estimate_side(document, parts, i, scratch);
	for (size_t r = 0; r < document->rows.count && ok; r++)
		judge_row(comparison, join, &join->groups[r], &parts[r * sides],
			&document->rows.items[r]);
	for (size_t i = 1; i < sides && ok; i++)
		ok = count_side(document, i, judged);
	for (size_t i = 0; parts && i < all; i++)
		free(parts[i].medians_ns);
	free(parts);
	free(scratch);
	free(judged);
	return ok;
}

/* Joins the rows of all sides. Fills document.rows, and document.counts without peers. false: no memory. */
static bool judge_rows(struct comparison *comparison)
{
	struct join join = {0};
	bool ok = join_make(comparison, &join) && judge_groups(comparison, &join);

	join_finish(&join);
	return ok;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Sets the field in rows that ended early and lack it, if all other rows have the same value.
 * Returns false if there is no memory. */
static bool complete_field(struct compared_row *rows, size_t count, enum compare_field field)
{
	const char *text = NULL;
	bool ok = true;

	for (size_t i = 0; i < count; i++) {
		if (text && rows[i].texts[field] && strcmp(text, rows[i].texts[field]) != 0)
			return true;
		if (!text)
			text = rows[i].texts[field];
	}
	for (size_t i = 0; text && i < count && ok; i++) {
		if (!rows[i].texts[field])
			rows[i].texts[field] = strdup(text);
		ok = rows[i].texts[field] != NULL;
	}
	return ok;
}

/* Completes the rows of each file, then all rows. */
static bool complete_rows(struct comparison *comparison)
{
	struct compared_row *rows = comparison->rows.items;
	size_t count = comparison->rows.count;
	bool ok = true;

	for (size_t first = 0, end; first < count && ok; first = end) {
		for (end = first + 1; end < count && rows[end].file == rows[first].file;)
			end++;
		ok = complete_field(&rows[first], end - first, ROW_MATH) &&
		     complete_field(&rows[first], end - first, ROW_CONTRACT);
	}
	return ok && complete_field(rows, count, ROW_MATH) &&
	       complete_field(rows, count, ROW_CONTRACT);
}

/* ---- Sections -------------------------------------------------------------------------------- */

struct titled_row {
	char *title; /* family and problem; owned */
	struct comparison_row *row;
};

static int by_title(const void *a, const void *b)
{
	const struct titled_row *x = a, *y = b;
	int order = strcmp(x->title, y->title);

	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int by_section(const void *a, const void *b)
{
	const struct comparison_row *x = a, *y = b;

	return x->section != y->section ? (x->section > y->section) - (x->section < y->section)
					: (x->order > y->order) - (x->order < y->order);
}

/* Makes the rows of one family and problem neighbours. The number of a section is that of its first row. There
 * may be many sections: the time must not grow with the square of their number. Returns false if there is no
 * memory. */
static bool sort_rows(struct comparison_row_list *rows)
{
	struct titled_row *titled = calloc(rows->count + 1, sizeof *titled);
	bool ok = titled != NULL;

	for (size_t r = 0; r < rows->count && ok; r++) {
		struct comparison_row *row = &rows->items[r];
		char *problem = comparison_row_problem(row);
		text_format(&titled[r].title, "%s %s", text_or_empty(row->family),
			text_or_empty(problem));
		free(problem);
		titled[r].row = row;
		row->order = r;
		ok = titled[r].title != NULL;
	}
	if (ok)
		qsort(titled, rows->count, sizeof *titled, by_title);
	for (size_t i = 0; i < rows->count && ok; i++)
		titled[i].row->section = i && strcmp(titled[i].title, titled[i - 1].title) == 0
						 ? titled[i - 1].row->section
						 : titled[i].row->order;
	for (size_t i = 0; i < rows->count && titled; i++)
		free(titled[i].title);
	free(titled);
	if (ok && rows->count)
		qsort(rows->items, rows->count, sizeof *rows->items, by_section);
	return ok;
}

/* ---- Shipped devices ------------------------------------------------------------------------- */

static bool has_row(
	const struct comparison_document *document, const struct comparison_row *row, bool shipped)
{
	for (size_t i = 0; i < row->cells.count; i++)
		if (document->sides.items[i].shipped == shipped &&
			row->cells.items[i].status != WORD_NULL)
			return true;
	return false;
}

/* Returns whether shipped devices have the variant of a row, but only at other sizes. */
static bool is_unlike(const struct comparison_document *document, const struct comparison_row *row)
{
	bool other = false, same = has_row(document, row, true);

	for (size_t r = 0; r < document->rows.count && !same && !other; r++) {
		const struct comparison_row *of = &document->rows.items[r];
		other = text_equal(of->family, row->family) &&
			text_equal(of->variant, row->variant) && text_equal(of->math, row->math) &&
			text_equal(of->contract, row->contract) &&
			text_equal(of->dtype, row->dtype) && text_equal(of->op, row->op) &&
			text_equal(of->data, row->data) &&
			named_list_equal(&of->macros, &row->macros) &&
			!named_list_equal(&of->problem, &row->problem) &&
			has_row(document, of, true);
	}
	return other;
}

static void mark_rows(struct comparison_document *document)
{
	size_t shipped = 0;

	for (size_t i = 0; i < document->sides.count; i++)
		shipped += document->sides.items[i].shipped;
	document->mixed = shipped > 0 && shipped < document->sides.count;
	for (size_t r = 0; r < document->rows.count; r++) {
		struct comparison_row *row = &document->rows.items[r];
		row->own = !document->mixed || has_row(document, row, false);
		for (size_t i = 0; i < row->cells.count; i++)
			row->shown |= row->own && row->cells.items[i].median_ns > 0;
		row->unlike = document->mixed && row->shown && is_unlike(document, row);
	}
}

/* ---- Files ----------------------------------------------------------------------------------- */

static enum pmpp_status check_files(
	const struct compared_file *files, size_t count, struct pmpp_error *error)
{
	for (size_t f = 0; f < count; f++)
		if (files[f].document.results.count == 0 && !files[f].has_lost_rows)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s has no results: give a file from `run --json` or `store export`",
				files[f].path);
	return PMPP_OK;
}

enum pmpp_status compare_files(const struct compared_file *files, size_t count,
	const struct compare_options *options, struct comparison_document *ret_document,
	struct pmpp_error *error)
{
	struct comparison_document document;
	struct comparison comparison = {
		.files = files, .file_count = count, .options = options, .document = &document};
	enum pmpp_status status = check_files(files, count, error);

	if (status != PMPP_OK)
		return status;
	record_init(&comparison_document_type, &document);
	text_set(&document.schema, COMPARISON_SCHEMA);
	bool ok = compared_rows_make(files, count, options->separate, &comparison.rows) &&
		  complete_rows(&comparison);
	if (ok)
		status = make_sides(&comparison, error);
	ok = ok && status == PMPP_OK && judge_rows(&comparison) && sort_rows(&document.rows);
	if (!ok && status == PMPP_OK)
		status = PMPP_NO_MEMORY(error, "the comparison");
	mark_rows(&document);
	compared_rows_finish(&comparison.rows);
	if (status == PMPP_OK)
		*ret_document = document;
	else
		record_finish(&comparison_document_type, &document);
	return status;
}

/* ---- The file of each row of a ladder --------------------------------------------------------- */

/* Fewer runs do not show the noise between runs: the interval of a mean of two runs is 13 standard
 * errors wide on each side (Student's t). */
#define ENOUGH_RUNS 4

/* The fields in which the rows of one ladder can differ. */
#define IN_LADDER                                                                     \
	(COMPARE_BIT(ROW_VARIANT) | COMPARE_BIT(ROW_MACROS) | COMPARE_BIT(ROW_MATH) | \
		COMPARE_BIT(ROW_CONTRACT))

/* The rows of one file in a ladder. */
struct file_part {
	const struct compared_file *file;
	size_t timed; /* rows with a time */
	/* The first row, with a time if there is one: rows without a time have no contract. */
	const struct compared_row *first;
};

static int compare_variants(const struct compared_row *a, const struct compared_row *b)
{
	int order =
		strcmp(text_or_empty(a->texts[ROW_VARIANT]), text_or_empty(b->texts[ROW_VARIANT]));

	return order ? order
		     : strcmp(text_or_empty(a->texts[ROW_MACROS]),
			       text_or_empty(b->texts[ROW_MACROS]));
}

/* The rows of a variant are neighbours. */
static int by_ladder(const void *a, const void *b)
{
	const struct compared_row *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (order == 0)
		order = compare_variants(x, y);
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Returns whether a part is preferred to another one. largest: most times in one part. */
static bool is_better(const struct file_part *part, const struct file_part *than, size_t largest)
{
	const struct result_document *document = &part->file->document;
	const struct result_document *other = &than->file->document;
	int order = strcmp(
		text_or_empty(document->run.started_utc), text_or_empty(other->run.started_utc));

	if ((2 * part->timed >= largest) != (2 * than->timed >= largest))
		return 2 * part->timed >= largest;
	if (!document->parity.count != !other->parity.count)
		return !document->parity.count;
	return order ? order > 0 : part->file < than->file;
}

/* Whether two rows have the same floating-point mode and timing contract. */
static bool is_comparable(const struct compared_row *a, const struct compared_row *b)
{
	return text_equal(a->texts[ROW_MATH], b->texts[ROW_MATH]) &&
	       text_equal(a->texts[ROW_CONTRACT], b->texts[ROW_CONTRACT]);
}

/* Whether the page shows the row: it is comparable with the best file, and no better file has the variant.
 * A row without a time takes no other's place. rows: all rows of the variant. */
static bool is_shown(const struct compared_row *row, const struct compared_row *rows, size_t count,
	const struct file_part *parts, const struct file_part *best, size_t largest)
{
	bool shown = row->of == best->file || is_comparable(row, best->first);

	for (size_t i = 0; i < count && shown; i++)
		shown = rows[i].file == row->file ||
			!is_better(&parts[rows[i].file], &parts[row->file], largest) ||
			(result_row_median_ns(row->row) > 0 &&
				!(result_row_median_ns(rows[i].row) > 0));
	return shown;
}

/* Marks the rows of a ladder that the page does not show: `present` is false. parts: one for each file */
static void choose_parts(struct compared_file *files, const struct compared_row *rows, size_t count,
	struct file_part *parts)
{
	size_t timed_parts = 0, largest = 0;
	const struct file_part *best = &parts[rows[0].file];

	for (size_t i = 0; i < count; i++)
		parts[rows[i].file] = (struct file_part){.file = rows[i].of, .first = &rows[i]};
	for (size_t i = 0; i < count; i++) {
		struct file_part *part = &parts[rows[i].file];
		if (result_row_median_ns(rows[i].row) > 0 && part->timed++ == 0) {
			part->first = &rows[i];
			timed_parts++;
		}
		largest = part->timed > largest ? part->timed : largest;
	}
	for (size_t i = 1; i < count; i++)
		if (is_better(&parts[rows[i].file], best, largest))
			best = &parts[rows[i].file];
	for (size_t i = 0, end; i < count && timed_parts < ENOUGH_RUNS; i = end) {
		for (end = i + 1; end < count && compare_variants(&rows[i], &rows[end]) == 0;)
			end++;
		for (size_t r = i; r < end; r++) {
			struct result_row_list *all = &files[rows[r].file].document.results;
			/* Rows of unknown devices have no ladder. */
			if (rows[r].device &&
				!is_shown(&rows[r], &rows[i], end - i, parts, best, largest))
				all->items[rows[r].row - all->items].record.present = false;
		}
	}
}

/* A record_keep_fn. */
static bool is_present(void *context, const void *row)
{
	(void)context;
	return ((const struct result_row *)row)->record.present;
}

/* Gives all GPUs of one name the same identity. Returns false if there is no memory. */
static bool join_models(struct compared_file *files, size_t count)
{
	bool ok = true;

	for (size_t f = 0; f < count; f++)
		for (size_t d = 0; d < files[f].document.devices.count; d++) {
			struct device_record *device = &files[f].document.devices.items[d];
			if (!text_equal(device->type, "gpu"))
				continue;
			text_format(&device->uuid, "model:%s", text_or_empty(device->name));
			text_set(&device->pci, NULL);
			ok &= device->uuid != NULL;
		}
	return ok;
}

bool compared_files_choose_runs(struct compared_file *files, size_t count, bool by_model)
{
	struct compared_rows rows;
	bool joined = !by_model || join_models(files, count);
	bool ok = compared_rows_make(files, count, true, &rows) && joined;
	struct file_part *parts = calloc(count + 1, sizeof *parts);

	ok = ok && parts;
	for (size_t i = 0; i < rows.count && ok; i++)
		ok = compared_row_set_key(&rows.items[i], IN_LADDER);
	if (ok)
		qsort(rows.items, rows.count, sizeof *rows.items, by_ladder);
	for (size_t i = 0, next; ok && i < rows.count; i = next) {
		for (next = i + 1;
			next < rows.count && strcmp(rows.items[i].key, rows.items[next].key) == 0;)
			next++;
		choose_parts(files, &rows.items[i], next - i, parts);
	}
	compared_rows_finish(&rows);
	free(parts);
	for (size_t f = 0; ok && f < count; f++) {
		struct result_row_list *own = &files[f].document.results;
		size_t before = own->count;
		record_list_keep(&result_row_type, own, is_present, NULL);
		files[f].dropped = before - own->count;
		files[f].has_lost_rows |= files[f].dropped > 0;
	}
	return ok;
}
