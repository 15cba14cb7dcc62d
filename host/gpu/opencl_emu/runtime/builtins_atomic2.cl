/* Atomic functions of OpenCL C 2.0 and 3.0: builtins_atomic.cl describes them. */

/* Defaults of the functions without order and scope. */
enum {
	order = memory_order_seq_cst,
	scope = memory_scope_device
};

PMPP_IN bool pmpp_has_other_blocks(int scope)
{
	return scope == memory_scope_device || scope == memory_scope_all_svm_devices;
}

/* Before an atomic operation that reads: the work-item sees the writes of other blocks only if order and
 * scope say so. Within a block each atomic operation is an acquire for the emulator. */
PMPP_IN void pmpp_acquire(int order, int scope, const void *pc)
{
	if (order == memory_order_relaxed || order == memory_order_release ||
		!pmpp_has_other_blocks(scope))
		PMPP_SEEN(0, 0, PMPP_EMU_RELAXED, pc);
}

/* Before an atomic operation: work-items that see the operation see all earlier writes, also those of
 * other blocks if the scope has them. */
PMPP_IN void pmpp_release(int order, int scope, const void *pc)
{
	bool releases = order == memory_order_release || order == memory_order_acq_rel ||
			order == memory_order_seq_cst;

	if (releases)
		PMPP_SEEN(0, 0,
			pmpp_has_other_blocks(scope) ? PMPP_EMU_FENCE : PMPP_EMU_BLOCK_FENCE, pc);
	pmpp_acquire(order, scope, pc);
}

/* A: the atomic type of T. tail: parameters after the operands, none or orders and scopes. */
#define PMPP_FETCH(S, A, T, V, name, fetch, kind, ...)                          \
	PMPP_DEF T name(volatile S A *p, V b __VA_ARGS__)                       \
	{                                                                       \
		pmpp_release(order, scope, PMPP_PC);                            \
		PMPP_SEEN(p, sizeof(T), kind, PMPP_PC);                         \
		return pmpp_fetch_##fetch((volatile T *)PMPP_ADDRESS(p), (T)b); \
	}
