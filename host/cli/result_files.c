#include "host/cli/result_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/nearest.h"
#include "host/contribute/contribute.h"
#include "host/record/shipped.h"
#include "host/record/store.h"
#include "host/run/targets.h"

/* The name of a run in a file that has several runs. */
static const char *run_name(const struct run_record *run)
{
	return run->label && *run->label ? run->label : run->started_utc;
}

static enum pmpp_status no_memory(const char *path, struct pmpp_error *error)
{
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for the file", path);
}

enum pmpp_status result_files_add(struct result_files *files, const char *path,
	struct result_document *document, struct pmpp_error *error)
{
	struct compared_file *file = array_add(files, sizeof *file);

	if (!file)
		return no_memory(path, error);
	file->path = path;
	record_move(&result_document_type, document, &file->document);
	return PMPP_OK;
}

/* Appends the runs of a file. An export of the store may have runs that have no rows of `run`. */
static enum pmpp_status add_runs(struct result_files *files, const char *path,
	struct store_document *file, struct pmpp_error *error)
{
	size_t count = file->documents.count;
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < count && status == PMPP_OK; i++) {
		if (count > 1 && file->documents.items[i].results.count == 0)
			continue;
		status = result_files_add(files, path, &file->documents.items[i], error);
		if (count > 1 && status == PMPP_OK) {
			struct compared_file *added = &files->items[files->count - 1];
			added->name = run_name(&added->document.run);
		}
	}
	return status;
}

static enum pmpp_status add_explanation(struct result_files *files, const char *path,
	struct explain_document *document, struct pmpp_error *error)
{
	struct explain_document *added =
		record_list_add(&explain_document_type, &files->explanations);

	if (!added)
		return no_memory(path, error);
	record_move(&explain_document_type, document, added);
	return PMPP_OK;
}

static bool is_shipped(const char *word)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct shipped_list list = {0};
	bool found = false;

	if (shipped_find(&list, &ignored) == PMPP_OK)
		found = text_list_has(&list.names, word);
	shipped_finish(&list);
	return found;
}

/* Families and shipped devices are no files. */
static enum pmpp_status check_word(const char *word, struct pmpp_error *error)
{
	if (access(word, F_OK) == 0)
		return PMPP_OK;
	if (targets_begin_with(word))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s is a family%s, not a file: `pmpp-run run %s --json=FILE` makes a file",
			word, strchr(word, '/') ? " or a variant" : "", word);
	if (is_shipped(word))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s is a device that ships with pmpp, not a file: give --with=%s", word,
			word);
	return PMPP_OK;
}

static enum pmpp_status load_file(struct result_files *files, const char *path,
	bool with_explanations, struct pmpp_error *error)
{
	struct store_document file;
	struct explain_document explanation;
	const struct document_kind other = {&explain_document_type, EXPLAIN_SCHEMA, &explanation};
	size_t before = files->count;
	bool is_explanation = false;
	enum pmpp_status status = check_word(path, error);

	if (status == PMPP_OK)
		status = store_file_load(path, &other, &file, &is_explanation, error);
	if (status != PMPP_OK)
		return status;
	if (is_explanation) {
		status = with_explanations
				 ? add_explanation(files, path, &explanation, error)
				 : PMPP_FAIL(error, PMPP_USAGE,
					   "%s is an explanation: give a file of `run --json`",
					   path);
		record_finish(&explain_document_type, &explanation);
		return status;
	}
	status = add_runs(files, path, &file, error);
	if (status == PMPP_OK && files->count == before)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s has no results: give a file of `run --json` or `store export`", path);
	record_finish(&store_document_type, &file);
	return status;
}

enum pmpp_status result_files_load(const char *const *paths, size_t count, bool with_explanations,
	struct result_files *files, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		status = load_file(files, paths[i], with_explanations, error);
	return status;
}

void result_files_finish(struct result_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		record_finish(&result_document_type, &files->items[i].document);
	record_list_clear(&explain_document_type, &files->explanations);
	free(files->items);
	text_list_finish(&files->shipped);
	*files = (struct result_files){0};
}

/* ---- Devices that ship with the program ------------------------------------------------------ */

static enum pmpp_status add_name(const struct shipped_list *list, const char *option,
	const char *with, const char *name, struct text_list *names, struct pmpp_error *error)
{
	const char *const *items = (const char *const *)list->names.items;
	char hint[NAMES_TEXT_BYTES], all[NAMES_TEXT_BYTES];

	if (text_list_has(names, name))
		return PMPP_OK;
	if (text_list_has(&list->names, name))
		return text_list_add(names, name) ? PMPP_OK
						  : PMPP_NO_MEMORY(error, "the shipped devices");
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s=%.80s: no device '%.40s' ships with pmpp%s: give all, or some of %s (folder %s)",
		option, with, name, nearest_hint(name, items, list->names.count, hint),
		names_text(items, list->names.count, all), list->folder);
}

/* Parses names separated by commas, or "all". Adds each name once. PMPP_USAGE: unknown name; the message lists
 * the names. */
static enum pmpp_status choose(const struct shipped_list *list, const char *option,
	const char *with, struct text_list *ret_names, struct pmpp_error *error)
{
	struct text_list names = {0};
	enum pmpp_status status = PMPP_OK;

	if (list->names.count == 0)
		return PMPP_FAIL(error, PMPP_USAGE, "%s=%.80s: %s has no result file", option, with,
			list->folder);
	if (strcmp(with, "all") == 0)
		for (size_t i = 0; i < list->names.count && status == PMPP_OK; i++)
			status = add_name(list, option, with, list->names.items[i], &names, error);
	else
		for (const char *next = with; status == PMPP_OK; next++) {
			char name[NAME_MAX + 1];
			size_t length = strcspn(next, ",");
			snprintf(name, sizeof name, "%.*s", (int)length, next);
			status = add_name(list, option, with, name, &names, error);
			next += length;
			if (*next == '\0')
				break;
		}
	if (status == PMPP_OK)
		*ret_names = names;
	else
		text_list_finish(&names);
	return status;
}

static enum pmpp_status load_apart(const struct shipped_list *devices, const char *name,
	struct result_files *files, struct pmpp_error *error)
{
	size_t first = files->count;
	char *path = shipped_path(devices, name);
	bool added = path && text_list_add(&files->shipped, path);

	free(path);
	if (!added)
		return no_memory(name, error);
	const char *const *last =
		(const char *const *)&files->shipped.items[files->shipped.count - 1];
	enum pmpp_status status = result_files_load(last, 1, false, files, error);
	for (size_t i = first; i < files->count && status == PMPP_OK; i++) {
		files->items[i].shipped = true;
		if (!contribution_set_apart(&files->items[i].document, name))
			status = no_memory(name, error);
	}
	return status;
}

enum pmpp_status result_files_load_shipped(
	const char *option, const char *with, struct result_files *files, struct pmpp_error *error)
{
	struct shipped_list devices = {0};
	struct text_list names = {0};
	enum pmpp_status status = with ? shipped_find(&devices, error) : PMPP_OK;

	if (with && status == PMPP_OK)
		status = choose(&devices, option, with, &names, error);
	for (size_t i = 0; i < names.count && status == PMPP_OK; i++)
		status = load_apart(&devices, names.items[i], files, error);
	text_list_finish(&names);
	shipped_finish(&devices);
	return status;
}
