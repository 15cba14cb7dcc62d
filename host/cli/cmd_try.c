/* A kernel of the user: the checks of `verify`, the page of `explain`, and its place on the ladder of `run`. */
#include "host/cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "common/own/kernel.h"
#include "host/cli/command_job.h"
#include "host/cli/own_files.h"
#include "host/cli/requirements.h"
#include "host/cli/try_outputs.h"
#include "host/gpu/backends.h"
#include "host/run/mistakes.h"
#include "host/run/targets.h"

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Runs one job of a trial. Its exit code becomes the worse code. like: a kernel with the type and operation of the
 * problem. */
static enum pmpp_status run_job(enum job_action action, const struct cli_options *options,
	const struct own_kernel *like, struct trial *trial, struct pmpp_error *error)
{
	struct result_document rows;
	struct command_task task;
	const struct own_kernel *own[] = {trial->kernel};
	struct cli_options copy = *options;
	int found = EXIT_CODE_OK;

	/* Times are beside those of the variants of the family. */
	copy.argument_count = trial->kernel && (action != JOB_RUN || like->family->own) ? 0 : 1;
	copy.arguments[0] = trial->kernel ? like->family->name : trial->word;
	copy.job.own = own;
	copy.job.own_count = trial->kernel ? 1 : 0;
	copy.trying.problem = NULL;
	copy.job.tunables.shared_bytes = 0;
	copy.json = copy.report = NULL;
	choices_of_own(like, &copy.job.choices);
	record_init(&result_document_type, &rows);
	enum pmpp_status status = command_task_prepare(action, &copy, &task, error);
	task.collecting.warned = action != JOB_VERIFY;
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

/* Whether every run without a result was ended by a defect that the emulator found: the kernel is wrong, not its
 * build or the device. The page of a kernel that does not end would take the time limit once more. */
static bool ended_by_defects(const struct result_row_list *rows)
{
	bool any = false;

	for (size_t i = 0; i < rows->count; i++) {
		const struct result_row *row = &rows->items[i];
		if (result_row_class(row) != OUTCOME_CLASS_BROKEN)
			continue;
		if (!row->symptoms.defect.record.present || row->status == OUTCOME_TIMEOUT)
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
	copy.terminal.wrong = trial->exit_code == EXIT_CODE_FAILED;
	if (!choose_emulator(trial->kernel ? trial->kernel : like, &copy))
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

/* Prints the name of the mistake, what shows it, the line to look at, and what to change. */
static void put_mistake(const struct cli_options *options, const struct mistake *mistake)
{
	char *line = NULL, lines[60] = "", text[200];

	if (mistake->line && mistake->other_line && mistake->other_line != mistake->line)
		snprintf(lines, sizeof lines, "; lines %d and %d", mistake->line,
			mistake->other_line);
	else if (mistake->line)
		snprintf(lines, sizeof lines, "; line %d", mistake->line);
	text_format(&line, "mistake     %s: %s%s", mistake->name ? mistake->name : "not known",
		mistake->text, lines);
	if (line)
		own_files_print(options, line);
	free(line);
	const char *advice = mistake_advice(mistake->name);
	if (*advice) {
		snprintf(text, sizeof text, "advice      %s", advice);
		own_files_print(options, text);
	}
}

/* The first wrong row gets the mistake, for files and the page. */
static void keep_mistake(struct trial *trial)
{
	const struct mistake *mistake = &trial->mistake;
	struct result_row_list *rows = &trial->rows.results;
	size_t i = 0;

	while (i < rows->count && result_row_class(&rows->items[i]) < OUTCOME_CLASS_BROKEN)
		i++;
	if (!trial->has_mistake || i == rows->count)
		return;
	struct mistake_record *record = &rows->items[i].mistake;
	record->record.present = true;
	text_set_known(&record->name, mistake->name ? mistake->name : "");
	text_set(&record->text, mistake->text);
	text_set_known(&record->advice, mistake_advice(mistake->name));
	record->line = mistake->line ? mistake->line : -1;
	record->other_line = mistake->other_line ? mistake->other_line : -1;
}

/* Decides the conditions on a kernel. */
static enum pmpp_status judge(
	const struct cli_options *options, struct trial *trial, struct pmpp_error *error)
{
	struct cli_options copy = *options;
	struct judged_kernel judged = {.variant = trial->kernel->variant.name,
		.correct = trial->correct,
		.explained = &trial->traced,
		.rows = &trial->rows,
		.mistake = trial->has_mistake ? &trial->mistake : NULL,
		.not_timed = trial->exit_code == EXIT_CODE_OK ? "no device"
							      : "only a right kernel is timed"};

	choices_of_own(trial->kernel, &copy.job.choices);
	choose_emulator(trial->kernel, &copy);
	return requirements_end(&trial->requirements, &judged, &copy, trial->kernel->family,
		&trial->exit_code, error);
}

static enum pmpp_status run_trial(const struct cli_options *options, const struct own_kernel *like,
	struct trial *trial, struct pmpp_error *error)
{
	char hint[400], line[sizeof "hint: " + sizeof hint];

	if (trial->unread) {
		own_files_print(options, trial->unread);
		trial->exit_code = EXIT_CODE_BROKEN;
		requirements_refuse(options, trial->unread, &trial->exit_code);
		return PMPP_OK;
	}
	enum pmpp_status status = verify(options, like, trial, error);

	if (status == PMPP_OK && trial->kernel)
		status = mistakes_find(trial->kernel, &trial->rows.results, &trial->mistake,
			&trial->has_mistake, error);
	if (status == PMPP_OK)
		keep_mistake(trial);
	if (status == PMPP_OK && try_hint(trial, hint, sizeof hint)) {
		snprintf(line, sizeof line, "hint: %s", hint);
		own_files_print(options, line);
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
		if (!same && !trial->unread)
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s solves another problem than %s, %s: run try once for each problem",
				trial->word, (*like)->file, name);
	}
	return PMPP_OK;
}

static enum pmpp_status make_trials(const struct cli_options *options,
	const struct own_files *files, struct trial_list *trials, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	trials->items = calloc(files->count + 1, sizeof *trials->items);
	if (!trials->items)
		return PMPP_NO_MEMORY(error, "the files");
	for (size_t i = 0; i < files->count && status == PMPP_OK; i++) {
		struct trial *trial = &trials->items[trials->count++];
		trial->word = files->items[i].word;
		trial->kernel = files->items[i].kernel;
		trial->unread = files->items[i].unread;
		trial->exit_code = EXIT_CODE_ALL_SKIPPED;
		record_init(&result_document_type, &trial->rows);
		record_init(&explain_document_type, &trial->traced);
		if (trial->kernel)
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
	}
	free(trials->items);
}

enum pmpp_status cmd_try(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct trial_list trials = {0};
	struct cli_options copy = *options;
	struct own_files files;
	const struct own_kernel *like = NULL;
	enum exit_code worst = EXIT_CODE_ALL_SKIPPED;
	enum pmpp_status status = own_files_read(options, &files, error);

	if (status == PMPP_OK)
		status = make_trials(options, &files, &trials, error);
	if (status == PMPP_OK)
		status = check_trials(&trials, &like, error);
	if (status == PMPP_OK)
		status = try_outputs_check(options, &trials, error);
	/* The page of one file is printed, whether its problem is an argument or not. */
	copy.argument_count = files.count;
	for (size_t i = 0; i < trials.count && status == PMPP_OK; i++) {
		status = run_trial(&copy, like, &trials.items[i], error);
		worst = exit_code_worst(worst, (enum exit_code)trials.items[i].exit_code);
	}
	*ret_exit = (int)worst;
	if (files.unread)
		requirements_refuse(options, error->message, ret_exit);
	if (status == PMPP_OK)
		status = try_outputs_write(options, &trials, error);
	else if (status == PMPP_INTERRUPTED)
		try_outputs_write(options, &trials, error);
	finish_trials(&trials);
	own_files_finish(&files);
	return status;
}
