#include "host/record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"
#include "host/io/cache_file.h"
#include "host/record/document.h"
#include "host/record/identity.h"
#include "host/record/internal.h"

/* ---- Errors -------------------------------------------------------------------------------- */

static const struct reason {
	int code; /* primary result code of SQLite */
	enum pmpp_status status;
	const char *text;
} reasons[] = {
	{SQLITE_NOTADB, PMPP_USAGE, "not a SQLite database: use another file"},
	{SQLITE_CORRUPT, PMPP_USAGE,
		"the database is damaged: use another file, or recover it with sqlite3 .recover"},
	{SQLITE_READONLY, PMPP_USAGE,
		"cannot be written: change its permissions, or use another file"},
	{SQLITE_PERM, PMPP_USAGE, "cannot be opened: permission denied"},
	{SQLITE_FULL, PMPP_IO, "the disk is full: free some space"},
	{SQLITE_PROTOCOL, PMPP_IO, "the file system has no locks: use a file on a local disk"},
	{SQLITE_NOLFS, PMPP_IO, "the file system does not support files of this size"},
	{SQLITE_TOOBIG, PMPP_IO, "a result is larger than SQLite supports"},
	{SQLITE_NOMEM, PMPP_OUT_OF_MEMORY, "no memory"},
};

/* Sets the error of the last SQLite call. */
static enum pmpp_status fail(const struct store *store, struct pmpp_error *error)
{
	int extended = sqlite3_extended_errcode(store->handle);
	bool no_locks = extended == SQLITE_IOERR_LOCK || extended == SQLITE_IOERR_RDLOCK;
	int code = no_locks ? SQLITE_PROTOCOL : extended & 0xff;

	for (size_t i = 0; i < ARRAY_COUNT(reasons); i++)
		if (reasons[i].code == code)
			return PMPP_FAIL(
				error, reasons[i].status, "%s: %s", store->path, reasons[i].text);
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return PMPP_FAIL(error, PMPP_IO,
			"%s: another process has used the database for %.3g s: try again later",
			store->path, store->wait_ms * 1e-3);
	if (code == SQLITE_CANTOPEN)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: cannot be opened: %s: use another file",
			store->path, strerror(sqlite3_system_errno(store->handle)));
	return PMPP_FAIL(error, code == SQLITE_IOERR ? PMPP_IO : PMPP_USAGE, "%s: %s (SQLite %d)",
		store->path, sqlite3_errmsg(store->handle), extended);
}

/* ---- Statements ---------------------------------------------------------------------------- */

