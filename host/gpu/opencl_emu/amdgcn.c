/*
 * clang for AMD's GPUs: the resources of a kernel, without a GPU. The functions of OpenCL C come from
 * a library of bitcode: AMD's own (rocm-device-libs), which the OpenCL of ROCm links too, or LLVM's
 * libclc. A clang reads the bitcode of its own version and of older ones. Therefore the pairs of a
 * clang and a library are tried in turn; the first pair that compiles the program is used.
 */
#include "common/words.h"
#include "host/gpu/opencl_emu/internal.h"

#include <ctype.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEWEST 30
#define OLDEST 14
#define ROCM_OLDEST 15 /* clang that reads AMD's library */
#define ABI_CLANG 17   /* from here on, clang defines the version of its object format */

#define OUTPUT_FILE "program.s"
#define TARGET_FILE "target.h"
#define ARGUMENT_FILE "arguments"

/* ---- Assembly text ------------------------------------------------------------------------- */

/* The text that clang writes. A kernel begins with "; -- Begin function NAME". After its code are the lines
 * "; NumVgprs: 24" and others. */

#define BEGIN_FUNCTION "; -- Begin function "
#define KERNEL_INFO "; Kernel info:"

/* The number after "; key: " in the text up to end; -1: there is none. */
static int64_t number_of(const char *text, const char *end, const char *key)
{
	char line[64];

	snprintf(line, sizeof line, "\n; %s: ", key);
	const char *found = strstr(text, line);
	return found && found < end ? strtoll(found + strlen(line), NULL, 10) : -1;
}

/* The part of the text about a kernel; NULL: there is none. */
static const char *find_kernel(const char *assembly, const char *entry)
{
	size_t length = strlen(entry);

	for (const char *at = assembly; (at = strstr(at, BEGIN_FUNCTION));) {
		at += strlen(BEGIN_FUNCTION);
		if (strncmp(at, entry, length) == 0 && isspace((unsigned char)at[length]))
			return at;
	}
	return NULL;
}

/* Reads the resources of a kernel. Returns false if the text has no such kernel. */
static bool read_resources(
	const char *assembly, const char *entry, struct gpu_kernel_resources *ret_resources)
{
	const char *kernel = find_kernel(assembly, entry);
	const char *next = kernel ? strstr(kernel, BEGIN_FUNCTION) : NULL;
	const char *end = kernel && !next ? kernel + strlen(kernel) : next;
	const char *info = kernel ? strstr(kernel, KERNEL_INFO) : NULL;

	if (!info || info >= end || number_of(info, end, "NumVgprs") < 0)
		return false;
	/* Later versions of clang have another name. */
	int64_t scalars = number_of(info, end, "NumSgprs");
	if (scalars < 0)
		scalars = number_of(info, end, "TotalNumSgprs");
	int64_t acc = number_of(info, end, "NumAgprs");
	*ret_resources =
		(struct gpu_kernel_resources){.registers = (int)number_of(info, end, "NumVgprs"),
			.shared_bytes = number_of(info, end, "LDSByteSize"),
			.spill_bytes = number_of(info, end, "ScratchSize"),
			.max_block_threads = -1,
			.scalar_registers = scalars < 0 ? 0 : (int)scalars,
			.acc_registers = acc < 0 ? 0 : (int)acc};
	return true;
}

static bool is_defined(const char *assembly, const char *name, size_t length)
{
	for (const char *at = assembly; (at = strstr(at, "\n"));) {
		at++;
		if (strncmp(at, name, length) == 0 && at[length] == ':')
			return true;
	}
	return false;
}

/* Finds the name of a function that is called but not defined, for example one that the library lacks; "" =
 * there is none. The address of a function is loaded with NAME@rel32@lo, or with NAME@gotpcrel32@lo. */
static void find_missing(const char *assembly, char *ret_name, size_t size)
{
	static const char *const suffixes[] = {"@rel32@lo", "@gotpcrel32@lo"};

	*ret_name = '\0';
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		for (const char *at = assembly; (at = strstr(at, suffixes[i])); at++) {
			const char *name = at;
			while (name > assembly && is_word(name[-1]))
				name--;
			if (name == at || is_defined(assembly, name, (size_t)(at - name)))
				continue;
			snprintf(ret_name, size, "%.*s", (int)(at - name), name);
			return;
		}
}

