/*
 * Control groups of Linux, versions 1 and 2: where the memory limits of this process are, and what
 * their files say. Formats: cgroups(7) and proc(5); "Control Group v2" and "Memory Resource
 * Controller" in the kernel's documentation. Only parsers: nothing here reads a file.
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

/* The folder of this process is mount + path. Each folder from there up to the mount has limits of
 * its own. */
struct cgroup_folder {
	char mount[CGROUP_PATH_BYTES];
	char path[CGROUP_PATH_BYTES]; /* below the mount: "" or "/a/b" */
};

/* Finds the folder with the memory limits. The texts are those of /proc/self/cgroup and
 * /proc/self/mountinfo. A group outside of the mount, as in a container, is the mount itself.
 * false: there is no such hierarchy, or its path is too long. */
bool cgroup_find(enum cgroup_version version, const char *cgroups, const char *mounts,
	struct cgroup_folder *ret_folder);

/* Removes the last component of the path. false: the path is "". */
bool cgroup_parent(struct cgroup_folder *folder);

/* A file with one number of bytes, or "max" (UINT64_MAX). false for any other text. */
bool cgroup_bytes(const char *text, uint64_t *ret_bytes);

/* The value of a key in a file of lines "KEY BYTES"; 0 where the file does not have the key. */
uint64_t cgroup_stat(const char *text, const char *key);

#endif
