/* The front end: compiles an OpenCL kernel with clang, in the steps of internal.h. */
#include "host/gpu/opencl_emu/internal.h"

#include "host/io/sources.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_VERSION 14

/* Part of the key of the cache. Increase it if the changes of the IR are different. */
#define IR_REVISION "15"

/* Flags that affect results. Without contraction a * b + c is rounded twice. */
#define LANGUAGE_FLAGS                                                                          \
	"-x", "cl", "-ffp-contract=off", "-fno-strict-aliasing", "-Wuninitialized",             \
		"-Wsometimes-uninitialized", "-Wconditional-uninitialized", "-Wno-pass-failed", \
		"-Wno-psabi", "-Wno-ignored-pragmas"
#define IR_FLAGS "-S", "-emit-llvm"

/* A frame larger than a page touches every page: an overflow reaches the guard page. */
#if defined(__x86_64__)
#define STACK_FLAGS "-fstack-clash-protection",
#else
#define STACK_FLAGS /* clang does not have it */
#endif

/* The types and the flag -march decide how vectors are passed to built-in functions: therefore all
 * parts of a program use the same -march. DWARF 4: with DWARF 5, binutils 2.40 does not find the calls of
 * some inlined functions. */
#define TARGET_FLAGS \
	"-march=native", "-fPIC", "-fvisibility=hidden", "-gline-tables-only", "-gdwarf-4"

#define PARTS_FILE "parts"         /* a file with the names of the object files, for the linker */
#define SHARED_LIMIT (1024 * 1024) /* bytes of static shared memory of a block */

/* ---- Object files that programs share: built-in functions, support functions in C, hooks ---- */

#define SUPPORT_FILE "support.c"

#define C_WORDS TARGET_FLAGS, "-O2", "-fno-omit-frame-pointer", "-I.", "-c"

static const char *const builtin_command[] = {TARGET_FLAGS, "-x", "cl", "-cl-std=CL2.0", "-O1",
	"-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-fno-omit-frame-pointer",
	"-Wno-everything", "-c", "-I.", "builtins.cl", NULL};
static const char *const object_command[] = {C_WORDS, "object.c", NULL};
static const char *const support_command[] = {C_WORDS, SUPPORT_FILE, NULL};
static const char *const print_command[] = {C_WORDS, "builtins_print.c", NULL};
static const char *const hook_command[] = {C_WORDS, "-x", "c++", EMU_HOOKS_FILE, NULL};
static const char *const traced_words[] = {"-DPMPP_EMU_TRACED", NULL};
static const char *const plain_words[] = {NULL};

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Takes the object file from the cache, or makes it. needs: the text of needs.h; NULL: the command reads
 * none. */
static enum pmpp_status take(const struct emu_build *build, const char *const *command,
	const char *kind, const char *needs, const char *file)
{
	const char *const output[] = {"-o", file, NULL};
	char *inputs = NULL;

	if (asprintf(&inputs, "%s\n%s", build->desc->traced ? "traced" : "plain",
		    needs ? needs : "") < 0)
		return emu_no_memory(build);
	enum pmpp_status status = needs ? emu_write_file(build, "needs.h", needs) : PMPP_OK;
	if (status == PMPP_OK)
		status = emu_part_make(build, kind, inputs, file,
			(const char *const *const[]){command,
				build->desc->traced ? traced_words : plain_words, output, NULL});
	free(inputs);
	return status;
}

#define HALF_NEEDS "#define PMPP_ONLY\n#define PMPP_HALF_CALLS\n"
#define PRINT_NEED "#define NEED_printf\n"

/* Parts whose contents do not depend on the program. */
static const struct fixed_part {
	const char *kind, *file;
	const char *const *command;
	const char *needs; /* as in take() */
	bool first;        /* linked first, so it is not in PARTS_FILE */
	bool traced_only;
	const char *need; /* only for programs that need this function; NULL: for all */
} fixed_parts[] = {
	{"object", "object.o", object_command, NULL, true, false, NULL},
	{"support", "support.o", support_command, NULL, false, false, NULL},
	{"builtin", "half.o", builtin_command, HALF_NEEDS, false, false, NULL},
	{"print", "print.o", print_command, NULL, false, false, PRINT_NEED},
	{"hooks", "hooks.o", hook_command, NULL, false, true, NULL},
};

/* ---- Built-in functions ---------------------------------------------------------------------- */

/* Whether the C file defines the function: BUILTIN("_Z12get_local_idj") for "#define
 * NEED_get_local_id" as last line of the text. builtins.cl does not define these functions. */
