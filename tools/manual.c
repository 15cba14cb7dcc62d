/*
 * The man page of pmpp-run and its completions for shells, made from the tables of host/cli:
 *
 *     manual man                     writes the man page to stdout
 *     manual completion SCRIPT       writes a completion: SCRIPT, in which the tables replace the
 *                                    line "# TABLES"
 *
 * The build runs it; `meson install` installs what it writes.
 */
#include "tools/manual.h"

#include "host/record/shipped.h"

#include <stdlib.h>
#include <string.h>

static int put_completion(const char *path)
{
	char line[1000];
	FILE *script = fopen(path, "r");

	if (!script) {
		perror(path);
		return 1;
	}
	while (fgets(line, sizeof line, script))
		if (strcmp(line, "# TABLES\n") == 0)
			completion_functions_put(stdout);
		else
			fputs(line, stdout);
	bool failed = ferror(script);
	fclose(script);
	return failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	/* The files have the devices of the source tree. */
	unsetenv(SHIPPED_VARIABLE);
	if (argc == 2 && strcmp(argv[1], "man") == 0) {
		man_page_put(stdout);
	} else if (argc == 3 && strcmp(argv[1], "completion") == 0) {
		failed = put_completion(argv[2]);
	} else {
		fputs("usage: manual man | manual completion SCRIPT\n", stderr);
		failed = 1;
	}
	return failed || fflush(stdout) != 0 || ferror(stdout);
}
