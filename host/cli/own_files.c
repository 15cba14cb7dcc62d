/* Kernels of the user, and the C file of their problem: reading, what is printed about them, and --write. */
#include "host/cli/own_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/own/problem_file.h"
#include "common/text.h"
#include "host/io/atomic_file.h"
#include "host/io/sources.h"
#include "host/report/wrap.h"
#include "host/run/targets.h"
#include "host/suite/problem_reference.h"

static enum pmpp_status read_text(const char *path, char **ret_text, struct pmpp_error *error)
{
	char *folder = path_folder(path);

	if (!folder)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
	if (access(path, R_OK) != 0) {
		free(folder);
		return PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be read: %s", path, strerror(errno));
	}
	enum pmpp_status status = source_load_file(folder, path_name(path), ret_text, error);
	free(folder);
	/* The message of the loader is about folders of kernels. */
	if (status == PMPP_USAGE)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: cannot be read as text: it is a folder, is empty, or contains NUL bytes",
			path);
	return status;
}

/* The options about the kernel. Numbers are texts. */
struct wishes {
	struct own_wishes of;
	char block[48], shared[24], problem[PATH_MAX];
};

/* problem: the problem file among the arguments; NULL: the option --problem. */
static void take_wishes(
	const struct cli_options *options, const char *problem, struct wishes *ret_wishes)
{
	const int64_t *block = options->model.block;

	*ret_wishes = (struct wishes){.of = options->trying};
	if (problem)
		ret_wishes->of.problem = problem;
	ret_wishes->of.op = options->job.choices.of[CHOICE_OP];
	if (block[0]) {
		snprintf(ret_wishes->block, sizeof ret_wishes->block, "%" PRId64 "x%" PRId64,
			block[0], block[1] ? block[1] : 1);
		ret_wishes->of.block = ret_wishes->block;
	}
	if (options->job.tunables.shared_bytes) {
		snprintf(ret_wishes->shared, sizeof ret_wishes->shared, "%zu",
			options->job.tunables.shared_bytes);
		ret_wishes->of.shared = ret_wishes->shared;
	}
}

void own_files_print(const struct cli_options *options, const char *text)
{
	struct terminal terminal;
	struct wrap wrap;

	terminal_init(&terminal, &options->terminal);
	if (!terminal.out)
		return;
	FILE *out = wrap_begin(&wrap, terminal.out, terminal.style.width);
	fprintf(out, "%s\n", text);
	wrap_end(&wrap);
	fflush(terminal.out);
}

/* ---- Comments (--write) ---------------------------------------------------------------------- */

/* Reads the bytes of the file, with the byte order mark and the line ends, so that --write keeps both. */
static char *read_bytes(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	char *text = file >= 0 && fstat(file, &info) == 0
			     ? file_read_all(file, (size_t)info.st_size)
			     : NULL;

	if (file >= 0)
		close(file);
	return text;
}

/* Writes the comments to the file that make the options of this call unnecessary. */
static enum pmpp_status write_comments(const struct cli_options *options, const char *path,
	const struct own_kernel *kernel, const struct own_wishes *wishes, struct pmpp_error *error)
{
	char changes[1000], *text = read_bytes(path), *line = NULL;
	enum pmpp_status status = PMPP_OK;

	if (!text || !own_comments_set(kernel, wishes, &text, changes, sizeof changes))
		return PMPP_FAIL(error, PMPP_IO, "--write: %s cannot be read again", path);
	if (*changes && access(path, W_OK) != 0)
		status = PMPP_FAIL(error, PMPP_USAGE, "--write: %s: %s", path, strerror(errno));
	else if (*changes)
		status = atomic_file_write(
			path, &(struct iovec){.iov_base = text, .iov_len = strlen(text)}, 1, error);
	text_format(
		&line, "%s: %s%s", kernel->file, *changes ? "wrote " : "has all comments", changes);
	if (status == PMPP_OK && line)
		own_files_print(options, line);
	free(line);
	free(text);
	return status;
}

/* ---- Problem files ------------------------------------------------------------------------------ */

/* Writes the resolved path of the problem that the option or the comment of a kernel names, if it is a file; else "".
 * The comment's path is relative to the folder of the kernel. */
static enum pmpp_status find_problem(const char *path, const char *text,
	const struct own_wishes *wishes, char ret_file[PATH_MAX], struct pmpp_error *error)
{
	const char *slash = strrchr(path, '/');
	char name[OWN_TEXT_BYTES], file[PATH_MAX] = "";

	*ret_file = '\0';
	if (wishes->problem)
		snprintf(file, sizeof file, "%s", wishes->problem);
	else if (own_kernel_problem(text, name))
		snprintf(file, sizeof file, "%.*s%s",
			slash && *name != '/' ? (int)(slash - path) + 1 : 0, path, name);
	if (!own_problem_is_file(file) || realpath(file, ret_file))
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE, "%s: cannot be read: %s", file, strerror(errno));
}

