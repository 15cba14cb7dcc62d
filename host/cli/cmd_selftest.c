#include "host/cli/cmd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/io/clock.h"
#include "host/report/wrap.h"
#include "host/run/runner.h"
#include "host/run/stop.h"
#include "host/run/worker.h"
#include "host/selftest/choice.h"

struct selftest_view {
	struct terminal terminal;
	struct selftest_tally tally;
	struct text_list mistaken; /* one line for each kernel that was judged mistakenly */
	struct named_list not_run; /* reasons of kernels that were not run, and how many kernels */
	size_t left_out;           /* kernels that the device cannot run */
	size_t not_chosen;
	char *device;   /* its label; NULL: none yet */
	bool is_choice; /* without arguments: a choice of the kernels, with a time limit */
	bool verbose;
};

/* ---- Events -------------------------------------------------------------------------------- */

static void take_device(struct selftest_view *view, const struct event *event)
{
	if (!view->device && view->terminal.out) {
		char *title = device_record_title(&event->device);
		terminal_wipe(&view->terminal);
		fprintf(view->terminal.out, "selftest on %s, %s\n", text_or_empty(event->label),
			text_or_empty(title));
		fflush(view->terminal.out);
		free(title);
	}
	text_set(&view->device, text_or_empty(event->label));
}

/* With -v: a line for each kernel. */
static void put_finding(struct selftest_view *view, const struct event *event,
	const struct mutant *mutant, enum selftest_finding finding)
{
	const char *good = mutant->verdict == PASSES ? "ok" : "rejected";
	const char *reason = text_or_empty(event->row.reason);

	if (!view->verbose || !view->terminal.out || finding == FINDING_MISTAKEN)
		return;
	terminal_wipe(&view->terminal);
	fprintf(view->terminal.out, "%s: %s%s%s\n", finding == FINDING_GOOD ? good : "not run",
		text_or_empty(event->label), *reason ? ": " : "", reason);
}

static void take_row(struct selftest_view *view, const struct event *event)
{
	const struct mutant *mutant = mutant_at((size_t)event->task);
	size_t round = (size_t)event->task / mutant_count();
	char *line = NULL;

	view->left_out += round == SELFTEST_NOT_HERE;
	view->not_chosen += round == SELFTEST_NOT_CHOSEN;
	if (round >= SELFTEST_NOT_CHOSEN)
		return;
	enum selftest_finding finding = selftest_tally_add(&view->tally, mutant, &event->row);
	put_finding(view, event, mutant, finding);
	if (finding == FINDING_NOT_RUN)
		named_list_count(&view->not_run, text_or_empty(event->row.reason));
	if (finding == FINDING_MISTAKEN && mutant->verdict == PASSES)
		text_format(&line, "called wrong: %s: %s", text_or_empty(event->label),
			text_or_empty(event->row.reason));
	else if (finding == FINDING_MISTAKEN)
		text_format(&line, "got through: %s", text_or_empty(event->label));
	if (line)
		text_list_add(&view->mistaken, line);
	free(line);
	terminal_idle(&view->terminal);
}

static void take_event(void *context, struct event *event)
{
	struct selftest_view *view = context;

	if (event->kind == EVENT_DEVICE)
		take_device(view, event);
	else if (event->kind == EVENT_START)
		terminal_start(&view->terminal, text_or_empty(event->label), 0, 0);
	else if (event->kind == EVENT_RESULT)
		take_row(view, event);
	else if (event->kind == EVENT_DRIVER)
		terminal_driver_text(&view->terminal, event->text);
}

static void tick(void *context)
{
	terminal_tick(&((struct selftest_view *)context)->terminal);
}

/* ---- Output -------------------------------------------------------------------------------- */

