/* Conditions of `try` and `explain`, and the command `explain`. */
#include "host/cli/requirements.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/cli/cmd.h"
#include "host/compare/kernel_figures.h"
#include "host/report/table.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static enum pmpp_status read_file(const char *path, char **ret_text, struct pmpp_error *error)
{
	FILE *file = fopen(path, "r");
	size_t size = 0;

	if (!file || getdelim(ret_text, &size, '\0', file) < 0) {
		PMPP_FAIL(error, PMPP_USAGE,
			"--require=@%s: the file cannot be read, or is empty%s%s", path,
			file ? "" : ": ", file ? "" : strerror(errno));
		if (file)
			fclose(file);
		return PMPP_USAGE;
	}
	fclose(file);
	return PMPP_OK;
}

/* The names of the operands and of the variants of a family. */
struct names {
	const char *operands[PMPP_MAX_OPERANDS];
	const char **rungs; /* owned */
};

static enum pmpp_status add_conditions(const struct cli_options *options,
	const struct require_names *names, const char *source, struct require_list *list,
	struct pmpp_error *error)
{
	const char *option = options->require;
	char *text = NULL, *comments = source ? require_comments(source) : NULL;
	enum pmpp_status status = PMPP_OK;

	if (source && !comments)
		status = PMPP_NO_MEMORY(error, "the conditions");
	if (status == PMPP_OK && comments)
		status = require_add("//pmpp: require", comments, names, list, error);
	/* A kernel that is graded gives itself no points. */
	for (size_t i = 0; i < list->count; i++)
		list->items[i].points = 0;
	if (status == PMPP_OK && option && *option == '@') {
		status = read_file(option + 1, &text, error);
		option = text;
	}
	if (status == PMPP_OK && option)
		status = require_add(
			text ? options->require + 1 : "--require", option, names, list, error);
	free(text);
	free(comments);
	return status;
}

/* `explain` neither verifies nor times other variants. */
static enum pmpp_status check_figures(const struct require_list *list, struct pmpp_error *error)
{
	for (size_t i = 0; i < list->count; i++)
		if (require_uses(&list->items[i], FIGURE_CORRECT) ||
			require_uses(&list->items[i], FIGURE_STEP))
			return PMPP_FAIL(error, PMPP_USAGE,
				"'%s': explain does not verify or compare times: give the condition to "
				"`pmpp-run try`",
				list->items[i].text);
	return PMPP_OK;
}

enum pmpp_status requirements_begin(const struct cli_options *options, const struct family *family,
	const char *source, struct requirements *ret_requirements, struct pmpp_error *error)
{
	struct names found = {.rungs = calloc(family->variant_count + 1, sizeof *found.rungs)};
	enum pmpp_status status = PMPP_OK;

	*ret_requirements = (struct requirements){.list.count = 0};
	record_init(&explain_document_type, &ret_requirements->rungs);
	if (!found.rungs)
		return PMPP_NO_MEMORY(error, "the conditions");
	for (size_t i = 0; i < family->operand_count; i++)
		found.operands[i] = family->operands[i].name;
	for (size_t i = 0; i < family->variant_count; i++)
		found.rungs[i] = family->variants[i].name;
	const struct require_names names = {
		found.operands, found.rungs, family->operand_count, family->variant_count};
	status = add_conditions(options, &names, source, &ret_requirements->list, error);
	free(found.rungs);
	return status;
}

