/* The front end: compiles a CUDA kernel with the host's C++ compiler. */
#include "host/gpu/cuda_emu/internal.h"

#include "common/model/access_model.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_FILE "pmpp_kernel.cu"

/* Flags that affect results. Without contraction a * b + c is rounded twice. */
#define LANGUAGE_FLAGS                                                                             \
	EMU_DEPENDS_FLAGS, "-std=c++17", "-march=native", "-ffp-contract=off", "-fwrapv",          \
		"-fno-strict-aliasing", "-fsigned-char", "-fstack-clash-protection",               \
		"-U_FORTIFY_SOURCE", "-fPIC", "-fvisibility=hidden", "-fno-exceptions",            \
		"-fno-builtin-printf", "-ffunction-sections", "-fdata-sections", "-D__CUDACC__=1", \
		"-D__CUDACC_RTC__=1", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0",     \
		"-Werror=vla", "-g1", "-Wall", "-Wno-unknown-pragmas", "-Wno-unused-function",     \
		"-Wno-sign-compare"

/* The places of memory in the object. Each variable has a section of its own (-fdata-sections, __constant__):
 *   pmpp_own        variables of the emulator
 *   pmpp_shared     shared memory, between guards. The compiler ignores the section of variables of templates, classes
 *                   and inline functions. Their sections begin with the mangled name of a variable of a
 *                   function
 *   pmpp_variables  variables in global memory
 *   pmpp_constants  variables in constant memory
 * The traced build has unused bytes around each variable. Only the names of the emulator are visible: the loader
 * would merge variables of templates in two objects. */
#define LAYOUT_FILE "layout.ld"
#define LAYOUT_OWN "*(.data*.pmpp_emu*) *(.bss.pmpp_emu*) *(.data.rel.ro.*)"
#define LAYOUT_UNKNOWN "*(.bss._ZZ*)"
#define LAYOUT_FLAGS "-Wl,-T," LAYOUT_FILE, "-Wl,--emit-relocs"
/* Of the plain build. The compiler's crtbegin.o has a variable too. */
#define OF_KERNEL(section) "EXCLUDE_FILE(*crtbegin*.o) " section " "
#define LAYOUT_VARIABLES "*(" OF_KERNEL(".data.*") OF_KERNEL(".bss.*") ")"
#define LAYOUT_CONSTANTS "*(pmpp_constant.*)"
/* Bytes before and after a variable: an index that is a little too large or too small is in no variable. */
#define GAP ". += " EMU_GAP_BYTES ";"

static const char *const plain_flags[] = {LANGUAGE_FLAGS, "-O2", "-fstack-protector-strong",
	"-shared", "-nodefaultlibs", LAYOUT_FLAGS, "-o", EMU_OBJECT_FILE, NULL};
/* Links only libgcc. The process has the other libraries (emu_object_open()), and their symbols would take most of the
 * linker's time. */
static const char *const library_words[] = {"-lgcc", NULL};
static const char *const no_words[] = {NULL};
/* The code calls functions of a sanitizer. pmpp_hooks.h replaces the sanitizer's runtime. */
static const char *const traced_flags[] = {LANGUAGE_FLAGS, "-DPMPP_EMU_TRACED", "-O1",
	"-fno-reorder-blocks", "-fno-omit-frame-pointer", "-fsanitize=thread",
	"-fsanitize-coverage=trace-pc", "-Wno-tsan", "-Wno-unknown-warning-option",
	"-Wno-ignored-optimization-argument", "-c", "-o", "kernel.o", NULL};
/* Without the rare functions of pmpp_math.h. */
static const char *const common_words[] = {"-DPMPP_EMU_COMMON", NULL};
static const char *const source_words[] = {
	"-I.", "-include", "pmpp_cuda.h", "-x", "c++", SOURCE_FILE, NULL};
static const char *const hook_flags[] = {"-std=c++17", "-march=native", "-O2", "-fPIC",
	"-fvisibility=hidden", "-I.", "-x", "c++", "-c", EMU_HOOKS_FILE, "-o", "hooks.o", NULL};
