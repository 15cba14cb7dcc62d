#include "tests/support/fake.h"

#include "host/gpu/backend.h"
#include "host/gpu/backend_text.h"
#include "host/io/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_device {
	struct gpu_device base;
	bool open;
	uint64_t live; /* buffers and programs on it */
	double begin_ns, end_ns;
};

struct fake_buffer {
	struct gpu_buffer base;
	unsigned char *memory; /* leading guard, bytes, trailing guard */
};

struct fake_program {
	struct gpu_program base;
	struct gpu_macro *macros; /* with names of their own */
	size_t macro_count;
	char *source;
	bool built;
	uint64_t live; /* kernels of it */
};

struct fake_kernel {
	struct gpu_kernel base;
	const struct fake_kernel_row *row;
};

#define RECORD_LENGTH 65536

struct fake_control fake_control;

static struct {
	struct {
		enum fake_slot slot;
		const char *entry; /* NULL: none */
		uint64_t bytes;
	} calls[RECORD_LENGTH];
	uint64_t call_count;
	uint64_t slot_counts[FAKE_SLOT_COUNT];
	uint64_t live;
	char misuse[200];
} record;

static const struct {
	const char *name;
	enum pmpp_status status;
} slots[] = {
#define XX(name, status) {#name, PMPP_##status},
	FAKE_SLOT_MAP(XX)
#undef XX
};

/* ---- Record -------------------------------------------------------------------------------- */

const char *fake_slot_name(enum fake_slot slot)
{
	return (size_t)slot < FAKE_SLOT_COUNT ? slots[slot].name : "none";
}

static enum pmpp_status record_call(
	enum fake_slot slot, const char *entry, uint64_t bytes, struct pmpp_error *error)
{
	enum pmpp_status status = slots[slot].status;
	char call[64];

	if (record.call_count < RECORD_LENGTH) {
		record.calls[record.call_count].slot = slot;
		record.calls[record.call_count].entry = entry;
		record.calls[record.call_count].bytes = bytes;
	}
	record.call_count++;
	record.slot_counts[slot]++;
	if (record.call_count != fake_control.fail_at)
		return PMPP_OK;

	if (fake_control.fail_status != PMPP_OK)
		status = fake_control.fail_status;
	snprintf(call, sizeof call, "fake_%s", slots[slot].name);
	pmpp_error_set_call(error, status, __FILE__, __LINE__, call, -1, "FAKE_FAILED_ON_REQUEST");
	if (status == PMPP_BUILD)
		error->log = strdup("fake.cu:1:1: error: failed on request\n");
	return status;
}

static enum pmpp_status record_slot(enum fake_slot slot, struct pmpp_error *error)
{
	return record_call(slot, NULL, 0, error);
}

__attribute__((format(printf, 1, 2))) static void note_misuse(const char *format, ...)
{
	va_list arguments;

	if (record.misuse[0] != '\0')
		return;
	va_start(arguments, format);
	vsnprintf(record.misuse, sizeof record.misuse, format, arguments);
	va_end(arguments);
}

uint64_t fake_call_count(void)
{
	return record.call_count;
}

static bool is_recorded(uint64_t n)
{
	return n >= 1 && n <= record.call_count && n <= RECORD_LENGTH;
}

enum fake_slot fake_call(uint64_t n)
{
	return is_recorded(n) ? record.calls[n - 1].slot : FAKE_SLOT_COUNT;
}

const char *fake_call_entry(uint64_t n)
{
	return is_recorded(n) && record.calls[n - 1].entry ? record.calls[n - 1].entry : "";
}

uint64_t fake_call_bytes(uint64_t n)
{
	return is_recorded(n) ? record.calls[n - 1].bytes : 0;
}

uint64_t fake_slot_count(enum fake_slot slot)
{
	return (size_t)slot < FAKE_SLOT_COUNT ? record.slot_counts[slot] : 0;
}

uint64_t fake_live_count(void)
{
	return record.live;
}

const char *fake_misuse(void)
{
	return record.misuse;
}

/* ---- Control ------------------------------------------------------------------------------- */

