/* Relational functions (OpenCL C 6.12.6). True is 1 for scalars and -1 for elements of vectors. */

/* For scalars and vectors. The elements of a vector's result are as large as its arguments. */
#define PMPP_TRUTH1(T, I, U, name, expression) \
	PMPP_IN int pmpp_##name(T a)           \
	{                                      \
		return expression;             \
	}                                      \
	PMPP_DEF int name(T a)                 \
	{                                      \
		return pmpp_##name(a);         \
	}                                      \
	PMPP_SIZES(PMPP_TRUTH1_VECTOR, name, T, I)
#define PMPP_TRUTH1_VECTOR(n, name, T, I)             \
	PMPP_DEF I##n name(T##n a)                    \
	{                                             \
		I##n r;                               \
		for (int i = 0; i < n; i++)           \
			r[i] = (I)-pmpp_##name(a[i]); \
		return r;                             \
	}
#define PMPP_TRUTH2(T, I, U, name, expression) \
	PMPP_IN int pmpp_##name(T a, T b)      \
	{                                      \
		return expression;             \
	}                                      \
	PMPP_DEF int name(T a, T b)            \
	{                                      \
		return pmpp_##name(a, b);      \
	}                                      \
	PMPP_SIZES(PMPP_TRUTH2_VECTOR, name, T, I)
#define PMPP_TRUTH2_VECTOR(n, name, T, I)                   \
	PMPP_DEF I##n name(T##n a, T##n b)                  \
	{                                                   \
		I##n r;                                     \
		for (int i = 0; i < n; i++)                 \
			r[i] = (I)-pmpp_##name(a[i], b[i]); \
		return r;                                   \
	}
#define PMPP_LARGE(a) __builtin_fabs((double)(a))

#ifdef NEED_isequal
PMPP_FLOATS(PMPP_TRUTH2, isequal, a == b)
#endif
#ifdef NEED_isnotequal
PMPP_FLOATS(PMPP_TRUTH2, isnotequal, a != b)
#endif
#ifdef NEED_isgreater
PMPP_FLOATS(PMPP_TRUTH2, isgreater, a > b)
#endif
#ifdef NEED_isgreaterequal
PMPP_FLOATS(PMPP_TRUTH2, isgreaterequal, a >= b)
#endif
#ifdef NEED_isless
PMPP_FLOATS(PMPP_TRUTH2, isless, a < b)
#endif
#ifdef NEED_islessequal
PMPP_FLOATS(PMPP_TRUTH2, islessequal, a <= b)
#endif
#ifdef NEED_islessgreater
PMPP_FLOATS(PMPP_TRUTH2, islessgreater, a<b || a> b)
#endif
#ifdef NEED_isordered
PMPP_FLOATS(PMPP_TRUTH2, isordered, a == a && b == b)
#endif
#ifdef NEED_isunordered
PMPP_FLOATS(PMPP_TRUTH2, isunordered, a != a || b != b)
#endif
#ifdef NEED_isnan
PMPP_FLOATS(PMPP_TRUTH1, isnan, a != a)
#endif
#ifdef NEED_isinf
PMPP_FLOATS(PMPP_TRUTH1, isinf, PMPP_LARGE(a) == (double)INFINITY)
#endif
#ifdef NEED_isfinite
PMPP_FLOATS(PMPP_TRUTH1, isfinite, PMPP_LARGE(a) < (double)INFINITY)
#endif
#ifdef NEED_isnormal
#define PMPP_NORMAL(T, I, U, smallest) \
	PMPP_TRUTH1(                   \
		T, I, U, isnormal, PMPP_LARGE(a) >= smallest && PMPP_LARGE(a) < (double)INFINITY)
PMPP_NORMAL(float, int, uint, 0x1p-126)
PMPP_NORMAL(double, long, ulong, 0x1p-1022)
PMPP_NORMAL(half, short, ushort, 0x1p-14)
#endif
#ifdef NEED_signbit
PMPP_TRUTH1(float, int, uint, signbit, as_int(a) < 0)
PMPP_TRUTH1(double, long, ulong, signbit, as_long(a) < 0)
PMPP_TRUTH1(half, short, ushort, signbit, as_short(a) < 0)
#endif

/* ---- Of integers ----------------------------------------------------------------------------- */

/* The result for a vector: the top bits of its elements, from `start`, joined by `join`. */
#define PMPP_TOP_BITS(T, I, U, name, start, join) \
	PMPP_DEF int name(T a)                    \
	{                                         \
		return a < 0;                     \
	}                                         \
	PMPP_SIZES(PMPP_TOP_BITS_VECTOR, name, T, start, join)
#define PMPP_TOP_BITS_VECTOR(n, name, T, start, join) \
	PMPP_DEF int name(T##n a)                     \
	{                                             \
		int r = start;                        \
		for (int i = 0; i < n; i++)           \
			r = r join(a[i] < 0);         \
		return r;                             \
	}
#ifdef NEED_any
PMPP_SIGNED(PMPP_TOP_BITS, any, 0, |)
#endif
#ifdef NEED_all
PMPP_SIGNED(PMPP_TOP_BITS, all, 1, &)
#endif

/* ---- Selection ------------------------------------------------------------------------------- */

#ifdef NEED_bitselect
#define PMPP_BITSELECT(T, I, U, x)                                                  \
	PMPP_IN T pmpp_bitselect(T a, T b, T c)                                     \
	{                                                                           \
		return __builtin_astype(                                            \
			(U)((__builtin_astype(a, U) & ~__builtin_astype(c, U)) |    \
				(__builtin_astype(b, U) & __builtin_astype(c, U))), \
			T);                                                         \
	}                                                                           \
	PMPP_ALL3(bitselect, T, T, T, T)
PMPP_TYPES(PMPP_BITSELECT, )
#endif
#ifdef NEED_select
/* The condition is an integer of this size: the top bit of an element, or any bit of a scalar. */
#define PMPP_SELECT(T, I, U, x)                 \
	PMPP_DEF T select(T a, T b, I c)        \
	{                                       \
		return c ? b : a;               \
	}                                       \
	PMPP_DEF T select(T a, T b, U c)        \
	{                                       \
		return c ? b : a;               \
	}                                       \
	PMPP_SIZES(PMPP_SELECT_VECTOR, T, I, I) \
	PMPP_SIZES(PMPP_SELECT_VECTOR, T, U, I)
#define PMPP_SELECT_VECTOR(n, T, C, I)                    \
	PMPP_DEF T##n select(T##n a, T##n b, C##n c)      \
	{                                                 \
		T##n r;                                   \
		for (int i = 0; i < n; i++)               \
			r[i] = (I)c[i] < 0 ? b[i] : a[i]; \
		return r;                                 \
	}
PMPP_TYPES(PMPP_SELECT, )
#endif
