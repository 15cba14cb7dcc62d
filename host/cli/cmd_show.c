#include "host/cli/cmd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/cli/shipped_ladder.h"
#include "host/gpu/ptx.h"
#include "host/io/atomic_file.h"
#include "host/io/os.h"
#include "host/report/format.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"
#include "host/run/device_select.h"
#include "host/run/targets.h"
#include "host/suite/kernel_file.h"

/* ---- PTX ------------------------------------------------------------------------------------ */

/* show --ptx: the PTX that NVIDIA's compilers generate from the two kernel files of a variant. */

/* A variant that `show` describes, with its macros, its problem and its launches. */
struct show_row {
	struct config config;
	struct problem problem;
	struct plan plan;
	unsigned lacks; /* kernel_dir_lacks() */
};

/* Zero-initialise. */
struct show_ptx {
	char *opencl; /* owned; NULL = none */
	char opencl_origin[200];
	char opencl_reason[800]; /* why opencl is NULL */
	char *cuda;              /* owned */
	char cuda_arch[32];      /* "sm_90" */
};

#define DEFAULT_ARCH "sm_90"

/* ---- Making -------------------------------------------------------------------------------- */

/* The first device of NVIDIA's driver; NULL = none. */
static const struct gpu_device_info *nvidia_device(
	const struct inventory *inventory, enum gpu_backend_id backend)
{
	for (size_t i = 0; i < inventory->count; i++) {
		const struct gpu_device_info *info = &inventory->devices[i].info;
		if (info->backend == backend && (info->capabilities & PMPP_CAP_NVIDIA_PTX))
			return info;
	}
	return NULL;
}

static enum pmpp_status choose_arch(const struct cli_options *options, const struct show_row *row,
	const struct inventory *inventory, struct show_ptx *ptx, struct pmpp_error *error)
{
	const struct gpu_device_info *info = nvidia_device(inventory, GPU_BACKEND_CUDA);
	int min = pmpp_capability_min_cc(row->config.variant->needs);

	if (!info)
		info = nvidia_device(inventory, GPU_BACKEND_OPENCL);
	if (options->arch) {
		enum pmpp_status status = gpu_arch_check(GPU_BACKEND_CUDA, options->arch, error);
		if (status == PMPP_USAGE)
			pmpp_error_prefix(error, "--arch");
		if (status != PMPP_OK)
			return status;
		if (atoi(options->arch + strlen("sm_")) < min)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--arch=%s: %s/%s needs %s: give sm_%d or newer", options->arch,
				variant_family(row->config.variant)->name,
				row->config.variant->name,
				pmpp_capability_text(row->config.variant->needs), min);
	}
	snprintf(ptx->cuda_arch, sizeof ptx->cuda_arch, "%s",
		options->arch ? options->arch
		: info        ? info->arch
			      : DEFAULT_ARCH);
	return PMPP_OK;
}

static enum pmpp_status make_opencl(const struct cli_options *options, const struct show_row *row,
	const struct gpu_device_info *info, struct show_ptx *ptx, struct pmpp_error *error)
{
	struct gpu_device *device = NULL;
	struct gpu_program *program = NULL;
	struct kernel_file file = {0};
	enum pmpp_status status = kernel_file_load(&row->config, &row->problem, GPU_BACKEND_OPENCL,
		options->job.suite.kernel_dir, &file, error);

	if (status != PMPP_OK)
		return status;
	file.desc.math = options->job.suite.math;
	status = gpu_open(info, &device, error);
	if (status == PMPP_OK)
		status = gpu_program_create(device, &file.desc, &program, error);
	if (status == PMPP_OK)
		status = gpu_program_ptx(program, &ptx->opencl, error);
	gpu_program_destroy(&program);
	gpu_close(&device);
	kernel_file_finish(&file);
	return status;
}