/* Runs statements that have no parameters and no results. */
static enum pmpp_status run(struct store *store, const char *sql, struct pmpp_error *error)
{
	return sqlite3_exec(store->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? PMPP_OK
									       : fail(store, error);
}

typedef enum pmpp_status take_text_fn(void *context, const char *text, struct pmpp_error *error);

/* Runs one statement. texts: values of its parameters ?1, ?2, ...; NULL means null. Calls take() with
 * the first column of each row; stops at the first error. */
static enum pmpp_status query(struct store *store, const char *sql, const char *const *texts,
	size_t count, take_text_fn *take, void *context, struct pmpp_error *error)
{
	sqlite3_stmt *statement = NULL;
	enum pmpp_status status = PMPP_OK;
	int code = sqlite3_prepare_v2(store->handle, sql, -1, &statement, NULL);

	for (size_t i = 0; i < count && code == SQLITE_OK; i++)
		code = sqlite3_bind_text(statement, (int)i + 1, texts[i], -1, SQLITE_STATIC);
	while (status == PMPP_OK && (code == SQLITE_OK || code == SQLITE_ROW)) {
		code = sqlite3_step(statement);
		const unsigned char *text =
			code == SQLITE_ROW ? sqlite3_column_text(statement, 0) : NULL;
		if (code == SQLITE_ROW && take)
			status = take(context, text ? (const char *)text : "", error);
	}
	if (status == PMPP_OK && code != SQLITE_DONE)
		status = fail(store, error);
	sqlite3_finalize(statement);
	return status;
}

static enum pmpp_status take_integer(void *context, const char *text, struct pmpp_error *error)
{
	(void)error;
	*(long long *)context = strtoll(text, NULL, 10);
	return PMPP_OK;
}

/* Ends a transaction: commits all changes, or none. */
static enum pmpp_status end_transaction(
	struct store *store, enum pmpp_status status, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;

	if (status == PMPP_OK)
		status = run(store, "COMMIT", error);
	/* The error of ROLLBACK is ignored: after some errors SQLite has already ended the
	 * transaction, and after an error of BEGIN there is none. */
	if (status != PMPP_OK)
		run(store, "ROLLBACK", &other);
	pmpp_error_clear(&other);
	return status;
}

/* ---- Schema -------------------------------------------------------------------------------- */

/* PRAGMA application_id: "pmpp". */
#define APPLICATION_ID 1886220400
/* PRAGMA user_version. */
#define STORE_VERSION 1

static const char schema[] =
	"PRAGMA application_id = 1886220400;"
	"PRAGMA user_version = 1;"
	/* Column `head`: the document without rows. */
	"CREATE TABLE runs(id TEXT PRIMARY KEY NOT NULL, started_utc TEXT NOT NULL, label TEXT,"
	" head TEXT NOT NULL);"
	/* Column `kind`: the name of the record. `backend`: null for parity rows. `runs`: those of
	 * --repeat. */
	"CREATE TABLE results(number INTEGER PRIMARY KEY, run TEXT NOT NULL, kind TEXT NOT NULL,"
	" identity TEXT NOT NULL, again INTEGER NOT NULL, family TEXT NOT NULL,"
	" variant TEXT NOT NULL, backend TEXT, runs INTEGER NOT NULL, record TEXT NOT NULL,"
	" UNIQUE(run, kind, identity, again))";

/* Checks that the database is a store. *ret_empty: true if it has no tables yet. */
static enum pmpp_status check_version(
	struct store *store, bool *ret_empty, struct pmpp_error *error)
{
	static const char *const queries[] = {"PRAGMA application_id", "PRAGMA user_version",
		"SELECT count(*) FROM sqlite_master"};
	long long values[ARRAY_COUNT(queries)] = {0};
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < ARRAY_COUNT(queries) && status == PMPP_OK; i++)
		status = query(store, queries[i], NULL, 0, take_integer, &values[i], error);
	if (status != PMPP_OK)
		return status;
	if (values[0] != APPLICATION_ID && (values[0] || values[1] || values[2]))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: a database of another program: use another file", store->path);
	if (values[1] > STORE_VERSION)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: store version %lld, newer than %d: update pmpp", store->path,
			values[1], STORE_VERSION);
	*ret_empty = values[2] == 0;
	return PMPP_OK;
}

/* Checks the version. Waits for other processes only if the tables are missing. Checks again in the
 * transaction that makes the tables, because another process may do the same. */
static enum pmpp_status check_store(struct store *store, bool create, struct pmpp_error *error)
{
	bool empty = false;
	enum pmpp_status status = run(store, "BEGIN", error);

	if (status == PMPP_OK)
		status = check_version(store, &empty, error);
	status = end_transaction(store, status, error);
	if (status != PMPP_OK || !empty)
		return status;
	if (!create)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the store is empty: run a variant with --save", store->path);
	status = run(store, "BEGIN IMMEDIATE", error);
	if (status == PMPP_OK)
		status = check_version(store, &empty, error);
	if (status == PMPP_OK && empty)
		status = run(store, schema, error);
	return end_transaction(store, status, error);
}

/* ---- Open and close ------------------------------------------------------------------------ */

enum pmpp_status store_default_path(char ret_path[STORE_PATH_BYTES], struct pmpp_error *error)
{
	const char *named = getenv("PMPP_STORE");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	char path[STORE_PATH_BYTES];
	int length = 0;

	if (named && (*named == ':' || strncmp(named, "file:", 5) == 0))
		return PMPP_FAIL(error, PMPP_USAGE,
			"PMPP_STORE=%s is not the path of a file for SQLite: use ./%s", named,
			named);
	/* The XDG base directory specification requires to ignore relative paths. */
	if (named && *named)
		length = snprintf(path, sizeof path, "%s", named);
	else if (data && data[0] == '/')
		length = snprintf(path, sizeof path, "%s/pmpp/results.db", data);
	else if (home && home[0] == '/')
		length = snprintf(path, sizeof path, "%s/.local/share/pmpp/results.db", home);
	if (length <= 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"the store has no folder: set XDG_DATA_HOME or HOME to an absolute path, "
			"or PMPP_STORE to a file");
	if (length >= (int)sizeof path)
		return PMPP_FAIL(error, PMPP_USAGE,
			"the path of the store has more than %zu bytes: set PMPP_STORE to a "
			"shorter path",
			sizeof path - 1);
	memcpy(ret_path, path, sizeof path);
	return PMPP_OK;
}

