#include "host/cli/show_standing.h"

#include <stdlib.h>
#include <string.h>

#include "host/cli/shipped_files.h"
#include "host/record/shipped.h"
#include "host/report/standing_text.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

/* Each file is loaded alone, so that a bad one does not hide the others. */
static void load_devices(const struct shipped_list *devices, struct result_files *files)
{
	struct pmpp_error error = PMPP_ERROR_INIT;

	for (size_t i = 0; i < devices->names.count; i++) {
		size_t before = files->count;
		enum pmpp_status status = result_files_load_shipped_as_is(
			devices, devices->names.items[i], files, &error);
		if (status != PMPP_OK)
			shipped_put_note(&error);
		for (size_t f = before; f < files->count; f++)
			files->items[f].name = devices->names.items[i];
	}
}

/* Whether stdout has the tables of a device that has times. */
static bool is_wanted(const struct cli_options *options, const struct result_document *document)
{
	const char *const outputs[] = {options->json, options->csv, options->markdown};
	bool wanted = false;

	for (size_t i = 0; i < document->results.count; i++)
		wanted |= result_row_median_ns(&document->results.items[i]) > 0;
	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		wanted &= !outputs[i] || strcmp(outputs[i], "-") != 0;
	return wanted && !options->terminal.quiet;
}

enum pmpp_status show_standing(const struct cli_options *options, struct result_document *document,
	struct pmpp_error *error)
{
	const char *named = getenv(SHIPPED_VARIABLE);
	struct pmpp_error other = PMPP_ERROR_INIT;
	struct shipped_list devices = {0};
	struct result_files files = {0};
	struct standings standings = {0};
	struct wrap wrap;

	(void)error;
	if (!is_wanted(options, document))
		return PMPP_OK;
	enum pmpp_status status = shipped_find(&devices, &other);
	if (status == PMPP_OK) {
		load_devices(&devices, &files);
		status = standings_make(document, files.items, files.count, &standings, &other);
	} else if (!named || !*named) {
		/* The program may be used without its installed files. */
		pmpp_error_clear(&other);
		status = PMPP_OK;
	}
	if (status != PMPP_OK)
		shipped_put_note(&other);
	standing_text_put(wrap_begin(&wrap, stdout, terminal_width(stdout)), &standings);
	wrap_end(&wrap);
	standings_finish(&standings);
	result_files_finish(&files);
	shipped_finish(&devices);
	return PMPP_OK;
}
