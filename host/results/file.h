/*
 * The result file, schema pmpp-result/1 (of `explain`, pmpp-explain/1): made empty, filled while
 * results come, written once. Its fields are listed in docs/measuring.md.
 */
#ifndef PMPP_HOST_RESULTS_FILE_H
#define PMPP_HOST_RESULTS_FILE_H

#include "common/status.h"

#include <jansson.h>

/* A document with tool, run and host, and empty devices, results and parity. NULL for lack of
 * memory. */
json_t *result_document(int argc, char *const *argv);

/* A document with tool and empty explanations; else as above. */
json_t *explain_document(int argc, char *const *argv);

/* Adds an entry of encode_device, or merges it into the entry of the same key. */
void result_add_device(json_t *document, json_t *device);

/* Whether output can be written to path; "-" is stdout and can. */
enum pmpp_status output_check(const char *path, struct pmpp_error *error);

/* Writes text to path, by a temporary and rename, or to stdout for "-". */
enum pmpp_status output_text(const char *path, const char *text, struct pmpp_error *error);

/* The same for JSON, indented. */
enum pmpp_status output_json(const char *path, const json_t *json, struct pmpp_error *error);

#endif