/* ---- Libraries ----------------------------------------------------------------------------- */

enum library_kind {
	LIBRARY_ROCM,
	LIBRARY_CLC
};

/* Patterns of folders. PMPP_AMDGCN_BITCODE names another folder of AMD's library. */
static const char *const rocm_folders[] = {"/opt/rocm/amdgcn/bitcode",
	"/opt/rocm/lib/llvm/lib/clang/*/amdgcn/bitcode",
	"/opt/rocm/lib/llvm/lib/clang/*/lib/amdgcn/bitcode", "/usr/lib/*/amdgcn/bitcode",
	"/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode",
	"/usr/lib/llvm-*/lib/clang/*/lib/amdgcn/bitcode", NULL};
static const char *const clc_folders[] = {"/usr/lib/clc", "/usr/lib/llvm-*/lib/clc", NULL};

/* The library, and the switches that AMD's OpenCL links for its default options. */
static const char *const rocm_files[] = {"opencl", "ocml", "ockl",
	"oclc_correctly_rounded_sqrt_off", "oclc_daz_opt_off", "oclc_finite_only_off",
	"oclc_unsafe_math_off"};

static const struct library_row {
	const char *const *folders;
	const char *variable; /* of the environment, for the folder; NULL: none */
	const char *file;     /* that a folder of the library has */
	int oldest;           /* clang that reads it */
} libraries[] = {
	[LIBRARY_ROCM] = {rocm_folders, "PMPP_AMDGCN_BITCODE", "opencl.bc", ROCM_OLDEST},
	[LIBRARY_CLC] = {clc_folders, NULL, "amdgcn--amdhsa.bc", OLDEST},
};

static bool exists(const char *folder, const char *file)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	return access(path, R_OK) == 0;
}

/* The first folder of the library; false: it is not installed. */
static bool find_folder(const struct library_row *row, char *ret_folder, size_t size)
{
	const char *named = row->variable ? getenv(row->variable) : NULL;
	bool found = false;
	glob_t paths;

	if (named && *named) {
		snprintf(ret_folder, size, "%s", named);
		return exists(named, row->file);
	}
	for (size_t i = 0; row->folders[i] && !found; i++) {
		if (glob(row->folders[i], 0, NULL, &paths) != 0)
			continue;
		for (size_t k = 0; k < paths.gl_pathc && !found; k++) {
			snprintf(ret_folder, size, "%s", paths.gl_pathv[k]);
			found = exists(ret_folder, row->file);
		}
		globfree(&paths);
	}
	return found;
}

/* ---- Targets ------------------------------------------------------------------------------- */

/* "gfx942", "gfx90a", "gfx1100": the last two digits are hexadecimal. */
struct target {
	char name[16];
	int major, minor, stepping;
	int lanes;  /* of a wave */
	bool asked; /* lanes are not the usual ones */
};

static int hexadecimal(char digit)
{
	return (int)strtol((const char[]){digit, '\0'}, NULL, 16);
}

/* arch: "gfx1100", or "gfx1100/64". */
static bool read_target(const char *arch, struct target *ret_target)
{
	size_t length = strcspn(arch, "/");
	struct target target = {.asked = arch[length] != '\0'};

	if (strncmp(arch, "gfx", 3) != 0 || length < 6 || length > 7)
		return false;
	snprintf(target.name, sizeof target.name, "%.*s", (int)length, arch);
	target.major = atoi((const char[]){arch[3], length == 7 ? arch[4] : '\0', '\0'});
	target.minor = hexadecimal(arch[length - 2]);
	target.stepping = hexadecimal(arch[length - 1]);
	/* RDNA (gfx10 and later) has both widths. */
	target.lanes = target.asked ? atoi(arch + length + 1) : target.major >= 10 ? 32 : 64;
	*ret_target = target;
	return true;
}

