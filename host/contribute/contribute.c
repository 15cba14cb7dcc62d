#include "host/contribute/contribute.h"

#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/capability.h"
#include "common/family.h"
#include "common/model/claim.h"
#include "common/model/noise_floor.h"
#include "common/stats.h"
#include "host/compare/compare.h"
#include "host/record/document.h"
#include "host/record/identity.h"
#include "host/suite/roofs.h"

static bool record_member_is_null(const struct record_field *field, const void *member)
{
	return field->kind == FIELD_TEXT     ? !*(char *const *)member
	       : field->kind == FIELD_TEXTS  ? !((const struct text_list *)member)->count
	       : field->kind == FIELD_OBJECT ? !((const struct record *)member)->present
	       : field->kind == FIELD_COUNT  ? *(const int64_t *)member < 0
					     : isnan(*(const double *)member);
}

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

/* Returns whether a text contains the path of a file: an absolute path of two names or more, a path
 * that begins with "../" or "~/", or a Windows path. */
static bool has_path(const char *text)
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

/* Returns whether the identity of a run is a digest of 32 hexadecimal digits. */
static bool is_public_run(const char *id)
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

/* Returns the hexadecimal identity of the machine of a public document: a digest of the device's
 * key, the processor, the cores and the memory. malloc'ed; NULL if there is no memory. */
static char *public_host_id(const struct result_document *document)
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

/* Returns whether two devices are the same physical device. Either may be from a contribution.
 * Devices without UUID and PCI address have the same identity if their names are equal. CPUs and
 * devices without UUID and PCI address are the same only if the processors, cores and memory of
 * their hosts are equal too: the digest of the host in a contribution contains these. */
