/*
 * Status codes and the error record.
 *
 * Every function that can fail returns enum pmpp_status and takes a
 * struct pmpp_error * (never NULL) that it fills before it returns anything but
 * PMPP_OK. Out-parameters (ret_x) are untouched on failure. Nothing below
 * host/cli/main.c ends the process.
 */
#ifndef PMPP_COMMON_STATUS_H
#define PMPP_COMMON_STATUS_H

#include <stdbool.h>

/* name, text */
#define PMPP_STATUS_MAP(XX)                                                                  \
	XX(OK, "ok")                                                                         \
	XX(USAGE, "usage error")           /* unknown name, bad value, bad file: exit 1 */   \
	XX(TOO_LARGE, "too large")         /* a size that does not fit here: exit 1 */       \
	XX(UNAVAILABLE, "unavailable")     /* backend or device not available: exit 2 */     \
	XX(UNSUPPORTED, "unsupported")     /* this device cannot do this */                  \
	XX(OUT_OF_MEMORY, "out of memory") /* on the host or on the device */                \
	XX(BUILD, "build failed")          /* the kernel's compiler refused it */            \
	XX(LAUNCH, "launch failed")        /* the driver or the kernel failed at run time */ \
	XX(TIMEOUT, "timed out")                                                             \
	XX(IO, "input/output error")                                                         \
	XX(INTERRUPTED, "interrupted")                                                       \
	XX(INTERNAL, "internal error") /* a broken contract between our own layers */

enum pmpp_status {
#define XX(name, text) PMPP_##name,
	PMPP_STATUS_MAP(XX)
#undef XX
};

/* "build failed"; never NULL. */
const char *pmpp_status_text(enum pmpp_status status);

struct pmpp_error {
	enum pmpp_status status;
	/* One line for the user: what is wrong, where, what to do. Clean (common/clean_text.h). */
	char message[600];
	char call[64];   /* the driver's function that failed, "clCreateBuffer"; "" for none */
	long code;       /* the code that it returned */
	char symbol[64]; /* the name of the code, "CL_OUT_OF_RESOURCES" */
	char file[64];   /* the source file that set the error, relative to the root folder */
	int line;
	/* A block of the kernel exceeds a limit of the device: a smaller block may fit. */
	bool block_limit;
	char *log; /* unchanged log of the compiler, owned by the record; NULL = none */
};

/* A record without an error. Initialise every record with this value. */
#define PMPP_ERROR_INIT ((struct pmpp_error){0})

/* Frees the log and makes the record empty. NULL is allowed. */
void pmpp_error_clear(struct pmpp_error *error);

/* Moves an error and its log; `from` becomes empty. */
void pmpp_error_move(struct pmpp_error *to, struct pmpp_error *from);

/* Fills the record, which drops an older error, and returns `status`. A caller can write
 * status = PMPP_FAIL(error, PMPP_USAGE, "..."); goto out; */
enum pmpp_status pmpp_error_set(struct pmpp_error *error, enum pmpp_status status, const char *file,
	int line, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The same for a failed driver function (its name, without arguments). The message becomes
 * "CALL failed: SYMBOL (code)". */
enum pmpp_status pmpp_error_set_call(struct pmpp_error *error, enum pmpp_status status,
	const char *file, int line, const char *call, long code, const char *symbol);

/* Puts "prefix: " before the message of a set error. All other fields stay. */
void pmpp_error_prefix(struct pmpp_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends a text to the message of a set error. All other fields stay. */
void pmpp_error_append(struct pmpp_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Marks a set error as a block limit. Its status becomes PMPP_UNSUPPORTED, which is returned. */
enum pmpp_status pmpp_error_set_block_limit(struct pmpp_error *error);

/* Size of the text of pmpp_error_details(). */
#define PMPP_ERROR_DETAILS_BYTES 320

/* The typed fields of a set error in one line, without the message: "out of memory; clCreateBuffer
 * returned CL_OUT_OF_RESOURCES (-5); at host/gpu/opencl/queue.c:72". Returns text. */
const char *pmpp_error_details(const struct pmpp_error *error, char text[PMPP_ERROR_DETAILS_BYTES]);

#define PMPP_FAIL(error, status, ...) \
	pmpp_error_set((error), (status), __FILE__, __LINE__, __VA_ARGS__)

/* PMPP_NO_MEMORY(error, "%s", path): "no memory for PATH" */
#define PMPP_NO_MEMORY(error, ...) \
	PMPP_FAIL((error), PMPP_OUT_OF_MEMORY, "no memory for " __VA_ARGS__)

#endif
