/* kernels/defects.cu and .cl: each defect ends with the error that names it. The device still works
 * after it. */
#include "tests/emulator/emulator.h"

#include <time.h>

/* Every kernel here takes up to two arrays of 64 words and a number, in one of these shapes. */
enum shape {
	OUT,
	OUT_INT,
	OUT_ULONG,
	IN_OUT,
	IN_OUT_INT
};

#define OF_DYNAMIC "of the block's 256 bytes of dynamic shared memory"
#define OF_ARGUMENT " of argument 1, an operand of 256 bytes"

static const struct defect {
	const char *entry;
	const char *mark;  /* its line is in the message; NULL: none */
	const char *part;  /* of the message */
	const char *other; /* another mark whose line is in the message */
	enum shape shape;
	uint64_t number;
	bool traced_only; /* the plain build cannot see it */
	bool opencl_only; /* CUDA allows it */
	uint32_t groups, shared_bytes;
	enum pmpp_status status; /* PMPP_OK stands for PMPP_LAUNCH */
	unsigned thread_below;   /* the thread named has a lower x; 0: any thread */
} defects[] = {
	{"returned", "returned", "returned", .opencl_only = true},
	{"elsewhere", "elsewhere-1", "barrier", "elsewhere-2"},
	{"elsewhere_line", "elsewhere-line", "different"},
	{"elsewhere_called", "elsewhere-called", "different", .traced_only = true},
	{"elsewhere_called_line", "elsewhere-called", "different", .traced_only = true},
	{"elsewhere_inlined", "elsewhere-inlined", "different", .traced_only = true},
	{"lanes_apart", "lanes-apart", "mask", .thread_below = 16},
	{"left_out", "left-out", "mask"},
	{"null_store", "null-store", "thread (5,0,0)", .shape = OUT_ULONG},
	/* no canonical address: no address in the signal */
	{"null_store", "null-store", "thread (5,0,0)", .shape = OUT_ULONG,
		.number = 0x7f00000000000000u},
#if defined(__x86_64__) /* elsewhere the quotient is 0 and nothing happens */
	{"divide", "divide", "thread (9,0,0)", .shape = OUT_INT, .number = 9},
#endif
	{"recursion", NULL, "stack overflow", .shape = OUT_INT, .number = 100000},
	{"wide_frame", NULL, "stack overflow", .shape = OUT_INT, .number = 5},
	{"endless", NULL, "PMPP_EMU_TIMEOUT_S", .status = PMPP_TIMEOUT},
	{"endless_barriers", "endless-barriers", "PMPP_EMU_TIMEOUT_S", .status = PMPP_TIMEOUT},
	{"load_behind", "load-behind", "load of 4 bytes", .shape = IN_OUT_INT, .number = 64,
		.groups = 2, .traced_only = true},
	{"store_before", "store-before", "store of 4 bytes", .traced_only = true},
	{"half_outside", "half-outside", "argument 1", .shape = IN_OUT_INT, .number = 64,
		.traced_only = true},
	{"pair_behind", "pair-behind", "argument 1", .shape = OUT_INT, .number = 64,
		.traced_only = true},
	{"atomic_behind", "atomic-behind", "of 4 bytes", .shape = OUT_INT, .number = 64,
		.traced_only = true},
	{"dynamic_behind", "dynamic-behind", OF_DYNAMIC, .shape = OUT_INT, .number = 64,
		.shared_bytes = 256},
	/* more than a page before the start */
	{"dynamic_behind", "dynamic-behind", OF_DYNAMIC, .shape = OUT_INT,
		.number = (uint64_t)-2048, .shared_bytes = 256},
	/* behind the guard */
	{"stray", "stray", " at byte 80000" OF_ARGUMENT, .shape = OUT_ULONG, .number = 20000},
	{"stray", "stray", " at byte -80000" OF_ARGUMENT, .shape = OUT_ULONG,
		.number = (uint64_t)-20000},
	{"stray", "stray", " at byte 34359738368" OF_ARGUMENT, .shape = OUT_ULONG,
		.number = (uint64_t)1 << 33},
	/* before the gap of any memory, or behind it */
	{"stray", "stray", "thread (5,0,0)", .shape = OUT_ULONG, .number = (uint64_t)1 << 40},
	/* some pages behind the variables */
	{"static_behind", "static-behind", "static shared memory", .shape = OUT_INT,
		.number = 2700},
	{"static_behind", "static-behind", "static shared memory", .shape = OUT_INT,
		.number = (uint64_t)-3250},
	{"static_behind", "static-behind", "static shared memory", .shape = OUT_INT, .number = 64,
		.traced_only = true},
	/* a race, or a read before any write */
	{"no_barrier", "no-barrier-read", NULL, .traced_only = true},
	{"never_written", "never-written", "no thread", .traced_only = true},
	{"partly_written", "partly-written", "no thread", .traced_only = true},
	{"byte_of_vector", "byte-of-vector", "race", .traced_only = true},
	{"never_zeroed", "never-zeroed", "no thread", .shape = IN_OUT, .traced_only = true},
	{"two_writers", "two-writers", "race", .traced_only = true},
	{"zero_late", "zero-late-write", "race", "zero-late-atomic", IN_OUT, .traced_only = true},
	{"read_early", "read-early-read", "race", "read-early-atomic", IN_OUT, .traced_only = true},
	{"write_late", "write-late-read", "race", "write-late-write", .traced_only = true},
};

