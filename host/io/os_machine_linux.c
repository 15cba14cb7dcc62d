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
