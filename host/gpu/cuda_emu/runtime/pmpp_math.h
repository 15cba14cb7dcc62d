/*
 * CUDA's device functions, implemented with functions of the host. They use builtins, so that fmaf is
 * an instruction of the CPU. The fast forms (__expf ...) are as precise as the others.
 */
#define PMPP_EMU_MATH1(name)                                                                       \
	static inline float name##f(float x) { return __builtin_##name##f(x); }                    \
	static inline double name(double x) { return __builtin_##name(x); }                        \
	static inline float name(float x) { return __builtin_##name##f(x); }
#define PMPP_EMU_MATH2(name)                                                                       \
	static inline float name##f(float x, float y) { return __builtin_##name##f(x, y); }        \
	static inline double name(double x, double y) { return __builtin_##name(x, y); }           \
	static inline float name(float x, float y) { return __builtin_##name##f(x, y); }

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
PMPP_EMU_MATH1(rint)
PMPP_EMU_MATH1(nearbyint)
PMPP_EMU_MATH1(round)
PMPP_EMU_MATH1(cbrt)
PMPP_EMU_MATH1(expm1)
PMPP_EMU_MATH1(log10)
PMPP_EMU_MATH1(log1p)
PMPP_EMU_MATH1(tan)
PMPP_EMU_MATH1(asin)
PMPP_EMU_MATH1(acos)
PMPP_EMU_MATH1(atan)
PMPP_EMU_MATH1(sinh)
PMPP_EMU_MATH1(cosh)
PMPP_EMU_MATH1(asinh)
PMPP_EMU_MATH1(acosh)
PMPP_EMU_MATH1(atanh)
PMPP_EMU_MATH1(erf)
PMPP_EMU_MATH1(erfc)
PMPP_EMU_MATH1(lgamma)
PMPP_EMU_MATH1(tgamma)
PMPP_EMU_MATH2(fmin)
PMPP_EMU_MATH2(fmax)
PMPP_EMU_MATH2(pow)
PMPP_EMU_MATH2(fmod)
PMPP_EMU_MATH2(atan2)
PMPP_EMU_MATH2(hypot)
PMPP_EMU_MATH2(copysign)
PMPP_EMU_MATH2(remainder)
PMPP_EMU_MATH2(fdim)

/* clang has no builtin for exp10. */
extern "C" double pmpp_emu_libm_exp10(double) __asm__("exp10");
extern "C" float pmpp_emu_libm_exp10f(float) __asm__("exp10f");
static inline double exp10(double x) { return pmpp_emu_libm_exp10(x); }
static inline float exp10f(float x) { return pmpp_emu_libm_exp10f(x); }

static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
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
static inline float __tanf(float x) { return __builtin_tanf(x); }
static inline float __exp10f(float x) { return exp10f(x); }
static inline float __log2f(float x) { return __builtin_log2f(x); }
static inline float __log10f(float x) { return __builtin_log10f(x); }
static inline float __powf(float x, float y) { return __builtin_powf(x, y); }
static inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
static inline float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
PMPP_EMU_UNSEEN static float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline void sincosf(float x, float *sine, float *cosine)
{
	*sine = __builtin_sinf(x);
	*cosine = __builtin_cosf(x);
}

/* The arguments are converted to their common arithmetic type, as in CUDA's overloads. If one argument
 * is a NaN, the result is the other one. */
static inline float pmpp_emu_min(float a, float b) { return __builtin_fminf(a, b); }
static inline float pmpp_emu_max(float a, float b) { return __builtin_fmaxf(a, b); }
static inline double pmpp_emu_min(double a, double b) { return __builtin_fmin(a, b); }
static inline double pmpp_emu_max(double a, double b) { return __builtin_fmax(a, b); }
template <class T> static inline T pmpp_emu_min(T a, T b) { return b < a ? b : a; }
template <class T> static inline T pmpp_emu_max(T a, T b) { return a < b ? b : a; }
template <class A, class B> static inline auto min(A a, B b) -> decltype(a + b)
{
	return pmpp_emu_min((decltype(a + b))a, (decltype(a + b))b);
}
template <class A, class B> static inline auto max(A a, B b) -> decltype(a + b)
{
	return pmpp_emu_max((decltype(a + b))a, (decltype(a + b))b);
}

PMPP_EMU_UNSEEN static int abs(int x) { return x < 0 ? -x : x; }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
PMPP_EMU_UNSEEN static int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
PMPP_EMU_UNSEEN static int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline long long llabs(long long x) { return x < 0 ? -x : x; }
PMPP_EMU_UNSEEN static unsigned __brev(unsigned x)
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
static inline int __float2int_rz(float x) { return (int)x; }
static inline int __float2int_rd(float x) { return (int)__builtin_floorf(x); }
static inline int __float2int_ru(float x) { return (int)__builtin_ceilf(x); }
static inline unsigned __float2uint_rn(float x) { return (unsigned)__builtin_rintf(x); }
static inline unsigned __float2uint_rz(float x) { return (unsigned)x; }
static inline float __uint2float_rn(unsigned x) { return (float)x; }
static inline float __ll2float_rn(long long x) { return (float)x; }
static inline float __ull2float_rn(unsigned long long x) { return (float)x; }
static inline float __double2float_rn(double x) { return (float)x; }
static inline long long __double_as_longlong(double x) { return pmpp_emu_cast<long long>(x); }
static inline double __longlong_as_double(long long x) { return pmpp_emu_cast<double>(x); }
template <class T> static inline bool isnan(T x) { return __builtin_isnan(x); }
template <class T> static inline bool isinf(T x) { return __builtin_isinf_sign(x) != 0; }
template <class T> static inline bool isfinite(T x) { return __builtin_isfinite(x); }

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

template <class T> static inline T __ldg(const T *address) { return *address; }
template <class T> static inline T __ldcs(const T *address) { return *address; }
template <class T> static inline void __stcs(T *address, T value) { *address = value; }
