/* Adds rows to a store, and reads them. */
#include "host/record/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/record/identity.h"
#include "host/record/internal.h"
#include "host/record/json.h"

/* ---- Adding -------------------------------------------------------------------------------- */

static enum pmpp_status add_run(
	struct database *database, const struct result_document *document, struct pmpp_error *error)
{
	struct result_document head = *document;
	char *text = NULL;

	/* The document keeps its lists. */
	head.devices = (struct device_list){0};
	head.results = (struct result_list){0};
	head.parity = (struct parity_list){0};
	enum pmpp_status status =
		record_write(&result_document_type, &head, RECORD_ONE_LINE, &text, error);
	const char *const values[] = {
		document->run.id, document->run.started_utc, document->run.label, text};
	if (status == PMPP_OK)
		status = database_change(database,
			"INSERT INTO runs(id, started_utc, label, head)"
			" VALUES(?1, ?2, ?3, ?4) ON CONFLICT(id) DO NOTHING",
			values, MEMBER_COUNT(values), NULL, error);
	free(text);
	return status;
}

/* Reads the device from the store. Initialises the record; not present: the store does not have the
 * device. */
static enum pmpp_status load_device(struct database *database, const char *run, const char *key,
	struct device_record *ret_device, struct pmpp_error *error)
{
	const char *const values[] = {run, key};
	struct query query = {0};
	bool row = false;
	enum pmpp_status status = query_init(&query, database,
		"SELECT record FROM devices WHERE run = ?1 AND key = ?2", values,
		MEMBER_COUNT(values), error);

	if (status == PMPP_OK)
		status = query_step(&query, database, &row, error);
	if (status == PMPP_OK && row) {
		const char *text = query_text(&query, 0);
		status = record_read(
			&device_type, text, strlen(text), database->path, ret_device, error);
	} else if (status == PMPP_OK) {
		record_init(&device_type, ret_device);
		ret_device->record.present = false;
	}
	query_finish(&query);
	return status;
}

static enum pmpp_status save_device(struct database *database, const char *run,
	const struct device_record *device, struct pmpp_error *error)
{
	char *text = NULL;
	enum pmpp_status status = record_write(&device_type, device, RECORD_ONE_LINE, &text, error);
	const char *const values[] = {run, device->key, text};

	if (status == PMPP_OK)
		status = database_change(database,
			"INSERT INTO devices(run, key, record) VALUES(?1, ?2, ?3)"
			" ON CONFLICT(run, key) DO UPDATE SET record = excluded.record",
			values, MEMBER_COUNT(values), NULL, error);
	free(text);
	return status;
}

static enum pmpp_status add_device(struct database *database, const char *run,
	const struct device_record *device, struct pmpp_error *error)
{
	struct device_record known;
	enum pmpp_status status = load_device(database, run, device->key, &known, error);

	if (status != PMPP_OK)
		return status;
	bool is_known = known.record.present;
	if (is_known)
		status = device_record_merge(&known, device, error);
	if (status == PMPP_OK)
		status = save_device(database, run, is_known ? &known : device, error);
	record_finish(&device_type, &known);
	return status;
}

/* Columns of a row, in addition to its record. backend: NULL for parity rows. */
struct row_values {
	const char *family, *variant, *backend, *device;
};

static struct row_values result_values(const void *record)
{
	const struct result_row *row = record;

	return (struct row_values){row->family, row->variant, row->backend, row->device};
}

/* Returns the number of runs of a row of --repeat; 0: a row of one run. */
static size_t result_runs(const void *record)
{
	const struct repetitions_record *repetitions =
		&((const struct result_row *)record)->repetitions;

	return repetitions->record.present ? repetitions->runs.count : 0;
}

static char *result_identity(const void *record)
{
	return result_row_identity(record);
}

static struct row_values parity_values(const void *record)
{
	const struct parity_row *row = record;

	return (struct row_values){row->family, row->variant, NULL, row->device};
}

static char *parity_identity(const void *record)
{
	return parity_row_identity(record);
}