/* Makes the folder of a file with an absolute path. The folder of a relative path must exist. SQLite
 * writes its journal into the folder. */
static enum pmpp_status make_folder(const char *path, struct pmpp_error *error)
{
	char *folder = path_folder(path);
	enum pmpp_status status = PMPP_OK;

	if (!folder)
		return PMPP_NO_MEMORY(error, "the path of the store");
	if (folder[0] == '/' && !folders_make(folder))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: cannot be made: %s: set PMPP_STORE to a file in another folder",
			folder, strerror(errno));
	else if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: its folder cannot be written: %s: use another file", path,
			strerror(errno));
	free(folder);
	return status;
}

/* SQLite would block on a pipe. */
static enum pmpp_status check_file(const char *path, bool create, struct pmpp_error *error)
{
	struct stat info;
	enum pmpp_status status = create ? make_folder(path, error) : PMPP_OK;
	if (status != PMPP_OK)
		return status;
	bool found = stat(path, &info) == 0;
	if (found && !S_ISREG(info.st_mode))
		return PMPP_FAIL(
			error, PMPP_USAGE, "%s: not a regular file: use another file", path);
	if (!found && errno != ENOENT)
		return PMPP_FAIL(
			error, PMPP_USAGE, "%s: %s: use another file", path, strerror(errno));
	if (!found && !create)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: there is no store yet: run a variant with --save", path);
	return PMPP_OK;
}

/* synchronous: at the end of a commit, the directory entry of the journal is also on the disk. The
 * other two settings protect against a file of unknown origin: its schema cannot call functions
 * with side effects, and SQLite detects damaged pages when it reads them. */
static const char settings[] = "PRAGMA synchronous = EXTRA; PRAGMA trusted_schema = OFF; "
			       "PRAGMA cell_size_check = ON";

enum pmpp_status store_open(const char *path, bool create, unsigned wait_ms,
	struct store *ret_store, struct pmpp_error *error)
{
	struct store store = {.path = path, .wait_ms = wait_ms};
	int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
	enum pmpp_status status = check_file(path, create, error);

	if (status != PMPP_OK)
		return status;
	if (sqlite3_open_v2(path, &store.handle, flags, NULL) != SQLITE_OK)
		status = fail(&store, error);
	if (status == PMPP_OK) {
		sqlite3_extended_result_codes(store.handle, 1);
		sqlite3_busy_timeout(store.handle, (int)wait_ms);
		status = run(&store, settings, error);
	}
	/* If the file has no write permission, SQLite silently opens it for reading. */
	if (status == PMPP_OK && create && sqlite3_db_readonly(store.handle, "main") != 0)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: cannot be written: change its permissions, or use another file", path);
	if (status == PMPP_OK)
		status = check_store(&store, create, error);
	if (status == PMPP_OK)
		*ret_store = store;
	else
		store_close(&store);
	return status;
}

void store_close(struct store *store)
{
	sqlite3_close(store->handle);
	store->handle = NULL;
}

/* ---- Adding -------------------------------------------------------------------------------- */

/* The stored document of a run, without rows. */
struct head {
	struct result_document document;
	bool is_known;
	const char *path;
};

static enum pmpp_status take_head(void *context, const char *text, struct pmpp_error *error)
{
	struct head *head = context;
	enum pmpp_status status = record_read(
		&result_document_type, text, strlen(text), head->path, &head->document, error);

	head->is_known = status == PMPP_OK;
	return status;
}

/* Writes the document without rows. If the store has the run already, adds missing devices and
 * views to it. newest: the document has the newest state of the run. */
