#include "host/suite/warnings.h"

#include "common/compiler_log.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NOTES 10

static bool is_known(const struct text_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], text) == 0)
			return true;
	return false;
}

static bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c);
}

static bool has_word(const char *begin, const char *end, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = begin; (at = memmem(at, (size_t)(end - at), word, length)); at++)
		if ((at == begin || !is_word(at[-1])) && !is_word(at[length]))
			return true;
	return false;
}

/* true: a statement that begins with __local (or local) declares the name. Parameter lists do not
 * count. */
static bool is_local(const char *source, const char *name)
{
	static const char mark[] = "local ";

	for (const char *at = source; (at = strstr(at, mark)); at += strlen(mark)) {
		const char *end = at + strcspn(at, ";{)");
		if (*end == ';' && has_word(at, end, name))
			return true;
	}
	return false;
}

/* Keeps the first warning of each kind. Returns false if there is no memory. */
static bool set_reasons(
	const struct compiler_warning *warning, const char *place, struct kernel_warnings *warnings)
{
	char **reason = warning->kind == WARNING_UNINITIALISED         ? &warnings->uninitialised
			: warning->kind == WARNING_MAYBE_UNINITIALISED ? &warnings->suspicion
								       : NULL;

	if (!reason || *reason)
		return true;
	if (reason == &warnings->uninitialised)
		text_format(reason, "uninitialised: \"%s\" is used before its value is set (%s)",
			warning->name, place);
	else
		text_format(reason, "perhaps uninitialised: \"%s\" (%s)", warning->name, place);
	return *reason != NULL;
}

bool kernel_warnings_read(const struct gpu_program *program, const char *name, const char *source,
	struct kernel_warnings *warnings)
{
	const char *folder = gpu_backend_kernel_folder(program->device->info.backend);
	const char *at = program->log;
	struct compiler_warning warning;

	while (compiler_log_next(&at, &warning)) {
		char place[sizeof warning.file + 60];
		char text[sizeof place + sizeof warning.text + 2];

		if (strcmp(warning.file, name) != 0 ||
			(warning.kind == WARNING_MAYBE_UNINITIALISED &&
				is_local(source, warning.name)))
			continue;
		snprintf(place, sizeof place, "%.20s/%s:%d", folder, warning.file, warning.line);
		snprintf(text, sizeof text, "%s: %s", place, warning.text);
		if ((!is_known(&warnings->texts, text) && !text_list_add(&warnings->texts, text)) ||
			!set_reasons(&warning, place, warnings))
			return false;
	}
	return true;
}

void kernel_warnings_finish(struct kernel_warnings *warnings)
{
	text_list_finish(&warnings->texts);
	free(warnings->uninitialised);
	free(warnings->suspicion);
	*warnings = (struct kernel_warnings){0};
}

void kernel_warnings_report(const struct kernel_warnings *warnings, const char *name,
	void (*note)(void *context, const char *text), void *context)
{
	size_t count = warnings->texts.count;
	char text[700];

	for (size_t i = 0; note && i < count && i < MAX_NOTES; i++) {
		snprintf(text, sizeof text, "the compiler warns: %s", warnings->texts.items[i]);
		note(context, text);
	}
	if (note && count > MAX_NOTES) {
		snprintf(text, sizeof text, "the compiler warns %zu more times about %s",
			count - MAX_NOTES, name);
		note(context, text);
	}
}
