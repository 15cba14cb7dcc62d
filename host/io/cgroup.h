/*
 * Control groups of Linux, versions 1 and 2: finds the folder with the memory limits of this
 * process, and parses its files. Formats: cgroups(7) and proc(5); "Control Group v2" and "Memory
 * Resource Controller" in the kernel's documentation. The functions only parse texts; none reads a
 * file.
 */
#ifndef PMPP_HOST_IO_CGROUP_H
#define PMPP_HOST_IO_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGROUP_PATH_BYTES 1024

enum cgroup_version {
	CGROUP_V1,
	CGROUP_V2,
	CGROUP_VERSION_COUNT
};

/* The files of one version. */
struct cgroup_files {
	const char *limit; /* bytes, or "max" */
	const char *usage; /* bytes, the page cache included */
	const char *stat;
	const char *reclaimable[2]; /* keys of `stat`: bytes of the page cache */
};

extern const struct cgroup_files cgroup_files[CGROUP_VERSION_COUNT];

/* The folder of this process is mount + path. This folder and each parent up to the mount have
 * limits of their own. */
struct cgroup_folder {
	char mount[CGROUP_PATH_BYTES];
	char path[CGROUP_PATH_BYTES]; /* below the mount: "" or "/a/b" */
};

/* Finds the folder with the memory limits. The texts are those of /proc/self/cgroup and
 * /proc/self/mountinfo. If the group is outside of the mount, as in a container, the folder is the
 * mount itself. Returns false if there is no such hierarchy, or if its path is too long. */
bool cgroup_find(enum cgroup_version version, const char *cgroups, const char *mounts,
	struct cgroup_folder *ret_folder);

/* Removes the last component of the path. Returns false if the path is "". */
bool cgroup_parent(struct cgroup_folder *folder);

/* Parses a file with one number of bytes, or "max" (UINT64_MAX). Returns false for any other text.
 */
bool cgroup_bytes(const char *text, uint64_t *ret_bytes);

/* Returns the value of a key in a file of lines "KEY BYTES"; 0 if the key is missing. */
uint64_t cgroup_stat(const char *text, const char *key);

#endif