static const char *const link_flags[] = {"-shared", "-nodefaultlibs", LAYOUT_FLAGS, "kernel.o",
	"hooks.o", "-lgcc", "-o", EMU_OBJECT_FILE, NULL};

/* Not an option: the layout changes the object, so it belongs to the key of the cache. */
static const char *const layout_words[] = {
	LAYOUT_OWN, LAYOUT_UNKNOWN, LAYOUT_VARIABLES, LAYOUT_CONSTANTS, GAP, NULL};

static const char *const *const all_flags[] = {plain_flags, traced_flags, common_words,
	source_words, hook_flags, link_flags, layout_words, NULL};

static const char *compiler(void)
{
	const char *named = getenv("CXX");

	return named && *named ? named : "c++";
}

static bool find_version(char *ret_version, size_t size)
{
	return emu_compiler_version(compiler(), ret_version, size);
}

/* Flags that fill local variables: g++ since version 12 (GCC manual, Optimize Options), clang++
 * since 8, and for zero without a second flag since 16 (Clang manual, Command line). Floats become
 * NaN with clang++ and -1.7e38 (bytes 0xfe) with g++. The value numbering of g++ assumes that a
 * variable set in one branch is set in all branches. The plain build disables it (-fno-tree-fre and
 * the two passes that use it). The traced build keeps it: without it the compiler would emit more
 * accesses, which the traced build counts. The first matching row that the compiler accepts without
 * a warning is used. */
static const struct fill_row {
	enum gpu_fill fill;
	bool plain_only;
	const char *flags;
} fill_rows[] = {
	{GPU_FILL_PATTERN, true,
		"-ftrivial-auto-var-init=pattern -fno-tree-fre -fno-tree-pre -fno-tree-ccp "
		"-fno-code-hoisting"},
	{GPU_FILL_PATTERN, false, "-ftrivial-auto-var-init=pattern"},
	{GPU_FILL_ZERO, true,
		"-ftrivial-auto-var-init=zero -fno-tree-fre -fno-tree-pre -fno-tree-ccp "
		"-fno-code-hoisting"},
	{GPU_FILL_ZERO, false, "-ftrivial-auto-var-init=zero"},
	{GPU_FILL_ZERO, false, EMU_FILL_ZERO_OLD_CLANG},
};

/* Flags that the compiler accepts. known: the flags have been tried. */
static struct {
	pthread_mutex_t lock;
	char words[256]; /* of the command of the compiler */
	bool known[GPU_FILL_COUNT][2];
	const char *flags[GPU_FILL_COUNT][2];
} fills = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* -fsyntax-only writes no temporary file: the result does not depend on TMPDIR. */
static bool takes_flags(const char *flags)
{
	static const struct gpu_program_desc none = {.name = "/dev/null"};
	static const char *const words[] = {
		"-Werror", "-x", "c++", "-fsyntax-only", "/dev/null", NULL};
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	const struct emu_build build = {.desc = &none, .compiler = compiler(), .error = &ignored};
	bool takes = emu_run_compiler(&build, flags, (const char *const *const[]){words, NULL},
			     NULL) == PMPP_OK;

	pmpp_error_clear(&ignored);
	return takes;
}

static const char *find_flags(enum gpu_fill fill, bool traced)
{
	for (size_t i = 0; i < sizeof fill_rows / sizeof *fill_rows; i++)
		if (fill_rows[i].fill == fill && !(traced && fill_rows[i].plain_only) &&
			takes_flags(fill_rows[i].flags))
			return fill_rows[i].flags;
	return NULL;
}

/* The first call for a compiler runs it to try the flags. */
static const char *fill_flags(enum gpu_fill fill, bool traced)
{
	pthread_mutex_lock(&fills.lock);
	if (strncmp(fills.words, compiler(), sizeof fills.words - 1) != 0) {
		memset(fills.known, 0, sizeof fills.known);
		snprintf(fills.words, sizeof fills.words, "%s", compiler());
	}
	if (!fills.known[fill][traced]) {
		fills.flags[fill][traced] = find_flags(fill, traced);
		fills.known[fill][traced] = true;
	}
	const char *flags = fills.flags[fill][traced];
	pthread_mutex_unlock(&fills.lock);
	return flags;
}

