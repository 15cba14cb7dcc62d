#include "common/status.h"

#include "common/clean_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *pmpp_status_text(enum pmpp_status status)
{
	static const char *const texts[] = {
#define XX(name, text) [PMPP_##name] = text,
		PMPP_STATUS_MAP(XX)
#undef XX
	};
	if ((size_t)status >= sizeof texts / sizeof *texts)
		return "unknown status";
	return texts[status];
}

/* Maximum length of the text before it is cleaned. Later bytes would not fit in a message. */
#define RAW_BYTES 2048

/* Writes the clean text into the message from byte `at` on. */
static void put_message(struct pmpp_error *error, size_t at, const char *raw)
{
	clean_text(raw, strlen(raw), CLEAN_LINE, error->message + at, sizeof error->message - at);
}

void pmpp_error_clear(struct pmpp_error *error)
{
	if (!error)
		return;
	free(error->log);
	*error = PMPP_ERROR_INIT;
}

void pmpp_error_move(struct pmpp_error *to, struct pmpp_error *from)
{
	free(to->log);
	*to = *from;
	*from = PMPP_ERROR_INIT;
}

enum pmpp_status pmpp_error_set(struct pmpp_error *error, enum pmpp_status status, const char *file,
	int line, const char *format, ...)
{
	char raw[RAW_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(raw, sizeof raw, format, arguments);
	va_end(arguments);
	pmpp_error_clear(error);
	error->status = status;
	/* __FILE__ is relative to the build folder. */
	while (strncmp(file, "../", 3) == 0)
		file += 3;
	snprintf(error->file, sizeof error->file, "%s", file);
	error->line = line;
	put_message(error, 0, raw);
	return status;
}

enum pmpp_status pmpp_error_set_call(struct pmpp_error *error, enum pmpp_status status,
	const char *file, int line, const char *call, long code, const char *symbol)
{
	pmpp_error_set(error, status, file, line, "%s failed: %s (%ld)", call, symbol, code);
	snprintf(error->call, sizeof error->call, "%s", call);
	snprintf(error->symbol, sizeof error->symbol, "%s", symbol);
	error->code = code;
	return status;
}

void pmpp_error_prefix(struct pmpp_error *error, const char *format, ...)
{
	char raw[RAW_BYTES];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(raw, sizeof raw, format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length < sizeof raw)
		snprintf(raw + length, sizeof raw - (size_t)length, ": %s", error->message);
	put_message(error, 0, raw);
}

void pmpp_error_append(struct pmpp_error *error, const char *format, ...)
{
	char raw[RAW_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(raw, sizeof raw, format, arguments);
	va_end(arguments);
	put_message(error, strlen(error->message), raw);
}

enum pmpp_status pmpp_error_set_block_limit(struct pmpp_error *error)
{
	error->block_limit = true;
	error->status = PMPP_UNSUPPORTED;
	return PMPP_UNSUPPORTED;
}

const char *pmpp_error_details(const struct pmpp_error *error, char text[PMPP_ERROR_DETAILS_BYTES])
{
	char origin[sizeof error->call + sizeof error->symbol + 48] = "";

	if (error->call[0])
		snprintf(origin, sizeof origin, "; %s returned %s (%ld)", error->call,
			error->symbol, error->code);
	snprintf(text, PMPP_ERROR_DETAILS_BYTES, "%s%s; at %s:%d", pmpp_status_text(error->status),
		origin, error->file, error->line);
	return text;
}
