#include "host/io/host_memory.h"

#include "common/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CGROUP_PATH_BYTES 1024

enum cgroup_version {
	CGROUP_V1,
	CGROUP_V2,
	CGROUP_VERSION_COUNT
};

/* The folder of this process is mount + path. This folder and each parent up to the mount have
 * limits of their own. */
struct cgroup_folder {
	char mount[CGROUP_PATH_BYTES];
	char path[CGROUP_PATH_BYTES]; /* below the mount: "" or "/a/b" */
};

/* ---- Control groups ------------------------------------------------------------------------- */

/* Control groups of Linux, versions 1 and 2: finds the folder with the memory limits of this
 * process, and parses its files. Formats: cgroups(7) and proc(5); "Control Group v2" and "Memory
 * Resource Controller" in the kernel's documentation. The functions only parse texts; none reads a
 * file. */

/* The files of one version. */
struct cgroup_files {
	const char *limit; /* bytes, or "max" */
	const char *usage; /* bytes, the page cache included */
	const char *stat;
	const char *reclaimable[2]; /* keys of `stat`: bytes of the page cache */
};

static const struct cgroup_files cgroup_files[CGROUP_VERSION_COUNT] = {
	[CGROUP_V1] = {"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat",
		{"total_inactive_file", "total_active_file"}},
	[CGROUP_V2] = {"memory.max", "memory.current", "memory.stat",
		{"inactive_file", "active_file"}},
};

/* mountinfo writes blanks, tabs, newlines and backslashes as \OOO. */
static void unescape(char *text)
{
	char *target = text;

	while (*text)
		if (*text == '\\' && strspn(text + 1, "01234567") >= 3) {
			*target++ =
				(char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 4;
		} else {
			*target++ = *text++;
		}
	*target = '\0';
}

static bool copy_path(const char *path, char ret_path[CGROUP_PATH_BYTES])
{
	return snprintf(ret_path, CGROUP_PATH_BYTES, "%s", path) < CGROUP_PATH_BYTES;
}

/* Lines "ID:CONTROLLERS:PATH"; version 2 has "0::PATH". */
static bool find_group(enum cgroup_version version, char *cgroups, char *ret_path)
{
	for (char *line; (line = strsep(&cgroups, "\n"));) {
		const char *id = strsep(&line, ":");
		const char *controllers = strsep(&line, ":");

		if (line && (version == CGROUP_V2 ? strcmp(id, "0") == 0 && !*controllers
						  : text_has_item(controllers, ',', "memory")))
			return copy_path(line, ret_path);
	}
	return false;
}

/* Lines "ID PARENT MAJOR:MINOR ROOT MOUNT OPTIONS [FIELD...] - TYPE SOURCE SUPER_OPTIONS". */
static bool find_mount(enum cgroup_version version, char *mounts, char *ret_root, char *ret_mount)
{
	for (char *line; (line = strsep(&mounts, "\n"));) {
		char *fields[5], *field;

		for (size_t i = 0; i < 5; i++)
			fields[i] = strsep(&line, " ");
		while ((field = strsep(&line, " ")) && strcmp(field, "-") != 0)
			;
		const char *type = strsep(&line, " ");
		strsep(&line, " ");
		const char *options = strsep(&line, " ");
		bool found = options &&
			     (version == CGROUP_V2 ? strcmp(type, "cgroup2") == 0
						   : strcmp(type, "cgroup") == 0 &&
							     text_has_item(options, ',', "memory"));
		if (!found || !copy_path(fields[3], ret_root) || !copy_path(fields[4], ret_mount))
			continue;
		unescape(ret_root);
		unescape(ret_mount);
		return true;
	}
	return false;
}

/* The path of a group relative to the folder that is mounted; "" if the group is not below it. */
static const char *path_below(const char *group, const char *root)
{
	size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);

	if (strncmp(group, root, length) != 0 || (group[length] != '/' && group[length] != '\0'))
		return "";
	if (strstr(group, "/..") || strcmp(group, "/") == 0)
		return "";
	return group + length;
}

/* Finds the folder with the memory limits. The texts are those of /proc/self/cgroup and
 * /proc/self/mountinfo. If the group is outside of the mount, as in a container, the folder is the
 * mount itself. Returns false if there is no such hierarchy, or if its path is too long. */
static bool cgroup_find(enum cgroup_version version, const char *cgroups, const char *mounts,
	struct cgroup_folder *ret_folder)
{
	char group[CGROUP_PATH_BYTES];
	char root[CGROUP_PATH_BYTES];

	char *texts[] = {strdup(cgroups), strdup(mounts)};
	bool found = texts[0] && texts[1] && find_group(version, texts[0], group) &&
		     find_mount(version, texts[1], root, ret_folder->mount);

	free(texts[0]);
	free(texts[1]);
	if (found)
		copy_path(path_below(group, root), ret_folder->path);
	return found;
}

/* Removes the last component of the path. Returns false if the path is "". */
static bool cgroup_parent(struct cgroup_folder *folder)
{
	char *last = strrchr(folder->path, '/');

	if (!last)
		return false;
	*last = '\0';
	return true;
}

/* ---- Values -------------------------------------------------------------------------------- */

/* Parses a file with one number of bytes, or "max" (UINT64_MAX). Returns false for any other text.
 */
static bool cgroup_bytes(const char *text, uint64_t *ret_bytes)
{
	char *end;

	if (strcmp(text, "max") == 0 || strcmp(text, "max\n") == 0) {
		*ret_bytes = UINT64_MAX;
		return true;
	}
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno != 0 || (*end != '\0' && strcmp(end, "\n") != 0))
		return false;
	*ret_bytes = value;
	return true;
}

/* Returns the value of a key in a file of lines "KEY BYTES"; 0 if the key is missing. */
static uint64_t cgroup_stat(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *at = text; (at = strstr(at, key)); at += length)
		if ((at == text || at[-1] == '\n') && at[length] == ' ')
			return strtoull(at + length, NULL, 10);
	return 0;
}

/* ---- Files ---------------------------------------------------------------------------------- */

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

/* host_memory_read() with `root` before the path of each file. */
static void read_below(const char *root, struct host_memory *ret_memory)
{
	struct host_memory memory = machine(root);

	limit_by_groups(root, &memory);
	limit_by_process(root, &memory);
	*ret_memory = memory;
}

void host_memory_read(struct host_memory *ret_memory)
{
	read_below("", ret_memory);
}
