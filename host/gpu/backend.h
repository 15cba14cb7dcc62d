/*
 * The functions that a backend implements: one const struct gpu_backend at the end of each folder's
 * backend.c. All slots except the optional ones at the end are required. The front validates every
 * argument before it calls a slot. The front also allocates, zeroes and frees the structs, and sets the fields of
 * the public structs (device, bytes, entry, compile_ms, allocated_bytes): a slot sets only the fields that its
 * comment names. Backend structs begin with the public struct.
 *
 * A new slot needs two callers and an implementation in every folder.
 */
#ifndef PMPP_HOST_GPU_BACKEND_H
#define PMPP_HOST_GPU_BACKEND_H

#include "host/gpu/gpu.h"
#include "host/gpu/library.h"

/* clang-format off */
/*
 * The slots that every backend has: result, name, parameters. A backend's function of a slot has the name
 * of its folder and the name of the slot, such as cuda_buffer_create().
 *
 * enumerate        as gpu_enumerate; ret_state->id is already set
 * open, buffer_create, program_create, kernel_create
 *                  fill the struct. After a failure the front calls the next slot of this list and frees the
 *                  struct
 * close, buffer_destroy, program_destroy, kernel_destroy
 *                  release the members. After a failure some of them are still zero
 * close            waits for queued work first
 * buffer_create    makes guard + bytes + guard
 * buffer_write, buffer_read, buffer_fill, buffer_copy
 *                  start: offset in bytes from the first byte of the leading guard
 * program_create   sets cache, options, log and variables. options and log are malloc'ed and not NULL (empty: "");
 *                  the front frees them
 * kernel_create    sets resources
 */
#define GPU_SLOT_MAP(XX) \
	XX(enum pmpp_status, enumerate, (struct gpu_device_info **ret_infos, size_t *ret_count, \
		struct gpu_backend_state *ret_state, struct pmpp_error *error)) \
	XX(enum pmpp_status, open, (struct gpu_device *device, struct pmpp_error *error)) \
	XX(void, close, (struct gpu_device *device)) \
	XX(enum pmpp_status, buffer_create, (struct gpu_buffer *buffer, struct pmpp_error *error)) \
	XX(void, buffer_destroy, (struct gpu_buffer *buffer)) \
	XX(enum pmpp_status, buffer_write, (struct gpu_buffer *buffer, uint64_t start, \
		const void *source, uint64_t bytes, struct pmpp_error *error)) \
	XX(enum pmpp_status, buffer_read, (struct gpu_buffer *buffer, uint64_t start, void *target, \
		uint64_t bytes, struct pmpp_error *error)) \
	XX(enum pmpp_status, buffer_fill, (struct gpu_buffer *buffer, uint64_t start, uint64_t bytes, \
		uint32_t pattern, struct pmpp_error *error)) \
	XX(enum pmpp_status, buffer_copy, (struct gpu_buffer *target, \
		const struct gpu_buffer *source, struct pmpp_error *error)) \
	XX(enum pmpp_status, program_create, (struct gpu_program *program, \
		const struct gpu_program_desc *desc, struct pmpp_error *error)) \
	XX(void, program_destroy, (struct gpu_program *program)) \
	XX(enum pmpp_status, kernel_create, (struct gpu_kernel *kernel, struct pmpp_error *error)) \
	XX(void, kernel_destroy, (struct gpu_kernel *kernel)) \
	XX(enum pmpp_status, launch, (struct gpu_kernel *kernel, const struct gpu_launch *launch, \
		struct pmpp_error *error)) \
	XX(enum pmpp_status, finish, (struct gpu_device *device, struct pmpp_error *error)) \
	XX(enum pmpp_status, timer_begin, (struct gpu_device *device, struct pmpp_error *error)) \
	XX(enum pmpp_status, timer_end, (struct gpu_device *device, struct pmpp_error *error)) \
	XX(enum pmpp_status, timer_read, (struct gpu_device *device, double *ret_ns, \
		struct pmpp_error *error))
/* clang-format on */

