/* Compiles an OpenCL kernel with clang, in the steps of internal.h. */
#include "host/gpu/opencl_emu/internal.h"

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

/* ---- Steps: all words that do not depend on the program ------------------------------------- */

/* 1: the source to IR. The traced functions get the attribute of the sanitizer here; step 3 adds its
 * calls. A call at the end of a function must stay a call: the return address identifies the call of
 * a built-in function. The flag is given here, because clang 15 and later ignore it in step 3. */
static const char *const front_flags[] = {STACK_FLAGS OPENCL_TARGET_FLAGS, LANGUAGE_FLAGS, IR_FLAGS,
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
static const char *const traced_flags[] = {OPENCL_TARGET_FLAGS, "-O1", "-fsanitize=thread",
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
static const char *const order_files[] = {OPENCL_TARGET_FLAGS, "-O1", "-Xclang",
	"-disable-llvm-passes", "-c", "traced.ll", "-o", "kernel.o", NULL};
/* 5, the object */
static const char *const link_flags[] = {OPENCL_TARGET_FLAGS, "-O2", "-shared", "-Wl,-z,defs",
	"-Wl,-Bsymbolic", "-lm", "-Wno-override-module", "-Wno-unused-command-line-argument", "-I.",
	"-o", EMU_OBJECT_FILE, NULL};
/* object.o is first (PMPP_EMU_DEFINE_OBJECT). */
static const char *const link_plain[] = {
	"object.o", "kernel.ll", "@" OPENCL_PARTS_FILE, "-x", "c", "entries.c", NULL};
static const char *const link_traced[] = {
	"object.o", "kernel.o", "@" OPENCL_PARTS_FILE, "-x", "c", "entries.c", NULL};

static const char *const revision[] = {IR_REVISION, NULL};

const char *const *const opencl_emu_flags[] = {front_flags, front_plain, front_traced, front_files,
	traced_flags, traced_files, order_flags, order_files, opencl_part_words, link_flags,
	link_plain, link_traced, revision, NULL};

/* The version of the language is that of the backend opencl. */
void opencl_emu_add_flags(struct option_list *list, const struct gpu_program_desc *desc,
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
	return emu_compiler_version(words, used.version, sizeof used.version) &&
	       version_of(used.version) >= MIN_VERSION;
}

/* CLANG, else clang, else the newest clang-N of Debian and Ubuntu. */
static void find(void)
{
	const char *named = getenv("CLANG");
	char words[16];

	if (named && *named) {
		if (!use(named))
			used.version[0] = '\0';
		return;
	}
	if (use("clang"))
		return;
	for (int version = 30; version >= MIN_VERSION; version--) {
		snprintf(words, sizeof words, "clang-%d", version);
		if (use(words))
			return;
	}
	snprintf(used.words, sizeof used.words, "clang");
	used.version[0] = '\0';
}

const char *opencl_emu_compiler(void)
{
	pthread_once(&used.once, find);
	return used.words;
}

bool opencl_emu_find_version(char *ret_version, size_t size)
{
	opencl_emu_compiler();
	snprintf(ret_version, size, "%s", used.version);
	return *used.version != '\0';
}

/* Up to version 15, clang accepts zeros only with the second flag. */
const char *opencl_emu_fill_flags(enum gpu_fill fill, bool traced)
{
	static const char *const flags[GPU_FILL_COUNT] = {
		[GPU_FILL_PATTERN] = "-ftrivial-auto-var-init=pattern",
		[GPU_FILL_ZERO] = "-ftrivial-auto-var-init=zero",
	};

	(void)traced;
	opencl_emu_compiler();
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
	char *split = ir ? ir_split_vectors(ir) : NULL;
	bool done = split && ir_read(split, &facts);
	char *text = done ? ir_rename(facts.text) : NULL;
	enum pmpp_status status = text ? PMPP_OK : emu_no_memory(build);

	/* Otherwise the linker writes gigabytes before the size of the section is checked. */
	if (status == PMPP_OK && facts.largest_local > OPENCL_SHARED_LIMIT)
		status = PMPP_FAIL(build->error, PMPP_BUILD,
			"%s: a __local array has %llu elements: the limit of a block is 1 MiB of "
			"static shared memory",
			build->desc->name, facts.largest_local);
	if (status == PMPP_OK)
		status = emu_write_file(build, "kernel.ll", text);
	if (status == PMPP_OK)
		status = emu_write_file(build, "entries.c", facts.entries);
	free(ir);
	free(split);
	free(text);
	free(facts.text);
	free(facts.entries);
	*ret_needs = facts.needs;
	return status;
}

/* Step 4: the text of traced.ll, changed. NULL for lack of memory. */
static char *change_traced_ir(const struct emu_build *build)
{
	size_t size;
	char *ir = emu_read_file(build, "traced.ll", &size);
	char *hooked = ir ? ir_add_hooks(ir) : NULL;
	char *ordered = hooked ? ir_order(hooked) : NULL;

	free(ir);
	free(hooked);
	return ordered;
}

/* Steps 3 and 4, and the object of the kernel */
static enum pmpp_status make_traced_object(const struct emu_build *build)
{
	enum pmpp_status status = emu_run_compiler(
		build, "", (const char *const *const[]){traced_flags, traced_files, NULL}, NULL);

	if (status != PMPP_OK)
		return status;
	char *ir = change_traced_ir(build);
	status = ir ? emu_write_file(build, "traced.ll", ir) : emu_no_memory(build);
	free(ir);
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
	enum pmpp_status status = opencl_make_parts(build, needs);

	if (status != PMPP_OK)
		return status;
	return emu_run_compiler(build, "",
		(const char *const *const[]){
			link_flags, build->desc->traced ? link_traced : link_plain, NULL},
		NULL);
}

enum pmpp_status opencl_emu_compile(
	const struct emu_build *build, const char *options, char **ret_log)
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
