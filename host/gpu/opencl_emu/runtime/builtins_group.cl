/*
 * Functions of a work-group (OpenCL C 2.0, 6.13.15), and what sub-groups share with them. All
 * work-items of the work-group call them. The values lie in a table; the first work-item
 * computes all results.
 */

/* The operations: pmpp_join_NAME(a, b), and the value that changes nothing. */
#define PMPP_JOIN(T, name, expression, neutral) \
	PMPP_IN T pmpp_join_##name(T a, T b)    \
	{                                       \
		return expression;              \
	}                                       \
	PMPP_IN T pmpp_neutral_##name(T x)      \
	{                                       \
		return neutral;                 \
	}
#define PMPP_JOINS_OF_ALL(T, lowest, highest)     \
	PMPP_JOIN(T, add, a + b, (T)0)            \
	PMPP_JOIN(T, mul, a *b, (T)1)             \
	PMPP_JOIN(T, min, b < a ? b : a, highest) \
	PMPP_JOIN(T, max, a < b ? b : a, lowest)
#define PMPP_JOINS_OF_INTEGERS(T, lowest, highest) \
	PMPP_JOINS_OF_ALL(T, lowest, highest)      \
	PMPP_JOIN(T, and, a &b, (T) ~(T)0)         \
	PMPP_JOIN(T, or, a | b, (T)0)              \
	PMPP_JOIN(T, xor, a ^ b, (T)0)
PMPP_JOINS_OF_INTEGERS(char, CHAR_MIN, CHAR_MAX)
PMPP_JOINS_OF_INTEGERS(uchar, 0, UCHAR_MAX)
PMPP_JOINS_OF_INTEGERS(short, SHRT_MIN, SHRT_MAX)
PMPP_JOINS_OF_INTEGERS(ushort, 0, USHRT_MAX)
PMPP_JOINS_OF_INTEGERS(int, INT_MIN, INT_MAX)
PMPP_JOINS_OF_INTEGERS(uint, 0, UINT_MAX)
PMPP_JOINS_OF_INTEGERS(long, LONG_MIN, LONG_MAX)
PMPP_JOINS_OF_INTEGERS(ulong, 0, ULONG_MAX)
PMPP_JOINS_OF_ALL(float, -INFINITY, INFINITY)
PMPP_JOINS_OF_ALL(double, -(double)INFINITY, (double)INFINITY)
PMPP_JOINS_OF_ALL(half, (half)-INFINITY, (half)INFINITY)

enum {
	PMPP_REDUCE,
	PMPP_INCLUSIVE,
	PMPP_EXCLUSIVE
};

/* The table is written only between two barriers. */
static struct {
	ulong bits[PMPP_EMU_MAX_BLOCK]; /* a value for each work-item */
} pmpp_group_table;

PMPP_IN void pmpp_group_barrier(const void *pc)
{
	pmpp_emu_barrier(pmpp_emu_line(pc), CLK_LOCAL_MEM_FENCE);
}

#define PMPP_GROUP(T, name, join, kind, value)                                       \
	PMPP_DEF T name(T a)                                                         \
	{                                                                            \
		T *table = (T *)pmpp_group_table.bits;                               \
		size_t id = pmpp_item(), count = pmpp_item_count();                  \
		table[id] = value;                                                   \
		pmpp_group_barrier(PMPP_PC);                                         \
		T sum = pmpp_neutral_##join(a);                                      \
		for (size_t i = 0; id == 0 && i < count; i++) {                      \
			T before = sum;                                              \
			sum = pmpp_join_##join(sum, table[i]);                       \
			table[i] = kind == PMPP_EXCLUSIVE ? before : sum;            \
		}                                                                    \
		for (size_t i = 0; id == 0 && kind == PMPP_REDUCE && i < count; i++) \
			table[i] = sum;                                              \
		pmpp_group_barrier(PMPP_PC);                                         \
		return table[id];                                                    \
	}
#define PMPP_GROUP_TYPES(m, ...)                                                            \
	m(int, __VA_ARGS__) m(uint, __VA_ARGS__) m(long, __VA_ARGS__) m(ulong, __VA_ARGS__) \
		m(float, __VA_ARGS__) m(double, __VA_ARGS__) m(half, __VA_ARGS__)

#define PMPP_GROUP_KINDS(join)                                                                  \
	PMPP_IF(work_group_reduce_##join)                                                       \
	(PMPP_GROUP_TYPES(PMPP_GROUP, work_group_reduce_##join, join, PMPP_REDUCE, a))          \
		PMPP_IF(work_group_scan_inclusive_##join)(PMPP_GROUP_TYPES(                     \
			PMPP_GROUP, work_group_scan_inclusive_##join, join, PMPP_INCLUSIVE, a)) \
			PMPP_IF(work_group_scan_exclusive_##join)(PMPP_GROUP_TYPES(PMPP_GROUP,  \
				work_group_scan_exclusive_##join, join, PMPP_EXCLUSIVE, a))
PMPP_GROUP_KINDS(add)
PMPP_GROUP_KINDS(min)
PMPP_GROUP_KINDS(max)
#ifdef NEED_work_group_any
PMPP_GROUP(int, work_group_any, or, PMPP_REDUCE, a != 0)
#endif
#ifdef NEED_work_group_all
PMPP_GROUP(int, work_group_all, and, PMPP_REDUCE, a != 0)
#endif
#ifdef NEED_work_group_broadcast
#define PMPP_GROUP_BROADCAST(T, unused)                                                   \
	PMPP_IN T pmpp_group_broadcast(T a, size_t from, const void *pc)                  \
	{                                                                                 \
		T *table = (T *)pmpp_group_table.bits;                                    \
		table[pmpp_item()] = a;                                                   \
		pmpp_group_barrier(pc);                                                   \
		T r = table[from % pmpp_item_count()];                                    \
		pmpp_group_barrier(pc);                                                   \
		return r;                                                                 \
	}                                                                                 \
	PMPP_DEF T work_group_broadcast(T a, size_t x)                                    \
	{                                                                                 \
		return pmpp_group_broadcast(a, x, PMPP_PC);                               \
	}                                                                                 \
	PMPP_DEF T work_group_broadcast(T a, size_t x, size_t y)                          \
	{                                                                                 \
		return pmpp_group_broadcast(a, x + get_local_size(0) * y, PMPP_PC);       \
	}                                                                                 \
	PMPP_DEF T work_group_broadcast(T a, size_t x, size_t y, size_t z)                \
	{                                                                                 \
		return pmpp_group_broadcast(                                              \
			a, x + get_local_size(0) * (y + get_local_size(1) * z), PMPP_PC); \
	}
PMPP_GROUP_TYPES(PMPP_GROUP_BROADCAST, )
#endif
