/* Shared by the files of the fake backend only. */
#ifndef PMPP_HOST_GPU_FAKE_INTERNAL_H
#define PMPP_HOST_GPU_FAKE_INTERNAL_H

#include "host/gpu/backend.h"
#include "host/gpu/fake/fake.h"

struct fake_device {
	struct gpu_device base;
	uint64_t live; /* buffers and programs on it */
	enum {
		TIMER_IDLE,
		TIMER_OPEN,
		TIMER_CLOSED
	} timer;
	uint64_t timed_commands; /* launches and fills in the open interval */
	double begin_ns, end_ns;
};

struct fake_buffer {
	struct gpu_buffer base;
	struct fake_device *device; /* the front sets base.device only after creation */
	unsigned char *memory;      /* leading guard, bytes, trailing guard */
	uint64_t total, guard_bytes;
};

struct fake_program {
	struct gpu_program base;
	struct fake_device *device;
	struct gpu_macro *macros; /* with names of their own */
	size_t macro_count;
	char *source;
	uint64_t live; /* kernels of it */
};

struct fake_kernel {
	struct gpu_kernel base;
	struct fake_program *program;
	const struct fake_kernel_row *row;
};

/* Record a call. Return PMPP_OK, or the failure of fake_control.fail_at. bytes: size of the range
 * of a buffer. entry: name of a kernel, not copied. */
enum pmpp_status fake_record(enum fake_slot slot, struct pmpp_error *error);
enum pmpp_status fake_record_bytes(enum fake_slot slot, uint64_t bytes, struct pmpp_error *error);
enum pmpp_status fake_record_entry(
	enum fake_slot slot, const char *entry, struct pmpp_error *error);

/* Adds to the number of live objects. */
void fake_count_live(int change);

/* Stores the text of the first violation only. */
void fake_note_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Slots --------------------------------------------------------------------------------- */

enum pmpp_status fake_enumerate(struct gpu_device_info **ret_infos, size_t *ret_count,
	struct gpu_backend_state *ret_state, struct pmpp_error *error);
enum pmpp_status fake_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error);
void fake_close(struct gpu_device *device);

uint64_t fake_free_bytes(struct gpu_device *device);
enum pmpp_status fake_buffer_create(struct gpu_device *device, uint64_t bytes, uint64_t guard_bytes,
	struct gpu_buffer **ret_buffer, struct pmpp_error *error);
void fake_buffer_destroy(struct gpu_buffer *buffer);
enum pmpp_status fake_buffer_write(struct gpu_buffer *buffer, uint64_t start, const void *source,
	uint64_t bytes, struct pmpp_error *error);
enum pmpp_status fake_buffer_read(struct gpu_buffer *buffer, uint64_t start, void *target,
	uint64_t bytes, struct pmpp_error *error);
enum pmpp_status fake_buffer_fill(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error);

bool fake_can_evict(const struct gpu_device *device);
enum pmpp_status fake_buffer_evict(struct gpu_buffer *buffer, struct pmpp_error *error);

enum pmpp_status fake_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error);
void fake_program_destroy(struct gpu_program *program);
enum pmpp_status fake_program_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error);
enum pmpp_status fake_kernel_create(struct gpu_program *program, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error);
void fake_kernel_destroy(struct gpu_kernel *kernel);
enum pmpp_status fake_kernel_resources(struct gpu_kernel *kernel,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error);

enum pmpp_status fake_launch_kernel(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error);
enum pmpp_status fake_finish(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status fake_timer_begin(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status fake_timer_end(struct gpu_device *device, struct pmpp_error *error);
enum pmpp_status fake_timer_read(
	struct gpu_device *device, double *ret_ns, struct pmpp_error *error);

#endif
