/* The pages of `report` and of `run --report`. */
#ifndef PMPP_HOST_CLI_WRITE_PAGE_H
#define PMPP_HOST_CLI_WRITE_PAGE_H

#include "host/cli/cli_options.h"

/* PMPP_USAGE if the file of --report cannot be written, or is another output. */
enum pmpp_status run_page_check(
	const struct cli_options *options, const struct job *job, struct pmpp_error *error);

/* Writes the page of a run, whose rows move out of the document. The page is written even if the file of
 * a shipped device cannot be used, because the run may have taken hours. */
enum pmpp_status run_page_write(const struct cli_options *options, struct result_document *document,
	struct pmpp_error *error);

/* Prints that there is no page, because the run was interrupted: the page would compare few rows with
 * many. */
void run_page_put_none(const struct cli_options *options);

#endif