/* For the comment of --write: the length of the path of the folder, if problem and kernel are in one folder; else 0. */
static size_t length_of_folder(const char *path, const char *problem)
{
	char kernel[PATH_MAX];
	size_t length = (size_t)(strrchr(problem, '/') - problem) + 1;
	bool same = realpath(path, kernel) && strncmp(kernel, problem, length) == 0 &&
		    !strchr(kernel + length, '/');

	return same ? length : 0;
}

/* Reads the problem of a kernel, if it is a file that is not read yet. */
static enum pmpp_status read_problem(const char *path, const char *text, struct wishes *wishes,
	struct own_problem **problem, struct pmpp_error *error)
{
	char *source = NULL, *file = wishes->problem;
	enum pmpp_status status = find_problem(path, text, &wishes->of, file, error);

	if (status != PMPP_OK || !*file)
		return status;
	if (*problem && strcmp((*problem)->file, file) != 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s solves another problem, %s: run the command once for each problem",
			path, file);
	if (!*problem) {
		status = read_text(file, &source, error);
		if (status == PMPP_OK)
			status = own_problem_read(file, source, problem, error);
		free(source);
		if (status == PMPP_OK)
			status = problem_reference_build(*problem, error);
		if (status != PMPP_OK)
			return status;
		family_set_own(&(*problem)->family);
	}
	wishes->of.family = &(*problem)->family;
	if (wishes->of.problem)
		wishes->of.problem = file + length_of_folder(path, file);
	return PMPP_OK;
}

/* A problem has a function or an expected output; only `explain` needs neither. --tolerance replaces that of the
 * problem, except in `parity`. */
static enum pmpp_status check_reference(
	const struct cli_options *options, struct own_problem *problem, struct pmpp_error *error)
{
	bool expects = options->job.expect.count > 0;
	bool tolerates = options->command->bit != CMD_PARITY && !isnan(options->job.tolerance);

	if (!problem && (expects || tolerates))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s is for a problem file (.c): a family has its own reference",
			expects ? "expect" : "tolerance");
	if (problem && problem->param_count && expects)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s has a function '" OWN_REFERENCE
			"': leave out --expect, or remove the function",
			problem->file);
	if (problem && !problem->param_count && !expects && options->command->bit != CMD_EXPLAIN)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: there is no function '" OWN_REFERENCE
			"' with a body: write it, or give "
			"--in and --expect to run, verify or try",
			problem->file);
	if (problem && tolerates)
		problem->tolerance = options->job.tolerance;
	if (problem)
		problem->timeout_s = options->job.timeout_s;
	return PMPP_OK;
}

/* A comment of the kernel does not replace the problem that was given. */
static void note_problem(
	const struct cli_options *options, const char *problem, const struct own_kernel *kernel)
{
	char name[OWN_TEXT_BYTES], *line = NULL;

	if (!problem || !own_kernel_problem(kernel->text, name) ||
		strcmp(path_name(name), path_name(problem)) == 0)
		return;
	text_format(&line,
		"note: %s: the comment '//pmpp: problem = %s' has no effect: the "
		"problem is %s",
		kernel->file, name, kernel->family->name);
	if (line)
		own_files_print(options, line);
	free(line);
}

/* Whether a kernel that cannot be read is the fault of its file, not that of the option --problem. */
static bool is_problem(const struct own_wishes *wishes)
{
	return wishes->family || !wishes->problem || family_find(wishes->problem);
}

/* Reads the kernel of a file, and prints what was found. */
static enum pmpp_status read_kernel(const struct cli_options *options, const char *problem,
	struct own_files *files, struct own_file *item, struct pmpp_error *error)
{
	const char *path = item->word;
	struct wishes wishes;
	char *text = NULL;
	enum pmpp_status status = read_text(path, &text, error);

	take_wishes(options, problem, &wishes);
	files->unread = status == PMPP_USAGE && access(path, F_OK) == 0;
	if (status == PMPP_USAGE)
		text_set(&item->unread, error->message);
	if (status == PMPP_OK)
		status = read_problem(path, text, &wishes, &files->problem, error);
	if (status == PMPP_OK)
		status = check_reference(options, files->problem, error);
	if (status == PMPP_OK) {
		status = own_kernel_read(path, text, &wishes.of, &item->kernel, error);
		files->unread = status == PMPP_USAGE && is_problem(&wishes.of);
		if (files->unread)
			text_set(&item->unread, error->message);
	}
	free(text);
	if (status == PMPP_OK) {
		own_files_print(options, item->kernel->summary);
		note_problem(options, wishes.of.problem, item->kernel);
	}
	if (status == PMPP_OK && options->write)
		status = write_comments(options, path, item->kernel, &wishes.of, error);
	return status;
}

