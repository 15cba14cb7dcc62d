/* Memory that this process can allocate: control groups of both versions, limits of the process. */
#include "host/io/host_memory.c"
#include "tests/support/test.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Folders of control groups ------------------------------------------------------------- */

#define MOUNT_V1 \
	"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
#define MOUNT_CPU "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
#define MOUNT_V2 "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"

static const struct folder_row {
	const char *name;
	enum cgroup_version version;
	const char *cgroups, *mounts;
	const char *mount, *path; /* mount NULL: there is none */
} folder_rows[] = {
	{"v2", CGROUP_V2, "0::/user.slice/job\n", MOUNT_V2, "/sys/fs/cgroup", "/user.slice/job"},
	{"v2: the root group", CGROUP_V2, "0::/\n", MOUNT_V2, "/sys/fs/cgroup", ""},
	{"v2: no newline at the end", CGROUP_V2, "0::/a", MOUNT_V2, "/sys/fs/cgroup", "/a"},
	{"v2: a colon in the path", CGROUP_V2, "0::/a:b/c\n", MOUNT_V2, "/sys/fs/cgroup", "/a:b/c"},
	{"v2: outside of the name space", CGROUP_V2, "0::/../other\n", MOUNT_V2, "/sys/fs/cgroup",
		""},
	{"v2: above the name space", CGROUP_V2, "0::/..\n", MOUNT_V2, "/sys/fs/cgroup", ""},
	{"v2: a part of the tree is mounted", CGROUP_V2, "0::/docker/1f/job\n",
		"29 23 0:26 /docker/1f /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "/sys/fs/cgroup",
		"/job"},
	{"v2: the mounted part is the group", CGROUP_V2, "0::/docker/1f\n",
		"29 23 0:26 /docker/1f /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "/sys/fs/cgroup",
		""},
	{"v2: another part is mounted", CGROUP_V2, "0::/docker/1fa\n",
		"29 23 0:26 /docker/1f /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "/sys/fs/cgroup",
		""},
	{"v2: a blank in the mount", CGROUP_V2, "0::/a\n",
		"29 23 0:26 / /my\\040groups rw - cgroup2 none rw\n", "/my groups", "/a"},
	{"v2: hybrid", CGROUP_V2, "4:memory:/job\n0::/slice\n",
		MOUNT_V1 "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
		"/sys/fs/cgroup/unified", "/slice"},
	{"v2: only v1 is there", CGROUP_V2, "4:memory:/job\n", MOUNT_V1},
	{"v2: not mounted", CGROUP_V2, "0::/job\n", MOUNT_V1},
	{"v1", CGROUP_V1, "5:devices:/\n4:memory:/job/a\n3:cpu:/x\n", MOUNT_CPU MOUNT_V1,
		"/sys/fs/cgroup/memory", "/job/a"},
	{"v1: several controllers", CGROUP_V1, "4:cpu,memory,pids:/job\n",
		"35 31 0:32 / /cg rw - cgroup none rw,cpu,memory,pids\n", "/cg", "/job"},
	{"v1: another controller's name", CGROUP_V1, "4:memory2:/job\n", MOUNT_V1},
	{"v1: named hierarchies", CGROUP_V1, "9:name=systemd:/init\n4:memory:/\n", MOUNT_V1,
		"/sys/fs/cgroup/memory", ""},
	{"v1: not mounted", CGROUP_V1, "4:memory:/job\n", MOUNT_CPU},
	{"v1: only v2 is there", CGROUP_V1, "0::/job\n", MOUNT_V2},
	{"no control groups", CGROUP_V2, "", "23 1 8:1 / / rw - ext4 /dev/sda1 rw\n"},
	{"lines that are cut short", CGROUP_V2, "0\n0:\n0::/a\n", "29 23\n\n29 23 0:26 / /c\n"},
};

TEST_ROWS(folder, folder_rows, "folder: %s", row->name)
{
	struct cgroup_folder found = {.mount = "untouched"};
	bool is_there = cgroup_find(row->version, row->cgroups, row->mounts, &found);

	EQUAL(is_there, row->mount != NULL);
	STRING(found.mount, row->mount ? row->mount : "untouched");
	if (row->mount)
		STRING(found.path, row->path);
}

TEST(too_long, "folder: a path that is too long")
{
	static char cgroups[2 * CGROUP_PATH_BYTES];
	struct cgroup_folder found;

	memset(cgroups, 'a', sizeof cgroups - 1);
	memcpy(cgroups, "0::/", 4);
	NOT(cgroup_find(CGROUP_V2, cgroups, MOUNT_V2, &found));
}

static const struct bytes_row {
	const char *text;
	bool valid;
	uint64_t want;
} bytes_rows[] = {
	{"max\n", true, UINT64_MAX},
	{"max", true, UINT64_MAX},
	{"0\n", true, 0},
	{"268435456\n", true, 268435456},
	{"9223372036854771712\n", true, 9223372036854771712u},
	{"", false, 0},
	{"\n", false, 0},
	{"-1\n", false, 0},
	{"maximum\n", false, 0},
	{"12 kB\n", false, 0},
	{"99999999999999999999999\n", false, 0},
};

TEST_ROWS(bytes, bytes_rows, "bytes: '%.*s'", (int)strcspn(row->text, "\n"), row->text)
{
	uint64_t got = 0;

	CHECK(EQUAL(cgroup_bytes(row->text, &got), row->valid), IS(got == row->want));
}

/* ---- Free memory -------------------------------------------------------------------------- */

#define MEMINFO "MemTotal:  1000000 kB\nMemFree:  100 kB\nMemAvailable:  600000 kB\n"
#define CG "/sys/fs/cgroup"

struct file {
	const char *path, *text;
};