/* Sets the PTX of the OpenCL file, or the reason why there is none. */
static enum pmpp_status try_opencl(const struct cli_options *options, const struct show_row *row,
	const struct inventory *inventory, struct show_ptx *ptx, struct pmpp_error *error)
{
	const struct gpu_device_info *info = nvidia_device(inventory, GPU_BACKEND_OPENCL);
	const struct gpu_backend_state *state = &inventory->states[GPU_BACKEND_OPENCL];
	enum pmpp_status status;

	if (row->lacks & BACKEND_BIT(GPU_BACKEND_OPENCL)) {
		snprintf(ptx->opencl_reason, sizeof ptx->opencl_reason, "--kernel-dir has none");
		return PMPP_OK;
	}
	if (!info) {
		snprintf(ptx->opencl_reason, sizeof ptx->opencl_reason,
			"no NVIDIA OpenCL device (only its binaries are PTX)%s%s",
			state->usable ? "" : ": ", state->reason);
		return PMPP_OK;
	}
	if (row->config.variant->needs & ~info->capabilities) {
		snprintf(ptx->opencl_reason, sizeof ptx->opencl_reason, "%s has no %s", info->name,
			pmpp_capability_text(row->config.variant->needs & ~info->capabilities));
		return PMPP_OK;
	}
	snprintf(ptx->opencl_origin, sizeof ptx->opencl_origin, "%s", info->name);
	status = make_opencl(options, row, info, ptx, error);
	if (status != PMPP_UNSUPPORTED)
		return status;
	snprintf(ptx->opencl_reason, sizeof ptx->opencl_reason, "%.390s", error->message);
	pmpp_error_clear(error);
	return PMPP_OK;
}

/* Compiles both files. The architecture of CUDA is --arch, else that of the first NVIDIA device,
 * else sm_90. A missing NVIDIA OpenCL device is not an error. PMPP_USAGE: NVRTC or the variant does
 * not support the architecture; PMPP_UNAVAILABLE: there is no NVRTC; PMPP_BUILD. Call
 * show_ptx_finish() in all cases. */
static enum pmpp_status show_ptx_make(const struct cli_options *options, const struct show_row *row,
	struct show_ptx *ret_ptx, struct pmpp_error *error)
{
	struct inventory inventory = {0};
	enum pmpp_status status = inventory_take(
		BACKEND_BIT(GPU_BACKEND_OPENCL) | BACKEND_BIT(GPU_BACKEND_CUDA), &inventory, error);

	if (status == PMPP_OK)
		status = choose_arch(options, row, &inventory, ret_ptx, error);
	if (status == PMPP_OK)
		status = kernel_ptx_of_file(&row->config, &row->problem, GPU_BACKEND_CUDA,
			options->job.suite.kernel_dir, options->job.suite.math, ret_ptx->cuda_arch,
			&ret_ptx->cuda, error);
	if (status == PMPP_OK)
		status = try_opencl(options, row, &inventory, ret_ptx, error);
	inventory_finish(&inventory);
	return status;
}

static void show_ptx_finish(struct show_ptx *ptx)
{
	free(ptx->opencl);
	free(ptx->cuda);
	*ptx = (struct show_ptx){0};
}

/* ---- Printing ------------------------------------------------------------------------------ */

/* opencl: whether the OpenCL file has PTX; otherwise its count is "-". */
static void put_row(const char *name, const unsigned count[2], bool opencl, bool colour)
{
	bool differs = opencl && count[0] != count[1];
	char left[16] = "-";

	if (opencl)
		snprintf(left, sizeof left, "%u", count[0]);
	printf("%s%c %-24s %8s %8u%s\n", style_code(colour && differs, STYLE_YELLOW),
		differs ? '*' : ' ', name, left, count[1],
		style_code(colour && differs, STYLE_PLAIN));
}

static enum pmpp_status put_counts(const struct show_ptx *ptx, const struct show_row *row,
	bool colour, struct pmpp_error *error)
{
	const char *const texts[2] = {ptx->opencl, ptx->cuda};
	struct ptx_table table = {0};
	enum pmpp_status status = kernel_ptx_count(&row->plan, texts, &table, error);

	if (status == PMPP_OK) {
		printf("\n  %-24s %8s %8s   counted in the text, not when they run%s\n",
			"PTX instructions", "opencl", "cuda", ptx->opencl ? "; * differs" : "");
		for (size_t i = 0; i < table.count; i++)
			put_row(table.rows[i].name, table.rows[i].count, ptx->opencl != NULL,
				colour);
		put_row("all", table.total, ptx->opencl != NULL, colour);
	}
	ptx_table_finish(&table);
	return status;
}