/* ---- Arguments ------------------------------------------------------------------------------------ */

/* For `try`, every argument that is not a variant is a file. */
static bool is_kernel(const struct cli_options *options, const char *word)
{
	const char *point = strrchr(word, '.');

	if (options->command->bit == CMD_TRY)
		return access(word, F_OK) == 0 || !strchr(word, '/') || !targets_begin_with(word);
	return point && (strcmp(point, ".cu") == 0 || strcmp(point, ".cl") == 0);
}

/* Finds the argument that is a problem file; NULL: none. */
static enum pmpp_status find_problem_word(
	const struct cli_options *options, const char **ret_problem, struct pmpp_error *error)
{
	*ret_problem = NULL;
	for (size_t i = 0; i < options->argument_count; i++) {
		if (!own_problem_is_file(options->arguments[i]))
			continue;
		const char *given = *ret_problem ? *ret_problem : options->trying.problem;
		if (given && !atomic_file_same(given, options->arguments[i]))
			return PMPP_FAIL(error, PMPP_USAGE, "%s and %s are two problems: give one",
				given, options->arguments[i]);
		*ret_problem = options->arguments[i];
	}
	return PMPP_OK;
}

/* No output replaces a kernel or the problem. */
static enum pmpp_status check_outputs(
	const struct cli_options *options, const struct own_files *files, struct pmpp_error *error)
{
	const char *const outputs[] = {options->json, options->csv, options->markdown,
		options->junit, options->report,
		options->job.out.count ? options->job.out.items[0].path : NULL};
	const char *replaced = NULL;

	for (size_t o = 0; o < sizeof outputs / sizeof *outputs && !replaced; o++) {
		if (!outputs[o])
			continue;
		for (size_t i = 0; i < files->count; i++)
			if (files->items[i].kernel &&
				atomic_file_same(files->items[i].word, outputs[o]))
				replaced = outputs[o];
		if (files->problem && atomic_file_same(files->problem->file, outputs[o]))
			replaced = outputs[o];
	}
	if (!replaced)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s is a kernel or its problem and would be replaced: give another file", replaced);
}

/* Two files of one name are one variant in both languages. */
static void set_twin(struct own_kernel *kernel, const struct own_kernel *other)
{
	if (kernel && other && kernel->cuda != other->cuda && kernel->family == other->family &&
		strcmp(kernel->name, other->name) == 0)
		kernel->twin = other;
}

enum pmpp_status own_files_read(
	const struct cli_options *options, struct own_files *ret_files, struct pmpp_error *error)
{
	const char *problem;
	bool has_kernel = false;
	struct pmpp_error last = PMPP_ERROR_INIT;
	enum pmpp_status status = find_problem_word(options, &problem, error);
	const bool several = status == PMPP_OK && options->command->bit == CMD_TRY &&
			     options->argument_count > 1 + (size_t)(problem != NULL);

	*ret_files = (struct own_files){.count = 0};
	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++) {
		if (own_problem_is_file(options->arguments[i]))
			continue;
		struct own_file *item = &ret_files->items[ret_files->count++];
		item->word = options->arguments[i];
		if (!is_kernel(options, item->word))
			continue;
		status = read_kernel(options, problem, ret_files, item, error);
		if (status == PMPP_USAGE && item->unread && several) {
			status = PMPP_OK;
			pmpp_error_move(&last, error);
		}
		has_kernel = has_kernel || item->kernel;
	}
	if (status == PMPP_OK && !has_kernel && *last.message) {
		pmpp_error_move(error, &last);
		status = PMPP_USAGE;
	}
	if (has_kernel && status == PMPP_OK)
		ret_files->unread = false;
	pmpp_error_clear(&last);
	for (size_t i = 0; i < ret_files->count && status == PMPP_OK; i++)
		for (size_t k = 0; k < ret_files->count; k++)
			set_twin(ret_files->items[i].kernel, ret_files->items[k].kernel);
	if (status == PMPP_OK)
		status = has_kernel ? check_outputs(options, ret_files, error)
				    : check_reference(options, NULL, error);
	problem = problem ? problem : options->trying.problem;
	if (status == PMPP_OK && problem && !has_kernel)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s is the problem of a kernel file: give a FILE.cu or FILE.cl too",
			problem);
	return status;
}

void own_files_finish(struct own_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		own_kernel_destroy(files->items[i].kernel);
		free(files->items[i].unread);
	}
	if (!files->problem)
		return;
	family_set_own(NULL);
	problem_reference_finish(files->problem);
	own_problem_destroy(files->problem);
}
