/*
 * A front end of the emulator: everything that depends on the language of the kernels. The other
 * modules of host/gpu/emu do not depend on this language.
 *
 * A front end compiles a kernel file to a shared object with the interface of runtime/pmpp_emu.h:
 * one record of the object, one record of each kernel, calls of the functions in
 * `struct pmpp_emu_ops`, shared memory in the section pmpp_shared, variables in global memory in the
 * section pmpp_variables, and tables in constant memory in the section pmpp_constants. One worker runs
 * all blocks of an object with variables in global memory.
 */
#ifndef PMPP_HOST_GPU_EMU_FRONT_H
#define PMPP_HOST_GPU_EMU_FRONT_H

#include "host/gpu/backend.h"
#include "host/gpu/backend_text.h"

#define EMU_OBJECT_FILE "kernel.so" /* compile() writes it to the build folder */
#define EMU_DEPENDS_FILE "kernel.d" /* the dependency file of the kernel, in the build folder */
#define EMU_HOOKS_FILE "hooks.cc"   /* C++ source of the hooks of the traced build */

/* The start of the name of unused bytes before and after a variable, and their number: as many as the guards of an
 * operand have. */
#define EMU_GAP "pmpp.gap."
#define EMU_GAP_BYTES "65536"

/* Flags that make the compiler write EMU_DEPENDS_FILE. */
#define EMU_DEPENDS_FLAGS "-MD", "-MF", EMU_DEPENDS_FILE, "-MT", "kernel"

/* Flags with which clang 8 to 15 set local variables to zero. */
#define EMU_FILL_ZERO_OLD_CLANG         \
	"-ftrivial-auto-var-init=zero " \
	"-enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang"

/* A build of a kernel's file in its private folder. */
struct emu_build {
	const struct gpu_program_desc *desc;
	const char *compiler; /* the words of its command, separated by spaces */
	const char *base_key; /* digest of runtime files, flags, compiler and CPU */
	const char *folder;   /* NULL: the current folder */
	int handle;           /* a descriptor of the folder */
	struct pmpp_error *error;
};

struct emu_front {
	enum gpu_backend_id backend;
	const char *title;            /* start of the device's name: "CUDA emulator" */
	const char *compiler_missing; /* why there is no device, and what to install */
	const char *source_file;      /* name of the kernel's file in the build folder */
	/* Files for the build folder: "host/gpu/cuda_emu/runtime/", with the last '/'. */
	const char *runtime_folder;
	/* All words of the compiler's commands, except those that depend on the program: a part of
	 * the key of the cache. Lists ended by NULL; NULL ends the lists. */
	const char *const *const *flags;
	uint32_t warp;                /* lanes of a warp operation; 0: as many as run in lockstep */
	uint32_t static_shared_bytes; /* maximum of a kernel */
	uint32_t shared_bytes;        /* maximum of static and dynamic shared memory together */
	unsigned capabilities;
	struct arithmetic arithmetic;
	bool exact_calls; /* the compiler neither copies nor merges barriers: threads.c */
	/* Barriers and warp operations wait only for threads that have not returned. */
	bool exited_count;

	/* The kernel of the test of the counts (device.c) in this language: a file name and a text. */
	const char *test_name, *test_source;

	/* The words of the compiler's command. */
	const char *(*compiler)(void);
	/* Finds the version of the compiler. Returns false if there is none. */
	bool (*find_version)(char *ret_version, size_t size);
	/* Returns the flags that make the compiler fill uninitialised local variables, separated by
	 * spaces; NULL: the compiler has none. */
	const char *(*fill_flags)(enum gpu_fill fill, bool traced);
	/* Adds the flags that depend on the program and the emulated GPU besides macros, --math and
	 * fill. They are a part of `options` of compile(), and of the key of the cache. */
	void (*add_flags)(struct option_list *list, const struct gpu_program_desc *desc,
		const struct access_model *model);
	/* Makes the text that is compiled and that is a part of the key of the cache; the caller
	 * frees it. PMPP_UNSUPPORTED: the source needs something that cannot be emulated. */
	enum pmpp_status (*prepare)(
		const struct gpu_program_desc *desc, char **ret_text, struct pmpp_error *error);
	/* Compiles source_file in the folder, which also has the runtime files and EMU_HOOKS_FILE,
	 * to EMU_OBJECT_FILE, and writes EMU_DEPENDS_FILE. options: words separated by spaces.
	 * *ret_log: as `log` of emu_run_compiler(); the caller frees it. PMPP_BUILD: the compiler rejects the
	 * source (its messages are in error->log), it cannot run, or a file cannot be written.
	 * PMPP_UNSUPPORTED: the source needs something that cannot be emulated. PMPP_OUT_OF_MEMORY. */
	enum pmpp_status (*compile)(
		const struct emu_build *build, const char *options, char **ret_log);
	/* Writes the name of a variable in the source. */
	void (*name_of)(const char *symbol, char *ret_name, size_t size);
};