static bool is_in_support(const char *need)
{
	static const char start[] = "#define NEED_";
	const char *support = sources_embedded("host/gpu/opencl_emu/runtime/" SUPPORT_FILE);
	const char *found = strstr(need, start);
	char name[64], symbol[2][80];

	if (!support || !found || sscanf(found + strlen(start), "%63s", name) != 1)
		return false;
	snprintf(symbol[0], sizeof symbol[0], "BUILTIN(\"%s\",", name);
	snprintf(symbol[1], sizeof symbol[1], "BUILTIN(\"_Z%zu%s", strlen(name), name);
	return strstr(support, symbol[0]) || strstr(support, symbol[1]);
}

/* One object file for each function. Writes their names to `list`. */
static enum pmpp_status make_builtins(const struct emu_build *build, const char *needs, FILE *list)
{
	enum pmpp_status status = PMPP_OK;
	char file[40];

	for (size_t i = 0; *needs && status == PMPP_OK; i++) {
		const char *next = strstr(needs + 1, IR_NEED_START);
		char *need = strndup(needs, next ? (size_t)(next - needs) : strlen(needs));
		needs = next ? next : "";
		if (!need)
			return emu_no_memory(build);
		if (!is_in_support(need) && !strstr(need, PRINT_NEED)) {
			snprintf(file, sizeof file, "builtin%zu.o", i);
			status = take(build, builtin_command, "builtin", need, file);
			fprintf(list, "%s\n", file);
		}
		free(need);
	}
	return status;
}

static enum pmpp_status make_fixed(const struct emu_build *build, const char *needs, FILE *list)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < sizeof fixed_parts / sizeof *fixed_parts && status == PMPP_OK; i++) {
		const struct fixed_part *part = &fixed_parts[i];
		if ((part->traced_only && !build->desc->traced) ||
			(part->need && !strstr(needs, part->need)))
			continue;
		status = take(build, part->command, part->kind, part->needs, part->file);
		if (!part->first)
			fprintf(list, "%s\n", part->file);
	}
	return status;
}

/* Writes the shared object files to the build folder: takes them from the cache, or compiles them. Writes
 * their names, except object.o, to PARTS_FILE. needs: of struct ir_facts. */
static enum pmpp_status make_parts(const struct emu_build *build, const char *needs)
{
	char *names = NULL;
	size_t size;
	FILE *list = open_memstream(&names, &size);
	enum pmpp_status status = list ? make_builtins(build, needs, list) : emu_no_memory(build);

	if (status == PMPP_OK)
		status = make_fixed(build, needs, list);
	if (list && fclose(list) != 0 && status == PMPP_OK)
		status = emu_no_memory(build);
	if (status == PMPP_OK)
		status = emu_write_file(build, PARTS_FILE, names);
	free(names);
	return status;
}

/* ---- Steps: all words that do not depend on the program ------------------------------------- */

/* 1: the source to IR. The traced functions get the attribute of the sanitizer here; step 3 adds its
 * calls. A call at the end of a function must stay a call: the return address identifies the call of
 * a built-in function. The flag is given here, because clang 15 and later ignore it in step 3. */
static const char *const front_flags[] = {STACK_FLAGS TARGET_FLAGS, LANGUAGE_FLAGS, IR_FLAGS,
	EMU_DEPENDS_FLAGS, "-Xclang", "-disable-llvm-passes", "-fno-optimize-sibling-calls", NULL};
static const char *const front_plain[] = {"-O2", "-fstack-protector-strong", NULL};
static const char *const front_traced[] = {
	"-O1", "-fsanitize=thread", "-fno-omit-frame-pointer", NULL};
static const char *const front_files[] = {
	"-I.", "-include", "pmpp_opencl.h", OPENCL_EMU_SOURCE_FILE, "-o", "kernel.ll", NULL};
/* 3: the code calls functions of a sanitizer. pmpp_hooks.h replaces the sanitizer's runtime. Each
 * basic block calls its hook, and the code has the order of the source. A condition with a value for
 * each side ("c ? a : b") stays a branch, as in the code of g++ (docs/parity.md). Equal instructions
 * on both sides of a branch are not merged: a merged instruction has no line. */
static const char *const traced_flags[] = {TARGET_FLAGS, "-O1", "-fsanitize=thread",
	"-fsanitize-coverage=trace-pc,bb,no-prune", "-mllvm",
	"-tsan-instrument-read-before-write=1", "-mllvm", "-tsan-instrument-memintrinsics=0",
	"-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-disable-loop-idiom-all",
	"-mllvm", "-two-entry-phi-node-folding-threshold=0", "-mllvm",
	"-phi-node-folding-threshold=0", "-mllvm", "-speculate-one-expensive-inst=0", "-mllvm",
	"-sink-common-insts=false", "-mllvm", "-hoist-common-insts=false", "-mllvm",
	"-simplifycfg-merge-cond-stores=false", NULL};
