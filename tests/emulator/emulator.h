/*
 * What the emulator's tests share: a device with programs from the kernel files, and launches that
 * take their operands as arrays of 32-bit words and give them back.
 */
#ifndef PMPP_TESTS_EMULATOR_EMULATOR_H
#define PMPP_TESTS_EMULATOR_EMULATOR_H

#include "common/model/trace.h"
#include "host/gpu/gpu.h"
#include "tests/support/test.h"

#include <stdbool.h>

#define EMU_ARGS 8
#define EMU_WORKERS_DEFAULT NULL

struct emu {
	struct gpu_device *device;
	struct gpu_program *program;
	char *source;
	char name[64]; /* of the source, as messages show it */
};

/* The front end that the rows use, and the kernel files of its language. */
struct emu_language {
	enum gpu_backend_id backend;
	const char *extension; /* of kernel files, with the dot */
};

extern const struct emu_language emu_cuda, emu_opencl;

/* Chooses the front end of all later emu_start(). Default: emu_cuda. */
void emu_use(const struct emu_language *language);
const struct emu_language *emu_language(void);

/* Opens the emulator, or skips the row where there is no compiler. workers and timeout_s go through
 * the environment (NULL: the defaults). */
struct emu emu_start(const char *workers, const char *timeout_s);

/* Makes a shell script the compiler (CXX) for the rest of the row. */
void emu_use_compiler(const char *script);

/* Builds a file of tests/emulator/kernels; name: without the extension. */
void emu_build_file(struct emu *emu, const char *name, bool traced);

/* Builds a text. The error of a failure is test_error. */
enum pmpp_status emu_build_text(struct emu *emu, const char *source, bool traced);

void emu_stop(struct emu *emu);

/* An emulator that is closed at the end of its scope. */
#define EMU FINISHED(emu_stop) struct emu

/* The line of the source with the mark "@name"; fails the row when there is none. */
int emu_line(const struct emu *emu, const char *mark);

struct emu_arg {
	enum gpu_arg_kind kind;
	void *words;    /* GPU_ARG_BUFFER: written before, read after the launch */
	size_t count;   /* of words */
	uint64_t value; /* the bits of a scalar */
};

#define WORDS(array)                                                                 \
	{                                                                            \
		.kind = GPU_ARG_BUFFER, .words = (array), .count = sizeof(array) / 4 \
	}
#define INT(x)                                              \
	{                                                   \
		.kind = GPU_ARG_INT, .value = (uint32_t)(x) \
	}
#define ULONG(x)                                    \
	{                                           \
		.kind = GPU_ARG_ULONG, .value = (x) \
	}

struct emu_run {
	const char *entry;
	uint64_t groups[3]; /* 0 stands for 1 */
	uint32_t block[3];
	uint32_t shared_bytes;
	struct emu_arg args[EMU_ARGS];
	size_t arg_count;
};

/* One launch, its operands with guards of 256 bytes. The error of a failure is test_error. */
enum pmpp_status emu_run(struct emu *emu, const struct emu_run *run);

/* The same for blocks of one dimension: EMU_LAUNCH(&emu, "add", 4, 256, WORDS(a), INT(n)). */
#define EMU_LAUNCH(emu, name, group_count, threads, ...)                            \
	emu_run(emu, &(struct emu_run){.entry = (name),                             \
			     .groups = {group_count},                               \
			     .block = {threads},                                    \
			     .args = {__VA_ARGS__},                                 \
			     .arg_count = sizeof((struct emu_arg[]){__VA_ARGS__}) / \
					  sizeof(struct emu_arg)})

/* The same; must succeed. */
#define EMU_RUN(...) test_ok(EMU_LAUNCH(__VA_ARGS__))

/* The rows of each file. */
void emulator_add_right(void);
void emulator_add_defects(void);
void emulator_add_builds(void);
void emulator_add_constructs(void);
void emulator_add_copies(void);
void emulator_add_stopped(void);
void emulator_add_watch(void);
void emulator_add_widths(void);
void emulator_add_compilers(void);
void emulator_add_fills(void);
void emulator_add_stacks(void);

#endif
