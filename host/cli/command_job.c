/* The commands that run a job for the user, also with a page or as one rank of a fleet, and the command that writes
 * a page of files. */
#include "host/cli/command_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "common/model/exit_code.h"
#include "common/text.h"
#include "host/cli/cmd.h"
#include "host/cli/result_files.h"
#include "host/cli/shipped_ladder.h"
#include "host/cli/stored.h"
#include "host/io/atomic_file.h"
#include "host/io/os.h"
#include "host/page/page.h"
#include "host/record/document.h"
#include "host/record/identity.h"
#include "host/record/shipped.h"
#include "host/report/console.h"
#include "host/report/fleet_table.h"
#include "host/report/terminal.h"
#include "host/run/device_select.h"
#include "host/run/worker.h"
#include "host/suite/suite.h"

/* Appends the file of that path, else of the shipped device of that name: the value of --like. */
static enum pmpp_status load_file_or_device(
	const char *value, struct result_files *files, struct pmpp_error *error)
{
	if (strpbrk(value, "/.") || access(value, F_OK) == 0)
		return result_files_load(&value, 1, false, files, error);
	if (family_find(value))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--like=%s: %s is a family: give --like=FILE or --like=DEVICE", value,
			value);
	return result_files_load_shipped("--like", value, files, error);
}

/* Returns false if the program cannot run the problem of the row. */
static bool problem_of(const struct result_row *row, struct problem *ret_problem)
{
	const struct family *family = family_find(text_or_empty(row->family));

	if (!family || !(result_row_median_ns(row) > 0))
		return false;
	*ret_problem = problem_default(family);
	for (size_t i = 0; i < family->dim_count; i++) {
		ret_problem->dim[i] = named_list_get(&row->problem, family->dim_names[i], 0);
		if (ret_problem->dim[i] < 1)
			return false;
	}
	const struct choices choices = {{row->dtype, row->op, row->data}};
	return choices_set(&choices, ret_problem) &&
	       (!family->invalid || !family->invalid(ret_problem));
}

/* Appends the problems of the timed rows of families that the program has. Returns false if there is no
 * memory. */
static bool like_add(struct like_list *list, const struct result_row_list *rows)
{
	for (size_t r = 0; r < rows->count; r++) {
		struct problem problem;
		bool known = !problem_of(&rows->items[r], &problem);
		for (size_t i = 0; i < list->count && !known; i++)
			known = problem_equal(&list->items[i], &problem);
		if (known)
			continue;
		struct problem *item = array_add(list, sizeof *item);
		if (!item)
			return false;
		*item = problem;
	}
	return true;
}

/* Sets the problems of --like, of the chosen families. */
static enum pmpp_status load_like(
	const struct cli_options *options, struct command_task *task, struct pmpp_error *error)
{
	struct result_files files = {0};
	enum pmpp_status status = PMPP_OK;

	if (options->job.sizes.count || options->job.in.count ||
		options->job.choices.of[CHOICE_DTYPE] || options->job.choices.of[CHOICE_OP] ||
		options->job.choices.of[CHOICE_DATA])
		return PMPP_FAIL(error, PMPP_USAGE,
			"--like has the sizes and types of its file: leave out --size, --dtype, --op, "
			"--data and --in");
	status = load_file_or_device(options->like, &files, error);
	for (size_t i = 0; i < files.count && status == PMPP_OK; i++)
		if (!like_add(&task->like, &files.items[i].document.results))
			status = PMPP_NO_MEMORY(error, "--like");
	result_files_finish(&files);
	task->options.like = &task->like;
	return status;
}

/* The file of --like must have a chosen family. */
static enum pmpp_status check_like(
	const char *like, const struct job *job, struct pmpp_error *error)
{
	for (size_t t = 0; t < job->targets.count; t++)
		if (like_of(job->options->like, job->targets.items[t].family, 0))
			return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"--like=%s has no timed row of the chosen families: choose others", like);
}

/* Separates the arguments into words and kernels of the user, which it reads. `try` has read its files. */
static enum pmpp_status read_files(
	const struct cli_options *options, struct command_task *task, struct pmpp_error *error)
{
	struct job_options *job = &task->options;
	enum pmpp_status status = own_files_read(options, &task->files, error);

	job->words = task->words;
	job->word_count = 0;
	job->own = task->kernels;
	for (size_t i = 0; i < task->files.count; i++)
		if (task->files.items[i].kernel)
			task->kernels[job->own_count++] = task->files.items[i].kernel;
		else
			task->words[job->word_count++] = task->files.items[i].word;
	return status;
}

