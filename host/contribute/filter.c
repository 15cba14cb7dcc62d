#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"
#include "host/contribute/contribute.h"

/* ---- Paths ----------------------------------------------------------------------------------- */

#define LETTER "[^][:cntrl:][:space:]!\"#$%&'()*,/:;<=>?[\\^`{|}]"
#define NAME LETTER "+"
/* "../NAME", "~/NAME", "C:\NAME", "C:/NAME" or "\\NAME\" */
#define OTHER_PATH "(\\.\\.|~)/" LETTER "|[[:alpha:]]:[\\/]" LETTER "|\\\\\\\\" NAME "\\\\"
/* Characters after which no path begins. */
#define WORD "[:alnum:]./_%\\"
/* Names of folders can contain blanks. The text after a blank is therefore part of the path, up to
 * a quote or the end of the line, unless it begins with an option. */
#define REST "(" LETTER "|[/\\])*( ([^-'\"`\n]|-[^[:alpha:]])[^'\"`\n]*)?"

/* A path begins
 *     after the start, after a character that is not part of a word, after the option of a compiler (the
 *     "-I" of "-I/usr/include"), or after "file://": "/NAME/", or another path
 *     after ":": the same, but "//NAME/" is part of an address
 *     after any character: a folder with files of users
 * The first group is the text before the path. */
static const char path_pattern[] =
	"((^|[^:" WORD "])|(^|[[:space:]'\"=,])-[[:alpha:]]+|file://)(/+" NAME "/|" OTHER_PATH
	")" REST "|(:)(/" NAME "/|" OTHER_PATH ")" REST "|/(home|root|Users|tmp)/" REST;

/* Groups of the pattern that are the text before the path. */
#define BEFORE 1
#define COLON 9
#define GROUPS 10

/* Finds the first path of a text. at_start: the text does not continue another one. ret_path: its start
 * and its end. Returns false if there is none. */
static bool find_path(const char *text, bool at_start, size_t ret_path[2])
{
	static regex_t compiled;
	static bool ready;
	regmatch_t groups[GROUPS];

	if (!ready && regcomp(&compiled, path_pattern, REG_EXTENDED) != 0)
		abort();
	ready = true;
	if (!strpbrk(text, "/\\") ||
		regexec(&compiled, text, GROUPS, groups, at_start ? 0 : REG_NOTBOL) != 0)
		return false;
	regoff_t before = groups[BEFORE].rm_so >= 0  ? groups[BEFORE].rm_eo
			  : groups[COLON].rm_so >= 0 ? groups[COLON].rm_eo
						     : groups[0].rm_so;
	ret_path[0] = (size_t)before;
	ret_path[1] = (size_t)groups[0].rm_eo;
	return true;
}

bool has_path(const char *text)
{
	size_t path[2];

	return find_path(text, true, path);
}

/* Replaces each path by "PATH". *text becomes NULL if there is no memory: the file is then not
 * written. */
static void hide_paths(char **text)
{
	const char *rest = *text;
	char *hidden = NULL;
	size_t size, path[2];

	if (!rest || !has_path(rest))
		return;
	FILE *out = open_memstream(&hidden, &size);
	for (; out && find_path(rest, rest == *text, path); rest += path[1])
		fprintf(out, "%.*sPATH", (int)path[0], rest);
	if (out) {
		fputs(rest, out);
		fclose(out);
	}
	text_set(text, hidden);
	free(hidden);
}

/* ---- Identities ------------------------------------------------------------------------------ */

#define PUBLIC_DIGITS 32
#define HOST_ID_DIGITS 16

bool is_public_run(const char *id)
{
	return id && strspn(id, "0123456789abcdef") == PUBLIC_DIGITS && !id[PUBLIC_DIGITS];
}

static bool has_identity(const struct device_record *device)
{
	return (device->uuid && *device->uuid) || (device->pci && *device->pci);
}

static bool is_cpu(const struct device_record *device)
{
	return text_equal(device->type, "cpu");
}

/* Returns the key of a device in public documents; malloc'ed; NULL if there is no memory. */
static char *public_key(const struct result_document *document, const struct device_record *device)
{
	char *key = NULL;

	if (has_identity(device))
		return device_public_identity(device, document);
	text_format(&key, "name:%s", text_or_empty(device->name));
	hide_paths(&key);
	return key;
}

char *public_host_id(const struct result_document *document)
{
	const struct host_record *host = &document->host;
	char *text = NULL;

	text_format(&text, "pmpp host %s %s %lld %lld",
		document->devices.count ? text_or_empty(document->devices.items[0].key) : "",
		text_or_empty(host->cpu), (long long)host->cores, (long long)host->memory_bytes);
	char *id = text_digest(text, HOST_ID_DIGITS);
	free(text);
	return id;
}

/* What a public document keeps of its machine; malloc'ed. */
static char *host_text(const struct result_document *document)
{
	const struct host_record *host = &document->host;
	char *text = NULL;

	text_format(&text, "%lld %lld %s", (long long)host->cores, (long long)host->memory_bytes,
		text_or_empty(host->cpu));
	hide_paths(&text);
	return text;
}

