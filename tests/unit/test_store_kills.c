/*
 * Writers of one store are killed at random moments: no finished row is lost or stored twice.
 *
 * Each round has a new store and 10 writers. A writer adds one row after the other, as a run does,
 * and reports a row after store_add_rest() has returned. The parent kills each writer with SIGKILL
 * after a random number of its reports and a random delay. Then each reported row is in the store
 * exactly once, the rows of a writer have no gap, and the database is not damaged.
 *
 * PMPP_STORE_ROUNDS sets the number of rounds (default 25, which takes seconds).
 */
#include "common/data.h"
#include "host/record/store.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	WRITERS = 10,
	MAX_ROWS = 400,  /* of one writer */
	MAX_REPORTS = 6, /* before a kill */
	MAX_DELAY_US = 4000
};

#define WAIT_MS 120000
#define SEED 12

/* One report on the pipe: less than PIPE_BUF, so that reports do not mix. */
struct report {
	int32_t writer, row;
};

struct writer {
	pid_t pid;
	int reported; /* rows */
	int target;   /* reports before the kill */
	int delay_us;
	bool killed;
};

static unsigned random_below(uint64_t *state, unsigned limit)
{
	return (unsigned)(data_bits(SEED, 0, (*state)++) % limit);
}

/* ---- A writer ------------------------------------------------------------------------------ */

static int write_row(const char *path, struct result_document *document, int row)
{
	struct store_rest rest = {0};
	struct store store;

	document->results.items[0].problem.items[0].value = row;
	enum pmpp_status status = store_open(path, true, WAIT_MS, &store, &test_error);
	if (status == PMPP_OK) {
		status = store_add_rest(&store, document, &rest, &test_error);
		store_close(&store);
	}
	if (status != PMPP_OK)
		fprintf(stderr, "writer: %s\n", test_error.message);
	return status == PMPP_OK;
}

static _Noreturn void write_rows(
	const char *path, struct result_document *document, int writer, int reports)
{
	char run[16];

	snprintf(run, sizeof run, "%d", writer);
	text_set(&document->run.id, run);
	for (int row = 0; row < MAX_ROWS; row++) {
		const struct report report = {writer, row};
		if (!write_row(path, document, row) ||
			write(reports, &report, sizeof report) != sizeof report)
			_exit(1);
	}
	/* On a busy machine, the kill may be later than the last row. */
	for (;;)
		pause();
}

/* ---- The parent ---------------------------------------------------------------------------- */

static void start(struct writer *writers, const char *path, int reports[2], uint64_t *state)
{
	TEST_DOCUMENT document;

	result_example_row(&document, "run", 0);
	for (int i = 0; i < WRITERS; i++) {
		writers[i] = (struct writer){.target = (int)random_below(state, MAX_REPORTS + 1),
			.delay_us = (int)random_below(state, MAX_DELAY_US)};
		writers[i].pid = fork();
		IS(writers[i].pid >= 0);
		if (writers[i].pid == 0)
			write_rows(path, &document, i, reports[1]);
	}
}

static void kill_ready(struct writer *writers)
{
	for (int i = 0; i < WRITERS; i++) {
		if (writers[i].killed || writers[i].reported < writers[i].target)
			continue;
		usleep((useconds_t)writers[i].delay_us);
		kill(writers[i].pid, SIGKILL);
		writers[i].killed = true;
	}
}

/* Reads reports until all writers are dead. Returns how many of them died by the kill. */
static int watch(struct writer *writers, int reports[2])
{
	struct report report;
	int killed = 0;

	kill_ready(writers);
	close(reports[1]);
	while (read(reports[0], &report, sizeof report) == sizeof report) {
		EQUAL(report.row, writers[report.writer].reported);
		writers[report.writer].reported++;
		kill_ready(writers);
	}
	close(reports[0]);
	for (int i = 0; i < WRITERS; i++) {
		int status = 0;
		EQUAL(waitpid(writers[i].pid, &status, 0), writers[i].pid);
		killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	}
	return killed;
}

/* ---- The store afterwards ------------------------------------------------------------------ */

struct seen {
	int rows[WRITERS][MAX_ROWS];
};

static enum pmpp_status take(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	struct seen *seen = context;
	int writer = atoi(document->run.id);

	(void)error;
	for (size_t i = 0; i < document->results.count; i++)
		seen->rows[writer][document->results.items[i].problem.items[0].value]++;
	return PMPP_OK;
}

static void check_rows(struct store *store, const struct writer *writers)
{
	static struct seen seen;
	const struct store_filter all = {0};

	memset(&seen, 0, sizeof seen);
	test_ok(store_each(store, &all, take, &seen, &test_error));
	for (int w = 0; w < WRITERS; w++)
		for (int r = 0; r < MAX_ROWS; r++) {
			/* The last row may be in the store without a report. */
			int max = r <= writers[w].reported, min = r < writers[w].reported;
			if (seen.rows[w][r] < min || seen.rows[w][r] > max)
				test_fail(
					"writer %d, %d rows reported: the store has row %d %d times",
					w, writers[w].reported, r, seen.rows[w][r]);
		}
}

static void check_store(const char *path, const struct writer *writers)
{
	sqlite3_stmt *statement = NULL;
	FINISHED(store_close) struct store store;

	/* A store without a row may have no tables. */
	test_ok(store_open(path, true, WAIT_MS, &store, &test_error));
	check_rows(&store, writers);
	CHECK(EQUAL(sqlite3_prepare_v2(
			    store.handle, "PRAGMA integrity_check", -1, &statement, NULL),
		      SQLITE_OK),
		EQUAL(sqlite3_step(statement), SQLITE_ROW),
		STRING((const char *)sqlite3_column_text(statement, 0), "ok"));
	sqlite3_finalize(statement);
}

TEST(rounds, "killed writers")
{
	const char *text = getenv("PMPP_STORE_ROUNDS");
	const char *folder = test_folder();
	int count = text ? atoi(text) : 25;
	uint64_t state = 0;
	int killed = 0, reported = 0;

	for (int round = 0; round < count; round++) {
		struct writer writers[WRITERS];
		char path[4096];
		int reports[2];
		snprintf(path, sizeof path, "%s/%d/results.db", folder, round);
		EQUAL(pipe(reports), 0);
		start(writers, path, reports, &state);
		killed += watch(writers, reports);
		check_store(path, writers);
		for (int i = 0; i < WRITERS; i++)
			reported += writers[i].reported;
	}
	test_note("%d rounds: %d of %d writers killed, %d rows reported", count, killed,
		count * WRITERS, reported);
	EQUAL(killed, count * WRITERS);
}