/* ---- One build ----------------------------------------------------------------------------- */

/* A clang and a library that it may be able to read. */
struct pair {
	char clang[32];
	int version;
	enum library_kind library;
	char folder[256]; /* of the library */
};

struct amd_build {
	const struct gpu_program_desc *desc;
	struct target target;
	const struct pair *pair;
	const char *language; /* "CL1.2" */
	char *assembly;       /* owned; the result */
};

static void put_bitcode(FILE *out, const struct pair *pair, const char *name)
{
	fprintf(out, "-Xclang -mlink-builtin-bitcode -Xclang \"%s/%s.bc\"\n", pair->folder, name);
}

static void put_library(FILE *out, const struct amd_build *build)
{
	const struct pair *pair = build->pair;

	if (pair->library == LIBRARY_CLC) {
		put_bitcode(out, pair, "amdgcn--amdhsa");
		return;
	}
	for (size_t i = 0; i < sizeof rocm_files / sizeof *rocm_files; i++)
		put_bitcode(out, pair, rocm_files[i]);
	put_bitcode(out, pair,
		build->target.lanes == 64 ? "oclc_wavefrontsize64_on" : "oclc_wavefrontsize64_off");
	if (pair->version < ABI_CLANG)
		put_bitcode(out, pair, "oclc_abi_version_400");
}

static void put_arguments(FILE *out, const struct amd_build *build)
{
	const struct gpu_program_desc *desc = build->desc;
	const struct target *target = &build->target;

	fprintf(out,
		"-x cl -cl-std=%s -target amdgcn-amd-amdhsa -mcpu=%s -nogpulib -O3 -S -w "
		"-fno-color-diagnostics -include %s -o %s %s\n",
		build->language, target->name, TARGET_FILE, OUTPUT_FILE,
		gpu_math_options(GPU_BACKEND_OPENCL, desc->math));
	if (target->asked)
		fprintf(out, "-m%swavefrontsize64\n", target->lanes == 64 ? "" : "no-");
	for (size_t i = 0; i < desc->macro_count; i++)
		fprintf(out, "-D%s=%lld\n", desc->macros[i].name, (long long)desc->macros[i].value);
	put_library(out, build);
	fprintf(out, "%s\n", OPENCL_EMU_SOURCE_FILE);
}

/* The text of the file of arguments, and AMD's constant of the target: gfx90a is 9010. The library
 * may be older than the target, and then has no file with its constant. */
static enum pmpp_status write_inputs(const struct emu_build *files, const struct amd_build *build)
{
	const struct target *target = &build->target;
	char constant[80];
	char *arguments = NULL;
	size_t size;
	FILE *out = open_memstream(&arguments, &size);

	if (!out)
		return emu_no_memory(files);
	put_arguments(out, build);
	fclose(out);
	snprintf(constant, sizeof constant, "const __constant int __oclc_ISA_version = %d;\n",
		target->major * 1000 + target->minor * 100 + target->stepping);
	enum pmpp_status status = emu_write_file(files, ARGUMENT_FILE, arguments);
	if (status == PMPP_OK)
		status = emu_write_file(files, TARGET_FILE, constant);
	if (status == PMPP_OK)
		status = emu_write_file(files, OPENCL_EMU_SOURCE_FILE, build->desc->source);
	free(arguments);
	return status;
}

static enum pmpp_status check_output(const struct amd_build *build, struct pmpp_error *error)
{
	char missing[80];

	if (!build->assembly)
		return PMPP_FAIL(error, PMPP_BUILD, "%s: clang wrote no output", build->desc->name);
	find_missing(build->assembly, missing, sizeof missing);
	if (*missing)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s: %s does not have the function %s",
			build->desc->name, build->pair->folder, missing);
	return PMPP_OK;
}

static enum pmpp_status build_in(const struct emu_build *files, void *context)
{
	struct amd_build *build = context;
	size_t size;
	enum pmpp_status status = write_inputs(files, build);

