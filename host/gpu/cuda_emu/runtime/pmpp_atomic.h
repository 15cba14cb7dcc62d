/* Atomics: real ones, as blocks run on several threads of the host. */
template <class T, class F> static inline T pmpp_emu_atomic(T *address, F next)
{
	T before;
	__atomic_load(address, &before, __ATOMIC_RELAXED);
	for (;;) {
		T after = next(before);
		if (__atomic_compare_exchange(
			    address, &before, &after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return before;
	}
}

#define PMPP_EMU_ATOMIC(name, expression)                                                          \
	template <class T> static inline T name(T *address, decltype(T()) value)                   \
	{                                                                                          \
		return pmpp_emu_atomic(address, [value](T old) -> T { return expression; });       \
	}

PMPP_EMU_ATOMIC(atomicAdd, old + value)
PMPP_EMU_ATOMIC(atomicSub, old - value)
PMPP_EMU_ATOMIC(atomicMin, value < old ? value : old)
PMPP_EMU_ATOMIC(atomicMax, old < value ? value : old)
PMPP_EMU_ATOMIC(atomicAnd, old &value)
PMPP_EMU_ATOMIC(atomicOr, old | value)
PMPP_EMU_ATOMIC(atomicXor, old ^ value)
PMPP_EMU_ATOMIC(atomicExch, ((void)old, value))
PMPP_EMU_ATOMIC(atomicInc, old >= value ? T(0) : old + 1)

template <class T>
static inline T atomicCAS(T *address, decltype(T()) expected, decltype(T()) value)
{
	return pmpp_emu_atomic(
		address, [=](T old) -> T { return old == expected ? value : old; });
}
#define atomicAdd_block atomicAdd
#define atomicMax_block atomicMax
#define atomicMin_block atomicMin
