/* Files of results that a command reads: result files, exports of the store, explanations, and files of
 * devices that ship with the program. */
#ifndef PMPP_HOST_CLI_RESULT_FILES_H
#define PMPP_HOST_CLI_RESULT_FILES_H

#include "host/compare/compare.h"

/* Reads the files. A file of several runs becomes several items. with_explanations: files of
 * pmpp-explain/1 are accepted. PMPP_USAGE: document_load(), or a file without results. result_files_finish() in both cases. */
enum pmpp_status result_files_load(const char *const *paths, size_t count, bool with_explanations,
	struct result_files *files, struct pmpp_error *error);

/* Appends a document, which is moved. path: its name on a page; not owned. */
enum pmpp_status result_files_add(struct result_files *files, const char *path,
	struct result_document *document, struct pmpp_error *error);

/* Appends the files of shipped devices. A GPU joins the same GPU of another file
 * (device_public_identity()); a CPU stays apart (contribution_set_apart()). option: "--with" or "--like", for
 * messages. with: its value ("h200,h100", "all"); NULL: none. PMPP_USAGE: shipped_find() (host/record/shipped.h), an
 * unknown name, result_files_load(). */
enum pmpp_status result_files_load_shipped(
	const char *option, const char *with, struct result_files *files, struct pmpp_error *error);

void result_files_finish(struct result_files *files);

#endif
