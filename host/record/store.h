/*
 * The store: the results of many runs in one SQLite database. store.c is the only code that uses the
 * SQLite library. A run has its document without rows (tool, run, host, devices), and its rows, each
 * as JSON text with all members, unknown ones included.
 *
 * A row is stored once: the key is run.id, the identity of the row (host/record/identity.h), and
 * the number of earlier rows of the run with the same identity. A run has several such rows only if
 * a size is given twice. With --repeat a row grows from run to run: the same row with more
 * repetitions.runs replaces the stored one, and one with as many or fewer does not.
 *
 * Any number of processes may use one store at a time. Each change is one transaction: a killed
 * process leaves all rows whose store_add() has returned, and nothing of a later one. The next
 * process that opens the database restores the state before an unfinished transaction, also after a
 * power failure. The database has a rollback journal. A write-ahead log needs memory that the
 * processes of one machine share, so it does not work on network file systems.
 *
 * Do not keep a store open across fork(): SQLite forbids its use in the child.
 *
 * Errors are one line with the path. PMPP_USAGE: the file is not a store, is of a newer version, is
 * damaged, cannot be opened or cannot be written. PMPP_IO: the disk is full, the file system fails
 * or has no locks, or another process used the store for longer than wait_ms. PMPP_OUT_OF_MEMORY:
 * there is no memory.
 */
#ifndef PMPP_HOST_RECORD_STORE_H
#define PMPP_HOST_RECORD_STORE_H

#include "host/record/document.h"
#include "host/record/result.h"

/* ---- Stores -------------------------------------------------------------------------------- */

#define STORE_PATH_BYTES 4096

/* Gets the path of the default store: $PMPP_STORE, else $XDG_DATA_HOME/pmpp/results.db, else
 * ~/.local/share/pmpp/results.db. PMPP_USAGE: no variable has the absolute path of a folder. */
enum pmpp_status store_default_path(char ret_path[STORE_PATH_BYTES], struct pmpp_error *error);

/* Maximum time to wait for other processes, in ms. */
#define STORE_WAIT_MS 10000

struct store {
	struct sqlite3 *handle; /* owned */
	const char *path;       /* not owned */
	unsigned wait_ms;
};

/* Opens a store for reading and writing. The text of path must not change while the store is open.
 * create: makes the file, and its folder with mode 0700, if they are missing. wait_ms: maximum time to
 * wait for other processes. */
enum pmpp_status store_open(const char *path, bool create, unsigned wait_ms,
	struct store *ret_store, struct pmpp_error *error);

/* Does nothing for a store that is not open (all zeros). */
void store_close(struct store *store);

/* ---- Adding -------------------------------------------------------------------------------- */

struct store_counts {
	size_t added;     /* result rows and parity rows that are new */
	size_t known;     /* rows that the store has already; not changed */
	size_t completed; /* stored rows that a row with more runs replaced */
};

/* Adds documents in one transaction. Adds the numbers of rows to *counts, which is undefined after
 * an error. If the store has a device of the run already, adds its missing views. PMPP_USAGE: a
 * document has no run.id; origin: name of the documents in this message. */
enum pmpp_status store_add(struct store *store, const struct result_document *documents,
	size_t count, const char *origin, struct store_counts *counts, struct pmpp_error *error);

/* Rows of a document that are not in the store yet: from first[0] on in results, from first[1] on
 * in parity. All zeros: all rows. */
struct store_rest {
	size_t first[2];
	bool replaces; /* every call replaces all rows of the run. `first` stays 0 */
};

/* Adds the rest of a document that is in progress. Its earlier rows are in the store. Sets *rest to
 * the end of the document; does not change it after an error. The next call must pass the same
 * document with more rows. */
enum pmpp_status store_add_rest(struct store *store, const struct result_document *document,
	struct store_rest *rest, struct pmpp_error *error);

/* Removes a run, its devices and its rows, in one transaction. */
enum pmpp_status store_remove(struct store *store, const char *run, struct pmpp_error *error);

/* ---- Reading ------------------------------------------------------------------------------- */

/* Selects rows. NULL: any value. */
struct store_filter {
	const char *family, *variant, *backend, *label; /* must be equal */
	const char *device; /* type of the device, or a part of its key or name (any case) */
};

/* Receives one document. It may move records out of the document; the caller finishes the
 * document. */
typedef enum pmpp_status store_document_fn(
	void *context, struct result_document *document, struct pmpp_error *error);

/* Calls take() for each run that has selected rows, in order of run.started_utc. The document has
 * these rows in the order of their addition, and all devices of the run. If filter->backend is set,
 * no parity rows are selected, because they have no backend. Stops at the first error. */
enum pmpp_status store_each(struct store *store, const struct store_filter *filter,
	store_document_fn *take, void *context, struct pmpp_error *error);

/* ---- Files of many runs -------------------------------------------------------------------- */

/* `store export` writes such a file, `store import` reads it. */
#define RECORDS "host/record/store.def"
#include "common/records.inc"

#define STORE_SCHEMA "pmpp-store/1"

/* Reads a result file, a file of many runs, or a file of one other kind (NULL: none). Initialises
 * *ret_document. For the other kind: *ret_is_other is true, other->ret_record is filled, and
 * *ret_document is untouched. Errors: as document_load(). */
enum pmpp_status store_file_load(const char *path, const struct document_kind *other,
	struct store_document *ret_document, bool *ret_is_other, struct pmpp_error *error);

#endif