enum pmpp_status command_task_prepare(enum job_action action, const struct cli_options *options,
	struct command_task *task, struct pmpp_error *error)
{
	*task = (struct command_task){.command_line = options,
		.options = options->job,
		.collecting = {.job = &task->job,
			.argc = options->argc,
			.argv = options->argv,
			.terminal = options->terminal,
			.outputs = {options->json, options->csv, options->markdown},
			.label = options->label,
			.save = options->save}};
	task->options.words = options->arguments;
	task->options.word_count = options->argument_count;
	task->options.cc = options->model.cc;
	enum pmpp_status status = PMPP_OK;
	if (action <= JOB_EXPLAIN && action != JOB_ROOFLINE && options->command->bit != CMD_TRY)
		status = read_files(options, task, error);
	if (status == PMPP_OK && options->like)
		status = load_like(options, task, error);
	if (status == PMPP_OK)
		status = job_prepare(action, &task->options, &task->job, error);
	if (status == PMPP_OK && options->like)
		status = check_like(options->like, &task->job, error);
	return status;
}

void command_task_finish(struct command_task *task)
{
	job_finish(&task->job);
	own_files_finish(&task->files);
	free(task->like.items);
}

enum pmpp_status command_task_run(struct command_task *task, struct result_document *ret_document,
	int *ret_exit, struct pmpp_error *error)
{
	const struct output_paths *outputs = &task->collecting.outputs;
	enum pmpp_status status = collector_check_outputs(outputs, task->job.output_path, error);

	for (size_t i = 0; i < 3 && status == PMPP_OK && task->command_line->save; i++)
		status = stored_check_output(
			(const char *const[]){outputs->json, outputs->csv, outputs->markdown}[i],
			error);
	return status == PMPP_OK ? collector_run(&task->collecting, ret_document, ret_exit, error)
				 : status;
}

/* ---- One rank of a fleet --------------------------------------------------------------------- */

/*
 * --fleet: a command that runs as one rank of a fleet, which is one of several processes that a
 * launcher starts at the same time (mpirun, srun, torchrun, GNU parallel). Ranks do not communicate:
 * each one takes a device, runs the job on it and writes its own files.
 */

/* ---- Rank ---------------------------------------------------------------------------------- */

/* Variables of the environment. The first row whose rank and number of ranks are set is used.
 * mpirun and torchrun can run inside a job of Slurm, so Slurm is last. */
static const struct launcher {
	const char *rank, *ranks;
	const char *local[2]; /* the first that is set */
	const char *id[2];    /* the parts of the id; NULL: the launcher sets none */
} launchers[] = {
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"OMPI_COMM_WORLD_LOCAL_RANK"},
		{"PMIX_NAMESPACE"}},
	{"PMI_RANK", "PMI_SIZE", {"MPI_LOCALRANKID", "SLURM_LOCALID"}, {"PMI_JOBID"}},
	{"RANK", "WORLD_SIZE", {"LOCAL_RANK"}, {"TORCHELASTIC_RUN_ID"}},
	{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {"SLURM_LOCALID"},
		{"SLURM_JOB_ID", "SLURM_STEP_ID"}},
};

/* The value of a variable; NULL: absent or empty. */
static const char *value_of(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value && *value ? value : NULL;
}

static bool parse_number(const char *text, int64_t *ret_number)
{
	char *end;

	errno = 0;
	*ret_number = strtoll(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static bool parse_rank(const char *rank, const char *ranks, struct fleet_rank *ret_rank)
{
	return parse_number(rank, &ret_rank->rank) && parse_number(ranks, &ret_rank->ranks) &&
	       ret_rank->rank < ret_rank->ranks && ret_rank->ranks <= FLEET_MAX_RANKS;
}

static enum pmpp_status read_option(
	const char *text, struct fleet_rank *rank, struct pmpp_error *error)
{
	char index[32];
	size_t length = strcspn(text, "/");

	snprintf(index, sizeof index, "%.*s", (int)length, text);
	if (length >= sizeof index || text[length] != '/' ||
		!parse_rank(index, text + length + 1, rank))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--rank=%s: give I/N, the number of the rank and the number of ranks, with "
			"0 <= I < N <= %d",
			text, FLEET_MAX_RANKS);
	rank->local = rank->rank;
	return PMPP_OK;
}

/* torchrun without --rdzv-id sets "none". */
static void read_id(const struct launcher *launcher, struct fleet_rank *rank)
{
	for (size_t i = 0; i < sizeof launcher->id / sizeof *launcher->id; i++) {
		const char *part = value_of(launcher->id[i]);
		size_t used = strlen(rank->id);
		if (part && strcmp(part, "none") != 0)
			snprintf(rank->id + used, sizeof rank->id - used, "%s%s", used ? "." : "",
				part);
	}
}

static enum pmpp_status read_environment(struct fleet_rank *rank, struct pmpp_error *error)
{
	const struct launcher *launcher = launchers;
	const struct launcher *end = launchers + sizeof launchers / sizeof *launchers;

	while (launcher < end && !(value_of(launcher->rank) && value_of(launcher->ranks)))
		launcher++;
	if (launcher == end)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--fleet: no launcher has set a rank: start the command with mpirun, srun or "
			"torchrun, or give --rank=I/N and --label=TEXT");
	const char *number = value_of(launcher->rank), *count = value_of(launcher->ranks);
	if (!parse_rank(number, count, rank))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--fleet: %s=%s and %s=%s are no rank and number of ranks: give --rank=I/N",
			launcher->rank, number, launcher->ranks, count);
	rank->local = rank->rank;
	for (size_t i = sizeof launcher->local / sizeof *launcher->local; i-- > 0;)
		if (value_of(launcher->local[i]))
			parse_number(value_of(launcher->local[i]), &rank->local);
	read_id(launcher, rank);
	return PMPP_OK;
}