static enum pmpp_status add_run(struct store *store, const struct result_document *document,
	bool newest, struct pmpp_error *error)
{
	struct head head = {.path = store->path};
	struct result_document copy = *document;
	char *text = NULL;
	enum pmpp_status status = query(store, "SELECT head FROM runs WHERE id = ?1",
		(const char *const[]){document->run.id}, 1, take_head, &head, error);

	for (size_t i = 0; head.is_known && i < document->devices.count && status == PMPP_OK; i++)
		status = result_document_add_device(
			&head.document, &document->devices.items[i], error);
	if (newest || !document->run.interrupted)
		head.document.run.interrupted = document->run.interrupted;
	/* The document keeps its rows. */
	copy.results = (struct result_row_list){0};
	copy.parity = (struct parity_row_list){0};
	if (status == PMPP_OK)
		status = record_write(&result_document_type, head.is_known ? &head.document : &copy,
			RECORD_ONE_LINE, &text, error);
	const char *const values[] = {
		document->run.id, document->run.started_utc, document->run.label, text};
	if (status == PMPP_OK)
		status = query(store,
			"INSERT INTO runs(id, started_utc, label, head) VALUES(?1, ?2, ?3, ?4)"
			" ON CONFLICT(id) DO UPDATE SET head = excluded.head",
			values, ARRAY_COUNT(values), NULL, NULL, error);
	if (head.is_known)
		record_finish(&result_document_type, &head.document);
	free(text);
	return status;
}

/* Columns of a row, in addition to its record. */
struct row_values {
	const char *family, *variant, *backend, *device;
	size_t runs; /* of --repeat; 0: a row of one run */
	char *identity;
};

static struct row_values result_values(const void *record)
{
	const struct result_row *row = record;
	const struct repetitions_record *repetitions = &row->repetitions;

	return (struct row_values){row->family, row->variant, row->backend, row->device,
		repetitions->record.present ? repetitions->runs.count : 0,
		result_row_identity(row)};
}

static struct row_values parity_values(const void *record)
{
	const struct parity_row *row = record;

	return (struct row_values){
		row->family, row->variant, NULL, row->device, 0, parity_row_identity(row)};
}

/* The two kinds of rows. */
static const struct row_table {
	const struct record_type *type;
	size_t list; /* offset of the list in the document */
	struct row_values (*values)(const void *row);
} tables[] = {
	{&result_row_type, offsetof(struct result_document, results), result_values},
	{&parity_row_type, offsetof(struct result_document, parity), parity_values},
};

static struct elements rows_of(
	const struct row_table *table, const struct result_document *document)
{
	const struct record_field field = {.kind = FIELD_OBJECTS, .type = table->type};

	return elements_of(&field, (const char *)document + table->list);
}

/* Adds a row, or replaces the stored row if that one has fewer runs. again: number of earlier rows of the
 * document with the same identity. *changed: is increased if the store changes. */
static enum pmpp_status add_row(struct store *store, const struct row_table *table,
	const char *run_id, const void *row, const struct row_values *values, size_t again,
	size_t *changed, struct pmpp_error *error)
{
	char again_text[24], runs[24];
	char *text = NULL;
	enum pmpp_status status = record_write(table->type, row, RECORD_ONE_LINE, &text, error);

	snprintf(again_text, sizeof again_text, "%zu", again);
	snprintf(runs, sizeof runs, "%zu", values->runs);
	const char *const texts[] = {run_id, table->type->name, values->identity, again_text, text,
		runs, values->family, values->variant, values->backend};
	if (status == PMPP_OK)
		status = query(store,
			"INSERT INTO results(run, kind, identity, again, record, runs, family,"
			" variant, backend) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
			" ON CONFLICT(run, kind, identity, again) DO UPDATE SET"
			" record = excluded.record, runs = excluded.runs"
			" WHERE runs < excluded.runs",
			texts, ARRAY_COUNT(texts), NULL, NULL, error);
	if (status == PMPP_OK)
		*changed += (size_t)sqlite3_changes(store->handle);
	free(text);
	return status;
}

/* Adds the rows of a table from `first` on. */
static enum pmpp_status add_rows(struct store *store, const struct row_table *table,
	const struct result_document *document, size_t first, size_t *changed,
	struct pmpp_error *error)
{
	const struct elements rows = rows_of(table, document);
	struct row_numbers numbers = {0};
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < rows.count && status == PMPP_OK; i++) {
		const void *row = element_value(&rows, i);
		const struct row_values values = table->values(row);
		size_t again = 0;
		if (!values.identity || !row_numbers_add(&numbers, values.identity, &again))
			status = PMPP_NO_MEMORY(error, "the identities of rows");
		else if (i >= first)
			status = add_row(store, table, document->run.id, row, &values, again,
				changed, error);
		free(values.identity);
	}
	row_numbers_finish(&numbers);
	return status;
}

