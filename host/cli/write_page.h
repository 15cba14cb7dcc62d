/* Writes the page of `report` to a file. */
#ifndef PMPP_HOST_CLI_WRITE_PAGE_H
#define PMPP_HOST_CLI_WRITE_PAGE_H

#include "host/cli/result_files.h"

/* output: path; "-" = stdout. Unless quiet, stderr gets the size of the page. Errors as page_make()
 * and document_save_text(). */
enum pmpp_status write_page(
	const char *output, bool quiet, const struct result_files *files, struct pmpp_error *error);

#endif