	if (status == PMPP_OK)
		status = emu_run_compiler(
			files, "@" ARGUMENT_FILE, (const char *const *const[]){NULL}, NULL);
	if (status != PMPP_OK)
		return status;
	build->assembly = emu_read_file(files, OUTPUT_FILE, &size);
	return check_output(build, files->error);
}

/* ---- Pairs --------------------------------------------------------------------------------- */

#define MAX_PAIRS 16

static struct {
	pthread_once_t once;
	struct pair pairs[MAX_PAIRS];
	size_t count;
} found = {.once = PTHREAD_ONCE_INIT};

static void add_clang(const char *command)
{
	char text[128];

	if (!emu_compiler_version(command, text, sizeof text))
		return;
	const char *number = strstr(text, "clang version ");
	int version = number ? atoi(number + strlen("clang version ")) : 0;
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		struct pair pair = {.version = version, .library = (enum library_kind)i};
		snprintf(pair.clang, sizeof pair.clang, "%s", command);
		if (version >= libraries[i].oldest && found.count < MAX_PAIRS &&
			find_folder(&libraries[i], pair.folder, sizeof pair.folder))
			found.pairs[found.count++] = pair;
	}
}

/* ROCm's clang, then the newest clang-N of Debian and Ubuntu, then clang. */
static void find_pairs(void)
{
	char command[16];

	add_clang("/opt/rocm/llvm/bin/clang");
	for (int version = NEWEST; version >= OLDEST; version--) {
		snprintf(command, sizeof command, "clang-%d", version);
		add_clang(command);
	}
	add_clang("clang");
}

/* Sub-groups need a newer language. */
static enum pmpp_status try_languages(struct amd_build *build, struct pmpp_error *error)
{
	static const char *const languages[] = {"CL1.2", "CL2.0"};
	struct emu_build files = {
		.desc = build->desc, .compiler = build->pair->clang, .error = error};
	enum pmpp_status status = PMPP_BUILD;

	for (size_t i = build->desc->device_scope; i < 2 && status == PMPP_BUILD; i++) {
		pmpp_error_clear(error);
		build->language = languages[i];
		status = emu_in_folder(build_in, &files, build);
	}
	return status;
}

/* The error is that of the first pair. */
static enum pmpp_status try_pairs(struct amd_build *build, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_BUILD;

	for (size_t i = 0; i < found.count && status != PMPP_OK; i++) {
		struct pmpp_error later = PMPP_ERROR_INIT;

		build->pair = &found.pairs[i];
		enum pmpp_status result = try_languages(build, i ? &later : error);
		if (i == 0 || result == PMPP_OK)
			status = result;
		if (i > 0)
			pmpp_error_clear(&later);
		if (status == PMPP_OK && i > 0)
			pmpp_error_clear(error);
		if (status != PMPP_OK) {
			free(build->assembly);
			build->assembly = NULL;
		}
	}
	return status;
}

static enum pmpp_status source_resources(const struct gpu_program_desc *desc, const char *arch,
	const char *const *entries, size_t entry_count, struct gpu_kernel_resources *ret_resources,
	struct pmpp_error *error)
{
	struct amd_build build = {.desc = desc};

	pthread_once(&found.once, find_pairs);
	if (!read_target(arch, &build.target))
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s is not a GPU of AMD", arch);
	if (!found.count)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE,
			"no clang with a library of OpenCL's functions for AMD's GPUs: install "
			"clang and rocm-device-libs, or libclc");
	enum pmpp_status status = try_pairs(&build, error);
	for (size_t i = 0; i < entry_count && status == PMPP_OK; i++)
		if (!read_resources(build.assembly, entries[i], &ret_resources[i]))
			status = PMPP_FAIL(error, PMPP_BUILD, "%s: clang's output lacks %s",
				desc->name, entries[i]);
	free(build.assembly);
	return status;
}

/* The newest clang: the first that is tried. */
static void describe(char *ret_text, size_t size)
{
	pthread_once(&found.once, find_pairs);
	snprintf(ret_text, size, "clang %d", found.count ? found.pairs[0].version : 0);
}

const struct gpu_offline opencl_emu_offline = {
	.source_resources = source_resources, .describe = describe};
