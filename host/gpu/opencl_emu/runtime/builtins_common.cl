/*
 * Common and geometric functions (OpenCL C 6.12.4 and 6.12.5), except max, min and clamp. Sums
 * and roots are computed in double for float and f16: length, distance, dot and normalize of
 * float are rounded once (bounds: 2.5 to 5.5 ulp).
 */
#define PMPP_COMMON1(T, I, U, name, expression) \
	PMPP_IN T pmpp_##name(T a)              \
	{                                       \
		return (T)(expression);         \
	}                                       \
	PMPP_ALL1(name, T, T)

#ifdef NEED_degrees
#define PMPP_DEGREES(T, I, U, x) PMPP_COMMON1(T, I, U, degrees, (double)a * 0x1.ca5dc1a63c1f8p+5)
PMPP_FLOATS(PMPP_DEGREES, )
#endif
#ifdef NEED_radians
#define PMPP_RADIANS(T, I, U, x) PMPP_COMMON1(T, I, U, radians, (double)a * 0x1.1df46a2529d39p-6)
PMPP_FLOATS(PMPP_RADIANS, )
#endif
#ifdef NEED_sign
#define PMPP_SIGN(T, I, U, x) \
	PMPP_COMMON1(T, I, U, sign, a > (T)0 ? (T)1 : a < (T)0 ? (T)-1 : a == (T)0 ? a : (T)0)
PMPP_FLOATS(PMPP_SIGN, )
#endif
#ifdef NEED_mix
#define PMPP_MIX(T, I, U, x)              \
	PMPP_IN T pmpp_mix(T a, T b, T c) \
	{                                 \
		return a + (b - a) * c;   \
	}                                 \
	PMPP_ALL3(mix, T, T, T, T)        \
	PMPP_SIZES(PMPP_VECTOR3_LAST_SCALAR, mix, T)
#define PMPP_VECTOR3_LAST_SCALAR(n, name, T)               \
	PMPP_DEF T##n name(T##n a, T##n b, T c)            \
	{                                                  \
		T##n r;                                    \
		for (int i = 0; i < n; i++)                \
			r[i] = pmpp_##name(a[i], b[i], c); \
		return r;                                  \
	}
PMPP_FLOATS(PMPP_MIX, )
#endif

/* The edges may be scalars. */
#ifdef NEED_step
#define PMPP_VECTOR2_FIRST_SCALAR(n, name, T)        \
	PMPP_DEF T##n name(T a, T##n b)              \
	{                                            \
		T##n r;                              \
		for (int i = 0; i < n; i++)          \
			r[i] = pmpp_##name(a, b[i]); \
		return r;                            \
	}
#define PMPP_STEP(T, I, U, x)               \
	PMPP_IN T pmpp_step(T a, T b)       \
	{                                   \
		return b < a ? (T)0 : (T)1; \
	}                                   \
	PMPP_ALL2(step, T, T, T)            \
	PMPP_SIZES(PMPP_VECTOR2_FIRST_SCALAR, step, T)
PMPP_FLOATS(PMPP_STEP, )
#endif
#ifdef NEED_smoothstep
#define PMPP_VECTOR3_FIRST_SCALARS(n, name, T)          \
	PMPP_DEF T##n name(T a, T b, T##n c)            \
	{                                               \
		T##n r;                                 \
		for (int i = 0; i < n; i++)             \
			r[i] = pmpp_##name(a, b, c[i]); \
		return r;                               \
	}
#define PMPP_SMOOTHSTEP(T, I, U, x)                        \
	PMPP_IN T pmpp_smoothstep(T a, T b, T c)           \
	{                                                  \
		T t = (c - a) / (b - a);                   \
		t = t < (T)0 ? (T)0 : t > (T)1 ? (T)1 : t; \
		return t * t * ((T)3 - (T)2 * t);          \
	}                                                  \
	PMPP_ALL3(smoothstep, T, T, T, T)                  \
	PMPP_SIZES(PMPP_VECTOR3_FIRST_SCALARS, smoothstep, T)
PMPP_FLOATS(PMPP_SMOOTHSTEP, )
#endif

/* ---- Geometric functions --------------------------------------------------------------------- */

/* m(type, vector type, size): vectors of up to 4 elements. */
#define PMPP_SHORT_VECTORS(T, m, name) m(name, T, T##2, 2) m(name, T, T##3, 3) m(name, T, T##4, 4)
#define PMPP_GEOMETRIC(m, name)             \
	PMPP_SHORT_VECTORS(float, m, name)  \
	PMPP_SHORT_VECTORS(double, m, name) \
	PMPP_SHORT_VECTORS(half, m, name)

