/*
 * Functions of a sub-group: cl_khr_subgroups, the cl_khr_subgroup_* extensions and
 * cl_intel_subgroups. A lane is a work-item of the sub-group. The functions of cl_khr_subgroups
 * must be called by all lanes; if a lane does not arrive, the emulator reports a deadlock.
 * Shuffles, ballots and the non-uniform functions are of the lanes that call them together.
 */
PMPP_IN ulong pmpp_lanes_below(uint count)
{
	return count >= 64 ? ~0UL : (1UL << count) - 1;
}
PMPP_IN ulong pmpp_all_lanes(void)
{
	return pmpp_lanes_below(get_sub_group_size());
}
/* The lanes that call together. */
PMPP_IN ulong pmpp_active(int line)
{
	return pmpp_emu_warp(line, PMPP_EMU_ACTIVE, pmpp_lanes_below(get_max_sub_group_size()), 0, 0);
}
PMPP_IN ulong pmpp_vote(int line, ulong mask, int value)
{
	return pmpp_emu_warp(line, PMPP_EMU_VOTE, mask, value != 0, 0);
}
PMPP_IN uint pmpp_first(ulong lanes)
{
	return (uint)__builtin_ctzl(lanes);
}

/* Replaces the value by that of another lane of the mask. All lanes of the mask exchange 8 bytes
 * at a time. */
PMPP_IN void pmpp_exchange(int line, ulong mask, void *value, uint size, ulong source)
{
	uint own = get_sub_group_local_id();

	if (source >= 64 || !(mask >> source & 1))
		source = own;
	for (uint at = 0; at < size; at += 8) {
		ulong word = 0;
		__builtin_memcpy(&word, (char *)value + at, size - at < 8 ? size - at : 8);
		word = pmpp_emu_warp(line, PMPP_EMU_SHUFFLE, mask, word, (int)source);
		__builtin_memcpy((char *)value + at, &word, size - at < 8 ? size - at : 8);
	}
}

/* V: a scalar or vector type. `source` may use `own`, the caller's lane. */
#define PMPP_LANES(V, name, parameters, mask_of, source)              \
	PMPP_DEF V name parameters                                    \
	{                                                             \
		int line = pmpp_emu_line(PMPP_PC);                    \
		ulong mask = mask_of, own = get_sub_group_local_id(); \
		(void)own;                                            \
		pmpp_exchange(line, mask, &a, sizeof a, source);      \
		return a;                                             \
	}
#define PMPP_LANES_VECTOR(n, T, lanes) lanes(T##n)
#define PMPP_LANES_TYPES(T, I, U, lanes) lanes(T) PMPP_SIZES(PMPP_LANES_VECTOR, T, lanes)
#define PMPP_LANES_ALL(lanes) PMPP_TYPES(PMPP_LANES_TYPES, lanes)

#ifdef NEED_sub_group_broadcast
#define PMPP_BROADCAST(V) \
	PMPP_LANES(V, sub_group_broadcast, (V a, uint lane), pmpp_all_lanes(), lane)
PMPP_LANES_ALL(PMPP_BROADCAST)
#endif
#ifdef NEED_sub_group_non_uniform_broadcast
#define PMPP_BROADCAST_SOME(V) \
	PMPP_LANES(V, sub_group_non_uniform_broadcast, (V a, uint lane), pmpp_active(line), lane)
PMPP_LANES_ALL(PMPP_BROADCAST_SOME)
#endif
#ifdef NEED_sub_group_broadcast_first
#define PMPP_BROADCAST_FIRST(V) \
	PMPP_LANES(V, sub_group_broadcast_first, (V a), pmpp_active(line), pmpp_first(mask))
PMPP_LANES_ALL(PMPP_BROADCAST_FIRST)
#endif
#ifdef NEED_sub_group_shuffle
#define PMPP_SHUFFLE_LANES(V) \
	PMPP_LANES(V, sub_group_shuffle, (V a, uint lane), pmpp_active(line), lane)
PMPP_LANES_ALL(PMPP_SHUFFLE_LANES)
#endif
#ifdef NEED_sub_group_shuffle_xor
#define PMPP_SHUFFLE_XOR(V) \
	PMPP_LANES(V, sub_group_shuffle_xor, (V a, uint lanes), pmpp_active(line), own ^ lanes)
PMPP_LANES_ALL(PMPP_SHUFFLE_XOR)
#endif
#ifdef NEED_sub_group_shuffle_up
#define PMPP_SHUFFLE_UP(V) \
	PMPP_LANES(V, sub_group_shuffle_up, (V a, uint delta), pmpp_active(line), own - delta)
