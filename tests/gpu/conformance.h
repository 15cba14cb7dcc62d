/* Shared parts of the conformance tests: one device and one program for each engine, created at the
 * first use. */
#ifndef PMPP_TESTS_GPU_CONFORMANCE_H
#define PMPP_TESTS_GPU_CONFORMANCE_H

#include "tests/support/engine.h"
#include "tests/support/test.h"

struct conf {
	struct engine engine;
	struct gpu_device *device;
	struct gpu_program *program; /* CONF_VALUE is CONF_DEFAULT */
};

#define CONF_DEFAULT 41

/* One row, run on every engine. */
struct conf_check {
	const char *name;
	void (*run)(struct conf *conf);
};

/* A NULL name ends each list. */
extern const struct conf_check conf_buffer_checks[];
extern const struct conf_check conf_program_checks[];
extern const struct conf_check conf_launch_checks[];
extern const struct conf_check conf_library_checks[];
extern const struct conf_check conf_device_checks[];

/* Registers the kernels of conformance.cu with the fake. */
void conf_fake_setup(void);

/* A failure in these functions ends the row. */
struct gpu_device *conf_device(struct conf *conf);
struct gpu_program *conf_program(struct conf *conf);
struct gpu_kernel *conf_kernel(struct conf *conf, const char *entry);
struct gpu_buffer *conf_buffer(struct conf *conf, uint64_t bytes);

/* Returns the source of the kernels for this engine. The caller frees it. */
char *conf_source(const struct conf *conf);

/* Launches `groups` blocks of `block` threads and waits. */
void conf_launch(struct gpu_kernel *kernel, uint64_t groups, uint32_t block, uint32_t shared_bytes,
	const struct gpu_arg *args, size_t arg_count);

#define ARG_BUFFER(b) ((struct gpu_arg){.kind = GPU_ARG_BUFFER, .as.buffer = (b)})
#define ARG_INT(value) ((struct gpu_arg){.kind = GPU_ARG_INT, .as.i = (value)})
#define ARG_UINT(value) ((struct gpu_arg){.kind = GPU_ARG_UINT, .as.u = (value)})
#define ARG_ULONG(value) ((struct gpu_arg){.kind = GPU_ARG_ULONG, .as.ul = (value)})
#define ARG_FLOAT(value) ((struct gpu_arg){.kind = GPU_ARG_FLOAT, .as.f = (value)})

#endif
