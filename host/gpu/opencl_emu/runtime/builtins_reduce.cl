/*
 * Reductions and scans of a sub-group, and Intel's block reads and writes. The sum over n lanes
 * takes log2(n) steps, so floats are not added in the order of the lanes.
 */

/* The lane of the set with this rank, from 0. */
PMPP_IN uint pmpp_ranked(ulong set, uint rank)
{
	for (; rank > 0; rank--)
		set &= set - 1;
	return pmpp_first(set);
}

/* mask: the lanes that call. set: those of them that are joined, with the caller. */
#define PMPP_SCAN(T, join)                                                                      \
	PMPP_IN T pmpp_scan_##join(int line, ulong mask, ulong set, T a, int kind)              \
	{                                                                                       \
		uint own = get_sub_group_local_id(), callers = (uint)__builtin_popcountl(mask); \
		uint rank = (uint)__builtin_popcountl(set & pmpp_lanes_below(own));             \
		for (uint step = 1; step < callers; step *= 2) {                                \
			T other = a;                                                            \
			pmpp_exchange(line, mask, &other, sizeof other,                         \
				rank >= step ? pmpp_ranked(set, rank - step) : own);            \
			if (rank >= step)                                                       \
				a = pmpp_join_##join(other, a);                                 \
		}                                                                               \
		if (kind == PMPP_INCLUSIVE)                                                     \
			return a;                                                               \
		uint last = 63 - (uint)__builtin_clzl(set);                                     \
		uint before = rank > 0 ? pmpp_ranked(set, rank - 1) : own;                      \
		pmpp_exchange(line, mask, &a, sizeof a, kind == PMPP_REDUCE ? last : before);   \
		return kind == PMPP_EXCLUSIVE && rank == 0 ? pmpp_neutral_##join(a) : a;        \
	}
#define PMPP_SCANS(T, I, U, x) \
	PMPP_SCAN(T, add) PMPP_SCAN(T, mul) PMPP_SCAN(T, min) PMPP_SCAN(T, max)
#define PMPP_SCANS_OF_INTEGERS(T, I, U, x) PMPP_SCAN(T, and) PMPP_SCAN(T, or) PMPP_SCAN(T, xor)
PMPP_TYPES(PMPP_SCANS, )
PMPP_INTEGERS(PMPP_SCANS_OF_INTEGERS, )

#define PMPP_SUB_GROUP(T, I, U, name, join, kind, mask_of)          \
	PMPP_DEF T name(T a)                                        \
	{                                                           \
		int line = pmpp_emu_line(PMPP_PC);                  \
		ulong mask = mask_of;                               \
		return pmpp_scan_##join(line, mask, mask, a, kind); \
	}
#define PMPP_LOGICAL(name, join, kind)                                              \
	PMPP_DEF int name(int a)                                                    \
	{                                                                           \
		int line = pmpp_emu_line(PMPP_PC);                                  \
		ulong mask = pmpp_active(line);                                     \
		return pmpp_scan_##join(line, mask, mask, (int)(a != 0), kind) & 1; \
	}
/* The lanes of the caller's cluster. size: a power of 2. */
#define PMPP_CLUSTER_LANES(size) \
	(mask & (pmpp_lanes_below(size) << (get_sub_group_local_id() & ~((size)-1) & 63)))
#define PMPP_CLUSTERED(T, I, U, name, join)                                                    \
	PMPP_DEF T name(T a, uint size)                                                        \
	{                                                                                      \
		int line = pmpp_emu_line(PMPP_PC);                                             \
		ulong mask = pmpp_active(line);                                                \
		return pmpp_scan_##join(line, mask, PMPP_CLUSTER_LANES(size), a, PMPP_REDUCE); \
	}
#define PMPP_CLUSTERED_LOGICAL(name, join)                                                         \
	PMPP_DEF int name(int a, uint size)                                                        \
	{                                                                                          \
		int line = pmpp_emu_line(PMPP_PC);                                                 \
		ulong mask = pmpp_active(line);                                                    \
		return pmpp_scan_##join(                                                           \
			       line, mask, PMPP_CLUSTER_LANES(size), (int)(a != 0), PMPP_REDUCE) & \
		       1;                                                                          \
	}

/* The reduction and the two scans of an operation. group: the start of their names. types: of the
 * operands. mask: the lanes that take part. */
#define PMPP_REDUCTION(name, types, join, kind, mask) \
	PMPP_IF(name)(types(PMPP_SUB_GROUP, name, join, kind, mask))
