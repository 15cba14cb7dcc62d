/* A kernel of the user: the checks of `verify`, the page of `explain`, and its place on the ladder of `run`. */
#include "host/cli/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/model/exit_code.h"
#include "common/own/kernel.h"
#include "common/own/problem_file.h"
#include "common/text.h"
#include "host/cli/command_job.h"
#include "host/cli/requirements.h"
#include "host/cli/try_outputs.h"
#include "host/gpu/backends.h"
#include "host/io/atomic_file.h"
#include "host/io/sources.h"
#include "host/report/wrap.h"
#include "host/run/mistakes.h"
#include "host/run/targets.h"
#include "host/suite/problem_reference.h"

static enum pmpp_status read_text(const char *path, char **ret_text, struct pmpp_error *error)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

	if (!folder)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
	if (access(path, R_OK) != 0) {
		free(folder);
		return PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be read: %s", path, strerror(errno));
	}
	enum pmpp_status status =
		source_load_file(folder, slash ? slash + 1 : path, ret_text, error);
	free(folder);
	/* The message of the loader is about folders of kernels. */
	if (status == PMPP_USAGE)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: cannot be read as text: it is a folder, empty, or has zero bytes",
			path);
	return status;
}

/* The options about the kernel, and the texts of numbers among them. */
struct wishes {
	struct own_wishes of;
	char block[48], shared[24], problem[PATH_MAX];
};

