/* The choice of results from the store, for `history` and `store export`. */
#ifndef PMPP_HOST_CLI_STORED_H
#define PMPP_HOST_CLI_STORED_H

#include "host/cli/cli_options.h"
#include "host/record/store.h"

/* --backend, --device and --label. The environment (PMPP_BACKEND, PMPP_DEVICE) chooses devices to
 * run on. It does not choose stored results. */
struct store_filter stored_filter(const struct cli_options *options);

/* Returns the error that no stored result matches the filter (PMPP_USAGE). sized: --size was given. */
enum pmpp_status stored_none(
	const char *path, const struct store_filter *filter, bool sized, struct pmpp_error *error);

/* Calls take() for each run of the default store that has selected rows (store_each()). Sets the path of
 * the store. */
enum pmpp_status stored_each(const struct store_filter *filter, store_document_fn *take,
	void *context, char ret_path[STORE_PATH_BYTES], struct pmpp_error *error);

/* An output must not replace the store. path: NULL = no output. */
enum pmpp_status stored_check_output(const char *path, struct pmpp_error *error);

#endif
