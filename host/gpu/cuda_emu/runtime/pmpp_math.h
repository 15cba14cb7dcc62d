/*
 * Device functions of CUDA on the host's. Builtins, so that fmaf becomes the CPU's instruction; the
 * fast forms (__expf ...) are the precise ones here.
 */
#define PMPP_EMU_MATH1(name)                                                                       \
	static inline float name##f(float x) { return __builtin_##name##f(x); }                    \
	static inline double name(double x) { return __builtin_##name(x); }                        \
	static inline float name(float x) { return __builtin_##name##f(x); }
#define PMPP_EMU_MATH2(name)                                                                       \
	static inline float name##f(float x, float y) { return __builtin_##name##f(x, y); }        \
	static inline double name(double x, double y) { return __builtin_##name(x, y); }

PMPP_EMU_MATH1(sqrt)
PMPP_EMU_MATH1(exp)
PMPP_EMU_MATH1(exp2)
PMPP_EMU_MATH1(log)
PMPP_EMU_MATH1(log2)
PMPP_EMU_MATH1(sin)
PMPP_EMU_MATH1(cos)
PMPP_EMU_MATH1(tanh)
PMPP_EMU_MATH1(floor)
PMPP_EMU_MATH1(ceil)
PMPP_EMU_MATH1(trunc)
PMPP_EMU_MATH1(fabs)
PMPP_EMU_MATH2(fmin)
PMPP_EMU_MATH2(fmax)
PMPP_EMU_MATH2(pow)
PMPP_EMU_MATH2(fmod)

static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
static inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __expf(float x) { return __builtin_expf(x); }
static inline float __logf(float x) { return __builtin_logf(x); }
static inline float __sinf(float x) { return __builtin_sinf(x); }
static inline float __cosf(float x) { return __builtin_cosf(x); }

template <class T> static inline T min(T a, T b) { return b < a ? b : a; }
template <class T> static inline T max(T a, T b) { return a < b ? b : a; }

static inline int abs(int x) { return x < 0 ? -x : x; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline unsigned __brev(unsigned x)
{
	unsigned reversed = 0;
	for (int i = 0; i < 32; i++)
		reversed |= (x >> i & 1u) << (31 - i);
	return reversed;
}
static inline int __mul24(int a, int b) { return a * b; }
static inline unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)((unsigned long long)a * b >> 32);
}

template <class To, class From> static inline To pmpp_emu_cast(From from)
{
	static_assert(sizeof(To) == sizeof(From), "");
	To to;
	__builtin_memcpy(&to, &from, sizeof to);
	return to;
}
static inline int __float_as_int(float x) { return pmpp_emu_cast<int>(x); }
static inline unsigned __float_as_uint(float x) { return pmpp_emu_cast<unsigned>(x); }
static inline float __int_as_float(int x) { return pmpp_emu_cast<float>(x); }
static inline float __uint_as_float(unsigned x) { return pmpp_emu_cast<float>(x); }
static inline int __float2int_rn(float x) { return (int)__builtin_rintf(x); }
static inline float __int2float_rn(int x) { return (float)x; }
static inline bool isnan(float x) { return __builtin_isnan(x); }
static inline bool isinf(float x) { return __builtin_isinf(x); }

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

template <class T> static inline T __ldg(const T *address) { return *address; }
template <class T> static inline T __ldcs(const T *address) { return *address; }
template <class T> static inline void __stcs(T *address, T value) { *address = value; }
