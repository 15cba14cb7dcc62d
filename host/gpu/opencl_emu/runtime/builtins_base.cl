/* Macros and support functions of the built-ins. */
#include "pmpp_kinds.h"

/* ---- Functions of the host (support.c) ------------------------------------------------------- */

/* Records an access of the instruction before pc. kind: enum pmpp_emu_access. Traced build only. */
void pmpp_emu_access(const void *address, ulong bytes, int kind, const void *pc);
/* Returns a number for the place of a call: minus its offset in the object, in bytes. Different
 * places have different numbers. */
int pmpp_emu_line(const void *pc);
/* A barrier of the work-group. */
void pmpp_emu_barrier(int line, uint flags);
/* As `settle`, `warp`, `copy`, `copy_commit` and `copy_wait_group` of struct pmpp_emu_ops. */
void pmpp_emu_settle(const void *address, ulong bytes);
ulong pmpp_emu_warp(int line, int op, ulong mask, ulong value, int source);
void pmpp_emu_copy(
	int line, void *to, const void *from, ulong bytes, ulong zeroed, ulong low, ulong high);
ulong pmpp_emu_copy_commit(void);
void pmpp_emu_copy_wait_group(ulong group);
/* malloc() and free(), in which the watchdog does not end the work-item. pc: as in ops.end. */
void *pmpp_emu_allocate(ulong bytes, const void *pc);
void pmpp_emu_release(void *memory, const void *pc);
/* The head of a basic block of a built-in, for loops whose number of iterations depends on the lane.
 * Traced build only. */
void pmpp_emu_step(void);

#ifdef PMPP_EMU_TRACED
#define PMPP_STEP() pmpp_emu_step()
#define PMPP_SEEN(address, bytes, kind, pc) \
	pmpp_emu_access((const void *)(ulong)(address), (bytes), (kind), (pc))
#else
#define PMPP_STEP() ((void)0)
/* The first member of struct pmpp_emu_state: support.c. */
extern __global ulong pmpp_called_from __asm__("pmpp_emu_state");
#define PMPP_SEEN(address, bytes, kind, pc) pmpp_called((ulong)(pc))
/* The empty instruction keeps the access behind the assignment. */
static inline __attribute__((always_inline)) void pmpp_called(ulong pc)
{
	pmpp_called_from = pc;
	__asm__ volatile("" : : : "memory");
}
#endif

/* ---- Definitions ----------------------------------------------------------------------------- */

/* A built-in. noinline: its return address is in the kernel, also if another built-in calls it. */
#define PMPP_DEF __attribute__((overloadable, noinline, visibility("hidden")))
#define PMPP_PC __builtin_return_address(0)
/* The scalar form of a built-in, with the same name for all types. */
#define PMPP_IN static inline __attribute__((overloadable, always_inline, unused))

/* PMPP_IF(name)(text): the text if needs.h defines NEED_<name>, which is empty, else nothing.
 * PMPP_NEEDED_ and the value of NEED_<name> make PMPP_NEEDED_, or a word that is not a macro. */
#define PMPP_IF(name) PMPP_PICK(PMPP_MARK(NEED_##name))
#define PMPP_MARK(value) PMPP_PASTE(PMPP_NEEDED_, value)
#define PMPP_PASTE(a, b) a##b
#define PMPP_NEEDED_ , PMPP_KEEP
#define PMPP_PICK(...) PMPP_SECOND(__VA_ARGS__, PMPP_DROP, )
#define PMPP_SECOND(a, b, ...) b
#define PMPP_KEEP(...) __VA_ARGS__
#define PMPP_DROP(...)

/* Lists: of the types and vector sizes in the parameters of the needed functions (needs.h), or of
 * all. For a type: m(type, signed integer of this size, unsigned integer of this size, ...). */