/* Whether the compiler may ignore the section of a variable in shared memory. In such a source, static
 * variables of functions without __shared__ count as shared memory too. */
static bool may_ignore_section(const char *source)
{
	static const char *const words[] = {"template", "struct", "class", "inline"};
	bool has_word = false;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		has_word |= strstr(source, words[i]) != NULL;
	return has_word && strstr(source, "__shared__");
}

static void add_flags(struct option_list *list, const struct gpu_program_desc *desc,
	const struct access_model *model)
{
	int architecture;

	(void)desc;
	/* __CUDA_ARCH__ of the emulated GPU. GPUs of other vendors get the value of the default model. */
	if (sscanf(model->name, "sm_%d", &architecture) != 1)
		sscanf(access_model_default()->name, "sm_%d", &architecture);
	option_list_add(list, "-D__CUDA_ARCH__=%d", 10 * architecture);
}

/* ---- Layout -------------------------------------------------------------------------------- */

/* The sections of variables in an object file. Other sections of the compiler have no variable. */
struct sections {
	FILE *variables, *constants; /* parts of the layout */
};

static void add_section(void *context, const struct emu_symbol *symbol)
{
	static const struct {
		const char *start;
		bool constant;
	} kinds[] = {
		{".data.", false}, {".bss.", false}, {".rodata.", true}, {"pmpp_constant.", true}};
	const struct sections *sections = context;

	if (symbol->is_function || strstr(symbol->name, "pmpp_emu"))
		return;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(symbol->section, kinds[i].start, strlen(kinds[i].start)) == 0)
			fprintf(kinds[i].constant ? sections->constants : sections->variables,
				GAP " *(%s) " GAP " ", symbol->section);
}

static enum pmpp_status write_layout(
	const struct emu_build *build, const char *variables, const char *constants)
{
	char *text;

	if (asprintf(&text,
		    "SECTIONS\n{\npmpp_own : { " LAYOUT_OWN " }\n"
		    "pmpp_guard_begin : { *(pmpp_guard_begin) }\n"
		    "pmpp_shared : { *(pmpp_shared pmpp_shared.*) %s }\n"
		    "pmpp_guard_end : { *(pmpp_guard_end) }\n"
		    "pmpp_variables : { *(pmpp_variables) %s }\n"
		    "pmpp_constants : { *(pmpp_constants) %s }\n"
		    "}\nINSERT AFTER .data;\n"
		    "VERSION { { global: pmpp_emu_*; local: *; }; }\n",
		    may_ignore_section(build->desc->source) ? LAYOUT_UNKNOWN : "", variables,
		    constants) < 0)
		return emu_no_memory(build);
	enum pmpp_status status = emu_write_file(build, LAYOUT_FILE, text);
	free(text);
	return status;
}

/* Writes the layout of the traced build, from its object file. */
static enum pmpp_status write_traced_layout(const struct emu_build *build)
{
	size_t size, sizes[2];
	char *object = emu_read_file(build, "kernel.o", &size);
	char *variables = NULL, *constants = NULL;
	struct sections sections = {
		open_memstream(&variables, &sizes[0]), open_memstream(&constants, &sizes[1])};
	bool whole = object && sections.variables && sections.constants;

	if (whole)
		emu_symbols_each(object, size, add_section, &sections);
	whole &= sections.variables && fclose(sections.variables) == 0;
	whole &= sections.constants && fclose(sections.constants) == 0;
	enum pmpp_status status =
		whole ? write_layout(build, variables, constants) : emu_no_memory(build);
	free(object);
	free(variables);
	free(constants);
	return status;
}

/* What the emulator lacks. text: the name (function, type or header) in the compiler's error; "*": and what
 * follows. For inline PTX, pmpp_cuda.h raises this error. */
