/* kernels/copies.cu: an asynchronous copy completes at the wait. A defect causes an error with its
 * line or, in the plain build, a wrong answer. */
#include "tests/emulator/emulator.h"

#define WORDS_IN 256
#define FULL 100 /* of copies.cu */

typedef int expected_fn(const int *in, int i);

static enum pmpp_status run_copies(
	struct emu *emu, const char *entry, int in[WORDS_IN], int out[WORDS_IN])
{
	const struct emu_run run = {entry, .groups = {strcmp(entry, "leaves_early") == 0 ? 2 : 1},
		.block = {64}, .shared_bytes = strcmp(entry, "sizes") == 0 ? 256 : 0,
		.args = {{.kind = GPU_ARG_BUFFER, .words = in, .count = WORDS_IN},
			{.kind = GPU_ARG_BUFFER, .words = out, .count = WORDS_IN}},
		.arg_count = 2};

	for (int i = 0; i < WORDS_IN; i++)
		in[i] = 0x01010101 * (i % 100 + 1);
	memset(out, 0, WORDS_IN * sizeof *out);
	return emu_run(emu, &run);
}

/* ---- Right kernels --------------------------------------------------------------------------- */

static int turned_tiles(const int *in, int i)
{
	return in[i / 64 * 64 + 63 - i % 64];
}

static int with_zeros(const int *in, int i)
{
	const unsigned char keep[28] = {[14] = 3, [15] = 0, [22] = 0, [23] = 0, [27] = 3};

	if (i >= 28)
		return 0;
	if (i != 14 && i != 15 && i != 22 && i != 23 && i != 27)
		return in[i];
	return in[i] & (int)((1u << 8 * keep[i]) - 1);
}

static int turned_sum(const int *in, int i)
{
	return i < 64 ? (int)((unsigned)in[63 - i] * FULL) : 0;
}

static int same(const int *in, int i)
{
	return i < 64 ? in[i] : 0;
}

static int turned(const int *in, int i)
{
	return i < 64 ? in[63 - i] : 0;
}

static const struct right {
	const char *entry;
	expected_fn *expected;
} rights[] = {
	{"pipeline", turned_tiles},
	{"sizes", with_zeros},
	{"many", turned_sum},
	{"empty_group", same},
	{"leaves_early", turned},
};

static const enum gpu_order orders[] = {GPU_ORDER_FORWARD, GPU_ORDER_REVERSED, GPU_ORDER_SHUFFLED};

#define ORDERS (sizeof orders / sizeof *orders)

TEST_ROWS_ON_CALL(test_right, rights, true, "copies: %s", row->entry)
{
	int in[WORDS_IN], out[WORDS_IN];

	for (int traced = 0; traced < 2; traced++) {
		EMU emu = emu_start("1", NULL);
		emu_build_file(&emu, "copies", traced);
		for (size_t o = 0; o < ORDERS; o++) {
			gpu_set_order(emu.device, orders[o], 5);
			test_ok(run_copies(&emu, row->entry, in, out));
			for (int i = 0; i < WORDS_IN; i++)
				if (out[i] != row->expected(in, i))
					test_fail("traced %d: word %d is %#x, not %#x", traced, i,
						(unsigned)out[i], (unsigned)row->expected(in, i));
		}
	}
}

/* The destination of a copy is no store. "empty_group" copies one word per thread of two warps. */
TEST_ON_CALL(test_counts, "copies: counts")
{
	const struct gpu_watch watch = {.step_limit = 100000};
	int in[WORDS_IN], out[WORDS_IN];
	FINISHED(trace_finish) struct trace trace = {0};
	uint64_t lanes[TRACE_COPY + 1] = {0};

	EMU emu = emu_start("1", NULL);
	emu_build_file(&emu, "copies", true);
	gpu_watch(emu.device, &watch, &trace);
	test_ok(run_copies(&emu, "empty_group", in, out));
	gpu_watch(emu.device, NULL, NULL);
	for (size_t i = 0; i < trace.access_count; i++)
		if (trace.accesses[i].space == TRACE_SHARED)
			lanes[trace.accesses[i].kind] += trace.accesses[i].lanes;
	CHECK(EQUAL(lanes[TRACE_COPY], 64), EQUAL(lanes[TRACE_STORE], 0));
}

/* ---- Defects --------------------------------------------------------------------------------- */

