/* A file to start from: an empty kernel of a family, or a built-in variant. */
#include "common/text.h"
#include "host/cli/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/own/start.h"
#include "host/gpu/backends.h"
#include "host/io/atomic_file.h"
#include "host/io/sources.h"
#include "host/run/targets.h"
#include "host/suite/kernel_file.h"

struct start {
	const struct family *family;
	const struct variant *variant; /* NULL: an empty kernel */
	char path[SOURCE_PATH_BYTES];
	const char *file; /* its name without the folder */
	bool cuda;
};

/* The family or the variant of the arguments: FAMILY, FAMILY/VARIANT, or FAMILY with --from. */
static enum pmpp_status find_target(
	const struct cli_options *options, struct start *start, struct pmpp_error *error)
{
	char word[200];
	const char *name = word, *from = options->from;
	struct target_list targets = {0};

	snprintf(word, sizeof word, "%s%s%s", options->arguments[0], from ? "/" : "",
		from ? from : "");
	enum pmpp_status status = targets_parse(&name, 1, &targets, error);
	if (status == PMPP_OK && targets.count != 1)
		status = PMPP_FAIL(error, PMPP_USAGE, "new: '%s': give one family", word);
	if (status == PMPP_OK) {
		start->family = targets.items[0].family;
		start->variant = strchr(word, '/') ? targets.items[0].variants[0] : NULL;
	}
	if (status == PMPP_OK && !start->family->reference)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"the variants of %s have different results: choose another problem",
			start->family->name);
	targets_finish(&targets);
	return status;
}

/* The name of the file: given, or FAMILY.cu, or FAMILY.cl for a backend of OpenCL. */
static enum pmpp_status find_path(
	const struct cli_options *options, struct start *start, struct pmpp_error *error)
{
	enum gpu_backend_id backend;
	const char *path = options->argument_count > 1 ? options->arguments[1] : NULL;
	const char *point = path ? strrchr(path, '.') : NULL;
	bool named = point && point > path && point[-1] != '/';

	start->cuda = !options->job.backend || !gpu_backend_find(options->job.backend, &backend) ||
		      gpu_backend_row(backend)->language == GPU_LANGUAGE_CUDA_C;
	if (path && (!named || (strcmp(point, ".cu") != 0 && strcmp(point, ".cl") != 0)))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the name of a kernel file is NAME.cu or NAME.cl", path);
	if (path)
		start->cuda = strcmp(point, ".cu") == 0;
	snprintf(start->path, sizeof start->path, "%s%s", path ? path : start->family->name,
		path          ? ""
		: start->cuda ? ".cu"
			      : ".cl");
	start->file = path_name(start->path);
	return PMPP_OK;
}

/* Removes the lines `#line N "file"` that source_load() adds to a text with included files. */
static void remove_line_directives(char *text)
{
	static const char mark[] = "#line ";
	char *to = text;

	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		length += line[length] == '\n';
		if (strncmp(line, mark, strlen(mark)) != 0) {
			memmove(to, line, length);
			to += length;
		}
		line += length;
	}
	*to = '\0';
}

/* Writes a new file. */
static enum pmpp_status write_new(
	const struct start *start, const char *head, const char *source, struct pmpp_error *error)
{
	int file = open(start->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (file < 0)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: %s%s", start->path, strerror(errno),
			errno == EEXIST ? ": give another FILE" : "");
	bool good = file_write_all(file, head, strlen(head)) &&
		    file_write_all(file, source, strlen(source));
	int reason = errno;
	good &= close(file) == 0;
	if (good)
		return PMPP_OK;
	unlink(start->path);
	return PMPP_FAIL(error, PMPP_IO, "%s: %s", start->path, strerror(reason));
}

/* The source of the variant's kernel file, and the head before it. */
static enum pmpp_status make_rung(const struct start *start, char *head, size_t size,
	char **ret_source, struct pmpp_error *error)
{
	const struct config config = config_default(start->variant);
	enum gpu_backend_id backend = start->cuda ? GPU_BACKEND_CUDA : GPU_BACKEND_OPENCL;
	char path[KERNEL_PATH_BYTES];
	enum pmpp_status status = PMPP_OK;

	kernel_file_path(start->variant, backend, path);
	if (kernel_file_exists(start->variant, backend))
		status = source_load(NULL, path, ret_source, error);
	else
		status = PMPP_FAIL(error, PMPP_USAGE, "%s/%s has no %s file: give FILE%s",
			start->family->name, start->variant->name, start->cuda ? "CUDA" : "OpenCL",
			start->cuda ? ".cl" : ".cu");
	if (status != PMPP_OK)
		return status;
	remove_line_directives(*ret_source);
	return own_rung_head(&config, *ret_source, start->file, start->cuda, head, size, error);
}

enum pmpp_status cmd_new(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct start start = {0};
	char head[OWN_START_BYTES], *source = NULL;
	enum pmpp_status status = find_target(options, &start, error);

	(void)ret_exit;
	if (status == PMPP_OK)
		status = find_path(options, &start, error);
	if (status == PMPP_OK && start.variant)
		status = make_rung(&start, head, sizeof head, &source, error);
	else if (status == PMPP_OK)
		own_start_text(start.family, start.file, start.cuda, head, sizeof head);
	if (status == PMPP_OK)
		status = write_new(&start, head, source ? source : "", error);
	if (status == PMPP_OK && cli_prints(options))
		printf("wrote %s; check it with: pmpp-run try %s\n", start.path, start.path);
	free(source);
	return status;
}