/* Makes the folder that all ranks of a user on a host share. Several hosts may share TMPDIR, so the name
 * of the folder has the name of the host. */
static enum pmpp_status make_locks(char *ret_folder, size_t size, struct pmpp_error *error)
{
	const char *base = value_of("TMPDIR");
	struct utsname host;
	struct stat info;

	if (!base)
		base = "/tmp";
	if (uname(&host) != 0)
		*host.nodename = '\0';
	snprintf(ret_folder, size, "%s/pmpp-devices-%s-%ld", base, host.nodename, (long)geteuid());
	if (mkdir(ret_folder, 0700) != 0 && errno != EEXIST)
		return PMPP_FAIL(error, PMPP_IO,
			"--fleet: cannot make a folder for locks in %s: %s: set TMPDIR to a folder that "
			"can be written",
			base, strerror(errno));
	/* Another user may have made the folder. */
	if (lstat(ret_folder, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
		(info.st_mode & 077))
		return PMPP_FAIL(
			error, PMPP_IO, "%s is not a private folder: remove it", ret_folder);
	return PMPP_OK;
}

/* Finds the rank of this process: from --rank=I/N, else from the variables of a launcher. text:
 * I/N; NULL: not given. label: the id if there is no launcher, or if it sets no id; NULL: not
 * given. Makes the folder of the locks. PMPP_USAGE: no rank, a wrong rank, or no id. PMPP_IO: no
 * folder. */
static enum pmpp_status fleet_rank_find(
	const char *text, const char *label, struct fleet_rank *ret_rank, struct pmpp_error *error)
{
	struct fleet_rank rank = {.id = ""};
	enum pmpp_status status =
		text ? read_option(text, &rank, error) : read_environment(&rank, error);

	if (status != PMPP_OK)
		return status;
	if (!*rank.id && label)
		snprintf(rank.id, sizeof rank.id, "%s", label);
	if (!*rank.id)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--fleet: %s: give all ranks the same --label=TEXT, another one for each "
			"start",
			text ? "--rank needs a name for the run"
			     : "the launcher sets no name of the job");
	*ret_rank = rank;
	return make_locks(ret_rank->locks, sizeof ret_rank->locks, error);
}

/* "out.3.json" for "out.json" and rank 3; "out.3" for "out". */
static void fleet_path(const char *path, int64_t rank, char *ret_path, size_t size)
{
	const char *name = path_name(path);
	const char *dot = strrchr(name, '.');
	size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);

	snprintf(ret_path, size, "%.*s.%lld%s", (int)stem, path, (long long)rank, path + stem);
}

/* ---- Processes ----------------------------------------------------------------------------- */

static volatile pid_t child;
static volatile sig_atomic_t stopped;

static void pass_on(int number)
{
	stopped = 1;
	kill(child, number);
}

/* Passes signals on to the child, except those that the caller ignores (nohup). */
static void catch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	const struct sigaction action = {.sa_handler = pass_on};
	struct sigaction before;

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

