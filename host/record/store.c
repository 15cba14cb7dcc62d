#include "host/record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/io/cache_file.h"
#include "host/record/identity.h"
#include "host/record/internal.h"
#include "host/record/json.h"

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
static enum pmpp_status fail(const struct database *database, struct pmpp_error *error)
{
	int extended = sqlite3_extended_errcode(database->handle);
	int code = extended & 0xff;

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].code == code)
			return PMPP_FAIL(error, reasons[i].status, "%s: %s", database->path,
				reasons[i].text);
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return PMPP_FAIL(error, PMPP_IO,
			"%s: another process has used the database for %.3g s: try again later",
			database->path, database->wait_ms * 1e-3);
	if (code == SQLITE_CANTOPEN)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: cannot be opened: %s: use another file",
			database->path, strerror(sqlite3_system_errno(database->handle)));
	if (extended == SQLITE_IOERR_LOCK || extended == SQLITE_IOERR_RDLOCK)
		return PMPP_FAIL(error, PMPP_IO,
			"%s: the file system has no locks: use a file on a local disk",
			database->path);
	return PMPP_FAIL(error, code == SQLITE_IOERR ? PMPP_IO : PMPP_USAGE, "%s: %s (SQLite %d)",
		database->path, sqlite3_errmsg(database->handle), extended);
}

/* ---- Databases ----------------------------------------------------------------------------- */

/* SQLite writes its journal into the folder of the database. */
static enum pmpp_status check_folder(const char *path, struct pmpp_error *error)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 0;
	char *folder = length ? strndup(path, length) : strdup(".");
	enum pmpp_status status = PMPP_OK;

	if (!folder)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a path");
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: its folder cannot be written: %s: use another file", path,
			strerror(errno));
	free(folder);
	return status;
}

/* SQLite would block on a pipe. */
static enum pmpp_status check_kind(const char *path, bool create, struct pmpp_error *error)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return create && errno == ENOENT
			       ? PMPP_OK
			       : PMPP_FAIL(error, PMPP_USAGE, "%s: %s: use another file", path,
					 strerror(errno));
	return S_ISREG(info.st_mode) ? PMPP_OK
				     : PMPP_FAIL(error, PMPP_USAGE,
					       "%s: not a regular file: use another file", path);
}

/* synchronous: at the end of a commit, the directory entry of the journal is also on the disk. The
 * other two settings protect against a file of unknown origin: its schema cannot call functions
 * with side effects, and SQLite detects damaged pages when it reads them. */
static const char settings[] = "PRAGMA synchronous = EXTRA; PRAGMA trusted_schema = OFF; "
			       "PRAGMA cell_size_check = ON";

enum pmpp_status database_open(const char *path, bool create, unsigned wait_ms,
	struct database *ret_database, struct pmpp_error *error)
{
	struct database database = {.path = path, .wait_ms = wait_ms};
	int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
	enum pmpp_status status = check_kind(path, create, error);

	if (status == PMPP_OK && create)
		status = check_folder(path, error);

	if (status != PMPP_OK)
		return status;
	if (sqlite3_open_v2(path, &database.handle, flags, NULL) != SQLITE_OK)
		status = fail(&database, error);
	if (status == PMPP_OK) {
		sqlite3_extended_result_codes(database.handle, 1);
		sqlite3_busy_timeout(database.handle, (int)wait_ms);
		status = database_run(&database, settings, error);
	}
	/* If the file has no write permission, SQLite silently opens it for reading. */
	if (status == PMPP_OK && create && sqlite3_db_readonly(database.handle, "main") != 0)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: cannot be written: change its permissions, or use another file", path);
	if (status != PMPP_OK) {
		database_close(&database);
		return status;
	}
	*ret_database = database;
	return PMPP_OK;
}

void database_close(struct database *database)
{
	sqlite3_close(database->handle);
	database->handle = NULL;
}

/* ---- Statements ---------------------------------------------------------------------------- */

enum pmpp_status database_run(struct database *database, const char *sql, struct pmpp_error *error)
{
	return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? PMPP_OK
		       : fail(database, error);
}