void fake_reset(void)
{
	memset(&record, 0, sizeof record);
	fake_control = (struct fake_control){
		.device_count = 1,
		.timer_scale = 1,
		.reason = "the test requests no device",
		.info = {.backend = GPU_BACKEND_FAKE,
			.index = "0",
			.name = "Fake device",
			.vendor = "pmpp",
			.driver = "fake 1",
			.compiler = "none",
			.arch = "fake",
			.uuid = "00000000-0000-0000-0000-00000000fa4e",
			.type = GPU_TYPE_GPU,
			.limits = {.global_bytes = 1ull << 30,
				.max_buffer_bytes = 1ull << 28,
				.max_groups = {INT32_MAX, 65535, 65535},
				.max_block = {1024, 1024, 64},
				.max_block_threads = 1024,
				.shared_bytes = 48 << 10,
				.shared_optin_bytes = 64 << 10,
				.cache_bytes = 1 << 20,
				.compute_units = 2,
				.warp_size = 32,
				.clock_mhz = 1000,
				.buffer_align_bytes = 256,
				.timer_resolution_ns = 1}},
	};
}

/* ---- Devices -------------------------------------------------------------------------------- */

static enum pmpp_status fake_enumerate(struct gpu_device_info **ret_infos, size_t *ret_count,
	struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	size_t count = fake_control.device_count;
	struct gpu_device_info *infos = NULL;
	enum pmpp_status status = record_slot(FAKE_SLOT_enumerate, error);

	if (status != PMPP_OK)
		return status;
	if (count > 0) {
		infos = malloc(count * sizeof *infos);
		if (!infos)
			return PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory for %zu devices", count);
	}
	for (size_t i = 0; i < count; i++) {
		infos[i] = fake_control.info;
		snprintf(infos[i].index, sizeof infos[i].index, "%u", (unsigned)i);
	}
	snprintf(ret_state->reason, sizeof ret_state->reason, "%s", fake_control.reason);
	snprintf(ret_state->library, sizeof ret_state->library, "fake");
	*ret_infos = infos;
	*ret_count = count;
	return PMPP_OK;
}

static enum pmpp_status fake_open(struct gpu_device *device, struct pmpp_error *error)
{
	struct fake_device *fake = (struct fake_device *)device;
	enum pmpp_status status = record_slot(FAKE_SLOT_open, error);

	if (status != PMPP_OK)
		return status;
	record.live++;
	fake->open = true;
	device->no_timer = fake_control.no_timer;
	return PMPP_OK;
}

static void fake_close(struct gpu_device *device)
{
	struct fake_device *fake = (struct fake_device *)device;

	if (!fake->open)
		return;
	if (fake->live > 0)
		note_misuse("device closed with %llu live objects", (unsigned long long)fake->live);
	if (device->allocated_bytes != 0)
		note_misuse("device closed with %llu bytes allocated",
			(unsigned long long)device->allocated_bytes);
	record.live--;
}

/* ---- Buffers -------------------------------------------------------------------------------- */

#define ALIGN_BYTES 256

static uint64_t fake_free_bytes(struct gpu_device *device)
{
	uint64_t all = fake_control.free_bytes;

	if (all == 0)
		return UINT64_MAX;
	return all > device->allocated_bytes ? all - device->allocated_bytes : 0;
}

static uint64_t total_bytes(const struct fake_buffer *buffer)
{
	return buffer->base.bytes + 2 * buffer->base.guard_bytes;
}

static enum pmpp_status fake_buffer_create(struct gpu_buffer *buffer, struct pmpp_error *error)
{
	struct fake_buffer *fake = (struct fake_buffer *)buffer;
	uint64_t total = total_bytes(fake);
	enum pmpp_status status = record_slot(FAKE_SLOT_buffer_create, error);

	if (status != PMPP_OK)
		return status;
	fake->memory =
		aligned_alloc(ALIGN_BYTES, (total + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES);
	if (!fake->memory)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a buffer of %llu bytes",
			(unsigned long long)total);
	/* New device memory has undefined contents. */
	memset(fake->memory, 0xcd, total);
	((struct fake_device *)buffer->device)->live++;
	record.live++;
	return PMPP_OK;
}

static void fake_buffer_destroy(struct gpu_buffer *buffer)
{
	struct fake_buffer *fake = (struct fake_buffer *)buffer;

	if (!fake->memory)
		return;
	((struct fake_device *)buffer->device)->live--;
	record.live--;
	free(fake->memory);
}

/* The front checks ranges: a range outside the buffer is a bug of the front. */
static enum pmpp_status check_inside(
	const struct fake_buffer *buffer, uint64_t start, uint64_t bytes, struct pmpp_error *error)
{
	uint64_t total = total_bytes(buffer);

	if (start <= total && bytes <= total - start)
		return PMPP_OK;
	note_misuse("%llu bytes at %llu of a buffer of %llu", (unsigned long long)bytes,
		(unsigned long long)start, (unsigned long long)total);
	return PMPP_FAIL(error, PMPP_INTERNAL, "a range outside its buffer reached the backend");
}

