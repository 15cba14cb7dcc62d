/*
 * CUDA's vector types. Types with two and four elements are copied as one vector, so that a 16-byte
 * access is one access. The compiler's instrumentation would split the copy of a plain struct. The
 * default constructor does nothing: arrays in shared memory are static variables here, and vectors can be members of
 * unions. The other constructors are constant expressions, for tables in constant memory.
 */
#define PMPP_EMU_VECTOR(name, T, n, fields, parameters, values, initials)                          \
	struct __attribute__((aligned(sizeof(T) * n))) name {                                      \
		typedef T whole __attribute__((vector_size(sizeof(T) * n)));                       \
		union {                                                                            \
			whole v;                                                                   \
			struct {                                                                   \
				T fields;                                                          \
			};                                                                         \
		};                                                                                 \
		name() = default;                                                                  \
		constexpr name(const name &other) : v(other.v) {}                                  \
		name &operator=(const name &other)                                                 \
		{                                                                                  \
			v = other.v;                                                               \
			return *this;                                                              \
		}                                                                                  \
		explicit constexpr name(whole vector) : v(vector) {}                               \
		constexpr name initials : v(whole{PMPP_EMU_UNWRAP values}) {}                      \
	};                                                                                         \
	static inline name make_##name parameters                                                  \
	{                                                                                          \
		typename name::whole vector = {PMPP_EMU_UNWRAP values};                            \
		return name(vector);                                                               \
	}

#define PMPP_EMU_UNWRAP(...) __VA_ARGS__
#define PMPP_EMU_COMMA ,
#define PMPP_EMU_PLAIN(base, T)                                                                    \
	struct base##1 {                                                                           \
		T x;                                                                               \
	};                                                                                         \
	struct base##3 {                                                                           \
		T x, y, z;                                                                         \
	};                                                                                         \
	static inline base##1 make_##base##1(T x) { return base##1{x}; }                           \
	static inline base##3 make_##base##3(T x, T y, T z) { return base##3{x, y, z}; }
#define PMPP_EMU_VECTORS(base, T)                                                                  \
	PMPP_EMU_PLAIN(base, T)                                                                    \
	PMPP_EMU_VECTOR(base##2, T, 2, x PMPP_EMU_COMMA y, (T x, T y), (x, y), (T x, T y = 0))     \
	PMPP_EMU_VECTOR(base##4, T, 4, x PMPP_EMU_COMMA y PMPP_EMU_COMMA z PMPP_EMU_COMMA w,       \
		(T x, T y, T z, T w), (x, y, z, w), (T x, T y = 0, T z = 0, T w = 0))

PMPP_EMU_VECTORS(char, signed char)
PMPP_EMU_VECTORS(uchar, unsigned char)
PMPP_EMU_VECTORS(short, short)
PMPP_EMU_VECTORS(ushort, unsigned short)
PMPP_EMU_VECTORS(int, int)
PMPP_EMU_VECTORS(uint, unsigned int)
PMPP_EMU_VECTORS(float, float)

/* One access has at most 16 bytes, so with 8-byte elements only the type with two is a vector. */
#define PMPP_EMU_WIDE(base, T)                                                                     \
	PMPP_EMU_PLAIN(base, T)                                                                    \
	PMPP_EMU_VECTOR(base##2, T, 2, x PMPP_EMU_COMMA y, (T x, T y), (x, y), (T x, T y = 0))     \
	struct __attribute__((aligned(16))) base##4 {                                              \
		T x, y, z, w;                                                                      \
	};                                                                                         \
	static inline base##4 make_##base##4(T x, T y, T z, T w) { return base##4{x, y, z, w}; }

PMPP_EMU_WIDE(double, double)
PMPP_EMU_WIDE(long, long)
PMPP_EMU_WIDE(ulong, unsigned long)
PMPP_EMU_WIDE(longlong, long long)
PMPP_EMU_WIDE(ulonglong, unsigned long long)
