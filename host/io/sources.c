#include "host/io/sources.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clean_text.h"
#include "host/io/atomic_file.h"

#define PATH_BYTES SOURCE_PATH_BYTES
#define SHOWN_BYTES 300

const char *sources_embedded(const char *path)
{
	for (size_t i = 0; i < embedded_file_count; i++)
		if (strcmp(embedded_files[i].path, path) == 0)
			return embedded_files[i].text;
	return NULL;
}

/* The name of a folder for a message, cut so that the rest of the message fits. */
static const char *shown(const char *root, char ret_text[SHOWN_BYTES])
{
	clean_text(root, strlen(root), CLEAN_LINE, ret_text, SHOWN_BYTES);
	return ret_text;
}

/* Removes a byte order mark, and the CR of each CR LF. */
static void make_plain(char *text)
{
	static const char mark[] = "\xef\xbb\xbf";
	const char *from = text + (strncmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0);
	char *to = text;

	for (; *from; from++)
		if (from[0] != '\r' || from[1] != '\n')
			*to++ = *from;
	*to = '\0';
}

/* Returns the text of a file, also of an empty one, without a byte order mark and with LF in place of CR LF;
 * the caller frees it. NULL: it cannot be read, or it contains a NUL byte; *ret_reason is set. */
static char *source_read(const char *path, const char **ret_reason)
{
	/* Without O_NONBLOCK, opening a pipe would wait for its writer. */
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	char *text = NULL;

	if (file < 0 || fstat(file, &info) != 0)
		*ret_reason = strerror(errno);
	else if (!S_ISREG(info.st_mode))
		*ret_reason = "it is not a file";
	else if (!(text = file_read_all(file, (size_t)info.st_size)))
		*ret_reason = strerror(errno);
	else if (strlen(text) != (size_t)info.st_size) {
		*ret_reason = "it is not text: it contains a NUL byte";
		free(text);
		text = NULL;
	} else {
		make_plain(text);
	}
	if (file >= 0)
		close(file);
	return text;
}

enum pmpp_status source_check_root(const char *root, struct pmpp_error *error)
{
	char name[SHOWN_BYTES];
	struct stat info;
	const char *reason = NULL;

	if (stat(root, &info) != 0)
		reason = strerror(errno);
	else if (!S_ISDIR(info.st_mode))
		reason = "it is not a folder";
	return reason ? PMPP_FAIL(error, PMPP_USAGE,
				"--kernel-dir=%s: %s: give the folder with cl_kernels and "
				"cuda_kernels",
				shown(root, name), reason)
		      : PMPP_OK;
}

enum pmpp_status source_load_file(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error)
{
	if (root) {
		const char *reason = "the path is too long";
		char full[PATH_BYTES], name[SHOWN_BYTES];
		char *read = NULL;
		if (snprintf(full, sizeof full, "%s/%s", root, path) < (int)sizeof full)
			read = source_read(full, &reason);
		if (read && !*read) {
			reason = "it is empty";
			free(read);
			read = NULL;
		}
		if (!read)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--kernel-dir=%s: cannot read the kernel file %s: %s",
				shown(root, name), path, reason);
		*ret_text = read;
		return PMPP_OK;
	}
	const char *text = sources_embedded(path);
	if (!text)
		return PMPP_FAIL(error, PMPP_INTERNAL, "no kernel file %s in this build", path);
	*ret_text = strdup(text);
	if (!*ret_text)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
	return PMPP_OK;
}

/* ---- Included files ------------------------------------------------------------------------- */

/* Included files of kernel sources. The program puts them into the text. So every compiler reads
 * the same files, and the key of the program cache depends on them. */

#define MAX_DEPTH 32   /* of included files */
#define MAX_FILES 4096 /* of one kernel; a file that is included twice counts twice */

/* ---- Lines --------------------------------------------------------------------------------- */

/* Returns the text after the word of a directive, "include" or "pragma", without leading blanks.
 * NULL for any other line. */
static const char *after_directive(const char *line, const char *word)
{
	line += strspn(line, " \t");
	if (*line != '#')
		return NULL;
	line += 1 + strspn(line + 1, " \t");
	if (strncmp(line, word, strlen(word)) != 0)
		return NULL;
	line += strlen(word);
	return line + strspn(line, " \t");
}

/* Returns the length of the name in a line `#include "name"`, and its start; 0 for any other
 * line. */