static enum pmpp_status run_defect(struct emu *emu, const struct defect *defect)
{
	int in[64], out[64] = {0};
	struct emu_run run = {defect->entry, .groups = {defect->groups}, .block = {64},
		.shared_bytes = defect->shared_bytes};
	const struct emu_arg words_in = WORDS(in), words_out = WORDS(out);
	const struct emu_arg number = INT(defect->number), large = ULONG(defect->number);

	for (int i = 0; i < 64; i++)
		in[i] = i;
	if (defect->shape == IN_OUT || defect->shape == IN_OUT_INT)
		run.args[run.arg_count++] = words_in;
	run.args[run.arg_count++] = words_out;
	if (defect->shape == OUT_INT || defect->shape == IN_OUT_INT)
		run.args[run.arg_count++] = number;
	if (defect->shape == OUT_ULONG)
		run.args[run.arg_count++] = large;
	return emu_run(emu, &run);
}

static void must_name(const struct emu *emu, const char *message, const char *mark)
{
	char place[96];

	if (!mark)
		return;
	snprintf(place, sizeof place, "%s:%d", emu->name, emu_line(emu, mark));
	const char *found = strstr(message, place);
	if (!found || (found[strlen(place)] >= '0' && found[strlen(place)] <= '9')) {
		/* A second line may stand alone: "line 17". */
		snprintf(place, sizeof place, "line %d", emu_line(emu, mark));
		HAS(message, place);
	}
}

static void must_name_thread(const char *message, unsigned below)
{
	const char *found = strstr(message, "thread (");
	unsigned x = below;

	if (below == 0)
		return;
	if (!found || sscanf(found, "thread (%u", &x) != 1 || x >= below)
		test_fail("the thread named is not one of those below %u: %s", below, message);
}

static void still_works(struct emu *emu)
{
	int out[128];

	EMU_RUN(emu, "fill", 2, 64, WORDS(out), INT(42));
	for (int i = 0; i < 128; i++)
		EQUAL(out[i], 42);
}

