/*
 * Host memory that this process can allocate.
 */
#ifndef PMPP_HOST_IO_HOST_MEMORY_H
#define PMPP_HOST_IO_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Finds the folder with the memory limits. The texts are those of /proc/self/cgroup and
 * /proc/self/mountinfo. If the group is outside of the mount, as in a container, the folder is the
 * mount itself. Returns false if there is no such hierarchy, or if its path is too long. */
bool cgroup_find(enum cgroup_version version, const char *cgroups, const char *mounts,
	struct cgroup_folder *ret_folder);

/* Parses a file with one number of bytes, or "max" (UINT64_MAX). Returns false for any other text.
 */
bool cgroup_bytes(const char *text, uint64_t *ret_bytes);

struct host_memory {
	uint64_t total_bytes;     /* of the machine, or a smaller limit of this process */
	uint64_t available_bytes; /* can be allocated now; at most total_bytes */
};

/* Reads both figures. Each is the smallest of these limits:
 *   - the machine's memory (/proc/meminfo)
 *   - the control group of this process, and its parents
 *   - the address space and the data of this process (setrlimit())
 * Files that cannot be read are ignored. */
void host_memory_read(struct host_memory *ret_memory);

/* The same, with `root` before the path of each file. For tests. */
void host_memory_read_below(const char *root, struct host_memory *ret_memory);

#endif