#if !defined PMPP_ONLY || defined PMPP_HAS_v2
#define PMPP_FOR_2(m, ...) m(2, __VA_ARGS__)
#else
#define PMPP_FOR_2(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_v3
#define PMPP_FOR_3(m, ...) m(3, __VA_ARGS__)
#else
#define PMPP_FOR_3(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_v4
#define PMPP_FOR_4(m, ...) m(4, __VA_ARGS__)
#else
#define PMPP_FOR_4(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_v8
#define PMPP_FOR_8(m, ...) m(8, __VA_ARGS__)
#else
#define PMPP_FOR_8(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_v16
#define PMPP_FOR_16(m, ...) m(16, __VA_ARGS__)
#else
#define PMPP_FOR_16(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_c
#define PMPP_FOR_char(m, ...) m(char, char, uchar, __VA_ARGS__)
#else
#define PMPP_FOR_char(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_s
#define PMPP_FOR_short(m, ...) m(short, short, ushort, __VA_ARGS__)
#else
#define PMPP_FOR_short(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_i
#define PMPP_FOR_int(m, ...) m(int, int, uint, __VA_ARGS__)
#else
#define PMPP_FOR_int(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_l
#define PMPP_FOR_long(m, ...) m(long, long, ulong, __VA_ARGS__)
#else
#define PMPP_FOR_long(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_h
#define PMPP_FOR_uchar(m, ...) m(uchar, char, uchar, __VA_ARGS__)
#else
#define PMPP_FOR_uchar(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_t
#define PMPP_FOR_ushort(m, ...) m(ushort, short, ushort, __VA_ARGS__)
#else
#define PMPP_FOR_ushort(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_j
#define PMPP_FOR_uint(m, ...) m(uint, int, uint, __VA_ARGS__)
#else
#define PMPP_FOR_uint(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_m
#define PMPP_FOR_ulong(m, ...) m(ulong, long, ulong, __VA_ARGS__)
#else
#define PMPP_FOR_ulong(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_f
#define PMPP_FOR_float(m, ...) m(float, int, uint, __VA_ARGS__)
#else
#define PMPP_FOR_float(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_d
#define PMPP_FOR_double(m, ...) m(double, long, ulong, __VA_ARGS__)
#else
#define PMPP_FOR_double(m, ...)
#endif
#if !defined PMPP_ONLY || defined PMPP_HAS_Dh
#define PMPP_FOR_half(m, ...) m(half, short, ushort, __VA_ARGS__)
#else
#define PMPP_FOR_half(m, ...)
#endif
#define PMPP_SIZES(m, ...)         \
	PMPP_FOR_2(m, __VA_ARGS__) \
	PMPP_FOR_3(m, __VA_ARGS__) \
	PMPP_FOR_4(m, __VA_ARGS__) PMPP_FOR_8(m, __VA_ARGS__) PMPP_FOR_16(m, __VA_ARGS__)
#define PMPP_SIGNED(m, ...)                                                                       \
	PMPP_FOR_char(m, __VA_ARGS__) PMPP_FOR_short(m, __VA_ARGS__) PMPP_FOR_int(m, __VA_ARGS__) \
		PMPP_FOR_long(m, __VA_ARGS__)
#define PMPP_UNSIGNED(m, ...)                                          \
	PMPP_FOR_uchar(m, __VA_ARGS__) PMPP_FOR_ushort(m, __VA_ARGS__) \
		PMPP_FOR_uint(m, __VA_ARGS__) PMPP_FOR_ulong(m, __VA_ARGS__)
#define PMPP_FLOATS(m, ...) \
	PMPP_FOR_float(m, __VA_ARGS__) PMPP_FOR_double(m, __VA_ARGS__) PMPP_FOR_half(m, __VA_ARGS__)
#define PMPP_INTEGERS(m, ...) PMPP_SIGNED(m, __VA_ARGS__) PMPP_UNSIGNED(m, __VA_ARGS__)
#define PMPP_TYPES(m, ...) PMPP_INTEGERS(m, __VA_ARGS__) PMPP_FLOATS(m, __VA_ARGS__)
/* Address spaces of a pointer that is written. */
#define PMPP_SPACES(m, ...)                                                        \
	m(__global, __VA_ARGS__) m(__local, __VA_ARGS__) m(__private, __VA_ARGS__) \
		m(__generic, __VA_ARGS__)
