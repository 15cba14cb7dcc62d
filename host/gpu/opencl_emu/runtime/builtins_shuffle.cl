/* shuffle and shuffle2 (OpenCL C 6.12.12). The low bits of a mask's element select an element. */
#define PMPP_SHUFFLE_TO(n, T, U, m)                  \
	PMPP_DEF T##n shuffle(T##m a, U##n mask)     \
	{                                            \
		T##n r;                              \
		for (int i = 0; i < n; i++)          \
			r[i] = a[mask[i] & (m - 1)]; \
		return r;                            \
	}
#define PMPP_SHUFFLE2_TO(n, T, U, m)                                                      \
	PMPP_DEF T##n shuffle2(T##m a, T##m b, U##n mask)                                 \
	{                                                                                 \
		T##n r;                                                                   \
		for (int i = 0; i < n; i++)                                               \
			r[i] = mask[i] & m ? b[mask[i] & (m - 1)] : a[mask[i] & (m - 1)]; \
		return r;                                                                 \
	}
#define PMPP_EVEN_SIZES(to, ...) \
	to(2, __VA_ARGS__) to(4, __VA_ARGS__) to(8, __VA_ARGS__) to(16, __VA_ARGS__)
#define PMPP_SHUFFLES(T, I, U, to)   \
	PMPP_EVEN_SIZES(to, T, U, 2) \
	PMPP_EVEN_SIZES(to, T, U, 4) PMPP_EVEN_SIZES(to, T, U, 8) PMPP_EVEN_SIZES(to, T, U, 16)
#ifdef NEED_shuffle
PMPP_TYPES(PMPP_SHUFFLES, PMPP_SHUFFLE_TO)
#endif
#ifdef NEED_shuffle2
PMPP_TYPES(PMPP_SHUFFLES, PMPP_SHUFFLE2_TO)
#endif
