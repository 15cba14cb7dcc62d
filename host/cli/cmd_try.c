/* A kernel of the user: the checks of `verify`, the page of `explain`, and its place on the ladder of `run`. */
#include "host/cli/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/model/exit_code.h"
#include "common/own/kernel.h"
#include "host/cli/command_job.h"
#include "host/cli/requirements.h"
#include "host/gpu/backends.h"
#include "host/io/sources.h"
#include "host/report/wrap.h"

static enum pmpp_status read_text(const char *path, char **ret_text, struct pmpp_error *error)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

	if (!folder)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
	if (access(path, R_OK) != 0) {
		free(folder);
		return PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be read: %s", path, strerror(errno));
	}
	enum pmpp_status status =
		source_load_file(folder, slash ? slash + 1 : path, ret_text, error);
	free(folder);
	/* The message of the loader is about folders of kernels. */
	if (status == PMPP_USAGE)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: cannot be read as text: it is a folder, empty, or has zero bytes",
			path);
	return status;
}

static enum pmpp_status read_kernel(
	const struct cli_options *options, struct own_kernel **ret_kernel, struct pmpp_error *error)
{
	const char *path = options->arguments[0];
	struct own_wishes wishes = options->trying;
	const int64_t *block = options->model.block;
	char block_text[48], shared_text[24], *text = NULL;
	enum pmpp_status status = read_text(path, &text, error);

	if (block[0]) {
		snprintf(block_text, sizeof block_text, "%" PRId64 "x%" PRId64, block[0],
			block[1] ? block[1] : 1);
		wishes.block = block_text;
	}
	if (options->job.tunables.shared_bytes) {
		snprintf(
			shared_text, sizeof shared_text, "%zu", options->job.tunables.shared_bytes);
		wishes.shared = shared_text;
	}
	if (status == PMPP_OK)
		status = own_kernel_read(path, text, &wishes, ret_kernel, error);
	free(text);
	return status;
}

static void put_summary(const struct cli_options *options, const struct own_kernel *kernel)
{
	struct terminal terminal;
	struct wrap wrap;

	terminal_init(&terminal, &options->terminal);
	if (!terminal.out)
		return;
	FILE *out = wrap_begin(&wrap, terminal.out, terminal.style.width);
	fprintf(out, "%s\n", kernel->summary);
	wrap_end(&wrap);
	fflush(terminal.out);
}

/* Options of jobs with the kernel. */
static struct cli_options job_options(
	const struct cli_options *options, const struct own_kernel *kernel)
{
	struct cli_options copy = *options;

	copy.argument_count = 0;
	copy.job.own = kernel;
	copy.job.tunables.shared_bytes = 0;
	if (kernel->has_dtype && !copy.job.choices.of[CHOICE_DTYPE] &&
		kernel->family->dtype_count > 1)
		copy.job.choices.of[CHOICE_DTYPE] = dtype_info(kernel->dtype)->name;
	if (!copy.job.choices.of[CHOICE_OP] && kernel->family->ops[0])
		copy.job.choices.of[CHOICE_OP] = kernel->op ? kernel->op : kernel->family->ops[0];
	return copy;
}

/* Runs one job with the kernel. *exit_code becomes the worse code. */
static enum pmpp_status run_job(enum job_action action, const struct cli_options *options,
	const struct own_kernel *kernel, int *exit_code, struct pmpp_error *error)
{
	struct command_task task;
	struct cli_options copy = job_options(options, kernel);
	int found = EXIT_CODE_OK;

	enum pmpp_status status = command_task_prepare(action, &copy, &task, error);
	if (status == PMPP_OK)
		status = command_task_run(
			&task, requirements_watch(copy.requirements, &task), &found, error);
	command_task_finish(&task);
	*exit_code = (int)exit_code_worst((enum exit_code) * exit_code, (enum exit_code)found);
	return status;
}

/* Makes the emulator of the language the backend. Returns false if there is none. */
static bool use_emulator(const struct own_kernel *kernel, struct cli_options *options)
{
	enum gpu_backend_id emulator;

	if (!gpu_backend_emulator(
		    kernel->cuda ? GPU_LANGUAGE_CUDA_C : GPU_LANGUAGE_OPENCL_C, &emulator))
		return false;
	options->job.backend = gpu_backend_name(emulator);
	options->job.backend_from = "--backend";
	options->job.device = NULL;
	return true;
}

