/*
 * What `try` writes of its files besides their pages: a table of several files, JSON, JUnit, annotations and a page.
 */
#ifndef PMPP_HOST_CLI_TRY_OUTPUTS_H
#define PMPP_HOST_CLI_TRY_OUTPUTS_H

#include "common/model/mistake.h"
#include "common/own/kernel.h"
#include "host/cli/requirements.h"
#include "host/record/explanation.h"

/* One file, or a built-in variant beside files. */
struct trial {
	const char *word;                /* of the command line: the path, or "matmul/tiled16" */
	const struct own_kernel *kernel; /* NULL: a built-in variant, or the file was not read */
	const char *unread;              /* why the file was not read; NULL: it was read */
	struct result_document rows;     /* of verify and run */
	struct explain_document traced;  /* the explanation */
	struct mistake mistake;          /* of a wrong kernel */
	bool has_mistake;
	struct requirements requirements; /* --require; only of a kernel */
	enum record_truth correct;
	int exit_code;
};

struct trial_list {
	struct trial *items;
	size_t count;
};

/* Moves devices and rows to another document. */
enum pmpp_status try_rows_add(
	struct result_document *to, struct result_document *from, struct pmpp_error *error);

/* Checks the paths of the outputs before the jobs. PMPP_USAGE: a path cannot be written, or is a kernel file or another
 * output. */
enum pmpp_status try_outputs_check(const struct cli_options *options,
	const struct trial_list *trials, struct pmpp_error *error);

/* Prints the tables of several files, and the annotations. Then writes the files; the documents of the trials move
 * to the page. */
enum pmpp_status try_outputs_write(
	const struct cli_options *options, struct trial_list *trials, struct pmpp_error *error);

/* A hint about a wrong kernel. Returns false if there is none. */
bool try_hint(const struct trial *trial, char *ret_text, size_t size);

#endif