enum pmpp_status query_init(struct query *ret_query, struct database *database, const char *sql,
	const char *const *texts, size_t count, struct pmpp_error *error)
{
	struct query query = {0};
	int code = sqlite3_prepare_v2(database->handle, sql, -1, &query.statement, NULL);

	for (size_t i = 0; i < count && code == SQLITE_OK; i++)
		code = sqlite3_bind_text(query.statement, (int)i + 1, texts[i], -1, SQLITE_STATIC);
	if (code != SQLITE_OK) {
		enum pmpp_status status = fail(database, error);
		query_finish(&query);
		return status;
	}
	*ret_query = query;
	return PMPP_OK;
}

enum pmpp_status query_step(
	struct query *query, struct database *database, bool *ret_row, struct pmpp_error *error)
{
	int code = sqlite3_step(query->statement);

	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return fail(database, error);
	*ret_row = code == SQLITE_ROW;
	return PMPP_OK;
}

const char *query_text(const struct query *query, int column)
{
	const char *text = (const char *)sqlite3_column_text(query->statement, column);

	return text ? text : "";
}

void query_finish(struct query *query)
{
	sqlite3_finalize(query->statement);
	query->statement = NULL;
}

/* Runs one statement with the texts as parameters. *ret_changes: number of changed rows; may be NULL. */
static enum pmpp_status change(struct database *database, const char *sql, const char *const *texts,
	size_t count, size_t *ret_changes, struct pmpp_error *error)
{
	struct query query = {0};
	bool row;
	enum pmpp_status status = query_init(&query, database, sql, texts, count, error);

	if (status == PMPP_OK)
		status = query_step(&query, database, &row, error);
	if (status == PMPP_OK && ret_changes)
		*ret_changes = (size_t)sqlite3_changes(database->handle);
	query_finish(&query);
	return status;
}

typedef enum pmpp_status take_text_fn(void *context, const char *text, struct pmpp_error *error);

/* Calls take() with the first column of each row. Stops at the first error. */
static enum pmpp_status each_text(struct database *database, const char *sql,
	const char *const *texts, size_t count, take_text_fn *take, void *context,
	struct pmpp_error *error)
{
	struct query query = {0};
	bool row = false;
	enum pmpp_status status = query_init(&query, database, sql, texts, count, error);

	while (status == PMPP_OK &&
		(status = query_step(&query, database, &row, error)) == PMPP_OK && row)
		status = take(context, query_text(&query, 0), error);
	query_finish(&query);
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

static enum pmpp_status take_integer(void *context, const char *text, struct pmpp_error *error)
{
	(void)error;
	*(long long *)context = strtoll(text, NULL, 10);
	return PMPP_OK;
}

/* Checks that the database is a store. *ret_empty: true if it has no tables yet. */
static enum pmpp_status check_version(
	struct database *database, bool *ret_empty, struct pmpp_error *error)
{
	static const char *const queries[] = {"PRAGMA application_id", "PRAGMA user_version",
		"SELECT count(*) FROM sqlite_master"};
	long long values[ARRAY_COUNT(queries)] = {0};
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < ARRAY_COUNT(queries) && status == PMPP_OK; i++)
		status = each_text(database, queries[i], NULL, 0, take_integer, &values[i], error);
	if (status != PMPP_OK)
		return status;
	if (values[0] != APPLICATION_ID && (values[0] || values[1] || values[2]))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: a database of another program: use another file", database->path);
	if (values[1] > STORE_VERSION)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: store version %lld, newer than %d: update pmpp", database->path,
			values[1], STORE_VERSION);
	*ret_empty = values[2] == 0;
	return PMPP_OK;
}

/* Checks the version. Makes missing tables in the same transaction, because another process may do
 * the same. */
static enum pmpp_status check_store(
	struct database *database, bool create, struct pmpp_error *error)
{
	bool empty = false;
	enum pmpp_status status = database_run(database, "BEGIN", error);

	if (status != PMPP_OK)
		return status;
	status = end_transaction(database, check_version(database, &empty, error), error);
	if (status != PMPP_OK || !empty)
		return status;
	if (!create)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the store is empty: run a variant with --save", database->path);
	status = database_run(database, "BEGIN IMMEDIATE", error);
	if (status != PMPP_OK)
		return status;
	status = check_version(database, &empty, error);
	if (status == PMPP_OK && empty)
		status = database_run(database, schema, error);
	return end_transaction(database, status, error);
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

/* Makes the folder of a file with an absolute path. The folder of a relative path must exist. */
static enum pmpp_status make_folder(const char *path, struct pmpp_error *error)
{
	char *folder = strdup(path);
	enum pmpp_status status = PMPP_OK;

