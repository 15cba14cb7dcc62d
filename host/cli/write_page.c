#include "host/cli/write_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/page/page.h"
#include "host/record/document.h"
#include "host/report/terminal.h"

static void put_written(const char *output, bool replaces, size_t length)
{
	const char *verb = replaces ? "replaced " : "wrote ";
	bool to_stdout = strcmp(output, "-") == 0;

	terminal_print(stderr, "%s%s: %.2f MB\n", to_stdout ? "" : verb,
		to_stdout ? "stdout" : output, (double)length / 1e6);
}

enum pmpp_status write_page(
	const char *output, bool quiet, const struct result_files *files, struct pmpp_error *error)
{
	const struct page_input input = {.files = files->items,
		.file_count = files->count,
		.explanations = files->explanations,
		.explanation_count = files->explanation_count};
	char *text = NULL;
	size_t length = 0;
	bool replaces = false;
	enum pmpp_status status = page_make(&input, &text, &length, error);

	if (status == PMPP_OK) {
		replaces = document_replaces(output);
		status = document_save_text(output, text, error);
	}
	fflush(stdout);
	if (status == PMPP_OK && !quiet)
		put_written(output, replaces, length);
	free(text);
	return status;
}