static bool same_device(const struct result_document *a, const struct device_record *device_a,
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

/* Returns whether the texts of a field are dates. In contributions they have the day, but no time. */
static bool is_date(const struct record_field *field)
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

/* Replaces or removes all private data. The document must have one device, which all rows name.
 * Returns false if there is no memory. */
static bool make_public(struct result_document *document)
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

/* Largest error of a time that was rounded, in ns. */
#define ROUNDED_NS 0.05

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

/* Rounds all numbers that are not integers: times to 0.1 ns or 5 significant digits, whichever is
 * finer; other numbers to 7 significant digits. */
static void round_document(struct result_document *document)
{
	const struct record_visitor visitor = {.member = round_member};

	record_walk(&result_document_type, document, &visitor);
}

/* ---- Problems -------------------------------------------------------------------------------- */

#define MAX_PROBLEMS 50

struct finding {
	char *text; /* owned */
	const struct result_row *first,
		*last; /* the first and the last row with this text; NULL: none */
	size_t more;   /* number of further rows */
};

struct checker {
	const struct result_document *document;
	const struct device_record *device;
	const struct result_row *row;  /* the problem is about this row; NULL: about the document */
	const struct family *family;   /* of the row; NULL: unknown */
	const struct variant *variant; /* of the row; NULL: unknown */
	double ns;                     /* time of the row; NaN: not timed */
	struct contribution_findings *findings;
	struct finding problems[MAX_PROBLEMS];
	size_t count; /* number of problems */
	struct row_numbers numbers;
	bool no_memory;
};

static bool rule(struct checker *checker, bool holds, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Checks a rule that every accepted file fulfils. If the rule does not hold, adds a problem with the
 * formatted text. Rows with the same text share one problem. Returns `holds`. */
static bool rule(struct checker *checker, bool holds, const char *format, ...)
{
	struct finding *problem = checker->problems;
	struct finding *const end = problem + checker->count;
	char *text = NULL;
	va_list arguments;

	if (holds)
		return true;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	checker->no_memory |= !text;
	while (text && problem < end &&
		!(checker->row && problem->first && strcmp(problem->text, text) == 0))
		problem++;
	if (problem < end) {
		problem->more += problem->last != checker->row;
		problem->last = checker->row;
	} else if (text && checker->count < MAX_PROBLEMS) {
		checker->problems[checker->count++] =
			(struct finding){text, checker->row, checker->row, 0};
		return false;
	} else {
		checker->findings->more++;
	}
	free(text);
	return false;
}

#define RULE(...) rule(checker, __VA_ARGS__)

/* Moves the problems to the findings, as lines. */
static void finish_problems(struct checker *checker)
{
	for (size_t i = 0; i < checker->count; i++) {
		const struct finding *problem = &checker->problems[i];
		char *line = NULL;
		size_t size;
		FILE *out = open_memstream(&line, &size);
		if (out && problem->first)
			result_row_put_name(problem->first, out, ": ");
		if (out)
			fputs(problem->text, out);
		if (out && problem->more)
			fprintf(out, " (and %zu more row%s)", problem->more,
				problem->more == 1 ? "" : "s");
		checker->no_memory |= !out || fclose(out) != 0 ||
				      !text_list_add(&checker->findings->problems, line);
		free(line);
		free(problem->text);
	}
}

/* Checks that a figure of the file is equal to the figure computed from the samples or the time.
 * source: "samples give" or "time gives" */
static void check_equal(struct checker *checker, const char *record, const char *name,
	double stated, double computed, double tolerance, const char *source)
{
	char texts[2][32] = {"null", "null"};

	if (!isnan(stated))
		snprintf(texts[0], sizeof texts[0], "%.10g", stated);
	if (!isnan(computed))
		snprintf(texts[1], sizeof texts[1], "%.10g", computed);
	RULE((isnan(stated) && isnan(computed)) || fabs(stated - computed) <= tolerance,
		"%s.%s is %s, but the %s %s", record, name, texts[0], source, texts[1]);
}

/* ---- The document ---------------------------------------------------------------------------- */

#define TOOL_NAME "pmpp-run"
#define DAY_SECONDS 86400

/* Returns whether a text is a valid date, at most tomorrow. Tomorrow is valid, because clocks and
 * time zones differ. */
static bool is_day(const char *text)
{
	struct tm day = {0};
	char again[] = "0000-00-00";

	if (!text || !strptime(text, "%Y-%m-%d", &day))
		return false;
	time_t seconds = timegm(&day);
	return strftime(again, sizeof again, "%Y-%m-%d", &day) && text_equal(text, again) &&
	       difftime(seconds, time(NULL)) <= DAY_SECONDS;
}

/* "other" is an accelerator. */
static void check_device(struct checker *checker)
{
	const struct device_record *device = checker->device;
	const char *type = text_or_empty(device->type);
	bool gpu = text_equal(type, "gpu"), emulated = text_equal(type, "emulated");
	bool known = gpu || emulated || text_equal(type, "cpu") || text_equal(type, "other");
	char *key = device_public_identity(device, checker->document);

	RULE(!emulated, "an emulator has no times");
	RULE(known, "devices[0].type is '%.40s', not gpu, cpu or other", type);
	RULE(!known || emulated || gpu || !device_view(device, "cuda"),
		"devices[0].type is '%s', but it must be gpu, because the device has CUDA", type);
	RULE(!device->uuid || is_public_uuid(device->uuid),
		"devices[0].uuid is private: it must be the digest from pmpp-run contribute");
	RULE(text_equal(key, device->key), "devices[0].key must be '%.200s'", text_or_empty(key));
	free(key);
}

static void check_origin(struct checker *checker)
{
	const struct result_document *document = checker->document;
	const struct run_record *run = &document->run;
	const char *kernel = text_or_empty(document->host.kernel);
	char *host_id = public_host_id(document);

	RULE(text_equal(document->tool.name, TOOL_NAME), "tool.name is '%.40s', not " TOOL_NAME,
		text_or_empty(document->tool.name));
	RULE(is_public_run(run->id), "run.id must be a digest of 32 hexadecimal digits");
	RULE(host_id && text_equal(host_id, run->host_id), "run.host_id must be '%s'",
		text_or_empty(host_id));
	RULE(!kernel[strspn(kernel, "0123456789.")], "host.kernel must be the version only");
	RULE(!document->parity.count, "parity must be empty");
	free(host_id);
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Maximum difference between a statistic and its value for the rounded samples: the samples and the
 * statistic each have an error of at most ROUNDED_NS. */
#define TOLERANCE_NS (2.2 * ROUNDED_NS)

/* Maximum relative error of ratios of times. */
#define TOLERANCE_RATIO 1e-6

/* Checks that the statistics agree with the samples. Widths are fractions of the median. */
static void check_statistics(struct checker *checker, const char *kind,
	const struct samples_record *samples, const struct stats *stats)
{
	const double widths = TOLERANCE_RATIO + 4 * TOLERANCE_NS / stats->median;
	const struct {
		const char *name;
		double stated, computed, tolerance; /* tolerance 0: that of times */
	} rows[] = {
		{"min", samples->min, stats->min, 0},
		{"q1", samples->q1, stats->q1, 0},
		{"median", samples->median, stats->median, 0},
		{"q3", samples->q3, stats->q3, 0},
		{"ci95[0]", samples->ci95[0], stats->ci95[0], 0},
		{"ci95[1]", samples->ci95[1], stats->ci95[1], 0},
		{"notch", samples->notch, stats_notch(stats), widths},
		{"half_width", samples->half_width, stats_half_width(stats), widths},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check_equal(checker, kind, rows[i].name, rows[i].stated, rows[i].computed,
			rows[i].tolerance > 0 ? rows[i].tolerance
					      : TOLERANCE_NS + 1e-12 * fabs(rows[i].computed),
			"samples give");
}

static void check_kind(
	struct checker *checker, const char *kind, const struct samples_record *samples)
{
	const double *ns = samples->ns.items;
	bool are_times = samples->ns.count > 0;

	if (!samples->record.present)
		return;
	for (size_t i = 0; i < samples->ns.count; i++)
		are_times &= isfinite(ns[i]) && ns[i] > 0;
	if (!RULE(samples->n == (int64_t)samples->ns.count && are_times,
		    "%s has %zu samples, n is %lld; all samples must be above 0", kind,
		    samples->ns.count, (long long)samples->n))
		return;
	double *scratch = calloc(samples->ns.count, sizeof *scratch);
	checker->no_memory |= !scratch;
	if (scratch) {
		const struct stats stats = stats_of(ns, samples->ns.count, scratch);
		check_statistics(checker, kind, samples, &stats);
	}
	free(scratch);
}

/* ---- All members -------------------------------------------------------------------------- */

static void check_record(void *context, const struct record_type *type, struct record *record)
{
	struct checker *checker = context;
	const char *key = record_unknown_key(record);
	const char *contract = type == &timing_type
				       ? ((const struct timing_record *)record)->contract
				       : TIMING_CONTRACT;

	/* The walk visits a row first, then its parts. */
	if (type == &result_row_type)
		checker->row = (const struct result_row *)(const void *)record;
	RULE(!key, "unknown key or word in a %s: '%.40s'", type->name, key);
	RULE(text_equal(contract, TIMING_CONTRACT),
		"the timing contract is %s, not " TIMING_CONTRACT, text_or_empty(contract));
}

static void check_member(void *context, const struct record_field *field, void *member)
{
	struct checker *checker = context;

	RULE(!field->is_private || record_member_is_null(field, member),
		"'%s' is private: it must be null or absent", field->name);
	RULE(!is_date(field) || is_day(*(char **)member),
		"'%s' must be a day (YYYY-MM-DD), and not in the future", field->name);
	if (field->type == &samples_type)
		check_kind(checker, field->name, member);
}

static void check_text(void *context, const struct record_field *field, char **text)
{
	struct checker *checker = context;

	RULE(!has_path(text_or_empty(*text)), "'%s' contains the path of a file, which is private",
		field->name);
}

/* Checks all records. The visitor changes nothing. */
static void check_members(struct checker *checker)
{
	const struct record_visitor visitor = {checker, check_record, check_member, check_text};

	record_walk(&result_document_type, (struct result_document *)checker->document, &visitor);
	checker->row = NULL;
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* Maximum relative error of a figure that is computed from a rounded time. */
#define TOLERANCE 1e-3

/* Maximum ratio of a figure to its roof: 1, a margin, and five standard deviations of the roof.
 * Rates: 1.10 on a GPU, 1.55 on a CPU. Floors: 1.15 and 1.60. The margin of floors is larger,
 * because older versions measured lower roofs of integers: a row of a shipped H200 has a share of
 * 1.13. */
#define RATE_MARGIN 0.05
#define FLOOR_MARGIN 0.10

/* The same ratio for the memory of a CPU. It is larger, because virtual machines share the memory,
 * but the roof is measured only once. On two cores of an AMD EPYC the same copy took 2.3 ms and,
 * minutes later, 1.3 ms. */
#define CPU_MEMORY_LIMIT 2.5

static double limit_of(const struct checker *checker, double margin, bool memory)
{
	return memory && is_cpu(checker->device)
		       ? CPU_MEMORY_LIMIT
		       : 1 + margin + 5 * noise_floor_of_roof(checker->device->type);
}

static enum operations operations_of(const struct result_row *row)
{
	return row->work.operations > 0 ? (enum operations)row->work.operations : OPERATIONS_F32;
}

static void check_follows(struct checker *checker, const char *name, double stated, double computed)
{
	if (isfinite(computed))
		check_equal(checker, "derived", name, stated, computed, TOLERANCE * fabs(computed),
			"time gives");
}

static void check_share(struct checker *checker)
{
	const struct derived_record *derived = &checker->row->derived;
	const struct floor_record *floor = &derived->floor;
	double limit = limit_of(checker, FLOOR_MARGIN, floor->resource == FLOOR_MEMORY);
	double share = floor->ns / checker->ns;

	if (!RULE(floor->record.present && floor->resource >= 0 && floor->ns > 0,
		    "derived.floor must have a resource and a time above 0"))
		return;
	check_follows(checker, "floor.share", floor->share, share);
	/* The stated share of a row that is limited by a cache is its share of the memory roof. */
	if (derived->limited_by != LIMITED_BY_CACHE)
		check_follows(checker, "pct_roof", derived->pct_roof, 100 * share);
	RULE(!(floor->share > limit),
		"the time is %.2f times shorter than the floor of %s; at most %.2f is plausible",
		floor->share, word_text(floor_words, floor->resource), limit);
}

/* Returns whether a cache can explain a rate above the memory roofs; false if its roof is unknown.
 * A CPU has no roof of a second-level cache, but its roof of shared memory is the rate of its
 * caches. */
static bool cache_explains(
	const struct checker *checker, double gbps, const struct roofs_record *roofs, double limit)
{
	const struct result_row *row = checker->row;
	double cache_gbps = is_cpu(checker->device) ? roofs->shared_gbps : roofs->l2_gbps;
	bool warm = row->timing.primary == TIMING_HOT || row->timing.flags & TIMING_UNFLUSHED;
	bool fits = row->work.bytes_compulsory <= (double)checker->device->limits.cache_bytes;

	return (row->derived.limited_by == LIMITED_BY_CACHE || (warm && fits)) &&
	       gbps <= limit * cache_gbps;
}

/* Returns the largest rate of the row's operations in the units of work.flops; NaN: the roof is
 * unknown. work.flops counts two operations for a multiply-add, the roof of integers counts one.
 * Roofs of integers and of f16 are not measured on a CPU: its vectors have as many 32-bit integers
 * as f32 elements, and twice as many f16 elements. */
static double counted_rate(const struct checker *checker, const struct roofs_record *roofs)
{
	enum operations operations = operations_of(checker->row);
	double rate = roofs_rate(roofs, operations);
	bool cpu = isnan(rate) && is_cpu(checker->device);

	if (cpu && operations == OPERATIONS_F16)
		return 2 * roofs_rate(roofs, OPERATIONS_F32);
	if (operations != OPERATIONS_INTEGER)
		return rate;
	return cpu ? roofs_rate(roofs, OPERATIONS_F32) : 2 * rate;
}

/* Returns whether a device may have no roof of the row's operations (host/suite/roof_rows.h).
 * OpenCL: f16, and tensor cores. CUDA: tensor cores, if mma.sync does not reach their rate and the
 * GPU has no wgmma. */
static bool may_lack_roof(const struct result_row *row, const struct view_record *view)
{
	enum operations operations = operations_of(row);
	bool tensor = operations == OPERATIONS_TENSOR_F16 || operations == OPERATIONS_TENSOR_TF32;

	if (text_equal(row->backend, "opencl"))
		return tensor || operations == OPERATIONS_F16;
	return tensor && !pmpp_mma_reaches_rate(text_or_empty(view->arch)) &&
	       !(view->capabilities & PMPP_CAP_WGMMA);
}

static void check_rates(struct checker *checker, const struct view_record *view)
{
	const struct roofs_record *roofs = &view->roofs;
	const struct result_row *row = checker->row;
	double limit = limit_of(checker, RATE_MARGIN, false);
	double memory_limit = limit_of(checker, RATE_MARGIN, true);
	double gflops = row->work.flops / checker->ns;
	double gbps = row->work.bytes_compulsory / checker->ns;
	double memory = fmax(roofs->copy_gbps, roofs->read_gbps);
	double rate = counted_rate(checker, roofs);

	check_follows(checker, "gflops", row->derived.gflops, gflops);
	check_follows(checker, "gbps", row->derived.gbps, gbps);
	RULE(!(gbps > memory_limit * memory) || cache_explains(checker, gbps, roofs, limit),
		"%.4g GB/s is more than %.2f times the largest memory roof, %.4g GB/s, and no cache "
		"explains it: measure the roofs again on a quiet machine (`pmpp-run roofline`), then "
		"run `contribute` again",
		gbps, memory_limit, memory);
	RULE(!(gflops > 0) || rate > 0 || may_lack_roof(row, view),
		"the device has no measured roof of the operations '%s'",
		operations_words[operations_of(row)]);
	RULE(!(gflops > limit * rate),
		"%.4g GFLOP/s is more than %.2f times the roof of its operations, %.4g GFLOP/s",
		gflops, limit, rate);
}

/* Checks that the row has the figure of its family, or none if its family has none. */
static void check_metric(struct checker *checker)
{
	const struct derived_record *derived = &checker->row->derived;
	const char *name = checker->family ? checker->family->metric.name : NULL;
	bool none = !derived->metric_name && isnan(derived->metric);

	RULE(!checker->family || none ||
			(name && text_equal(derived->metric_name, name) && !(derived->metric <= 0)),
		"derived.metric_name is '%.40s', and the figure of the family is %s; derived.metric "
		"must be above 0",
		text_or_empty(derived->metric_name), name ? name : "none");
}

/* Checks that the derived figures agree with the time, and that they are plausible for the roofs. */
static void check_figures(struct checker *checker)
{
	const struct view_record *view = device_view(checker->device, checker->row->backend);
	const struct work_record *work = &checker->row->work;
	bool roofs = view && view->roofs.record.present && view->roofs.copy_gbps > 0;
	bool counted = work->record.present && work->flops >= 0 && work->bytes_compulsory >= 0 &&
		       !(work->bytes_issued < 0);

	if (!RULE(roofs, "the device has no measured roofs of this backend") ||
		!RULE(counted, "work must have flops and bytes_compulsory of at least 0") ||
		!RULE(checker->row->derived.record.present,
			"a row with a time must have 'derived'"))
		return;
	check_metric(checker);
	check_share(checker);
	check_rates(checker, view);
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static bool is_flagged(const struct result_row *row)
{
	return row->timing.record.present && row->timing.flags & (TIMING_NOISY | TIMING_THROTTLED);
}

/* Returns whether the samples of a row that the claim may compare are flagged. The claim is then
 * undecided. */
static bool may_be_flagged(const struct checker *checker)
{
	const struct result_row_list *rows = &checker->document->results;
	bool flagged = false;

	for (size_t i = 0; i < rows->count; i++)
		flagged |= text_equal(rows->items[i].family, checker->row->family) &&
			   is_flagged(&rows->items[i]);
	return flagged;
}

static bool same_limit(double stated, double limit)
{
	return limit > 0 ? stated == limit : isnan(stated);
}

/* Checks that the claim is the claim of the variant, and that the verdict agrees with the interval. */
static void check_claim(struct checker *checker)
{
	const struct claim_record *record = &checker->row->claim;
	const struct claim *claim = checker->variant ? &checker->variant->claim : NULL;

	if (!claim || !record->record.present)
		return;
	/* The limits are the claim. Its text may be of another version of the program. */
	if (!RULE(claim->text && same_limit(record->expected, claim->at_least) &&
			    same_limit(record->at_most, claim->at_most),
		    "claim is not the claim of this variant: '%.60s'", text_or_empty(claim->text)))
		return;
	const struct claim_evidence evidence = {
		.ratio = record->observed, .ci95 = {record->ci95[0], record->ci95[1]}};
	bool meant = !claim->needs || !record->reason;
	enum claim_verdict stated = claim_record_verdict(record);
	enum claim_verdict judged =
		claim_judge(claim, &evidence, meant && text_equal(checker->device->type, "gpu"));
	if (stated == CLAIM_UNDECIDED && judged >= 0 && may_be_flagged(checker))
		judged = CLAIM_UNDECIDED;
	enum record_truth holds = judged == CLAIM_HOLDS   ? TRUTH_YES
				  : judged == CLAIM_FAILS ? TRUTH_NO
							  : TRUTH_UNKNOWN;
	RULE(stated == judged && record->holds == holds,
		"claim.verdict is '%s', but its interval gives '%s'",
		text_or_empty(claim_verdict_name(stated)),
		text_or_empty(claim_verdict_name(judged)));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void check_ok_row(struct checker *checker)
{
	const struct result_row *row = checker->row;
	double interval[2];
	bool passed = verify_record_passed(&row->verify) && row->verify.max_ratio <= 1;

	checker->findings->unverified |= !passed;
	RULE(passed, "the status is ok, but the verification did not pass");
	if (!RULE(checker->ns > 0, "no time: %s", row->reason ? row->reason : "unknown reason"))
		return;
	result_row_interval_ns(row, interval);
	RULE(!row->repetitions.record.present || interval[0] > 0,
		"repetitions.ci95 is not an interval of times");
	check_figures(checker);
	check_claim(checker);
}

/* Rows with wrong results are allowed, because they describe the device; check_rows() limits their
 * number. A row without times needs a reason. */
static void check_status(struct checker *checker)
{
	const struct result_row *row = checker->row;
	enum outcome_class class = result_row_class(row);
	const char *status = outcome_status_name((enum outcome_status)row->status);

	checker->findings->of_class[class]++;
	if (class == OUTCOME_CLASS_OK) {
		check_ok_row(checker);
	} else if (class == OUTCOME_CLASS_UNVERIFIED) {
		checker->findings->unverified = true;
		RULE(false, "the row was not verified");
	} else {
		RULE(!row->timing.record.present, "a row with the status %s has times", status);
		RULE(row->reason && *row->reason, "a row with the status %s has no reason", status);
	}
}

static void check_row(struct checker *checker, const struct result_row *row)
{
	char *identity = result_row_identity(row);
	size_t again = 0;

	checker->row = row;
	checker->ns = result_row_median_ns(row);
	checker->family = family_find(text_or_empty(row->family));
	checker->variant =
		checker->family ? variant_find(checker->family, text_or_empty(row->variant)) : NULL;
	if (!identity || !row_numbers_add(&checker->numbers, identity, &again))
		checker->no_memory = true;
	else
		RULE(!again, "the file has this row twice");
	free(identity);
	RULE(checker->family, "the family is unknown");
	RULE(checker->variant || !checker->family, "the variant is unknown");
	RULE(!row->own_kernel,
		"the kernel is not the project's (own_kernel): leave out --kernel-dir");
	RULE(text_equal(row->device, checker->device->key), "the device must be '%s'",
		checker->device->key);
	RULE(device_view(checker->device, row->backend), "the device has no view of this backend");
	check_status(checker);
}

/* ---- All rows -------------------------------------------------------------------------------- */

/* The fastest row must reach at least this share of the memory roof. The fastest copy reaches more
 * than 85 % of the roof on the shipped GPUs, and more than 70 % on the shipped CPUs. */
#define MIN_REACHED 0.2

/* Returns whether a row has a time at the default size of its family. */
static bool is_covered(const struct checker *checker, const struct family *family)
{
	const struct result_row_list *rows = &checker->document->results;
	struct problem problem = problem_default(family);
	bool covered = false;

	problem_default_size(
		&problem, is_cpu(checker->device) ? DEVICE_CLASS_CPU : DEVICE_CLASS_GPU);
	for (size_t r = 0; r < rows->count && !covered; r++) {
		const struct result_row *row = &rows->items[r];
		covered = text_equal(row->family, family->name) && result_row_median_ns(row) > 0 &&
			  row->problem.count == family->dim_count;
		for (size_t i = 0; covered && i < family->dim_count; i++)
			covered = named_list_get(&row->problem, family->dim_names[i], 0) ==
				  problem.dim[i];
	}
	return covered;
}

static void check_rows(struct checker *checker)
{
	struct contribution_findings *findings = checker->findings;
	const struct result_row_list *rows = &checker->document->results;
	double roof = 0, reached = 0;

	for (size_t i = 0; i < rows->count; i++) {
		check_row(checker, &rows->items[i]);
		findings->flagged += checker->ns > 0 && is_flagged(checker->row);
		reached = fmax(reached, checker->row->work.bytes_compulsory / checker->ns);
	}
	checker->row = NULL;
	for (size_t i = 0; i < family_count; i++) {
		findings->families += !families[i]->internal;
		findings->covered += !families[i]->internal && is_covered(checker, families[i]);
	}
	for (size_t i = 0; i < checker->device->views.count; i++)
		roof = fmax(roof, checker->device->views.items[i].roofs.copy_gbps);
	size_t timed = findings->of_class[OUTCOME_CLASS_OK];
	size_t failed = findings->of_class[OUTCOME_CLASS_FAILED];
	RULE(failed * CONTRIBUTION_FAILED_ONE_OF <= failed + timed,
		"%zu of %zu rows have wrong results; the limit is one of %d: report them as an issue",
		failed, failed + timed, CONTRIBUTION_FAILED_ONE_OF);
	RULE(findings->covered < findings->families || !(reached < MIN_REACHED * roof),
		"the fastest row reaches %.4g GB/s, less than %.0f %% of the memory roof of %.4g "
		"GB/s: the roof is too large",
		reached, 100 * MIN_REACHED, roof);
	RULE(timed, "no row has a time");
}

/* ---- Public ---------------------------------------------------------------------------------- */

enum pmpp_status contribution_check(const struct result_document *document, size_t bytes,
	struct contribution_findings *ret_findings, struct pmpp_error *error)
{
	struct checker state = {.document = document, .findings = ret_findings};
	struct checker *checker = &state;

	*ret_findings = (struct contribution_findings){0};
	RULE(bytes <= CONTRIBUTION_MAX_BYTES,
		"%.2f MB; the limit is %.0f MB: run with fewer samples (--max-samples=50), or "
		"without --repeat",
		(double)bytes / 1e6, CONTRIBUTION_MAX_BYTES / 1e6);
	RULE(document->devices.count == 1, "the file has %zu devices, not one",
		document->devices.count);
	if (document->devices.count == 1) {
		checker->device = &document->devices.items[0];
		check_device(checker);
		check_origin(checker);
		check_members(checker);
		check_rows(checker);
	}
	row_numbers_finish(&checker->numbers);
	finish_problems(checker);
	return checker->no_memory
		       ? PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory to check a file")
		       : PMPP_OK;
}

/* ---- One document ---------------------------------------------------------------------------- */

/* Finds the device of all rows of a file. */
static enum pmpp_status device_of_file(const struct compared_file *file,
	const struct device_record **ret_device, struct pmpp_error *error)
{
	const struct result_row_list *rows = &file->document.results;
	const struct device_record *device =
		rows->count ? device_list_find(&file->document.devices, rows->items[0].device)
			    : NULL;

	if (!device)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s has no row of a device: give a file from `run --json`", file->path);
	for (size_t i = 1; i < rows->count; i++)
		if (!text_equal(rows->items[i].device, device->key))
			return PMPP_FAIL(error, PMPP_USAGE,
				"%s has several devices (%s, %s): give results of one device",
				file->path, device->key, text_or_empty(rows->items[i].device));
	if (text_equal(device->type, "emulated"))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: %s is an emulator: give results of a real device", file->path,
			device->name);
	*ret_device = device;
	return PMPP_OK;
}

/* Copies the rows, without peers: they depend on the libraries of the machine. The ids of all runs
 * form the new id. The day is the first day of all runs. */
static enum pmpp_status take_rows(struct result_document *document,
	const struct result_document *from, struct pmpp_error *error)
{
	const char *started = text_or_empty(from->run.started_utc);

	text_format(&document->run.id, "%s%s", text_or_empty(document->run.id),
		text_or_empty(from->run.id));
	if (!document->run.started_utc || strcmp(started, document->run.started_utc) < 0)
		text_set(&document->run.started_utc, started);
	for (size_t i = 0; i < from->results.count; i++) {
		if (from->results.items[i].peer)
			continue;
		enum pmpp_status status = record_list_add_copy(
			&result_row_type, &document->results, &from->results.items[i], error);
		if (status != PMPP_OK)
			return status;
		struct result_row *row = &document->results.items[document->results.count - 1];
		text_set(&row->device, document->devices.items[0].key);
		record_list_clear(&peer_type, &row->peers);
	}
	return PMPP_OK;
}

/* Adds a file: its views of the device, and its rows. */
static enum pmpp_status take_file(struct result_document *document,
	const struct compared_file *first, const struct compared_file *file,
	struct pmpp_error *error)
{
	struct device_list *devices = &document->devices;
	const struct device_record *device = NULL;
	enum pmpp_status status = device_of_file(file, &device, error);

	if (status != PMPP_OK)
		return status;
	if (devices->count == 0)
		status = record_list_add_copy(&device_type, devices, device, error);
	else if (!same_device(&first->document, &devices->items[0], &file->document, device))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"%s has %s (%s), %s has %s (%s): give files of one device", first->path,
			devices->items[0].name, devices->items[0].key, file->path, device->name,
			device->key);
	if (status == PMPP_OK)
		status = device_record_merge(&devices->items[0], device, error);
	return status == PMPP_OK ? take_rows(document, &file->document, error) : status;
}

static enum pmpp_status write_text(struct result_document *document, char **ret_text,
	struct contribution_findings *findings, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	if (!make_public(document))
		return PMPP_NO_MEMORY(error, "the results");
	round_document(document);
	status = record_write(&result_document_type, document, RECORD_ROWS, ret_text, error);
	if (status == PMPP_OK)
		status = contribution_check(document, strlen(*ret_text), findings, error);
	if (status != PMPP_OK || !findings->problems.count)
		return status;
	char more[48] = "";
	size_t others = findings->problems.count + findings->more - 1;
	if (others)
		snprintf(more, sizeof more, " (and %zu more problem%s)", others,
			others == 1 ? "" : "s");
	return PMPP_FAIL(error, PMPP_USAGE, "the results cannot be sent: %s%s",
		findings->problems.items[0], more);
}

enum pmpp_status contribution_make(const struct compared_file *files, size_t count, char **ret_text,
	struct contribution_findings *ret_findings, struct pmpp_error *error)
{
	const struct result_document *first = &files[0].document;
	struct result_document document;
	enum pmpp_status status = PMPP_OK;

	record_init(&result_document_type, &document);
	text_set(&document.schema, RESULT_SCHEMA);
	document.run.record.present = true;
	/* The key of the device is computed from host_id later. The files may have different
	 * values: keep the first one. */
	text_set(&document.run.host_id, first->run.host_id);
	for (size_t i = 0; i < count && status == PMPP_OK; i++)
		status = take_file(&document, &files[0], &files[i], error);
	if (status == PMPP_OK)
		status = record_copy(&tool_type, &first->tool, &document.tool, error);
	if (status == PMPP_OK)
		status = record_copy(&host_type, &first->host, &document.host, error);
	if (status == PMPP_OK)
		status = write_text(&document, ret_text, ret_findings, error);
	record_finish(&result_document_type, &document);
	return status;
}