	if (!folder)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the path of the store");
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	if (folder[0] == '/' && !folders_make(folder))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s: cannot be made: %s: set PMPP_STORE to a file in another folder",
			folder, strerror(errno));
	free(folder);
	return status;
}

static enum pmpp_status check_exists(const char *path, struct pmpp_error *error)
{
	if (access(path, F_OK) == 0 || errno != ENOENT)
		return PMPP_OK;
	return PMPP_FAIL(
		error, PMPP_USAGE, "%s: there is no store yet: run a variant with --save", path);
}

static enum pmpp_status open_store(const char *path, bool create, unsigned wait_ms,
	struct store *ret_store, struct pmpp_error *error)
{
	struct store store = {0};
	enum pmpp_status status = create ? make_folder(path, error) : check_exists(path, error);

	if (status == PMPP_OK)
		status = database_open(path, create, wait_ms, &store.database, error);
	if (status == PMPP_OK)
		status = check_store(&store.database, create, error);
	if (status == PMPP_OK)
		*ret_store = store;
	else
		store_close(&store);
	return status;
}

enum pmpp_status store_open(
	const char *path, unsigned wait_ms, struct store *ret_store, struct pmpp_error *error)
{
	return open_store(path, false, wait_ms, ret_store, error);
}

enum pmpp_status store_open_or_create(
	const char *path, unsigned wait_ms, struct store *ret_store, struct pmpp_error *error)
{
	return open_store(path, true, wait_ms, ret_store, error);
}

void store_close(struct store *store)
{
	database_close(&store->database);
}

/* ---- Adding -------------------------------------------------------------------------------- */

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
static enum pmpp_status add_run(struct database *database, const struct result_document *document,
	bool newest, struct pmpp_error *error)
{
	struct head head = {.path = database->path};
	struct result_document copy = *document;
	char *text = NULL;
	enum pmpp_status status = each_text(database, "SELECT head FROM runs WHERE id = ?1",
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
		status = change(database,
			"INSERT INTO runs(id, started_utc, label, head) VALUES(?1, ?2, ?3, ?4)"
			" ON CONFLICT(id) DO UPDATE SET head = excluded.head",
			values, ARRAY_COUNT(values), NULL, error);
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

static struct raw_list rows_of(
	const struct row_table *table, const struct result_document *document)
{
	return raw_list_get((const char *)document + table->list);
}

/* Adds a row, or replaces the stored row if that one has fewer runs. */
static enum pmpp_status add_row(struct database *database, const struct row_table *table,
	const char *run, const void *row, struct row_numbers *numbers, size_t index,
	struct store_counts *counts, struct pmpp_error *error)
{
	const struct row_values values = table->values(row);
	size_t added = 0, completed = 0;
	char again[24], runs[24];
	char *text = NULL;
	enum pmpp_status status = record_write(table->type, row, RECORD_ONE_LINE, &text, error);

	if (index == numbers->count &&
		!(values.identity && row_numbers_add(numbers, values.identity)))
		status = PMPP_FAIL(
			error, PMPP_OUT_OF_MEMORY, "no memory for the identities of rows");
	if (status == PMPP_OK) {
		snprintf(again, sizeof again, "%zu", numbers->items[index].again);
		snprintf(runs, sizeof runs, "%zu", values.runs);
	}
	const char *const texts[] = {run, table->type->name, values.identity, again, text, runs,
		values.family, values.variant, values.backend};
	if (status == PMPP_OK)
		status = change(database,
			"INSERT INTO results(run, kind, identity, again, record, runs, family,"
			" variant, backend) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
			" ON CONFLICT(run, kind, identity, again) DO NOTHING",
			texts, ARRAY_COUNT(texts), &added, error);
	if (status == PMPP_OK && added == 0)
		status = change(database,
			"UPDATE results SET record = ?5, runs = ?6 WHERE run = ?1 AND kind = ?2"
			" AND identity = ?3 AND again = ?4 AND runs < ?6",
			texts, 6, &completed, error);
	free(text);
	free(values.identity);
	counts->added += added;
	counts->completed += completed;
	counts->known += status == PMPP_OK && added + completed == 0;
	return status;
}

/* Adds the run, and its rows from rest->first on. */
static enum pmpp_status add_document(struct database *database,
	const struct result_document *document, bool newest, struct store_rest *rest,
	struct store_counts *counts, struct pmpp_error *error)
{
	enum pmpp_status status = add_run(database, document, newest, error);

	for (size_t t = 0; t < ARRAY_COUNT(tables) && status == PMPP_OK; t++) {
		const struct raw_list rows = rows_of(&tables[t], document);
		for (size_t i = rest->first[t]; i < rows.count && status == PMPP_OK; i++)
			status = add_row(database, &tables[t], document->run.id,
				raw_list_item(tables[t].type, rows, i), &rest->numbers[t], i,
				counts, error);
	}
	return status;
}

void store_rest_finish(struct store_rest *rest)
{
	for (size_t i = 0; i < ARRAY_COUNT(rest->numbers); i++)
		row_numbers_finish(&rest->numbers[i]);
	*rest = (struct store_rest){0};
}

/* Adds documents in one transaction. replace: first removes the rows of their runs. rest: of the only
 * document; NULL: all rows are added. */
static enum pmpp_status add_documents(struct database *database,
	const struct result_document *documents, size_t count, bool replace,
	struct store_rest *rest, struct store_counts *counts, struct pmpp_error *error)
{
	enum pmpp_status status = database_run(database, "BEGIN IMMEDIATE", error);

	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		struct store_rest all = {0};
		if (replace)
			status = change(database, "DELETE FROM results WHERE run = ?1",
				(const char *const[]){documents[i].run.id}, 1, NULL, error);
		if (status == PMPP_OK)
			status = add_document(database, &documents[i], replace || rest,
				rest ? rest : &all, counts, error);
		store_rest_finish(&all);
	}
	return end_transaction(database, status, error);
}

enum pmpp_status store_add(struct store *store, const struct result_document *documents,
	size_t count, const char *origin, struct store_counts *counts, struct pmpp_error *error)
{
	for (size_t i = 0; i < count; i++)
		if (!*text_or_empty(documents[i].run.id))
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s: run.id is empty: set it to a text that no other run has",
				origin);
	return add_documents(&store->database, documents, count, false, NULL, counts, error);
}