/* The line above the text names the kernel file and the target. */
static void put_text(const struct show_row *row, enum gpu_backend_id backend, const char *target,
	const char *text, bool colour)
{
	printf("\n%s---- PTX of %s/%s/%s%s for %s%s\n%s", style_code(colour, STYLE_DIM),
		gpu_backend_kernel_folder(backend), variant_family(row->config.variant)->name,
		row->config.variant->file, gpu_backend_kernel_extension(backend), target,
		style_code(colour, STYLE_PLAIN), text + strspn(text, "\n"));
}

/* Prints the texts to stdout. counts: prints a table of their instructions first. */
static enum pmpp_status show_ptx_put(const struct show_ptx *ptx, const struct show_row *row,
	bool counts, bool colour, struct pmpp_error *error)
{
	enum pmpp_status status = counts ? put_counts(ptx, row, colour, error) : PMPP_OK;

	if (status != PMPP_OK)
		return status;
	if (ptx->opencl)
		put_text(row, GPU_BACKEND_OPENCL, ptx->opencl_origin, ptx->opencl, colour);
	else
		printf("\n%s---- no PTX of the OpenCL file: %s%s\n", style_code(colour, STYLE_DIM),
			ptx->opencl_reason, style_code(colour, STYLE_PLAIN));
	put_text(row, GPU_BACKEND_CUDA, ptx->cuda_arch, ptx->cuda, colour);
	return PMPP_OK;
}

/* ---- Facts --------------------------------------------------------------------------------- */

static void put_fact(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%-10s %s\n", name, text);
}

static void put_macros(FILE *out, const struct config *config)
{
	const struct macro *macros = config->variant->macros;

	for (size_t i = 0; macros[i].name; i++) {
		const int *choices = macros[i].choices;
		fprintf(out, "%-10s %s=%d", i ? "" : "macros", macros[i].name, config->value[i]);
		for (const int *choice = choices; choice && *choice; choice++)
			fprintf(out, "%s%d", choice == choices ? "  (--set: " : ", ", *choice);
		fputs(choices ? ")\n" : "\n", out);
	}
}

/* The launches of the default problem of a GPU. Blocks do not depend on the size. */
static void put_launch(FILE *out, const struct show_row *row)
{
	char text[96];

	problem_text(&row->problem, text, sizeof text);
	for (size_t i = 0; i < row->plan.step_count; i++) {
		const struct plan_step *step = &row->plan.steps[i];
		const struct plan_launch *launch = plan_step_launch(step);
		if (!launch) {
			fprintf(out, "%-10s fill with %#x%s\n", i ? "" : "launch",
				step->as.fill.pattern,
				step->as.fill.kept ? ", before the first run only" : "");
			continue;
		}
		fprintf(out, "%-10s %s: block %u x %u x %u, grid %llu x %llu x %llu at %s\n",
			i ? "" : "launch", launch->entry, launch->block[0], launch->block[1],
			launch->block[2], (unsigned long long)launch->groups[0],
			(unsigned long long)launch->groups[1],
			(unsigned long long)launch->groups[2], text);
	}
}

static void put_facts(FILE *out, const struct show_row *row, bool colour)
{
	const struct family *family = variant_family(row->config.variant);
	const struct variant *variant = row->config.variant;
	char choices[160], needs[300];

	fprintf(out, "%s%s/%s%s  %s\n", style_code(colour, STYLE_BOLD), family->name, variant->name,
		style_code(colour, STYLE_PLAIN), family->title);
	put_fact(out, "technique", variant->technique);
	put_fact(out, "idea", variant->idea);
	put_fact(out, "book", variant->book);
	put_fact(out, "step from", variant->base ? variant->base : "- (first variant)");
	if (variant->claim.text) {
		claim_needs_text(variant->claim.needs, choices, sizeof choices);
		fprintf(out, "%-10s speed: %s (for %s)\n", "claim", variant->claim.text,
			*choices ? choices : "any GPU");
	}
	problem_choices_text(&row->problem, choices, sizeof choices);
	if (family_choice_count(family) > 1)
		put_fact(out, "choices", choices);
	put_macros(out, &row->config);
	put_launch(out, row);
	for (size_t i = 0; i < family->operand_count; i++)
		if (variant->by_columns >> i & 1)
			fprintf(out, "%-10s %s is stored by columns\n", "layout",
				family->operands[i].name);
	if (variant->one_sided || variant->cuda_only)
		put_fact(out, "languages", variant->cuda_only ? "CUDA only" : "OpenCL only");
	pmpp_capability_texts(variant->needs, needs, sizeof needs);
	put_fact(out, "needs", needs);
	put_fact(out, "repro", reproducibility_name(variant->repro));
}