/* The machine has 1024 MB of memory; 614.4 MB are available. */
static const struct memory_row {
	const char *name;
	const char *cgroup, *mounts; /* texts of files of this process; NULL: none */
	struct file files[6];
	uint64_t total, available;
} memory_rows[] = {
	{"no control groups", NULL, NULL, {{0}}, 1024000000, 614400000},
	{"v2: max", "0::/a\n", MOUNT_V2,
		{{CG "/a/memory.max", "max\n"}, {CG "/a/memory.current", "1000000\n"}}, 1024000000,
		614400000},
	{"v2: a limit", "0::/a\n", MOUNT_V2,
		{{CG "/a/memory.max", "300000000\n"}, {CG "/a/memory.current", "100000000\n"}},
		300000000, 200000000},
	{"v2: page cache can be reclaimed", "0::/a\n", MOUNT_V2,
		{{CG "/a/memory.max", "300000000\n"}, {CG "/a/memory.current", "290000000\n"},
			{CG "/a/memory.stat", "anon 7\ninactive_file 50000000\n"
					      "active_file 30000000\nfile 9\n"}},
		300000000, 90000000},
	{"v2: the parent's limit is smaller", "0::/p/a\n", MOUNT_V2,
		{{CG "/p/a/memory.max", "500000000\n"}, {CG "/p/a/memory.current", "1000000\n"},
			{CG "/p/memory.max", "400000000\n"},
			{CG "/p/memory.current", "350000000\n"}},
		400000000, 50000000},
	{"v2: the container's limit is at the mount", "0::/\n", MOUNT_V2,
		{{CG "/memory.max", "200000000\n"}, {CG "/memory.current", "50000000\n"}},
		200000000, 150000000},
	{"v2: more in use than allowed", "0::/a\n", MOUNT_V2,
		{{CG "/a/memory.max", "100\n"}, {CG "/a/memory.current", "200\n"}}, 100, 0},
	{"v2: a larger limit than the machine", "0::/a\n", MOUNT_V2,
		{{CG "/a/memory.max", "9000000000\n"}, {CG "/a/memory.current", "100\n"}},
		1024000000, 614400000},
	{"v1: a limit", "4:memory:/j\n", MOUNT_V1,
		{{CG "/memory/j/memory.limit_in_bytes", "300000000\n"},
			{CG "/memory/j/memory.usage_in_bytes", "250000000\n"},
			{CG "/memory/j/memory.stat",
				"inactive_file 1\ntotal_inactive_file 10000000\n"}},
		300000000, 60000000},
	{"v1: none", "4:memory:/j\n", MOUNT_V1,
		{{CG "/memory/j/memory.limit_in_bytes", "9223372036854771712\n"},
			{CG "/memory/j/memory.usage_in_bytes", "250000000\n"}},
		1024000000, 614400000},
	{"v1: the group is not in this mount", "4:memory:/host/j\n", MOUNT_V1,
		{{CG "/memory/memory.limit_in_bytes", "100000000\n"},
			{CG "/memory/memory.usage_in_bytes", "40000000\n"}},
		100000000, 60000000},
	{"hybrid: the limit is in v1", "4:memory:/j\n0::/s\n",
		MOUNT_V1 "41 31 0:38 / /u rw - cgroup2 cgroup2 rw\n",
		{{CG "/memory/j/memory.limit_in_bytes", "300000000\n"},
			{CG "/memory/j/memory.usage_in_bytes", "250000000\n"}},
		300000000, 50000000},
	{"invalid values are ignored", "0::/a\n", MOUNT_V2,
		{{CG "/a/memory.max", "\n"}, {CG "/a/memory.current", "x\n"}}, 1024000000,
		614400000},
};

TEST_ROWS(memory, memory_rows, "memory: %s", row->name)
{
	const char *root = test_folder();
	struct host_memory got;

	const struct file of_process[] = {{"/proc/meminfo", MEMINFO},
		{"/proc/self/cgroup", row->cgroup}, {"/proc/self/mountinfo", row->mounts}};
	for (size_t i = 0; i < (row->cgroup ? 3 : 1); i++)
		test_write_text(of_process[i].text, "%s%s", root, of_process[i].path);
	for (size_t i = 0; row->files[i].path; i++)
		test_write_text(row->files[i].text, "%s%s", root, row->files[i].path);
	read_below(root, &got);
	CHECK(IS(got.total_bytes == row->total), IS(got.available_bytes == row->available));
}

TEST(this_process, "this process")
{
	struct host_memory got;

	host_memory_read(&got);
	CHECK(IS(got.available_bytes > 0), IS(got.available_bytes <= got.total_bytes),
		IS(got.total_bytes <=
			(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE)));
}

#define ROOM_BYTES ((uint64_t)256 << 20)

/* Bytes of address space that this process uses (proc(5), statm). Sanitizers reserve more address
 * space than any machine has memory. */
static uint64_t used_bytes(void)
{
	unsigned long long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	CHECK(SOME(file), EQUAL(fscanf(file, "%llu", &pages), 1));
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Runs in a child process, because the limit cannot be raised again. */
TEST(limited_process, "a limit of address space")
{
	const rlim_t bytes = used_bytes() + ROOM_BYTES;
	const struct rlimit max = {bytes, bytes};
	int wait_status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		struct host_memory got;

		setrlimit(RLIMIT_AS, &max);
		host_memory_read(&got);
		_exit(got.total_bytes <= bytes && got.available_bytes <= ROOM_BYTES &&
					got.available_bytes > ROOM_BYTES / 2
				? 0
				: 1);
	}
	CHECK(IS(waitpid(pid, &wait_status, 0) == pid), EQUAL(wait_status, 0));
}