/* Adds the run and its rows. first: the first rows that are not in the store; NULL: the document is from a
 * file, which can have an earlier state of the run. */
static enum pmpp_status add_document(struct store *store, const struct result_document *document,
	const size_t *first, size_t *changed, struct pmpp_error *error)
{
	enum pmpp_status status = add_run(store, document, first != NULL, error);

	for (size_t t = 0; t < ARRAY_COUNT(tables) && status == PMPP_OK; t++)
		status =
			add_rows(store, &tables[t], document, first ? first[t] : 0, changed, error);
	return status;
}

static enum pmpp_status count_rows(
	struct store *store, long long *ret_count, struct pmpp_error *error)
{
	return query(
		store, "SELECT count(*) FROM results", NULL, 0, take_integer, ret_count, error);
}

enum pmpp_status store_add(struct store *store, const struct result_document *documents,
	size_t count, const char *origin, struct store_counts *counts, struct pmpp_error *error)
{
	long long before = 0, after = 0;
	size_t rows = 0, changed = 0;

	for (size_t i = 0; i < count; i++)
		if (!*text_or_empty(documents[i].run.id))
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s: run.id is empty: set it to a text that no other run has",
				origin);
	enum pmpp_status status = run(store, "BEGIN IMMEDIATE", error);
	if (status == PMPP_OK)
		status = count_rows(store, &before, error);
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		rows += documents[i].results.count + documents[i].parity.count;
		status = add_document(store, &documents[i], NULL, &changed, error);
	}
	if (status == PMPP_OK)
		status = count_rows(store, &after, error);
	status = end_transaction(store, status, error);
	if (status != PMPP_OK)
		return status;
	counts->added += (size_t)(after - before);
	counts->completed += changed - (size_t)(after - before);
	counts->known += rows - changed;
	return PMPP_OK;
}

static enum pmpp_status delete_rows(
	struct store *store, const char *run_id, struct pmpp_error *error)
{
	return query(store, "DELETE FROM results WHERE run = ?1", &run_id, 1, NULL, NULL, error);
}

enum pmpp_status store_add_rest(struct store *store, const struct result_document *document,
	struct store_rest *rest, struct pmpp_error *error)
{
	size_t changed = 0;
	enum pmpp_status status = run(store, "BEGIN IMMEDIATE", error);

	if (status == PMPP_OK && rest->replaces)
		status = delete_rows(store, document->run.id, error);
	if (status == PMPP_OK)
		status = add_document(store, document, rest->first, &changed, error);
	status = end_transaction(store, status, error);
	for (size_t i = 0; i < ARRAY_COUNT(tables) && status == PMPP_OK && !rest->replaces; i++)
		rest->first[i] = rows_of(&tables[i], document).count;
	return status;
}

enum pmpp_status store_remove(struct store *store, const char *run_id, struct pmpp_error *error)
{
	enum pmpp_status status = run(store, "BEGIN IMMEDIATE", error);

	if (status == PMPP_OK)
		status = delete_rows(store, run_id, error);
	if (status == PMPP_OK)
		status = query(
			store, "DELETE FROM runs WHERE id = ?1", &run_id, 1, NULL, NULL, error);
	return end_transaction(store, status, error);
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Whether the key, the type, the name or a platform of a device has the text. */
static bool device_matches(
	const struct result_document *document, const char *key, const char *text)
{
	bool matches = strcasestr(text_or_empty(key), text);

	for (size_t i = 0; i < document->devices.count && !matches; i++) {
		const struct device_record *device = &document->devices.items[i];
		if (!text_equal(device->key, key))
			continue;
		matches = text_equal(device->type, text) ||
			  strcasestr(text_or_empty(device->name), text);
		for (size_t v = 0; v < device->views.count; v++)
			matches |= strcasestr(text_or_empty(device->views.items[v].platform),
					   text) != NULL;
	}
	return matches;
}

/* A selection in progress. */
struct selection {
	struct store *store;
	const struct store_filter *filter;
	store_document_fn *take;
	void *context;
	struct result_document *document; /* of the run */
	const struct row_table *table;    /* of the rows */
};

static bool is_of_device(void *context, const void *row)
{
	const struct selection *selection = context;
	const struct row_values values = selection->table->values(row);

	free(values.identity);
	return device_matches(selection->document, values.device, selection->filter->device);
}

/* Adds a row to the document. */
static enum pmpp_status take_row(void *context, const char *text, struct pmpp_error *error)
{
	const struct selection *selection = context;
	const struct record_type *type = selection->table->type;
	void *added = record_list_add(type, (char *)selection->document + selection->table->list);

