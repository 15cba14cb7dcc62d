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

static const struct defect {
	const char *entry;
	enum shape shape;
	uint64_t number;
	bool traced_only; /* the plain build cannot see it */
	bool opencl_only; /* CUDA allows it */
	uint32_t groups, shared_bytes;
	enum pmpp_status status;
	const char *mark;      /* its line is in the message */
	const char *other;     /* this one too; NULL: none */
	const char *part;      /* of the message */
	unsigned thread_below; /* the thread named has a lower x; 0: any thread */
} defects[] = {
	{"returned", .opencl_only = true, .status = PMPP_LAUNCH, .mark = "returned",
		.part = "returned"},
	{"elsewhere", .status = PMPP_LAUNCH, .mark = "elsewhere-1", .other = "elsewhere-2",
		.part = "barrier"},
	{"elsewhere_line", .status = PMPP_LAUNCH, .mark = "elsewhere-line", .part = "different"},
	{"elsewhere_called", .traced_only = true, .status = PMPP_LAUNCH, .mark = "elsewhere-called",
		.part = "different"},
	{"elsewhere_called_line", .traced_only = true, .status = PMPP_LAUNCH,
		.mark = "elsewhere-called", .part = "different"},
	{"elsewhere_inlined", .traced_only = true, .status = PMPP_LAUNCH,
		.mark = "elsewhere-inlined", .part = "different"},
	{"lanes_apart", .status = PMPP_LAUNCH, .mark = "lanes-apart", .part = "mask",
		.thread_below = 16},
	{.entry = "left_out", .status = PMPP_LAUNCH, .mark = "left-out", .part = "mask"},
	{"null_store", .shape = OUT_ULONG, .status = PMPP_LAUNCH, .mark = "null-store",
		.part = "thread (5,0,0)"},
	{"null_store", .shape = OUT_ULONG,
		.number = 0x7f00000000000000u, /* no canonical address: no address in the signal */
		.status = PMPP_LAUNCH, .mark = "null-store", .part = "thread (5,0,0)"},
#if defined(__x86_64__) /* elsewhere the quotient is 0 and nothing happens */
	{"divide", .shape = OUT_INT, .number = 9, .status = PMPP_LAUNCH, .mark = "divide",
		.part = "thread (9,0,0)"},
#endif
	{"recursion", .shape = OUT_INT, .number = 100000, .status = PMPP_LAUNCH,
		.part = "stack overflow"},
	{"wide_frame", .shape = OUT_INT, .number = 5, .status = PMPP_LAUNCH,
		.part = "stack overflow"},
	{.entry = "endless", .status = PMPP_TIMEOUT, .part = "PMPP_EMU_TIMEOUT_S"},
	{"endless_barriers", .status = PMPP_TIMEOUT, .mark = "endless-barriers",
		.part = "PMPP_EMU_TIMEOUT_S"},
	{"load_behind", .shape = IN_OUT_INT, .number = 64, .groups = 2, .traced_only = true,
		.status = PMPP_LAUNCH, .mark = "load-behind", .part = "load of 4 bytes"},
	{"store_before", .traced_only = true, .status = PMPP_LAUNCH, .mark = "store-before",
		.part = "store of 4 bytes"},
	{"half_outside", .shape = IN_OUT_INT, .number = 64, .traced_only = true,
		.status = PMPP_LAUNCH, .mark = "half-outside", .part = "argument 1"},
	{"pair_behind", .shape = OUT_INT, .number = 64, .traced_only = true, .status = PMPP_LAUNCH,
		.mark = "pair-behind", .part = "argument 1"},
	{"atomic_behind", .shape = OUT_INT, .number = 64, .traced_only = true,
		.status = PMPP_LAUNCH, .mark = "atomic-behind", .part = "of 4 bytes"},
	{"dynamic_behind", .shape = OUT_INT, .number = 64, .shared_bytes = 256,
		.status = PMPP_LAUNCH, .mark = "dynamic-behind",
		.part = "of the block's 256 bytes of dynamic shared memory"},
	{"dynamic_behind", .shape = OUT_INT,
		.number = (uint64_t)-2048, /* more than a page before the start */
		.shared_bytes = 256, .status = PMPP_LAUNCH, .mark = "dynamic-behind",
		.part = "of the block's 256 bytes of dynamic shared memory"},
	{"stray", .shape = OUT_ULONG, .number = 20000, /* behind the guard */
		.status = PMPP_LAUNCH, .mark = "stray",
		.part = " at byte 80000 of argument 1, an operand of 256 bytes"},
	{"stray", .shape = OUT_ULONG, .number = (uint64_t)-20000, .status = PMPP_LAUNCH,
		.mark = "stray", .part = " at byte -80000 of argument 1, an operand of 256 bytes"},
	{"stray", .shape = OUT_ULONG, .number = (uint64_t)1 << 33, .status = PMPP_LAUNCH,
		.mark = "stray",
		.part = " at byte 34359738368 of argument 1, an operand of 256 bytes"},
	{"stray", .shape = OUT_ULONG,
		.number = (uint64_t)1 << 40, /* before the gap of any memory, or behind it */
		.status = PMPP_LAUNCH, .mark = "stray", .part = "thread (5,0,0)"},
	{"static_behind", .shape = OUT_INT, .number = 2700, /* some pages behind the variables */
		.status = PMPP_LAUNCH, .mark = "static-behind", .part = "static shared memory"},
	{"static_behind", .shape = OUT_INT, .number = (uint64_t)-3250, .status = PMPP_LAUNCH,
		.mark = "static-behind", .part = "static shared memory"},
	{"static_behind", .shape = OUT_INT, .number = 64, .traced_only = true,
		.status = PMPP_LAUNCH, .mark = "static-behind", .part = "static shared memory"},
	{"no_barrier", .traced_only = true, .status = PMPP_LAUNCH,
		.mark = "no-barrier-read"}, /* a race, or a read before any write */
	{"never_written", .traced_only = true, .status = PMPP_LAUNCH, .mark = "never-written",
		.part = "no thread"},
	{"partly_written", .traced_only = true, .status = PMPP_LAUNCH, .mark = "partly-written",
		.part = "no thread"},
	{"byte_of_vector", .traced_only = true, .status = PMPP_LAUNCH, .mark = "byte-of-vector",
		.part = "race"},
	{"never_zeroed", .shape = IN_OUT, .traced_only = true, .status = PMPP_LAUNCH,
		.mark = "never-zeroed", .part = "no thread"},
	{"two_writers", .traced_only = true, .status = PMPP_LAUNCH, .mark = "two-writers",
		.part = "race"},
	{"zero_late", .shape = IN_OUT, .traced_only = true, .status = PMPP_LAUNCH,
		.mark = "zero-late-write", .other = "zero-late-atomic", .part = "race"},
	{"read_early", .shape = IN_OUT, .traced_only = true, .status = PMPP_LAUNCH,
		.mark = "read-early-read", .other = "read-early-atomic", .part = "race"},
	{"write_late", .traced_only = true, .status = PMPP_LAUNCH, .mark = "write-late-read",
		.other = "write-late-write", .part = "race"},
};

