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

/* The types for which CUDA has an operation are bits of its mask (CUDA C++ Programming Guide, Atomic Functions). */
enum {
	PMPP_EMU_INT = 1,
	PMPP_EMU_UNSIGNED = 2,
	PMPP_EMU_LONG_LONG = 4,
	PMPP_EMU_UNSIGNED_LONG_LONG = 8,
	PMPP_EMU_FLOAT = 16,
	PMPP_EMU_USHORT = 32,
	PMPP_EMU_ONLY_ADD = 64, /* double, and the types of the headers for half precision */
	PMPP_EMU_WORDS = PMPP_EMU_INT | PMPP_EMU_UNSIGNED | PMPP_EMU_UNSIGNED_LONG_LONG
};
template <class T> struct pmpp_emu_type {
	enum { bit = 0 };
};
#define PMPP_EMU_TYPE(T, mask)                                                                     \
	template <> struct pmpp_emu_type<T> {                                                      \
		enum { bit = mask };                                                               \
	};
PMPP_EMU_TYPE(int, PMPP_EMU_INT)
PMPP_EMU_TYPE(unsigned, PMPP_EMU_UNSIGNED)
PMPP_EMU_TYPE(long long, PMPP_EMU_LONG_LONG)
PMPP_EMU_TYPE(unsigned long long, PMPP_EMU_UNSIGNED_LONG_LONG)
PMPP_EMU_TYPE(float, PMPP_EMU_FLOAT)
PMPP_EMU_TYPE(unsigned short, PMPP_EMU_USHORT)
PMPP_EMU_TYPE(double, PMPP_EMU_ONLY_ADD)

/* Blocks and devices share one memory here. */
#define PMPP_EMU_ATOMIC_CALL(name, function, types)                                                \
	template <class T> static __forceinline__ T name(T *address, decltype(T()) value)          \
	{                                                                                          \
		static_assert((pmpp_emu_type<T>::bit & (types)) != 0, "CUDA has no " #name "() for this type"); \
		return pmpp_emu_atomic<pmpp_emu_next_##function>(address, value, value);           \
	}

#define PMPP_EMU_ATOMIC(name, types, expression)                                                   \
	PMPP_EMU_ATOMIC_NEXT(name, expression)                                                     \
	PMPP_EMU_ATOMIC_CALL(name, name, types)                                                    \
	PMPP_EMU_ATOMIC_CALL(name##_block, name, types)                                            \
	PMPP_EMU_ATOMIC_CALL(name##_system, name, types)

PMPP_EMU_ATOMIC(atomicAdd, PMPP_EMU_WORDS | PMPP_EMU_FLOAT | PMPP_EMU_ONLY_ADD, old + value)
PMPP_EMU_ATOMIC(atomicSub, PMPP_EMU_INT | PMPP_EMU_UNSIGNED, old - value)
PMPP_EMU_ATOMIC(atomicMin, PMPP_EMU_WORDS | PMPP_EMU_LONG_LONG, value < old ? value : old)
PMPP_EMU_ATOMIC(atomicMax, PMPP_EMU_WORDS | PMPP_EMU_LONG_LONG, old < value ? value : old)
PMPP_EMU_ATOMIC(atomicAnd, PMPP_EMU_WORDS, old &value)
PMPP_EMU_ATOMIC(atomicOr, PMPP_EMU_WORDS, old | value)
PMPP_EMU_ATOMIC(atomicXor, PMPP_EMU_WORDS, old ^ value)
PMPP_EMU_ATOMIC(atomicExch, PMPP_EMU_WORDS | PMPP_EMU_FLOAT, value)
template <> struct pmpp_emu_atomic_kind<pmpp_emu_next_atomicExch> {
	enum { value = PMPP_EMU_EXCHANGE };
};
PMPP_EMU_ATOMIC(atomicInc, PMPP_EMU_UNSIGNED, old >= value ? T(0) : old + 1)
PMPP_EMU_ATOMIC(atomicDec, PMPP_EMU_UNSIGNED, old == T(0) || old > value ? value : old - 1)
PMPP_EMU_ATOMIC_NEXT(atomicCAS, old == expected ? value : old)
template <> struct pmpp_emu_atomic_kind<pmpp_emu_next_atomicCAS> {
	enum { value = PMPP_EMU_COMPARE };
};

template <class T>
static __forceinline__ T atomicCAS(T *address, decltype(T()) expected, decltype(T()) value)
{
	static_assert((pmpp_emu_type<T>::bit & (PMPP_EMU_WORDS | PMPP_EMU_USHORT)) != 0, "CUDA has no atomicCAS() for this type");
	return pmpp_emu_atomic<pmpp_emu_next_atomicCAS>(address, value, expected);
}

/* Each element is atomic, not the whole vector. */
static __forceinline__ float2 atomicAdd(float2 *address, float2 value)
{
	return make_float2(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y));
}
static __forceinline__ float4 atomicAdd(float4 *address, float4 value)
{
	return make_float4(atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y),
		atomicAdd(&address->z, value.z), atomicAdd(&address->w, value.w));
}

#define atomicCAS_block atomicCAS
#define atomicCAS_system atomicCAS