#define PMPP_REDUCTIONS(group, types, join, mask)                                        \
	PMPP_REDUCTION(group##_reduce_##join, types, join, PMPP_REDUCE, mask)            \
	PMPP_REDUCTION(group##_scan_inclusive_##join, types, join, PMPP_INCLUSIVE, mask) \
	PMPP_REDUCTION(group##_scan_exclusive_##join, types, join, PMPP_EXCLUSIVE, mask)
PMPP_REDUCTIONS(sub_group, PMPP_TYPES, add, pmpp_all_lanes())
PMPP_REDUCTIONS(sub_group, PMPP_TYPES, min, pmpp_all_lanes())
PMPP_REDUCTIONS(sub_group, PMPP_TYPES, max, pmpp_all_lanes())
PMPP_REDUCTIONS(intel_sub_group, PMPP_TYPES, add, pmpp_all_lanes())
PMPP_REDUCTIONS(intel_sub_group, PMPP_TYPES, min, pmpp_all_lanes())
PMPP_REDUCTIONS(intel_sub_group, PMPP_TYPES, max, pmpp_all_lanes())

/* The functions of the lanes that call together: also of clusters of these lanes. */
#define PMPP_NON_UNIFORM(types, join)                                          \
	PMPP_REDUCTIONS(sub_group_non_uniform, types, join, pmpp_active(line)) \
	PMPP_IF(sub_group_clustered_reduce_##join)                             \
	(types(PMPP_CLUSTERED, sub_group_clustered_reduce_##join, join))
#define PMPP_NON_UNIFORM_LOGICAL(join)                                                             \
	PMPP_IF(sub_group_non_uniform_reduce_logical_##join)                                       \
	(PMPP_LOGICAL(sub_group_non_uniform_reduce_logical_##join, join, PMPP_REDUCE)) PMPP_IF(    \
		sub_group_non_uniform_scan_inclusive_logical_##join)(PMPP_LOGICAL(                 \
		sub_group_non_uniform_scan_inclusive_logical_##join, join, PMPP_INCLUSIVE))        \
		PMPP_IF(sub_group_non_uniform_scan_exclusive_logical_##join)(                      \
			PMPP_LOGICAL(sub_group_non_uniform_scan_exclusive_logical_##join, join,    \
				PMPP_EXCLUSIVE))                                                   \
			PMPP_IF(sub_group_clustered_reduce_logical_##join)(PMPP_CLUSTERED_LOGICAL( \
				sub_group_clustered_reduce_logical_##join, join))
PMPP_NON_UNIFORM(PMPP_TYPES, add)
PMPP_NON_UNIFORM(PMPP_TYPES, mul)
PMPP_NON_UNIFORM(PMPP_TYPES, min)
PMPP_NON_UNIFORM(PMPP_TYPES, max)
PMPP_NON_UNIFORM(PMPP_INTEGERS, and)
PMPP_NON_UNIFORM(PMPP_INTEGERS, or)
PMPP_NON_UNIFORM(PMPP_INTEGERS, xor)
PMPP_NON_UNIFORM_LOGICAL(and)
PMPP_NON_UNIFORM_LOGICAL(or)
PMPP_NON_UNIFORM_LOGICAL(xor)

/* ---- Intel's block reads and writes: element k of a lane is at k * size + lane --------------- */

#define PMPP_BLOCK_READ(S, name, T, n)                                      \
	PMPP_DEF T##n name(const S T *p)                                    \
	{                                                                   \
		T##n r;                                                     \
		const S T *own = p + get_sub_group_local_id();              \
		for (int k = 0; k < n; k++) {                               \
			const S T *at = own + k * get_max_sub_group_size(); \
			PMPP_SEEN(at, sizeof(T), PMPP_EMU_READ, PMPP_PC);   \
			((T *)&r)[k] = *at;                                 \
		}                                                           \
		return r;                                                   \
	}
#define PMPP_BLOCK_WRITE(S, name, T, n)                                    \
	PMPP_DEF void name(S T *p, T##n a)                                 \
	{                                                                  \
		S T *own = p + get_sub_group_local_id();                   \
		for (int k = 0; k < n; k++) {                              \
			S T *at = own + k * get_max_sub_group_size();      \
			PMPP_SEEN(at, sizeof(T), PMPP_EMU_WRITE, PMPP_PC); \
			*at = ((T *)&a)[k];                                \
		}                                                          \
	}
#define PMPP_BLOCK(m, name, T, n) PMPP_IF(name)(m(__global, name, T, n) m(__local, name, T, n))
/* The sizes 1 to 8, and 1 to 16. */
#define PMPP_BLOCKS_8(m, name, T) \
	PMPP_BLOCK(m, name, T, 1) \
	PMPP_BLOCK(m, name##2, T, 2) PMPP_BLOCK(m, name##4, T, 4) PMPP_BLOCK(m, name##8, T, 8)
#define PMPP_BLOCKS_16(m, name, T) PMPP_BLOCKS_8(m, name, T) PMPP_BLOCK(m, name##16, T, 16)
#define PMPP_BLOCKS(m, name)                                                   \
	PMPP_BLOCKS_8(m, name, uint)                                           \
	PMPP_BLOCKS_8(m, name##_ui, uint) PMPP_BLOCKS_16(m, name##_us, ushort) \
		PMPP_BLOCKS_16(m, name##_uc, uchar) PMPP_BLOCKS_8(m, name##_ul, ulong)
PMPP_BLOCKS(PMPP_BLOCK_READ, intel_sub_group_block_read)
PMPP_BLOCKS(PMPP_BLOCK_WRITE, intel_sub_group_block_write)
