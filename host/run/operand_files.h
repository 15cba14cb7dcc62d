/*
 * Operands of one family in the user's files: --in and --out.
 */
#ifndef PMPP_HOST_RUN_OPERAND_FILES_H
#define PMPP_HOST_RUN_OPERAND_FILES_H

#include "host/io/npy.h"
#include "host/run/job_options.h"

/* Zero-initialise. */
struct user_inputs {
	struct npy_array arrays[PMPP_MAX_OPERANDS]; /* in the order of the family's operands */
	bool given;
	int64_t dim[PMPP_MAX_DIMS]; /* from the files and --size; 0 = not known */
	enum dtype dtype;           /* of the files, if the family has several */
};

void user_inputs_finish(struct user_inputs *inputs);

/* Reads the files of --in, and completes inputs->dim, which has the values of --size. PMPP_USAGE:
 *   - an operand is missing or unknown
 *   - shapes contradict each other or --size
 *   - a file has a wrong type
 *   - values are not finite, or the family does not allow them */
enum pmpp_status user_inputs_read(const struct job_options *options, const struct family *family,
	struct user_inputs *inputs, struct pmpp_error *error);

/* Sets *ret_path to the path of --out after a check that it can be written; NULL without --out.
 * PMPP_USAGE if it cannot be written, or if it is stdout, which has the tables. */
enum pmpp_status operand_files_find_output(const struct job_options *options,
	const struct family *family, const char **ret_path, struct pmpp_error *error);

#endif