static int wait_for_child(const struct fleet_rank *rank)
{
	int end = 0;

	while (waitpid(child, &end, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(end) && !stopped)
		terminal_print(stderr,
			"pmpp-run: rank %lld was killed by SIG%s: its results are lost or not complete\n",
			(long long)rank->rank, os_signal_name(WTERMSIG(end)));
	int code = WIFEXITED(end) ? WEXITSTATUS(end) : stopped ? EXIT_CODE_INTERRUPTED : 0;
	return code == EXIT_CODE_INTERRUPTED || code == EXIT_CODE_CLOSED_PIPE ? code : EXIT_CODE_OK;
}

/* Forks. Returns true in the child, which runs the job. The parent returns false when the child has
 * ended. It passes signals on, and sets *ret_exit: 130 or 141 if a signal or a closed pipe ended
 * the job, else 0, also after a crash: mpirun and torchrun end all ranks as soon as one of them
 * ends with another exit code. PMPP_INTERNAL: no process. */
static enum pmpp_status split(
	const struct fleet_rank *rank, bool *ret_job, int *ret_exit, struct pmpp_error *error)
{
	const pid_t parent = getpid();
	sigset_t all, before;

	fflush(NULL); /* otherwise both processes write the buffered text */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child = fork();
	*ret_job = child == 0;
	if (child > 0) {
		catch_signals();
		os_name_process("pmpp-rank");
	}
	/* A launcher may kill the parent's process group. The job then ends with its finished rows. */
	if (child == 0) {
		setsid();
		os_end_with_parent(SIGTERM);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (child == 0 && getppid() != parent)
		_exit(EXIT_CODE_BROKEN);
	if (child < 0)
		return PMPP_FAIL(error, PMPP_INTERNAL, "fork: %s", strerror(errno));
	if (child > 0)
		*ret_exit = wait_for_child(rank);
	return PMPP_OK;
}

/* ---- Devices of the host ------------------------------------------------------------------- */

struct fleet_device {
	char spec[100]; /* --device: "uuid:...", "pci:..." or a label */
	char name[200];
	bool on_host;      /* the device is the CPU of the host, or an emulator */
	bool has_own_lock; /* else: the lock of all devices that are no GPU with an identity */
	int lock;          /* locked file; -1: none */
};

/* Longest wait for the list of devices: a driver that needs longer hangs. */
#define PROBE_LIMIT_S 120
/* A process that has not ended this long after SIGKILL waits in its driver. */
#define KILL_LIMIT_S 10
#define MAX_DEVICES 64

/* The device of all ranks that have no GPU with an identity. */
#define HOST_KEY "host"

struct probe {
	size_t count;
	struct fleet_device devices[MAX_DEVICES];
	char problem[1000]; /* why there are no devices */
};

static void fill_device(struct fleet_device *device, const struct gpu_device_info *info)
{
	const char *identity = info->uuid[0] ? info->uuid : info->pci;

	device->on_host = info->type == GPU_TYPE_CPU || info->type == GPU_TYPE_EMULATED;
	snprintf(device->spec, sizeof device->spec, "%s", device_label(info).text);
	snprintf(device->name, sizeof device->name, "%s", info->name);
	if (*identity)
		snprintf(device->spec, sizeof device->spec, "%s:%s", info->uuid[0] ? "uuid" : "pci",
			identity);
	device->has_own_lock = *identity && !device->on_host;
}

/* Runs in the forked process. */
static _Noreturn void list_devices(const struct device_query *query, struct probe *probe)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct inventory inventory = {0};
	const struct gpu_device_info **devices = NULL;
	size_t count = 0;
	unsigned backends = 0;

	suite_set_environment();
	enum pmpp_status status = device_query_backends(query, &backends, &error);
	if (status == PMPP_OK)
		status = inventory_take(backends, &inventory, &error);
	if (status == PMPP_OK)
		status = device_select(query, true, &inventory, &devices, &count, &error);
	if (status != PMPP_OK)
		snprintf(probe->problem, sizeof probe->problem, "%s", error.message);
	for (size_t i = 0; i < count && i < MAX_DEVICES; i++)
		fill_device(&probe->devices[probe->count++], devices[i]);
	_exit(0);
}

/* Lists the devices. No driver is called in this process. */
static void probe_devices(const struct device_query *query, struct probe *ret_probe)
{
	struct probe *shared = mmap(
		NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t probe = -1;
	int end = -1;

	fflush(NULL);
	if (shared != MAP_FAILED)
		probe = fork();
	if (probe == 0)
		list_devices(query, shared);
	if (probe > 0 && guard_end(probe, PROBE_LIMIT_S, KILL_LIMIT_S))
		waitpid(probe, &end, 0);
	if (end == 0)
		*ret_probe = *shared;
	else
		*ret_probe = (struct probe){.problem = "the devices cannot be listed: a driver "
						       "crashed or hangs; see pmpp-run doctor"};
	if (shared != MAP_FAILED)
		munmap(shared, sizeof *shared);
}

/* ---- Locks --------------------------------------------------------------------------------- */

/* Locks the file of a key. Sets *ret_fd to -1 if another process has the lock and `wait` is false.
 * Locks of fcntl() are not inherited: they end with this process, whatever its workers do. */
static enum pmpp_status lock_key(
	const char *folder, const char *key, bool wait, int *ret_fd, struct pmpp_error *error)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char path[PATH_MAX + 120];
	int failed;

	int used = snprintf(path, sizeof path, "%s/", folder);
	snprintf(path + used, sizeof path - (size_t)used, "%.100s", key);
	for (char *c = path + used; *c; c++)
		if (*c == '/')
			*c = '_';
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	*ret_fd = fd;
	if (fd >= 0 && fcntl(fd, wait ? F_SETLKW : F_SETLK, &lock) == 0)
		return PMPP_OK;
	failed = errno;
	if (fd >= 0)
		close(fd);
	*ret_fd = -1;
	if (fd >= 0 && (failed == EAGAIN || failed == EACCES))
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_IO, "%s: %s", path, strerror(failed));
}

