#include "host/run/driver_text.h"

#include "host/record/record.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BYTES ((off_t)64 << 10)
#define LIMIT_BYTES ((off_t)1 << 20)

int driver_text_open(void)
{
	FILE *file = tmpfile();
	int fd;

	if (!file)
		return -1;
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
	fclose(file);
	/* The parent empties the file while the worker has it open. */
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

void driver_text_redirect(int fd)
{
	if (fd >= 0)
		dup2(fd, STDERR_FILENO);
}

/* Returns the end of the file without white space at its end; NULL: there is no text. */
static char *read_end(int fd)
{
	off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
	off_t begin = end > MAX_BYTES ? end - MAX_BYTES : 0;
	char *text = end > 0 ? malloc((size_t)(end - begin) + 1) : NULL;
	ssize_t length = text ? pread(fd, text, (size_t)(end - begin), begin) : 0;

	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	if (length <= 0) {
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

void driver_text_move(int fd, char **text)
{
	char *found = read_end(fd);

	/* A text that cannot be removed would be repeated with each row. */
	text_set(text, found && ftruncate(fd, 0) == 0 ? found : NULL);
	free(found);
}

void driver_text_limit(int fd)
{
	if (fd < 0 || lseek(fd, 0, SEEK_END) <= LIMIT_BYTES)
		return;
	char *text = read_end(fd);

	/* On a full disk the text is lost. */
	if (ftruncate(fd, 0) == 0 && text)
		dprintf(fd, "%s\n", text);
	free(text);
}

void driver_text_cause(int fd, char *target, size_t size)
{
	static const char note[] = "note:";
	char *text = read_end(fd);
	const char *cause = NULL;
	size_t length = 0;

	target[0] = '\0';
	for (const char *line = text; line && *line;) {
		size_t bytes = strcspn(line, "\n");

		if (bytes > 0 && strncmp(line, note, strlen(note)) != 0) {
			cause = line;
			length = bytes;
		}
		line += bytes + (line[bytes] == '\n');
	}
	if (cause)
		snprintf(target, size, "; %.*s", (int)length, cause);
	free(text);
}
