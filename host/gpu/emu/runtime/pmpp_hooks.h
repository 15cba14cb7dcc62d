/*
 * The hooks of the traced build: functions that the compiled code calls for every access
 * (-fsanitize=thread) and at the head of every basic block (-fsanitize-coverage=trace-pc). This
 * file is a part of each object. Its functions are not instrumented, and are hidden symbols.
 */
#include "pmpp_emu.h"

extern "C" __attribute__((visibility("hidden"))) struct pmpp_emu_state pmpp_emu_state;

#define PMPP_EMU_HOOK extern "C" __attribute__((visibility("hidden"), used))
/* With -O1, gcc does not clear the upper halves of the vector registers before calls. Until they are cleared, each
 * SSE instruction of the program takes several times as long on CPUs of Intel. */
#ifdef __AVX__
#define PMPP_EMU_CLEAR_UPPER() __builtin_ia32_vzeroupper()
#else
#define PMPP_EMU_CLEAR_UPPER() (void)0
#endif
#define PMPP_EMU_SEEN(address, bytes, kind)                                                        \
	(PMPP_EMU_CLEAR_UPPER(),                                                                   \
		pmpp_emu_state.ops.access((address), (bytes), (kind), __builtin_return_address(0)))

#define PMPP_EMU_SIZE(n)                                                                           \
	PMPP_EMU_HOOK void __tsan_read##n(void *a) { PMPP_EMU_SEEN(a, n, PMPP_EMU_READ); }         \
	PMPP_EMU_HOOK void __tsan_write##n(void *a) { PMPP_EMU_SEEN(a, n, PMPP_EMU_WRITE); }       \
	PMPP_EMU_HOOK void __tsan_unaligned_read##n(void *a) { PMPP_EMU_SEEN(a, n, PMPP_EMU_READ); } \
	PMPP_EMU_HOOK void __tsan_unaligned_write##n(void *a)                                      \
	{                                                                                          \
		PMPP_EMU_SEEN(a, n, PMPP_EMU_WRITE);                                               \
	}
PMPP_EMU_SIZE(1)
PMPP_EMU_SIZE(2)
PMPP_EMU_SIZE(4)
PMPP_EMU_SIZE(8)
PMPP_EMU_SIZE(16)

PMPP_EMU_HOOK void __tsan_read_range(void *a, unsigned long n) { PMPP_EMU_SEEN(a, n, PMPP_EMU_READ); }
PMPP_EMU_HOOK void __tsan_write_range(void *a, unsigned long n) { PMPP_EMU_SEEN(a, n, PMPP_EMU_WRITE); }
/* clang++ 19 replaces calls of these functions of C. */
PMPP_EMU_HOOK void *__tsan_memset(void *a, int value, unsigned long n)
{
	PMPP_EMU_SEEN(a, n, PMPP_EMU_WRITE);
	return __builtin_memset(a, value, n);
}
#define PMPP_EMU_COPY_HOOK(name)                                                                   \
	PMPP_EMU_HOOK void *__tsan_##name(void *to, const void *from, unsigned long n)             \
	{                                                                                          \
		PMPP_EMU_SEEN((void *)from, n, PMPP_EMU_READ);                                     \
		PMPP_EMU_SEEN(to, n, PMPP_EMU_WRITE);                                              \
		return __builtin_##name(to, from, n);                                              \
	}
PMPP_EMU_COPY_HOOK(memcpy)
PMPP_EMU_COPY_HOOK(memmove)
PMPP_EMU_HOOK void __tsan_vptr_update(void **, void *) {}
PMPP_EMU_HOOK void __tsan_vptr_read(void **) {}
PMPP_EMU_HOOK void __tsan_func_entry(void *) {}
PMPP_EMU_HOOK void __tsan_func_exit(void) {}
PMPP_EMU_HOOK void __tsan_init(void) {}
PMPP_EMU_HOOK void __tsan_atomic_thread_fence(int)
{
	PMPP_EMU_SEEN(0, 0, PMPP_EMU_FENCE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
PMPP_EMU_HOOK void __tsan_atomic_signal_fence(int) {}

PMPP_EMU_HOOK void __sanitizer_cov_trace_pc(void)
{
	if (pmpp_emu_state.ops.step)
		pmpp_emu_state.ops.step(__builtin_return_address(0), __builtin_frame_address(0));
}

/* The compiler replaces every atomic operation by a call: these functions do the operation. */
#define PMPP_EMU_COMPARE_SWAP(T, name)                                                             \
	PMPP_EMU_HOOK int name(volatile T *a, T *expected, T value, int, int)                      \
	{                                                                                          \
		PMPP_EMU_SEEN((const void *)a, sizeof(T), PMPP_EMU_COMPARE);                       \
		return __atomic_compare_exchange_n(                                                \
			a, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
	}
#define PMPP_EMU_ATOMIC_SIZE(bits, T)                                                              \
	PMPP_EMU_HOOK T __tsan_atomic##bits##_load(const volatile T *a, int)                       \
	{                                                                                          \
		PMPP_EMU_SEEN((const void *)a, bits / 8, PMPP_EMU_ATOMIC_LOAD);                    \
		return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                       \
	}                                                                                          \
	PMPP_EMU_HOOK void __tsan_atomic##bits##_store(volatile T *a, T value, int)                \
	{                                                                                          \
		PMPP_EMU_SEEN((const void *)a, bits / 8, PMPP_EMU_EXCHANGE);                       \
		__atomic_store_n(a, value, __ATOMIC_SEQ_CST);                                      \
	}                                                                                          \
	PMPP_EMU_HOOK T __tsan_atomic##bits##_compare_exchange_val(                                \
		volatile T *a, T expected, T value, int, int)                                      \
	{                                                                                          \
		PMPP_EMU_SEEN((const void *)a, bits / 8, PMPP_EMU_COMPARE);                        \
		__atomic_compare_exchange_n(                                                       \
			a, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
		return expected;                                                                   \
	}                                                                                          \
	PMPP_EMU_COMPARE_SWAP(T, __tsan_atomic##bits##_compare_exchange_strong)                    \
	PMPP_EMU_COMPARE_SWAP(T, __tsan_atomic##bits##_compare_exchange_weak)
PMPP_EMU_ATOMIC_SIZE(8, unsigned char)
PMPP_EMU_ATOMIC_SIZE(16, unsigned short)
PMPP_EMU_ATOMIC_SIZE(32, unsigned int)
PMPP_EMU_ATOMIC_SIZE(64, unsigned long)
