/*
 * SQLite databases. This module is the only code that uses the SQLite library.
 *
 * A database has a rollback journal. A write-ahead log needs memory that the processes of one
 * machine share, so it does not work on network file systems. Each change is a transaction. If a
 * process is killed or the power fails, the next process that opens the database restores the state
 * before the unfinished transaction.
 *
 * Do not keep a database open across fork(): SQLite forbids its use in the child.
 *
 * Errors are one line with the path. PMPP_USAGE: the file is not a database, is damaged, has other
 * tables, cannot be opened or cannot be written. PMPP_IO: the disk is full, the file system fails
 * or has no locks, or another process used the database for longer than wait_ms.
 * PMPP_OUT_OF_MEMORY: there is no memory.
 */
#ifndef PMPP_HOST_RECORD_DATABASE_H
#define PMPP_HOST_RECORD_DATABASE_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct database {
	struct sqlite3 *handle; /* owned */
	const char *path;       /* not owned */
	unsigned wait_ms;
};

/* A statement in execution. Zero-initialise. */
struct query {
	struct sqlite3_stmt *statement; /* owned */
};

/* Opens a regular file. create = true: makes the file if it is missing; fails if the file cannot be
 * written. create = false: a missing file is PMPP_USAGE. wait_ms: maximum time to wait for other
 * processes. */
enum pmpp_status database_open(const char *path, bool create, unsigned wait_ms,
	struct database *ret_database, struct pmpp_error *error);

/* Closes the database. Drops the changes of an unfinished transaction. Does nothing if all members
 * are zero. */
void database_close(struct database *database);

/* Runs statements that have no parameters and no results. */
enum pmpp_status database_run(struct database *database, const char *sql, struct pmpp_error *error);

/* Returns the first value of the first row of a statement. */
enum pmpp_status database_integer(
	struct database *database, const char *sql, int64_t *ret_value, struct pmpp_error *error);

/* Prepares one statement. texts: values of its parameters ?1, ?2, ...; NULL means null. The texts
 * must stay valid until query_finish(), which the caller must call. */
enum pmpp_status query_init(struct query *ret_query, struct database *database, const char *sql,
	const char *const *texts, size_t count, struct pmpp_error *error);

/* Reads the next row. *ret_row: true if there is a row. */
enum pmpp_status query_step(
	struct query *query, struct database *database, bool *ret_row, struct pmpp_error *error);

/* Returns a value of the row, "" for null. It is valid until the next step. */
const char *query_text(const struct query *query, int column);

void query_finish(struct query *query);

/* Runs one statement with the texts as parameters. *ret_changes: number of changed rows;
 * ret_changes may be NULL. */
enum pmpp_status database_change(struct database *database, const char *sql,
	const char *const *texts, size_t count, size_t *ret_changes, struct pmpp_error *error);

#endif