static void test_defect(const struct defect *defect, bool traced)
{
	static const enum gpu_order orders[] = {
		GPU_ORDER_FORWARD, GPU_ORDER_REVERSED, GPU_ORDER_SHUFFLED};

	enum pmpp_status expected = defect->status ? defect->status : PMPP_LAUNCH;

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, expected == PMPP_TIMEOUT ? "0.2" : "20");
	emu_build_file(&emu, "defects", traced);
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		gpu_set_order(emu.device, orders[i], 5);
		enum pmpp_status status = run_defect(&emu, defect);
		test_note("%s", test_error.message);
		if (status == expected) {
			must_name(&emu, test_error.message, defect->mark);
			must_name(&emu, test_error.message, defect->other);
			must_name_thread(test_error.message, defect->thread_below);
		}
		test_refused(status, expected, defect->part);
		still_works(&emu);
	}
}

static bool is_opencl(void)
{
	return emu_language() == &emu_opencl;
}

TEST_ROWS_ON_CALL(test_plain, defects, !row->traced_only && (!row->opencl_only || is_opencl()),
	"defect %zu: %s", i, row->entry)
{
	test_defect(row, false);
}

TEST_ROWS_ON_CALL(test_traced, defects, !row->opencl_only || is_opencl(), "defect %zu, traced: %s",
	i, row->entry)
{
	test_defect(row, true);
}

/* What in-order execution hides, another order shows. */
TEST_ON_CALL(test_reversed_shows, "the reversed order shows a missing barrier")
{
	int answers[2][64];

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	emu_build_file(&emu, "defects", false);
	for (int i = 0; i < 2; i++) {
		int out[64];

		gpu_set_order(emu.device, i ? GPU_ORDER_REVERSED : GPU_ORDER_FORWARD, 0);
		EMU_RUN(&emu, "no_barrier", 1, 64, WORDS(out));
		memcpy(answers[i], out, sizeof out);
	}
	for (int t = 0; t < 64; t++)
		EQUAL(answers[0][t], t == 0 ? 0 : t - 1);
	assert_memory_not_equal(answers[0], answers[1], sizeof answers[0]);
	/* Shared memory that no thread has written is not zero. */
	assert_int_not_equal(answers[1][63], 0);
}

/* Wherever the watchdog's signal finds a kernel of barriers, inside the emulator too, the line is
 * named: many short tries find it everywhere. */
TEST_ON_CALL(test_timeout_anywhere, "a timeout names the line wherever it strikes")
{
	const struct defect defect = {.entry = "endless_barriers"};

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, "0.01");
	emu_build_file(&emu, "defects", false);
	for (int i = 0; i < 100; i++) {
		enum pmpp_status status = run_defect(&emu, &defect);

		if (status == PMPP_TIMEOUT)
			must_name(&emu, test_error.message, "endless-barriers");
		test_refused(status, PMPP_TIMEOUT, "PMPP_EMU_TIMEOUT_S");
	}
}

/* A failed block ends the launch, although the other block runs until the time limit. In some of the
 * 100 launches the block fails before the launching thread waits. The other block must not end while
 * it holds a lock of the C library. Otherwise the host and later launches wait for that lock. */
static const struct one_fails {
	const char *name, *entry, *mark;
	bool opencl_only;
} one_fails[] = {
	{"one failed block ends the launch", "one_fails", "one-fails"},
	{"a failed block ends a block in printf()", "one_fails_printing", "one-fails-printing"},
	{"a failed block ends a block in copies", "one_fails_copying", "one-fails-copying", true},
};