bool contribution_same_device(const struct result_document *a, const struct device_record *device_a,
	const struct result_document *b, const struct device_record *device_b)
{
	char *keys[] = {public_key(a, device_a), public_key(b, device_b)};
	char *hosts[] = {host_text(a), host_text(b)};
	bool certain = has_identity(device_a) && !is_cpu(device_a);
	bool same = keys[0] && hosts[0] && text_equal(keys[0], keys[1]) &&
		    (certain || text_equal(hosts[0], hosts[1]));

	for (size_t i = 0; i < 2; i++) {
		free(keys[i]);
		free(hosts[i]);
	}
	return same;
}

/* The identity of a CPU is not certain: OpenCL can have the same UUID for all CPUs of one model. */
bool contribution_set_apart(struct result_document *document, const char *name)
{
	bool ok = true;

	for (size_t i = 0; i < document->devices.count && ok; i++) {
		struct device_record *device = &document->devices.items[i];
		if (has_identity(device) && !is_cpu(device))
			continue;
		text_format(&device->uuid, "shipped:%s:%zu", name, i);
		text_set(&device->pci, NULL);
		if (is_cpu(device))
			text_format(&device->name, "%s (%s)", text_or_empty(device->name), name);
		ok = device->uuid && device->name;
	}
	return ok;
}

/* ---- Filter of fields ------------------------------------------------------------------------ */

#define DAY_LENGTH 10 /* 2026-11-23 */
#define VERSION "0123456789."

static void cut(char *text, size_t length)
{
	if (text && strlen(text) > length)
		text[length] = '\0';
}

bool is_date(const struct record_field *field)
{
	const char *end = strrchr(field->name, '_');

	return end && strcmp(end, "_utc") == 0 && field->kind == FIELD_TEXT;
}

static void filter_member(void *context, const struct record_field *field, void *member)
{
	(void)context;
	if (field->is_private)
		record_member_clear(field, member);
	else if (is_date(field))
		cut(*(char **)member, DAY_LENGTH);
}

static void filter_text(void *context, const struct record_field *field, char **text)
{
	(void)context, (void)field;
	hide_paths(text);
}

static bool set_run(struct result_document *document)
{
	struct run_record *run = &document->run;
	char *id = text_digest(text_or_empty(run->id), PUBLIC_DIGITS);
	char *host_id = public_host_id(document);

	text_set(&run->id, id);
	text_set(&run->host_id, host_id);
	free(id);
	free(host_id);
	return run->id && run->host_id;
}

bool make_public(struct result_document *document)
{
	const struct record_visitor filter = {.member = filter_member, .text = filter_text};
	struct device_record *device = &document->devices.items[0];
	char *key = public_key(document, device), *kernel = document->host.kernel;

	cut(kernel, kernel ? strspn(kernel, VERSION) : 0);
	/* The check computes all digests again from the file, so they use only texts of the file.
	 * The exception is the digest of the device's identity, which uses private texts. */
	if (key && has_identity(device))
		text_set(&device->uuid, strchr(key, ':') + 1);
	text_set(&device->key, key);
	for (size_t i = 0; i < document->results.count; i++)
		text_set(&document->results.items[i].device, key);
	free(key);
	record_walk(&result_document_type, document, &filter);
	return device->key && set_run(document);
}

/* ---- Rounding -------------------------------------------------------------------------------- */

#define TIME_STEP_NS (2 * ROUNDED_NS)
#define TIME_DIGITS 5
#define OTHER_DIGITS 7

/* Divides by an integer, which rounds only once: the result for 0.3 is the double nearest to
 * 0.3. */
static double rounded(double value, bool is_time)
{
	if (!isfinite(value) || value == floor(value) || fabs(value) < 1e-15)
		return value;
	int digits = is_time ? TIME_DIGITS : OTHER_DIGITS;
	double step =
		fmin(pow(10, floor(log10(fabs(value))) - digits + 1), is_time ? TIME_STEP_NS : 1);
	return step < 1 ? round(value * round(1 / step)) / round(1 / step)
			: round(value / step) * step;
}

static void round_member(void *context, const struct record_field *field, void *member)
{
	bool is_time = field->unit && strcmp(field->unit, "ns") == 0;
	const struct number_list *list = member;
	bool is_list = field->kind == FIELD_NUMBERS;
	double *numbers = is_list ? list->items : member;
	size_t count = is_list                         ? list->count
		       : field->kind == FIELD_NUMBER   ? 1
		       : field->kind == FIELD_INTERVAL ? 2
						       : 0;

	(void)context;
	for (size_t i = 0; i < count; i++)
		numbers[i] = rounded(numbers[i], is_time);
}

void round_document(struct result_document *document)
{
	const struct record_visitor visitor = {.member = round_member};

	record_walk(&result_document_type, document, &visitor);
}