static enum pmpp_status run_defect(
	struct emu *emu, const struct defect *defect, struct pmpp_error *error)
{
	int in[64], out[64] = {0};
	struct emu_run run = {defect->entry, .groups = {defect->groups}, .block = {64},
		.shared_bytes = defect->shared_bytes};
	const struct emu_arg words_in = WORDS(in);
	const struct emu_arg words_out = WORDS(out);
	const struct emu_arg number = INT(defect->number);
	const struct emu_arg large = ULONG(defect->number);

	for (int i = 0; i < 64; i++)
		in[i] = i;
	if (defect->shape == IN_OUT || defect->shape == IN_OUT_INT)
		run.args[run.arg_count++] = words_in;
	run.args[run.arg_count++] = words_out;
	if (defect->shape == OUT_INT || defect->shape == IN_OUT_INT)
		run.args[run.arg_count++] = number;
	if (defect->shape == OUT_ULONG)
		run.args[run.arg_count++] = large;
	return emu_run(emu, &run, error);
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

	emu_run_ok(emu, &(struct emu_run){"fill", .groups = {2}, .block = {64},
				.args = {WORDS(out), INT(42)}, .arg_count = 2});
	for (int i = 0; i < 128; i++)
		EQUAL(out[i], 42);
}

static void test_defect(const struct defect *defect, bool traced)
{
	static const enum gpu_order orders[] = {
		GPU_ORDER_FORWARD, GPU_ORDER_REVERSED, GPU_ORDER_SHUFFLED};

	EMU emu = emu_start(EMU_WORKERS_DEFAULT, defect->status == PMPP_TIMEOUT ? "0.2" : "20");
	emu_build_file(&emu, "defects", traced);
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		gpu_set_order(emu.device, orders[i], 5);
		enum pmpp_status status = run_defect(&emu, defect, &test_error);
		test_note("%s", test_error.message);
		if (status == defect->status) {
			must_name(&emu, test_error.message, defect->mark);
			must_name(&emu, test_error.message, defect->other);
			must_name_thread(test_error.message, defect->thread_below);
		}
		test_refused(status, defect->status, defect->part);
		still_works(&emu);
	}
}

