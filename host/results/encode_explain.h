/*
 * Explanations as JSON values (schema pmpp-explain/1): docs of the fields are in docs/explain.md.
 * What is not known is null. NULL for lack of memory only.
 */
#ifndef PMPP_HOST_RESULTS_ENCODE_EXPLAIN_H
#define PMPP_HOST_RESULTS_ENCODE_EXPLAIN_H

#include "host/explain/explain.h"

#include <jansson.h>

/* A new array: entries of `explanations`, one a launch of the variant. */
json_t *encode_explanations(const struct explanation *explanation);

#endif