static const char *const traced_files[] = {IR_FLAGS, "kernel.ll", "-o", "traced.ll", NULL};
/* 5, the traced kernel: code generation keeps the order of the basic blocks, and emits each block
 * once. */
static const char *const order_flags[] = {"-mllvm", "-disable-block-placement", "-mllvm",
	"-enable-tail-merge=0", "-mllvm", "-disable-tail-duplicate", "-mllvm",
	"-disable-branch-fold", NULL};
static const char *const order_files[] = {TARGET_FLAGS, "-O1", "-Xclang", "-disable-llvm-passes",
	"-ffunction-sections", "-c", "traced.ll", "-o", "kernel.o", NULL};
/* 5, the object */
static const char *const link_flags[] = {TARGET_FLAGS, "-O2", "-ffunction-sections", "-shared",
	"-Wl,-z,defs", "-Wl,--emit-relocs", "-Wl,-Bsymbolic", "-lm", "-Wno-override-module",
	"-Wno-unused-command-line-argument", "-I.", "-o", EMU_OBJECT_FILE, NULL};
/* object.o is first (PMPP_EMU_DEFINE_OBJECT). */
static const char *const link_plain[] = {
	"object.o", "kernel.ll", "@" PARTS_FILE, "-x", "c", "entries.c", NULL};
static const char *const link_traced[] = {
	"object.o", "kernel.o", "@" PARTS_FILE, "-x", "c", "entries.c", NULL};

static const char *const revision[] = {IR_REVISION, NULL};

static const char *const *const all_flags[] = {front_flags, front_plain, front_traced, front_files,
	traced_flags, traced_files, order_flags, order_files, builtin_command, object_command,
	support_command, print_command, hook_command, traced_words, link_flags, link_plain,
	link_traced, revision, NULL};

/* The version of the language is that of the backend opencl. */
static void add_flags(struct option_list *list, const struct gpu_program_desc *desc,
	const struct access_model *model)
{
	(void)model;
	bool newest = desc->device_scope || desc->newest;

	option_list_add(list, newest ? "-cl-std=CL2.0" : "-cl-std=CL1.2");
	/* The version of the device, which a driver defines and clang does not. */
	option_list_add(list, "-D__OPENCL_VERSION__=%d", newest ? 200 : 120);
}

/* ---- The compiler -------------------------------------------------------------------------- */

static struct {
	pthread_once_t once;
	char words[256];
	char version[128];
} used = {.once = PTHREAD_ONCE_INIT};

/* "Debian clang version 14.0.6": 14; 0: another program. */
static int version_of(const char *text)
{
	const char *number = strstr(text, "clang version ");

	return number ? atoi(number + strlen("clang version ")) : 0;
}

static bool use(const char *words)
{
	snprintf(used.words, sizeof used.words, "%s", words);
	bool usable = emu_compiler_version(words, used.version, sizeof used.version) &&
		      version_of(used.version) >= MIN_VERSION;
	if (!usable)
		used.version[0] = '\0';
	return usable;
}

/* CLANG, else clang, else the newest clang-N of Debian and Ubuntu. */
static void find(void)
{
	const char *named = getenv("CLANG");
	char words[16];

	if (use(named && *named ? named : "clang") || (named && *named))
		return;
	for (int version = 30; version >= MIN_VERSION; version--) {
		snprintf(words, sizeof words, "clang-%d", version);
		if (use(words))
			return;
	}
	snprintf(used.words, sizeof used.words, "clang");
}

static const char *compiler(void)
{
	pthread_once(&used.once, find);
	return used.words;
}

static bool find_version(char *ret_version, size_t size)
{
	compiler();
	snprintf(ret_version, size, "%s", used.version);
	return *used.version != '\0';
}

/* Up to version 15, clang accepts zeros only with the second flag. */
static const char *fill_flags(enum gpu_fill fill, bool traced)
{
	static const char *const flags[GPU_FILL_COUNT] = {
		[GPU_FILL_PATTERN] = "-ftrivial-auto-var-init=pattern",
		[GPU_FILL_ZERO] = "-ftrivial-auto-var-init=zero",
	};

	(void)traced;
	compiler();
	return fill == GPU_FILL_ZERO && version_of(used.version) < 16 ? EMU_FILL_ZERO_OLD_CLANG
								      : flags[fill];
}

/* ---- The build ----------------------------------------------------------------------------- */

