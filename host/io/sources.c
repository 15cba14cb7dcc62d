#include "host/io/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *embedded_source(const char *path)
{
	for (size_t i = 0; i < embedded_file_count; i++)
		if (strcmp(embedded_files[i].path, path) == 0)
			return embedded_files[i].text;
	return NULL;
}

static enum pmpp_status read_text(const char *path, char **ret_text, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	char *text = NULL;
	FILE *file = fopen(path, "rb");

	if (!file)
		return PMPP_FAIL(error, PMPP_USAGE, "cannot read the kernel file %s: %s", path,
			strerror(errno));
	struct stat info;
	if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode)) {
		status = PMPP_FAIL(
			error, PMPP_USAGE, "cannot read the kernel file %s: not a file", path);
		goto out;
	}
	size_t size = (size_t)info.st_size;
	text = malloc(size + 1);
	if (!text) {
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
		goto out;
	}
	if (fread(text, 1, size, file) != size) {
		status = PMPP_FAIL(error, PMPP_USAGE, "cannot read the kernel file %s", path);
		goto out;
	}
	text[size] = '\0';
	*ret_text = text;
	text = NULL;
out:
	free(text);
	fclose(file);
	return status;
}

enum pmpp_status source_load(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error)
{
	if (root) {
		char full[1024];
		if (snprintf(full, sizeof full, "%s/%s", root, path) >= (int)sizeof full)
			return PMPP_FAIL(error, PMPP_USAGE, "--kernel-dir: the path is too long");
		return read_text(full, ret_text, error);
	}
	const char *text = embedded_source(path);
	if (!text)
		return PMPP_FAIL(error, PMPP_INTERNAL, "no kernel file %s in this build", path);
	*ret_text = strdup(text);
	if (!*ret_text)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
	return PMPP_OK;
}
