/*
 * The operands of a problem on the device, and the variant's scratch buffers. Each buffer has a
 * guard on both sides, which a kernel must not touch. The output is poisoned before a run, and the
 * inputs are compared after it.
 */
#ifndef PMPP_HOST_SUITE_OPERANDS_H
#define PMPP_HOST_SUITE_OPERANDS_H

#include "common/family.h"
#include "common/status.h"
#include "host/gpu/gpu.h"

struct layout {
	int64_t rows, columns; /* on the host, by rows */
	bool by_columns;       /* on the device: lines are columns */
	int64_t lines, line;   /* on the device: number of lines, elements per line */
	int64_t pitch;         /* distance of two lines, in elements */
	enum dtype host, device;
};

struct layout layout_of(const struct config *config, const struct problem *problem, size_t operand);
bool layout_equal(const struct layout *a, const struct layout *b);

/* Bytes on the device; UINT64_MAX if the number overflows. */
uint64_t layout_bytes(const struct layout *layout);

/* true: the bytes on the host and on the device are the same. */
bool layout_is_direct(const struct layout *layout);

/* Copy `lines` lines between the host's array and a staging buffer in device layout. The staging
 * buffer has lines * pitch elements. */
void layout_pack(const struct layout *layout, const void *array, int64_t first_line, int64_t lines,
	void *ret_staging);
void layout_unpack(const struct layout *layout, const void *staging, int64_t first_line,
	int64_t lines, void *ret_array);

struct input_slot {
	void *values; /* owned */
	uint64_t bytes;
	struct problem problem; /* problem of the values; family NULL = none */
};

/* Zero-initialised: no arrays. */
struct inputs {
	/* INPUT_USER: one array per operand, in the order of family->operands; set by the owner;
	 * NULL = none; not owned. */
	const void *user[PMPP_MAX_OPERANDS];
	/* One array per operand and kind of data. */
	struct input_slot random[PMPP_MAX_OPERANDS];
	struct input_slot checks[PMPP_MAX_OPERANDS]; /* of the other sources */
};

/* Largest absolute value in the problem's INPUT_INTEGER inputs; 0: f32 would not be exact. */
int64_t inputs_integer_limit(const struct problem *problem);

/* Returns one host array per operand of the family (NULL for outputs), rounded as the problem
 * requires. The arrays are valid until the next call for another problem. PMPP_USAGE: INPUT_USER
 * without an array. PMPP_TOO_LARGE: INPUT_INTEGER, and inputs_integer_limit() is 0. */
enum pmpp_status inputs_get(struct inputs *inputs, const struct problem *problem,
	const void *ret_arrays[PMPP_MAX_OPERANDS], struct pmpp_error *error);

/* Returns the host memory of the arrays, in bytes. */
uint64_t inputs_held_bytes(const struct inputs *inputs);

/* Frees the arrays, but keeps `user`. The next inputs_get() generates the inputs again. */
void inputs_release(struct inputs *inputs);

#define MAX_BUFFERS (PMPP_MAX_OPERANDS + PMPP_MAX_SCRATCH)

/* The contents of an output and of the scratch buffers before a run. The runs of a verification begin
 * with different ones: an element that a kernel leaves out, or takes into its result, is wrong in
 * one of them. For example, max() ignores NaN and values below all others. */
enum poison {
	POISON_KEEP = -1, /* verify_output(): what the last run left */
	POISON_NAN,       /* of a type without NaN: another value */
	POISON_BELOW,
	POISON_ABOVE,
	POISON_COUNT,
	POISON_ZERO = POISON_COUNT /* only to find the cause of a wrong result */
};

/* Every sample begins with this poison, so the check after the timing sees the last sample. It is
 * not NaN: a kernel could test for NaN, and leave out the work if a result is there. */
#define TIMED_POISON POISON_ABOVE

/* Contents of an input's buffer. Equal contents are not uploaded again. */
struct operand_content {
	bool known;
	struct problem problem;
	struct layout layout;
};

/* Zero-initialised, except device and inputs, which the owner sets. */
struct operands {
	struct gpu_device *device;   /* not owned; must outlive the operands */
	struct inputs *inputs;       /* not owned; source of the uploads */
	const struct family *family; /* NULL = none */
	struct layout layouts[PMPP_MAX_OPERANDS];
	uint64_t guard_bytes;
	uint64_t wanted_bytes[MAX_BUFFERS];      /* of each buffer; 0 = no buffer */
	struct gpu_buffer *buffers[MAX_BUFFERS]; /* operands; scratch from PMPP_MAX_OPERANDS on */
	struct operand_content content[PMPP_MAX_OPERANDS];
	bool borrowed[PMPP_MAX_OPERANDS]; /* the buffer belongs to other operands */
	bool guards_known;
	void *staging[2]; /* two of staging_bytes each */
	uint64_t staging_bytes;
};

/* Bytes of the guard on one side of each buffer. */
uint64_t operands_guard_bytes(const struct gpu_device_info *info);

/* Bytes of the variant's scratch buffers; 0 for an unused buffer. */
void operands_scratch_bytes(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH]);

/* Bytes of host memory that operands_create() and the copies between host and device allocate. */
uint64_t operands_staging_bytes(const struct config *config, const struct problem *problem);

/* Sets the layouts for the variant and destroys the buffers that do not fit them. Returns the bytes
 * of device memory that operands_create() will allocate. Call memory_check() first: the sizes must
 * not overflow. */
uint64_t operands_plan(struct operands *operands, const struct config *config,
	const struct problem *problem, bool unguarded);

/* After operands_plan() of empty operands: uses the inputs of other operands on the same device if
 * problem and layout are equal. The other operands must not change as long as these have buffers.
 * Do not call operands_plan() afterwards. Returns the bytes of device memory that operands_create()
 * will allocate. */
uint64_t operands_borrow(
	struct operands *operands, const struct operands *lender, const struct problem *problem);

/* Creates the missing buffers of the plan. Frees all buffers on failure. */
enum pmpp_status operands_create(struct operands *operands, struct pmpp_error *error);

/* Bytes of device memory of the operands' buffers. */
uint64_t operands_held_bytes(const struct operands *operands);

/* Destroys the buffers that are not borrowed; operands_plan() may follow. */
void operands_release(struct operands *operands);

/* Writes the problem's inputs and the guards, except those that the buffers already hold. */
enum pmpp_status operands_upload(
	struct operands *operands, const struct problem *problem, struct pmpp_error *error);

/* Queues fills of the output and of the scratch buffers with the poison of the output's type on the
 * device. */
enum pmpp_status operands_poison(
	struct operands *operands, enum poison poison, struct pmpp_error *error);

/* Reads the output, by rows. */
enum pmpp_status operands_read_output(
	struct operands *operands, void *ret_output, struct pmpp_error *error);

/* *ret_intact: the guards of every buffer that is not borrowed hold their pattern. */
enum pmpp_status operands_check_guards(
	struct operands *operands, bool *ret_intact, struct pmpp_error *error);

/* *ret_intact: the inputs on the device, without borrowed ones, are those of the last upload. */
enum pmpp_status operands_check_inputs(struct operands *operands, const struct problem *problem,
	bool *ret_intact, struct pmpp_error *error);

/* Marks the contents of all buffers as unknown. Call it after a failed launch. */
void operands_forget(struct operands *operands);

#endif
