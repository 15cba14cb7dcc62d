/* Writes the page of `report` to a file. */
#ifndef PMPP_HOST_CLI_WRITE_PAGE_H
#define PMPP_HOST_CLI_WRITE_PAGE_H

#include "host/cli/result_files.h"

/* argc, argv: the command line, for the end of the page. Unless quiet, stderr gets the size of the
 * page, and the reason if it has no charts. Errors as page_make() and document_save_text(). */
struct page_order {
	const char *output; /* path; "-" = stdout */
	int argc;
	char *const *argv;
	bool quiet;
};

enum pmpp_status write_page(
	const struct page_order *order, const struct result_files *files, struct pmpp_error *error);

#endif