static enum pmpp_status fake_buffer_write(struct gpu_buffer *buffer, uint64_t start,
	const void *source, uint64_t bytes, struct pmpp_error *error)
{
	struct fake_buffer *fake = (struct fake_buffer *)buffer;
	enum pmpp_status status = record_call(FAKE_SLOT_buffer_write, NULL, bytes, error);

	if (status == PMPP_OK)
		status = check_inside(fake, start, bytes, error);
	if (status == PMPP_OK)
		memcpy(fake->memory + start, source, bytes);
	return status;
}

static enum pmpp_status fake_buffer_read(struct gpu_buffer *buffer, uint64_t start, void *target,
	uint64_t bytes, struct pmpp_error *error)
{
	struct fake_buffer *fake = (struct fake_buffer *)buffer;
	enum pmpp_status status = record_call(FAKE_SLOT_buffer_read, NULL, bytes, error);

	if (status == PMPP_OK)
		status = check_inside(fake, start, bytes, error);
	if (status == PMPP_OK)
		memcpy(target, fake->memory + start, bytes);
	return status;
}

static enum pmpp_status fake_buffer_fill(struct gpu_buffer *buffer, uint64_t start, uint64_t bytes,
	uint32_t pattern, struct pmpp_error *error)
{
	struct fake_buffer *fake = (struct fake_buffer *)buffer;
	enum pmpp_status status = record_call(FAKE_SLOT_buffer_fill, NULL, bytes, error);

	if (status == PMPP_OK)
		status = check_inside(fake, start, bytes, error);
	if (status != PMPP_OK)
		return status;
	if (start % 4 != 0 || bytes % 4 != 0)
		note_misuse("a fill of %llu bytes at %llu", (unsigned long long)bytes,
			(unsigned long long)start);
	for (uint64_t i = 0; i < bytes; i += sizeof pattern)
		memcpy(fake->memory + start + i, &pattern, sizeof pattern);
	return PMPP_OK;
}

static enum pmpp_status fake_buffer_copy(
	struct gpu_buffer *target, const struct gpu_buffer *source, struct pmpp_error *error)
{
	enum pmpp_status status = record_call(FAKE_SLOT_buffer_copy, NULL, target->bytes, error);

	if (status == PMPP_OK)
		memcpy(((struct fake_buffer *)target)->memory + target->guard_bytes,
			((const struct fake_buffer *)source)->memory + source->guard_bytes,
			target->bytes);
	return status;
}

static bool fake_can_evict(const struct gpu_device *device)
{
	(void)device;
	return fake_control.evicts;
}

static enum pmpp_status fake_buffer_evict(struct gpu_buffer *buffer, struct pmpp_error *error)
{
	const struct fake_buffer *fake = (const struct fake_buffer *)buffer;

	if (buffer->device->timer == GPU_TIMER_OPEN)
		note_misuse("an eviction in a timed interval");
	return record_call(FAKE_SLOT_buffer_evict, NULL, total_bytes(fake), error);
}

/* ---- Programs and kernels ------------------------------------------------------------------- */

/* The "compiler": a line "#error TEXT" is an error of that line, "#warning TEXT" goes to the log.
 */
static enum pmpp_status compile(
	const struct gpu_program_desc *desc, char **ret_log, struct pmpp_error *error)
{
	bool failed = false;
	char *log = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&log, &size);
	unsigned line = 1;

	if (!stream)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the compiler's log");
	for (const char *text = desc->source; *text; line++) {
		int length = (int)strcspn(text, "\n");
		const char *kind = strncmp(text, "#error ", 7) == 0     ? "error"
				   : strncmp(text, "#warning ", 9) == 0 ? "warning"
									: NULL;

		if (kind)
			fprintf(stream, "%s:%u: %s: %.*s\n", desc->name, line, kind, length, text);
		failed |= kind && kind[0] == 'e';
		text += length + (text[length] == '\n');
	}
	fclose(stream);
	if (!log)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the compiler's log");
	if (!failed) {
		*ret_log = log;
		return PMPP_OK;
	}
	PMPP_FAIL(error, PMPP_BUILD, "the fake compiler rejected the source");
	error->log = log;
	return PMPP_BUILD;
}

static char *join_options(const struct gpu_program_desc *desc)
{
	struct option_list list = {0};

	option_list_add_words(&list, gpu_math_options(GPU_BACKEND_FAKE, desc->math), NULL);
	option_list_add_macros(&list, desc->macros, desc->macro_count);
	char *options = option_list_join(&list);
	option_list_finish(&list);
	return options;
}

