/*
 * pmpp-fleet-agent FD PID: the MPI process of one rank of `pmpp-run --fleet`. The job of the rank
 * is its child PID, in a session of its own; FD is a socket to it (fleet_wire.h).
 *
 * As soon as an agent dies by a signal, mpirun ends the other agents: SIGTERM, then SIGKILL. It did
 * not start the jobs, so they continue. Open MPI also sends SIGTERM if the user interrupts mpirun.
 * In this case no agent has died, and each agent interrupts its job.
 */
#include <mpi.h>

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/model/exit_code.h"
#include "host/run/fleet_wire.h"

#define NAP_MS 20

/* A rank on this host. */
struct mate {
	int64_t rank, pid;
	int64_t pids; /* inode of the namespace of pid; 0: unknown */
};

struct agent {
	int fd;
	pid_t job; /* 0: has ended; wait_status is valid */
	int wait_status;
	struct fleet_hello hello;
	struct mate *mates;          /* owned */
	int mate_count;              /* without ranks of other PID namespaces */
	int64_t *lengths;            /* by rank; owned */
	int *counts, *displacements; /* by rank; owned */
};

/* ---- Signals ------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop_requested;
static volatile pid_t job_to_quit; /* 0: none */

static void request_stop(int number)
{
	stop_requested = number;
}

/* SIGQUIT ends the job at once, without files. A terminal sends it to this process only, because
 * the job has a session of its own. */
static void quit(int number)
{
	if (job_to_quit)
		kill(job_to_quit, number);
	signal(number, SIG_DFL);
	raise(number);
}

static struct {
	int number;
	void (*handler)(int number);
	bool ignored; /* when this process started: the signal stays ignored (nohup) */
} rows[] = {
	{SIGINT, request_stop, false},
	{SIGTERM, request_stop, false},
	{SIGHUP, request_stop, false},
	{SIGQUIT, quit, false},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

/* Called before MPI_Init(), which changes signals. */
static void note_ignored_signals(void)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		struct sigaction before;
		sigaction(rows[i].number, NULL, &before);
		rows[i].ignored = before.sa_handler == SIG_IGN;
	}
}

static void catch_signals(void)
{
	for (size_t i = 0; i < ROW_COUNT; i++) {
		const struct sigaction action = {
			.sa_handler = rows[i].ignored ? SIG_IGN : rows[i].handler};
		sigaction(rows[i].number, &action, NULL);
	}
}

/* false also for a process that has died, but for which its parent has not waited. */
static bool is_alive(int64_t pid)
{
	char path[64], text[512];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = '\0';
	const char *state = strrchr(text, ')');
	return state && state[1] && !strchr("ZX", state[2]);
}

/* Handles a signal that has arrived. */
static void check_stop(struct agent *agent)
{
	const int64_t notice = FLEET_NOTICE;
	int64_t first = -1;
	bool dead = false;

	if (!stop_requested)
		return;
	stop_requested = 0;
	if (agent->job)
		fleet_wire_send(agent->fd, &notice, sizeof notice);
	for (int i = 0; i < agent->mate_count; i++) {
		if (!is_alive(agent->mates[i].pid))
			dead = true;
		else if (first < 0)
			first = agent->mates[i].rank;
	}
	if (!dead && agent->job)
		kill(agent->job, SIGTERM);
	for (int i = 0; i < agent->mate_count && first == agent->hello.rank; i++)
		if (!is_alive(agent->mates[i].pid))
			fprintf(stderr,
				"pmpp-run: rank %lld has died; the other ranks of this host "
				"continue without MPI, and write their files at the end\n",
				(long long)agent->mates[i].rank);
}

static void nap(struct agent *agent)
{
	const struct timespec pause = {.tv_nsec = NAP_MS * 1000000L};

	nanosleep(&pause, NULL);
	check_stop(agent);
}

/* MPI's own waits keep a core busy, which would disturb times on a CPU device. */
static void wait_for(struct agent *agent, MPI_Request *request)
{
	int done = 0;

	while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
		nap(agent);
}

/* ---- Job ----------------------------------------------------------------------------------- */

static void wait_for_job(struct agent *agent)
{
	while (agent->job && waitpid(agent->job, &agent->wait_status, WNOHANG) == 0)
		nap(agent);
	agent->job = job_to_quit = 0;
}

/* The next message of the job, owned by the caller, or NULL with a negative length. */
static char *receive(struct agent *agent, int64_t *ret_length)
{
	struct pollfd source = {.fd = agent->fd, .events = POLLIN};
	int64_t length = -1;
	char *text = NULL;

	while (agent->job && poll(&source, 1, NAP_MS) <= 0)
		check_stop(agent);
	if (agent->job && fleet_wire_receive(agent->fd, &length, sizeof length) && length >= 0)
		text = malloc((size_t)length + 1);
	if (text && !fleet_wire_receive(agent->fd, text, (size_t)length)) {
		free(text);
		text = NULL;
	}
	if (!text) {
		wait_for_job(agent);
		length = fleet_wire_ended(agent->wait_status);
	}
	*ret_length = length;
	return text;
}

static void answer(struct agent *agent, const char *texts)
{
	bool good = true;

	for (int i = 0; i < agent->hello.ranks && good; i++) {
		good = fleet_wire_send(agent->fd, &agent->lengths[i], sizeof agent->lengths[i]);
		if (good && agent->counts[i])
			good = fleet_wire_send(agent->fd, texts + agent->displacements[i],
				(size_t)agent->counts[i]);
	}
}