	if (!added)
		return PMPP_NO_MEMORY(error, "a %s", type->name);
	record_finish(type, added);
	enum pmpp_status status =
		record_read(type, text, strlen(text), selection->store->path, added, error);
	if (status != PMPP_OK)
		record_init(type, added); /* the list is finished with the document */
	return status;
}

/* Reads the selected rows of a run. */
static enum pmpp_status take_run(void *context, const char *head, struct pmpp_error *error)
{
	struct selection *selection = context;
	const struct store_filter *filter = selection->filter;
	struct result_document document;
	enum pmpp_status status = record_read(&result_document_type, head, strlen(head),
		selection->store->path, &document, error);

	if (status != PMPP_OK)
		return status;
	selection->document = &document;
	for (size_t i = 0; i < ARRAY_COUNT(tables) && status == PMPP_OK; i++) {
		const char *const values[] = {document.run.id, tables[i].type->name, filter->family,
			filter->variant, filter->backend};
		selection->table = &tables[i];
		status = query(selection->store,
			"SELECT record FROM results WHERE run = ?1 AND kind = ?2"
			" AND (?3 IS NULL OR family = ?3) AND (?4 IS NULL OR variant = ?4)"
			" AND (?5 IS NULL OR backend = ?5) ORDER BY number",
			values, ARRAY_COUNT(values), take_row, selection, error);
		if (filter->device)
			record_list_keep(tables[i].type, (char *)&document + tables[i].list,
				is_of_device, selection);
	}
	if (status == PMPP_OK && (document.results.count || document.parity.count))
		status = selection->take(selection->context, &document, error);
	record_finish(&result_document_type, &document);
	return status;
}

enum pmpp_status store_each(struct store *store, const struct store_filter *filter,
	store_document_fn *take, void *context, struct pmpp_error *error)
{
	struct selection selection = {store, filter, take, context, NULL, NULL};
	const char *const values[] = {filter->label};
	/* One transaction, so that all reads see the same state of the store. */
	enum pmpp_status status = run(store, "BEGIN", error);

	if (status == PMPP_OK)
		status = query(store,
			"SELECT head FROM runs WHERE ?1 IS NULL OR label = ?1"
			" ORDER BY started_utc, id",
			values, ARRAY_COUNT(values), take_run, &selection, error);
	return end_transaction(store, status, error);
}

/* ---- Files of many runs -------------------------------------------------------------------- */

#define RECORD_TYPES
#define RECORDS "host/record/store.def"
#include "common/records.inc"

enum pmpp_status store_file_load(const char *path, const struct document_kind *other,
	struct store_document *ret_document, bool *ret_is_other, struct pmpp_error *error)
{
	struct result_document result;
	struct store_document document;
	const struct document_kind kinds[] = {{&result_document_type, RESULT_SCHEMA, &result},
		{&store_document_type, STORE_SCHEMA, &document},
		other ? *other : (struct document_kind){0}};
	size_t kind = 0, ignored;
	enum pmpp_status status = document_load(kinds, other ? 3 : 2, path, &kind, &ignored, error);

	if (status != PMPP_OK)
		return status;
	if (other)
		*ret_is_other = kind == 2;
	if (kind == 2)
		return PMPP_OK;
	/* A result file is a store file with one document. */
	if (kind == 0) {
		record_init(&store_document_type, &document);
		struct result_document *added =
			record_list_add(&result_document_type, &document.documents);
		if (added)
			record_move(&result_document_type, &result, added);
		else
			status = PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "%s: no memory for the file", path);
		record_finish(&result_document_type, &result);
	}
	if (status == PMPP_OK)
		*ret_document = document;
	return status;
}
