/*
 * CUDA's device functions, implemented with functions of the host. They use builtins, so that fmaf is
 * an instruction of the CPU. The fast forms (__expf ...) are as precise as the others.
 * PMPP_EMU_COMMON leaves out the functions that few kernels call, because the compiler spends a third of
 * its time on them. All overloads of a name are in the same group.
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

/* clang has no builtins for these functions. */
#define PMPP_EMU_LIBM(name)                                                                        \
	extern "C" double pmpp_emu_libm_##name(double) __asm__(#name);                             \
	extern "C" float pmpp_emu_libm_##name##f(float) __asm__(#name "f");                        \
	static inline double name(double x) { return pmpp_emu_libm_##name(x); }                    \
	static inline float name##f(float x) { return pmpp_emu_libm_##name##f(x); }
PMPP_EMU_LIBM(exp10)

static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
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
#define PMPP_EMU_SINCOS(T, name, sine_of, cosine_of)                                               \
	static inline void name(T x, T *sine, T *cosine)                                           \
	{                                                                                          \
		*sine = sine_of(x);                                                                \
		*cosine = cosine_of(x);                                                            \
	}
PMPP_EMU_SINCOS(float, sincosf, __builtin_sinf, __builtin_cosf)

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
PMPP_EMU_UNSEEN static long abs(long x) { return x < 0 ? -x : x; }
PMPP_EMU_UNSEEN static long long abs(long long x) { return x < 0 ? -x : x; }
static inline float abs(float x) { return __builtin_fabsf(x); }
static inline double abs(double x) { return __builtin_fabs(x); }
static inline long labs(long x) { return abs(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
PMPP_EMU_UNSEEN static int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
PMPP_EMU_UNSEEN static int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline long long llabs(long long x) { return abs(x); }
PMPP_EMU_UNSEEN static unsigned __brev(unsigned x)
{
	unsigned reversed = 0;
	for (int i = 0; i < 32; i++)
		reversed |= (x >> i & 1u) << (31 - i);
	return reversed;
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
static inline long long __double_as_longlong(double x) { return pmpp_emu_cast<long long>(x); }
static inline double __longlong_as_double(long long x) { return pmpp_emu_cast<double>(x); }
template <class T> static inline bool isnan(T x) { return __builtin_isnan(x); }
template <class T> static inline bool isinf(T x) { return __builtin_isinf_sign(x) != 0; }
template <class T> static inline bool isfinite(T x) { return __builtin_isfinite(x); }
template <class T> static inline bool signbit(T x) { return __builtin_signbit(x) != 0; }

/* ---- Loads and stores with hints for the caches ---------------------------------------------- */

#define PMPP_EMU_LOAD(name)                                                                        \
	template <class T> static inline T name(const T *address) { return *address; }
#define PMPP_EMU_STORE(name)                                                                       \
	template <class T> static inline void name(T *address, decltype(T()) value) { *address = value; }
PMPP_EMU_LOAD(__ldg)
PMPP_EMU_LOAD(__ldca)
PMPP_EMU_LOAD(__ldcg)
PMPP_EMU_LOAD(__ldcs)
PMPP_EMU_LOAD(__ldcv)
PMPP_EMU_LOAD(__ldlu)
PMPP_EMU_STORE(__stcg)
PMPP_EMU_STORE(__stcs)
PMPP_EMU_STORE(__stwb)
PMPP_EMU_STORE(__stwt)

/* ---- Integers -------------------------------------------------------------------------------- */

static inline int __mul24(int a, int b)
{
	return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8));
}
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)((unsigned long long)a * b >> 32);
}
static inline long long __mul64hi(long long a, long long b)
{
	return (long long)((__int128)a * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline unsigned long long __brevll(unsigned long long x)
{
	return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b)
{
	return (unsigned)(((unsigned long long)a + b) >> 1);
}
static inline unsigned __urhadd(unsigned a, unsigned b)
{
	return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
PMPP_EMU_UNSEEN static unsigned __usad(unsigned a, unsigned b, unsigned c)
{
	return (a > b ? a - b : b - a) + c;
}
PMPP_EMU_UNSEEN static unsigned __sad(int a, int b, unsigned c)
{
	return (unsigned)(a > b ? (long long)a - b : (long long)b - a) + c;
}
/* Four selectors of 4 bits: three bits are a byte of y:x, the highest replicates its sign (CUDA Math
 * API, __byte_perm). */
PMPP_EMU_UNSEEN static unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
	unsigned long long bytes = (unsigned long long)y << 32 | x;
	unsigned result = 0;

	for (int i = 0; i < 4; i++) {
		unsigned selector = s >> 4 * i;
		unsigned byte = (unsigned)(bytes >> 8 * (selector & 7)) & 0xffu;
		if (selector & 8)
			byte = byte & 0x80u ? 0xffu : 0;
		result |= byte << 8 * i;
	}
	return result;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
	return (unsigned)(((unsigned long long)high << 32 | low) << (shift & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
	return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}
PMPP_EMU_UNSEEN static unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)
{
	return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
PMPP_EMU_UNSEEN static unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)
{
	return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
/* Sum of the products of bytes (A, B: signed char or unsigned char), and c. */
template <class A, class B, class T> PMPP_EMU_UNSEEN static T pmpp_emu_dp4a(unsigned a, unsigned b, T c)
{
	for (int i = 0; i < 32; i += 8)
		c += (T)((A)(a >> i) * (B)(b >> i));
	return c;
}
static inline int __dp4a(int a, int b, int c)
{
	return (int)pmpp_emu_dp4a<signed char, signed char>((unsigned)a, (unsigned)b, (unsigned)c);
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
	return pmpp_emu_dp4a<unsigned char, unsigned char>(a, b, c);
}

#ifndef PMPP_EMU_COMMON

/* ---- Rounding -------------------------------------------------------------------------------- */

/* The rounding mode of the host (fenv.h). */
extern "C" int pmpp_emu_fesetround(int direction) __asm__("fesetround");
#if defined(__x86_64__)
enum pmpp_emu_rounding { PMPP_EMU_RN = 0, PMPP_EMU_RD = 0x400, PMPP_EMU_RU = 0x800, PMPP_EMU_RZ = 0xc00 };
#else
enum pmpp_emu_rounding { PMPP_EMU_RN = 0, PMPP_EMU_RU = 0x400000, PMPP_EMU_RD = 0x800000, PMPP_EMU_RZ = 0xc00000 };
#endif

/* Computes F in a rounding mode. The operands are volatile, so that the compiler does not move
 * the operation. */
template <class F, class T>
PMPP_EMU_UNSEEN static T pmpp_emu_rounded(pmpp_emu_rounding direction, T a, T b, T c)
{
	volatile T x = a, y = b, z = c;
	pmpp_emu_fesetround(direction);
	volatile T result = F::of((T)x, (T)y, (T)z);
	pmpp_emu_fesetround(PMPP_EMU_RN);
	return result;
}

#define PMPP_EMU_OPERATION(name, expression)                                                       \
	struct pmpp_emu_##name {                                                                   \
		template <class T> PMPP_EMU_UNSEEN static T of(T a, T b, T c)                      \
		{                                                                                  \
			(void)a, (void)b, (void)c;                                                 \
			return expression;                                                         \
		}                                                                                  \
	};
static inline float pmpp_emu_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double pmpp_emu_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline float pmpp_emu_sqrt(float a) { return __builtin_sqrtf(a); }
static inline double pmpp_emu_sqrt(double a) { return __builtin_sqrt(a); }
PMPP_EMU_OPERATION(sum, a + b)
PMPP_EMU_OPERATION(difference, a - b)
PMPP_EMU_OPERATION(product, a * b)
PMPP_EMU_OPERATION(quotient, a / b)
PMPP_EMU_OPERATION(reciprocal, (T)1 / a)
PMPP_EMU_OPERATION(root, pmpp_emu_sqrt(a))
PMPP_EMU_OPERATION(fused, pmpp_emu_fma(a, b, c))

/* The round-to-nearest forms are plain operations, which the traced build sees as those of the kernel. */
#define PMPP_EMU_DIRECTED_ONE(T, name, mode, operation, parameters, a, b, c)                       \
	static inline T name parameters                                                            \
	{                                                                                          \
		return pmpp_emu_rounded<pmpp_emu_##operation, T>(mode, a, b, c);                   \
	}
#define PMPP_EMU_DIRECTED(T, name, ...)                                                            \
	PMPP_EMU_DIRECTED_ONE(T, name##_rz, PMPP_EMU_RZ, __VA_ARGS__)                              \
	PMPP_EMU_DIRECTED_ONE(T, name##_ru, PMPP_EMU_RU, __VA_ARGS__)                              \
	PMPP_EMU_DIRECTED_ONE(T, name##_rd, PMPP_EMU_RD, __VA_ARGS__)
#define PMPP_EMU_ROUNDINGS(T, p, m)                                                                \
	static inline T __##p##add_rn(T a, T b) { return a + b; }                                  \
	static inline T __##p##sub_rn(T a, T b) { return a - b; }                                  \
	static inline T __##p##mul_rn(T a, T b) { return a * b; }                                  \
	static inline T __##p##div_rn(T a, T b) { return a / b; }                                  \
	static inline T __##p##rcp_rn(T a) { return (T)1 / a; }                                    \
	static inline T __##p##sqrt_rn(T a) { return pmpp_emu_sqrt(a); }                           \
	static inline T __##m##_rn(T a, T b, T c) { return pmpp_emu_fma(a, b, c); }              \
	PMPP_EMU_DIRECTED(T, __##p##add, sum, (T a, T b), a, b, b)                                 \
	PMPP_EMU_DIRECTED(T, __##p##sub, difference, (T a, T b), a, b, b)                          \
	PMPP_EMU_DIRECTED(T, __##p##mul, product, (T a, T b), a, b, b)                             \
	PMPP_EMU_DIRECTED(T, __##p##div, quotient, (T a, T b), a, b, b)                            \
	PMPP_EMU_DIRECTED(T, __##p##rcp, reciprocal, (T a), a, a, a)                               \
	PMPP_EMU_DIRECTED(T, __##p##sqrt, root, (T a), a, a, a)                                    \
	PMPP_EMU_DIRECTED(T, __##m, fused, (T a, T b, T c), a, b, c)
PMPP_EMU_ROUNDINGS(float, f, fmaf)
PMPP_EMU_ROUNDINGS(double, d, fma)

/* ---- Conversions ----------------------------------------------------------------------------- */

/* Integers saturate, and a NaN becomes 0 (PTX ISA, cvt). */
template <class I> PMPP_EMU_UNSEEN static I pmpp_emu_to_integer(double x)
{
	const bool is_signed = (I)-1 < 0;
	const double limit = __builtin_ldexp(1.0, (int)sizeof(I) * 8 - is_signed);
	const I most = (I) ~(I)0 ^ (is_signed ? (I)((I)1 << (sizeof(I) * 8 - 1)) : 0);

	if (!(x == x))
		return 0;
	if (x >= limit)
		return most;
	if (x < (is_signed ? -limit : 0.0))
		return is_signed ? (I)~most : 0;
	return (I)x;
}
#define PMPP_EMU_TO_INTEGER(from, I, name)                                                         \
	static inline I name##_rn(from x) { return pmpp_emu_to_integer<I>(__builtin_rint(x)); }    \
	static inline I name##_rz(from x) { return pmpp_emu_to_integer<I>(__builtin_trunc(x)); }   \
	static inline I name##_ru(from x) { return pmpp_emu_to_integer<I>(__builtin_ceil(x)); }    \
	static inline I name##_rd(from x) { return pmpp_emu_to_integer<I>(__builtin_floor(x)); }
PMPP_EMU_TO_INTEGER(float, int, __float2int)
PMPP_EMU_TO_INTEGER(float, unsigned, __float2uint)
PMPP_EMU_TO_INTEGER(float, long long, __float2ll)
PMPP_EMU_TO_INTEGER(float, unsigned long long, __float2ull)
PMPP_EMU_TO_INTEGER(double, int, __double2int)
PMPP_EMU_TO_INTEGER(double, unsigned, __double2uint)
PMPP_EMU_TO_INTEGER(double, long long, __double2ll)
PMPP_EMU_TO_INTEGER(double, unsigned long long, __double2ull)

/* Converts in a rounding mode. */
template <class T, class I> PMPP_EMU_UNSEEN static T pmpp_emu_to_float(pmpp_emu_rounding direction, I x)
{
	volatile I from = x;
	pmpp_emu_fesetround(direction);
	volatile T result = (T)from;
	pmpp_emu_fesetround(PMPP_EMU_RN);
	return result;
}
#define PMPP_EMU_TO_FLOAT(I, T, name)                                                              \
	static inline T name##_rn(I x) { return (T)x; }                                            \
	static inline T name##_rz(I x) { return pmpp_emu_to_float<T>(PMPP_EMU_RZ, x); }            \
	static inline T name##_ru(I x) { return pmpp_emu_to_float<T>(PMPP_EMU_RU, x); }            \
	static inline T name##_rd(I x) { return pmpp_emu_to_float<T>(PMPP_EMU_RD, x); }
PMPP_EMU_TO_FLOAT(int, float, __int2float)
PMPP_EMU_TO_FLOAT(unsigned, float, __uint2float)
PMPP_EMU_TO_FLOAT(long long, float, __ll2float)
PMPP_EMU_TO_FLOAT(unsigned long long, float, __ull2float)
PMPP_EMU_TO_FLOAT(double, float, __double2float)
PMPP_EMU_TO_FLOAT(long long, double, __ll2double)
PMPP_EMU_TO_FLOAT(unsigned long long, double, __ull2double)
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }
static inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
static inline double __hiloint2double(int high, int low)
{
	return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

/* ---- Other functions of the CUDA Math API ---------------------------------------------------- */

PMPP_EMU_MATH1(logb)
PMPP_EMU_LIBM(j0)
PMPP_EMU_LIBM(j1)
PMPP_EMU_LIBM(y0)
PMPP_EMU_LIBM(y1)
PMPP_EMU_MATH2(nextafter)
static inline double jn(int n, double x) { return __builtin_jn(n, x); }
static inline float jnf(int n, float x) { return __builtin_jnf(n, x); }
static inline double yn(int n, double x) { return __builtin_yn(n, x); }
static inline float ynf(int n, float x) { return __builtin_ynf(n, x); }

/* `body` in double for both types, rounded to float. */
#define PMPP_EMU_IN_DOUBLE(name, parameters, arguments, wide)                                      \
	static inline double name(PMPP_EMU_UNWRAP wide) { return pmpp_emu_##name arguments; }      \
	static inline float name##f parameters { return (float)pmpp_emu_##name arguments; }
static inline double pmpp_emu_rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
static inline double pmpp_emu_rhypot(double x, double y) { return 1.0 / __builtin_hypot(x, y); }
static inline double pmpp_emu_norm3d(double x, double y, double z)
{
	return __builtin_hypot(__builtin_hypot(x, y), z);
}
static inline double pmpp_emu_norm4d(double x, double y, double z, double w)
{
	return __builtin_hypot(__builtin_hypot(x, y), __builtin_hypot(z, w));
}
static inline double pmpp_emu_rnorm3d(double x, double y, double z) { return 1.0 / pmpp_emu_norm3d(x, y, z); }
static inline double pmpp_emu_rnorm4d(double x, double y, double z, double w)
{
	return 1.0 / pmpp_emu_norm4d(x, y, z, w);
}
/* dim numbers; these are loads of the kernel. */
static inline double norm(int dim, const double *x)
{
	double sum = 0;
	for (int i = 0; i < dim; i++)
		sum += x[i] * x[i];
	return __builtin_sqrt(sum);
}
static inline float normf(int dim, const float *x)
{
	double sum = 0;
	for (int i = 0; i < dim; i++)
		sum += (double)x[i] * x[i];
	return (float)__builtin_sqrt(sum);
}
static inline double rnorm(int dim, const double *x) { return 1.0 / norm(dim, x); }
static inline float rnormf(int dim, const float *x) { return 1.0f / normf(dim, x); }
/* The modified Bessel function of order 0 or 1 is the sum of (x/2)^(2k + order) / (k! (k + order)!). */
PMPP_EMU_UNSEEN static double pmpp_emu_bessel_i(int order, double x)
{
	double term = order ? x / 2 : 1.0, sum = term;
	for (int k = 1; k < 1000 && __builtin_fabs(term) > 1e-17 * __builtin_fabs(sum); k++) {
		term *= x * x / 4 / k / (k + order);
		sum += term;
	}
	return sum;
}
static inline double pmpp_emu_cyl_bessel_i0(double x) { return pmpp_emu_bessel_i(0, x); }
static inline double pmpp_emu_cyl_bessel_i1(double x) { return pmpp_emu_bessel_i(1, x); }
/* Exact at multiples of 1/2. */
PMPP_EMU_UNSEEN static double pmpp_emu_sinpi(double x)
{
	double half = __builtin_rint(2 * x), rest = (x - half / 2) * 3.14159265358979323846;
	double sine = __builtin_sin(rest), cosine = __builtin_cos(rest);
	int quarter = (int)__builtin_fmod(half, 4.0) & 3;
	double value = quarter & 1 ? cosine : sine;
	if (!__builtin_isfinite(x))
		return __builtin_nan("");
	if (rest == 0 && !(quarter & 1))
		return __builtin_copysign(0.0, x);
	return quarter & 2 ? -value : value;
}
PMPP_EMU_UNSEEN static double pmpp_emu_cospi(double x)
{
	double value = pmpp_emu_sinpi(__builtin_fabs(x) + 0.5);
	return value == 0 ? 0.0 : value;
}
/* erfcx(x) = exp(x^2) erfc(x). For x >= 5 a continued fraction (Abramowitz and Stegun 7.1.14) avoids
 * overflow. */
PMPP_EMU_UNSEEN static double pmpp_emu_erfcx(double x)
{
	double fraction = x;
	if (x < 5)
		return __builtin_exp(x * x) * __builtin_erfc(x);
	for (int k = 60; k > 0; k--)
		fraction = x + k / 2.0 / fraction;
	return 0.56418958354775628695 / fraction;
}
static inline double pmpp_emu_normcdf(double x) { return 0.5 * __builtin_erfc(-x * 0.70710678118654752440); }
/* Finds the x in (low, high) with erfc(x) = y: erfc is decreasing. */
PMPP_EMU_UNSEEN static double pmpp_emu_erfcinv(double y)
{
	double low = -6, high = 28;
	if (!(y >= 0 && y <= 2))
		return __builtin_nan("");
	if (y == 0 || y == 2)
		return y == 0 ? __builtin_inf() : -__builtin_inf();
	for (int i = 0; i < 64; i++) {
		double middle = low + (high - low) / 2;
		(__builtin_erfc(middle) > y ? low : high) = middle;
	}
	return low + (high - low) / 2;
}
PMPP_EMU_UNSEEN static double pmpp_emu_erfinv(double y)
{
	double low = 0, high = 6, size = __builtin_fabs(y);
	if (!(size <= 1))
		return __builtin_nan("");
	if (size == 1)
		return __builtin_copysign(__builtin_inf(), y);
	for (int i = 0; i < 64; i++) {
		double middle = low + (high - low) / 2;
		(__builtin_erf(middle) < size ? low : high) = middle;
	}
	return __builtin_copysign(size == 0 ? 0.0 : low + (high - low) / 2, y);
}
static inline double pmpp_emu_normcdfinv(double x) { return -1.41421356237309504880 * pmpp_emu_erfcinv(2 * x); }
#define PMPP_EMU_WIDE1(name) PMPP_EMU_IN_DOUBLE(name, (float x), (x), (double x))
PMPP_EMU_WIDE1(rcbrt)
PMPP_EMU_WIDE1(sinpi)
PMPP_EMU_WIDE1(cospi)
PMPP_EMU_WIDE1(erfcx)
PMPP_EMU_WIDE1(erfinv)
PMPP_EMU_WIDE1(erfcinv)
PMPP_EMU_WIDE1(normcdf)
PMPP_EMU_WIDE1(normcdfinv)
PMPP_EMU_WIDE1(cyl_bessel_i0)
PMPP_EMU_WIDE1(cyl_bessel_i1)
PMPP_EMU_IN_DOUBLE(rhypot, (float x, float y), (x, y), (double x, double y))
PMPP_EMU_IN_DOUBLE(norm3d, (float x, float y, float z), (x, y, z), (double x, double y, double z))
PMPP_EMU_IN_DOUBLE(rnorm3d, (float x, float y, float z), (x, y, z), (double x, double y, double z))
PMPP_EMU_IN_DOUBLE(norm4d, (float x, float y, float z, float w), (x, y, z, w),
	(double x, double y, double z, double w))
PMPP_EMU_IN_DOUBLE(rnorm4d, (float x, float y, float z, float w), (x, y, z, w),
	(double x, double y, double z, double w))

PMPP_EMU_SINCOS(double, sincos, __builtin_sin, __builtin_cos)
PMPP_EMU_SINCOS(double, sincospi, sinpi, cospi)
PMPP_EMU_SINCOS(float, sincospif, sinpif, cospif)
static inline void __sincosf(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }
static inline double fdivide(double x, double y) { return x / y; }
static inline float fdividef(float x, float y) { return x / y; }
static inline double nan(const char *) { return __builtin_nan(""); }
static inline float nanf(const char *) { return __builtin_nanf(""); }

/* name and namef with other parameters or another result: R is the result, T the number. */
#define PMPP_EMU_PAIR(R, RF, name, rest, arguments)                                                \
	static inline R name(double x PMPP_EMU_UNWRAP rest) { return __builtin_##name arguments; } \
	static inline RF name##f(float x PMPP_EMU_UNWRAP rest) { return __builtin_##name##f arguments; }
PMPP_EMU_PAIR(double, float, ldexp, (, int n), (x, n))
PMPP_EMU_PAIR(double, float, scalbn, (, int n), (x, n))
PMPP_EMU_PAIR(double, float, scalbln, (, long n), (x, n))
PMPP_EMU_PAIR(int, int, ilogb, (), (x))
PMPP_EMU_PAIR(long, long, lround, (), (x))
PMPP_EMU_PAIR(long long, long long, llround, (), (x))
PMPP_EMU_PAIR(long, long, lrint, (), (x))
PMPP_EMU_PAIR(long long, long long, llrint, (), (x))

/* Functions with a second result, which is a store of the kernel. */
#define PMPP_EMU_SECOND(T, name, builtin, parameters, arguments, second)                           \
	static inline T name(T x PMPP_EMU_UNWRAP parameters)                                       \
	{                                                                                          \
		second part;                                                                       \
		T result = builtin arguments;                                                      \
		*to = part;                                                                        \
		return result;                                                                     \
	}
PMPP_EMU_SECOND(double, frexp, __builtin_frexp, (, int *to), (x, &part), int)
PMPP_EMU_SECOND(float, frexpf, __builtin_frexpf, (, int *to), (x, &part), int)
PMPP_EMU_SECOND(double, modf, __builtin_modf, (, double *to), (x, &part), double)
PMPP_EMU_SECOND(float, modff, __builtin_modff, (, float *to), (x, &part), float)
PMPP_EMU_SECOND(double, remquo, __builtin_remquo, (, double y, int *to), (x, y, &part), int)
PMPP_EMU_SECOND(float, remquof, __builtin_remquof, (, float y, int *to), (x, y, &part), int)

/* Minima and maxima of one type (CUDA Math API, integer functions). */
#define PMPP_EMU_ENDS(T, prefix)                                                                   \
	static inline T prefix##min(T a, T b) { return pmpp_emu_min(a, b); }                       \
	static inline T prefix##max(T a, T b) { return pmpp_emu_max(a, b); }
PMPP_EMU_ENDS(unsigned, u)
PMPP_EMU_ENDS(long long, ll)
PMPP_EMU_ENDS(unsigned long long, ull)

/* ---- Integers: rare functions ------------------------------------------------------------------ */

/* Sum of the products of two 16-bit numbers of a and of two bytes of b (from bit `at`), and c. */
template <class A, class B, class T>
PMPP_EMU_UNSEEN static T pmpp_emu_dp2a(unsigned a, unsigned b, T c, int at)
{
	for (int i = 0; i < 2; i++)
		c += (T)((A)(a >> 16 * i) * (B)(b >> (at + 8 * i)));
	return c;
}
#define PMPP_EMU_DP2A(name, at)                                                                    \
	static inline int name(int a, int b, int c)                                                \
	{                                                                                          \
		return (int)pmpp_emu_dp2a<short, signed char>((unsigned)a, (unsigned)b, (unsigned)c, at); \
	}                                                                                          \
	static inline unsigned name(unsigned a, unsigned b, unsigned c)                            \
	{                                                                                          \
		return pmpp_emu_dp2a<unsigned short, unsigned char>(a, b, c, at);                  \
	}
PMPP_EMU_DP2A(__dp2a_lo, 0)
PMPP_EMU_DP2A(__dp2a_hi, 16)

/* The offset-th set bit from `base`: upwards, or downwards if the offset is negative; 0: bit `base` itself, if it is
 * set. ~0: there is none. */
PMPP_EMU_UNSEEN static unsigned __fns(unsigned mask, unsigned base, int offset)
{
	int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;

	if (offset == 0)
		return base < 32 && mask >> base & 1 ? base : ~0u;
	for (int bit = (int)base; bit >= 0 && bit < 32; bit += step)
		if (mask >> bit & 1 && --left == 0)
			return (unsigned)bit;
	return ~0u;
}

/* Operations on four bytes or two 16-bit numbers. least, most: of the type. */
template <class T, class F> PMPP_EMU_UNSEEN static unsigned pmpp_emu_parts(unsigned x, unsigned y)
{
	const int bits = 8 * (int)sizeof(T), most = (1 << (bits - ((T)-1 < 0))) - 1;
	unsigned result = 0;

	for (int at = 0; at < 32; at += bits)
		result |= ((unsigned)F::of((T)(x >> at), (T)(y >> at), (T)-1 < 0 ? -most - 1 : 0, most) & ((1u << bits) - 1))
			  << at;
	return result;
}
#define PMPP_EMU_PARTS(name, type, expression)                                                     \
	struct pmpp_emu_parts_##name {                                                             \
		PMPP_EMU_UNSEEN static int of(int x, int y, int least, int most)                   \
		{                                                                                  \
			(void)y, (void)least, (void)most;                                          \
			return expression;                                                         \
		}                                                                                  \
	};                                                                                         \
	static inline unsigned name##4(unsigned x, unsigned y = 0)                                 \
	{                                                                                          \
		return pmpp_emu_parts<type char, pmpp_emu_parts_##name>(x, y);                     \
	}                                                                                          \
	static inline unsigned name##2(unsigned x, unsigned y = 0)                                 \
	{                                                                                          \
		return pmpp_emu_parts<type short, pmpp_emu_parts_##name>(x, y);                    \
	}
#define PMPP_EMU_PARTS_BOTH(name, expression)                                                      \
	PMPP_EMU_PARTS(name##u, unsigned, expression)                                              \
	PMPP_EMU_PARTS(name##s, signed, expression)
#define PMPP_EMU_CLAMP(value) ((value) < least ? least : (value) > most ? most : (value))
PMPP_EMU_PARTS(__vadd, unsigned, x + y)
PMPP_EMU_PARTS(__vsub, unsigned, x - y)
PMPP_EMU_PARTS(__vneg, signed, -x)
PMPP_EMU_PARTS(__vabs, signed, x < 0 ? -x : x)
PMPP_EMU_PARTS(__vaddus, unsigned, PMPP_EMU_CLAMP(x + y))
PMPP_EMU_PARTS(__vaddss, signed, PMPP_EMU_CLAMP(x + y))
PMPP_EMU_PARTS(__vsubus, unsigned, PMPP_EMU_CLAMP(x - y))
PMPP_EMU_PARTS(__vsubss, signed, PMPP_EMU_CLAMP(x - y))
PMPP_EMU_PARTS(__vcmpeq, unsigned, x == y ? -1 : 0)
PMPP_EMU_PARTS(__vcmpne, unsigned, x != y ? -1 : 0)
PMPP_EMU_PARTS(__vseteq, unsigned, x == y)
PMPP_EMU_PARTS(__vsetne, unsigned, x != y)
PMPP_EMU_PARTS_BOTH(__vmax, x > y ? x : y)
PMPP_EMU_PARTS_BOTH(__vmin, x < y ? x : y)
PMPP_EMU_PARTS_BOTH(__vabsdiff, x > y ? x - y : y - x)
PMPP_EMU_PARTS_BOTH(__vcmpgt, x > y ? -1 : 0)
PMPP_EMU_PARTS_BOTH(__vcmpge, x >= y ? -1 : 0)
PMPP_EMU_PARTS_BOTH(__vcmplt, x < y ? -1 : 0)
PMPP_EMU_PARTS_BOTH(__vcmple, x <= y ? -1 : 0)
PMPP_EMU_PARTS_BOTH(__vavg, (x + y + 1) >> 1)

#endif /* PMPP_EMU_COMMON */