/* ---- Sources ------------------------------------------------------------------------------- */

static const enum gpu_backend_id languages[2] = {GPU_BACKEND_OPENCL, GPU_BACKEND_CUDA};

static enum pmpp_status put_source(const struct show_row *row, enum gpu_backend_id backend,
	const char *root, bool colour, struct pmpp_error *error)
{
	struct kernel_file file = {0};
	enum pmpp_status status =
		kernel_file_load(&row->config, &row->problem, backend, root, &file, error);

	if (status != PMPP_OK)
		return status;
	printf("\n%s---- %s/%s%s%s\n%s", style_code(colour, STYLE_DIM),
		gpu_backend_kernel_folder(backend), file.name,
		kernel_file_is_own(row->config.variant, backend, root) ? " (your kernel)" : "",
		style_code(colour, STYLE_PLAIN), file.source);
	kernel_file_finish(&file);
	return PMPP_OK;
}

#define NO_PROGRAM 127 /* exit status of a child that cannot run its program, as in a shell */

/* Runs the program diff. context: lines around a change. */
static enum pmpp_status run_diff(char labels[2][KERNEL_PATH_BYTES],
	const struct kernel_file files[2], const char *context, bool colour,
	struct pmpp_error *error)
{
	char paths[2][OS_MEMORY_PATH_BYTES];
	int wait_status = -1; /* no exit */
	int fds[2] = {-1, -1};
	bool ok = true;

	for (size_t i = 0; i < 2 && ok; i++) {
		fds[i] = os_memory_file("source", paths[i]);
		ok = fds[i] >= 0 &&
		     file_write_all(fds[i], files[i].source, strlen(files[i].source)) &&
		     lseek(fds[i], 0, SEEK_SET) == 0; /* macOS: diff reads from this position */
	}
	pid_t pid = ok ? fork() : -1;
	if (pid == 0) {
		execlp("diff", "diff", "-U", context, "-L", labels[0], "-L", labels[1], paths[0],
			paths[1], colour ? "--color=always" : NULL, NULL);
		_exit(NO_PROGRAM);
	}
	while (pid > 0 && waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
		;
	int code = errno;
	for (size_t i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (pid < 0)
		return PMPP_FAIL(error, PMPP_IO, "--diff: %s", strerror(code));
	/* The reader closed the pipe: the end of every command (main.c). */
	if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGPIPE)
		raise(SIGPIPE);
	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) <= 1)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_UNAVAILABLE, "--diff: the program diff %s",
		WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == NO_PROGRAM
			? "is missing: install diffutils"
			: "failed");
}

/* A kernel file of a variant, in one language. */
struct source {
	const struct show_row *row;
	enum gpu_backend_id language;
};

static enum pmpp_status put_source_diff(const struct source sources[2], const char *root,
	const char *context, bool colour, struct pmpp_error *error)
{
	struct kernel_file files[2] = {{.name = ""}, {.name = ""}};
	char labels[2][KERNEL_PATH_BYTES];
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < 2 && status == PMPP_OK; i++) {
		const struct show_row *row = sources[i].row;
		status = kernel_file_load(
			&row->config, &row->problem, sources[i].language, root, &files[i], error);
		kernel_file_path(row->config.variant, sources[i].language, labels[i]);
	}
	putchar('\n');
	bool same = strcmp(labels[0], labels[1]) == 0;
	if (status == PMPP_OK && same)
		printf("---- both use %s: compare the macros and the launches\n", labels[0]);
	fflush(stdout);
	if (status == PMPP_OK && !same)
		status = run_diff(labels, files, context, colour, error);
	for (size_t i = 0; i < 2; i++)
		kernel_file_finish(&files[i]);
	return status;
}