static void test_plain(const void *context)
{
	test_defect(context, false);
}

static void test_traced(const void *context)
{
	test_defect(context, true);
}

/* What in-order execution hides, another order shows. */
static void test_reversed_shows(const void *context)
{
	int answers[2][64];

	(void)context;
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	emu_build_file(&emu, "defects", false);
	for (int i = 0; i < 2; i++) {
		int out[64];

		gpu_set_order(emu.device, i ? GPU_ORDER_REVERSED : GPU_ORDER_FORWARD, 0);
		emu_run_ok(&emu, &(struct emu_run){"no_barrier", .block = {64},
					 .args = {WORDS(out)}, .arg_count = 1});
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
static void test_timeout_anywhere(const void *context)
{
	const struct defect defect = {.entry = "endless_barriers"};

	(void)context;
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, "0.01");
	emu_build_file(&emu, "defects", false);
	for (int i = 0; i < 100; i++) {
		enum pmpp_status status = run_defect(&emu, &defect, &test_error);

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
	{"one failed block ends the launch", "one_fails", "one-fails", false},
	{"a failed block ends a block in printf()", "one_fails_printing", "one-fails-printing",
		false},
	{"a failed block ends a block in copies", "one_fails_copying", "one-fails-copying", true},
};

static void test_one_fails(const void *context)
{
	const struct one_fails *row = context;
	struct timespec before, after;
	int flag[1] = {0};

	EMU emu = emu_start("2", "600");
	emu_build_file(&emu, "defects", false); /* traced launches have one thread */
	/* A program with variables has one worker too. */
	EQUAL(emu.program->variables.bytes, 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	for (int i = 0; i < 100; i++) {
		enum pmpp_status status = emu_run(&emu,
			&(struct emu_run){row->entry, .groups = {2}, .block = {32},
				.args = {WORDS(flag), ULONG(0)}, .arg_count = 2},
			&test_error);
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
static const struct own_check {
	const char *name, *cuda, *opencl; /* opencl NULL: not in this language */
	const char *part;
	bool traced;
} own_checks[] = {
	{"a private array",
		"extern \"C\" __global__ void f(int *out, int n)\n"
		"{\n"
		"	volatile int own[8];\n"
		"	for (int i = 0; i < n; i++)\n"
		"		own[i] = i * n;\n"
		"	out[threadIdx.x] = own[out[0] & 7];\n"
		"}\n",
		"kernel void f(global int *out, int n)\n"
		"{\n"
		"	volatile int own[8];\n"
		"	for (int i = 0; i < n; i++)\n"
		"		own[i] = i * n;\n"
		"	out[get_local_id(0)] = own[out[0] & 7];\n"
		"}\n",
		"a store past the end of a private array; block (0,0,0), thread (0,0,0)", false},
	{"assert()",
		"#include <assert.h>\n"
		"extern \"C\" __global__ void f(int *out, int n)\n"
		"{\n"
		"	assert(n == 5);\n"
		"	out[threadIdx.x] = n;\n"
		"}\n",
		NULL, ":4: assertion failed: n == 5; block (0,0,0), thread (0,0,0)", false},
	{"assert(), traced",
		"#include <assert.h>\n"
		"extern \"C\" __global__ void f(int *out, int n)\n"
		"{\n"
		"	assert(n == 5);\n"
		"	out[threadIdx.x] = n;\n"
		"}\n",
		NULL, ":4: assertion failed: n == 5; block (0,0,0), thread (0,0,0)", true},
	{"a variable past its end",
		"__device__ int w[5], other[4];\n"
		"extern \"C\" __global__ void f(int *out, int n)\n"
		"{\n"
		"	w[threadIdx.x % (n - 5)] = out[threadIdx.x] + other[n % 4];\n"
		"}\n",
		"global int w[5], other[4];\n"
		"kernel void f(global int *out, int n)\n"
		"{\n"
		"	w[get_local_id(0) % (n - 5)] = out[get_local_id(0)] + other[n % 4];\n"
		"}\n",
		":4: out-of-bounds store of 4 bytes at byte 20 of the variable w of 20 bytes",
		true},
	{"a table before its start",
		"namespace outer { __constant__ int w[5] = {1, 2, 3, 4, 5}; }\n"
		"extern \"C\" __global__ void f(int *out, int n)\n"
		"{\n"
		"	out[threadIdx.x] = outer::w[(int)threadIdx.x + 10 - n];\n"
		"}\n",
		"constant int w[5] = {1, 2, 3, 4, 5};\n"
		"kernel void f(global int *out, int n)\n"
		"{\n"
		"	out[get_local_id(0)] = w[(int)get_local_id(0) + 10 - n];\n"
		"}\n",
		":4: out-of-bounds load of 4 bytes at byte -4 of the variable w of 20 bytes", true},
	{"a table past its end",
		"#define TABLE static __constant__ int\n"
		"TABLE v[8] = {1}, w[8] = {1, 2, 3, 4, 5},\n"
		"	other[8] = {1};\n"
		"extern \"C\" __global__ void f(int *out, int n)\n"
		"{\n"
		"	out[threadIdx.x] = v[n % 3] + w[threadIdx.x % (n - 2)] + other[n % 8];\n"
		"}\n",
		"constant int v[8] = {1}, w[8] = {1, 2, 3, 4, 5},\n"
		"	other[8] = {1};\n"
		"\n"
		"kernel void f(global int *out, int n)\n"
		"{\n"
		"	out[get_local_id(0)] = v[n % 3] + w[get_local_id(0) % (n - 2)] + other[n % 8];\n"
		"}\n",
		":6: out-of-bounds load of 4 bytes at byte 32 of the variable w of 32 bytes", true},
	{"a store to a table",
		"__constant__ int w[64];\n"
		"extern \"C\" __global__ void f(int *out, int n)\n"
		"{\n"
		"	w[threadIdx.x] = n;\n"
		"}\n",
		NULL, ":4: store of 4 bytes at byte 0 of the variable w, a constant", true},
	{"a counter without an atomic operation",
		"static __device__ int done;\n"
		"extern \"C\" __global__ void f(int *out, int n)\n"
		"{\n"
		"	done++;\n"
		"	out[threadIdx.x] = n;\n"
		"}\n",
		"static global int done;\n"
		"kernel void f(global int *out, int n)\n"
		"{\n"
		"	done++;\n"
		"	out[get_local_id(0)] = n;\n"
		"}\n",
		":4: a data race in global memory with thread 0", true},
	{"a member of a template",
		"template <class T> struct S { static __device__ T done; };\n"
		"template <class T> __device__ T S<T>::done = T(1);\n"
		"template <class T> __device__ T more = T(1);\n"
		"extern \"C\" __global__ void f(int *out, int n)\n"
		"{\n"
		"	if (n != 11) S<int>::done++;\n"
		"	more<int>++;\n"
		"	out[threadIdx.x] = n;\n"
		"}\n",
		NULL, ":7: a data race in global memory with thread 0", true},
};

static const char *own_check_text(const struct own_check *row)
{
	return emu_language() == &emu_cuda ? row->cuda : row->opencl;
}

static void test_own_check(const void *context)
{
	const struct own_check *row = context;
	int out[64] = {0};

	EMU emu = emu_start("1", NULL);
	test_ok(emu_build_text(&emu, own_check_text(row), row->traced, &test_error));
	enum pmpp_status status = emu_run(&emu,
		&(struct emu_run){
			.entry = "f", .block = {64}, .args = {WORDS(out), INT(11)}, .arg_count = 2},
		&test_error);
	test_note("%s", test_error.message);
	test_refused(status, PMPP_LAUNCH, row->part);
}

static const bool plain_and_traced[] = {false, true};

/* The watchdog interrupts printf(). The message has the line of the call. context: bool, traced. */
static void test_endless_print(const void *context)
{
	const bool *traced = context;
	int flag[1] = {0};

	EMU emu = emu_start("1", "0.2");
	emu_build_file(&emu, "defects", *traced);
	enum pmpp_status status = emu_run(&emu,
		&(struct emu_run){"endless_print", .groups = {1}, .block = {1},
			.args = {WORDS(flag)}, .arg_count = 1},
		&test_error);
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

static void test_arguments(const void *context)
{
	const struct argument_words *words =
		emu_language() == &emu_cuda ? &cuda_words : &opencl_words;
	int out[64];
	struct emu_run run = {.entry = "fill", .block = {64}, .args = {WORDS(out), INT(1), INT(2)}};
	const struct emu_arg wide = ULONG((uint64_t)1 << 40);

	(void)context;
	EMU emu = emu_start(EMU_WORKERS_DEFAULT, NULL);
	emu_build_file(&emu, "defects", false);
	run.arg_count = 1;
	test_refused(emu_run(&emu, &run, &test_error), PMPP_LAUNCH, words->one);
	run.arg_count = 3;
	test_refused(emu_run(&emu, &run, &test_error), PMPP_LAUNCH, words->three);
	run.arg_count = 2;
	run.args[1] = wide;
	test_refused(emu_run(&emu, &run, &test_error), PMPP_LAUNCH, words->wide);
	run.args[0] = wide;
	test_refused(emu_run(&emu, &run, &test_error), PMPP_LAUNCH, words->pointer);
}

void emulator_add_defects(void)
{
	for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
		const struct defect *defect = &defects[i];

		if (defect->opencl_only && emu_language() != &emu_opencl)
			continue;
		if (!defect->traced_only)
			test_add(test_plain, defect, "defect %zu: %s", i, defect->entry);
		test_add(test_traced, defect, "defect %zu, traced: %s", i, defect->entry);
	}
	test_add(test_reversed_shows, NULL, "the reversed order shows a missing barrier");
	test_add(test_timeout_anywhere, NULL, "a timeout names the line wherever it strikes");
	for (size_t i = 0; i < sizeof one_fails / sizeof *one_fails; i++)
		if (!one_fails[i].opencl_only || emu_language() == &emu_opencl)
			test_add(test_one_fails, &one_fails[i], "%s", one_fails[i].name);
	for (size_t i = 0; i < 2; i++)
		test_add(test_endless_print, &plain_and_traced[i], "a timeout in printf()%s",
			plain_and_traced[i] ? ", traced" : "");
	for (size_t i = 0; i < sizeof own_checks / sizeof *own_checks; i++)
		if (own_check_text(&own_checks[i]))
			test_add(test_own_check, &own_checks[i],
				"defect, found by its own code: %s", own_checks[i].name);
	test_add(test_arguments, NULL, "wrong number or size of arguments");
}
