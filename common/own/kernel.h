/*
 * A kernel of the user, in a file of its own, as a variant of a family.
 *
 * own_kernel_read() finds the kernel in the text of the file, binds its parameters to the operands and sizes of the
 * family, and finds block, grid and dynamic shared memory. What the command line does not say may stand in
 * comments of the file, `//pmpp: block = 16x16`, or follows from the code.
 */
#ifndef PMPP_COMMON_OWN_KERNEL_H
#define PMPP_COMMON_OWN_KERNEL_H

#include "common/family.h"
#include "common/model/mistake.h"
#include "common/status.h"

#define OWN_NAME_BYTES 64
#define OWN_FILE_CHARACTERS 127 /* of the name of a file */
#define OWN_TEXT_BYTES 240
#define OWN_SUMMARY_BYTES 500

enum own_role {
	OWN_UNBOUND,
	OWN_OPERAND,
	OWN_SIZE,     /* a size of the problem */
	OWN_VALUE,    /* a constant */
	OWN_COMPUTED, /* an expression over the sizes of the problem */
	OWN_SCRATCH,
	OWN_LOCAL /* OpenCL: a pointer to dynamic shared memory */
};

struct own_param {
	char name[OWN_NAME_BYTES];
	enum own_role role;
	size_t index;              /* of the operand, size or scratch buffer */
	int64_t value;             /* of a constant, as in struct plan_arg */
	char text[OWN_TEXT_BYTES]; /* of an expression */
	enum plan_arg_kind arg;    /* of a parameter that is no pointer */
	bool pointer, read_only, local;
	unsigned char lanes; /* elements of a vector; 0: none */
	bool has_dtype;      /* the type of its elements is known */
	enum dtype dtype;
};

/* An expression. exact: see struct expression_names. */
struct own_expression {
	char text[OWN_TEXT_BYTES]; /* "": not given */
	bool exact;
};

#define OWN_MAX_TEMPLATE 8

/* A parameter of a template, and its argument: "TILE" and "16". */
struct own_template_param {
	char name[OWN_NAME_BYTES], value[OWN_NAME_BYTES];
};

#define OWN_MAX_EXTENT 3

/* Threads or blocks of a dimension: the product of these sizes; count 0: it follows from the operands. */
struct own_extent {
	int dims[OWN_MAX_EXTENT];
	size_t count;
	bool blocks;
};

#define OWN_MAX_MACROS 16

/* A macro that is defined before the first line of the file. */
struct own_macro {
	char name[OWN_NAME_BYTES], value[OWN_TEXT_BYTES];
};

/* A scratch buffer that the file declares: "//pmpp: scratch = partial[ceil(n / 256)] f32". */
struct own_scratch {
	char name[OWN_NAME_BYTES], elements[OWN_TEXT_BYTES]; /* an expression over the sizes */
	enum dtype dtype;
};

/* A kernel and its launch. */
struct own_kernel {
	struct variant variant; /* its member `own` points to this struct */
	const struct family *family;
	bool cuda;        /* the file is CUDA C, else OpenCL C */
	char *folder;     /* of the file; owned */
	const char *file; /* its name without the folder */
	char name[OWN_FILE_CHARACTERS +
		  1];               /* of the variant: the name of the file without its ending */
	char entry[OWN_NAME_BYTES]; /* the kernel in the file */
	char launched[OWN_NAME_BYTES +
		      16]; /* the same, or for a template the kernel that calls the instance */
	struct own_template_param template_params[OWN_MAX_TEMPLATE];
	size_t template_count;                   /* 0: the kernel is no template */
	struct own_macro macros[OWN_MAX_MACROS]; /* of options and comments */
	size_t macro_count;
	struct own_param params[PMPP_MAX_ARGS];
	size_t param_count;
	bool has_dtype; /* the elements of its operands choose the type of the problem */
	enum dtype dtype;
	const char *op;           /* of family->ops; NULL: not given */
	bool several;             /* the file has several launches, or names its only one */
	bool square;              /* all sizes without a default are one parameter */
	unsigned unbound;         /* bit i: no parameter is size i */
	unsigned cleared;         /* bit i: operand i is set to 0 before each run */
	unsigned cleared_scratch; /* bit i: the same of scratch buffer i */
	struct own_scratch scratch[PMPP_MAX_SCRATCH];
	size_t scratch_count;
	struct own_kernel *next;       /* of the next launch; owned; NULL: this is the last one */
	const struct own_kernel *twin; /* of this name in the other language; NULL: none */
	bool two_dimensional;          /* the kernel uses the y dimension of blocks or grids */
	uint32_t block[3];
	struct own_expression grid[3], shared;
	struct own_extent extent[2];     /* in x and y, if there is no grid */
	char summary[OWN_SUMMARY_BYTES]; /* what was found, and where: one line for the user */
	char *code; /* the text without comments, strings and directives; owned */
	char *text; /* owned */
	const char *body,
		*launch; /* places in `code`: the body of the kernel; its launch, or NULL */
	/* Arguments of the call in the host code that are names of sizes: "N" is params[k]. */
	char arguments[PMPP_MAX_ARGS][OWN_NAME_BYTES];
};

/* Options of the command line; NULL = not given. */
struct own_wishes {
	const char *problem, *kernel, *instance, *block, *grid, *shared;
	const struct family *family; /* of a problem file: replaces `problem` and its comment */
	const char *op;              /* only for own_comments_set() */
	char macros[OWN_TEXT_BYTES]; /* "TILE=16, REAL=float"; "" = none */
};

/* Finds the problem in a comment of the text. Returns false if there is none. */
bool own_kernel_problem(const char *text, char ret_name[OWN_TEXT_BYTES]);

/* path: the name of the file, ending in .cu or .cl; text: its contents. PMPP_USAGE: the message has what is
 * missing or ambiguous, and the option or the line to add. The caller calls own_kernel_destroy(). */
enum pmpp_status own_kernel_read(const char *path, const char *text,
	const struct own_wishes *wishes, struct own_kernel **ret_kernel, struct pmpp_error *error);
void own_kernel_destroy(struct own_kernel *kernel); /* NULL is allowed */

/* Adds the comments to the text of the file that make the options unnecessary, and replaces those with the same
 * keys. The text may have a byte order mark and lines that end with CR LF. Writes the changed comments; "": none.
 * text: malloc'ed; may be replaced. Returns false, with *text NULL, if there is no memory. */
bool own_comments_set(const struct own_kernel *kernel, const struct own_wishes *wishes, char **text,
	char *ret_changes, size_t size);

/* Defines the macros of the kernel before the source. In a CUDA source, gives the kernel C linkage, so that
 * drivers find it by its name: inserts `extern "C"` before the function, unless it is there. A template becomes a
 * function of the device, and a kernel at the end of the text calls the instance. Lines keep their numbers. text:
 * malloc'ed; may be replaced. Returns false if there is no memory. */
bool own_kernel_export(const struct own_kernel *kernel, char **text);

/* Changes sizes to those that the kernel can take: equal sizes if it has one parameter for all of them, and the
 * defaults of sizes that it does not take. */
void own_kernel_fit(const struct own_kernel *kernel, int64_t dim[PMPP_MAX_DIMS]);

/* Scans the body of the kernel for what may show the line of a mistake. The caller frees the items. Returns false if
 * there is no memory. */
bool own_kernel_code(
	const struct own_kernel *kernel, struct code_item **ret_items, size_t *ret_count);

#endif
