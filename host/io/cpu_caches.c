#include "host/io/os_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

uint64_t cpu_caches_last_bytes(const char *root, const bool *used, size_t count)
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