#ifdef NEED_cross
#define PMPP_CROSS(T)                                                                         \
	PMPP_IN T##3 pmpp_cross(T##3 a, T##3 b)                                               \
	{                                                                                     \
		return (T##3)(                                                                \
			a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); \
	}                                                                                     \
	PMPP_DEF T##3 cross(T##3 a, T##3 b)                                                   \
	{                                                                                     \
		return pmpp_cross(a, b);                                                      \
	}                                                                                     \
	PMPP_DEF T##4 cross(T##4 a, T##4 b)                                                   \
	{                                                                                     \
		return (T##4)(pmpp_cross(a.xyz, b.xyz), (T)0);                                \
	}
PMPP_CROSS(float)
PMPP_CROSS(double)
PMPP_CROSS(half)
#endif
#ifdef NEED_dot
#define PMPP_DOT(name, T, V, n)                             \
	PMPP_DEF T name(V a, V b)                           \
	{                                                   \
		double sum = 0.0;                           \
		for (int i = 0; i < n; i++)                 \
			sum += (double)a[i] * (double)b[i]; \
		return (T)sum;                              \
	}
PMPP_GEOMETRIC(PMPP_DOT, dot)
#define PMPP_DOT1(T, I, U, x)    \
	PMPP_DEF T dot(T a, T b) \
	{                        \
		return a * b;    \
	}
PMPP_FLOATS(PMPP_DOT1, )
#endif

#if defined NEED_length || defined NEED_distance || defined NEED_normalize || \
	defined NEED_fast_length || defined NEED_fast_distance || defined NEED_fast_normalize
/* Scaled by a power of 2: the squares have no overflow and no underflow. */
static double pmpp_root_of_squares(const double *x, int n)
{
	double largest = 0.0, sum = 0.0;
	bool nan = false;

	for (int i = 0; i < n; i++) {
		double size = __builtin_fabs(x[i]);
		nan |= size != size;
		largest = size > largest ? size : largest;
	}
	if (largest == (double)INFINITY)
		return INFINITY;
	if (nan)
		return NAN;
	double scale = largest > 0x1p500 ? 0x1p-600 : largest < 0x1p-400 ? 0x1p600 : 1.0;
	for (int i = 0; i < n; i++)
		sum += x[i] * scale * (x[i] * scale);
	return __builtin_sqrt(sum) / scale;
}
#define PMPP_LENGTH(name, T, V, n)                    \
	PMPP_DEF T name(V a)                          \
	{                                             \
		double x[n];                          \
		for (int i = 0; i < n; i++)           \
			x[i] = (double)a[i];          \
		return (T)pmpp_root_of_squares(x, n); \
	}
#define PMPP_DISTANCE(name, T, V, n)                  \
	PMPP_DEF T name(V a, V b)                     \
	{                                             \
		double x[n];                          \
		for (int i = 0; i < n; i++)           \
			x[i] = (double)(a[i] - b[i]); \
		return (T)pmpp_root_of_squares(x, n); \
	}
/* An infinite element counts 1, and finite elements beside it count 0 (OpenCL C 6.12.5). */
#define PMPP_NORMALIZE(name, T, V, n)                                                              \
	PMPP_DEF V name(V a)                                                                       \
	{                                                                                          \
		double x[n];                                                                       \
		bool infinite = false;                                                             \
		V r;                                                                               \
		for (int i = 0; i < n; i++)                                                        \
			infinite |= __builtin_fabs((double)a[i]) == (double)INFINITY;              \
		for (int i = 0; i < n; i++) {                                                      \
			double size = __builtin_fabs((double)a[i]);                                \
			double value = size == (double)INFINITY ? 1.0 : size != size ? size : 0.0; \
			x[i] = infinite ? __builtin_copysign(value, (double)a[i]) : (double)a[i];  \
		}                                                                                  \
		double length = pmpp_root_of_squares(x, n);                                        \
		double scale = length < 0x1p-1000 ? 0x1p100 : 1.0;                                 \
		for (int i = 0; i < n; i++)                                                        \
			r[i] = length == 0.0 ? a[i] : (T)(x[i] * scale / (length * scale));        \
		return r;                                                                          \
	}
#endif
#define PMPP_SIGN_OF(T, a) ((T)__builtin_copysign(1.0, (double)(a)))
#define PMPP_LENGTH1(T, I, U, name)                  \
	PMPP_DEF T name(T a)                         \
	{                                            \
		return (T)__builtin_fabs((double)a); \
	}
#define PMPP_DISTANCE1(T, I, U, name)                      \
	PMPP_DEF T name(T a, T b)                          \
	{                                                  \
		return (T)__builtin_fabs((double)(a - b)); \
	}
#define PMPP_NORMALIZE1(T, I, U, name)                               \
	PMPP_DEF T name(T a)                                         \
	{                                                            \
		return a == (T)0 || a != a ? a : PMPP_SIGN_OF(T, a); \
	}
/* m: for vectors; m##1: for scalars. */
#define PMPP_ALL_SIZES(m, name) PMPP_IF(name)(PMPP_GEOMETRIC(m, name) PMPP_FLOATS(m##1, name))
PMPP_ALL_SIZES(PMPP_LENGTH, length)
PMPP_ALL_SIZES(PMPP_LENGTH, fast_length)
PMPP_ALL_SIZES(PMPP_DISTANCE, distance)
PMPP_ALL_SIZES(PMPP_DISTANCE, fast_distance)
PMPP_ALL_SIZES(PMPP_NORMALIZE, normalize)
PMPP_ALL_SIZES(PMPP_NORMALIZE, fast_normalize)
