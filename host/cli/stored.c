#include "host/cli/stored.h"

#include <stdio.h>
#include <string.h>

#include "common/text.h"
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
		status = store_open(ret_path, false, STORE_WAIT_MS, &store, error);
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

/* " with --backend=cuda --label=before": the options above that are given; "" for none. */
static void put_options(const struct store_filter *filter, char *ret_text, size_t size)
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

enum pmpp_status stored_none(
	const char *path, const struct store_filter *filter, bool sized, struct pmpp_error *error)
{
	char options[200], name[120] = "";

	put_options(filter, options, sizeof options);
	bool narrowed = sized || *options;
	if (filter->family)
		snprintf(name, sizeof name, "%s/%s", filter->family, filter->variant);
	return PMPP_FAIL(error, PMPP_USAGE, "%s has no results%s%s%s%s: %s%s%s", path,
		*name ? " of " : "", name, options, sized ? " at this --size" : "",
		!narrowed ? "`run --save` and `store import` add results"
		: *name   ? "`pmpp-run history "
			  : "`store list` lists the stored runs",
		narrowed ? name : "", narrowed && *name ? "` shows its other results" : "");
}
