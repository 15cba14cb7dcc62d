/*
 * Atomic functions of OpenCL C 1.2 (atomic_add, atom_add) and 2.0 (atomic_fetch_add). They are
 * atomic on the host too, because work-groups run on several threads of the host. Every order
 * and scope runs as sequentially consistent in the device. Each call is one access. The check for
 * races uses the order and the scope of a release; each atomic operation is an acquire there.
 */

/* pmpp_fetch_NAME(address, operand) returns the old value. */
#define PMPP_FETCH_LOOP(T, B, name, next)                                                          \
	PMPP_IN T pmpp_fetch_##name(volatile T *p, T b)                                            \
	{                                                                                          \
		volatile B *bits = (volatile B *)p;                                                \
		B before = __atomic_load_n(bits, __ATOMIC_SEQ_CST);                                \
		for (;;) {                                                                         \
			T a = __builtin_astype(before, T);                                         \
			T after = next;                                                            \
			if (__atomic_compare_exchange_n(bits, &before, __builtin_astype(after, B), \
				    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                    \
				return a;                                                          \
		}                                                                                  \
	}
#define PMPP_FETCH_EXCHANGE(T, B)                                                               \
	PMPP_IN T pmpp_fetch_xchg(volatile T *p, T b)                                           \
	{                                                                                       \
		return __builtin_astype(__atomic_exchange_n((volatile B *)p,                    \
						__builtin_astype(b, B), __ATOMIC_SEQ_CST),      \
			T);                                                                     \
	}                                                                                       \
	PMPP_IN T pmpp_fetch_load(volatile T *p)                                                \
	{                                                                                       \
		return __builtin_astype(__atomic_load_n((volatile B *)p, __ATOMIC_SEQ_CST), T); \
	}
#define PMPP_FETCH_INTEGER(T)                                      \
	PMPP_IN T pmpp_fetch_add(volatile T *p, T b)               \
	{                                                          \
		return __atomic_fetch_add(p, b, __ATOMIC_SEQ_CST); \
	}                                                          \
	PMPP_IN T pmpp_fetch_sub(volatile T *p, T b)               \
	{                                                          \
		return __atomic_fetch_sub(p, b, __ATOMIC_SEQ_CST); \
	}                                                          \
	PMPP_IN T pmpp_fetch_and(volatile T *p, T b)               \
	{                                                          \
		return __atomic_fetch_and(p, b, __ATOMIC_SEQ_CST); \
	}                                                          \
	PMPP_IN T pmpp_fetch_or(volatile T *p, T b)                \
	{                                                          \
		return __atomic_fetch_or(p, b, __ATOMIC_SEQ_CST);  \
	}                                                          \
	PMPP_IN T pmpp_fetch_xor(volatile T *p, T b)               \
	{                                                          \
		return __atomic_fetch_xor(p, b, __ATOMIC_SEQ_CST); \
	}                                                          \
	PMPP_FETCH_LOOP(T, T, min, b < a ? b : a)                  \
	PMPP_FETCH_LOOP(T, T, max, a < b ? b : a)                  \
	PMPP_FETCH_EXCHANGE(T, T)
#define PMPP_FETCH_FLOAT(T, B)                              \
	PMPP_FETCH_LOOP(T, B, add, a + b)                   \
	PMPP_FETCH_LOOP(T, B, sub, a - b)                   \
	PMPP_FETCH_LOOP(T, B, min, b < a || a != a ? b : a) \
	PMPP_FETCH_LOOP(T, B, max, a < b || a != a ? b : a) \
	PMPP_FETCH_EXCHANGE(T, B)
#define PMPP_ATOMIC_INTEGERS(m, ...) \
	m(int, __VA_ARGS__) m(uint, __VA_ARGS__) m(long, __VA_ARGS__) m(ulong, __VA_ARGS__)
#define PMPP_ATOMIC_TYPES(m, ...) \
	PMPP_ATOMIC_INTEGERS(m, __VA_ARGS__) m(float, __VA_ARGS__) m(double, __VA_ARGS__)
PMPP_FETCH_INTEGER(int)
PMPP_FETCH_INTEGER(uint)
PMPP_FETCH_INTEGER(long)
PMPP_FETCH_INTEGER(ulong)
PMPP_FETCH_FLOAT(float, uint)
PMPP_FETCH_FLOAT(double, ulong)

/* ---- OpenCL C 1.2 ---------------------------------------------------------------------------- */

#define PMPP_ATOMIC_SPACES(m, ...) \
	m(__global, __VA_ARGS__) m(__local, __VA_ARGS__) m(__generic, __VA_ARGS__)
#define PMPP_OLD2(S, T, name, fetch, kind)                     \
	PMPP_DEF T name(volatile S T *p, T b)                  \
	{                                                      \
		PMPP_SEEN(p, sizeof(T), kind, PMPP_PC);        \
		return pmpp_fetch_##fetch((volatile T *)p, b); \
	}
#define PMPP_OLD1(S, T, name, fetch)                               \
	PMPP_DEF T name(volatile S T *p)                           \
	{                                                          \
		PMPP_SEEN(p, sizeof(T), PMPP_EMU_ATOMIC, PMPP_PC); \
		return pmpp_fetch_##fetch((volatile T *)p, (T)1);  \
	}
#define PMPP_OLD3(S, T, name)                                                                      \
	PMPP_DEF T name(volatile S T *p, T expected, T b)                                          \
	{                                                                                          \
		PMPP_SEEN(p, sizeof(T), PMPP_EMU_COMPARE, PMPP_PC);                                \
		__atomic_compare_exchange_n(                                                       \
			(volatile T *)p, &expected, b, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
		return expected;                                                                   \
	}
#define PMPP_OLD1_TYPE(T, name, fetch) PMPP_ATOMIC_SPACES(PMPP_OLD1, T, name, fetch)
#define PMPP_OLD2_TYPE(T, name, fetch) \
	PMPP_ATOMIC_SPACES(PMPP_OLD2, T, name, fetch, PMPP_EMU_ATOMIC)
#define PMPP_EXCHANGE_TYPE(T, name) PMPP_ATOMIC_SPACES(PMPP_OLD2, T, name, xchg, PMPP_EMU_EXCHANGE)
#define PMPP_OLD3_TYPE(T, name) PMPP_ATOMIC_SPACES(PMPP_OLD3, T, name)

/* Functions with the names atomic_... (32 bits) and atom_... (also 64 bits). */
#define PMPP_OLD(types, m, name, ...)         \
	PMPP_IF(atomic_##name)                \
	(types(m, atomic_##name __VA_ARGS__)) \
		PMPP_IF(atom_##name)(types(m, atom_##name __VA_ARGS__))
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD2_TYPE, add, , add)
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD2_TYPE, sub, , sub)
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD2_TYPE, min, , min)
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD2_TYPE, max, , max)
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD2_TYPE, and, , and)
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD2_TYPE, or, , or)
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD2_TYPE, xor, , xor)
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD1_TYPE, inc, , add)
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD1_TYPE, dec, , sub)
PMPP_OLD(PMPP_ATOMIC_TYPES, PMPP_EXCHANGE_TYPE, xchg)
PMPP_OLD(PMPP_ATOMIC_INTEGERS, PMPP_OLD3_TYPE, cmpxchg)