/* The two kinds of rows, and their statements. */
static const struct row_table {
	const struct record_type *type;
	size_t list; /* offset of the list in the document */
	struct row_values (*values)(const void *row);
	char *(*identity)(const void *row);
	size_t (*runs)(const void *row); /* NULL: no repetitions */
	const char *insert, *select, *clear;
	const char *known, *complete; /* if `runs` is set: select the stored row, replace it */
} tables[] = {
	{&result_row_type, offsetof(struct result_document, results), result_values,
		result_identity, result_runs,
		"INSERT INTO results(run, identity, again, family, variant, record, backend)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(run, identity, again) DO NOTHING",
		"SELECT record FROM results WHERE run = ?1 AND (?2 IS NULL OR family = ?2)"
		" AND (?3 IS NULL OR variant = ?3) AND (?4 IS NULL OR backend = ?4)"
		" ORDER BY number",
		"DELETE FROM results WHERE run = ?1",
		"SELECT record FROM results WHERE run = ?1 AND identity = ?2 AND again = ?3",
		"UPDATE results SET record = ?4 WHERE run = ?1 AND identity = ?2 AND again = ?3"},
	{&parity_row_type, offsetof(struct result_document, parity), parity_values, parity_identity,
		NULL,
		"INSERT INTO parity(run, identity, again, family, variant, record)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(run, identity, again) DO NOTHING",
		"SELECT record FROM parity WHERE run = ?1 AND (?2 IS NULL OR family = ?2)"
		" AND (?3 IS NULL OR variant = ?3) AND ?4 IS NULL ORDER BY number",
		"DELETE FROM parity WHERE run = ?1", NULL, NULL},
};

static struct raw_list rows_of(
	const struct row_table *table, const struct result_document *document)
{
	return raw_list_get((const char *)document + table->list);
}

/* Gets the number of runs of a stored row. key: run, identity and number of the row. */
static enum pmpp_status count_known_runs(struct database *database, const struct row_table *table,
	const char *const key[3], size_t *ret_runs, struct pmpp_error *error)
{
	struct query query = {0};
	void *known = malloc(table->type->size);
	bool found = false;
	enum pmpp_status status =
		known ? query_init(&query, database, table->known, key, 3, error)
		      : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a stored row");

	if (status == PMPP_OK)
		status = query_step(&query, database, &found, error);
	if (status == PMPP_OK && found) {
		const char *text = query_text(&query, 0);
		status = record_read(table->type, text, strlen(text), database->path, known, error);
		if (status == PMPP_OK) {
			*ret_runs = table->runs(known);
			record_finish(table->type, known);
		}
	}
	query_finish(&query);
	free(known);
	return status;
}

/* Replaces the stored row if it has fewer runs. values: the parameters of the insertion. */
static enum pmpp_status complete_row(struct database *database, const struct row_table *table,
	const void *row, const char *const *values, const char *text, size_t *ret_completed,
	struct pmpp_error *error)
{
	const char *const completed[] = {values[0], values[1], values[2], text};
	size_t runs = table->runs ? table->runs(row) : 0;
	size_t known = runs;

	if (runs == 0)
		return PMPP_OK;
	enum pmpp_status status = count_known_runs(database, table, values, &known, error);
	if (status == PMPP_OK && known < runs)
		status = database_change(database, table->complete, completed,
			MEMBER_COUNT(completed), ret_completed, error);
	return status;
}

static enum pmpp_status add_row(struct database *database, const struct row_table *table,
	const char *run, const void *row, const char *identity, size_t earlier,
	struct store_counts *counts, struct pmpp_error *error)
{
	const struct row_values values = table->values(row);
	char again[24];
	char *text = NULL;
	size_t added = 0;
	size_t completed = 0;
	enum pmpp_status status = record_write(table->type, row, RECORD_ONE_LINE, &text, error);

	snprintf(again, sizeof again, "%zu", earlier);
	const char *const texts[] = {
		run, identity, again, values.family, values.variant, text, values.backend};
	size_t count = MEMBER_COUNT(texts) - (values.backend == NULL);
	if (status == PMPP_OK)
		status = database_change(database, table->insert, texts, count, &added, error);
	if (status == PMPP_OK && added == 0)
		status = complete_row(database, table, row, texts, text, &completed, error);
	free(text);
	counts->added += added;
	counts->completed += completed;
	counts->known += status == PMPP_OK && added + completed == 0;
	return status;
}

/* Numbers the rows of the document that have no number yet. */
static enum pmpp_status number_rows(const struct row_table *table, const struct raw_list rows,
	struct row_numbers *numbers, struct pmpp_error *error)
{
	bool ok = true;

	while (ok && numbers->count < rows.count) {
		char *identity = table->identity(raw_list_item(table->type, rows, numbers->count));
		ok = identity && row_numbers_add(numbers, identity);
		free(identity);
	}
	return ok ? PMPP_OK
		  : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the identities of rows");
}

/* Adds the rows from index `first` on. */
static enum pmpp_status add_rows(struct database *database, const struct row_table *table,
	const struct result_document *document, size_t first, struct row_numbers *numbers,
	struct store_counts *counts, struct pmpp_error *error)
{
	const struct raw_list rows = rows_of(table, document);
	enum pmpp_status status = number_rows(table, rows, numbers, error);

