/*
 * Eviction of a buffer from the caches of a CPU device. A native kernel evicts it: a host function
 * that the device executes in the order of the queue, with the addresses that kernels get.
 */
#include "host/gpu/opencl/internal.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

/* Arguments of the native kernel. */
struct lines {
	unsigned char *first; /* the driver puts the buffer's address here */
	uint64_t bytes;
	uint64_t line_bytes;
};

/* ---- Instructions -------------------------------------------------------------------------- */

/* cpu_line_bytes(): bytes of a cache line; 0 if the CPU has no suitable instruction. evict_lines():
 * first is the start of a line. */

#if defined(__x86_64__)

/* Intel SDM, CPUID: leaf 1, EBX bits 15-8 (line in units of 8 bytes); leaf 7, EBX bit 23
 * (CLFLUSHOPT: Skylake, Zen and later). CLFLUSH is not used: it waits for each line. On a Cascade
 * Lake CPU it took 1 ms per MiB, and CLFLUSHOPT 0.04 ms. */
static uint64_t cpu_line_bytes(void)
{
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(ebx & 1u << 23) ||
		!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return 0;
	return (uint64_t)(ebx >> 8 & 0xff) * 8;
}

__attribute__((target("clflushopt"))) static void evict_lines(
	unsigned char *first, uint64_t bytes, uint64_t line_bytes)
{
	for (uint64_t i = 0; i < bytes; i += line_bytes)
		_mm_clflushopt(first + i);
	_mm_mfence();
}

#elif defined(__aarch64__)

/* Arm Architecture Reference Manual, CTR_EL0: bits 19-16 are log2 of the words of the smallest data
 * cache line. Linux allows DC CIVAC in user mode. */
static uint64_t cpu_line_bytes(void)
{
	uint64_t type;

	__asm__ volatile("mrs %0, ctr_el0" : "=r"(type));
	return (uint64_t)4 << (type >> 16 & 0xf);
}

static void evict_lines(unsigned char *first, uint64_t bytes, uint64_t line_bytes)
{
	for (uint64_t i = 0; i < bytes; i += line_bytes)
		__asm__ volatile("dc civac, %0" : : "r"(first + i) : "memory");
	__asm__ volatile("dsb sy" : : : "memory");
}

#else

static uint64_t cpu_line_bytes(void)
{
	return 0;
}

static void evict_lines(unsigned char *first, uint64_t bytes, uint64_t line_bytes)
{
	(void)first, (void)bytes, (void)line_bytes;
}

#endif

/* ---- Queue --------------------------------------------------------------------------------- */

static void CL_CALLBACK evict(void *argument)
{
	const struct lines *lines = argument;
	uint64_t before = (uintptr_t)lines->first % lines->line_bytes;

	evict_lines(lines->first - before, lines->bytes + before, lines->line_bytes);
}

bool opencl_can_evict(const struct gpu_device *device)
{
	return ((const struct opencl_device *)device)->runs_host_code && cpu_line_bytes() > 0;
}

enum pmpp_status opencl_buffer_evict(struct gpu_buffer *buffer, struct pmpp_error *error)
{
	struct opencl_buffer *self = (struct opencl_buffer *)buffer;
	struct lines lines = {.bytes = self->origin + buffer->bytes + 2 * buffer->guard_bytes,
		.line_bytes = cpu_line_bytes()};
	const void *address = &lines.first;

	/* The driver copies the argument. */
	return CL_CALL(error, PMPP_LAUNCH, clEnqueueNativeKernel,
		opencl_device_of(buffer->device)->queue, evict, &lines, sizeof lines, 1,
		&self->parent, &address, 0, NULL, NULL);
}
