#include "host/io/sources.h"

#include "common/clean_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES SOURCE_PATH_BYTES
#define SHOWN_BYTES 300

const char *sources_embedded(const char *path)
{
	for (size_t i = 0; i < embedded_file_count; i++)
		if (strcmp(embedded_files[i].path, path) == 0)
			return embedded_files[i].text;
	return NULL;
}

/* The name of a folder for a message, cut so that the rest of the message fits. */
static const char *shown(const char *root, char ret_text[SHOWN_BYTES])
{
	clean_text(root, strlen(root), CLEAN_LINE, ret_text, SHOWN_BYTES);
	return ret_text;
}

char *source_read(const char *path, const char **ret_reason)
{
	/* Without O_NONBLOCK, opening a pipe would wait for its writer. */
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	char *text = NULL;
	size_t used = 0;
	ssize_t got = 1;

	if (file < 0 || fstat(file, &info) != 0) {
		*ret_reason = strerror(errno);
		goto out;
	}
	if (!S_ISREG(info.st_mode)) {
		*ret_reason = "it is not a file";
		goto out;
	}
	text = malloc((size_t)info.st_size + 1);
	while (text && used < (size_t)info.st_size && got > 0) {
		got = read(file, text + used, (size_t)info.st_size - used);
		if (got < 0 && errno == EINTR)
			got = 1;
		else
			used += got > 0 ? (size_t)got : 0;
	}
	if (!text || got < 0) {
		*ret_reason = strerror(errno);
		goto failed;
	}
	text[used] = '\0';
	if (strlen(text) != used)
		*ret_reason = "it is not text: it contains a NUL byte";
	else
		goto out;
failed:
	free(text);
	text = NULL;
out:
	if (file >= 0)
		close(file);
	return text;
}

enum pmpp_status source_check_root(const char *root, struct pmpp_error *error)
{
	char name[SHOWN_BYTES];
	struct stat info;
	const char *reason = NULL;

	if (stat(root, &info) != 0)
		reason = strerror(errno);
	else if (!S_ISDIR(info.st_mode))
		reason = "it is not a folder";
	return reason ? PMPP_FAIL(error, PMPP_USAGE,
				"--kernel-dir=%s: %s: give the folder with cl_kernels and "
				"cuda_kernels",
				shown(root, name), reason)
		      : PMPP_OK;
}

enum pmpp_status source_load_file(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error)
{
	if (root) {
		const char *reason = "the path is too long";
		char full[PATH_BYTES], name[SHOWN_BYTES];
		char *read = NULL;
		if (snprintf(full, sizeof full, "%s/%s", root, path) < (int)sizeof full)
			read = source_read(full, &reason);
		if (read && !*read) {
			reason = "it is empty";
			free(read);
			read = NULL;
		}
		if (!read)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--kernel-dir=%s: cannot read the kernel file %s: %s",
				shown(root, name), path, reason);
		*ret_text = read;
		return PMPP_OK;
	}
	const char *text = sources_embedded(path);
	if (!text)
		return PMPP_FAIL(error, PMPP_INTERNAL, "no kernel file %s in this build", path);
	*ret_text = strdup(text);
	if (!*ret_text)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
	return PMPP_OK;
}