void requirements_finish(struct requirements *requirements)
{
	record_finish(&explain_document_type, &requirements->rungs);
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

/* Explains a variant of the family, unless that is done. */
static enum pmpp_status explain_rung(struct requirements *requirements,
	const struct cli_options *options, const char *family, const char *rung,
	struct pmpp_error *error)
{
	struct cli_options copy = *options;
	struct explain_document document;
	struct command_task task;
	char word[120];
	int ignored = EXIT_CODE_OK;

	for (size_t i = 0; i < requirements->rungs.explanations.count; i++)
		if (text_equal(requirements->rungs.explanations.items[i].variant, rung))
			return PMPP_OK;
	snprintf(word, sizeof word, "%s/%s", family, rung);
	copy.arguments[0] = word;
	copy.argument_count = 1;
	copy.job.own_count = 0;
	copy.trying.problem = NULL;
	copy.job.suite.kernel_dir = NULL;
	copy.json = copy.csv = copy.markdown = NULL;
	copy.terminal.quiet = true;
	record_init(&explain_document_type, &document);
	enum pmpp_status status = command_task_prepare(JOB_EXPLAIN, &copy, &task, error);
	task.collecting.ret_explanations = &document;
	if (status == PMPP_OK)
		status = command_task_run(&task, NULL, &ignored, error);
	for (size_t i = 0; i < document.explanations.count && status == PMPP_OK; i++)
		status = record_list_add_copy(&explanation_type, &requirements->rungs.explanations,
			&document.explanations.items[i], error);
	command_task_finish(&task);
	record_finish(&explain_document_type, &document);
	return status;
}

static enum pmpp_status explain_rungs(struct requirements *requirements,
	const struct cli_options *options, const struct family *family, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < requirements->list.count; i++)
		for (size_t k = 0; k < requirements->list.items[i].figure_count; k++) {
			const struct require_figure *figure =
				&requirements->list.items[i].figures[k];
			if (figure->id == FIGURE_FLOOR && *figure->argument && status == PMPP_OK)
				status = explain_rung(requirements, options, family->name,
					figure->argument, error);
		}
	return status;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

static const struct table_column columns[] = {
	{.key = "state", .title = "", .priority = 0, .width = 7},
	{.key = "condition", .title = "condition", .priority = 0, .width = 12},
	{.key = "value", .title = "value", .align = TABLE_RIGHT, .priority = 0, .width = 6},
	{.key = "line", .title = "line", .align = TABLE_RIGHT, .priority = 1, .width = 4},
	{.key = "text", .title = "source or reason", .align = TABLE_REST, .priority = 2},
};

/* How many conditions are in a state, and their points. */
struct tally {
	size_t states[REQUIRE_SKIPPED + 1];
	int64_t points, all_points;
	bool is_wrong; /* `correct` is a condition, and does not hold: there are no points */
};

/* In the unit of the first figure. */
static void format_value(
	const struct require_condition *condition, double value, char *text, size_t size)
{
	const char *unit = require_figures[condition->figures[0].id].unit;

	if (isnan(value))
		snprintf(text, size, "-");
	else if (require_uses(condition, FIGURE_CORRECT))
		snprintf(text, size, "%s", value > 0 ? "yes" : "no");
	else if (!unit)
		snprintf(text, size, "%.6g", value);
	else if (*unit == '%')
		snprintf(text, size, "%.4g %%", 100 * value);
	else
		format_ns(value, text, size);
}

/* A condition that fails: the source with the worst value, or the value of a right side that is not a number of the
 * text, or why the value is unknown. */
static void add_reason(struct table *table, const struct require_condition *condition,
	const struct require_value *value)
{
	char right[64];

	if (isnan(value->value)) {
		table_text(table, value->reason);
	} else if (value->text && *value->text) {
		table_text(table, value->text);
	} else if (condition->figure_count > 1) {
		format_value(condition, value->right, right, sizeof right);
		table_format(table, "the right side is %s", right);
	}
}

static void add_row(struct table *table, const struct require_condition *condition,
	enum require_state state, const struct require_value *value)
{
	static const char *const words[] = {"holds", "FAILS", "skipped"};
	static const enum style styles[] = {STYLE_GREEN, STYLE_RED, STYLE_DIM};
	bool shows_place = state == REQUIRE_FAILS && value->line > 0;
	char text[64];

	format_value(condition, value->value, text, sizeof text);
	table_row(table, STYLE_PLAIN);
	table_text(table, words[state])->style = styles[state];
	table_text(table, condition->text);
	table_text(table, text);
	if (shows_place)
		table_format(table, "%lld", (long long)value->line);
	else
		table_text(table, "");
	if (state != REQUIRE_HOLDS)
		add_reason(table, condition, value);
}

static void put_tally(FILE *out, const struct tally *tally, size_t count)
{
	fprintf(out, "%zu of %zu conditions hold", tally->states[REQUIRE_HOLDS], count);
	if (tally->states[REQUIRE_SKIPPED])
		fprintf(out, ", %zu skipped", tally->states[REQUIRE_SKIPPED]);
	if (tally->all_points)
		fprintf(out, ": %lld of %lld points%s",
			(long long)(tally->is_wrong ? 0 : tally->points),
			(long long)tally->all_points,
			tally->is_wrong ? ": the kernel is not correct" : "");
	fputc('\n', out);
}

/* Decides all conditions of a kernel, and prints them. */
static void judge(const struct require_list *list, struct kernel_figures *figures,
	const struct terminal_options *options, int *exit_code)
{
	struct terminal terminal;
	struct table table;
	struct tally tally = {.points = 0};

	terminal_init(&terminal, options);
	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < list->count; i++) {
		const struct require_condition *condition = &list->items[i];
		bool is_correct = require_uses(condition, FIGURE_CORRECT);
		bool is_wrong = is_correct || require_uses(condition, FIGURE_DEFECTS);
		struct require_value value;
		enum require_state state =
			require_decide(condition, kernel_figure_find, figures, &value);
		tally.states[state]++;
		tally.is_wrong |= is_correct && state != REQUIRE_HOLDS;
		tally.all_points += condition->points;
		tally.points += state == REQUIRE_HOLDS ? condition->points : 0;
		add_row(&table, condition, state, &value);
		/* A kernel that does not compile has the worst code. */
		if (state == REQUIRE_FAILS && *exit_code != EXIT_CODE_BROKEN)
			*exit_code = (int)exit_code_worst((enum exit_code) * exit_code,
				is_wrong ? EXIT_CODE_FAILED : EXIT_CODE_REGRESSION);
	}
	if (terminal.out) {
		fputc('\n', terminal.out);
		table_put(&table, terminal.out, &terminal.style);
		put_tally(terminal.out, &tally, list->count);
		fflush(terminal.out);
	}
	table_finish(&table);
	terminal_finish(&terminal);
}