	for (size_t i = first; i < rows.count && status == PMPP_OK; i++)
		status = add_row(database, table, document->run.id,
			raw_list_item(table->type, rows, i), row_numbers_identity(numbers, i),
			numbers->items[i].again, counts, error);
	return status;
}

static enum pmpp_status add_document(struct database *database,
	const struct result_document *document, struct store_rest *rest,
	struct store_counts *counts, struct pmpp_error *error)
{
	enum pmpp_status status = add_run(database, document, error);

	for (size_t i = 0; i < document->devices.count && status == PMPP_OK; i++)
		status = add_device(database, document->run.id, &document->devices.items[i], error);
	for (size_t i = 0; i < MEMBER_COUNT(tables) && status == PMPP_OK; i++)
		status = add_rows(database, &tables[i], document, rest->first[i], &rest->numbers[i],
			counts, error);
	return status;
}

/* Ends a transaction: commits all changes, or none. */
static enum pmpp_status end_transaction(
	struct database *database, enum pmpp_status status, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;

	if (status == PMPP_OK)
		status = database_run(database, "COMMIT", error);
	/* The error of ROLLBACK is ignored: after some errors SQLite has already ended the
	 * transaction. */
	if (status != PMPP_OK)
		database_run(database, "ROLLBACK", &other);
	pmpp_error_clear(&other);
	return status;
}

void store_rest_finish(struct store_rest *rest)
{
	for (size_t i = 0; i < MEMBER_COUNT(rest->numbers); i++)
		row_numbers_finish(&rest->numbers[i]);
	*rest = (struct store_rest){0};
}

/* Adds all rows of a document. */
static enum pmpp_status add_all(struct database *database, const struct result_document *document,
	struct store_counts *counts, struct pmpp_error *error)
{
	struct store_rest all = {0};
	enum pmpp_status status = add_document(database, document, &all, counts, error);

	store_rest_finish(&all);
	return status;
}

enum pmpp_status store_add(struct store *store, const struct result_document *documents,
	size_t count, const char *origin, struct store_counts *counts, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < count; i++)
		if (!*text_or_empty(documents[i].run.id))
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s: run.id is empty: set it to a text that no other run has",
				origin);
	status = database_run(&store->database, "BEGIN IMMEDIATE", error);
	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		status = add_all(&store->database, &documents[i], counts, error);
	return end_transaction(&store->database, status, error);
}

enum pmpp_status store_add_rest(struct store *store, const struct result_document *document,
	struct store_rest *rest, struct pmpp_error *error)
{
	struct store_counts counts = {0};
	enum pmpp_status status = database_run(&store->database, "BEGIN IMMEDIATE", error);

	if (status != PMPP_OK)
		return status;
	status = add_document(&store->database, document, rest, &counts, error);
	status = end_transaction(&store->database, status, error);
	for (size_t i = 0; i < MEMBER_COUNT(tables) && status == PMPP_OK; i++)
		rest->first[i] = rows_of(&tables[i], document).count;
	return status;
}

enum pmpp_status store_replace(
	struct store *store, const struct result_document *document, struct pmpp_error *error)
{
	const char *const values[] = {document->run.id};
	struct store_counts counts = {0};
	enum pmpp_status status = database_run(&store->database, "BEGIN IMMEDIATE", error);

	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < MEMBER_COUNT(tables) && status == PMPP_OK; i++)
		status = database_change(&store->database, tables[i].clear, values, 1, NULL, error);
	if (status == PMPP_OK)
		status = add_all(&store->database, document, &counts, error);
	return end_transaction(&store->database, status, error);
}

enum pmpp_status store_remove(struct store *store, const char *run, struct pmpp_error *error)
{
	static const char *const others[] = {
		"DELETE FROM devices WHERE run = ?1", "DELETE FROM runs WHERE id = ?1"};
	enum pmpp_status status = database_run(&store->database, "BEGIN IMMEDIATE", error);

	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < MEMBER_COUNT(tables) && status == PMPP_OK; i++)
		status = database_change(&store->database, tables[i].clear, &run, 1, NULL, error);
	for (size_t i = 0; i < MEMBER_COUNT(others) && status == PMPP_OK; i++)
		status = database_change(&store->database, others[i], &run, 1, NULL, error);
	return end_transaction(&store->database, status, error);
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Appends the records of all rows of a query to a list of records. */
static enum pmpp_status load_records(struct database *database, const char *sql,
	const char *const *values, size_t count, const struct record_type *type, void *list,
	struct pmpp_error *error)
{
	struct query query = {0};
	bool row = false;
	enum pmpp_status status = query_init(&query, database, sql, values, count, error);
	void *record = malloc(type->size);

