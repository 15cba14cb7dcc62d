/* The file of a page. */
#ifndef PMPP_HOST_CLI_WRITE_PAGE_H
#define PMPP_HOST_CLI_WRITE_PAGE_H

#include "host/cli/cli_options.h"
#include "host/compare/compare.h"

/* Unless --quiet is given, stderr gets the size of the page. Errors as page_make() and
 * document_save_text(). */
enum pmpp_status write_page(const char *output, const struct cli_options *options,
	const struct result_files *files, struct pmpp_error *error);

#endif
