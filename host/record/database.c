#include "host/record/database.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- Open and close ------------------------------------------------------------------------ */

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

enum pmpp_status database_change(struct database *database, const char *sql,
	const char *const *texts, size_t count, size_t *ret_changes, struct pmpp_error *error)
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

enum pmpp_status database_integer(
	struct database *database, const char *sql, int64_t *ret_value, struct pmpp_error *error)
{
	struct query query = {0};
	bool row = false;
	enum pmpp_status status = query_init(&query, database, sql, NULL, 0, error);

	if (status == PMPP_OK)
		status = query_step(&query, database, &row, error);
	if (status == PMPP_OK)
		*ret_value = row ? sqlite3_column_int64(query.statement, 0) : 0;
	query_finish(&query);
	return status;
}
