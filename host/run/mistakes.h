/*
 * The mistake of a kernel of the user, from the rows of its verification (common/model/mistake.h).
 */
#ifndef PMPP_HOST_RUN_MISTAKES_H
#define PMPP_HOST_RUN_MISTAKES_H

#include "common/own/kernel.h"
#include "common/status.h"
#include "host/record/result.h"

/* Sets *ret_found to false if no row failed, or if the kernel did not compile. */
enum pmpp_status mistakes_find(const struct own_kernel *kernel, const struct result_row_list *rows,
	struct mistake *ret_mistake, bool *ret_found, struct pmpp_error *error);

#endif
