/* Makes, opens and closes a store. */
#include "host/record/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/io/folders.h"

/* ---- Schema -------------------------------------------------------------------------------- */

/* PRAGMA application_id: "pmpp". */
#define APPLICATION_ID 1886220400
/* PRAGMA user_version. */
#define STORE_VERSION 1

static const char schema[] =
	"PRAGMA application_id = 1886220400;"
	"PRAGMA user_version = 1;"
	/* Column `head`: the document without devices and rows. */
	"CREATE TABLE runs(id TEXT PRIMARY KEY NOT NULL, started_utc TEXT NOT NULL, label TEXT,"
	" head TEXT NOT NULL);"
	"CREATE TABLE devices(run TEXT NOT NULL, key TEXT NOT NULL, record TEXT NOT NULL,"
	" PRIMARY KEY(run, key));"
	"CREATE TABLE results(number INTEGER PRIMARY KEY, run TEXT NOT NULL,"
	" identity TEXT NOT NULL, again INTEGER NOT NULL, family TEXT NOT NULL,"
	" variant TEXT NOT NULL, backend TEXT NOT NULL, record TEXT NOT NULL,"
	" UNIQUE(run, identity, again));"
	"CREATE TABLE parity(number INTEGER PRIMARY KEY, run TEXT NOT NULL,"
	" identity TEXT NOT NULL, again INTEGER NOT NULL, family TEXT NOT NULL,"
	" variant TEXT NOT NULL, record TEXT NOT NULL,"
	" UNIQUE(run, identity, again))";

/* Checks that the database is a store. *ret_empty: true if it has no tables yet. */
static enum pmpp_status check_version(
	struct database *database, bool *ret_empty, struct pmpp_error *error)
{
	int64_t application = 0;
	int64_t version = 0;
	int64_t tables = 0;
	enum pmpp_status status =
		database_integer(database, "PRAGMA application_id", &application, error);

	if (status == PMPP_OK)
		status = database_integer(database, "PRAGMA user_version", &version, error);
	if (status == PMPP_OK)
		status = database_integer(
			database, "SELECT count(*) FROM sqlite_master", &tables, error);
	if (status != PMPP_OK)
		return status;
	if (application != APPLICATION_ID && (application || version || tables))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: a database of another program: use another file", database->path);
	if (version > STORE_VERSION)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: store version %lld, newer than %d: update pmpp", database->path,
			(long long)version, STORE_VERSION);
	*ret_empty = tables == 0;
	return PMPP_OK;
}

/* Checks the version and makes the tables in one transaction, because another process may do the
 * same. */
static enum pmpp_status check_store(
	struct database *database, bool *ret_empty, struct pmpp_error *error)
{
	enum pmpp_status status = database_run(database, "BEGIN", error);

	if (status == PMPP_OK)
		status = check_version(database, ret_empty, error);
	return status == PMPP_OK ? database_run(database, "COMMIT", error) : status;
}

static enum pmpp_status make_tables(struct database *database, struct pmpp_error *error)
{
	bool empty = false;
	enum pmpp_status status = database_run(database, "BEGIN IMMEDIATE", error);

	if (status == PMPP_OK)
		status = check_version(database, &empty, error);
	if (status == PMPP_OK && empty)
		status = database_run(database, schema, error);
	return status == PMPP_OK ? database_run(database, "COMMIT", error) : status;
}

/* ---- Open and close ------------------------------------------------------------------------ */

enum pmpp_status store_default_path(char ret_path[STORE_PATH_BYTES], struct pmpp_error *error)
{
	const char *named = getenv("PMPP_STORE");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	char path[STORE_PATH_BYTES];
	int length = 0;

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
	bool empty = false;
	enum pmpp_status status = create ? make_folder(path, error) : check_exists(path, error);

	if (status == PMPP_OK)
		status = database_open(path, create, wait_ms, &store.database, error);
	if (status == PMPP_OK)
		status = check_store(&store.database, &empty, error);
	if (status == PMPP_OK && empty)
		status =
			create ? make_tables(&store.database, error)
			       : PMPP_FAIL(error, PMPP_USAGE,
					 "%s: the store is empty: run a variant with --save", path);
	if (status != PMPP_OK) {
		store_close(&store);
		return status;
	}
	*ret_store = store;
	return PMPP_OK;
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
