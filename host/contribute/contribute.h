/*
 * Contributions: result files of one device that are sent to the project and ship with it
 * (docs/contributing-results.md):
 *
 *     make       makes one document from the results of one device
 *     private    removes or replaces private data
 *     paths      finds and hides paths of files in texts
 *     rounding   rounds figures
 *     check      checks that a document may be sent, and that its figures are plausible
 *     claims     checks verdicts of claims against their intervals
 *     samples    checks statistics against their samples
 *     roofs      checks figures against the roofs of the device
 *     problems   the list of problems that the checks find
 *     standing   the place of the device among other devices (standing.h)
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
	struct text_list problems;     /* one line each; empty: the document may be sent; owned */
	size_t more;                   /* number of problems that are not in the list */
	bool unverified;               /* a row has times, but its verification did not pass */
	size_t timed, skipped, broken; /* rows; broken: crash, timeout, error */
	size_t failed;                 /* rows with wrong results, which have no times */
	size_t flagged;                /* timed rows that are noisy or throttled */
	size_t covered, families; /* families of `run all`; covered: timed at the default size */
};

/* Checks a document. bytes: size of its file. Problems are findings, not errors: fails only with
 * PMPP_OUT_OF_MEMORY. */
enum pmpp_status contribution_check(const struct result_document *document, size_t bytes,
	struct contribution_findings *ret_findings, struct pmpp_error *error);
void contribution_findings_finish(struct contribution_findings *findings);

/* ---- Make ---------------------------------------------------------------------------------- */

/* Makes one document from the results of one device, and its text for a file. Moves the contents of
 * the files' documents. *ret_findings: findings of the new document, which has no problems.
 * PMPP_USAGE with the reason: the files have no timed rows, several devices, several contracts, an
 * emulator, one row twice, or unknown keys; a row has no time although it passed; the text is too
 * long; contribution_check() has found a problem. */
enum pmpp_status contribution_make(struct compared_file *files, size_t count, char **ret_text,
	struct contribution_findings *ret_findings, struct pmpp_error *error);

/* ---- Devices ------------------------------------------------------------------------------- */

/* Returns whether two devices are the same physical device. Either may be from a contribution.
 * Devices without UUID and PCI address have the same identity if their names are equal. CPUs and
 * devices without UUID and PCI address are the same only if the processors, cores and memory of
 * their hosts are equal too: the digest of the host in a contribution contains these. */
bool contribution_same_device(const struct result_document *a, const struct device_record *device_a,
	const struct result_document *b, const struct device_record *device_b);

/* If a contribution and another file have the same device under different keys, gives the device of
 * the contribution the identity of the other file, so that the rows of both files join. Returns
 * false if there is no memory. */
bool contribution_join_devices(struct compared_file *files, size_t count);

/* Gives the CPUs of a shipped file, and its devices without UUID and PCI address, an identity of
 * their own, so that they never join the devices of another file: the key and the UUID become
 * "shipped:NAME". Appends the name of the file to the name of a CPU: "AMD EPYC (intel-epyc)". name:
 * name of the file, without ".json". Returns false if there is no memory. */
bool contribution_set_apart(struct result_document *document, const char *name);

#endif