/* ---- Choice -------------------------------------------------------------------------------- */

/* Takes a device of the query for this process alone, and waits while other ranks use all of them.
 * All CPU devices and emulators of a host are one device, because they run on the same cores. GPUs
 * without a UUID and a PCI address count as this device too. The first choice of rank `local` is
 * device `local` modulo their number. Prints a note before it waits, unless `quiet`.
 * PMPP_UNAVAILABLE: no device. PMPP_IO: the file cannot be locked. The lock ends with
 * release_device(), or with this process. */
static enum pmpp_status take_device(const struct device_query *query, const struct fleet_rank *rank,
	bool quiet, struct fleet_device *ret_device, struct pmpp_error *error)
{
	struct probe probe;
	struct fleet_device *device = probe.devices;
	enum pmpp_status status = PMPP_OK;
	int lock = -1;

	probe_devices(query, &probe);
	if (!probe.count)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", probe.problem);
	for (size_t i = 0; i <= probe.count && status == PMPP_OK && lock < 0; i++) {
		bool wait = i == probe.count;
		device = &probe.devices[((size_t)rank->local + i) % probe.count];
		if (wait && !quiet)
			terminal_print(stderr,
				"pmpp-run: waiting for %s, which another rank uses\n",
				device->name);
		status = lock_key(rank->locks, device->has_own_lock ? device->spec : HOST_KEY, wait,
			&lock, error);
	}
	*ret_device = *device;
	ret_device->lock = lock;
	return status;
}

static void release_device(struct fleet_device *device)
{
	if (device->lock >= 0)
		close(device->lock);
	device->lock = -1;
}

/* ---- The job of a rank ----------------------------------------------------------------------- */

#define OUTPUT_COUNT 4

/* This process, as a rank. */
struct rank {
	struct fleet_rank rank;
	struct command_task task;
	struct fleet_device device;
	char paths[OUTPUT_COUNT][PATH_MAX];
	bool quiet; /* --quiet was given */
};

static enum pmpp_status check_fleet(const struct cli_options *options, struct pmpp_error *error)
{
	if (!options->json)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--fleet needs --json=FILE: each rank writes its own file");
	if (options->terminal.stdout_taken)
		return PMPP_FAIL(error, PMPP_USAGE,
			"with --fleet each rank writes its own file: give --json, --csv and --md a FILE");
	if (options->report)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--report is not possible with --fleet: run `pmpp-run report` on the files "
			"of --json");
	if (engines[options->job.engine]->backend)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--engine=%s has no devices to distribute: leave out --fleet",
			engines[options->job.engine]->name);
	return PMPP_OK;
}

/* Sets the names of the rank's files, and removes old files with these names. A rank that is killed
 * then has no file of another run. like: value of --like; NULL: not given. PMPP_USAGE: a name is that
 * of this file. Other ranks may still have to read it, so it must not be removed. */
static enum pmpp_status prepare_files(struct rank *rank, const char *like, struct pmpp_error *error)
{
	struct output_paths *outputs = &rank->task.collecting.outputs;
	const char **const paths[OUTPUT_COUNT] = {
		&outputs->json, &outputs->csv, &outputs->markdown, &rank->task.job.output_path};

	for (size_t i = 0; i < OUTPUT_COUNT; i++) {
		if (!*paths[i])
			continue;
		fleet_path(*paths[i], rank->rank.rank, rank->paths[i], PATH_MAX);
		*paths[i] = rank->paths[i];
	}
	enum pmpp_status status =
		collector_check_outputs(outputs, rank->task.job.output_path, error);
	for (size_t i = 0; i < OUTPUT_COUNT && status == PMPP_OK; i++) {
		status = stored_check_output(*paths[i], error);
		if (status == PMPP_OK && like && *paths[i] && atomic_file_same(like, *paths[i]))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"--like=%s is the output of rank %lld and would be removed: give "
				"another output file",
				like, (long long)rank->rank.rank);
	}
	for (size_t i = 0; i < OUTPUT_COUNT && status == PMPP_OK; i++)
		if (*paths[i] && unlink(*paths[i]) != 0 && errno != ENOENT)
			status = PMPP_FAIL(error, PMPP_USAGE,
				"the old file %s cannot be removed: %s", *paths[i],
				strerror(errno));
	rank->task.collecting.rank = &rank->rank;
	rank->quiet = rank->task.collecting.terminal.quiet;
	rank->task.collecting.terminal.quiet |= rank->rank.ranks > 1;
	return status;
}