	if (status == PMPP_OK && !record)
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a %s", type->name);
	while (status == PMPP_OK &&
		(status = query_step(&query, database, &row, error)) == PMPP_OK && row) {
		const char *text = query_text(&query, 0);
		status = record_read(type, text, strlen(text), database->path, record, error);
		if (status != PMPP_OK)
			break;
		void *added = record_list_add(type, list);
		if (added)
			record_move(type, record, added);
		else
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory for a %s", type->name);
		record_finish(type, record);
	}
	free(record);
	query_finish(&query);
	return status;
}

/* Whether an OpenCL platform of the device has the text in its name. */
static bool has_platform(const struct device_record *device, const char *text)
{
	for (size_t i = 0; i < device->views.count; i++)
		if (strcasestr(text_or_empty(device->views.items[i].platform), text))
			return true;
	return false;
}

static bool device_matches(
	const struct result_document *document, const char *key, const char *text)
{
	if (strcasestr(text_or_empty(key), text))
		return true;
	for (size_t i = 0; i < document->devices.count; i++) {
		const struct device_record *device = &document->devices.items[i];
		if (text_equal(device->key, key))
			return text_equal(device->type, text) ||
			       strcasestr(text_or_empty(device->name), text) ||
			       has_platform(device, text);
	}
	return false;
}

/* Removes the rows of other devices. */
static void keep_device(
	struct result_document *document, const struct row_table *table, const char *text)
{
	struct raw_list rows = rows_of(table, document);
	size_t kept = 0;

	for (size_t i = 0; i < rows.count; i++) {
		void *row = raw_list_item(table->type, rows, i);
		if (!device_matches(document, table->values(row).device, text))
			record_finish(table->type, row);
		else if (kept++ < i)
			record_move(table->type, row, raw_list_item(table->type, rows, kept - 1));
	}
	rows.count = kept;
	memcpy((char *)document + table->list, &rows, sizeof rows);
}

/* document: the document of the run, without rows and devices. */
static enum pmpp_status load_rows(struct database *database, const struct store_filter *filter,
	struct result_document *document, struct pmpp_error *error)
{
	const char *const values[] = {
		document->run.id, filter->family, filter->variant, filter->backend};
	size_t count = 0;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < MEMBER_COUNT(tables) && status == PMPP_OK; i++) {
		status = load_records(database, tables[i].select, values, MEMBER_COUNT(values),
			tables[i].type, (char *)document + tables[i].list, error);
		count += rows_of(&tables[i], document).count;
	}
	if (status == PMPP_OK && count)
		status = load_records(database,
			"SELECT record FROM devices WHERE run = ?1 ORDER BY rowid", values, 1,
			&device_type, &document->devices, error);
	for (size_t i = 0; i < MEMBER_COUNT(tables) && status == PMPP_OK && filter->device; i++)
		keep_device(document, &tables[i], filter->device);
	return status;
}

static enum pmpp_status take_run(struct database *database, const struct store_filter *filter,
	const char *head, store_document_fn *take, void *context, struct pmpp_error *error)
{
	struct result_document document;
	enum pmpp_status status = record_read(
		&result_document_type, head, strlen(head), database->path, &document, error);

	if (status != PMPP_OK)
		return status;
	status = load_rows(database, filter, &document, error);
	if (status == PMPP_OK && (document.results.count || document.parity.count))
		status = take(context, &document, error);
	record_finish(&result_document_type, &document);
	return status;
}

static enum pmpp_status take_runs(struct database *database, const struct store_filter *filter,
	store_document_fn *take, void *context, struct pmpp_error *error)
{
	const char *const values[] = {filter->label};
	struct query query = {0};
	bool row = false;
	enum pmpp_status status = query_init(&query, database,
		"SELECT head FROM runs WHERE ?1 IS NULL OR label = ?1 ORDER BY started_utc, id",
		values, MEMBER_COUNT(values), error);

	while (status == PMPP_OK &&
		(status = query_step(&query, database, &row, error)) == PMPP_OK && row)
		status = take_run(database, filter, query_text(&query, 0), take, context, error);
	query_finish(&query);
	return status;
}

enum pmpp_status store_each(struct store *store, const struct store_filter *filter,
	store_document_fn *take, void *context, struct pmpp_error *error)
{
	/* One transaction, so that all reads see the same state of the store. */
	enum pmpp_status status = database_run(&store->database, "BEGIN", error);

	if (status != PMPP_OK)
		return status;
	status = take_runs(&store->database, filter, take, context, error);
	return end_transaction(&store->database, status, error);
}
