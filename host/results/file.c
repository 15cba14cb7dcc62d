#include "host/results/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/atomic_file.h"
#include "host/results/encode.h"
#include "host/results/host_info.h"

json_t *result_document(int argc, char *const *argv)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:[], s:[], s:[]}", "schema", "pmpp-result/1",
		"tool", tool_info(argc, argv), "run", run_info(), "host", host_info(), "devices",
		"results", "parity");
}

json_t *explain_document(int argc, char *const *argv)
{
	return json_pack("{s:s, s:o, s:[]}", "schema", "pmpp-explain/1", "tool",
		tool_info(argc, argv), "explanations");
}

void result_add_device(json_t *document, json_t *device)
{
	json_t *devices = json_object_get(document, "devices");
	json_t *old;
	size_t i;

	json_array_foreach(devices, i, old)
	{
		if (json_equal(json_object_get(old, "key"), json_object_get(device, "key"))) {
			merge_device(old, device);
			return;
		}
	}
	json_array_append(devices, device);
}

enum pmpp_status output_check(const char *path, struct pmpp_error *error)
{
	return strcmp(path, "-") == 0 ? PMPP_OK : atomic_file_check(path, error);
}

enum pmpp_status output_text(const char *path, const char *text, struct pmpp_error *error)
{
	struct iovec part = {(void *)text, strlen(text)};

	if (strcmp(path, "-") != 0)
		return atomic_file_write(path, &part, 1, error);
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
		return PMPP_FAIL(error, PMPP_IO, "stdout: %s", strerror(errno));
	return PMPP_OK;
}

enum pmpp_status output_json(const char *path, const json_t *json, struct pmpp_error *error)
{
	enum pmpp_status status;
	char *lines = NULL;
	char *text = json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(17));

	if (!text || asprintf(&lines, "%s\n", text) < 0) {
		lines = NULL;
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for the JSON", path);
		goto out;
	}
	status = output_text(path, lines, error);
out:
	free(text);
	free(lines);
	return status;
}
