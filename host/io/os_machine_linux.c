#include "host/io/os_machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

size_t os_usable_processors(void)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
		return 1;
	int count = CPU_COUNT(&cpus);
	return count < 1 ? 1 : (size_t)count;
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

uint64_t os_last_cache_bytes(void)
{
#ifdef _SC_LEVEL3_CACHE_SIZE /* glibc */
	long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);

	return bytes > 0 ? (uint64_t)bytes : 0;
#else
	return 0;
#endif
}