PMPP_LANES_ALL(PMPP_SHUFFLE_UP)
#endif
#ifdef NEED_sub_group_shuffle_down
#define PMPP_SHUFFLE_DOWN(V) \
	PMPP_LANES(V, sub_group_shuffle_down, (V a, uint delta), pmpp_active(line), own + delta)
PMPP_LANES_ALL(PMPP_SHUFFLE_DOWN)
#endif
#ifdef NEED_sub_group_rotate
#define PMPP_ROTATE_LANES(V)                                                \
	PMPP_LANES(V, sub_group_rotate, (V a, int delta), pmpp_all_lanes(), \
		(own + (ulong)(long)delta) % get_sub_group_size())
PMPP_LANES_ALL(PMPP_ROTATE_LANES)
#endif
#ifdef NEED_sub_group_clustered_rotate
#define PMPP_ROTATE_CLUSTER(V)                                                                   \
	PMPP_LANES(V, sub_group_clustered_rotate, (V a, int delta, uint size), pmpp_all_lanes(), \
		(own & ~(ulong)(size - 1)) | ((own + (ulong)(long)delta) & (size - 1)))
PMPP_LANES_ALL(PMPP_ROTATE_CLUSTER)
#endif
#ifdef NEED_intel_sub_group_broadcast
#define PMPP_INTEL_BROADCAST(V) \
	PMPP_LANES(V, intel_sub_group_broadcast, (V a, uint lane), pmpp_all_lanes(), lane)
PMPP_LANES_ALL(PMPP_INTEL_BROADCAST)
#endif
#ifdef NEED_intel_sub_group_shuffle
#define PMPP_INTEL_SHUFFLE(V) \
	PMPP_LANES(V, intel_sub_group_shuffle, (V a, uint lane), pmpp_active(line), lane)
PMPP_LANES_ALL(PMPP_INTEL_SHUFFLE)
#endif
#ifdef NEED_intel_sub_group_shuffle_xor
#define PMPP_INTEL_XOR(V) \
	PMPP_LANES(       \
		V, intel_sub_group_shuffle_xor, (V a, uint lanes), pmpp_active(line), own ^ lanes)
PMPP_LANES_ALL(PMPP_INTEL_XOR)
#endif
/* Lanes beyond the sub-group's end are those of a second value. */
#define PMPP_INTEL_RELATIVE(V, name, first, second, inside, source, other)      \
	PMPP_DEF V name(V first, V second, uint delta)                          \
	{                                                                       \
		int line = pmpp_emu_line(PMPP_PC);                              \
		ulong mask = pmpp_active(line), own = get_sub_group_local_id(); \
		ulong size = get_max_sub_group_size();                          \
		pmpp_exchange(line, mask, &a, sizeof a, source);                \
		pmpp_exchange(line, mask, &b, sizeof b, other);                 \
		return inside ? a : b;                                          \
	}
#ifdef NEED_intel_sub_group_shuffle_down
#define PMPP_INTEL_DOWN(V)                                                             \
	PMPP_INTEL_RELATIVE(V, intel_sub_group_shuffle_down, a, b, own + delta < size, \
		own + delta, own + delta - size)
PMPP_LANES_ALL(PMPP_INTEL_DOWN)
#endif
#ifdef NEED_intel_sub_group_shuffle_up
#define PMPP_INTEL_UP(V)                                                                    \
	PMPP_INTEL_RELATIVE(V, intel_sub_group_shuffle_up, b, a, own >= delta, own - delta, \
		size + own - delta)
PMPP_LANES_ALL(PMPP_INTEL_UP)
#endif

/* ---- Votes and ballots ----------------------------------------------------------------------- */

#define PMPP_BALLOT(lanes) ((uint4)((uint)(lanes), (uint)((lanes) >> 32), 0, 0))
#define PMPP_BALLOT_LANES(ballot) (((ulong)(ballot).y << 32 | (ballot).x) & pmpp_all_lanes())

#ifdef NEED_sub_group_any
PMPP_DEF int sub_group_any(int a)
{
	int line = pmpp_emu_line(PMPP_PC);
	return pmpp_vote(line, pmpp_all_lanes(), a) != 0;
}
#endif
#ifdef NEED_sub_group_all
PMPP_DEF int sub_group_all(int a)
{
	int line = pmpp_emu_line(PMPP_PC);
	return pmpp_vote(line, pmpp_all_lanes(), !a) == 0;
}
#endif
#ifdef NEED_sub_group_elect
PMPP_DEF int sub_group_elect(void)
{
	int line = pmpp_emu_line(PMPP_PC);
	return pmpp_first(pmpp_active(line)) == get_sub_group_local_id();
}
#endif
#ifdef NEED_sub_group_non_uniform_any
PMPP_DEF int sub_group_non_uniform_any(int a)
{
	int line = pmpp_emu_line(PMPP_PC);
	return pmpp_vote(line, pmpp_active(line), a) != 0;
}
#endif
#ifdef NEED_sub_group_non_uniform_all
PMPP_DEF int sub_group_non_uniform_all(int a)
{
	int line = pmpp_emu_line(PMPP_PC);
	return pmpp_vote(line, pmpp_active(line), !a) == 0;
}
#endif
#ifdef NEED_sub_group_non_uniform_all_equal
#define PMPP_ALL_EQUAL(T, I, U, x)                                                 \
	PMPP_DEF int sub_group_non_uniform_all_equal(T a)                          \
	{                                                                          \
		int line = pmpp_emu_line(PMPP_PC);                                 \
		ulong mask = pmpp_active(line);                                    \
		T first = a;                                                       \
		pmpp_exchange(line, mask, &first, sizeof first, pmpp_first(mask)); \
		return pmpp_vote(line, mask, first != a) == 0;                     \
	}