/* The page is always that of an emulator, whose times are not performance. */
static enum pmpp_status explain(const struct cli_options *options, const struct own_kernel *kernel,
	int *exit_code, struct pmpp_error *error)
{
	struct cli_options copy = *options;

	return use_emulator(kernel, &copy) ? run_job(JOB_EXPLAIN, &copy, kernel, exit_code, error)
					   : PMPP_OK;
}

/* Whether the value of --backend or --device names an emulator: "cuda-emu", "cuda-emu:0". */
static bool is_emulator(const char *text)
{
	char name[24];
	enum gpu_backend_id backend;

	if (!text)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
	return gpu_backend_find(name, &backend) && gpu_backend_row(backend)->on_request;
}

/* Times the ladder with the kernel on the device that was named, else on a GPU. */
static enum pmpp_status time_ladder(const struct cli_options *options,
	const struct own_kernel *kernel, int *exit_code, struct pmpp_error *error)
{
	struct cli_options copy = *options;
	bool named = options->job.backend || options->job.device;

	if (is_emulator(options->job.backend) || is_emulator(options->job.device))
		return PMPP_OK;
	if (!named) {
		copy.job.backend =
			gpu_backend_name(kernel->cuda ? GPU_BACKEND_CUDA : GPU_BACKEND_OPENCL);
		copy.job.device = "gpu";
		copy.job.backend_from = "--backend";
		copy.job.device_from = "--device";
	}
	enum pmpp_status status = run_job(JOB_RUN, &copy, kernel, exit_code, error);
	if (status != PMPP_UNAVAILABLE || named)
		return status;
	pmpp_error_clear(error);
	if (cli_prints(options))
		puts(kernel->cuda
				? "not timed: no GPU for CUDA on this machine"
				: "not timed: no GPU for OpenCL on this machine; --device=cpu times "
				  "the kernel on the CPU");
	return PMPP_OK;
}

/* Verifies the kernel, explains it, and times it. */
static enum pmpp_status run_jobs(const struct cli_options *options, const struct own_kernel *kernel,
	int *exit_code, struct pmpp_error *error)
{
	enum pmpp_status status = run_job(JOB_VERIFY, options, kernel, exit_code, error);

	if (*exit_code != EXIT_CODE_ALL_SKIPPED)
		options->requirements->correct = truth_of(*exit_code == EXIT_CODE_OK);
	/* A kernel that does not compile has no page; a wrong one has. */
	if (status == PMPP_OK && (*exit_code == EXIT_CODE_OK || *exit_code == EXIT_CODE_FAILED))
		status = explain(options, kernel, exit_code, error);
	if (status == PMPP_OK && *exit_code == EXIT_CODE_OK)
		status = time_ladder(options, kernel, exit_code, error);
	return status;
}

/* Decides the conditions. */
static enum pmpp_status judge(const struct cli_options *options, const struct own_kernel *kernel,
	int *exit_code, struct pmpp_error *error)
{
	struct cli_options copy = job_options(options, kernel);

	copy.requirements->variant = kernel->variant.name;
	copy.requirements->not_timed =
		*exit_code == EXIT_CODE_OK ? "no device" : "only a right kernel is timed";
	use_emulator(kernel, &copy);
	return requirements_end(copy.requirements, &copy, kernel->family, exit_code, error);
}

enum pmpp_status cmd_try(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct cli_options copy = *options;
	struct requirements requirements;
	struct own_kernel *kernel = NULL;
	int exit_code = EXIT_CODE_ALL_SKIPPED;
	enum pmpp_status status = read_kernel(options, &kernel, error);

	if (status != PMPP_OK)
		return status;
	put_summary(options, kernel);
	status = requirements_begin(options, kernel->family, kernel->text, &requirements, error);
	copy.requirements = &requirements;
	if (status == PMPP_OK)
		status = run_jobs(&copy, kernel, &exit_code, error);
	if (status == PMPP_OK)
		status = judge(&copy, kernel, &exit_code, error);
	*ret_exit = exit_code;
	requirements_finish(&requirements);
	own_kernel_destroy(kernel);
	return status;
}
