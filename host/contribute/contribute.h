/*
 * Contributions: result files of one device that are sent to the project and ship with it
 * (docs/contributing-results.md):
 *
 *     make       one document from the results of one device
 *     filter     removes or replaces private data (PRIVATE in host/record/record.h), and rounds
 *                figures
 *     check      the rules that a document must fulfil
 */
#ifndef PMPP_HOST_CONTRIBUTE_CONTRIBUTE_H
#define PMPP_HOST_CONTRIBUTE_CONTRIBUTE_H

#include "host/compare/compare.h"

/* Size limit of a file. */
#define CONTRIBUTION_MAX_BYTES 1000000

/* At most one of this number of rows may have wrong results. */
#define CONTRIBUTION_FAILED_ONE_OF 20

/* ---- Check --------------------------------------------------------------------------------- */

struct contribution_findings {
	struct text_list problems; /* one line each; empty: the document may be sent; owned */
	size_t more;               /* number of problems that are not in the list */
	bool unverified;           /* a row has times, but its verification did not pass */
	size_t of_class[OUTCOME_CLASS_COUNT]; /* number of rows of each class */
	size_t flagged;                       /* timed rows that are noisy or throttled */
	size_t covered, families; /* families of `run all`; covered: timed at the default size */
};

/* Checks a document. bytes: size of its file. Problems are findings, not errors: fails only with
 * PMPP_OUT_OF_MEMORY. The caller finishes *ret_findings, also after an error. */
enum pmpp_status contribution_check(const struct result_document *document, size_t bytes,
	struct contribution_findings *ret_findings, struct pmpp_error *error);
void contribution_findings_finish(struct contribution_findings *findings);

/* ---- Make ---------------------------------------------------------------------------------- */

/* Makes one document from the results of one device, and its text for a file. *ret_findings:
 * findings of the new document, which has no problems. *ret_text and *ret_findings must be empty
 * before. The caller frees them, also after an error. PMPP_USAGE with the reason:
 *
 *   - the files have no timed rows, several devices, several contracts, an emulator, one row twice, or
 *     unknown keys
 *   - a row passed, but has no time
 *   - the text is too long
 *   - contribution_check() has found a problem */
enum pmpp_status contribution_make(const struct compared_file *files, size_t count, char **ret_text,
	struct contribution_findings *ret_findings, struct pmpp_error *error);

/* ---- Devices ------------------------------------------------------------------------------- */

/* Returns whether two devices are the same physical device. Either may be from a contribution.
 * Devices without UUID and PCI address have the same identity if their names are equal. CPUs and
 * devices without UUID and PCI address are the same only if the processors, cores and memory of
 * their hosts are equal too: the digest of the host in a contribution contains these. */
bool contribution_same_device(const struct result_document *a, const struct device_record *device_a,
	const struct result_document *b, const struct device_record *device_b);

/* Gives the CPUs of a shipped file, and its devices without UUID and PCI address, an identity of
 * their own, so that they never join the devices of another file: the UUID becomes
 * "shipped:NAME:NUMBER". Appends the name of the file to the name of a CPU: "AMD EPYC (intel-epyc)". name:
 * name of the file, without ".json". Returns false if there is no memory. */
bool contribution_set_apart(struct result_document *document, const char *name);

/* ---- Filter -------------------------------------------------------------------------------- */

/* Replaces or removes all private data. The document must have one device, which all rows name.
 * Returns false if there is no memory. */
bool make_public(struct result_document *document);

/* Rounds all numbers that are not integers: times to 0.1 ns or 5 significant digits, whichever is
 * finer; other numbers to 7 significant digits. */
void round_document(struct result_document *document);

/* Largest error of a time that was rounded, in ns. */
#define ROUNDED_NS 0.05

/* Returns whether the identity of a run is a digest of 32 hexadecimal digits. */
bool is_public_run(const char *id);

/* Returns the hexadecimal identity of the machine of a public document: a digest of the device's
 * key, the processor, the cores and the memory. malloc'ed; NULL if there is no memory. */
char *public_host_id(const struct result_document *document);

/* Returns whether the texts of a field are dates. In contributions they have the day, but no time. */
bool is_date(const struct record_field *field);

/* Returns whether a text contains the path of a file: an absolute path of two names or more, a path
 * that begins with "../" or "~/", or a Windows path. */
bool has_path(const char *text);

#endif