static const struct lack {
	const char *text, *what;
} lacks[] = {
	{"pmpp_emu_inline_ptx", "inline PTX"},
	{"tex1D*", "textures"},
	{"tex2D*", "textures"},
	{"tex3D*", "textures"},
	{"cudaTextureObject_t", "textures"},
	{"surf1D*", "surfaces"},
	{"surf2D*", "surfaces"},
	{"surf3D*", "surfaces"},
	{"cudaSurfaceObject_t", "surfaces"},
	{"malloc", "the heap of the device"},
	{"curand_*", "random numbers (cuRAND)"},
	{"curand.h", "random numbers (cuRAND)"},
	{"curand", "random numbers (cuRAND)"},
	{"mma.h", "matrix operations (mma.h)"},
	{"nvcuda", "matrix operations (mma.h)"},
	{"this_cluster", "clusters"},
	{"barrier_arrive", "barriers with separate arrival"},
	{"__isGlobal", "queries of the address space"},
	{"__isLocal", "queries of the address space"},
	{"__vimax*", "DPX functions"},
	{"__vimin*", "DPX functions"},
	{"__viaddm*", "DPX functions"},
	{"__vibm*", "DPX functions"},
	{"__vsetg*", "comparisons of SIMD words (__vset...)"},
	{"__vsetl*", "comparisons of SIMD words (__vset...)"},
	{"cuComplex.h", "complex numbers (cuComplex.h)"},
	{"cuda_fp8.h", "8-bit floats (cuda_fp8.h)"},
	{"cuda/*", "libcu++ (<cuda/...>)"},
	{"cub/*", "CUB"},
	{"thrust/*", "Thrust"},
	{"cute/*", "CUTLASS"},
	{"cutlass/*", "CUTLASS"},
};

static bool has_name(const char *text, size_t length, const char *name)
{
	size_t name_length = strcspn(name, "*");
	const char *end = text + length;

	for (const char *at = text; (at = memmem(at, (size_t)(end - at), name, name_length));
		at++) {
		char next = at + name_length < end ? at[name_length] : '\0';
		if (strchr(" '<\"", at[-1]) &&
			(name[name_length] || !(next == '_' || isalnum((unsigned char)next))))
			return true;
	}
	return false;
}

/* Finds a lack in the text of an error of the compiler. A blank is before the text. */
static const struct lack *lack_in(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++)
		if (has_name(text, length, lacks[i].text))
			return &lacks[i];
	return NULL;
}

/* Replaces the error of a compiler whose first message is about something that the emulator lacks. */
static enum pmpp_status name_lack(enum pmpp_status status, struct pmpp_error *error)
{
	static const char mark[] = " error: ";
	const char *text = error->log ? strstr(error->log, mark) : NULL;
	if (status != PMPP_BUILD || !text)
		return status;
	const char *line = text;
	while (line > error->log && line[-1] != '\n')
		line--;
	text += strlen(mark);
	const struct lack *lack = lack_in(text, strcspn(text, "\n"));
	char place[300];
	int number;
	if (!lack || sscanf(line, "%250[^:]:%d", place, &number) != 2)
		return status;
	pmpp_error_clear(error);
	return PMPP_FAIL(error, PMPP_UNSUPPORTED,
		"%s:%d: cuda-emu does not have %s: use --backend=cuda", place, number, lack->what);
}

/* The hooks are an object of their own, because they must not be instrumented. All programs share them. */
static enum pmpp_status link_traced(const struct emu_build *build)
{
	enum pmpp_status status = emu_part_make(
		build, "hooks", "", "hooks.o", (const char *const *const[]){hook_flags, NULL});

	return status == PMPP_OK ? emu_run_compiler(build, "",
					   (const char *const *const[]){link_flags, NULL}, NULL)
				 : status;
}

/* Compiles the source without the rare functions of pmpp_math.h. If this fails at a line of a source, compiles
 * it with them. */
static enum pmpp_status compile_source(
	const struct emu_build *build, const char *options, char **ret_log)
{
	const char *const *const flags = build->desc->traced ? traced_flags : plain_flags;
	const char *const *const libraries = build->desc->traced ? no_words : library_words;
	enum pmpp_status status = emu_run_compiler(build, options,
		(const char *const *const[]){flags, common_words, source_words, libraries, NULL},
		ret_log);

	/* Errors without a line ("g++: fatal error: Killed") are not about the source. */
	if (status != PMPP_BUILD || (build->error->log && !strstr(build->error->log, ": error: ")))
		return name_lack(status, build->error);
	pmpp_error_clear(build->error);
	status = emu_run_compiler(build, options,
		(const char *const *const[]){flags, source_words, libraries, NULL}, ret_log);
	return name_lack(status, build->error);
}