/* A library (host/gpu/library.h) in a backend. */
struct gpu_library_driver {
	bool cpu_only;       /* only for CPU devices */
	unsigned operations; /* a bit for each enum peer_operation that it computes */
	size_t bytes;        /* of its struct, which the front allocates and frees */
	/* Sets name, version, detail and wake_up_ns. After a failure the front calls close(). */
	enum pmpp_status (*open)(struct gpu_library *library, struct pmpp_error *error);
	void (*close)(struct gpu_library *library);
	enum pmpp_status (*call)(
		struct gpu_library *library, const struct gpu_call *call, struct pmpp_error *error);
	/* NULL: the library needs no wake-up. */
	enum pmpp_status (*wake_up)(struct gpu_library *library, struct pmpp_error *error);
};

/* A compiler that needs no device: as the functions of host/gpu/ptx.h. */
struct gpu_offline {
	/* Both or none. */
	enum pmpp_status (*arch_check)(const char *arch, struct pmpp_error *error);
	enum pmpp_status (*source_ptx)(const struct gpu_program_desc *desc, const char *arch,
		char **ret_ptx, struct pmpp_error *error);
	enum pmpp_status (*source_resources)(const struct gpu_program_desc *desc, const char *arch,
		const char *const *entries, size_t entry_count,
		struct gpu_kernel_resources *ret_resources, struct pmpp_error *error);
	void (*describe)(char *ret_text, size_t size);
};

/* The bytes of a backend's structs. */
struct gpu_struct_bytes {
	size_t device, buffer, program, kernel;
};

#define GPU_STRUCT_BYTES(folder)                                                        \
	{                                                                               \
		sizeof(struct folder##_device), sizeof(struct folder##_buffer),         \
			sizeof(struct folder##_program), sizeof(struct folder##_kernel) \
	}

struct gpu_backend {
	const struct gpu_struct_bytes *bytes;
#define XX(result, slot, parameters) result(*slot) parameters;
	GPU_SLOT_MAP(XX)
#undef XX

	/* Optional slots: NULL if the backend has no such operation. */
	/* The front end of an emulator (host/gpu/emu/front.h). */
	const struct emu_front *front;
	/* Returns the free bytes that the driver reports; UINT64_MAX if it reports none. Not called
	 * for devices that share the host's memory. */
	uint64_t (*free_bytes)(struct gpu_device *device);
	/* As gpu_fence_buffers(), but does not set device->fenced. buffer_create reads it. */
	bool (*fence_buffers)(struct gpu_device *device);
	enum pmpp_status (*tile_map)(const struct gpu_tile_map_desc *desc,
		struct gpu_tile_map *ret_map, struct pmpp_error *error);
	bool (*can_fill)(const struct gpu_device *device, enum gpu_fill fill);
	/* Both or none. */
	bool (*can_evict)(const struct gpu_device *device);
	enum pmpp_status (*buffer_evict)(struct gpu_buffer *buffer, struct pmpp_error *error);
	/* Of emulators. */
	enum pmpp_status (*buffer_repeat)(struct gpu_buffer *buffer, const void *source,
		uint64_t bytes, struct pmpp_error *error);
	enum pmpp_status (*watch_test)(struct gpu_device *device, struct pmpp_error *error);
	/* program_create() may run in several threads, and is then faster. */
	bool builds_in_threads;

	/* The libraries that the backend can use; NULL: another library, or none. PEER_DRIVER is not among them: every
	 * backend has a copy. */
	const struct gpu_library_driver *libraries[PEER_LIBRARY_COUNT];

	const struct gpu_offline *offline; /* NULL: none */
	/* As gpu_program_ptx(). */
	enum pmpp_status (*program_ptx)(
		struct gpu_program *program, char **ret_ptx, struct pmpp_error *error);
};

#define XX(ID, folder, ...) extern const struct gpu_backend gpu_backend_##folder;
GPU_BACKEND_MAP(XX)
#undef XX

/* For kernel_create(): appends to the error that the file has no kernel with the entry, and the names that it
 * has. */
void gpu_add_no_kernel(const struct gpu_kernel *kernel, struct pmpp_error *error);

/* Returns the vtable. NULL if this build lacks the backend; *ret_missing is then the reason. */
const struct gpu_backend *gpu_backend_of(enum gpu_backend_id id, const char **ret_missing);

/* Adds a backend at run time as GPU_BACKEND_REGISTERED, for tests. The strings of the row and the
 * vtable are not copied and must stay valid. */
void gpu_backend_register(const struct gpu_backend_row *row, const struct gpu_backend *backend);

#endif