/* Step 1 */
static enum pmpp_status make_ir(const struct emu_build *build, const char *options, char **log)
{
	return emu_run_compiler(build, options,
		(const char *const *const[]){front_flags,
			build->desc->traced ? front_traced : front_plain, front_files, NULL},
		log);
}

/* Step 2. Sets *ret_needs to the needs of struct ir_facts, which the caller frees, also after an
 * error. */
static enum pmpp_status change_ir(const struct emu_build *build, char **ret_needs)
{
	struct ir_facts facts = {0};
	size_t size;
	char *ir = emu_read_file(build, "kernel.ll", &size);
	enum pmpp_status status = ir && ir_read(ir, &facts) ? PMPP_OK : emu_no_memory(build);

	/* Otherwise the linker writes gigabytes before the size of the section is checked. */
	if (status == PMPP_OK && facts.largest_local > SHARED_LIMIT)
		status = PMPP_FAIL(build->error, PMPP_BUILD,
			"%s: a __local array has %llu elements: the limit of a block is 1 MiB of "
			"static shared memory",
			build->desc->name, facts.largest_local);
	if (status == PMPP_OK)
		status = emu_write_file(build, "kernel.ll", facts.text);
	if (status == PMPP_OK)
		status = emu_write_file(build, "entries.c", facts.entries);
	free(ir);
	free(facts.text);
	free(facts.entries);
	*ret_needs = facts.needs;
	return status;
}

/* Steps 3 and 4, and the object of the kernel */
static enum pmpp_status make_traced_object(const struct emu_build *build)
{
	enum pmpp_status status = emu_run_compiler(
		build, "", (const char *const *const[]){traced_flags, traced_files, NULL}, NULL);

	if (status != PMPP_OK)
		return status;
	size_t size;
	char *ir = emu_read_file(build, "traced.ll", &size);
	char *changed = ir ? ir_trace(ir) : NULL;
	status = changed ? emu_write_file(build, "traced.ll", changed) : emu_no_memory(build);
	free(ir);
	free(changed);
	return status == PMPP_OK
		       ? emu_run_compiler(build, "",
				 (const char *const *const[]){order_flags, order_files, NULL}, NULL)
		       : status;
}

static enum pmpp_status replace_error(
	const struct emu_build *build, enum pmpp_status status, const char *text)
{
	pmpp_error_clear(build->error);
	return PMPP_FAIL(build->error, status, "%s: %s", build->desc->name, text);
}

/* The linker reports a function that builtins.cl does not have, with a line of the kernel:
 * "pmpp_kernel.cl:13: undefined reference to `f(int)'", since binutils 2.44
 * "pmpp_kernel.cl:13:(.text+0xa): undefined reference to `f(int)'". Names of built-in functions are mangled: the
 * linker prints their parameters. Other functions of clang begin with `__`. Functions of the kernel's
 * file have neither parameters here nor `__`. */