static enum pmpp_status compile(const struct emu_build *build, const char *options, char **ret_log)
{
	const struct gpu_program_desc *desc = build->desc;
	enum pmpp_status status =
		desc->traced ? PMPP_OK : write_layout(build, LAYOUT_VARIABLES, LAYOUT_CONSTANTS);

	if (status == PMPP_OK)
		status = compile_source(build, options, ret_log);
	if (status == PMPP_OK && desc->traced)
		status = write_traced_layout(build);
	return status == PMPP_OK && desc->traced ? link_traced(build) : status;
}

/* ---- The front end ------------------------------------------------------------------------- */

/* emu/device.c has the expected counts by line. */
static const char test_source[] =
	"extern \"C\" __global__ void selftest(const float *in, float *out, unsigned *n)\n" /* 1 */
	"{\n"                                                                               /* 2 */
	"	__shared__ float tile[64 * 32];\n"                                          /* 3 */
	"	int t = (int)threadIdx.x;\n"                                                /* 4 */
	"	float sum = 0.0f;\n"                                                        /* 5 */
	"	tile[t * 32] =\n"                                                           /* 6 */
	"		in[2 * t];\n"                                                       /* 7 */
	"	__syncthreads();\n"                                                         /* 8 */
	"	for (int i = 0; i < 9; i++)\n"                                              /* 9 */
	"		if ((t + i) % 3 == 0)\n"                                            /* 10 */
	"			sum += in[32 * i + t];\n"                                   /* 11 */
	"	if (t < 40)\n"                                                              /* 12 */
	"		atomicAdd(n, 1u);\n"                                                /* 13 */
	"	float4 four = make_float4(sum, tile[(t ^ 1) * 32], 0.0f, 0.0f);\n"          /* 14 */
	"	((float4 *)out)[t] = four;\n"                                               /* 15 */
	"}\n";

/* The last name of a mangled symbol is that of the variable: _ZN5outer5countE, _ZZ1kE5count, _ZL5count. */
static void name_of(const char *symbol, char *ret_name, size_t size)
{
	const char *name = symbol;
	size_t length = strlen(symbol);
	char *after;

	for (const char *at = symbol; strncmp(symbol, "_Z", 2) == 0 && *at; at++) {
		unsigned long count = strtoul(at, &after, 10);
		if (*at < '1' || *at > '9' || count > strlen(after))
			continue;
		name = after;
		length = count;
		at = after + count - 1;
	}
	snprintf(ret_name, size, "%.*s", (int)length, name);
}

static const struct emu_front cuda_emu_front = {
	.backend = GPU_BACKEND_CUDA_EMU,
	.title = "CUDA emulator",
	.compiler_missing =
		"there is no C++ compiler for kernels: install g++, or set CXX to a compiler",
	.source_file = SOURCE_FILE,
	.runtime_folder = "host/gpu/cuda_emu/runtime/",
	.flags = all_flags,
	.warp = 32,
	/* Compute capability 9.0. */
	.static_shared_bytes = 48 * 1024,
	.shared_bytes = 227 * 1024,
	.capabilities = PMPP_CAP_FP64 | PMPP_CAP_FP16 | PMPP_CAP_SHUFFLE | PMPP_CAP_WARP_REDUCE |
			PMPP_CAP_ASYNC_COPY | PMPP_CAP_TENSOR,
	.arithmetic = {.rules = ARITHMETIC_CUDA, .exact_divide = true},
	/* From compute capability 7.0 on (CUDA C++ Programming Guide, Synchronization Functions). */
	.exited_count = true,
	.test_name = "selftest.cu",
	.test_source = test_source,
	.find_version = find_version,
	.compiler = compiler,
	.add_flags = add_flags,
	.fill_flags = fill_flags,
	.prepare = cuda_emu_prepare,
	.compile = compile,
	.name_of = name_of,
};

const struct gpu_backend gpu_backend_cuda_emu = {.front = &cuda_emu_front, EMU_SLOTS};
