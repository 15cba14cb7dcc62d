#include "host/io/sources.h"

#include "common/clean_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096
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

/* Returns the text of the file, which the caller frees; NULL with the reason in *ret_reason. */
static char *read_text(const char *path, const char **ret_reason)
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
	if (used == 0)
		*ret_reason = "it is empty";
	else if (strlen(text) != used)
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
			read = read_text(full, &reason);
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

/* ---- Includes ------------------------------------------------------------------------------ */

#define NAME_BYTES 64

/* Returns the name in a line `#include "name.inc"`; "" for any other line. */
static void included_name(const char *line, char ret_name[NAME_BYTES])
{
	char name[NAME_BYTES];
	int end = 0;

	ret_name[0] = '\0';
	if (sscanf(line, "#include \"%59[a-z0-9_]%n", name, &end) == 1 &&
		strncmp(line + end, ".inc\"", strlen(".inc\"")) == 0)
		snprintf(ret_name, NAME_BYTES, "%.59s.inc", name);
}

/* Length of the path's folders, with the last '/'. */
static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash + 1 - path) : 0;
}

/* Writes the included file. If the user's folder does not have it, uses the file of this build. */
static enum pmpp_status write_included(
	const char *root, const char *path, const char *name, FILE *out, struct pmpp_error *error)
{
	char beside[PATH_BYTES], full[PATH_BYTES];
	char *text = NULL;
	const char *kernel_folder = strchr(path, '/');
	struct stat info;

	snprintf(beside, sizeof beside, "%.*s%s", folder_length(path), path, name);
	if (root && (snprintf(full, sizeof full, "%s/%s", root, beside) >= (int)sizeof full ||
			    stat(full, &info) != 0))
		root = NULL;
	enum pmpp_status status = source_load_file(root, beside, &text, error);
	if (status != PMPP_OK)
		return status;
	/* The #line directive that follows needs a line of its own. */
	fprintf(out, "#line 1 \"%s\"\n%s%s",
		kernel_folder ? beside + (kernel_folder + 1 - path) : beside, text,
		text[strlen(text) - 1] == '\n' ? "" : "\n");
	free(text);
	return PMPP_OK;
}

/* Replaces each line `#include "name.inc"` by the file. Adds #line directives, so that messages of the
 * compiler have the right file and line. An included file includes no other file. Frees `text`. */
static enum pmpp_status expand_includes(
	const char *root, const char *path, char *text, char **ret_text, struct pmpp_error *error)
{
	const char *kernel_folder = strchr(path, '/');
	char *expanded = NULL;
	size_t size;
	FILE *out = open_memstream(&expanded, &size);
	enum pmpp_status status = PMPP_OK;
	int line = 1;

	for (const char *at = text; out && *at && status == PMPP_OK; line++) {
		size_t length = strcspn(at, "\n") + 1;
		char name[NAME_BYTES];

		length -= at[length - 1] == '\0';
		included_name(at, name);
		if (name[0]) {
			status = write_included(root, path, name, out, error);
			fprintf(out, "#line %d \"%s\"\n", line + 1,
				kernel_folder ? kernel_folder + 1 : path);
		} else {
			fwrite(at, 1, length, out);
		}
		at += length;
	}
	free(text);
	if (!out || fclose(out) != 0 || !expanded) {
		free(expanded);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
	}
	if (status == PMPP_OK)
		*ret_text = expanded;
	else
		free(expanded);
	return status;
}

enum pmpp_status source_load(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error)
{
	char *text = NULL;
	enum pmpp_status status = source_load_file(root, path, &text, error);

	if (status != PMPP_OK)
		return status;
	if (!strstr(text, "#include \"")) {
		*ret_text = text;
		return PMPP_OK;
	}
	return expand_includes(root, path, text, ret_text, error);
}
