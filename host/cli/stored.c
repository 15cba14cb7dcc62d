#include "host/cli/stored.h"

#include <stdio.h>
#include <string.h>

#include "common/nearest.h"
#include "host/io/atomic_file.h"

/* "all" chooses everything, in the same way as for devices. */
static const char *chosen(const char *value)
{
	return value && strcmp(value, "all") != 0 ? value : NULL;
}

struct store_filter stored_filter(const struct cli_options *options)
{
	const struct job_options *job = &options->job;
	bool backend = strcmp(job->backend_from, "--backend") == 0;
	bool device = strcmp(job->device_from, "--device") == 0;

	return (struct store_filter){.backend = backend ? chosen(job->backend) : NULL,
		.device = device ? chosen(job->device) : NULL,
		.label = options->label};
}

enum pmpp_status stored_each(const struct store_filter *filter, store_document_fn *take,
	void *context, char ret_path[STORE_PATH_BYTES], struct pmpp_error *error)
{
	struct store store = {0};
	enum pmpp_status status = store_default_path(ret_path, error);

	if (status == PMPP_OK)
		status = store_open(ret_path, STORE_WAIT_MS, &store, error);
	if (status == PMPP_OK)
		status = store_each(&store, filter, take, context, error);
	store_close(&store);
	return status;
}

enum pmpp_status stored_check_output(const char *path, struct pmpp_error *error)
{
	char store[STORE_PATH_BYTES];

	if (!path || store_default_path(store, error) != PMPP_OK) {
		pmpp_error_clear(error); /* there is no store to replace */
		return PMPP_OK;
	}
	if (atomic_file_same(path, store))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s is the store and would be replaced: give another output file", path);
	return PMPP_OK;
}

void stored_filter_text(const struct store_filter *filter, char *ret_text, size_t size)
{
	const struct {
		const char *name, *value;
	} parts[] = {
		{"backend", filter->backend}, {"device", filter->device}, {"label", filter->label}};

	ret_text[0] = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].value)
			text_append(ret_text, size, "%s --%s=%s", *ret_text ? "" : " with",
				parts[i].name, parts[i].value);
}
