/* Ranks of a fleet: their places on devices without identity, and the rank that has the reports.
 * The test replaces the MPI processes. */
#include "host/run/fleet_gather.h"
#include "host/run/fleet_seat.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_RANKS 8
#define ROUNDS 50

/* ---- MPI processes ------------------------------------------------------------------------- */

/* Answers a rank like its agent, as if each rank had sent the same text as this rank. Without
 * `to_all`, only rank 0 receives the texts. */
static void answer(int fd, int64_t rank, int64_t ranks, bool to_all)
{
	int64_t length = -1, none = 0;

	if (!fleet_wire_receive(fd, &length, sizeof length))
		return;
	char *text = malloc((size_t)length + 1);
	if (!text || !fleet_wire_receive(fd, text, (size_t)length))
		_exit(1);
	for (int64_t i = 0; i < ranks; i++) {
		bool gets = to_all || rank == 0;
		fleet_wire_send(fd, gets ? &length : &none, sizeof length);
		if (gets)
			fleet_wire_send(fd, text, (size_t)length);
	}
	free(text);
}

/* Starts a process that answers `count` messages; returns the socket to it. */
static int start_agent(int64_t rank, int64_t ranks, int count, bool to_all)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		_exit(1);
	if (fork() == 0) {
		close(ends[0]);
		for (int i = 0; i < count; i++)
			answer(ends[1], rank, ranks, to_all);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

/* ---- Reports ------------------------------------------------------------------------------- */

/* A letter for each rank: `m` has its MPI process, `f` has lost it, `k` is killed before it
 * reports. The ranks `m` end before the ranks `f` begin, as after a late death of an MPI process.
 */
static const struct gathered {
	const char *name, *ranks;
	int speaker; /* -1: any rank */
} gathered[] = {
	{"all ranks have MPI", "mmm", 0},
	{"a rank loses MPI after the lowest rank has the reports", "mf", 0},
	{"the lowest rank loses MPI after the others have ended", "fm", 0},
	{"the two lowest ranks lose MPI", "ffm", -1},
	{"all ranks lose MPI", "ffffffff", -1},
	{"a rank is killed, the others lose MPI", "fkff", -1},
};

/* Findings of the ranks, in memory that all processes share. */
struct found {
	bool failed, speaks;
	int reported, killed; /* ranks in the reports */
};

static struct found *found;

static void count_reports(const struct fleet_report_list *list, struct found *result)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct fleet_report *report = &list->items[i];
		result->reported += report->exit_code == 0;
		result->killed += report->message && strcmp(report->message, "killed") == 0;
	}
}

/* The process of a rank: it is ready, and continues when the test allows it. */
static _Noreturn void be_rank(const char *ranks, int64_t rank, int ready, int go)
{
	struct fleet fleet = {.hello = {rank, (int64_t)strlen(ranks), 0}, .fd = -1, .lock = -1};
	struct fleet_report_list list = {0};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct fleet_report report;
	char byte = 0;

	if (fleet_join(&fleet, "test", &error) != PMPP_OK)
		found[rank].failed = true;
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1 || ranks[rank] == 'k')
		_exit(0);
	if (ranks[rank] == 'm')
		fleet.fd = start_agent(rank, fleet.hello.ranks, 1, false);
	record_init(&fleet_report_type, &report);
	report.rank = rank;
	found[rank].failed |=
		fleet_gather(&fleet, &report, &list, &found[rank].speaks, &error) != PMPP_OK;
	count_reports(&list, &found[rank]);
	_exit(0);
}

/* Lets the ranks with a letter continue. */
static void release(const char *ranks, const int *go, char letter)
{
	const char byte = 0;

	for (size_t i = 0; ranks[i]; i++)
		if (ranks[i] == letter)
			assert_int_equal(write(go[i], &byte, 1), 1);
}

static void wait_for(const char *ranks, const pid_t *pids, char letter)
{
	for (size_t i = 0; ranks[i]; i++)
		if (ranks[i] == letter)
			waitpid(pids[i], NULL, 0);
}

static void run_ranks(const char *ranks)
{
	static const char order[] = "kmf";
	pid_t pids[MAX_RANKS];
	int ready[2], go[MAX_RANKS];
	char byte;

	memset(found, 0, MAX_RANKS * sizeof *found);
	assert_int_equal(pipe(ready), 0);
	for (size_t i = 0; ranks[i]; i++) {
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		pids[i] = fork();
		if (pids[i] == 0)
			be_rank(ranks, (int64_t)i, ready[1], ends[0]);
		close(ends[0]);
		go[i] = ends[1];
	}
	for (size_t i = 0; ranks[i]; i++)
		assert_int_equal(read(ready[0], &byte, 1), 1);
	for (const char *letter = order; *letter; letter++) {
		release(ranks, go, *letter);
		wait_for(ranks, pids, *letter);
	}
	for (size_t i = 0; ranks[i]; i++)
		close(go[i]);
	close(ready[0]);
	close(ready[1]);
}

static void check_folder(void)
{
	DIR *folder = opendir(getenv("TMPDIR"));

	assert_non_null(folder);
	for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
		if (strncmp(entry->d_name, "pmpp-fleet", 10) == 0)
			test_fail("%s was not removed", entry->d_name);
	closedir(folder);
}

