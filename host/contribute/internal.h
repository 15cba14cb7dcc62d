/* Shared by the files of this folder. */
#ifndef PMPP_HOST_CONTRIBUTE_INTERNAL_H
#define PMPP_HOST_CONTRIBUTE_INTERNAL_H

#include "host/contribute/contribute.h"

/* ---- Private ------------------------------------------------------------------------------- */

/* UUID of a device in documents that are sent: 32 hexadecimal digits of the SHA-256 digest of "pmpp
 * device " and device_identity() (host/compare/fields.h), then this text. */
#define PUBLIC_UUID_SUFFIX "-sha256"
#define PUBLIC_UUID_DIGITS 32

bool is_public_uuid(const char *uuid);

/* Returns whether the identity of a run is a digest of 32 hexadecimal digits. */
bool is_public_run(const char *id);

/* Replaces or removes all private data. The document must have one device, which all rows name.
 * Returns false if there is no memory. */
bool make_public(struct result_document *document);

/* Returns the hexadecimal identity of the machine of a public document: a digest of the device's
 * key, the processor, the cores and the memory. malloc'ed; NULL if there is no memory. */
char *public_host_id(const struct result_document *document);

/* ---- Paths --------------------------------------------------------------------------------- */

/* Returns whether a text contains the path of a file: an absolute path of two names or more, a path
 * that begins with "../" or "~/", or a Windows path. */
bool has_path(const char *text);

/* Replaces each path by "PATH". A blank after a path and the rest of the line up to a quote are
 * also replaced, unless an option follows. *text becomes NULL if there is no memory. */
void hide_paths(char **text);

/* ---- Rounding ------------------------------------------------------------------------------ */

/* Rounds all numbers that are not integers: times to 0.1 ns or 5 significant digits, whichever is
 * finer; other numbers to 7 significant digits. */
void round_document(struct result_document *document);

/* Largest error of a time that was rounded, in ns. */
#define ROUNDED_NS 0.05

/* ---- Check --------------------------------------------------------------------------------- */

/* The problem of one line of the findings. */
struct contribution_problem {
	char *text;                        /* without the row; owned */
	const struct result_row *last_row; /* NULL: the problem is not about a row */
	size_t more_rows;                  /* number of further rows with the same text */
};

struct contribution_checker {
	const struct result_document *document;
	const struct device_record *device;
	struct contribution_findings *findings;
	const struct result_row *row; /* the problem is about this row; NULL: about the document */
	struct contribution_problem *problems; /* one per line; freed by problems_finish() */
	bool no_memory;
};

/* Writes a figure of a file to `text`: "null" for NaN. Returns `text`. */
#define FIGURE_TEXT_BYTES 32
const char *figure_text(double value, int digits, char text[FIGURE_TEXT_BYTES]);

/* Adds a problem. The line begins with the row. Rows with the same text share one line. */
void add_problem(struct contribution_checker *checker, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends the number of rows to lines that rows share: "... (and 6 more rows)". Frees the memory of
 * the checker. */
void problems_finish(struct contribution_checker *checker);

/* Checks that the statistics of the row agree with its samples. */
void check_samples(struct contribution_checker *checker);

/* Checks that the derived figures of the row agree with its time, and that they are plausible for
 * the roofs of the device. */
void check_figures(struct contribution_checker *checker);

/* Checks that the claim of the row is the claim of its variant, and that the verdict agrees with
 * the interval. */
void check_claim(struct contribution_checker *checker);

#endif