#define PMPP_FETCH_TYPE(T, name, fetch, kind) \
	PMPP_ATOMIC_SPACES(PMPP_FETCH, atomic_##T, T, T, name, fetch, kind)
#define PMPP_FETCH_TYPE_EXPLICIT(T, name, fetch, kind)                                            \
	PMPP_ATOMIC_SPACES(PMPP_FETCH, atomic_##T, T, T, name, fetch, kind, , memory_order order) \
	PMPP_ATOMIC_SPACES(PMPP_FETCH, atomic_##T, T, T, name, fetch, kind, , memory_order order, \
		memory_scope scope)
/* atomic_intptr_t and atomic_uintptr_t have operands of the other sign for some operations. */
#define PMPP_FETCH_POINTER(name, fetch)                                                         \
	PMPP_ATOMIC_SPACES(PMPP_FETCH, atomic_ulong, ulong, long, name, fetch, PMPP_EMU_ATOMIC) \
	PMPP_ATOMIC_SPACES(PMPP_FETCH, atomic_long, long, ulong, name, fetch, PMPP_EMU_ATOMIC)
#define PMPP_FETCH_POINTER_EXPLICIT(name, fetch, ...)                                             \
	PMPP_ATOMIC_SPACES(PMPP_FETCH, atomic_ulong, ulong, long, name, fetch, PMPP_EMU_ATOMIC, , \
		__VA_ARGS__)                                                                      \
	PMPP_ATOMIC_SPACES(                                                                       \
		PMPP_FETCH, atomic_long, long, ulong, name, fetch, PMPP_EMU_ATOMIC, , __VA_ARGS__)
#define PMPP_STORE(S, A, T, name, ...)                               \
	PMPP_DEF void name(volatile S A *p, T b __VA_ARGS__)         \
	{                                                            \
		pmpp_release(order, scope, PMPP_PC);                 \
		PMPP_SEEN(p, sizeof(T), PMPP_EMU_EXCHANGE, PMPP_PC); \
		pmpp_fetch_xchg((volatile T *)PMPP_ADDRESS(p), b);   \
	}
#define PMPP_STORE_TYPE(T, name) PMPP_ATOMIC_SPACES(PMPP_STORE, atomic_##T, T, name)
#define PMPP_STORE_TYPE_EXPLICIT(T, name)                                         \
	PMPP_ATOMIC_SPACES(PMPP_STORE, atomic_##T, T, name, , memory_order order) \
	PMPP_ATOMIC_SPACES(                                                       \
		PMPP_STORE, atomic_##T, T, name, , memory_order order, memory_scope scope)
#define PMPP_LOAD(S, A, T, name, ...)                                  \
	PMPP_DEF T name(volatile S A *p __VA_ARGS__)                   \
	{                                                              \
		pmpp_acquire(order, scope, PMPP_PC);                   \
		PMPP_SEEN(p, sizeof(T), PMPP_EMU_ATOMIC_LOAD, PMPP_PC);\
		return pmpp_fetch_load((volatile T *)PMPP_ADDRESS(p)); \
	}
#define PMPP_LOAD_TYPE(T, name) PMPP_ATOMIC_SPACES(PMPP_LOAD, atomic_##T, T, name)
#define PMPP_LOAD_TYPE_EXPLICIT(T, name)                                         \
	PMPP_ATOMIC_SPACES(PMPP_LOAD, atomic_##T, T, name, , memory_order order) \
	PMPP_ATOMIC_SPACES(PMPP_LOAD, atomic_##T, T, name, , memory_order order, memory_scope scope)
/* E: address space of the expected value, which gets the old value if they differ. */
#define PMPP_COMPARE(S, E, A, T, B, name, ...)                                               \
	PMPP_DEF bool name(volatile S A *p, E T *expected, T b __VA_ARGS__)                  \
	{                                                                                    \
		B old = __builtin_astype(*expected, B);                                      \
		pmpp_release(order, scope, PMPP_PC);                                         \
		PMPP_SEEN(p, sizeof(T), PMPP_EMU_COMPARE, PMPP_PC);                          \
		bool same = __atomic_compare_exchange_n((volatile B *)PMPP_ADDRESS(p), &old, \
			__builtin_astype(b, B), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
		PMPP_SEEN(expected, sizeof(T), PMPP_EMU_READ, PMPP_PC);                      \
		if (!same) {                                                                 \
			PMPP_STEP();                                                         \
			PMPP_SEEN(expected, sizeof(T), PMPP_EMU_WRITE, PMPP_PC);             \
			*expected = __builtin_astype(old, T);                                \
		}                                                                            \
		PMPP_STEP();                                                                 \
		return same;                                                                 \
	}
#define PMPP_COMPARE_SPACE(S, ...)             \
	PMPP_COMPARE(S, __global, __VA_ARGS__) \
	PMPP_COMPARE(S, __local, __VA_ARGS__)  \
	PMPP_COMPARE(S, __private, __VA_ARGS__) PMPP_COMPARE(S, __generic, __VA_ARGS__)
#define PMPP_COMPARES(...)                        \
	PMPP_COMPARE_SPACE(__global, __VA_ARGS__) \
	PMPP_COMPARE_SPACE(__local, __VA_ARGS__) PMPP_COMPARE_SPACE(__generic, __VA_ARGS__)
#define PMPP_COMPARE_TYPES(name, ...)                                \
	PMPP_COMPARES(atomic_int, int, int, name, __VA_ARGS__)       \
	PMPP_COMPARES(atomic_uint, uint, uint, name, __VA_ARGS__)    \
	PMPP_COMPARES(atomic_long, long, long, name, __VA_ARGS__)    \
	PMPP_COMPARES(atomic_ulong, ulong, ulong, name, __VA_ARGS__) \
	PMPP_COMPARES(atomic_float, float, uint, name, __VA_ARGS__)  \
	PMPP_COMPARES(atomic_double, double, ulong, name, __VA_ARGS__)

#define PMPP_FETCHES(types, fetch)                                                                \
	PMPP_IF(atomic_fetch_##fetch)                                                             \
	(types(PMPP_FETCH_TYPE, atomic_fetch_##fetch, fetch, PMPP_EMU_ATOMIC) PMPP_FETCH_POINTER( \
		atomic_fetch_##fetch,                                                             \
		fetch)) PMPP_IF(atomic_fetch_##fetch##_explicit)(types(PMPP_FETCH_TYPE_EXPLICIT,  \
		atomic_fetch_##fetch##_explicit, fetch, PMPP_EMU_ATOMIC)                          \
			PMPP_FETCH_POINTER_EXPLICIT(                                              \
				atomic_fetch_##fetch##_explicit, fetch, memory_order order)       \
				PMPP_FETCH_POINTER_EXPLICIT(atomic_fetch_##fetch##_explicit,      \
					fetch, memory_order order, memory_scope scope))
PMPP_FETCHES(PMPP_ATOMIC_TYPES, add)
PMPP_FETCHES(PMPP_ATOMIC_TYPES, sub)
PMPP_FETCHES(PMPP_ATOMIC_TYPES, min)
PMPP_FETCHES(PMPP_ATOMIC_TYPES, max)
PMPP_FETCHES(PMPP_ATOMIC_INTEGERS, and)
PMPP_FETCHES(PMPP_ATOMIC_INTEGERS, or)
PMPP_FETCHES(PMPP_ATOMIC_INTEGERS, xor)
#ifdef NEED_atomic_exchange
PMPP_ATOMIC_TYPES(PMPP_FETCH_TYPE, atomic_exchange, xchg, PMPP_EMU_EXCHANGE)
#endif
#ifdef NEED_atomic_store
PMPP_ATOMIC_TYPES(PMPP_STORE_TYPE, atomic_store)
#endif
#ifdef NEED_atomic_load
PMPP_ATOMIC_TYPES(PMPP_LOAD_TYPE, atomic_load)
#endif
#ifdef NEED_atomic_exchange_explicit
PMPP_ATOMIC_TYPES(PMPP_FETCH_TYPE_EXPLICIT, atomic_exchange_explicit, xchg, PMPP_EMU_EXCHANGE)
#endif
#ifdef NEED_atomic_store_explicit
PMPP_ATOMIC_TYPES(PMPP_STORE_TYPE_EXPLICIT, atomic_store_explicit)
#endif
#ifdef NEED_atomic_load_explicit
PMPP_ATOMIC_TYPES(PMPP_LOAD_TYPE_EXPLICIT, atomic_load_explicit)
#endif
#ifdef NEED_atomic_compare_exchange_strong
PMPP_COMPARE_TYPES(atomic_compare_exchange_strong)
#endif
#ifdef NEED_atomic_compare_exchange_strong_explicit
PMPP_COMPARE_TYPES(
	atomic_compare_exchange_strong_explicit, , memory_order order, memory_order failure)
PMPP_COMPARE_TYPES(atomic_compare_exchange_strong_explicit, , memory_order order,
	memory_order failure, memory_scope scope)
#endif
#ifdef NEED_atomic_compare_exchange_weak
PMPP_COMPARE_TYPES(atomic_compare_exchange_weak)
#endif
#ifdef NEED_atomic_compare_exchange_weak_explicit
PMPP_COMPARE_TYPES(
	atomic_compare_exchange_weak_explicit, , memory_order order, memory_order failure)
PMPP_COMPARE_TYPES(atomic_compare_exchange_weak_explicit, , memory_order order,
	memory_order failure, memory_scope scope)
#endif
#ifdef NEED_atomic_init
/* Not atomic: as a write. */
#define PMPP_INIT(S, T)                                           \
	PMPP_DEF void atomic_init(volatile S atomic_##T *p, T b)  \
	{                                                         \
		PMPP_SEEN(p, sizeof(T), PMPP_EMU_WRITE, PMPP_PC); \
		*(volatile T *)PMPP_ADDRESS(p) = b;               \
	}
#define PMPP_INIT_TYPE(T, x) PMPP_SPACES(PMPP_INIT, T)
PMPP_ATOMIC_TYPES(PMPP_INIT_TYPE, )
#endif

/* A flag is an atomic_int. */
#define PMPP_FLAG_SET(S, name, ...)                                              \
	PMPP_DEF bool name(volatile S atomic_flag *p __VA_ARGS__)                \
	{                                                                        \
		pmpp_release(order, scope, PMPP_PC);                             \
		PMPP_SEEN(p, sizeof(int), PMPP_EMU_ATOMIC, PMPP_PC);             \
		return pmpp_fetch_xchg((volatile int *)PMPP_ADDRESS(p), 1) != 0; \
	}
#define PMPP_FLAG_CLEAR(S, name, ...)                                  \
	PMPP_DEF void name(volatile S atomic_flag *p __VA_ARGS__)      \
	{                                                              \
		pmpp_release(order, scope, PMPP_PC);                   \
		PMPP_SEEN(p, sizeof(int), PMPP_EMU_EXCHANGE, PMPP_PC); \
		pmpp_fetch_xchg((volatile int *)PMPP_ADDRESS(p), 0);   \
	}
#ifdef NEED_atomic_flag_test_and_set
PMPP_ATOMIC_SPACES(PMPP_FLAG_SET, atomic_flag_test_and_set)
#endif
#ifdef NEED_atomic_flag_test_and_set_explicit
PMPP_ATOMIC_SPACES(PMPP_FLAG_SET, atomic_flag_test_and_set_explicit, , memory_order order)
PMPP_ATOMIC_SPACES(
	PMPP_FLAG_SET, atomic_flag_test_and_set_explicit, , memory_order order, memory_scope scope)
#endif
#ifdef NEED_atomic_flag_clear
PMPP_ATOMIC_SPACES(PMPP_FLAG_CLEAR, atomic_flag_clear)
#endif
#ifdef NEED_atomic_flag_clear_explicit
PMPP_ATOMIC_SPACES(PMPP_FLAG_CLEAR, atomic_flag_clear_explicit, , memory_order order)
PMPP_ATOMIC_SPACES(
	PMPP_FLAG_CLEAR, atomic_flag_clear_explicit, , memory_order order, memory_scope scope)
#endif
