#include "host/cli/result_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/family.h"
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
	struct compared_file *larger = array_resize(files->items, files->count + 1, sizeof *larger);

	if (!larger)
		return no_memory(path, error);
	files->items = larger;
	larger[files->count] = (struct compared_file){.path = path};
	record_move(&result_document_type, document, &larger[files->count++].document);
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
	struct explain_document *larger =
		array_resize(files->explanations, files->explanation_count + 1, sizeof *larger);

	if (!larger)
		return no_memory(path, error);
	files->explanations = larger;
	record_move(&explain_document_type, document, &larger[files->explanation_count++]);
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
					   "%s is an explanation, which only `report` reads: give "
					   "a file of `run --json`",
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
	for (size_t i = 0; i < files->explanation_count; i++)
		record_finish(&explain_document_type, &files->explanations[i]);
	free(files->items);
	free(files->explanations);
	text_list_finish(&files->shipped);
	*files = (struct result_files){0};
}

/* ---- Devices that ship with the program ------------------------------------------------------ */

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

static enum pmpp_status load_chosen(
	const char *option, const char *with, struct result_files *files, struct pmpp_error *error)
{
	struct shipped_list devices = {0};
	struct text_list names = {0};
	enum pmpp_status status = with ? shipped_find(&devices, error) : PMPP_OK;

	if (with && status == PMPP_OK)
		status = shipped_choose(&devices, option, with, &names, error);
	for (size_t i = 0; i < names.count && status == PMPP_OK; i++)
		status = load_apart(&devices, names.items[i], files, error);
	text_list_finish(&names);
	shipped_finish(&devices);
	return status;
}

enum pmpp_status result_files_load_shipped(
	const char *with, struct result_files *files, struct pmpp_error *error)
{
	return load_chosen("--with", with, files, error);
}

enum pmpp_status result_files_load_like(
	const char *value, struct result_files *files, struct pmpp_error *error)
{
	if (strpbrk(value, "/.") || access(value, F_OK) == 0)
		return result_files_load(&value, 1, false, files, error);
	if (family_find(value))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--like=%s: %s is a family: give --like=FILE or --like=DEVICE", value,
			value);
	return load_chosen("--like", value, files, error);
}