PMPP_TYPES(PMPP_ALL_EQUAL, )
#endif
#ifdef NEED_sub_group_ballot
PMPP_DEF uint4 sub_group_ballot(int a)
{
	int line = pmpp_emu_line(PMPP_PC);
	ulong lanes = pmpp_vote(line, pmpp_active(line), a);
	return PMPP_BALLOT(lanes);
}
#endif
#ifdef NEED_sub_group_inverse_ballot
PMPP_DEF int sub_group_inverse_ballot(uint4 a)
{
	return (int)(PMPP_BALLOT_LANES(a) >> get_sub_group_local_id() & 1);
}
#endif
#ifdef NEED_sub_group_ballot_bit_extract
PMPP_DEF int sub_group_ballot_bit_extract(uint4 a, uint lane)
{
	return lane < 64 ? (int)(PMPP_BALLOT_LANES(a) >> lane & 1) : 0;
}
#endif
#ifdef NEED_sub_group_ballot_bit_count
PMPP_DEF uint sub_group_ballot_bit_count(uint4 a)
{
	return (uint)__builtin_popcountl(PMPP_BALLOT_LANES(a));
}
#endif
#ifdef NEED_sub_group_ballot_inclusive_scan
PMPP_DEF uint sub_group_ballot_inclusive_scan(uint4 a)
{
	return (uint)__builtin_popcountl(
		PMPP_BALLOT_LANES(a) & pmpp_lanes_below(get_sub_group_local_id() + 1));
}
#endif
#ifdef NEED_sub_group_ballot_exclusive_scan
PMPP_DEF uint sub_group_ballot_exclusive_scan(uint4 a)
{
	return (uint)__builtin_popcountl(
		PMPP_BALLOT_LANES(a) & pmpp_lanes_below(get_sub_group_local_id()));
}
#endif
#ifdef NEED_sub_group_ballot_find_lsb
PMPP_DEF uint sub_group_ballot_find_lsb(uint4 a)
{
	ulong lanes = PMPP_BALLOT_LANES(a);
	return lanes ? pmpp_first(lanes) : 0;
}
#endif
#ifdef NEED_sub_group_ballot_find_msb
PMPP_DEF uint sub_group_ballot_find_msb(uint4 a)
{
	ulong lanes = PMPP_BALLOT_LANES(a);
	return lanes ? 63 - (uint)__builtin_clzl(lanes) : 0;
}
#endif
#ifdef NEED_get_sub_group_eq_mask
PMPP_DEF uint4 get_sub_group_eq_mask(void)
{
	uint own = get_sub_group_local_id();
	ulong lanes = 1UL << own;
	return PMPP_BALLOT(lanes);
}
#endif
#ifdef NEED_get_sub_group_ge_mask
PMPP_DEF uint4 get_sub_group_ge_mask(void)
{
	uint own = get_sub_group_local_id();
	ulong lanes = pmpp_all_lanes() & ~pmpp_lanes_below(own);
	return PMPP_BALLOT(lanes);
}
#endif
#ifdef NEED_get_sub_group_gt_mask
PMPP_DEF uint4 get_sub_group_gt_mask(void)
{
	uint own = get_sub_group_local_id();
	ulong lanes = pmpp_all_lanes() & ~pmpp_lanes_below(own + 1);
	return PMPP_BALLOT(lanes);
}
#endif
#ifdef NEED_get_sub_group_le_mask
PMPP_DEF uint4 get_sub_group_le_mask(void)
{
	uint own = get_sub_group_local_id();
	ulong lanes = pmpp_lanes_below(own + 1);
	return PMPP_BALLOT(lanes);
}
#endif
#ifdef NEED_get_sub_group_lt_mask
PMPP_DEF uint4 get_sub_group_lt_mask(void)
{
	uint own = get_sub_group_local_id();
	ulong lanes = pmpp_lanes_below(own);
	return PMPP_BALLOT(lanes);
}
#endif
