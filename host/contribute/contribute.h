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
 * PMPP_OUT_OF_MEMORY. The caller frees ret_findings->problems, also after an error. */
enum pmpp_status contribution_check(const struct result_document *document, size_t bytes,
	struct contribution_findings *ret_findings, struct pmpp_error *error);

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

/* Gives the CPUs of a shipped file, and its devices without UUID and PCI address, an identity of
 * their own, so that they never join the devices of another file: the UUID becomes
 * "shipped:NAME:NUMBER". Appends the name of the file to the name of a CPU: "AMD EPYC (intel-epyc)". name:
 * name of the file, without ".json". Returns false if there is no memory. */
bool contribution_set_apart(struct result_document *document, const char *name);

#endif