enum plain_verdict {
	STOPPED, /* the same error as in the traced build; its second line is not checked */
	WRONG,   /* at least half of the words have the pattern of a pending copy */
	UNSEEN   /* only the traced build reports the defect */
};

static const struct copy_defect {
	const char *entry;
	enum plain_verdict plain;
	const char *mark, *other; /* marks of the lines in the message; other NULL: none */
	const char *part;
} defects[] = {
	{"no_wait", WRONG, "no-wait-read", "no-wait-copy", "before the wait"},
	{"no_commit", WRONG, "no-commit-read", "no-commit-copy", "before the wait"},
	{"too_few", WRONG, "too-few-read", "too-few-copy", "before the wait"},
	{"barrier_only", WRONG, "barrier-only-read", "barrier-only-copy", "before the wait"},
	{"others_wait", WRONG, "others-wait-read", "others-wait-copy", "before the wait"},
	{"wait_only", UNSEEN, "wait-only-read", NULL, NULL},
	{"write_pending", UNSEEN, "write-pending-write", "write-pending-copy", "before the wait"},
	{"copy_twice", UNSEEN, "copy-twice-second", "copy-twice-first", "before the wait"},
	{"copy_early", UNSEEN, "copy-early-copy", "copy-early-read", "race"},
	{"source_behind", UNSEEN, "source-behind", NULL, "argument 1"},
	{"source_changes", STOPPED, "source-changes", NULL, "source"},
	{"twelve_bytes", STOPPED, "try-copy", NULL, "4, 8 or 16"},
	{"too_many_zeros", STOPPED, "try-copy", NULL, "zeros"},
	{"odd_target", STOPPED, "try-copy", NULL, "multiple"},
	{"odd_source", STOPPED, "try-copy", NULL, "multiple"},
	{"to_global", STOPPED, "try-copy", NULL, "destination"},
	{"from_shared", STOPPED, "try-copy", NULL, "source"},
	{"from_stack", STOPPED, "try-copy", NULL, "source"},
	{"from_nowhere", STOPPED, "try-copy", NULL, NULL},
};

static void expect_place(const struct emu *emu, const char *message, const char *mark)
{
	char place[96], line[32];

	if (!mark)
		return;
	snprintf(place, sizeof place, "%s:%d:", emu->name, emu_line(emu, mark));
	snprintf(line, sizeof line, "line %d,", emu_line(emu, mark));
	if (!strstr(message, place) && !strstr(message, line) &&
		!strstr(message, (place[strlen(place) - 1] = ')', place)))
		test_fail("the message does not name the line of @%s (%d): %s", mark,
			emu_line(emu, mark), message);
}

static void expect_error(
	const struct emu *emu, const struct copy_defect *defect, enum pmpp_status status)
{
	test_note("%s", test_error.message);
	if (status == PMPP_LAUNCH) {
		expect_place(emu, test_error.message, defect->mark);
		expect_place(emu, test_error.message, defect->other);
	}
	test_refused(status, PMPP_LAUNCH, defect->part);
}

/* Counts the words with the pattern of a pending copy. */
static int missing(const int out[WORDS_IN])
{
	int count = 0;

	for (int i = 0; i < 64; i++)
		count += out[i] == -1;
	return count;
}

static void test_defect(const struct copy_defect *defect, bool traced)
{
	int in[WORDS_IN], out[WORDS_IN];

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	emu_build_file(&emu, "copies", traced);
	for (size_t o = 0; o < ORDERS; o++) {
		gpu_set_order(emu.device, orders[o], 5);
		enum pmpp_status status = run_copies(&emu, defect->entry, in, out);
		if (traced || defect->plain == STOPPED) {
			expect_error(&emu, defect, status);
			continue;
		}
		test_ok(status);
		if (defect->plain == WRONG && missing(out) < 32)
			test_fail(
				"%d of 64 words have the pattern of a pending copy", missing(out));
	}
}

TEST_ROWS_ON_CALL(test_plain, defects, row->plain != UNSEEN, "copies, defect: %s", row->entry)
{
	test_defect(row, false);
}

TEST_ROWS_ON_CALL(test_traced, defects, true, "copies, defect, traced: %s", row->entry)
{
	test_defect(row, true);
}

void emulator_add_copies(void)
{
	test_right_add();
	test_counts_add();
	test_plain_add();
	test_traced_add();
}