/* The OpenCL file against the CUDA file, with the complete text of both. */
static enum pmpp_status put_twin_diff(
	const struct show_row *row, const char *root, bool colour, struct pmpp_error *error)
{
	const struct source sources[2] = {{row, languages[0]}, {row, languages[1]}};

	return put_source_diff(sources, root, "1000000", colour, error);
}

/* What a variant changes in the sources of another one, in each language that both have. */
static enum pmpp_status put_change(
	const struct show_row rows[2], const char *root, bool colour, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < 2 && status == PMPP_OK; i++) {
		const struct source sources[2] = {
			{&rows[1], languages[i]}, {&rows[0], languages[i]}};
		if (kernel_file_exists(rows[0].config.variant, languages[i]) &&
			kernel_file_exists(rows[1].config.variant, languages[i]))
			status = put_source_diff(sources, root, "3", colour, error);
	}
	return status;
}

static enum pmpp_status put_sources(
	const struct show_row *row, const char *root, bool colour, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < 2 && status == PMPP_OK; i++)
		if (kernel_file_exists(row->config.variant, languages[i]) &&
			!(row->lacks & BACKEND_BIT(languages[i])))
			status = put_source(row, languages[i], root, colour, error);
	return status;
}

/* ---- Command ------------------------------------------------------------------------------- */

/* A folder may have kernels of one language only. --diff needs both languages, and --ptx needs CUDA. */
static enum pmpp_status check_folder(const struct cli_options *options,
	const struct target_list *targets, struct pmpp_error *error)
{
	const char *root = options->job.suite.kernel_dir;
	unsigned lacks = kernel_dir_lacks(root, targets, EVERY_BACKEND);

	if (options->ptx ? lacks & BACKEND_BIT(GPU_BACKEND_CUDA) : options->diff)
		lacks = 0;
	return kernel_dir_check(root, targets, EVERY_BACKEND & ~lacks, error);
}

/* Checks all arguments before anything is printed. */
static enum pmpp_status check_options(const struct cli_options *options, struct pmpp_error *error)
{
	struct target_list targets = {0};
	enum pmpp_status status;

	if (options->arch && !options->ptx)
		return PMPP_FAIL(error, PMPP_USAGE, "--arch needs --ptx");
	if (options->job.suite.math != GPU_MATH_DEFAULT && !options->ptx)
		return PMPP_FAIL(error, PMPP_USAGE, "--math needs --ptx");
	status = targets_parse(options->arguments, options->argument_count, &targets, error);
	if (status == PMPP_OK)
		status = choices_check(&options->job.choices, &targets, error);
	if (status == PMPP_OK)
		status = tunables_check(&options->job.tunables, &targets, error);
	if (status == PMPP_OK)
		status = check_folder(options, &targets, error);
	targets_finish(&targets);
	return status;
}

static enum pmpp_status find_config(const struct tunable_list *list, const struct variant *variant,
	struct config *ret_config, struct pmpp_error *error)
{
	struct tuned_config *configs = NULL;
	size_t count = 0;
	enum pmpp_status status =
		tunables_expand(list, variant, &kernel_shape_reference, &configs, &count, error);

	if (status != PMPP_OK)
		return status;
	if (count > 1)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"--set: show needs one value per name; these values make %zu points",
			count);
	else if (configs[0].reason[0])
		status = PMPP_FAIL(
			error, PMPP_USAGE, "--set: %s: %s", variant->name, configs[0].reason);
	else
		*ret_config = configs[0].config;
	free(configs);
	return status;
}

static enum pmpp_status make_row(const struct cli_options *options, const char *const *word,
	struct show_row *ret_row, struct pmpp_error *error)
{
	struct target_list targets = {0};
	enum pmpp_status status = targets_parse(word, 1, &targets, error);