static void gather(const void *context)
{
	const struct gathered *row = context;
	int ranks = (int)strlen(row->ranks);
	int killed = strchr(row->ranks, 'k') != NULL;

	for (int round = 0; round < ROUNDS; round++) {
		int speakers = 0;
		run_ranks(row->ranks);
		for (int i = 0; i < ranks; i++) {
			assert_false(found[i].failed);
			speakers += found[i].speaks;
			if (!found[i].speaks)
				continue;
			if (row->speaker >= 0)
				assert_int_equal(i, row->speaker);
			assert_int_equal(found[i].reported, ranks - killed);
			assert_int_equal(found[i].killed, killed);
		}
		assert_int_equal(speakers, 1);
		check_folder();
	}
}

/* ---- Places -------------------------------------------------------------------------------- */

static struct gpu_device_info shown; /* the only device of this machine */

enum pmpp_status __wrap_gpu_enumerate(enum gpu_backend_id id, struct gpu_device_info **ret_infos,
	size_t *ret_count, struct gpu_backend_state *ret_state, struct pmpp_error *error);

/* Linked in place of gpu_enumerate(). */
enum pmpp_status __wrap_gpu_enumerate(enum gpu_backend_id id, struct gpu_device_info **ret_infos,
	size_t *ret_count, struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	bool has_device = id == shown.backend;

	(void)error;
	*ret_infos = has_device ? malloc(sizeof **ret_infos) : NULL;
	if (*ret_infos)
		**ret_infos = shown;
	*ret_count = has_device;
	*ret_state = (struct gpu_backend_state){.usable = has_device};
	return PMPP_OK;
}

/* Two ranks see one device each, with the same label. */
static const struct seen {
	const char *name;
	enum gpu_device_type type;
	const char *uuid, *pci;
	const char *untimed, *spec;
	bool on_host;
} seen[] = {
	{"a GPU with a UUID", GPU_TYPE_GPU, "GPU-1", "",
		"ranks 0, 1 share this device: verified, not timed", "uuid:GPU-1", false},
	{"a GPU with a PCI address", GPU_TYPE_GPU, "", "0000:01:00.0",
		"ranks 0, 1 share this device: verified, not timed", "pci:0000:01:00.0", false},
	{"a GPU without both", GPU_TYPE_GPU, "", "",
		"ranks 0, 1 may share this device, which has no UUID and no PCI address: verified, "
		"not timed",
		"opencl:0.0", false},
	{"a CPU", GPU_TYPE_CPU, "", "", "ranks 0, 1 share this device: verified, not timed",
		"opencl:0.0", true},
};

static void take_place(const void *context)
{
	const struct seen *row = context;
	const struct device_query query = {.backend = "opencl", .backend_from = "--backend"};
	struct fleet fleet = {.hello = {0, 2, 0}, .lock = -1};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct fleet_place place;

	shown = (struct gpu_device_info){
		.backend = GPU_BACKEND_OPENCL, .index = "0.0", .name = "D", .type = row->type};
	snprintf(shown.uuid, sizeof shown.uuid, "%s", row->uuid);
	snprintf(shown.pci, sizeof shown.pci, "%s", row->pci);
	fleet.fd = start_agent(0, 2, 2, true);
	test_ok(fleet_take_place(&fleet, &query, &place, &error), &error);
	close(fleet.fd);
	close(fleet.lock);
	wait(NULL);
	assert_string_equal(place.untimed, row->untimed);
	assert_string_equal(place.spec, row->spec);
	assert_int_equal(place.on_host, row->on_host);
	assert_string_equal(place.warning, "");
}

/* A rank without a folder also takes its place. */
static void no_folder(const void *context)
{
	const struct device_query query = {.backend = "opencl", .backend_from = "--backend"};
	struct fleet fleet = {.hello = {0, 1, 0}, .lock = -1};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct fleet_place place;
	char *before = strdup(getenv("TMPDIR"));

	(void)context;
	shown = (struct gpu_device_info){
		.backend = GPU_BACKEND_OPENCL, .index = "0.0", .name = "D", .type = GPU_TYPE_CPU};
	fleet.fd = start_agent(0, 1, 2, true);
	setenv("TMPDIR", "/dev/null", 1);
	enum pmpp_status status = fleet_take_place(&fleet, &query, &place, &error);
	setenv("TMPDIR", before, 1);
	free(before);
	close(fleet.fd);
	wait(NULL);
	test_ok(status, &error);
	assert_string_equal(place.spec, "opencl:0.0");
	assert_non_null(strstr(place.warning, "/dev/null/pmpp-fleet-"));
	assert_string_equal(fleet.folder, "");
	assert_int_equal(fleet.lock, -1);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	found = mmap(NULL, MAX_RANKS * sizeof *found, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (found == MAP_FAILED)
		return 1;
	setenv("TMPDIR", test_folder(), 1);
	for (size_t i = 0; i < sizeof gathered / sizeof *gathered; i++)
		test_add(&list, gather, &gathered[i], "reports: %s", gathered[i].name);
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
		test_add(&list, take_place, &seen[i], "places: %s", seen[i].name);
	test_add(&list, no_folder, NULL, "places: no folder");
	return test_run(&list, argc, argv);
}
