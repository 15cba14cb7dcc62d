/*
 * The outcome of a variant: the status of a result row, and the class of the status. Closing lines
 * and exit codes count classes.
 */
#ifndef PMPP_COMMON_MODEL_OUTCOME_H
#define PMPP_COMMON_MODEL_OUTCOME_H

#include <stdbool.h>

/* name, word in result files, class */
#define OUTCOME_MAP(XX)                                                                      \
	XX(OK, "ok", OK)                                                                     \
	XX(UNVERIFIED, "unverified", UNVERIFIED) /* not checked: see the reason */           \
	XX(FAILED, "failed", FAILED)             /* wrong result */                          \
	XX(SUSPECT, "suspect", FAILED)           /* right result, in an impossible time */   \
	XX(UNSUPPORTED, "unsupported", SKIPPED)  /* not possible on this device */           \
	XX(SKIPPED, "skipped", SKIPPED)          /* out of domain, no twin, no capability */ \
	XX(BUILD_ERROR, "build_error", BROKEN)                                               \
	XX(LAUNCH_ERROR, "launch_error", BROKEN)                                             \
	XX(TIMEOUT, "timeout", BROKEN)                                                       \
	XX(CRASHED, "crashed", BROKEN)

enum outcome_status {
#define XX(name, text, class) OUTCOME_##name,
	OUTCOME_MAP(XX)
#undef XX
	OUTCOME_STATUS_COUNT
};

/* From good to bad. */
enum outcome_class {
	OUTCOME_CLASS_OK,
	OUTCOME_CLASS_SKIPPED, /* not run */
	OUTCOME_CLASS_UNVERIFIED,
	OUTCOME_CLASS_BROKEN, /* no result: build, launch, timeout, crash */
	OUTCOME_CLASS_FAILED, /* wrong result, or an impossible time */
	OUTCOME_CLASS_COUNT
};

/* By status: "ok", ...; ended by NULL. */
extern const char *const outcome_status_words[OUTCOME_STATUS_COUNT + 1];

/* "build_error"; "unknown" for a value outside the enumeration. */
const char *outcome_status_name(enum outcome_status status);

/* status must be a value of the enumeration. */
enum outcome_class outcome_class_of(enum outcome_status status);

/* How bad an outcome is: its class. Larger is worse. A value outside the enumeration counts as
 * unverified. */
int outcome_badness(int status);

/* Whether a row was not run: unsupported or skipped. false for a status of a newer version. */
bool outcome_is_skipped(int status);

#endif
