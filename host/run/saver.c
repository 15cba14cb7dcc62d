#include "host/run/saver.h"

#include <stdio.h>
#include <string.h>

#define WAIT_MS 5000

enum pmpp_status saver_init(struct saver *ret_saver, struct pmpp_error *error)
{
	struct saver saver = {.active = true};
	struct store store = {0};
	enum pmpp_status status = store_default_path(saver.path, error);

	if (status == PMPP_OK)
		status = store_open_or_create(saver.path, STORE_WAIT_MS, &store, error);
	store_close(&store);
	if (status == PMPP_OK)
		*ret_saver = saver;
	return status;
}

static size_t count_left(const struct saver *saver, const struct result_document *document)
{
	return document->results.count - saver->rest.first[0] + document->parity.count -
	       saver->rest.first[1];
}

static enum pmpp_status save(struct saver *saver, const struct result_document *document,
	unsigned wait_ms, struct pmpp_error *error)
{
	struct store store = {0};
	enum pmpp_status status = store_open_or_create(saver->path, wait_ms, &store, error);

	if (status == PMPP_OK)
		status = saver->replaces ? store_replace(&store, document, error)
					 : store_add_rest(&store, document, &saver->rest, error);
	store_close(&store);
	return status;
}

static void note_path(struct saver *saver, struct terminal *terminal)
{
	char text[STORE_PATH_BYTES + 40];

	snprintf(text, sizeof text, "results are saved in %s", saver->path);
	terminal_note(terminal, text);
	saver->noted = true;
}

/* Saves, and prints the first error as a warning. */
static enum pmpp_status save_now(
	struct saver *saver, const struct result_document *document, struct terminal *terminal)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	enum pmpp_status status = save(saver, document, WAIT_MS, &error);
	if (status == PMPP_OK && !saver->noted)
		note_path(saver, terminal);
	if (status != PMPP_OK && !saver->warned) {
		pmpp_error_prefix(&error, "not saved yet");
		terminal_warn(terminal, error.message);
		saver->warned = true;
	}
	pmpp_error_clear(&error);
	return status;
}

void saver_add(
	struct saver *saver, const struct result_document *document, struct terminal *terminal)
{
	if (saver && saver->active && !saver->replaces && count_left(saver, document))
		save_now(saver, document, terminal);
}

void saver_interim(
	struct saver *saver, const struct result_document *document, struct terminal *terminal)
{
	if (!saver || !saver->active)
		return;
	saver->replaces = true;
	if (save_now(saver, document, terminal) == PMPP_OK)
		saver->interim_rows = document->results.count + document->parity.count;
}

enum pmpp_status saver_end(
	struct saver *saver, const struct result_document *document, struct pmpp_error *error)
{
	bool active = saver && saver->active;
	size_t left = active ? count_left(saver, document) : 0;
	/* The store has the run as it was before the interruption. */
	bool ended = active && document->run.interrupted && document->results.count;
	enum pmpp_status status =
		left || ended ? save(saver, document, STORE_WAIT_MS, error) : PMPP_OK;

	if (status == PMPP_OK)
		return PMPP_OK;
	size_t count = document->results.count + document->parity.count;
	if (saver->interim_rows)
		pmpp_error_prefix(error,
			"the last runs are not saved; the store has an earlier state of %zu of %zu "
			"rows",
			saver->interim_rows, count);
	else
		pmpp_error_prefix(error, "%zu of %zu rows are not saved", left, count);
	/* The command line was right: the store changed while the job ran. */
	if (status == PMPP_USAGE)
		error->status = status = PMPP_IO;
	return status;
}