static void put_table(FILE *out, const struct selftest_tally *tally)
{
	fprintf(out, "%-28s %7s  %8s  %11s  %7s\n", "wrong kernels", "kernels", "rejected",
		"got through", "not run");
	for (size_t t = 0; t < MUTANT_TABLE_COUNT; t++) {
		const size_t *of = tally->wrong[t];
		size_t all = of[FINDING_GOOD] + of[FINDING_MISTAKEN] + of[FINDING_NOT_RUN];
		if (all)
			fprintf(out, "%-28s %7zu  %8zu  %11zu  %7zu\n", mutant_tables[t].kind, all,
				of[FINDING_GOOD], of[FINDING_MISTAKEN], of[FINDING_NOT_RUN]);
	}
}

static void put_results(struct selftest_view *view)
{
	const struct selftest_tally *tally = &view->tally;
	const size_t *right = tally->right;
	size_t rejected = tally->all_wrong[FINDING_GOOD];
	size_t judged = rejected + tally->all_wrong[FINDING_MISTAKEN];
	size_t all = judged + tally->all_wrong[FINDING_NOT_RUN] + right[FINDING_GOOD] +
		     right[FINDING_MISTAKEN] + right[FINDING_NOT_RUN];
	struct wrap wrap;

	terminal_wipe(&view->terminal);
	if (!view->terminal.out) {
		for (size_t i = 0; i < view->mistaken.count; i++)
			terminal_warn(&view->terminal, view->mistaken.items[i]);
		return;
	}
	FILE *out = wrap_begin(&wrap, view->terminal.out, view->terminal.style.width);
	put_table(out, tally);
	for (size_t i = 0; i < view->mistaken.count; i++)
		fprintf(out, "%s\n", view->mistaken.items[i]);
	for (size_t i = 0; i < view->not_run.count; i++)
		fprintf(out, "%lld of %zu kernels not run: %s\n",
			(long long)view->not_run.items[i].value, all, view->not_run.items[i].name);
	if (view->left_out)
		fprintf(out,
			"%zu other kernels left out: this device cannot run them, or cannot show "
			"their mistake\n",
			view->left_out);
	if (view->not_chosen)
		fprintf(out, "%zu other kernels are not part of the choice\n", view->not_chosen);
	if (all + view->left_out == 0)
		fputs("selftest has no kernels of these variants: name a whole family (pmpp-run "
		      "selftest vecadd), or all\n",
			out);
	if (view->is_choice)
		fprintf(out,
			"all kernels, without a time limit: pmpp-run selftest all --device=%s\n",
			view->device);
	fprintf(out, "%zu of %zu wrong kernels rejected, %zu of %zu right kernels ok\n", rejected,
		judged, right[FINDING_GOOD], right[FINDING_GOOD] + right[FINDING_MISTAKEN]);
	wrap_end(&wrap);
}

/* ---- Command ------------------------------------------------------------------------------- */

enum pmpp_status cmd_selftest(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	static const char *const every[] = {"all"};
	struct job_options job_options = options->job;
	struct selftest_view view = {0};
	const struct event_sink sink = {.emit = take_event, .tick = tick, .context = &view};
	struct job job;

	view.is_choice = options->argument_count == 0;
	view.verbose = options->terminal.verbose;
	job_options.words = options->argument_count ? options->arguments : every;
	job_options.word_count = options->argument_count ? options->argument_count : 1;
	job_options.timeout_s = SELFTEST_MUTANT_S;
	enum pmpp_status status = job_prepare(JOB_SELFTEST, &job_options, &job, error);
	if (status != PMPP_OK)
		return status;
	job.last_begin_ns =
		view.is_choice ? host_clock_ns() + SELFTEST_BEGIN_S * 1e9 : (double)INFINITY;
	terminal_init(&view.terminal, &options->terminal);
	stop_begin();
	status = worker_run(&job, &sink, error);
	stop_end();
	if (status == PMPP_OK || view.device)
		put_results(&view);
	*ret_exit = selftest_tally_exit(&view.tally);
	terminal_finish(&view.terminal);
	text_list_finish(&view.mistaken);
	named_list_finish(&view.not_run);
	free(view.device);
	job_finish(&job);
	return status;
}
