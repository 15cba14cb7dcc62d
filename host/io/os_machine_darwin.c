#include "host/io/os_machine.h"

#include <sys/sysctl.h>
#include <sys/types.h>
#include <unistd.h>

size_t os_usable_processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count < 1 ? 1 : (size_t)count;
}

void os_processor_name(char *ret_text, size_t size)
{
	if (sysctlbyname("machdep.cpu.brand_string", ret_text, &size, NULL, 0) != 0)
		ret_text[0] = '\0';
}

uint64_t os_last_cache_bytes(void)
{
	/* Processors of Apple have no third level. The second belongs to a cluster of cores. */
	static const char *const names[] = {"hw.l3cachesize", "hw.perflevel0.l2cachesize"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		uint64_t bytes = 0;
		size_t size = sizeof bytes;

		if (sysctlbyname(names[i], &bytes, &size, NULL, 0) == 0 && bytes > 0)
			return bytes;
	}
	return 0;
}