static enum pmpp_status explain_missing(
	const struct emu_build *build, const char *log, const char *found)
{
	const char *digits = found;
	const char *name = strchr(found, '`') + 1;
	int length = (int)strcspn(name, "'\n");
	char text[300];

	if (digits > log && digits[-1] == ')')
		do
			digits--;
		while (digits > log && *digits != ':');
	while (digits > log && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	bool builtin = memchr(name, '(', (size_t)length) || strncmp(name, "__", 2) == 0;
	snprintf(text, sizeof text,
		builtin ? "the emulator does not have the function %.*s: define it in the kernel file, "
			  "or use another function"
			: "the function %.*s is declared, but not defined",
		length, name);
	enum pmpp_status status = builtin ? PMPP_UNSUPPORTED : PMPP_BUILD;
	int line = atoi(digits);
	pmpp_error_clear(build->error);
	return PMPP_FAIL(build->error, status, "%s:%d: %s", build->desc->name, line, text);
}

/* Replaces messages of clang and the linker that are not about the user's code. */
static enum pmpp_status explain(const struct emu_build *build, enum pmpp_status status)
{
	/* Inline PTX. The assembler of the host rejects the instructions, clang rejects the operands, and
	 * OpenCL C 1.2 rejects the word `asm`. */
	static const char *const assembly[] = {"<inline asm>", " in asm", "identifier 'asm'"};
	const char *log = build->error->log ? build->error->log : "";
	const char *missing = strstr(log, ": undefined reference to `");

	if (status != PMPP_BUILD)
		return status;
	for (size_t i = 0; i < sizeof assembly / sizeof *assembly; i++)
		if (strstr(log, assembly[i]))
			return replace_error(
				build, PMPP_UNSUPPORTED, "the emulator cannot run inline PTX");
	if (strstr(log, "relocation truncated"))
		return replace_error(build, PMPP_BUILD,
			"a variable has more than 2 GiB: the limit of a block is 1 MiB of static "
			"shared memory");
	return missing ? explain_missing(build, log, missing) : status;
}

/* Step 5 */
static enum pmpp_status link_object(const struct emu_build *build, const char *needs)
{
	enum pmpp_status status = make_parts(build, needs);

	if (status != PMPP_OK)
		return status;
	return emu_run_compiler(build, "",
		(const char *const *const[]){
			link_flags, build->desc->traced ? link_traced : link_plain, NULL},
		NULL);
}

static enum pmpp_status compile(const struct emu_build *build, const char *options, char **ret_log)
{
	char *needs = NULL;
	enum pmpp_status status = make_ir(build, options, ret_log);

	if (status == PMPP_OK)
		status = change_ir(build, &needs);
	if (status == PMPP_OK && build->desc->traced)
		status = make_traced_object(build);
	if (status == PMPP_OK)
		status = link_object(build, needs);
	free(needs);
	return explain(build, status);
}

/* ---- The front end ------------------------------------------------------------------------- */

/* The kernel of the CUDA front end. emu/device.c has the expected counts by line. */
static const char test_source[] =
	"__kernel void selftest(__global const float *in, __global float *out, __global uint *n)\n" /* 1 */
	"{\n"                                                                   /* 2 */
	"	__local float tile[64 * 32];\n"                                 /* 3 */
	"	int t = (int)get_local_id(0);\n"                                /* 4 */
	"	float sum = 0.0f;\n"                                            /* 5 */
	"	tile[t * 32] =\n"                                               /* 6 */
	"		in[2 * t];\n"                                           /* 7 */
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"                                /* 8 */
	"	for (int i = 0; i < 9; i++)\n"                                  /* 9 */
	"		if ((t + i) % 3 == 0)\n"                                /* 10 */
	"			sum += in[32 * i + t];\n"                       /* 11 */
	"	if (t < 40)\n"                                                  /* 12 */
	"		atomic_add(n, 1u);\n"                                   /* 13 */
	"	float4 four = (float4)(sum, tile[(t ^ 1) * 32], 0.0f, 0.0f);\n" /* 14 */
	"	((__global float4 *)out)[t] = four;\n"                          /* 15 */
	"}\n";

/* #line gives messages the name of the kernel's file. */
static enum pmpp_status prepare(
	const struct gpu_program_desc *desc, char **ret_text, struct pmpp_error *error)
{
	if (asprintf(ret_text, "#line 1 \"%s\"\n%s", desc->name, desc->source) >= 0)
		return PMPP_OK;
	*ret_text = NULL;
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", desc->name);
}

/* "pmpp_user.count", "count", and "kernel.count" of a function. */
static void name_of(const char *symbol, char *ret_name, size_t size)
{
	const char *name = strrchr(symbol, '.');

	snprintf(ret_name, size, "%s", name ? name + 1 : symbol);
}

static const struct emu_front opencl_emu_front = {
	.backend = GPU_BACKEND_OPENCL_EMU,
	.title = "OpenCL emulator",
	.compiler_missing = "there is no clang 14 or later: install clang, or set CLANG to its "
			    "command",
	.source_file = OPENCL_EMU_SOURCE_FILE,
	.runtime_folder = "host/gpu/opencl_emu/runtime/",
	.flags = all_flags,
	.warp = 0,
	/* As PoCL on many CPUs: variants for CPUs use more than a GPU has. */
	.static_shared_bytes = SHARED_LIMIT,
	.shared_bytes = SHARED_LIMIT,
	.capabilities = PMPP_CAP_OPENCL_CPU | PMPP_CAP_FP64 | PMPP_CAP_FP16 | PMPP_CAP_SHUFFLE |
			PMPP_CAP_WARP_REDUCE | PMPP_CAP_ASYNC_COPY | PMPP_CAP_TENSOR,
	.arithmetic = {.rules = ARITHMETIC_OPENCL, .exact_divide = true},
	.exact_calls = true,
	.test_name = "selftest.cl",
	.test_source = test_source,
	.find_version = find_version,
	.compiler = compiler,
	.add_flags = add_flags,
	.fill_flags = fill_flags,
	.prepare = prepare,
	.compile = compile,
	.name_of = name_of,
};

const struct gpu_backend gpu_backend_opencl_emu = {
	.front = &opencl_emu_front, .offline = &opencl_emu_offline, EMU_SLOTS};
