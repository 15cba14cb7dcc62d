#include "host/io/os.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Processes ------------------------------------------------------------------------------- */

bool os_program_path(char ret_path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", ret_path, PATH_MAX - 1);

	if (length < 0 || length >= PATH_MAX - 1)
		return false;
	ret_path[length] = '\0';
	return true;
}

void os_end_with_parent(int signal_number)
{
	prctl(PR_SET_PDEATHSIG, signal_number);
}

void os_name_process(const char *name)
{
	prctl(PR_SET_NAME, name);
}

const char *os_signal_name(int number)
{
	const char *name = sigabbrev_np(number);

	return name ? name : "?";
}

void os_close_from(int first)
{
	closefrom(first);
}

/* ---- Caches of CPUs -------------------------------------------------------------------------- */

/* The largest number of CPUs of a set; CPUs beyond are ignored. */
#define CPU_CACHES_MAX_CPUS 1024

#define PATH_BYTES 600
#define TEXT_BYTES 4096 /* the kernel writes at most one page */
#define MAX_INDEX 10    /* caches of one CPU */

/* Reads the file of a cache of the CPU. Returns false if it cannot be read. */
static bool read_file(
	const char *root, size_t cpu, int index, const char *name, char ret_text[TEXT_BYTES])
{
	char path[PATH_BYTES];
	FILE *file;
	bool ok;

	if (snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%zu/cache/index%d/%s", root, cpu,
		    index, name) >= (int)sizeof path)
		return false;
	file = fopen(path, "r");
	if (!file)
		return false;
	ok = fgets(ret_text, TEXT_BYTES, file) != NULL;
	fclose(file);
	return ok;
}

/* Returns the index of the CPU's cache of the highest level, or -1. */
static int last_index(const char *root, size_t cpu)
{
	char text[TEXT_BYTES];
	long highest = 0;
	int found = -1;

	for (int i = 0; i < MAX_INDEX && read_file(root, cpu, i, "level", text); i++) {
		long level = strtol(text, NULL, 10);

		if (level > highest && read_file(root, cpu, i, "type", text) &&
			strncmp(text, "Instruction", strlen("Instruction")) != 0) {
			highest = level;
			found = i;
		}
	}
	return found;
}

/* "32768K" in bytes; 0: not a size. */
static uint64_t size_bytes(const char *text)
{
	char *end;
	unsigned long long size = strtoull(text, &end, 10);

	return size << (*end == 'K' ? 10 : *end == 'M' ? 20 : 0);
}

/* Marks the CPUs of a list such as "0-3,8-11". */
static void mark_cpus(const char *list, bool marked[CPU_CACHES_MAX_CPUS])
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long first = strtoul(list, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		for (unsigned long cpu = first; cpu <= last && cpu < CPU_CACHES_MAX_CPUS; cpu++)
			marked[cpu] = true;
		list = *end == ',' ? end + 1 : end;
	}
}

/* Sum of the last-level caches of the used CPUs, in bytes, from the files of Linux
 * (Documentation/ABI/testing/sysfs-devices-system-cpu: cache/index*). A cache that several of them
 * share counts once. used: whether CPU i is used, of `count` CPUs. root: "/sys", or a copy of a part
 * of it. Returns 0 if the files cannot be read. */
static uint64_t cpu_caches_last_bytes(const char *root, const bool *used, size_t count)
{
	bool counted[CPU_CACHES_MAX_CPUS] = {false};
	char text[TEXT_BYTES];
	uint64_t sum = 0;

	for (size_t cpu = 0; cpu < count && cpu < CPU_CACHES_MAX_CPUS; cpu++) {
		if (!used[cpu] || counted[cpu])
			continue;
		int index = last_index(root, cpu);
		if (index < 0 || !read_file(root, cpu, index, "size", text))
			continue;
		sum += size_bytes(text);
		if (read_file(root, cpu, index, "shared_cpu_list", text))
			mark_cpus(text, counted);
	}
	return sum;
}

/* ---- The machine ----------------------------------------------------------------------------- */

size_t os_usable_processors(void)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
		return 1;
	int count = CPU_COUNT(&cpus);
	return count < 1 ? 1 : (size_t)count;
}

void os_run_on_all_processors(void (*run)(void *context), void *context)
{
	cpu_set_t own, all;
	bool moves = sched_getaffinity(0, sizeof own, &own) == 0 &&
		     sched_getaffinity(getpid(), sizeof all, &all) == 0 &&
		     sched_setaffinity(0, sizeof all, &all) == 0;

	run(context);
	if (moves)
		sched_setaffinity(0, sizeof own, &own);
}

void os_processor_name(char *ret_text, size_t size)
{
	static const char key[] = "model name";
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[512];

	ret_text[0] = '\0';
	if (!file)
		return;
	while (fgets(line, sizeof line, file)) {
		char *colon = strchr(line, ':');
		if (!colon || strncmp(line, key, strlen(key)) != 0)
			continue;
		colon++;
		colon += strspn(colon, " \t");
		snprintf(ret_text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
		break;
	}
	fclose(file);
}

/* On AMD's processors sysconf() returns the sum over the processor as it was built. A virtual
 * machine may have only some of its cores, so the files of the used CPUs come first. */
uint64_t os_last_cache_bytes(void)
{
	bool used[CPU_CACHES_MAX_CPUS] = {false};
	uint64_t bytes = 0;
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
		for (size_t i = 0; i < CPU_SETSIZE && i < CPU_CACHES_MAX_CPUS; i++)
			used[i] = CPU_ISSET(i, &cpus);
		bytes = cpu_caches_last_bytes("/sys", used, CPU_CACHES_MAX_CPUS);
	}
#ifdef _SC_LEVEL3_CACHE_SIZE /* glibc */
	long reported = sysconf(_SC_LEVEL3_CACHE_SIZE);

	if (bytes == 0 && reported > 0)
		bytes = (uint64_t)reported;
#endif
	return bytes;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Entry of an open file. linkat() on it gives the file a name (open(2), O_TMPFILE). */
#define ENTRY_FORMAT "/proc/self/fd/%d"

int os_nameless_open(int folder, const char *path)
{
	int file = openat(folder, path, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char entry[OS_MEMORY_PATH_BYTES];
	struct stat info;

	snprintf(entry, sizeof entry, ENTRY_FORMAT, file);
	if (file >= 0 && stat(entry, &info) != 0) {
		close(file);
		file = -1;
	}
	return file;
}

bool os_nameless_link(int file, int folder, const char *path)
{
	char entry[OS_MEMORY_PATH_BYTES];

	snprintf(entry, sizeof entry, ENTRY_FORMAT, file);
	return linkat(AT_FDCWD, entry, folder, path, AT_SYMLINK_FOLLOW) == 0;
}

int os_memory_file(const char *name, char ret_path[OS_MEMORY_PATH_BYTES])
{
	int file = memfd_create(name, 0);

	snprintf(ret_path, OS_MEMORY_PATH_BYTES, ENTRY_FORMAT, file);
	return file;
}

/* ---- Pipes and sockets ----------------------------------------------------------------------- */

bool os_pipe(int ret_ends[2])
{
	return pipe2(ret_ends, O_CLOEXEC) == 0;
}

bool os_message_pair(int ret_ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret_ends) == 0;
}

int os_wait_readable(int fd, int wait_ms, const sigset_t *mask)
{
	struct pollfd source = {.fd = fd, .events = POLLIN};
	const struct timespec limit = {wait_ms / 1000, wait_ms % 1000 * 1000000L};

	return ppoll(&source, 1, &limit, mask);
}
