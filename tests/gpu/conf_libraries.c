/* Libraries of vendors: products of all kinds, their time by the device timer, and refusals. A device
 * without an installed library is skipped. */
#include "host/gpu/backend.h"
#include "host/gpu/library.h"
#include "host/io/clock.h"
#include "tests/gpu/conformance.h"

#include <stdint.h>

enum {
	M = 37,
	N = 41,
	K = 43
};

/* Small integers: every product and sum is exact. The f16 bits of 0, 1, 2 and 3 are in `halves`. */
static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200};

static int digit(int index)
{
	return (index * 7 + index / 5) % 4;
}

static void fill(struct gpu_buffer *buffer, int count, bool half)
{
	float f32[K * N];
	uint16_t f16[K * N];

	for (int i = 0; i < count; i++) {
		f32[i] = (float)digit(i);
		f16[i] = halves[digit(i)];
	}
	test_ok(gpu_buffer_write(buffer, 0, half ? (const void *)f16 : f32,
		(uint64_t)count * (half ? sizeof *f16 : sizeof *f32), &test_error));
}

static void check(struct gpu_buffer *c)
{
	float got[M * N];

	test_ok(gpu_buffer_read(c, 0, got, sizeof got, &test_error));
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			int want = 0;
			for (int k = 0; k < K; k++)
				want += digit(i * K + k) * digit(k * N + j);
			IS(got[i * N + j] == (float)want);
		}
}

/* The interval of a product is within the time that the host measures around it. */
static void time_product(
	struct gpu_device *device, struct gpu_library *library, const struct gpu_call *call)
{
	double device_ns = 0;

	if (device->no_timer)
		return;
	test_ok(gpu_library_wake_up(library, &test_error));
	test_ok(gpu_finish(device, &test_error));
	double start = host_clock_ns();
	test_ok(gpu_timer_begin(device, &test_error));
	for (int i = 0; i < 3; i++)
		test_ok(gpu_library_call(library, call, &test_error));
	test_ok(gpu_timer_end(device, &test_error));
	test_ok(gpu_timer_read(device, &device_ns, &test_error));
	test_note("%.0f ns on the device, %.0f ns", device_ns, host_clock_ns() - start);
	/* The two clocks may differ by some percent. The events of llvmpipe have no times
	 * (docs/porting.md). */
	bool has_times = !strstr(device->info.name, "llvmpipe");
	IS(device_ns >= has_times && device_ns < 1.2 * (host_clock_ns() - start));
}

static void multiply(struct conf *conf, struct gpu_library *library, enum peer_operation operation)
{
	bool half = operation == PEER_PRODUCT_F16;
	struct gpu_call call = {.work = {operation, DTYPE_F32, M, N, K},
		.buffers = {conf_buffer(conf, (uint64_t)M * K * (half ? 2 : 4)),
			conf_buffer(conf, (uint64_t)K * N * (half ? 2 : 4)),
			conf_buffer(conf, (uint64_t)M * N * 4)}};
	struct gpu_buffer *c = call.buffers[2];

	fill(call.buffers[0], M * K, half);
	fill(call.buffers[1], K * N, half);
	test_ok(gpu_buffer_fill(c, 0, c->bytes, 0x7fc0cafe, &test_error));
	enum pmpp_status status = gpu_library_call(library, &call, &test_error);
	if (library->driver->operations >> operation & 1) {
		test_ok(status);
		check(c);
		time_product(conf_device(conf), library, &call);
		check(c);
		printf("             %s: operation %d\n", library->name, (int)operation);
	} else {
		EQUAL(status, PMPP_UNSUPPORTED);
	}
	pmpp_error_clear(&test_error);
	call.work.k = K + 1; /* larger than the buffers */
	EQUAL(gpu_library_call(library, &call, &test_error), PMPP_INTERNAL);
	call.work.k = 0;
	EQUAL(gpu_library_call(library, &call, &test_error), PMPP_INTERNAL);
	pmpp_error_clear(&test_error);
	for (size_t i = 0; i < PEER_MAX_BUFFERS; i++)
		gpu_buffer_destroy(&call.buffers[i]);
}

static void libraries(struct conf *conf)
{
	struct gpu_device *device = conf_device(conf);
	char reason[300] = "the backend uses no libraries";
	bool found = false;

	for (enum peer_library id = PEER_CUBLAS; id < PEER_LIBRARY_COUNT; id++) {
		struct gpu_library *library = NULL;
		enum pmpp_status status = gpu_library_open(device, id, &library, &test_error);

		if (!gpu_takes_library(&device->info, id)) {
			EQUAL(status, PMPP_UNSUPPORTED);
			continue;
		}
		if (status == PMPP_UNSUPPORTED) {
			snprintf(reason, sizeof reason, "%.290s", test_error.message);
			continue;
		}
		test_ok(status);
		found = true;
		IS(*library->name && library->device == device && library->id == id);
		multiply(conf, library, PEER_PRODUCT_F32);
		multiply(conf, library, PEER_PRODUCT_TF32);
		multiply(conf, library, PEER_PRODUCT_F16);
		gpu_library_close(&library);
		NIL(library);
	}
	pmpp_error_clear(&test_error);
	gpu_library_close(NULL);
	if (!found)
		test_skip("%s", reason);
}

const struct conf_check conf_library_checks[] = {
	{"libraries of vendors", libraries},
	{NULL, NULL},
};