/* "rank 3, NVIDIA H200: 12 ok, 1 skipped; out.3.json" */
static void put_line(const struct rank *rank, const struct result_document *document)
{
	size_t of_class[OUTCOME_CLASS_COUNT] = {0};
	char *counts = NULL;
	size_t size;
	FILE *out = open_memstream(&counts, &size);

	for (size_t i = 0; i < document->results.count; i++)
		of_class[result_row_class(&document->results.items[i])]++;
	if (!out)
		return;
	device_summary_put_counts(of_class, out);
	if (fclose(out) == 0)
		terminal_print(stdout, "rank %lld, %s: %s; %s\n", (long long)rank->rank.rank,
			rank->device.name, counts, rank->paths[0]);
	free(counts);
}

/* In the process of the job. */
static enum pmpp_status run_rank(struct rank *rank, int *ret_exit, struct pmpp_error *error)
{
	struct device_query *query = &rank->task.job.query;
	struct result_document document;
	enum pmpp_status status =
		take_device(query, &rank->rank, rank->quiet, &rank->device, error);

	record_init(&result_document_type, &document);
	if (status == PMPP_OK) {
		device_query_take_place(query, rank->device.spec, rank->device.on_host);
		status = command_task_run(&rank->task, &document, ret_exit, error);
	}
	if (status == PMPP_OK && rank->rank.ranks > 1 && !rank->quiet)
		put_line(rank, &document);
	if (status != PMPP_OK)
		pmpp_error_prefix(error, "rank %lld", (long long)rank->rank.rank);
	record_finish(&result_document_type, &document);
	release_device(&rank->device);
	return status;
}

/* Runs the job on the device of the rank. Output files get the number of the rank in their names. If
 * there are several ranks, the rank prints one line in place of tables. The exit code of the
 * launcher's process is 130 or 141 if a signal or a closed pipe ended the job, else 0. */
static enum pmpp_status command_fleet(enum job_action action, const struct cli_options *options,
	int *ret_exit, struct pmpp_error *error)
{
	struct rank rank = {.device.lock = -1};
	bool job = false;
	enum pmpp_status status = check_fleet(options, error);

	if (status == PMPP_OK)
		status = fleet_rank_find(options->rank, options->label, &rank.rank, error);
	if (status != PMPP_OK)
		return status;
	status = command_task_prepare(action, options, &rank.task, error);
	if (status == PMPP_OK)
		status = prepare_files(&rank, options->like, error);
	if (status == PMPP_OK)
		status = split(&rank.rank, &job, ret_exit, error);
	if (status == PMPP_OK && job)
		status = run_rank(&rank, ret_exit, error);
	command_task_finish(&rank.task);
	return status;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static void put_written(const char *output, bool replaces, size_t length)
{
	const char *verb = replaces ? "replaced " : "wrote ";
	bool to_stdout = strcmp(output, "-") == 0;

	terminal_print(stderr, "%s%s: %.2f MB\n", to_stdout ? "" : verb,
		to_stdout ? "stdout" : output, (double)length / 1e6);
}

/* Writes the page of the files. Unless --quiet is given, stderr gets the size of the page. Errors as page_make() and
 * document_save_text(). */
static enum pmpp_status write_page(const char *output, const struct cli_options *options,
	const struct result_files *files, struct pmpp_error *error)
{
	char *text = NULL;
	size_t length = 0;
	bool replaces = false;
	enum pmpp_status status = page_make(files, &text, &length, error);

	if (status == PMPP_OK) {
		replaces = document_replaces(output);
		status = document_save_text(output, text, error);
	}
	fflush(stdout);
	if (status == PMPP_OK && !options->terminal.quiet)
		put_written(output, replaces, length);
	free(text);
	return status;
}

enum pmpp_status command_write_explained(const struct cli_options *options,
	struct explain_document *explained, const char *name, struct result_document *rows,
	struct pmpp_error *error)
{
	struct result_files files = {0};
	struct explain_document *added =
		record_list_add(&explain_document_type, &files.explanations);
	enum pmpp_status status = added ? PMPP_OK : PMPP_NO_MEMORY(error, "the page");

	if (added && rows)
		status = result_files_add(&files, name, rows, error);
	if (status == PMPP_OK) {
		record_move(&explain_document_type, explained, added);
		status = write_page(options->report, options, &files, error);
	}
	result_files_finish(&files);
	return status;
}

/* ---- The page of a run (--report) ----------------------------------------------------------- */

/* PMPP_USAGE: `output`, the value of --report, is the file of a shipped device and would be
 * replaced; or PMPP_DEVICES_DIR is set and names no folder. */
static enum pmpp_status check_shipped(const char *output, struct pmpp_error *error)
{
	const char *named = getenv(SHIPPED_VARIABLE);
	struct shipped_list devices = {0};
	enum pmpp_status status = shipped_find(&devices, error);

	/* The program may be used without its installed files. */
	if (status != PMPP_OK && (!named || !*named)) {
		pmpp_error_clear(error);
		status = PMPP_OK;
	}
	for (size_t i = 0; i < devices.names.count && status == PMPP_OK; i++) {
		char *path = shipped_path(&devices, devices.names.items[i]);
		if (!path)
			status = PMPP_NO_MEMORY(error, "the shipped devices");
		else if (strcmp(path, output) == 0 || atomic_file_same(path, output))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"--report=%s is the file of a device that ships with pmpp, and would be "
				"replaced: give another file",
				output);
		free(path);
	}
	shipped_finish(&devices);
	return status;
}

