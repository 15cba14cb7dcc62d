#include "host/cli/stored.h"

#include <stdio.h>
#include <string.h>

struct store_filter stored_filter(const struct cli_options *options)
{
	const struct job_options *job = &options->job;
	bool backend = strcmp(job->backend_from, "--backend") == 0;
	bool device = strcmp(job->device_from, "--device") == 0;

	return (struct store_filter){.backend = backend ? job->backend : NULL,
		.device = device ? job->device : NULL,
		.label = options->label};
}

void stored_filter_text(const struct store_filter *filter, char *ret_text, size_t size)
{
	const struct {
		const char *name, *value;
	} parts[] = {
		{"backend", filter->backend}, {"device", filter->device}, {"label", filter->label}};
	const char *separator = " with";
	size_t used = 0;

	ret_text[0] = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (!parts[i].value || used >= size)
			continue;
		used += (size_t)snprintf(ret_text + used, size - used, "%s --%s=%s", separator,
			parts[i].name, parts[i].value);
		separator = "";
	}
}
