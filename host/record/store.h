/*
 * The store: the results of many runs in one database (host/record/database.h). A run has its
 * document without rows (tool, run, host), its devices, and its rows, each as JSON text with all
 * members, unknown ones included.
 *
 * A row is stored once: the key is run.id, the identity of the row (host/record/identity.h), and
 * the number of earlier rows of the run with the same identity. A run has several such rows only if
 * a size is given twice. With --repeat a row grows from run to run: the same row with more
 * repetitions.runs replaces the stored one, and one with as many or fewer does not.
 *
 * Any number of processes may use one store at a time. Each change is one transaction: a killed
 * process leaves all rows whose store_add() has returned, and nothing of a later one.
 *
 * Errors: as in host/record/database.h, and PMPP_USAGE for a database of another program or of a
 * newer version.
 */
#ifndef PMPP_HOST_RECORD_STORE_H
#define PMPP_HOST_RECORD_STORE_H

#include "host/record/database.h"
#include "host/record/result.h"
#include "host/record/row_numbers.h"

#define STORE_PATH_BYTES 4096

/* The default store: $PMPP_STORE, else $XDG_DATA_HOME/pmpp/results.db, else
 * ~/.local/share/pmpp/results.db. PMPP_USAGE if no variable names an absolute folder. */
enum pmpp_status store_default_path(char ret_path[STORE_PATH_BYTES], struct pmpp_error *error);

/* The longest wait for other processes, in ms. */
#define STORE_WAIT_MS 10000

struct store {
	struct database database; /* owned */
};

/* Opens a store for reading and writing. The text of path must stay unchanged while the store is
 * open. The second function makes the file, and its folder with mode 0700, if they are missing.
 * wait_ms: the longest wait for other processes. */
enum pmpp_status store_open(
	const char *path, unsigned wait_ms, struct store *ret_store, struct pmpp_error *error);
enum pmpp_status store_open_or_create(
	const char *path, unsigned wait_ms, struct store *ret_store, struct pmpp_error *error);

/* A store that is not open (zeros) is allowed. */
void store_close(struct store *store);

/* ---- Adding -------------------------------------------------------------------------------- */

struct store_counts {
	size_t added;     /* result rows and parity rows that are new */
	size_t known;     /* rows that the store has already; they stay as they are */
	size_t completed; /* stored rows that were replaced, because the new row has more runs */
};

/* Adds documents in one transaction. *counts is increased; it is undefined after an error. A device
 * that the store has for this run gets the views that it lacks. PMPP_USAGE if a document has no
 * run.id; origin names the documents in this message. */
enum pmpp_status store_add(struct store *store, const struct result_document *documents,
	size_t count, const char *origin, struct store_counts *counts, struct pmpp_error *error);

/* The rows of a document from these indices on: result rows, parity rows. Zeros: all rows. */
struct store_rest {
	size_t first[2];
	struct row_numbers numbers[2]; /* of the rows so far; store_rest_finish() */
};

/* Adds the rest of a document that is in progress: earlier rows are in the store. *rest is then the
 * end of the document; it is unchanged after an error. The next call must have the same document,
 * with more rows. */
enum pmpp_status store_add_rest(struct store *store, const struct result_document *document,
	struct store_rest *rest, struct pmpp_error *error);

void store_rest_finish(struct store_rest *rest);

/* Replaces all rows of the document's run in one transaction. */
enum pmpp_status store_replace(
	struct store *store, const struct result_document *document, struct pmpp_error *error);

/* ---- Reading ------------------------------------------------------------------------------- */

/* Which rows are chosen. NULL: any. */
struct store_filter {
	const char *family, *variant, *backend, *label; /* equal */
	const char *device; /* the type of the device, or a part of its key or name (any case) */
};

/* The function may move records out of the document, which is finished afterwards. */
typedef enum pmpp_status store_document_fn(
	void *context, struct result_document *document, struct pmpp_error *error);

/* Calls take() for each run that has rows of the filter: one document with these rows and all
 * devices of the run, in order of run.started_utc, rows in the order in which they were added.
 * Parity rows have no backend: with filter->backend there are none. Stops at the first error. */
enum pmpp_status store_each(struct store *store, const struct store_filter *filter,
	store_document_fn *take, void *context, struct pmpp_error *error);

#endif
