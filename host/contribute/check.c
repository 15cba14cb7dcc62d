#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/family.h"
#include "host/compare/fields.h"
#include "host/contribute/internal.h"
#include "host/record/identity.h"
#include "host/record/row_numbers.h"
#include "host/record/walk.h"

#define DAY "0000-00-00"
#define DAY_SECONDS 86400
#define TOOL_NAME "pmpp-run"

/* The fastest row must reach at least this share of the memory roof. */
#define MIN_REACHED 0.2

/* ---- The document ---------------------------------------------------------------------------- */

/* Returns whether a text has the form of DAY. A 0 in DAY represents any digit. */
static bool has_form_of_day(const char *text)
{
	if (!text || strlen(text) != strlen(DAY))
		return false;
	for (size_t i = 0; DAY[i]; i++)
		if (DAY[i] == '0' ? !(text[i] >= '0' && text[i] <= '9') : text[i] != DAY[i])
			return false;
	return true;
}

/* Returns whether a text is a valid date, at most tomorrow. Tomorrow is valid, because clocks and
 * time zones differ. */
static bool is_day(const char *text)
{
	struct tm day = {0};
	char again[sizeof DAY] = "";

	if (!has_form_of_day(text) || !strptime(text, "%Y-%m-%d", &day))
		return false;
	time_t seconds = timegm(&day);
	return strftime(again, sizeof again, "%Y-%m-%d", &day) && text_equal(text, again) &&
	       difftime(seconds, time(NULL)) <= DAY_SECONDS;
}

/* Checks that the type is a word that the program writes, except "emulated". "other" is an
 * accelerator. */
static void check_type(struct contribution_checker *checker)
{
	static const char *const types[] = {"gpu", "cpu", "other"};
	const char *type = checker->device->type;
	bool known = false;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		known |= text_equal(type, types[i]);
	if (text_equal(type, "emulated"))
		add_problem(checker, "an emulator has no times");
	else if (!known)
		add_problem(checker, "devices[0].type is '%.40s', not gpu, cpu or other",
			text_or_empty(type));
	else if (device_view(checker->device, "cuda") && !text_equal(type, "gpu"))
		add_problem(checker,
			"devices[0].type is '%s', but it must be gpu, because the device has CUDA",
			type);
}

static void check_device(struct contribution_checker *checker)
{
	const struct device_record *device = checker->device;
	char *key = NULL;

	check_type(checker);
	if (device->pci)
		add_problem(checker, "devices[0].pci is private: it must be null");
	if (device->uuid && !is_public_uuid(device->uuid))
		add_problem(checker, "devices[0].uuid is private: it must be the digest from "
				     "pmpp-run contribute");
	text_format(&key, "%s:%s", device->uuid ? "uuid" : "name",
		text_or_empty(device->uuid ? device->uuid : device->name));
	if (!text_equal(key, device->key))
		add_problem(checker, "devices[0].key must be '%.200s'", text_or_empty(key));
	free(key);
	for (size_t i = 0; i < device->noise.count; i++)
		if (!is_day(device->noise.items[i].measured_utc))
			add_problem(checker, "devices[0].noise[%zu].measured_utc is not a day", i);
}

static void check_origin(struct contribution_checker *checker)
{
	const struct result_document *document = checker->document;
	const char *kernel = text_or_empty(document->host.kernel);
	char *host_id = public_host_id(document);

	if (!text_equal(document->tool.name, TOOL_NAME))
		add_problem(checker, "tool.name is '%.40s', not " TOOL_NAME,
			text_or_empty(document->tool.name));
	if (!is_public_run(document->run.id))
		add_problem(checker, "run.id must be a digest of 32 hexadecimal digits");
	if (document->tool.argv.count)
		add_problem(checker, "tool.argv is private: it must be empty");
	if (document->run.label)
		add_problem(checker, "run.label is private: it must be null");
	if (document->run.fleet || document->run.ranks >= 0 || document->run.rank >= 0)
		add_problem(checker, "run.fleet, run.rank and run.ranks must be absent");
	if (!is_day(document->run.started_utc))
		add_problem(checker,
			"run.started_utc must be a day (YYYY-MM-DD), and not in the future");
	if (!host_id || !text_equal(host_id, document->run.host_id))
		add_problem(checker, "run.host_id must be '%s'", text_or_empty(host_id));
	if (kernel[strspn(kernel, "0123456789.")])
		add_problem(checker, "host.kernel must be the version only");
	if (document->parity.count)
		add_problem(checker, "parity must be empty");
	free(host_id);
}

static void find_unknown(void *context, const struct record_type *type, struct record *record)
{
	struct contribution_checker *checker = context;
	const char *key = record_unknown_key(record);

	/* The walk visits a row first, then its parts. */
	if (type == &result_row_type)
		checker->row = (const struct result_row *)(const void *)record;
	if (key)
		add_problem(checker, "unknown key or word in a %s: '%.40s'", type->name, key);
}

