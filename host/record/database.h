/*
 * SQLite databases. This module is the only code that uses the SQLite library.
 *
 * A database has a rollback journal and not a write-ahead log: a write-ahead log needs memory that
 * processes of one machine share, so it does not work on network file systems. Each change is a
 * transaction. A process may be killed, or the power may fail, at any moment: the next process that
 * opens the database restores the state before the unfinished transaction.
 *
 * Do not keep a database open across fork(): SQLite forbids its use in the child.
 *
 * Errors are one line with the path. PMPP_USAGE: the file is not a database, is damaged, has
 * other tables, cannot be opened or cannot be written. PMPP_IO: the disk is full, the file system
 * fails or has no locks, or another process uses the database for longer than wait_ms.
 * PMPP_OUT_OF_MEMORY.
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

/* Opens a regular file. create: makes the file if it is missing, and requires that it can be
 * written. Without create a missing file is PMPP_USAGE. wait_ms: the longest wait for other
 * processes. */
enum pmpp_status database_open(const char *path, bool create, unsigned wait_ms,
	struct database *ret_database, struct pmpp_error *error);

/* Ends the transaction in progress without its changes. Does nothing for a database of zeros. */
void database_close(struct database *database);

/* Runs statements without parameters and results. */
enum pmpp_status database_run(struct database *database, const char *sql, struct pmpp_error *error);

/* The first value of a statement's first row. */
enum pmpp_status database_integer(
	struct database *database, const char *sql, int64_t *ret_value, struct pmpp_error *error);

/* Prepares one statement with the texts (NULL: null) for its parameters ?1, ?2, ... The texts must
 * outlive the query. Call query_finish() afterwards. */
enum pmpp_status query_init(struct query *ret_query, struct database *database, const char *sql,
	const char *const *texts, size_t count, struct pmpp_error *error);

/* Takes the next row. *ret_row: whether there is a row. */
enum pmpp_status query_step(
	struct query *query, struct database *database, bool *ret_row, struct pmpp_error *error);

/* A value of the row: valid until the next step; "" for null. */
const char *query_text(const struct query *query, int column);

void query_finish(struct query *query);

/* Runs one statement with texts. ret_changes: rows that it changed; NULL is allowed. */
enum pmpp_status database_change(struct database *database, const char *sql,
	const char *const *texts, size_t count, size_t *ret_changes, struct pmpp_error *error);

#endif
