#include "host/io/host_memory.h"

#include "host/io/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PATH_BYTES (4 * CGROUP_PATH_BYTES)

/* Returns the text of the file root + path, which the caller frees; NULL if it cannot be read. */
static char *read_text(const char *root, const char *path)
{
	char full[PATH_BYTES];
	char *text = NULL;
	size_t size = 0;
	FILE *file;

	if (snprintf(full, sizeof full, "%s%s", root, path) >= (int)sizeof full)
		return NULL;
	file = fopen(full, "re");
	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

static void limit(struct host_memory *memory, uint64_t total, uint64_t used)
{
	uint64_t left = total > used ? total - used : 0;

	if (total < memory->total_bytes)
		memory->total_bytes = total;
	if (left < memory->available_bytes)
		memory->available_bytes = left;
}

/* ---- The machine --------------------------------------------------------------------------- */

/* Returns the value of a line "KEY: 123 kB" in bytes; 0 if the key is missing. */
static uint64_t meminfo_bytes(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoull(line + strlen(key), NULL, 10) * 1024 : 0;
}

static struct host_memory machine(const char *root)
{
	uint64_t physical = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct host_memory memory = {.total_bytes = physical, .available_bytes = physical};
	char *text = read_text(root, "/proc/meminfo");
	uint64_t total = text ? meminfo_bytes(text, "MemTotal:") : 0;
	uint64_t available = text ? meminfo_bytes(text, "MemAvailable:") : 0;

	if (total && available)
		memory = (struct host_memory){total, available < total ? available : total};
	free(text);
	return memory;
}

/* ---- Control groups ------------------------------------------------------------------------ */

static char *read_group_text(const char *root, const struct cgroup_folder *folder, const char *name)
{
	char path[3 * CGROUP_PATH_BYTES];

	snprintf(path, sizeof path, "%s%s/%s", folder->mount, folder->path, name);
	return read_text(root, path);
}

static void limit_by_group(const char *root, const struct cgroup_folder *folder,
	const struct cgroup_files *files, struct host_memory *memory)
{
	char *limit_text = read_group_text(root, folder, files->limit);
	char *usage_text = read_group_text(root, folder, files->usage);
	char *stat = read_group_text(root, folder, files->stat);
	uint64_t max = 0, used = 0, reclaimable = 0;

	for (size_t i = 0; i < 2 && stat; i++)
		reclaimable += cgroup_stat(stat, files->reclaimable[i]);
	if (limit_text && usage_text && cgroup_bytes(limit_text, &max) &&
		cgroup_bytes(usage_text, &used))
		limit(memory, max, used > reclaimable ? used - reclaimable : 0);
	free(limit_text);
	free(usage_text);
	free(stat);
}

static void limit_by_groups(const char *root, struct host_memory *memory)
{
	char *cgroups = read_text(root, "/proc/self/cgroup");
	char *mounts = read_text(root, "/proc/self/mountinfo");

	for (int v = 0; v < CGROUP_VERSION_COUNT && cgroups && mounts; v++) {
		struct cgroup_folder folder;

		if (!cgroup_find((enum cgroup_version)v, cgroups, mounts, &folder))
			continue;
		do
			limit_by_group(root, &folder, &cgroup_files[v], memory);
		while (cgroup_parent(&folder));
	}
	free(cgroups);
	free(mounts);
}

/* ---- Limits of the process ----------------------------------------------------------------- */

/* Fields of /proc/self/statm (proc(5)), in pages. */
static void limit_by_process(const char *root, struct host_memory *memory)
{
	static const struct {
		int resource;
		int field;
	} rows[] = {{RLIMIT_AS, 0}, {RLIMIT_DATA, 5}};
	unsigned long long pages[6] = {0};
	char *text = read_text(root, "/proc/self/statm");
	struct rlimit max;

	if (text)
		sscanf(text, "%llu %llu %llu %llu %llu %llu", &pages[0], &pages[1], &pages[2],
			&pages[3], &pages[4], &pages[5]);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (getrlimit(rows[i].resource, &max) == 0 && max.rlim_cur != RLIM_INFINITY)
			limit(memory, max.rlim_cur,
				pages[rows[i].field] * (uint64_t)sysconf(_SC_PAGESIZE));
	free(text);
}

void host_memory_read_below(const char *root, struct host_memory *ret_memory)
{
	struct host_memory memory = machine(root);

	limit_by_groups(root, &memory);
	limit_by_process(root, &memory);
	*ret_memory = memory;
}

void host_memory_read(struct host_memory *ret_memory)
{
	host_memory_read_below("", ret_memory);
}