	if (status != PMPP_OK)
		return status;
	const struct family *family = targets.items[0].family;
	const struct variant *variant = targets.items[0].variants[0];
	unsigned lacks = kernel_dir_lacks(options->job.suite.kernel_dir, &targets, EVERY_BACKEND);
	targets_finish(&targets);
	if (!strchr(*word, '/'))
		return PMPP_FAIL(error, PMPP_USAGE,
			"show needs FAMILY/VARIANT, for example %s/%s; see pmpp-run list %s",
			family->name, variant->name, family->name);
	bool needs_twin = options->ptx || (options->diff && options->argument_count != 2);
	if (variant->one_sided && needs_twin)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s/%s has no CUDA twin, because it needs %s: leave out --%s", family->name,
			variant->name, pmpp_capability_text(variant->needs),
			options->ptx ? "ptx" : "diff");
	if (variant->cuda_only && options->diff && needs_twin)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s/%s has no OpenCL twin, because it needs %s: leave out --diff",
			family->name, variant->name, pmpp_capability_text(variant->needs));
	*ret_row = (struct show_row){.problem = problem_default(family), .lacks = lacks};
	choices_set(&options->job.choices, &ret_row->problem);
	problem_default_size(&ret_row->problem, DEVICE_CLASS_GPU);
	status = find_config(&options->job.tunables, variant, &ret_row->config, error);
	if (status == PMPP_OK)
		config_plan(&ret_row->config, &ret_row->problem, &ret_row->plan);
	return status;
}

static enum pmpp_status show(const struct cli_options *options, const struct show_row *row,
	bool first, struct pmpp_error *error)
{
	bool colour = terminal_wants_colour(options->terminal.colour, stdout);
	struct show_ptx ptx = {0};
	enum pmpp_status status = options->ptx ? show_ptx_make(options, row, &ptx, error) : PMPP_OK;

	if (status == PMPP_OK) {
		fputs(first ? "" : "\n", stdout);
		struct wrap wrap;
		put_facts(wrap_begin(&wrap, stdout, terminal_width(stdout)), row, colour);
		wrap_end(&wrap);
		if (options->ptx)
			status = show_ptx_put(&ptx, row, options->diff, colour, error);
		else if (options->diff)
			status = put_twin_diff(row, options->job.suite.kernel_dir, colour, error);
		else
			status = put_sources(row, options->job.suite.kernel_dir, colour, error);
	}
	show_ptx_finish(&ptx);
	return status;
}

/* show --diff VARIANT BASE */
static enum pmpp_status show_change(const struct cli_options *options, struct pmpp_error *error)
{
	bool colour = terminal_wants_colour(options->terminal.colour, stdout);
	enum pmpp_status status = PMPP_OK;
	struct show_row rows[2];

	for (size_t i = 0; i < 2 && status == PMPP_OK; i++)
		status = make_row(options, &options->arguments[i], &rows[i], error);
	bool common = false;
	for (size_t i = 0; i < 2 && status == PMPP_OK; i++)
		common |= kernel_file_exists(rows[0].config.variant, languages[i]) &&
			  kernel_file_exists(rows[1].config.variant, languages[i]);
	if (status == PMPP_OK && !common)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s and %s have no language in common: leave out --diff",
			options->arguments[0], options->arguments[1]);
	for (size_t i = 0; i < 2 && status == PMPP_OK; i++) {
		struct wrap wrap;
		fputs(i ? "\n" : "", stdout);
		put_facts(wrap_begin(&wrap, stdout, terminal_width(stdout)), &rows[i], colour);
		wrap_end(&wrap);
	}
	return status == PMPP_OK ? put_change(rows, options->job.suite.kernel_dir, colour, error)
				 : status;
}

enum pmpp_status cmd_show(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	(void)ret_exit;
	if (options->comparing.with && (options->diff || options->ptx))
		return PMPP_FAIL(error, PMPP_USAGE, "--results prints times: leave out --%s",
			options->diff ? "diff" : "ptx");
	if (options->comparing.with)
		return shipped_ladder_show(options, error);
	enum pmpp_status status = check_options(options, error);
	if (status == PMPP_OK && options->diff && !options->ptx && options->argument_count == 2)
		return show_change(options, error);
	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++) {
		struct show_row row;
		status = make_row(options, &options->arguments[i], &row, error);
		if (status == PMPP_OK)
			status = show(options, &row, i == 0, error);
	}
	return status;
}
