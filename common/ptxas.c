#include "common/ptxas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number before the first `unit` in [begin, end); -1 if there is none. */
static int64_t number_before(const char *begin, const char *end, const char *unit)
{
	const char *found = memmem(begin, (size_t)(end - begin), unit, strlen(unit));
	const char *digits = found;

	while (digits && digits > begin && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	return digits && digits < found ? strtoll(digits, NULL, 10) : -1;
}

/*
 * The part of a kernel begins with its name and ends where the part of the next kernel begins. The
 * figures of functions that the kernel calls are last, so the first figures are the kernel's:
 *
 *   ptxas info    : Compiling entry function 'tiled' for 'sm_90'
 *   ptxas info    : Function properties for tiled
 *       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *   ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem
 */
bool ptxas_report(const char *log, const char *entry, struct ptxas_report *ret_report)
{
	static const char heading[] = "Compiling entry function '";
	char name[256];
	size_t length = (size_t)snprintf(name, sizeof name, "%s%s'", heading, entry);
	const char *begin = length < sizeof name ? strstr(log, name) : NULL;

	if (!begin)
		return false;
	begin += length;
	const char *end = strstr(begin, heading);
	end = end ? end : begin + strlen(begin);
	const char *used = memmem(begin, (size_t)(end - begin), "Used ", strlen("Used "));
	if (!used)
		return false;
	const char *line_end = memchr(used, '\n', (size_t)(end - used));
	line_end = line_end ? line_end : end;
	int64_t registers = number_before(used, line_end, " registers");
	int64_t shared = number_before(used, line_end, " bytes smem");
	int64_t stack = number_before(begin, end, " bytes stack frame");
	if (registers < 0)
		return false;
	*ret_report = (struct ptxas_report){.registers = (int)registers,
		.shared_bytes = shared < 0 ? 0 : shared, /* the log omits 0 bytes */
		.stack_bytes = stack < 0 ? 0 : stack};
	return true;
}
