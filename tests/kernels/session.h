/* A suite on an engine, kept over rows, and the verdict of a variant on it as a row's. */
#ifndef PMPP_TESTS_KERNELS_SESSION_H
#define PMPP_TESTS_KERNELS_SESSION_H

#include "host/suite/suite.h"
#include "tests/support/engine.h"
#include "tests/support/test.h"
#include "tests/support/variants.h"

struct session {
	struct engine engine;
	const char *kernel_dir; /* of all families, internal ones too; NULL: embedded sources */
	struct suite *suite;    /* NULL: not open */
};

/* A row of a variant on an engine. */
struct session_row {
	struct session *session;
	struct config config;
	struct problem problem;
};

/* suite_trace() with all blocks. The caller finishes the trace. */
struct suite_trace session_trace(
	struct session *session, const struct config *config, const struct problem *problem);

/* The same with a request. */
struct suite_trace session_trace_of(struct session *session, const struct config *config,
	const struct problem *problem, const struct trace_request *request);

/* The text of the variant's kernel file. */
const char *session_kernel(const struct variant *variant, enum gpu_backend_id backend);

/* Writes a text in the place of the variant's file below a kernel_dir. */
void session_write_kernel(const char *kernel_dir, const struct variant *variant,
	enum gpu_backend_id backend, const char *text);

/* The variant of a path such as "matmul/naive". NULL: there is none. */
const struct variant *session_variant(const char *path);

/* Verifies. The row is skipped where the engine is missing, fails where the suite itself fails. The
 * caller finishes the outcome. */
struct outcome session_verify(
	struct session *session, const struct config *config, const struct problem *problem);

/* The same, and the row passes, is skipped or fails as the outcome says. Only a variant that needs
 * something, is out of its domain or takes more shared memory than every GPU has may be skipped on
 * a backend that PMPP_REQUIRE names. ret_sha256 (may be NULL): of the output. */
void session_pass(struct session *session, const struct config *config,
	const struct problem *problem, char ret_sha256[65]);

/* After a crash of a kernel, or at the end. */
void session_close(struct session *session);

/* The largest work of a check size: suite_work_budget(), in the short form that of the slowest
 * engine. The test `family` checks that each variant then has a size of 1, a prime, an uneven and a
 * rectangular size. */
double session_work_budget(const struct session *session);

struct problem session_problem(const struct family *family, const int64_t *dim);

/* The first choices of type, operation and data at which the problem is in the variant's domain. */
void session_choose_inside(const struct config *config, struct problem *problem);

#endif