static bool is_timed(const struct judged_kernel *judged)
{
	for (size_t i = 0; judged->rows && i < judged->rows->results.count; i++)
		if (result_row_median_ns(&judged->rows->results.items[i]) > 0)
			return true;
	return false;
}

enum pmpp_status requirements_end(struct requirements *requirements,
	const struct judged_kernel *judged, const struct cli_options *options,
	const struct family *family, int *exit_code, struct pmpp_error *error)
{
	const struct explanation_list *all = &judged->explained->explanations;
	struct kernel_figures figures = {.correct = judged->correct,
		.mistake = judged->mistake,
		.rungs = &requirements->rungs.explanations,
		.rows = judged->rows ? &judged->rows->results : NULL,
		.not_timed = is_timed(judged) ? NULL : judged->not_timed,
		.variant = judged->variant};
	enum pmpp_status status = requirements->list.count
					  ? explain_rungs(requirements, options, family, error)
					  : PMPP_OK;

	if (status != PMPP_OK || requirements->list.count == 0)
		return status;
	/* A kernel that does not compile was not explained. */
	size_t count = all->count == 0 && judged->variant ? 1 : all->count;
	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < all->count && all->items[end].launch.index > 1;)
			end++;
		figures.launches = all->count ? &all->items[first] : NULL;
		figures.launch_count = all->count ? end - first : 0;
		if (!judged->variant && cli_prints(options))
			printf("\n%s/%s", family->name, all->items[first].variant);
		judge(&requirements->list, &figures, &options->terminal, exit_code);
	}
	return PMPP_OK;
}

void requirements_refuse(const struct cli_options *options, const char *reason, int *exit_code)
{
	struct require_list list = {.count = 0};
	struct mistake mistake = {.name = NULL};
	struct kernel_figures figures = {.correct = TRUTH_NO,
		.mistake = &mistake,
		.not_timed = "only a right kernel is timed"};
	struct pmpp_error error = PMPP_ERROR_INIT;
	bool is_read =
		options->require && add_conditions(options, NULL, NULL, &list, &error) == PMPP_OK;

	pmpp_error_clear(&error);
	if (!is_read)
		return;
	snprintf(mistake.text, sizeof mistake.text, "%s", reason);
	*exit_code = EXIT_CODE_BROKEN;
	judge(&list, &figures, &options->terminal, exit_code);
}

/* ---- The command `explain` ------------------------------------------------------------------- */

enum pmpp_status cmd_explain(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct requirements requirements = {.list.count = 0};
	struct explain_document explained;
	const struct judged_kernel judged = {.explained = &explained};
	struct command_task task;

	enum pmpp_status status = command_task_prepare(JOB_EXPLAIN, options, &task, error);
	if (status == PMPP_OK && options->require && task.job.targets.count != 1)
		status = PMPP_FAIL(
			error, PMPP_USAGE, "--require needs one family: name its variants");
	if (status == PMPP_OK && options->report)
		status = command_check_page(options, &task.job, error);
	if (status != PMPP_OK) {
		command_task_finish(&task);
		return status;
	}
	const struct family *family = task.job.targets.items[0].family;
	if (options->require)
		status = requirements_begin(options, family, NULL, &requirements, error);
	if (status == PMPP_OK)
		status = check_figures(&requirements.list, error);
	record_init(&explain_document_type, &explained);
	task.collecting.ret_explanations = &explained;
	if (status == PMPP_OK)
		status = command_task_run(&task, NULL, ret_exit, error);
	if (status == PMPP_OK)
		status = requirements_end(&requirements, &judged, options, family, ret_exit, error);
	if (status == PMPP_OK && options->report)
		status = command_write_explained(options, &explained, NULL, NULL, error);
	record_finish(&explain_document_type, &explained);
	requirements_finish(&requirements);
	command_task_finish(&task);
	return status;
}
