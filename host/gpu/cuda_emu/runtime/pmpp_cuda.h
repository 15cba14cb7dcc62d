/*
 * CUDA C for the host's C++ compiler. The emulator includes this file before every kernel. It
 * includes no standard header, so that a build takes only a tenth of a second.
 */
#pragma once
#include "pmpp_emu.h"

/* A declaration of a constant can have another section than its definition (__constant__): the first counts. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wsection"
#else
#pragma GCC diagnostic ignored "-Wattributes"
#endif

/* Enables warnings about variables that may be uninitialised. g++ has them in -Wall. */
#ifdef __clang__
#pragma clang diagnostic warning "-Wconditional-uninitialized"
#elif defined(PMPP_EMU_TRACED)
/* Otherwise g++ skips a condition that an earlier one implies, and moves a statement into the branch
 * that uses its result. Then the line has too few executions. */
#pragma GCC optimize("no-thread-jumps", "no-tree-sink")
#endif

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
#define NULL __null

/* ---- The object's own record --------------------------------------------------------------- */

extern "C" {
PMPP_EMU_DEFINE_OBJECT
}

/* Marks functions of the emulator whose branches and accesses must not be counted for the kernel:
 * the traced build does not instrument them. */
#if !defined(PMPP_EMU_TRACED)
#define PMPP_EMU_UNSEEN
#elif defined(__clang__)
#define PMPP_EMU_UNSEEN __attribute__((noinline, no_sanitize("thread", "coverage")))
#else
#define PMPP_EMU_UNSEEN __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#endif

/* Code of the compiler and the macro assert() call these functions at a defect. Those of the C library would
 * write to stderr and end the process. */
extern "C" {
__attribute__((visibility("hidden"))) PMPP_EMU_UNSEEN void __stack_chk_fail(void)
{
	pmpp_emu_state.ops.fail(__builtin_return_address(0), PMPP_EMU_STACK_DEFECT, "");
	__builtin_unreachable();
}
__attribute__((visibility("hidden"))) PMPP_EMU_UNSEEN void __assert_fail(
	const char *assertion, const char *, unsigned, const char *) noexcept
{
	pmpp_emu_state.ops.fail(__builtin_return_address(0), "assertion failed: ", assertion);
	__builtin_unreachable();
}
}

/* Prints on stdout. Returns the number of arguments (CUDA, Formatted Output). vdprintf() does not
 * lock stdout, but it allocates memory. */
extern "C" int pmpp_emu_vdprintf(int file, const char *format, __builtin_va_list list)
	__asm__("vdprintf");
extern "C" __attribute__((visibility("hidden"), format(printf, 1, 2))) PMPP_EMU_UNSEEN inline int
printf(const char *format, ...)
{
	int count = 0;
	__builtin_va_list list;

	pmpp_emu_state.in_library = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__builtin_va_start(list, format);
	bool printed = pmpp_emu_vdprintf(1, format, list) >= 0;
	__builtin_va_end(list);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	pmpp_emu_state.in_library = 0;
	if (pmpp_emu_state.interrupted)
		pmpp_emu_state.ops.end(__builtin_return_address(0));
	while (*format)
		if (*format++ == '%') {
			count += *format != '%';
			/* '*' is a width or a precision, and an argument. */
			while (*format && __builtin_strchr("-+ #.*0123456789", *format))
				count += *format++ == '*';
			format += *format != '\0';
		}
	return printed ? count : -2;
}

/* ---- Language ------------------------------------------------------------------------------ */

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
/* A section for each declaration: a section cannot have constants of C++ and other variables. */
#define PMPP_EMU_CONSTANT(number) __attribute__((section("pmpp_constant." #number)))
#define PMPP_EMU_CONSTANT_AT(number) PMPP_EMU_CONSTANT(number)
#define __constant__ PMPP_EMU_CONSTANT_AT(__COUNTER__)
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __restrict__ __restrict
#define __grid_constant__
/* Without __constinit, g++ initialises a static array of a class with constructors when the first thread reaches it,
 * although there is nothing to do. In lockstep the other threads would wait for this thread forever. */
#if defined(__clang__) || __GNUC__ < 10
#define PMPP_EMU_STATIC static
#else
#define PMPP_EMU_STATIC __constinit static
#endif
/* Static variables in sections that are the shared memory of the file: one for each declaration, because a section
 * cannot have variables of inline functions and others. source.c rewrites `extern __shared__ T x[]`, the dynamic shared
 * memory of the block. */
#define PMPP_EMU_SHARED(number) PMPP_EMU_STATIC __attribute__((section("pmpp_shared." #number)))
#define PMPP_EMU_SHARED_AT(number) PMPP_EMU_SHARED(number)
#define __shared__ PMPP_EMU_SHARED_AT(__COUNTER__)

