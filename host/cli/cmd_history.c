#include "host/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/cli/stored.h"
#include "host/compare/history.h"
#include "host/record/document.h"
#include "host/record/provenance.h"
#include "host/report/history_text.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

struct chosen {
	const struct size_list *sizes; /* none: any size */
	struct history_document history;
};

/* ---- Sizes --------------------------------------------------------------------------------- */

static bool has_dims(const struct result_row *row, const struct family *family, const int64_t *dims)
{
	for (size_t i = 0; i < family->dim_count; i++)
		if (named_list_get(&row->problem, family->dim_names[i], -1) != dims[i])
			return false;
	return true;
}

/* Sets *ret_keep if the row has one of the sizes. */
static enum pmpp_status has_size(const struct size_list *sizes, const struct result_row *row,
	bool *ret_keep, struct pmpp_error *error)
{
	const struct family *family = family_find(row->family);
	int64_t dims[PMPP_MAX_DIMS];
	enum pmpp_status status = PMPP_OK;
	bool keep = sizes->count == 0;

	if (!keep && !family)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size: the sizes of %s are unknown to this version: leave out --size",
			row->family);
	for (size_t i = 0; i < sizes->count && status == PMPP_OK && !keep; i++) {
		status = size_dims(&sizes->items[i], family, dims, error);
		keep = status == PMPP_OK && has_dims(row, family, dims);
	}
	*ret_keep = keep;
	return status;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static enum pmpp_status take_document(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	struct chosen *chosen = context;
	struct result_row_list *results = &document->results;
	enum pmpp_status status = PMPP_OK;
	size_t kept = 0;

	for (size_t i = 0; i < results->count; i++) {
		bool keep = false;
		if (status == PMPP_OK)
			status = has_size(chosen->sizes, &results->items[i], &keep, error);
		if (!keep)
			record_finish(&result_row_type, &results->items[i]);
		else if (kept++ < i)
			record_move(
				&result_row_type, &results->items[i], &results->items[kept - 1]);
	}
	results->count = kept;
	return status == PMPP_OK ? history_add(&chosen->history, document, error) : status;
}

/* A name is wrong only if nothing is stored: a variant of a newer version may be in the store. */
static enum pmpp_status check_name(const char *word, struct pmpp_error *error)
{
	struct target_list targets = {0};
	enum pmpp_status status = targets_parse(&word, 1, &targets, error);

	targets_finish(&targets);
	return status;
}

static enum pmpp_status nothing_stored(const char *word, const struct store_filter *filter,
	bool sized, const char *path, struct pmpp_error *error)
{
	char options[200];

	stored_filter_text(filter, options, sizeof options);
	if (sized || *options)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s has no results of %s%s%s: `pmpp-run history %s` shows its other results",
			path, word, options, sized ? " at this --size" : "", word);
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s has no results of %s: `pmpp-run %s --save` adds one", path, word, word);
}

/* word: FAMILY/VARIANT */
static enum pmpp_status choose(const char *word, const struct cli_options *options,
	struct chosen *chosen, struct pmpp_error *error)
{
	struct pmpp_error unknown = PMPP_ERROR_INIT;
	struct store_filter filter = stored_filter(options);
	char path[STORE_PATH_BYTES];

	filter.family = chosen->history.family;
	filter.variant = chosen->history.variant;
	enum pmpp_status status = stored_each(&filter, take_document, chosen, path, error);
	if (status == PMPP_OK && chosen->history.series.count == 0)
		status = nothing_stored(word, &filter, options->job.sizes.count > 0, path, error);
	if (status != PMPP_OK && check_name(word, &unknown) != PMPP_OK) {
		pmpp_error_move(error, &unknown);
		status = PMPP_USAGE;
	}
	pmpp_error_clear(&unknown);
	return status == PMPP_OK ? history_find_changes(&chosen->history, error) : status;
}

/* ---- Command ------------------------------------------------------------------------------- */

static enum pmpp_status put_history(const struct cli_options *options,
	const struct history_document *history, struct pmpp_error *error)
{
	bool stdout_taken = options->json && strcmp(options->json, "-") == 0;
	const struct page_style style = {
		.colour = terminal_wants_colour(options->terminal.colour, stdout),
		.width = terminal_width(stdout)};
	struct wrap wrap;

	if (!stdout_taken && !options->terminal.quiet) {
		history_text_put(wrap_begin(&wrap, stdout, style.width), history, &style,
			terminal_is_unicode());
		wrap_end(&wrap);
	}
	return options->json ? document_save(&history_document_type, history, options->json, error)
			     : PMPP_OK;
}

enum pmpp_status cmd_history(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const char *word = options->arguments[0];
	const char *slash = strchr(word, '/');
	struct chosen chosen = {.sizes = &options->job.sizes};
	char family[64];
	enum pmpp_status status =
		options->json ? document_check_path(options->json, error) : PMPP_OK;

	if (status == PMPP_OK)
		status = stored_check_output(options->json, error);

	*ret_exit = EXIT_CODE_OK;
	if (status == PMPP_OK && (!slash || !slash[1] || slash == word))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"history: '%s' is not FAMILY/VARIANT: give one of `pmpp-run list`, for "
			"example matmul/tiled32",
			word);
	if (status != PMPP_OK)
		return status;
	snprintf(family, sizeof family, "%.*s", (int)(slash - word), word);
	history_init(&chosen.history, family, slash + 1);
	tool_record_set(&chosen.history.tool, options->argc, options->argv);
	status = choose(word, options, &chosen, error);
	if (status == PMPP_OK)
		status = put_history(options, &chosen.history, error);
	record_finish(&history_document_type, &chosen.history);
	return status;
}