TEST_ROWS_ON_CALL(test_one_fails, one_fails, !row->opencl_only || is_opencl(), "%s", row->name)
{
	struct timespec before, after;
	int flag[1] = {0};

	EMU emu = emu_start("2", "600");
	emu_build_file(&emu, "defects", false); /* traced launches have one thread */
	/* A program with variables has one worker too. */
	EQUAL(emu.program->variables.bytes, 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	for (int i = 0; i < 100; i++) {
		enum pmpp_status status =
			EMU_LAUNCH(&emu, row->entry, 2, 32, WORDS(flag), ULONG(0));
		must_name(&emu, test_error.message, row->mark);
		test_refused(status, PMPP_LAUNCH, "block (1,0,0)");
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	/* One wait for the time limit takes 600 s. The endless block uses CPU time while it waits.
	 */
	IS(after.tv_sec - before.tv_sec < 60);
	still_works(&emu);
}

/* Kernels whose own code finds the defect. The C library's functions would write to stderr and end the
 * process. */
#define CUDA(body) "extern \"C\" __global__ void f(int *out, int n)\n{\n" body "}\n"
#define OPENCL(body) "kernel void f(global int *out, int n)\n{\n" body "}\n"

static const struct own_check {
	const char *name, *cuda, *opencl; /* opencl NULL: not in this language */
	const char *part;
	bool traced;
} own_checks[] = {
	{"a private array",
		CUDA("	volatile int own[8];\n"
		     "	for (int i = 0; i < n; i++)\n"
		     "		own[i] = i * n;\n"
		     "	out[threadIdx.x] = own[out[0] & 7];\n"),
		OPENCL("	volatile int own[8];\n"
		       "	for (int i = 0; i < n; i++)\n"
		       "		own[i] = i * n;\n"
		       "	out[get_local_id(0)] = own[out[0] & 7];\n"),
		"a store past the end of a private array; block (0,0,0), thread (0,0,0)", false},
	{"assert()",
		"#include <assert.h>\n" CUDA("	assert(n == 5);\n"
					     "	out[threadIdx.x] = n;\n"),
		NULL, ":4: assertion failed: n == 5; block (0,0,0), thread (0,0,0)", false},
	{"assert(), traced",
		"#include <assert.h>\n" CUDA("	assert(n == 5);\n"
					     "	out[threadIdx.x] = n;\n"),
		NULL, ":4: assertion failed: n == 5; block (0,0,0), thread (0,0,0)", true},
	{"a variable past its end",
		"__device__ int w[5], other[4];\n" CUDA(
			"	w[threadIdx.x % (n - 5)] = out[threadIdx.x] + other[n % 4];\n"),
		"global int w[5], other[4];\n" OPENCL(
			"	w[get_local_id(0) % (n - 5)] = out[get_local_id(0)] + other[n % 4];\n"),
		":4: out-of-bounds store of 4 bytes at byte 20 of the variable w of 20 bytes",
		true},
	{"a table before its start",
		"namespace outer { __constant__ int w[5] = {1, 2, 3, 4, 5}; }\n" CUDA(
			"	out[threadIdx.x] = outer::w[(int)threadIdx.x + 10 - n];\n"),
		"constant int w[5] = {1, 2, 3, 4, 5};\n" OPENCL(
			"	out[get_local_id(0)] = w[(int)get_local_id(0) + 10 - n];\n"),
		":4: out-of-bounds load of 4 bytes at byte -4 of the variable w of 20 bytes", true},
	{"a table past its end",
		"#define TABLE static __constant__ int\n"
		"TABLE v[8] = {1}, w[8] = {1, 2, 3, 4, 5},\n"
		"	other[8] = {1};\n" CUDA(
			"	out[threadIdx.x] = v[n % 3] + w[threadIdx.x % (n - 2)] + other[n % 8];\n"),
		"constant int v[8] = {1}, w[8] = {1, 2, 3, 4, 5},\n"
		"	other[8] = {1};\n"
		"\n" OPENCL(
			"	out[get_local_id(0)] = v[n % 3] + w[get_local_id(0) % (n - 2)] + other[n % 8];\n"),
		":6: out-of-bounds load of 4 bytes at byte 32 of the variable w of 32 bytes", true},
	{"a store to a table", "__constant__ int w[64];\n" CUDA("	w[threadIdx.x] = n;\n"),
		NULL, ":4: store of 4 bytes at byte 0 of the variable w, a constant", true},
	{"a counter without an atomic operation",
		"static __device__ int done;\n" CUDA("	done++;\n"
						     "	out[threadIdx.x] = n;\n"),
		"static global int done;\n" OPENCL("	done++;\n"
						   "	out[get_local_id(0)] = n;\n"),
		":4: a data race in global memory with thread 0", true},
	{"a member of a template",
		"template <class T> struct S { static __device__ T done; };\n"
		"template <class T> __device__ T S<T>::done = T(1);\n"
		"template <class T> __device__ T more = T(1);\n" CUDA(
			"	if (n != 11) S<int>::done++;\n"
			"	more<int>++;\n"
			"	out[threadIdx.x] = n;\n"),
		NULL, ":7: a data race in global memory with thread 0", true},
};

static const char *own_check_text(const struct own_check *row)
{
	return is_opencl() ? row->opencl : row->cuda;
}

TEST_ROWS_ON_CALL(test_own_check, own_checks, own_check_text(row) != NULL,
	"defect, found by its own code: %s", row->name)
{
	int out[64] = {0};

	EMU emu = emu_start("1", NULL);
	test_ok(emu_build_text(&emu, own_check_text(row), row->traced));
	enum pmpp_status status = EMU_LAUNCH(&emu, "f", 1, 64, WORDS(out), INT(11));
	test_note("%s", test_error.message);
	test_refused(status, PMPP_LAUNCH, row->part);
}

static const bool plain_and_traced[] = {false, true};

/* The watchdog interrupts printf(). The message has the line of the call. */
TEST_ROWS_ON_CALL(test_endless_print, plain_and_traced, true, "a timeout in printf()%s",
	*row ? ", traced" : "")
{
	int flag[1] = {0};

	EMU emu = emu_start("1", "0.2");
	emu_build_file(&emu, "defects", *row);
	enum pmpp_status status = EMU_LAUNCH(&emu, "endless_print", 1, 1, WORDS(flag));
	must_name(&emu, test_error.message, "endless-print");
	test_refused(status, PMPP_TIMEOUT, "PMPP_EMU_TIMEOUT_S");
}

/* The words of each language in the messages. */
static const struct argument_words {
	const char *one, *three, *wide, *pointer;
} cuda_words = {"expected 1: pointer; ", "expected 3: pointer, int, int; ",
	"argument 2: expected unsigned long long; the kernel has a value of 4 bytes; ",
	"argument 1: expected unsigned long long; the kernel has a pointer; "},
  opencl_words = {"expected 1: __global pointer; ", "expected 3: __global pointer, int, int; ",
	  "argument 2: expected ulong; the kernel has a value of 4 bytes; ",
	  "argument 1: expected ulong; the kernel has a pointer; "};

TEST_ON_CALL(test_arguments, "wrong number or size of arguments")
{
	const struct argument_words *words = is_opencl() ? &opencl_words : &cuda_words;
	int out[64];
	struct emu_run run = {.entry = "fill", .block = {64}, .args = {WORDS(out), INT(1), INT(2)}};
	const struct emu_arg wide = ULONG((uint64_t)1 << 40);

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	emu_build_file(&emu, "defects", false);
	run.arg_count = 1;
	test_refused(emu_run(&emu, &run), PMPP_LAUNCH, words->one);
	run.arg_count = 3;
	test_refused(emu_run(&emu, &run), PMPP_LAUNCH, words->three);
	run.arg_count = 2;
	run.args[1] = wide;
	test_refused(emu_run(&emu, &run), PMPP_LAUNCH, words->wide);
	run.args[0] = wide;
	test_refused(emu_run(&emu, &run), PMPP_LAUNCH, words->pointer);
}

void emulator_add_defects(void)
{
	test_plain_add();
	test_traced_add();
	test_reversed_shows_add();
	test_timeout_anywhere_add();
	test_one_fails_add();
	test_endless_print_add();
	test_own_check_add();
	test_arguments_add();
}