static void find_path(void *context, const struct record_field *field, void *member)
{
	const struct text_list *texts = member;
	const struct named_list *names = member;
	bool found = field->kind == FIELD_TEXT && has_path(text_or_empty(*(char **)member));

	for (size_t i = 0; field->kind == FIELD_TEXTS && i < texts->count; i++)
		found |= has_path(texts->items[i]);
	for (size_t i = 0; field->kind == FIELD_NAMED && i < names->count; i++)
		found |= has_path(names->items[i].name);
	if (found)
		add_problem(
			context, "'%s' contains the path of a file, which is private", field->name);
}

/* Finds unknown keys and paths in all records. */
static void check_texts(struct contribution_checker *checker)
{
	const struct record_visitor visitor = {
		.context = checker, .record = find_unknown, .member = find_path};
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct result_document copy;

	if (record_copy(&result_document_type, checker->document, &copy, &ignored) != PMPP_OK) {
		checker->no_memory = true;
	} else {
		record_walk(&result_document_type, &copy, &visitor);
		record_finish(&result_document_type, &copy);
	}
	checker->row = NULL;
	pmpp_error_clear(&ignored);
}

static void check_document(struct contribution_checker *checker, size_t bytes)
{
	const struct result_document *document = checker->document;

	if (bytes > CONTRIBUTION_MAX_BYTES)
		add_problem(checker,
			"%.2f MB; the limit is %.0f MB: run with fewer samples "
			"(--max-samples=50), or without --repeat",
			(double)bytes / 1e6, CONTRIBUTION_MAX_BYTES / 1e6);
	if (document->devices.count != 1) {
		add_problem(checker, "the file has %zu devices, not one", document->devices.count);
		return;
	}
	checker->device = &document->devices.items[0];
	check_device(checker);
	check_origin(checker);
	check_texts(checker);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_timed(const struct result_row *row)
{
	return row->timing.record.present && result_row_median_ns(row) > 0;
}

static void check_ok_row(struct contribution_checker *checker)
{
	const struct result_row *row = checker->row;

	checker->findings->timed++;
	if (!verify_record_passed(&row->verify) || !(row->verify.max_ratio <= 1)) {
		checker->findings->unverified = true;
		add_problem(checker, "the status is ok, but the verification did not pass");
	}
	if (!is_timed(row)) {
		add_problem(checker, "no time: %s", row->reason ? row->reason : "unknown reason");
		return;
	}
	if (!text_equal(row->timing.contract, TIMING_CONTRACT))
		add_problem(checker, "the timing contract is %s, not " TIMING_CONTRACT,
			text_or_empty(row->timing.contract));
	check_samples(checker);
	check_figures(checker);
	check_claim(checker);
}

/* A row without times needs a reason. */
static void check_other_row(struct contribution_checker *checker)
{
	const struct result_row *row = checker->row;

	if (row->timing.record.present)
		add_problem(checker, "a row with the status %s has times",
			outcome_status_name((enum outcome_status)row->status));
	if (!row->reason || !*row->reason)
		add_problem(checker, "a row with the status %s has no reason",
			outcome_status_name((enum outcome_status)row->status));
}

/* Rows with wrong results are allowed, because they describe the device. check_failed_count()
 * limits their number. */
static void check_failed_row(struct contribution_checker *checker)
{
	checker->findings->failed++;
	check_other_row(checker);
}

static void check_unverified_row(struct contribution_checker *checker)
{
	checker->findings->unverified = true;
	add_problem(checker, "the row was not verified");
}

static void check_skipped_row(struct contribution_checker *checker)
{
	checker->findings->skipped++;
	check_other_row(checker);
}

static void check_broken_row(struct contribution_checker *checker)
{
	checker->findings->broken++;
	check_other_row(checker);
}

static void (*const class_checks[OUTCOME_CLASS_COUNT])(struct contribution_checker *checker) = {
	[OUTCOME_CLASS_OK] = check_ok_row,
	[OUTCOME_CLASS_FAILED] = check_failed_row,
	[OUTCOME_CLASS_UNVERIFIED] = check_unverified_row,
	[OUTCOME_CLASS_SKIPPED] = check_skipped_row,
	[OUTCOME_CLASS_BROKEN] = check_broken_row,
};

static void check_names(struct contribution_checker *checker)
{
	const struct result_row *row = checker->row;
	const struct family *family = family_find(text_or_empty(row->family));

	if (!family)
		add_problem(checker, "the family is unknown");
	else if (!variant_find(family, text_or_empty(row->variant)))
		add_problem(checker, "the variant is unknown");
}

static void check_private_row(struct contribution_checker *checker)
{
	const struct result_row *row = checker->row;

	if (!text_equal(row->device, checker->device->key))
		add_problem(checker, "the device must be '%s'", checker->device->key);
	if (!device_view(checker->device, row->backend))
		add_problem(checker, "the device has no view of this backend");
	if (row->log || row->driver_text || row->error.record.present || row->build.warnings.count)
		add_problem(checker, "log, driver_text, error and build.warnings must be absent");
	if (row->device_state.record.present &&
		(row->device_state.other_processes >= 0 || !isnan(row->device_state.load_average)))
		add_problem(checker, "device_state.other_processes and load_average must be null");
}

static void check_row(struct contribution_checker *checker, struct row_numbers *numbers)
{
	char *identity = result_row_identity(checker->row);

	if (!identity || !row_numbers_add(numbers, identity))
		checker->no_memory = true;
	else if (numbers->items[numbers->count - 1].again)
		add_problem(checker, "the file has this row twice");
	free(identity);
	check_names(checker);
	if (checker->row->own_kernel)
		add_problem(checker, "the kernel is not the project's (own_kernel): leave out "
				     "--kernel-dir");
	check_private_row(checker);
	class_checks[checker->row->status >= 0
			     ? outcome_class_of((enum outcome_status)checker->row->status)
			     : OUTCOME_CLASS_UNVERIFIED](checker);
}

/* ---- Coverage -------------------------------------------------------------------------------- */

static bool has_default_size(const struct contribution_checker *checker,
	const struct family *family, const struct result_row *row)
{
	struct problem problem = problem_default(family);
	bool same = row->problem.count == family->dim_count;

	problem_default_size(&problem,
		text_equal(checker->device->type, "cpu") ? DEVICE_CLASS_CPU : DEVICE_CLASS_GPU);
	for (size_t i = 0; same && i < family->dim_count; i++)
		same = named_list_get(&row->problem, family->dim_names[i], 0) == problem.dim[i];
	return same;
}

static bool covers(const struct contribution_checker *checker, const struct family *family)
{
	const struct result_list *rows = &checker->document->results;

	for (size_t i = 0; i < rows->count; i++)
		if (text_equal(rows->items[i].family, family->name) && is_timed(&rows->items[i]) &&
			has_default_size(checker, family, &rows->items[i]))
			return true;
	return false;
}

/* If many results of a device are wrong, its times are not reliable. */
static void check_failed_count(struct contribution_checker *checker)
{
	size_t failed = checker->findings->failed, rows = failed + checker->findings->timed;

	if (failed * CONTRIBUTION_FAILED_ONE_OF > rows)
		add_problem(checker,
			"%zu of %zu rows have wrong results; the limit is one of %d: report them as an issue",
			failed, rows, CONTRIBUTION_FAILED_ONE_OF);
}

static void count_coverage(struct contribution_checker *checker)
{
	const struct result_list *rows = &checker->document->results;

	for (size_t i = 0; i < family_count; i++) {
		if (families[i]->internal)
			continue;
		checker->findings->families++;
		checker->findings->covered += covers(checker, families[i]);
	}
	for (size_t i = 0; i < rows->count; i++)
		checker->findings->flagged +=
			is_timed(&rows->items[i]) &&
			rows->items[i].timing.flags & (TIMING_NOISY | TIMING_THROTTLED);
}

/* The memory roof is too large if no row of any family is near it. The fastest copy reaches more
 * than 85 % of the roof on the shipped GPUs, and more than 70 % on the shipped CPUs. */
static void check_reached(struct contribution_checker *checker)
{
	const struct contribution_findings *findings = checker->findings;
	const struct result_list *rows = &checker->document->results;
	double roof = 0, reached = 0;

	for (size_t i = 0; i < checker->device->views.count; i++)
		roof = fmax(roof, checker->device->views.items[i].roofs.copy_gbps);
	for (size_t i = 0; i < rows->count; i++)
		if (is_timed(&rows->items[i]))
			reached = fmax(reached, rows->items[i].work.bytes_compulsory /
							result_row_median_ns(&rows->items[i]));
	if (findings->covered == findings->families && reached < MIN_REACHED * roof)
		add_problem(checker,
			"the fastest row reaches %.4g GB/s, less than %.0f %% of the memory roof "
			"of %.4g GB/s: the roof is too large",
			reached, 100 * MIN_REACHED, roof);
}

/* ---- Public ---------------------------------------------------------------------------------- */

void contribution_findings_finish(struct contribution_findings *findings)
{
	text_list_finish(&findings->problems);
	*findings = (struct contribution_findings){0};
}

enum pmpp_status contribution_check(const struct result_document *document, size_t bytes,
	struct contribution_findings *ret_findings, struct pmpp_error *error)
{
	struct contribution_findings findings = {0};
	struct contribution_checker checker = {.document = document, .findings = &findings};
	struct row_numbers numbers = {0};

	check_document(&checker, bytes);
	for (size_t i = 0; checker.device && i < document->results.count; i++) {
		checker.row = &document->results.items[i];
		check_row(&checker, &numbers);
	}
	checker.row = NULL;
	if (checker.device) {
		count_coverage(&checker);
		check_failed_count(&checker);
		check_reached(&checker);
	}
	if (checker.device && findings.timed == 0)
		add_problem(&checker, "no row has a time");
	row_numbers_finish(&numbers);
	problems_finish(&checker);
	if (checker.no_memory) {
		contribution_findings_finish(&findings);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory to check a file");
	}
	*ret_findings = findings;
	return PMPP_OK;
}