static bool copy_macros(struct fake_program *program, const struct gpu_program_desc *desc)
{
	program->macros = calloc(desc->macro_count + 1, sizeof *program->macros);
	if (!program->macros)
		return false;
	for (size_t i = 0; i < desc->macro_count; i++) {
		program->macros[i] = (struct gpu_macro){
			.name = strdup(desc->macros[i].name), .value = desc->macros[i].value};
		program->macro_count++;
		if (!program->macros[i].name)
			return false;
	}
	return true;
}

static enum pmpp_status fake_program_create(
	struct gpu_program *program, const struct gpu_program_desc *desc, struct pmpp_error *error)
{
	struct fake_program *fake = (struct fake_program *)program;
	enum pmpp_status status = record_slot(FAKE_SLOT_program_create, error);

	if (status == PMPP_OK)
		status = compile(desc, &program->log, error);
	if (status != PMPP_OK)
		return status;
	if (fake_control.rejects && fake_control.rejects(desc->macros, desc->macro_count))
		return PMPP_FAIL(error, PMPP_BUILD, "the fake compiler rejected the block");
	fake->source = strdup(desc->source);
	program->options = join_options(desc);
	if (!fake->source || !program->options || !copy_macros(fake, desc))
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", desc->name);
	program->cache = GPU_CACHE_NONE;
	fake->built = true;
	((struct fake_device *)program->device)->live++;
	record.live++;
	return PMPP_OK;
}

static void fake_program_destroy(struct gpu_program *program)
{
	struct fake_program *fake = (struct fake_program *)program;

	if (fake->live > 0)
		note_misuse(
			"program destroyed with %llu live kernels", (unsigned long long)fake->live);
	((struct fake_device *)program->device)->live -= fake->built;
	record.live -= fake->built;
	for (size_t i = 0; i < fake->macro_count; i++)
		free((char *)fake->macros[i].name);
	free(fake->macros);
	free(fake->source);
}

static enum pmpp_status fake_program_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error)
{
	const char *text = fake_control.ptx[fake_control.ptx_requests++ % 2];
	char *copy = text ? strdup(text) : NULL;

	if (!text)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "the program binary of %s is not PTX",
			program->device->info.name);
	if (!copy)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for PTX");
	*ret_ptx = copy;
	return PMPP_OK;
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* A program has an entry if the entry is registered and the source has "ENTRY(". */
static const struct fake_kernel_row *find_row(const struct fake_program *program, const char *entry)
{
	size_t length = strlen(entry);
	bool named = false;

	for (const char *at = strstr(program->source, entry); at; at = strstr(at + 1, entry))
		named = named || at[length] == '(';
	for (size_t i = 0; named && i < fake_control.kernel_count; i++)
		if (strcmp(fake_control.kernels[i].entry, entry) == 0)
			return &fake_control.kernels[i];
	return NULL;
}

static struct gpu_kernel_resources resources_of(
	const struct fake_program *program, const struct fake_kernel_row *row)
{
	return (struct gpu_kernel_resources){
		.registers = fake_control.registers ? fake_control.registers : -1,
		.shared_bytes = fake_control.shared
					? fake_control.shared(program->macros, program->macro_count)
					: row->static_shared_bytes,
		.spill_bytes = -1,
		.max_block_threads = fake_control.kernel_threads
					     ? (int)fake_control.kernel_threads
					     : (int)fake_control.info.limits.max_block_threads};
}

static enum pmpp_status fake_kernel_create(struct gpu_kernel *kernel, struct pmpp_error *error)
{
	struct fake_program *program = (struct fake_program *)kernel->program;
	const struct fake_kernel_row *row;
	enum pmpp_status status = record_slot(FAKE_SLOT_kernel_create, error);

	if (status != PMPP_OK)
		return status;
	row = find_row(program, kernel->entry);
	if (!row)
		return PMPP_FAIL(error, PMPP_BUILD, "the program has no entry %s", kernel->entry);
	((struct fake_kernel *)kernel)->row = row;
	kernel->resources = resources_of(program, row);
	program->live++;
	record.live++;
	return PMPP_OK;
}

static void fake_kernel_destroy(struct gpu_kernel *kernel)
{
	if (!((struct fake_kernel *)kernel)->row)
		return;
	((struct fake_program *)kernel->program)->live--;
	record.live--;
}

/* ---- Launches ------------------------------------------------------------------------------- */

