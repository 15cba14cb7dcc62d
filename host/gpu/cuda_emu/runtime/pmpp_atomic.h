/*
 * Atomic operations. They are atomic on the host too, because blocks run on several threads of the
 * host. The traced build counts each as one access: its loop is in functions that are not traced.
 */
template <class F, class T> PMPP_EMU_UNSEEN static T pmpp_emu_atomic_loop(T *address, T value, T expected)
{
	T before;
	__atomic_load(address, &before, __ATOMIC_RELAXED);
	for (;;) {
		T after = F::next(before, value, expected);
		if (__atomic_compare_exchange(
			    address, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return before;
	}
}

template <class F> struct pmpp_emu_atomic_kind {
	enum { value = PMPP_EMU_ATOMIC };
};

/* In the traced build this function is not inlined: its return address is the place of the access. */
template <class F, class T> PMPP_EMU_UNSEEN static T pmpp_emu_atomic(T *address, T value, T expected)
{
#ifdef PMPP_EMU_TRACED
	pmpp_emu_state.ops.access(
		address, sizeof(T), (pmpp_emu_access)pmpp_emu_atomic_kind<F>::value,
		__builtin_return_address(0));
#endif
	return pmpp_emu_atomic_loop<F>(address, value, expected);
}

#define PMPP_EMU_ATOMIC_NEXT(name, expression)                                                     \
	struct pmpp_emu_next_##name {                                                              \
		template <class T> PMPP_EMU_UNSEEN static T next(T old, T value, T expected)       \
		{                                                                                  \
			(void)old, (void)value, (void)expected;                                    \
			return expression;                                                         \
		}                                                                                  \
	};

/* Blocks and devices share one memory here. */
#define PMPP_EMU_ATOMIC_CALL(name, function)                                                       \
	template <class T> static __forceinline__ T name(T *address, decltype(T()) value)          \
	{                                                                                          \
		return pmpp_emu_atomic<pmpp_emu_next_##function>(address, value, value);           \
	}

#define PMPP_EMU_ATOMIC(name, expression)                                                          \
	PMPP_EMU_ATOMIC_NEXT(name, expression)                                                     \
	PMPP_EMU_ATOMIC_CALL(name, name)                                                           \
	PMPP_EMU_ATOMIC_CALL(name##_block, name)                                                   \
	PMPP_EMU_ATOMIC_CALL(name##_system, name)

PMPP_EMU_ATOMIC(atomicAdd, old + value)
PMPP_EMU_ATOMIC(atomicSub, old - value)
PMPP_EMU_ATOMIC(atomicMin, value < old ? value : old)
PMPP_EMU_ATOMIC(atomicMax, old < value ? value : old)
PMPP_EMU_ATOMIC(atomicAnd, old &value)
PMPP_EMU_ATOMIC(atomicOr, old | value)
PMPP_EMU_ATOMIC(atomicXor, old ^ value)
PMPP_EMU_ATOMIC(atomicExch, value)
template <> struct pmpp_emu_atomic_kind<pmpp_emu_next_atomicExch> {
	enum { value = PMPP_EMU_EXCHANGE };
};
PMPP_EMU_ATOMIC(atomicInc, old >= value ? T(0) : old + 1)
PMPP_EMU_ATOMIC(atomicDec, old == T(0) || old > value ? value : old - 1)
PMPP_EMU_ATOMIC_NEXT(atomicCAS, old == expected ? value : old)
template <> struct pmpp_emu_atomic_kind<pmpp_emu_next_atomicCAS> {
	enum { value = PMPP_EMU_COMPARE };
};

template <class T>
static __forceinline__ T atomicCAS(T *address, decltype(T()) expected, decltype(T()) value)
{
	return pmpp_emu_atomic<pmpp_emu_next_atomicCAS>(address, value, expected);
}

#define atomicCAS_block atomicCAS
#define atomicCAS_system atomicCAS
