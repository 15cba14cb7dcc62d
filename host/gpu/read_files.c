#include "host/gpu/read_files.h"

#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef __APPLE__ /* other names than POSIX */
#define st_mtim st_mtimespec
#define st_ctim st_ctimespec
#endif

/* A list has a line "DIGEST PATH" for each file. */
#define DIGEST_LENGTH (SHA256_DIGEST_STRING_LENGTH - 1)

/* The time of a file is that of the last timer interrupt: up to 10 ms early. */
#define CLOCK_STEP_NS 10000000

const char *const read_files_variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", NULL};

static long long nanoseconds(const struct timespec *time)
{
	return time->tv_sec * 1000000000ll + time->tv_nsec;
}

static bool may_have_changed(const char *path, const struct timespec *start)
{
	long long limit = nanoseconds(start) - CLOCK_STEP_NS;
	struct stat info;

	return stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
	       nanoseconds(&info.st_mtim) >= limit || nanoseconds(&info.st_ctim) >= limit;
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	while (length > 0 && folder[length - 1] == '/')
		length--;
	return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* folders: separated by colons; relative to `private`, the compiler's folder. real: the place of
 * the path; a link in one of the folders may have another place. */
static bool is_in_folders(
	const char *folders, const char *path, const char *real, const char *private)
{
	char folder[4096];
	bool found = false;

	for (const char *at = folders; *at && !found; at += *at == ':') {
		int length = (int)strcspn(at, ":");
		snprintf(folder, sizeof folder, "%s%s%.*s", *at == '/' ? "" : private,
			*at == '/' ? "" : "/", length, at);
		char *place = realpath(folder, NULL);
		found = is_below(path, folder) || (place && is_below(real, place));
		free(place);
		at += length;
	}
	return found;
}

static bool may_be_hidden(const char *path, const char *real, const char *private)
{
	for (size_t i = 0; read_files_variables[i]; i++) {
		const char *folders = getenv(read_files_variables[i]);
		if (folders && is_in_folders(folders, path, real, private))
			return true;
	}
	return false;
}

/* Adds a file to the list. Returns false if its content is not known, or may be hidden later. */
static bool add(FILE *list, const char *path, const char *private, const struct timespec *start)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	char *real = realpath(path, NULL);
	bool known = real != NULL;

	if (known && !is_below(real, private)) {
		known = !strchr(real, '\n') && !may_be_hidden(path, real, private) &&
			SHA256File(real, digest) && !may_have_changed(real, start);
		if (known)
			fprintf(list, "%s %s\n", digest, real);
	}
	free(real);
	return known;
}

/* Reads the next name of a rule in the syntax of make: "\ " is a space, "$$" a dollar. Returns the
 * end of the name; NULL if there is none. */
static const char *next_name(const char *at, char *ret_name, size_t size)
{
	size_t used = 0;

	while (*at == ' ' || *at == '\n' || (at[0] == '\\' && at[1] == '\n'))
		at += at[0] == '\\' ? 2 : 1;
	if (!*at)
		return NULL;
	for (; *at && *at != ' ' && *at != '\n' && used + 1 < size; at++) {
		if (at[0] == '\\' && at[1] == '\n')
			break;
		if ((at[0] == '\\' && strchr(" #\\", at[1])) || (at[0] == '$' && at[1] == '$'))
			at++;
		ret_name[used++] = *at;
	}
	ret_name[used] = '\0';
	return at;
}

/* Adds the files of a dependency file. */
static bool add_all(FILE *list, FILE *depends, const char *folder, const char *private,
	const struct timespec *start)
{
	char *text = NULL;
	size_t room = 0;
	char name[4096], path[sizeof name + 512];
	bool known = getdelim(&text, &room, '\0', depends) > 0;
	const char *at = known ? strchr(text, ':') : NULL;

	known = at != NULL;
	for (at = known ? at + 1 : NULL; known && (at = next_name(at, name, sizeof name));) {
		snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : folder,
			*name == '/' ? "" : "/", name);
		known = add(list, path, private, start);
	}
	free(text);
	return known;
}

char *read_files_list(const char *folder, const char *name, const struct timespec *start)
{
	char path[512];
	char *private = realpath(folder, NULL);
	char *text = NULL;
	size_t size;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *depends = fopen(path, "re");
	FILE *list = open_memstream(&text, &size);
	bool known = private && depends && list && add_all(list, depends, folder, private, start);
	if (depends)
		fclose(depends);
	if (list && fclose(list) != 0)
		known = false;
	free(private);
	if (!known) {
		free(text);
		text = NULL;
	}
	return text;
}

bool read_files_unchanged(const char *list)
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	bool unchanged = true;

	while (unchanged && *list) {
		const char *end = list + strcspn(list, "\n");
		char *path = end - list > DIGEST_LENGTH
				     ? strndup(list + DIGEST_LENGTH + 1,
					       (size_t)(end - list) - DIGEST_LENGTH - 1)
				     : NULL;

		unchanged = path && SHA256File(path, digest) &&
			    strncmp(digest, list, DIGEST_LENGTH) == 0;
		free(path);
		list = end + (*end == '\n');
	}
	return unchanged;
}
