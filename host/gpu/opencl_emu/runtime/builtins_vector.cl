/*
 * Vector loads, stores and shuffles (OpenCL C 6.12.7 and 6.12.12). Each call is one access of
 * all its bytes: vload3 reads 3 elements. Addresses are multiples of the element's size only.
 */
#define PMPP_ADDRESS(p) ((void *)(ulong)(p))

#define PMPP_VLOAD(S, T, n)                                                   \
	PMPP_DEF T##n vload##n(size_t i, const S T *p)                        \
	{                                                                     \
		T##n r;                                                       \
		PMPP_SEEN(p + i * n, sizeof(T) * n, PMPP_EMU_READ, PMPP_PC);  \
		__builtin_memcpy(&r, PMPP_ADDRESS(p + i * n), sizeof(T) * n); \
		return r;                                                     \
	}
#define PMPP_VLOADS(T, I, U, n) PMPP_CONST_SPACES(PMPP_VLOAD, T, n)
#define PMPP_VSTORE(S, T, n)                                                  \
	PMPP_DEF void vstore##n(T##n a, size_t i, S T *p)                     \
	{                                                                     \
		PMPP_SEEN(p + i * n, sizeof(T) * n, PMPP_EMU_WRITE, PMPP_PC); \
		__builtin_memcpy(PMPP_ADDRESS(p + i * n), &a, sizeof(T) * n); \
	}
#define PMPP_VSTORES(T, I, U, n) PMPP_SPACES(PMPP_VSTORE, T, n)

#ifdef NEED_vload2
PMPP_TYPES(PMPP_VLOADS, 2)
#endif
#ifdef NEED_vload3
PMPP_TYPES(PMPP_VLOADS, 3)
#endif
#ifdef NEED_vload4
PMPP_TYPES(PMPP_VLOADS, 4)
#endif
#ifdef NEED_vload8
PMPP_TYPES(PMPP_VLOADS, 8)
#endif
#ifdef NEED_vload16
PMPP_TYPES(PMPP_VLOADS, 16)
#endif
#ifdef NEED_vstore2
PMPP_TYPES(PMPP_VSTORES, 2)
#endif
#ifdef NEED_vstore3
PMPP_TYPES(PMPP_VSTORES, 3)
#endif
#ifdef NEED_vstore4
PMPP_TYPES(PMPP_VSTORES, 4)
#endif
#ifdef NEED_vstore8
PMPP_TYPES(PMPP_VSTORES, 8)
#endif
#ifdef NEED_vstore16
PMPP_TYPES(PMPP_VSTORES, 16)
#endif

/* ---- f16 in memory --------------------------------------------------------------------------- */

/* step: number of f16 from one vector to the next. The aligned forms with 3 elements have a step
 * of 4. */
#define PMPP_VLOAD_HALF(S, name, n, step)                                        \
	PMPP_DEF float##n name(size_t i, const S half *p)                        \
	{                                                                        \
		float##n r;                                                      \
		ushort bits[n];                                                  \
		PMPP_SEEN(p + i * step, sizeof bits, PMPP_EMU_READ, PMPP_PC);    \
		__builtin_memcpy(bits, PMPP_ADDRESS(p + i * step), sizeof bits); \
		for (int k = 0; k < n; k++)                                      \
			((float *)&r)[k] = pmpp_half_value(bits[k]);             \
		return r;                                                        \
	}
#define PMPP_VSTORE_HALF(S, name, T, n, step, mode)                                  \
	PMPP_DEF void name(T##n a, size_t i, S half *p)                              \
	{                                                                            \
		ushort bits[n];                                                      \
		PMPP_SEEN(p + i * step, sizeof bits, PMPP_EMU_WRITE, PMPP_PC);       \
		for (int k = 0; k < n; k++)                                          \
			bits[k] = pmpp_half_bits((double)((T *)&a)[k], PMPP_##mode); \
		__builtin_memcpy(PMPP_ADDRESS(p + i * step), bits, sizeof bits);     \
	}
#define PMPP_LOAD_HALVES(name, n, step) \
	PMPP_IF(name)(PMPP_CONST_SPACES(PMPP_VLOAD_HALF, name, n, step))
#define PMPP_STORE_ROUNDED(name, n, step, mode)                    \
	PMPP_IF(name)                                              \
	(PMPP_SPACES(PMPP_VSTORE_HALF, name, float, n, step, mode) \
			PMPP_SPACES(PMPP_VSTORE_HALF, name, double, n, step, mode))
#define PMPP_STORE_HALVES(name, n, step)                                                          \
	PMPP_STORE_ROUNDED(name, n, step, default)                                                \
	PMPP_STORE_ROUNDED(name##_rte, n, step, rte)                                              \
	PMPP_STORE_ROUNDED(name##_rtz, n, step, rtz) PMPP_STORE_ROUNDED(name##_rtp, n, step, rtp) \
		PMPP_STORE_ROUNDED(name##_rtn, n, step, rtn)
/* three: step of vectors of 3 elements, in elements. */
#define PMPP_HALF_SIZES(m, name, three)                                                       \
	m(name, 1, 1) m(name##2, 2, 2) m(name##3, 3, three) m(name##4, 4, 4) m(name##8, 8, 8) \
		m(name##16, 16, 16)
PMPP_HALF_SIZES(PMPP_LOAD_HALVES, vload_half, 3)
PMPP_HALF_SIZES(PMPP_LOAD_HALVES, vloada_half, 4)
PMPP_HALF_SIZES(PMPP_STORE_HALVES, vstore_half, 3)
PMPP_HALF_SIZES(PMPP_STORE_HALVES, vstorea_half, 4)