/* The lowest rank whose job has not ended; 0 if there is none. */
static int first_alive(const struct agent *agent)
{
	for (int i = 0; i < agent->hello.ranks; i++)
		if (agent->lengths[i] >= 0)
			return i;
	return 0;
}

/* Empties all texts, because this rank has received no message. */
static void forget_texts(struct agent *agent)
{
	for (int i = 0; i < agent->hello.ranks; i++) {
		agent->counts[i] = 0;
		if (agent->lengths[i] > 0)
			agent->lengths[i] = 0;
	}
}

/* to_all: every rank receives the messages, else only the lowest rank that has not ended. */
static void exchange(struct agent *agent, bool to_all)
{
	MPI_Request request;
	int64_t length = 0, sum = 0;
	char *mine = receive(agent, &length);

	MPI_Iallgather(
		&length, 1, MPI_INT64_T, agent->lengths, 1, MPI_INT64_T, MPI_COMM_WORLD, &request);
	wait_for(agent, &request);
	int root = first_alive(agent);
	for (int i = 0; i < agent->hello.ranks; i++) {
		/* MPI counts bytes in `int`. A message beyond that limit is dropped: its rank
		 * counts as ended. */
		if (agent->lengths[i] > INT_MAX - sum)
			agent->lengths[i] = -1;
		agent->counts[i] = agent->lengths[i] > 0 ? (int)agent->lengths[i] : 0;
		agent->displacements[i] = (int)sum;
		sum += agent->counts[i];
	}
	char *texts = malloc((size_t)sum + 1);
	if (!texts)
		MPI_Abort(MPI_COMM_WORLD, EXIT_CODE_BROKEN);
	if (to_all)
		MPI_Iallgatherv(mine, agent->counts[agent->hello.rank], MPI_CHAR, texts,
			agent->counts, agent->displacements, MPI_CHAR, MPI_COMM_WORLD, &request);
	else
		MPI_Igatherv(mine, agent->counts[agent->hello.rank], MPI_CHAR, texts, agent->counts,
			agent->displacements, MPI_CHAR, root, MPI_COMM_WORLD, &request);
	wait_for(agent, &request);
	if (!to_all && root != agent->hello.rank)
		forget_texts(agent);
	if (agent->job)
		answer(agent, texts);
	free(texts);
	free(mine);
}

/* ---- Start and end ------------------------------------------------------------------------- */

static int64_t pid_namespace(void)
{
	struct stat info;

	return stat("/proc/self/ns/pid", &info) == 0 ? (int64_t)info.st_ino : 0;
}

static bool begin(struct agent *agent)
{
	MPI_Comm host;
	int rank, ranks, mates;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
	MPI_Comm_size(host, &mates);
	struct mate me = {rank, getpid(), pid_namespace()};
	agent->mates = calloc((size_t)mates, sizeof *agent->mates);
	agent->lengths = calloc((size_t)ranks, sizeof *agent->lengths);
	agent->counts = calloc((size_t)ranks, sizeof *agent->counts);
	agent->displacements = calloc((size_t)ranks, sizeof *agent->displacements);
	if (!agent->mates || !agent->lengths || !agent->counts || !agent->displacements)
		return false;
	MPI_Allgather(&me, 3, MPI_INT64_T, agent->mates, 3, MPI_INT64_T, host);
	MPI_Comm_free(&host);
	agent->hello = (struct fleet_hello){rank, ranks, agent->mates[0].rank};
	/* Processes of other containers are not visible here: they would count as dead. */
	for (int i = 0; i < mates; i++)
		if (agent->mates[i].pids == me.pids)
			agent->mates[agent->mate_count++] = agent->mates[i];
	/* If the job has ended, the exchanges notice it. */
	fleet_wire_send(agent->fd, &agent->hello, sizeof agent->hello);
	return true;
}

static enum exit_code code_of(int wait_status)
{
	return WIFEXITED(wait_status) ? (enum exit_code)WEXITSTATUS(wait_status) : EXIT_CODE_BROKEN;
}

/* Returns the worst exit code of all ranks, after rank 0 has printed. The loop starts with the code
 * that every other code replaces. */
static enum exit_code worst_code(struct agent *agent)
{
	int64_t mine = code_of(agent->wait_status);
	enum exit_code worst = EXIT_CODE_ALL_SKIPPED;
	MPI_Request request;

	MPI_Iallgather(
		&mine, 1, MPI_INT64_T, agent->lengths, 1, MPI_INT64_T, MPI_COMM_WORLD, &request);
	wait_for(agent, &request);
	for (int i = 0; i < agent->hello.ranks; i++)
		worst = exit_code_worst(worst, (enum exit_code)agent->lengths[i]);
	return worst;
}

int main(int argc, char **argv)
{
	struct agent agent = {0};

	if (argc != 3) {
		fputs("pmpp-fleet-agent is started by pmpp-run --fleet\n", stderr);
		return EXIT_CODE_USAGE;
	}
	agent.fd = atoi(argv[1]);
	agent.job = job_to_quit = atoi(argv[2]);
	note_ignored_signals();
	MPI_Init(NULL, NULL);
	catch_signals();
	if (!begin(&agent))
		MPI_Abort(MPI_COMM_WORLD, EXIT_CODE_BROKEN);
	for (int i = 0; i < FLEET_EXCHANGES; i++)
		exchange(&agent, i < FLEET_EXCHANGES - 1);
	wait_for_job(&agent);
	enum exit_code code = worst_code(&agent);
	MPI_Finalize();
	free(agent.mates);
	free(agent.lengths);
	free(agent.counts);
	free(agent.displacements);
	return code;
}
