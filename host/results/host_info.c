#include "host/results/host_info.h"

#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "host/results/version.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* Text after "KEY : " of the first such line of a /proc file; "" when there is none. */
static void proc_field(const char *path, const char *key, char *ret_text, size_t size)
{
	char line[512];
	FILE *file = fopen(path, "r");

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

json_t *host_info(void)
{
	char cpu[256];
	struct utsname system;
	json_int_t pages = sysconf(_SC_PHYS_PAGES);
	json_int_t page_bytes = sysconf(_SC_PAGESIZE);

	proc_field("/proc/cpuinfo", "model name", cpu, sizeof cpu);
	if (uname(&system) != 0)
		memset(&system, 0, sizeof system);
	return json_pack("{s:s, s:I, s:I, s:s, s:s, s:s}", "cpu", cpu, "cores",
		(json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "memory_bytes", pages * page_bytes,
		"system", system.sysname, "kernel", system.release, "machine", system.machine);
}

void host_id(char ret_id[17])
{
	char text[256] = "";
	char digest[SHA256_DIGEST_STRING_LENGTH];
	FILE *file = fopen("/etc/machine-id", "r");

	if (file) {
		if (!fgets(text, sizeof text, file))
			text[0] = '\0';
		fclose(file);
	}
	if (!text[0] && gethostname(text, sizeof text - 1) != 0)
		snprintf(text, sizeof text, "unknown");
	/* The salt keeps the machine-id itself from being compared with. */
	char salted[sizeof text + 8];
	snprintf(salted, sizeof salted, "pmpp %s", text);
	SHA256Data((const uint8_t *)salted, strlen(salted), digest);
	snprintf(ret_id, 17, "%.16s", digest);
}

json_t *tool_info(int argc, char *const *argv)
{
	json_t *words = json_array();

	for (int i = 0; i < argc; i++) {
		json_t *word = json_string(argv[i]);
		json_array_append_new(words, word ? word : json_string("(not UTF-8)"));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", "pmpp-run", "version", PMPP_VERSION,
		"git", PMPP_GIT, "compiler", COMPILER, "argv", words);
}

const char *tool_version_text(void)
{
	return "pmpp-run " PMPP_VERSION " (" PMPP_GIT "), " COMPILER;
}

json_t *run_info(void)
{
	unsigned char random[16];
	char id[2 * sizeof random + 1];
	char host[17];
	char started[32];
	time_t now = time(NULL);
	struct tm utc;

	if (getrandom(random, sizeof random, 0) != sizeof random)
		memset(random, 0, sizeof random);
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(id + 2 * i, 3, "%02x", random[i]);
	strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	host_id(host);
	return json_pack(
		"{s:s, s:s, s:s, s:n}", "id", id, "started_utc", started, "host_id", host, "label");
}