enum pmpp_status command_check_page(
	const struct cli_options *options, const struct job *job, struct pmpp_error *error)
{
	const char *const others[] = {
		options->json, options->csv, options->markdown, job->output_path};

	if (strcmp(options->report, "-") == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--report=-: stdout has the tables: give a file, such as "
			"--report=report.html");
	enum pmpp_status status = document_check_path(options->report, error);
	if (status == PMPP_OK)
		status = stored_check_output(options->report, error);
	if (status == PMPP_OK)
		status = check_shipped(options->report, error);
	for (size_t i = 0; i < sizeof others / sizeof *others && status == PMPP_OK; i++)
		if (others[i] && (strcmp(others[i], options->report) == 0 ||
					 atomic_file_same(others[i], options->report)))
			status = PMPP_FAIL(error, PMPP_USAGE,
				"--report=%s is also another output: give the page a file of its own",
				options->report);
	return status;
}

static bool has_family(void *context, const void *row)
{
	const struct result_document *run = context;
	bool found = false;

	for (size_t i = 0; i < run->results.count && !found; i++)
		found = text_equal(
			run->results.items[i].family, ((const struct result_row *)row)->family);
	return found;
}

/* Sets the name of the devices with this identity (device_public_identity()). Returns false if there is no memory. */
static bool name_same(struct result_document *document, const char *identity, const char *name)
{
	bool ok = identity && name;

	for (size_t i = 0; i < document->devices.count && ok; i++) {
		struct device_record *device = &document->devices.items[i];
		char *other = device_public_identity(device, document);
		if (text_equal(other, identity))
			text_set(&device->name, name);
		ok = other && device->name;
		free(other);
	}
	return ok;
}

/* Marks the devices of the first file, and shipped files of the same GPU. The identity of a device can contain its
 * name, so those of the first file get their names last. */
static bool name_own_devices(struct result_files *files)
{
	struct result_document *own = &files->items[0].document;
	char *name = NULL;
	bool ok = true;

	for (size_t i = 0; i < own->devices.count && ok; i++) {
		char *identity = device_public_identity(&own->devices.items[i], own);
		text_format(&name, "%s (this device)", text_or_empty(own->devices.items[i].name));
		for (size_t f = 1; f < files->count && ok; f++)
			ok = name_same(&files->items[f].document, identity, name);
		free(identity);
	}
	for (size_t i = 0; i < own->devices.count && ok; i++) {
		text_format(&name, "%s (this device)", text_or_empty(own->devices.items[i].name));
		text_set(&own->devices.items[i].name, name);
		ok = own->devices.items[i].name != NULL;
	}
	free(name);
	return ok;
}

/* Prints an error as a note, and clears it. */
static void put_note(struct pmpp_error *error)
{
	fflush(stdout);
	terminal_print(stderr, "note: %s\n", error->message);
	pmpp_error_clear(error);
}

/* If the file of the device cannot be used, stderr gets a note, and the function appends nothing. */
static void try_shipped(const char *name, struct result_files *files)
{
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (result_files_load_shipped("--with", name, files, &error) != PMPP_OK)
		put_note(&error);
}

/* Writes the page of a run, whose rows move out of the document. The page is written even if the file of
 * a shipped device cannot be used, because the run may have taken hours. */
static enum pmpp_status run_page_write(const struct cli_options *options,
	struct result_document *document, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;
	struct shipped_list devices = {0};
	struct result_files files = {0};
	enum pmpp_status status = result_files_add(&files, "this run", document, error);

	if (status == PMPP_OK && shipped_find(&devices, &other) != PMPP_OK)
		put_note(&other);
	for (size_t i = 0; i < devices.names.count && status == PMPP_OK; i++)
		try_shipped(devices.names.items[i], &files);
	/* Removes the families that the run does not have. */
	for (size_t i = 1; i < files.count; i++) {
		record_list_keep(&result_row_type, &files.items[i].document.results, has_family,
			&files.items[0].document);
		files.items[i].has_lost_rows = true;
	}
	if (status == PMPP_OK && !name_own_devices(&files))
		status = PMPP_NO_MEMORY(error, "the devices");
	if (status == PMPP_OK)
		status = write_page(options->report, options, &files, error);
	result_files_finish(&files);
	shipped_finish(&devices);
	return status;
}