#define PMPP_CONST_SPACES(m, ...) PMPP_SPACES(m, __VA_ARGS__) m(__constant, __VA_ARGS__)

/* float1: a scalar, in macros that are for scalars and vectors. */
typedef char char1;
typedef uchar uchar1;
typedef short short1;
typedef ushort ushort1;
typedef int int1;
typedef uint uint1;
typedef long long1;
typedef ulong ulong1;
typedef float float1;
typedef double double1;
typedef half half1;

/* Overloads for vectors of n elements: r[i] = pmpp_NAME(a[i], ...). R, A, B, C: scalar types. */
#define PMPP_VECTOR1(n, name, R, A)               \
	PMPP_DEF R##n name(A##n a)                \
	{                                         \
		R##n r;                           \
		for (int i = 0; i < n; i++)       \
			r[i] = pmpp_##name(a[i]); \
		return r;                         \
	}
#define PMPP_VECTOR2(n, name, R, A, B)                  \
	PMPP_DEF R##n name(A##n a, B##n b)              \
	{                                               \
		R##n r;                                 \
		for (int i = 0; i < n; i++)             \
			r[i] = pmpp_##name(a[i], b[i]); \
		return r;                               \
	}
#define PMPP_VECTOR3(n, name, R, A, B, C)                     \
	PMPP_DEF R##n name(A##n a, B##n b, C##n c)            \
	{                                                     \
		R##n r;                                       \
		for (int i = 0; i < n; i++)                   \
			r[i] = pmpp_##name(a[i], b[i], c[i]); \
		return r;                                     \
	}
/* The last argument is a scalar. */
#define PMPP_VECTOR2_SCALAR(n, name, R, A, B)        \
	PMPP_DEF R##n name(A##n a, B b)              \
	{                                            \
		R##n r;                              \
		for (int i = 0; i < n; i++)          \
			r[i] = pmpp_##name(a[i], b); \
		return r;                            \
	}
/* The two last arguments are scalars. */
#define PMPP_VECTOR3_SCALARS(n, name, R, A, B, C)       \
	PMPP_DEF R##n name(A##n a, B b, C c)            \
	{                                               \
		R##n r;                                 \
		for (int i = 0; i < n; i++)             \
			r[i] = pmpp_##name(a[i], b, c); \
		return r;                               \
	}

/* The scalar and all vectors. */
#define PMPP_ALL1(name, R, A)          \
	PMPP_DEF R name(A a)           \
	{                              \
		return pmpp_##name(a); \
	}                              \
	PMPP_SIZES(PMPP_VECTOR1, name, R, A)
#define PMPP_ALL2(name, R, A, B)          \
	PMPP_DEF R name(A a, B b)         \
	{                                 \
		return pmpp_##name(a, b); \
	}                                 \
	PMPP_SIZES(PMPP_VECTOR2, name, R, A, B)
#define PMPP_ALL3(name, R, A, B, C)          \
	PMPP_DEF R name(A a, B b, C c)       \
	{                                    \
		return pmpp_##name(a, b, c); \
	}                                    \
	PMPP_SIZES(PMPP_VECTOR3, name, R, A, B, C)

/* For the lists of types: T (T, ...). */
#define PMPP_GENERIC1(T, I, U, name) PMPP_ALL1(name, T, T)
#define PMPP_GENERIC2(T, I, U, name) PMPP_ALL2(name, T, T, T)
#define PMPP_GENERIC3(T, I, U, name) PMPP_ALL3(name, T, T, T, T)
/* Work-item functions, which support.c defines. */
size_t __attribute__((overloadable)) get_local_id(uint);
size_t __attribute__((overloadable)) get_local_size(uint);
uint __attribute__((overloadable)) get_sub_group_size(void);
uint __attribute__((overloadable)) get_max_sub_group_size(void);
uint __attribute__((overloadable)) get_sub_group_local_id(void);

PMPP_IN size_t pmpp_item(void)
{
	return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
	       get_local_id(0);
}

PMPP_IN size_t pmpp_item_count(void)
{
	return get_local_size(0) * get_local_size(1) * get_local_size(2);
}