#define assert(expression)                                                                         \
	((expression) ? (void)0 : __assert_fail(#expression, __FILE__, __LINE__, ""))
#ifndef __clang__
#define __builtin_assume(condition) ((void)sizeof(condition))
#endif

#include "pmpp_vector.h"

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
	constexpr dim3(uint3 other) : x(other.x), y(other.y), z(other.z) {}
	constexpr operator uint3() const { return uint3{x, y, z}; }
};

#define threadIdx (*(const uint3 *)&pmpp_emu_state.thread)
#define blockIdx (*(const uint3 *)&pmpp_emu_state.block)
#define blockDim (*(const dim3 *)&pmpp_emu_state.block_dim)
#define gridDim (*(const dim3 *)&pmpp_emu_state.grid_dim)
#define warpSize 32

/* ---- Barriers and warps -------------------------------------------------------------------- */

#define PMPP_EMU_BARRIER(p) (pmpp_emu_state.ops.barrier(__LINE__, __COUNTER__, (p)))
#define __syncthreads() ((void)PMPP_EMU_BARRIER(0))
#define __syncthreads_count(p) PMPP_EMU_BARRIER(!!(p))
#define __syncthreads_or(p) (PMPP_EMU_BARRIER(!!(p)) != 0)
#define __syncthreads_and(p) (PMPP_EMU_BARRIER(!(p)) == 0)

#define PMPP_EMU_FULL_MASK 0xffffffffu

template <class T> union pmpp_emu_bits {
	unsigned long long bits;
	T value;
};

template <class T>
PMPP_EMU_UNSEEN static T pmpp_emu_shuffle(int line, unsigned mask, T value, int source, bool inside)
{
	static_assert(sizeof(T) <= 8, "shuffles move 4 or 8 bytes");
	pmpp_emu_bits<T> sent;
	sent.bits = 0;
	sent.value = value;
	pmpp_emu_bits<T> got;
	got.bits = pmpp_emu_state.ops.warp(line, PMPP_EMU_SHUFFLE, mask, sent.bits,
		inside ? source : (int)pmpp_emu_state.lane);
	return got.value;
}

template <class T> struct pmpp_emu_type; /* pmpp_atomic.h */

#define PMPP_EMU_SHUFFLE_BY(name, By, from, inside)                                                \
	template <class T>                                                                         \
	PMPP_EMU_UNSEEN static T pmpp_emu_##name(int line, unsigned mask, T value, By by, int width = 32) \
	{                                                                                          \
		static_assert(!__is_class(T) || pmpp_emu_type<T>::bit != 0, "CUDA has no shuffle for this type"); \
		int lane = (int)pmpp_emu_state.lane, base = lane & ~(width - 1), source = from;    \
		return pmpp_emu_shuffle(line, mask, value, source, inside);                        \
	}
PMPP_EMU_SHUFFLE_BY(shfl, int, base + (by & (width - 1)), true)
PMPP_EMU_SHUFFLE_BY(shfl_up, unsigned, lane - (int)by, source >= base)
PMPP_EMU_SHUFFLE_BY(shfl_down, unsigned, lane + (int)by, source < base + width)
PMPP_EMU_SHUFFLE_BY(shfl_xor, int, lane ^ by, source < base + width)

#define __shfl_sync(...) pmpp_emu_shfl(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) pmpp_emu_shfl_up(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) pmpp_emu_shfl_down(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) pmpp_emu_shfl_xor(__LINE__, __VA_ARGS__)

static inline void pmpp_emu_syncwarp(int line, unsigned mask = PMPP_EMU_FULL_MASK)
{
	pmpp_emu_state.ops.warp(line, PMPP_EMU_SYNC, mask, 0, 0);
}
PMPP_EMU_UNSEEN static unsigned pmpp_emu_ballot(int line, unsigned mask, int predicate)
{
	return (unsigned)pmpp_emu_state.ops.warp(line, PMPP_EMU_VOTE, mask, predicate != 0, 0);
}

#define __syncwarp(...) pmpp_emu_syncwarp(__LINE__ __VA_OPT__(, ) __VA_ARGS__)
#define __ballot_sync(mask, p) pmpp_emu_ballot(__LINE__, (mask), (p))
#define __any_sync(mask, p) (pmpp_emu_ballot(__LINE__, (mask), (p)) != 0)
#define __all_sync(mask, p) (pmpp_emu_ballot(__LINE__, (mask), !(p)) == 0)

/* Returns the active lanes: those that reach this line before no lane of the warp can continue. */
static inline unsigned pmpp_emu_active(int line)
{
	return (unsigned)pmpp_emu_state.ops.warp(
		line, PMPP_EMU_ACTIVE, PMPP_EMU_FULL_MASK, 0, 0);
}
#define __activemask() pmpp_emu_active(__LINE__)

/* The values of all lanes of the mask; the values of other lanes are 0. */
template <class T> struct pmpp_emu_lanes {
	T of[32];

	PMPP_EMU_UNSEEN pmpp_emu_lanes(int line, unsigned mask, T value)
	{
		for (int lane = 0; lane < 32; lane++)
			of[lane] = mask >> lane & 1
					   ? pmpp_emu_shuffle(line, mask, value, lane, true)
					   : T();
	}
};

template <class T> PMPP_EMU_UNSEEN static unsigned pmpp_emu_match(int line, unsigned mask, T value)
{
	pmpp_emu_lanes<T> lanes(line, mask, value);
	unsigned equal = 0;

	for (int lane = 0; lane < 32; lane++)
		equal |= (unsigned)(mask >> lane & 1 && lanes.of[lane] == value) << lane;
	return equal;
}
template <class T>
PMPP_EMU_UNSEEN static unsigned pmpp_emu_match_all(int line, unsigned mask, T value, int *all)
{
	*all = pmpp_emu_match(line, mask, value) == mask;
	/* All lanes must return the same answer, and a NaN differs from itself. */
	*all = pmpp_emu_ballot(line, mask, !*all) == 0;
	return *all ? mask : 0;
}

/* F::next as in pmpp_atomic.h. */
template <class F, class T>
PMPP_EMU_UNSEEN static T pmpp_emu_reduce(int line, unsigned mask, T value)
{
	pmpp_emu_lanes<T> lanes(line, mask, value);
	int first = __builtin_ctz(mask);
	T all = lanes.of[first];

	for (int lane = first + 1; lane < 32; lane++)
		if (mask >> lane & 1)
			all = F::next(all, lanes.of[lane], all);
	return all;
}

#define __match_any_sync(mask, value) pmpp_emu_match(__LINE__, (mask), (value))
#define __match_all_sync(mask, value, all) pmpp_emu_match_all(__LINE__, (mask), (value), (all))
#define PMPP_EMU_REDUCE(name, mask, value)                                                         \
	pmpp_emu_reduce<pmpp_emu_next_##name>(__LINE__, (mask), (value))
#define __reduce_add_sync(mask, value) PMPP_EMU_REDUCE(atomicAdd, mask, value)
#define __reduce_min_sync(mask, value) PMPP_EMU_REDUCE(atomicMin, mask, value)
#define __reduce_max_sync(mask, value) PMPP_EMU_REDUCE(atomicMax, mask, value)
#define __reduce_and_sync(mask, value) PMPP_EMU_REDUCE(atomicAnd, mask, value)
#define __reduce_or_sync(mask, value) PMPP_EMU_REDUCE(atomicOr, mask, value)
#define __reduce_xor_sync(mask, value) PMPP_EMU_REDUCE(atomicXor, mask, value)

/* `extern __shared__ T x[]` outside of functions. */
template <class T> using pmpp_emu_pointer = T *const;

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
/* One worker runs a block, so this is only a fence for the compiler. In the traced build it is not
 * inlined: its return address is the place of the fence. */
PMPP_EMU_UNSEEN static inline void __threadfence_block()
{
#ifdef PMPP_EMU_TRACED
	pmpp_emu_state.ops.access(0, 0, PMPP_EMU_BLOCK_FENCE, __builtin_return_address(0));
#endif
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* ---- Time and memory ----------------------------------------------------------------------- */

struct pmpp_emu_time {
	long seconds, nanoseconds;
};
extern "C" int pmpp_emu_clock_gettime(int clock, pmpp_emu_time *time) __asm__("clock_gettime");

/* A cycle is a nanosecond of the host. */
PMPP_EMU_UNSEEN static long long clock64()
{
	pmpp_emu_time now;
	pmpp_emu_clock_gettime(1 /* CLOCK_MONOTONIC */, &now);
	return now.seconds * 1000000000ll + now.nanoseconds;
}
static inline clock_t clock() { return (clock_t)clock64(); }
static inline void __nanosleep(unsigned) {}
PMPP_EMU_UNSEEN static void __trap()
{
	pmpp_emu_state.ops.fail(__builtin_return_address(0), "__trap() was called", "");
	__builtin_unreachable();
}

/* The trace records one access per operand. A device uses a loop of vector accesses. */
PMPP_EMU_UNSEEN static void *pmpp_emu_memcpy(void *to, const void *from, size_t bytes)
{
#ifdef PMPP_EMU_TRACED
	pmpp_emu_state.ops.access(from, bytes, PMPP_EMU_READ, __builtin_return_address(0));
	pmpp_emu_state.ops.access(to, bytes, PMPP_EMU_WRITE, __builtin_return_address(0));
#endif
	return __builtin_memmove(to, from, bytes);
}
PMPP_EMU_UNSEEN static void *pmpp_emu_memset(void *to, int value, size_t bytes)
{
#ifdef PMPP_EMU_TRACED
	pmpp_emu_state.ops.access(to, bytes, PMPP_EMU_WRITE, __builtin_return_address(0));
#endif
	return __builtin_memset(to, value, bytes);
}
#define memcpy pmpp_emu_memcpy
#define memset pmpp_emu_memset

/* The largest dynamic shared memory of a block (CUDA C++ Programming Guide, compute capability 9.0). */
#define PMPP_EMU_DYNAMIC_MOST (227 * 1024)
PMPP_EMU_UNSEEN static unsigned __isShared(const void *address)
{
	size_t at = (size_t)address;
	return (at >= (size_t)pmpp_emu_object.shared_begin && at < (size_t)pmpp_emu_object.shared_end) ||
	       at - (size_t)pmpp_emu_state.dynamic_shared < PMPP_EMU_DYNAMIC_MOST;
}
static inline size_t __cvta_generic_to_shared(const void *address) { return (size_t)address; }
static inline size_t __cvta_generic_to_global(const void *address) { return (size_t)address; }
static inline void *__cvta_shared_to_generic(size_t address) { return (void *)address; }
static inline void *__cvta_global_to_generic(size_t address) { return (void *)address; }

#include "pmpp_math.h"
#include "pmpp_atomic.h"

/* ---- Entries ------------------------------------------------------------------------------- */

template <class T> struct pmpp_emu_kind {
	enum : char { value = '0' + sizeof(T) };
};
#define PMPP_EMU_KIND(parameters, T, kind)                                                         \
	template <parameters> struct pmpp_emu_kind<T> {                                            \
		enum : char { value = kind };                                                      \
	};
PMPP_EMU_KIND(, float, 'f')
PMPP_EMU_KIND(, double, 'd')
PMPP_EMU_KIND(class T, T *, 'p')
PMPP_EMU_KIND(class T, T *__restrict, 'p')
template <int... I> struct pmpp_emu_list {};
template <int N, int... I> struct pmpp_emu_count : pmpp_emu_count<N - 1, N - 1, I...> {};
template <int... I> struct pmpp_emu_count<0, I...> {
	typedef pmpp_emu_list<I...> type;
};
template <class T> struct pmpp_emu_plain {
	typedef T type;
};
template <class T> struct pmpp_emu_plain<const T> {
	typedef T type;
};

template <class F> struct pmpp_emu_kernel;
template <class... A> struct pmpp_emu_kernel<void (*)(A...)> {
	struct kinds {
		char of[sizeof...(A) + 1];
	};
	static constexpr kinds parameters() { return {{pmpp_emu_kind<typename pmpp_emu_plain<A>::type>::value..., 0}}; }

	/* Not traced: the arguments are in the host's memory. */
	template <int... I>
	PMPP_EMU_UNSEEN static void call(void (*kernel)(A...), void **arguments, pmpp_emu_list<I...>)
	{
		(void)arguments;
		kernel(*(typename pmpp_emu_plain<A>::type *)arguments[I]...);
	}
	PMPP_EMU_UNSEEN static void call(void (*kernel)(A...), void **arguments)
	{
		call(kernel, arguments, typename pmpp_emu_count<(int)sizeof...(A)>::type());
	}
};

/* Not a lambda: the compiler would instrument its conversion to a function pointer. */
template <class F, F kernel> PMPP_EMU_UNSEEN static void pmpp_emu_call(void **arguments)
{
	pmpp_emu_kernel<F>::call(kernel, arguments);
}

#define PMPP_EMU_ENTRY(name)                                                                       \
	extern "C" __attribute__((visibility("default"))) struct pmpp_emu_entry                    \
		pmpp_emu_entry_##name;                                                             \
	static constexpr auto pmpp_emu_kinds_##name = pmpp_emu_kernel<decltype(&name)>::parameters(); \
	struct pmpp_emu_entry pmpp_emu_entry_##name = {                                            \
		pmpp_emu_call<decltype(&name), &name>, pmpp_emu_kinds_##name.of};

/* backend.c finds this text in the compiler's error. */
#define PMPP_EMU_PTX _Pragma("GCC error \"pmpp_emu_inline_ptx\"")
#define asm PMPP_EMU_PTX __asm__
#define __asm PMPP_EMU_PTX __asm__
#define __asm__ PMPP_EMU_PTX __asm__