static void take_wishes(const struct cli_options *options, struct wishes *ret_wishes)
{
	const int64_t *block = options->model.block;

	*ret_wishes = (struct wishes){.of = options->trying};
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

static void put_line(const struct cli_options *options, const char *text)
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

/* Reads the bytes of the file: with its byte order mark and the ends of its lines. */
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
		put_line(options, line);
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

/* For the comment of --write: the length of the folder of a problem, if the kernel is in the same folder; else 0. */
static size_t length_of_folder(const char *path, const char *problem)
{
	char kernel[PATH_MAX];
	size_t length = (size_t)(strrchr(problem, '/') - problem) + 1;
	bool same = realpath(path, kernel) && strncmp(kernel, problem, length) == 0 &&
		    !strchr(kernel + length, '/');

	return same ? length : 0;
}

/* Reads the problem of a kernel, if it is a file, unless it is the one that is known. */
static enum pmpp_status read_problem(const char *path, const char *text, struct wishes *wishes,
	struct own_problem **problem, struct pmpp_error *error)
{
	char *source = NULL, *file = wishes->problem;
	enum pmpp_status status = find_problem(path, text, &wishes->of, file, error);

	if (status != PMPP_OK || !*file)
		return status;
	if (*problem && strcmp((*problem)->file, file) != 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s solves another problem, %s: try them one after the other", path, file);
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

static void finish_problem(struct own_problem *problem)
{
	family_set_own(NULL);
	problem_reference_finish(problem);
	own_problem_destroy(problem);
}

/* Reads the kernel of a file, and prints what was found. */
static enum pmpp_status read_kernel(const struct cli_options *options, const char *path,
	struct own_problem **problem, struct own_kernel **ret_kernel, struct pmpp_error *error)
{
	struct wishes wishes;
	char *text = NULL;
	enum pmpp_status status = read_text(path, &text, error);

	take_wishes(options, &wishes);
	if (status == PMPP_OK)
		status = read_problem(path, text, &wishes, problem, error);
	if (status == PMPP_OK)
		status = own_kernel_read(path, text, &wishes.of, ret_kernel, error);
	free(text);
	if (status == PMPP_OK)
		put_line(options, (*ret_kernel)->summary);
	if (status == PMPP_OK && options->write)
		status = write_comments(options, path, *ret_kernel, &wishes.of, error);
	return status;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Type and operation of the problem: those of the kernel. */
static void set_choices(const struct own_kernel *kernel, struct choices *choices)
{
	const struct family *family = kernel->family;

	if (kernel->has_dtype && !choices->of[CHOICE_DTYPE] && family->dtype_count > 1)
		choices->of[CHOICE_DTYPE] = dtype_info(kernel->dtype)->name;
	if (!choices->of[CHOICE_OP] && family->ops[0])
		choices->of[CHOICE_OP] = kernel->op ? kernel->op : family->ops[0];
}

/* Runs one job of a trial. Its exit code becomes the worse code. like: a kernel with the type and operation of the
 * problem. */
static enum pmpp_status run_job(enum job_action action, const struct cli_options *options,
	const struct own_kernel *like, struct trial *trial, struct pmpp_error *error)
{
	struct result_document rows;
	struct command_task task;
	struct cli_options copy = *options;
	int found = EXIT_CODE_OK;

	copy.argument_count = trial->kernel ? 0 : 1;
	copy.arguments[0] = trial->word;
	copy.job.own = trial->kernel;
	copy.job.tunables.shared_bytes = 0;
	copy.json = copy.report = NULL;
	set_choices(like, &copy.job.choices);
	record_init(&result_document_type, &rows);
	enum pmpp_status status = command_task_prepare(action, &copy, &task, error);
	if (action == JOB_EXPLAIN)
		task.collecting.ret_explanations = &trial->traced;
	if (status == PMPP_OK)
		status = command_task_run(&task, &rows, &found, error);
	command_task_finish(&task);
	/* An interrupted job keeps its finished rows. */
	bool keeps = status == PMPP_OK || status == PMPP_INTERRUPTED;
	if (keeps && action == JOB_VERIFY)
		record_move(&result_document_type, &rows, &trial->rows);
	else if (keeps && try_rows_add(&trial->rows, &rows, error) != PMPP_OK)
		status = PMPP_OUT_OF_MEMORY;
	record_finish(&result_document_type, &rows);
	trial->exit_code =
		(int)exit_code_worst((enum exit_code)trial->exit_code, (enum exit_code)found);
	return status;
}

/* Names the emulator of the language of a kernel. Returns false if there is none. */
static bool choose_emulator(const struct own_kernel *kernel, struct cli_options *options)
{
	enum gpu_backend_id emulator;

	if (!gpu_backend_emulator(
		    kernel->cuda ? GPU_LANGUAGE_CUDA_C : GPU_LANGUAGE_OPENCL_C, &emulator))
		return false;
	options->job.backend = gpu_backend_name(emulator);
	options->job.backend_from = "--backend";
	options->job.device = NULL;
	return true;
}

/* Whether every run that did not end was ended by a defect that the emulator found: the kernel is wrong, not its
 * build or the device. */
static bool ended_by_defects(const struct result_row_list *rows)
{
	bool any = false;

	for (size_t i = 0; i < rows->count; i++) {
		const struct result_row *row = &rows->items[i];
		if (result_row_class(row) != OUTCOME_CLASS_BROKEN)
			continue;
		if (!row->symptoms.defect.record.present)
			return false;
		any = true;
	}
	return any;
}

/* A built-in variant without --backend and --device runs on the emulator. */
static enum pmpp_status verify(const struct cli_options *options, const struct own_kernel *like,
	struct trial *trial, struct pmpp_error *error)
{
	struct cli_options copy = *options;

	if (!trial->kernel && !options->job.backend && !options->job.device)
		choose_emulator(like, &copy);
	enum pmpp_status status = run_job(JOB_VERIFY, &copy, like, trial, error);
	if (trial->exit_code == EXIT_CODE_BROKEN && ended_by_defects(&trial->rows.results))
		trial->exit_code = EXIT_CODE_FAILED;
	return status;
}

/* The page is always that of an emulator, whose times are not performance. Of several files there is a table. */
static enum pmpp_status explain(const struct cli_options *options, const struct own_kernel *like,
	struct trial *trial, struct pmpp_error *error)
{
	struct cli_options copy = *options;

	copy.terminal.quiet |= options->argument_count > 1 && !options->terminal.verbose;
	if (!choose_emulator(like, &copy))
		return PMPP_OK;
	return run_job(JOB_EXPLAIN, &copy, like, trial, error);
}

/* Whether the value of --backend or --device names an emulator: "cuda-emu", "cuda-emu:0". */
static bool is_emulator(const char *text)
{
	char name[24];
	enum gpu_backend_id backend;

	if (!text)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
	return gpu_backend_find(name, &backend) && gpu_backend_row(backend)->on_request;
}

/* Times the ladder with the kernel on the device that was named, else on a GPU. */
static enum pmpp_status time_ladder(
	const struct cli_options *options, struct trial *trial, struct pmpp_error *error)
{
	const struct own_kernel *kernel = trial->kernel;
	struct cli_options copy = *options;
	bool named = options->job.backend || options->job.device;

	if (!kernel || is_emulator(options->job.backend) || is_emulator(options->job.device))
		return PMPP_OK;
	if (!named) {
		copy.job.backend =
			gpu_backend_name(kernel->cuda ? GPU_BACKEND_CUDA : GPU_BACKEND_OPENCL);
		copy.job.device = "gpu";
		copy.job.backend_from = "--backend";
		copy.job.device_from = "--device";
	}
	enum pmpp_status status = run_job(JOB_RUN, &copy, kernel, trial, error);
	if (status != PMPP_UNAVAILABLE || named)
		return status;
	pmpp_error_clear(error);
	if (cli_prints(options))
		puts(kernel->cuda
				? "not timed: no GPU for CUDA on this machine"
				: "not timed: no GPU for OpenCL on this machine; --device=cpu times "
				  "the kernel on the CPU");
	return PMPP_OK;
}

/* Prints the last line: the name of the mistake, what shows it, and the line to look at. */
static void put_mistake(const struct cli_options *options, const struct mistake *mistake)
{
	char *line = NULL, lines[60] = "";

	if (mistake->line && mistake->other_line && mistake->other_line != mistake->line)
		snprintf(lines, sizeof lines, "; lines %d and %d", mistake->line,
			mistake->other_line);
	else if (mistake->line)
		snprintf(lines, sizeof lines, "; line %d", mistake->line);
	text_format(&line, "mistake     %s: %s%s", mistake->name ? mistake->name : "not known",
		mistake->text, lines);
	if (line)
		put_line(options, line);
	free(line);
}

/* Decides the conditions on a kernel. */
static enum pmpp_status judge(
	const struct cli_options *options, struct trial *trial, struct pmpp_error *error)
{
	struct cli_options copy = *options;
	struct judged_kernel judged = {.variant = trial->kernel->variant.name,
		.correct = trial->correct,
		.explained = &trial->traced,
		.times = &trial->rows,
		.not_timed = trial->exit_code == EXIT_CODE_OK ? "no device"
							      : "only a right kernel is timed"};

	set_choices(trial->kernel, &copy.job.choices);
	choose_emulator(trial->kernel, &copy);
	return requirements_end(&trial->requirements, &judged, &copy, trial->kernel->family,
		&trial->exit_code, error);
}

static enum pmpp_status run_trial(const struct cli_options *options, const struct own_kernel *like,
	struct trial *trial, struct pmpp_error *error)
{
	char hint[400], line[sizeof "hint: " + sizeof hint];
	enum pmpp_status status = verify(options, like, trial, error);

	if (status == PMPP_OK && trial->kernel)
		status = mistakes_find(trial->kernel, &trial->rows.results, &trial->mistake,
			&trial->has_mistake, error);
	if (status == PMPP_OK && try_hint(trial, hint, sizeof hint)) {
		snprintf(line, sizeof line, "hint: %s", hint);
		put_line(options, line);
	}
	if (trial->exit_code != EXIT_CODE_ALL_SKIPPED)
		trial->correct = truth_of(trial->exit_code == EXIT_CODE_OK);
	/* A kernel that does not compile has no page; a wrong one has. */
	if (status == PMPP_OK &&
		(trial->exit_code == EXIT_CODE_OK || trial->exit_code == EXIT_CODE_FAILED))
		status = explain(options, like, trial, error);
	if (status == PMPP_OK && trial->exit_code == EXIT_CODE_OK)
		status = time_ladder(options, trial, error);
	if (status == PMPP_OK && trial->has_mistake)
		put_mistake(options, &trial->mistake);
	if (status == PMPP_OK && trial->kernel)
		status = judge(options, trial, error);
	return status;
}

/* ---- Files and variants ------------------------------------------------------------------------ */

static bool is_variant(const char *word)
{
	return access(word, F_OK) != 0 && strchr(word, '/') && targets_begin_with(word);
}

/* All kernels and variants must solve the same problem. *like: the first kernel. */
static enum pmpp_status check_trials(
	const struct trial_list *trials, const struct own_kernel **like, struct pmpp_error *error)
{
	*like = NULL;
	for (size_t i = 0; i < trials->count && !*like; i++)
		*like = trials->items[i].kernel;
	if (!*like)
		return PMPP_FAIL(error, PMPP_USAGE,
			"try: %s is a variant: give a FILE of yours too, or `pmpp-run verify %s`",
			trials->items[0].word, trials->items[0].word);
	const char *name = (*like)->family->name;
	for (size_t i = 0; i < trials->count; i++) {
		const struct trial *trial = &trials->items[i];
		size_t length = strcspn(trial->word, "/");
		bool same = trial->kernel ? strcmp(trial->kernel->family->name, name) == 0
					  : strlen(name) == length &&
						    strncmp(trial->word, name, length) == 0;
		if (!same)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s solves another problem than %s, %s: try them one after the other",
				trial->word, (*like)->file, name);
	}
	return PMPP_OK;
}

static enum pmpp_status read_trials(const struct cli_options *options, struct own_problem **problem,
	struct trial_list *trials, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	trials->items = calloc(options->argument_count, sizeof *trials->items);
	if (!trials->items)
		return PMPP_NO_MEMORY(error, "the files");
	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++) {
		struct trial *trial = &trials->items[trials->count++];
		trial->word = options->arguments[i];
		trial->exit_code = EXIT_CODE_ALL_SKIPPED;
		record_init(&result_document_type, &trial->rows);
		record_init(&explain_document_type, &trial->traced);
		if (is_variant(trial->word))
			continue;
		status = read_kernel(options, trial->word, problem, &trial->kernel, error);
		if (status == PMPP_OK)
			status = requirements_begin(options, trial->kernel->family,
				trial->kernel->text, &trial->requirements, error);
	}
	return status;
}

static void finish_trials(struct trial_list *trials)
{
	for (size_t i = 0; i < trials->count; i++) {
		record_finish(&result_document_type, &trials->items[i].rows);
		record_finish(&explain_document_type, &trials->items[i].traced);
		requirements_finish(&trials->items[i].requirements);
		own_kernel_destroy(trials->items[i].kernel);
	}
	free(trials->items);
}

enum pmpp_status cmd_try(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct trial_list trials = {0};
	struct own_problem *problem = NULL;
	const struct own_kernel *like = NULL;
	enum exit_code worst = EXIT_CODE_ALL_SKIPPED;
	enum pmpp_status status = read_trials(options, &problem, &trials, error);

	if (status == PMPP_OK)
		status = check_trials(&trials, &like, error);
	if (status == PMPP_OK)
		status = try_outputs_check(options, &trials, error);
	for (size_t i = 0; i < trials.count && status == PMPP_OK; i++) {
		status = run_trial(options, like, &trials.items[i], error);
		worst = exit_code_worst(worst, (enum exit_code)trials.items[i].exit_code);
	}
	*ret_exit = (int)worst;
	if (status == PMPP_OK)
		status = try_outputs_write(options, &trials, error);
	else if (status == PMPP_INTERRUPTED)
		try_outputs_write(options, &trials, error);
	finish_trials(&trials);
	finish_problem(problem);
	return status;
}