void *fake_arg_buffer(const struct fake_launch *launch, size_t index)
{
	const struct gpu_launch *asked = launch->launch;
	const struct fake_buffer *buffer;

	if (index >= asked->arg_count || asked->args[index].kind != GPU_ARG_BUFFER)
		return NULL;
	buffer = (const struct fake_buffer *)asked->args[index].as.buffer;
	return buffer->memory + buffer->base.guard_bytes;
}

int64_t fake_macro_of(const struct gpu_macro *macros, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(macros[i].name, name) == 0)
			return macros[i].value;
	return 0;
}

int64_t fake_macro(const struct fake_launch *launch, const char *name)
{
	return fake_macro_of(launch->macros, launch->macro_count, name);
}

static enum pmpp_status fake_launch(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	const struct fake_kernel *fake = (const struct fake_kernel *)kernel;
	const struct fake_program *program = (const struct fake_program *)kernel->program;
	struct fake_launch seen = {
		.launch = launch, .macros = program->macros, .macro_count = program->macro_count};
	enum pmpp_status status = record_call(FAKE_SLOT_launch, fake->row->entry, 0, error);

	if (status != PMPP_OK)
		return status;
	if (fake_control.launched_threads &&
		launch->block[0] * launch->block[1] * launch->block[2] >
			fake_control.launched_threads)
		return pmpp_error_set_call(error, PMPP_LAUNCH, __FILE__, __LINE__, "fake_launch",
			-54, "FAKE_INVALID_BLOCK");
	if (launch->shared_bytes > 0) {
		seen.shared = malloc(launch->shared_bytes);
		if (!seen.shared)
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory to share");
	}
	fake->row->run(&seen);
	free(seen.shared);
	return PMPP_OK;
}

static enum pmpp_status fake_finish(struct gpu_device *device, struct pmpp_error *error)
{
	(void)device;
	return record_slot(FAKE_SLOT_finish, error);
}

/* ---- Timer --------------------------------------------------------------------------------- */

static double spent_ns; /* by kernels, in the interval */

void fake_spend_ns(double ns)
{
	spent_ns += ns;
}

static enum pmpp_status fake_timer_begin(struct gpu_device *device, struct pmpp_error *error)
{
	struct fake_device *fake = (struct fake_device *)device;
	enum pmpp_status status = record_slot(FAKE_SLOT_timer_begin, error);

	if (status != PMPP_OK)
		return status;
	if (fake->base.no_timer)
		note_misuse("timer_begin on a device without a timer");
	spent_ns = 0;
	fake->begin_ns = host_clock_ns();
	return PMPP_OK;
}

static enum pmpp_status fake_timer_end(struct gpu_device *device, struct pmpp_error *error)
{
	struct fake_device *fake = (struct fake_device *)device;
	enum pmpp_status status = record_slot(FAKE_SLOT_timer_end, error);

	if (status != PMPP_OK)
		return status;
	fake->end_ns = spent_ns > 0 ? fake->begin_ns + spent_ns : host_clock_ns();
	return PMPP_OK;
}

static enum pmpp_status fake_timer_read(
	struct gpu_device *device, double *ret_ns, struct pmpp_error *error)
{
	struct fake_device *fake = (struct fake_device *)device;
	enum pmpp_status status = record_slot(FAKE_SLOT_timer_read, error);

	if (status != PMPP_OK)
		return status;
	double clock_ns = fake->end_ns - fake->begin_ns;
	*ret_ns = fake_control.timer_ns > 0 ? fake_control.timer_ns
					    : fake_control.timer_scale * clock_ns;
	if (fake_control.timer)
		*ret_ns = fake_control.timer(device, clock_ns, fake_control.timer_context);
	return PMPP_OK;
}

/* ---- Vtable --------------------------------------------------------------------------------- */

/* clang-format off */
#define SLOT(result, slot, parameters) .slot = fake_##slot,
static const struct gpu_backend gpu_backend_fake = {
	.bytes = &(const struct gpu_struct_bytes)GPU_STRUCT_BYTES(fake),
	GPU_SLOT_MAP(SLOT)
	.free_bytes = fake_free_bytes,
	.can_evict = fake_can_evict,
	.buffer_evict = fake_buffer_evict,
	.program_ptx = fake_program_ptx,
};
/* clang-format on */

void fake_register(void)
{
	static const struct gpu_backend_row row = {"fake", GPU_LANGUAGE_CUDA_C, 9, true, false,
		"host memory, for tests", {"", "-strict", "-fast"}};

	gpu_backend_register(&row, &gpu_backend_fake);
}
