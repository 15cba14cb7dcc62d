#include "host/record/provenance.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "host/io/os.h"
#include "host/record/identity.h"
#include "host/record/version.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void set_host(struct host_record *host)
{
	char cpu[256];
	struct utsname system;

	os_processor_name(cpu, sizeof cpu);
	if (uname(&system) != 0)
		memset(&system, 0, sizeof system);
	host->record.present = true;
	text_set(&host->cpu, cpu);
	host->cores = sysconf(_SC_NPROCESSORS_ONLN);
	host->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	text_set(&host->system, system.sysname);
	text_set(&host->kernel, system.release);
	text_set(&host->machine, system.machine);
}

/* Makes an anonymous identity of this machine: 16 hex digits, equal in all runs. */
static void identify_host(char ret_id[17])
{
	char text[256] = "";
	FILE *file = fopen("/etc/machine-id", "r");

	if (file) {
		if (!fgets(text, sizeof text, file))
			text[0] = '\0';
		fclose(file);
	}
	if (!text[0] && gethostname(text, sizeof text - 1) != 0)
		snprintf(text, sizeof text, "unknown");
	/* The salt prevents a comparison with hashes of the machine-id from other programs. */
	char salted[sizeof text + 8];
	snprintf(salted, sizeof salted, "pmpp %s", text);
	char *digest = text_digest(salted, 16);
	snprintf(ret_id, 17, "%s", text_or_empty(digest));
	free(digest);
}

void tool_record_set(struct tool_record *tool, int argc, char *const *argv)
{
	tool->record.present = true;
	text_set(&tool->name, "pmpp-run");
	text_set(&tool->version, PMPP_VERSION);
	text_set(&tool->git, PMPP_GIT);
	text_set(&tool->compiler, COMPILER);
	for (int i = 0; i < argc; i++)
		text_list_add(&tool->argv, argv[i]);
}

const char *tool_version_text(void)
{
	return "pmpp-run " PMPP_VERSION " (" PMPP_GIT "), " COMPILER;
}

void run_record_set(struct run_record *run, struct host_record *host)
{
	unsigned char random[16];
	char id[2 * sizeof random + 1];
	char host_id[17];
	char started[32];
	time_t now = time(NULL);
	struct tm utc;

	if (getentropy(random, sizeof random) != 0)
		memset(random, 0, sizeof random);
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(id + 2 * i, 3, "%02x", random[i]);
	strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	identify_host(host_id);
	run->record.present = true;
	text_set(&run->id, id);
	text_set(&run->started_utc, started);
	text_set(&run->host_id, host_id);
	set_host(host);
}