/* ---- For the vtable of a front end ----------------------------------------------------------- */

/* clang-format off */
#define EMU_SLOT_MAP(XX) \
	GPU_SLOT_MAP(XX) \
	XX(bool, can_fill, (const struct gpu_device *device, enum gpu_fill fill)) \
	XX(enum pmpp_status, buffer_repeat, (struct gpu_buffer *buffer, const void *source, \
		uint64_t bytes, struct pmpp_error *error)) \
	XX(enum pmpp_status, watch_test, (struct gpu_device *device, struct pmpp_error *error))

#define XX(result, slot, parameters) result emu_##slot parameters;
EMU_SLOT_MAP(XX)
#undef XX

extern const struct gpu_struct_bytes emu_struct_bytes;

/* All slots of a vtable, and the sizes. */
#define EMU_SLOT(result, slot, parameters) .slot = emu_##slot,
#define EMU_SLOTS .bytes = &emu_struct_bytes, EMU_SLOT_MAP(EMU_SLOT)
/* clang-format on */

/* ---- Builds (process.c, symbols.c) --------------------------------------------------------- */

/* Runs the compiler of a build in its folder, with the words of a text (separated by spaces) and with
 * lists of words, each ended by NULL; NULL ends the lists. log: replaced by the output of the compiler;
 * NULL: the output is dropped. PMPP_BUILD: the compiler rejects the source (its output is in
 * error->log), it cannot run, or the command is too long. */
enum pmpp_status emu_run_compiler(const struct emu_build *build, const char *text,
	const char *const *const *lists, char **log);

/* Runs the compiler with --version. words: its command. Copies the first line of the output. */
bool emu_compiler_version(const char *words, char *ret_version, size_t size);

/* Takes a file of the build folder that several programs share, such as a compiled built-in function,
 * from the cache of programs, or runs the compiler, which writes the file. kind: name of the command, for
 * the key of the cache. inputs: what the file depends on besides the command. If the file cannot be
 * stored in the cache, this is not an error. */
enum pmpp_status emu_part_make(const struct emu_build *build, const char *kind, const char *inputs,
	const char *file, const char *const *const *lists);

/* Makes a private folder, sets folder and handle of the build, calls work(), and removes the folder
 * with its files. PMPP_BUILD: the folder cannot be made. */
typedef enum pmpp_status emu_folder_fn(const struct emu_build *build, void *context);
enum pmpp_status emu_in_folder(emu_folder_fn *work, struct emu_build *build, void *context);

/* Reads a file of the build folder. The text is malloc'ed and ended by '\0'. NULL: no file, or no memory. */
char *emu_read_file(const struct emu_build *build, const char *name, size_t *ret_size);

/* Writes a text to a file of the build folder. PMPP_BUILD: the file cannot be written. */
enum pmpp_status emu_write_file(const struct emu_build *build, const char *name, const char *text);

/* A function or a variable of an object file. Addresses are those of the file. */
struct emu_symbol {
	const char *name, *section;
	uint64_t section_begin, section_bytes;
	uint64_t begin, bytes;
	bool is_function;
};

/* Calls see() for each function and variable in the symbol table of an object file. */
typedef void emu_symbol_fn(void *context, const struct emu_symbol *symbol);
void emu_symbols_each(const void *image, size_t bytes, emu_symbol_fn *see, void *context);

/* Calls see() for each function and variable that the variable `from` of a shared object uses. Without relocations:
 * for each one of the object. Returns false for lack of memory. */
bool emu_symbols_used(
	const void *image, size_t bytes, const char *from, emu_symbol_fn *see, void *context);

/* Sets the error of the build to a lack of memory. */
enum pmpp_status emu_no_memory(const struct emu_build *build);

#endif