/* Prints that there is no page, because the run was interrupted: the page would compare few rows with
 * many. */
static void run_page_put_none(const struct cli_options *options)
{
	fflush(stdout);
	terminal_print(stderr, "note: %s is not written, because the run was interrupted%s\n",
		options->report,
		options->json || options->save ? ""
					       : "; with --json=FILE the finished rows are kept");
}

/* ---- The commands of jobs -------------------------------------------------------------------- */

enum pmpp_status cmd_job(const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	enum job_action action = options->command->action;
	struct result_document document;
	struct command_task task;

	if (options->fleet)
		return command_fleet(action, options, ret_exit, error);
	enum pmpp_status status = command_task_prepare(action, options, &task, error);

	record_init(&result_document_type, &document);
	if (status == PMPP_OK && options->report)
		status = command_check_page(options, &task.job, error);
	if (status == PMPP_OK)
		status = command_task_run(&task, &document, ret_exit, error);
	if (status == PMPP_OK && action == JOB_RUN)
		shipped_ladder_beside(options, &document);
	if (status == PMPP_OK && options->report)
		status = run_page_write(options, &document, error);
	else if (status == PMPP_INTERRUPTED && options->report && !options->terminal.quiet)
		run_page_put_none(options);
	record_finish(&result_document_type, &document);
	command_task_finish(&task);
	return status;
}

/* ---- The command `report` -------------------------------------------------------------------- */

#define DEFAULT_OUTPUT "report.html"
#define BY_MODEL "model"

static enum pmpp_status check_input(const char *output, const char *input, struct pmpp_error *error)
{
	if (strcmp(output, "-") == 0 || !atomic_file_same(output, input))
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s is an input and would be replaced: give another --output", output);
}

/* The page must not replace a file that it shows, or the store. */
static enum pmpp_status check_output(
	const char *output, const struct cli_options *options, struct pmpp_error *error)
{
	enum pmpp_status status = document_check_path(output, error);

	if (status == PMPP_OK && strcmp(output, "-") != 0)
		status = stored_check_output(output, error);
	for (size_t i = 0; i < options->argument_count && status == PMPP_OK; i++)
		status = check_input(output, options->arguments[i], error);
	return status;
}

/* --by: NULL, "device" or "model". */
static enum pmpp_status check_by(const char *by, struct pmpp_error *error)
{
	if (!by || strcmp(by, "device") == 0 || strcmp(by, BY_MODEL) == 0)
		return PMPP_OK;
	return PMPP_FAIL(error, PMPP_USAGE,
		"--by=%s is not possible: give --by=device or --by=" BY_MODEL, by);
}

static enum pmpp_status join_rows(
	const struct cli_options *options, struct result_files *files, struct pmpp_error *error)
{
	const char *by = options->comparing.by;

	if (compared_files_choose_runs(files->items, files->count, by && strcmp(by, BY_MODEL) == 0))
		return PMPP_OK;
	return PMPP_NO_MEMORY(error, "the devices");
}

static enum pmpp_status load_files(
	const struct cli_options *options, struct result_files *files, struct pmpp_error *error)
{
	const char *with = options->comparing.with;
	enum pmpp_status status = PMPP_OK;

	if (options->argument_count == 0 && !with)
		return PMPP_FAIL(error, PMPP_USAGE,
			"report needs a file of `run --json`, or --with=NAME for a device that ships "
			"with pmpp");
	if (options->argument_count > 0)
		status = result_files_load(
			options->arguments, options->argument_count, true, files, error);
	return status == PMPP_OK ? result_files_load_shipped("--with", with, files, error) : status;
}

/* A shipped file may lie in a folder of the user (PMPP_DEVICES_DIR). */
static enum pmpp_status check_shown(
	const char *output, const struct result_files *files, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < files->shipped.count && status == PMPP_OK; i++)
		status = check_input(output, files->shipped.items[i], error);
	return status;
}

enum pmpp_status cmd_report(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const char *output = options->output ? options->output : DEFAULT_OUTPUT;
	struct result_files files = {0};
	enum pmpp_status status = check_output(output, options, error);

	(void)ret_exit;
	if (status == PMPP_OK)
		status = check_by(options->comparing.by, error);
	if (status == PMPP_OK)
		status = load_files(options, &files, error);
	if (status == PMPP_OK)
		status = join_rows(options, &files, error);
	if (status == PMPP_OK)
		status = check_shown(output, &files, error);
	if (status == PMPP_OK)
		status = write_page(output, options, &files, error);
	result_files_finish(&files);
	return status;
}