enum pmpp_status store_add_rest(struct store *store, const struct result_document *document,
	struct store_rest *rest, struct pmpp_error *error)
{
	struct store_counts counts = {0};
	enum pmpp_status status =
		add_documents(&store->database, document, 1, false, rest, &counts, error);

	for (size_t i = 0; i < ARRAY_COUNT(tables) && status == PMPP_OK; i++)
		rest->first[i] = rows_of(&tables[i], document).count;
	return status;
}

enum pmpp_status store_replace(
	struct store *store, const struct result_document *document, struct pmpp_error *error)
{
	struct store_counts counts = {0};

	return add_documents(&store->database, document, 1, true, NULL, &counts, error);
}

enum pmpp_status store_remove(struct store *store, const char *run, struct pmpp_error *error)
{
	static const char *const statements[] = {
		"DELETE FROM results WHERE run = ?1", "DELETE FROM runs WHERE id = ?1"};
	enum pmpp_status status = database_run(&store->database, "BEGIN IMMEDIATE", error);

	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < ARRAY_COUNT(statements) && status == PMPP_OK; i++)
		status = change(&store->database, statements[i], &run, 1, NULL, error);
	return end_transaction(&store->database, status, error);
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
	struct database *database;
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
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a %s", type->name);
	record_finish(type, added);
	enum pmpp_status status =
		record_read(type, text, strlen(text), selection->database->path, added, error);
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
		selection->database->path, &document, error);

	if (status != PMPP_OK)
		return status;
	selection->document = &document;
	for (size_t i = 0; i < ARRAY_COUNT(tables) && status == PMPP_OK; i++) {
		const char *const values[] = {document.run.id, tables[i].type->name, filter->family,
			filter->variant, filter->backend};
		selection->table = &tables[i];
		status = each_text(selection->database,
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
	struct selection selection = {&store->database, filter, take, context, NULL, NULL};
	const char *const values[] = {filter->label};
	/* One transaction, so that all reads see the same state of the store. */
	enum pmpp_status status = database_run(&store->database, "BEGIN", error);

	if (status != PMPP_OK)
		return status;
	status = each_text(&store->database,
		"SELECT head FROM runs WHERE ?1 IS NULL OR label = ?1 ORDER BY started_utc, id",
		values, ARRAY_COUNT(values), take_run, &selection, error);
	return end_transaction(&store->database, status, error);
}