static size_t included_name(const char *line, const char **ret_name)
{
	const char *name = after_directive(line, "include");
	size_t length;

	if (!name || *name != '"')
		return 0;
	name++;
	length = strcspn(name, "\"\n");
	*ret_name = name;
	return name[length] == '"' && length < PATH_BYTES ? length : 0;
}

static bool is_pragma_once(const char *line)
{
	const char *rest = after_directive(line, "pragma");

	return rest && strncmp(rest, "once", 4) == 0 && !isalnum((unsigned char)rest[4]) &&
	       rest[4] != '_';
}

/* Returns the end of the line, after its newline. *in_comment: whether a comment is open at its
 * start; is set to whether one is open at its end. */
static const char *end_of_line(const char *at, bool *in_comment)
{
	char quote = '\0';

	for (; *at && *at != '\n'; at++) {
		if (*in_comment) {
			*in_comment = at[0] != '*' || at[1] != '/';
			at += !*in_comment;
		} else if (quote) {
			at += at[0] == '\\' && at[1] && at[1] != '\n';
			quote = *at == quote ? '\0' : quote;
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if (at[0] == '/' && at[1] == '/') {
			at += strcspn(at, "\n");
			break;
		} else if (at[0] == '/' && at[1] == '*') {
			*in_comment = true;
			at++;
		}
	}
	return at + (*at == '\n');
}

/* Returns the first '#' of a line in any spelling; NULL if there is none. */
static const char *find_hash(const char *line, size_t length)
{
	const char *hash = memchr(line, '#', length);

	if (!hash)
		hash = memmem(line, length, "%:", 2);
	return hash ? hash : memmem(line, length, "?\?=", 3);
}

/* Whether the word of a directive continues after a comment or on the next line. */
static bool is_cut(const char *hash, const char *end)
{
	while (++hash < end && (isalpha((unsigned char)*hash) || isblank((unsigned char)*hash)))
		;
	return hash < end && (*hash == '\\' || *hash == '/' || strncmp(hash, "?\?/", 3) == 0);
}

/* Returns by how much a line changes the number of open #if blocks. A line that is not clear opens
 * a block. plain: the line begins neither in a comment nor after a backslash. */
static int opened_blocks(const char *line, const char *end, bool plain)
{
	const char *word = plain ? after_directive(line, "") : NULL;
	size_t length = (size_t)(end - line), letters = 0;

	if (!word) {
		const char *hash = find_hash(line, length);
		return hash && (memmem(line, length, "if", 2) || is_cut(hash, end));
	}
	while (isalpha((unsigned char)word[letters]))
		letters++;
	if (letters == 5 && strncmp(word, "endif", 5) == 0 && strchr(" \t\r\n/", word[5]))
		return -1;
	return letters == 0 || strncmp(word, "if", 2) == 0 || word[letters] == '\\' ||
	       word[letters] == '?';
}

/* ---- Files --------------------------------------------------------------------------------- */

/* A file whose text is being written. */
struct open_file {
	const char *path; /* relative to the root; absolute if its name is absolute */
	const char *real; /* its place on the disk; equal to path for an embedded file */
	const struct open_file *includer;
	size_t depth;
};

struct expansion {
	const char *root;
	const char *kernel; /* path of the kernel's file */
	FILE *out;
	size_t files;
	int blocks; /* #if blocks that are open */
	/* once_name() of the files whose text is certainly active: outside of #if blocks. */
	unsigned long long once[MAX_FILES];
	size_t once_count;
	struct pmpp_error *error;
};

static enum pmpp_status write_text(
	struct expansion *expansion, const struct open_file *file, const char *text);

/* The name of a file for #line: without the first folder, cl_kernels or cuda_kernels. */
static const char *line_name(const char *path)
{
	const char *slash = *path == '/' ? NULL : strchr(path, '/');

	return slash ? slash + 1 : path;
}

void source_clean_name(char *name)
{
	while ((name = strpbrk(name, "\"\\")))
		*name = '_';
}

static void put_line_directive(FILE *out, int number, const char *path)
{
	char name[PATH_BYTES];

	snprintf(name, sizeof name, "%s", line_name(path));
	source_clean_name(name);
	fprintf(out, "#line %d \"%s\"\n", number, name);
}

/* Writes root/path, or path if it is absolute. Returns false if there is no such file. */
static bool find_on_disk(const char *root, const char *path, char ret_full[PATH_BYTES])
{
	bool absolute = *path == '/';
	struct stat info;

	if (!root && !absolute)
		return false;
	int length = snprintf(
		ret_full, PATH_BYTES, "%s%s%s", absolute ? "" : root, absolute ? "" : "/", path);
	return length < PATH_BYTES && stat(ret_full, &info) == 0;
}

/* Finds an included file. Writes its path, and its place on the disk; "" = it is embedded. Returns
 * false if there is no such file. */
static bool find(const struct expansion *expansion, const struct open_file *includer,
	const char *name, char ret_path[PATH_BYTES], char ret_full[PATH_BYTES])
{
	const char *slash = strrchr(includer->path, '/');
	int folder = slash ? (int)(slash + 1 - includer->path) : 0;
	int length = snprintf(
		ret_path, PATH_BYTES, "%.*s%s", *name == '/' ? 0 : folder, includer->path, name);

	if (length < PATH_BYTES && find_on_disk(expansion->root, ret_path, ret_full))
		return true;
	snprintf(ret_path, PATH_BYTES, "%s", name);
	if (find_on_disk(expansion->root, ret_path, ret_full))
		return true;
	slash = strrchr(expansion->kernel, '/');
	folder = slash ? (int)(slash + 1 - expansion->kernel) : 0;
	length = snprintf(ret_path, PATH_BYTES, "%.*s%s", folder, expansion->kernel, name);
	ret_full[0] = '\0';
	return length < PATH_BYTES && sources_embedded(ret_path);
}

/* Loads a file that find() has found. Returns NULL after an error. */
static char *load(struct expansion *expansion, const char *path, const char *full)
{
	const char *reason = "out of host memory";
	char *text = *full ? source_read(full, &reason) : strdup(sources_embedded(path));

	if (!text)
		PMPP_FAIL(expansion->error, *full ? PMPP_USAGE : PMPP_OUT_OF_MEMORY,
			"%s: cannot read the included file %s: %s", line_name(expansion->kernel),
			path, reason);
	return text;
}

/* An open file is not written again: its guard makes the second copy empty. */
static bool is_open(const struct open_file *file, const char *real)
{
	for (; file; file = file->includer)
		if (strcmp(file->real, real) == 0)
			return true;
	return false;
}

static bool has_pragma_once(const char *text)
{
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (is_pragma_once(at))
			return true;
	return false;
}

/* The name of the macro that replaces `#pragma once`, which has no effect inside a file: FNV-1a of
 * the file's place. */
static unsigned long long once_name(const char *real)
{
	unsigned long long hash = 0xcbf29ce484222325;

	for (; *real; real++)
		hash = (hash ^ (unsigned char)*real) * 0x100000001b3;
	return hash;
}

static bool is_written(const struct expansion *expansion, const char *real)
{
	unsigned long long name = once_name(real);

	for (size_t i = 0; i < expansion->once_count; i++)
		if (expansion->once[i] == name)
			return true;
	return false;
}

static enum pmpp_status write_file(
	struct expansion *expansion, const struct open_file *file, const char *full)
{
	bool active = expansion->blocks == 0;
	char *text;
	enum pmpp_status status;

	if (file->depth > MAX_DEPTH || ++expansion->files > MAX_FILES)
		return PMPP_FAIL(expansion->error, PMPP_USAGE,
			"%s: too many included files (%s): at most %d, nested at most %d deep%s",
			line_name(expansion->kernel), file->path, MAX_FILES, MAX_DEPTH,
			expansion->files > MAX_FILES ? "; write #pragma once into files that are "
						       "included more than once"
						     : "");
	text = load(expansion, file->path, full);
	if (!text)
		return expansion->error->status;
	bool once = has_pragma_once(text);
	if (once)
		fprintf(expansion->out, "#ifndef PMPP_ONCE_%llx\n#define PMPP_ONCE_%llx\n",
			once_name(file->real), once_name(file->real));
	put_line_directive(expansion->out, 1, file->path);
	status = write_text(expansion, file, text);
	/* The next directive must begin on a new line. */
	if (*text && text[strlen(text) - 1] != '\n')
		fputc('\n', expansion->out);
	if (once)
		fputs("#endif\n", expansion->out);
	if (once && active)
		expansion->once[expansion->once_count++] = once_name(file->real);
	free(text);
	return status;
}

/* A line `#include "name"` */
struct include_line {
	const char *begin, *end; /* end: after its newline */
	const char *name;
	size_t name_length;
	int next; /* number of the next line */
};

/* Writes the file that a line includes, or the line if there is no such file. */
static enum pmpp_status write_included(
	struct expansion *expansion, const struct open_file *file, const struct include_line *line)
{
	char name[PATH_BYTES];
	char path[PATH_BYTES], full[PATH_BYTES];
	enum pmpp_status status = PMPP_OK;

	snprintf(name, sizeof name, "%.*s", (int)line->name_length, line->name);
	if (!find(expansion, file, name, path, full)) {
		fwrite(line->begin, 1, (size_t)(line->end - line->begin), expansion->out);
		return PMPP_OK;
	}
	char *real = *full ? realpath(full, NULL) : strdup(path);
	if (!real)
		return PMPP_FAIL(expansion->error, PMPP_USAGE,
			"%s: cannot read the included file %s", line_name(expansion->kernel), path);
	if (!is_open(file, real) && !is_written(expansion, real)) {
		const struct open_file included = {path, real, file, file->depth + 1};
		status = write_file(expansion, &included, full);
	}
	free(real);
	put_line_directive(expansion->out, line->next, file->path);
	return status;
}

static enum pmpp_status write_text(
	struct expansion *expansion, const struct open_file *file, const char *text)
{
	enum pmpp_status status = PMPP_OK;
	bool in_comment = false;
	int number = 1;

	for (const char *at = text; *at && status == PMPP_OK; number++) {
		struct include_line include = {.begin = at, .next = number + 1};
		bool plain = !in_comment && !(at > text + 1 && at[-2] == '\\');
		bool once = !in_comment && file->includer && is_pragma_once(at);

		if (!in_comment)
			include.name_length = included_name(at, &include.name);
		include.end = end_of_line(at, &in_comment);
		if (include.name_length > 0)
			status = write_included(expansion, file, &include);
		else if (once)
			fputc('\n', expansion->out);
		else
			fwrite(at, 1, (size_t)(include.end - at), expansion->out);
		int opened = opened_blocks(at, include.end, plain);
		if (expansion->blocks + opened >= 0)
			expansion->blocks += opened;
		at = include.end;
	}
	return status;
}

/* root, path, errors: as source_load(). The caller frees *ret_text. */
static enum pmpp_status expand(const char *root, const char *path, const char *text,
	char **ret_text, struct pmpp_error *error)
{
	char *expanded = NULL;
	size_t size;
	char full[PATH_BYTES];
	char *real = find_on_disk(root, path, full) ? realpath(full, NULL) : NULL;
	struct expansion expansion = {.root = root, .kernel = path, .error = error};
	const struct open_file file = {path, real ? real : path, NULL, 0};
	enum pmpp_status status = PMPP_OK;

	expansion.out = open_memstream(&expanded, &size);
	if (expansion.out)
		status = write_text(&expansion, &file, text);
	free(real);
	if (!expansion.out || fclose(expansion.out) != 0 || !expanded) {
		free(expanded);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", path);
	}
	if (status == PMPP_OK)
		*ret_text = expanded;
	else
		free(expanded);
	return status;
}

enum pmpp_status source_load(
	const char *root, const char *path, char **ret_text, struct pmpp_error *error)
{
	char *text = NULL;
	enum pmpp_status status = source_load_file(root, path, &text, error);

	if (status != PMPP_OK)
		return status;
	status = expand(root, path, text, ret_text, error);
	free(text);
	return status;
}

/* ---- Texts for the cache ------------------------------------------------------------------- */

static bool has_word(const char *line, size_t length)
{
	static const char *const words[] = {"include", "import", "embed"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(line, length, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Whether the line is `#line N "name"` and nothing else. source_load() writes such lines. */
static bool is_line_directive(const char *line)
{
	const char *rest = after_directive(line, "line");
	size_t digits = rest ? strspn(rest, "0123456789") : 0;

	if (digits == 0)
		return false;
	rest += digits;
	rest += strspn(rest, " \t");
	if (*rest != '"')
		return false;
	rest += 1 + strcspn(rest + 1, "\"\r\n");
	return *rest == '"' && (rest[1] == '\n' || !rest[1]);
}

bool source_reads_files(const char *text, bool except_system)
{
	for (const char *at = text; *at; at += *at == '\n') {
		size_t length = strcspn(at, "\n");
		const char *system = except_system ? after_directive(at, "include") : NULL;
		const char *hash = find_hash(at, length);

		if (hash && !(system && *system == '<') && !is_line_directive(at) &&
			(has_word(at, length) || is_cut(hash, at + length)))
			return true;
		at += length;
	}
	return false;
}
