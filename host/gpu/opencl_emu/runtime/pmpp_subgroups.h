/*
 * Declarations of the sub-group functions. clang declares them only for some targets and versions
 * of the language. builtins_subgroup.cl and builtins_reduce.cl define them.
 */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define PMPP_SUB __attribute__((overloadable, convergent))

/* clang defines some of them, with the same value. */
#define cl_khr_subgroups 1
#define cl_khr_subgroup_extended_types 1
#define cl_khr_subgroup_non_uniform_vote 1
#define cl_khr_subgroup_ballot 1
#define cl_khr_subgroup_non_uniform_arithmetic 1
#define cl_khr_subgroup_shuffle 1
#define cl_khr_subgroup_shuffle_relative 1
#define cl_khr_subgroup_clustered_reduce 1
#define cl_khr_subgroup_rotate 1
#define cl_intel_subgroups 1
#define cl_intel_subgroups_char 1
#define cl_intel_subgroups_short 1
#define cl_intel_subgroups_long 1

/* ---- Lanes, votes and ballots ---------------------------------------------------------------- */

PMPP_SUB uint get_sub_group_size(void);
PMPP_SUB uint get_max_sub_group_size(void);
PMPP_SUB uint get_num_sub_groups(void);
PMPP_SUB uint get_enqueued_num_sub_groups(void);
PMPP_SUB uint get_sub_group_id(void);
PMPP_SUB uint get_sub_group_local_id(void);
PMPP_SUB uint4 get_sub_group_eq_mask(void);
PMPP_SUB uint4 get_sub_group_ge_mask(void);
PMPP_SUB uint4 get_sub_group_gt_mask(void);
PMPP_SUB uint4 get_sub_group_le_mask(void);
PMPP_SUB uint4 get_sub_group_lt_mask(void);
PMPP_SUB int sub_group_all(int);
PMPP_SUB int sub_group_any(int);
PMPP_SUB int sub_group_non_uniform_all(int);
PMPP_SUB int sub_group_non_uniform_any(int);
PMPP_SUB int sub_group_elect(void);
PMPP_SUB uint4 sub_group_ballot(int);
PMPP_SUB int sub_group_inverse_ballot(uint4);
PMPP_SUB int sub_group_ballot_bit_extract(uint4, uint);
PMPP_SUB uint sub_group_ballot_bit_count(uint4);
PMPP_SUB uint sub_group_ballot_inclusive_scan(uint4);
PMPP_SUB uint sub_group_ballot_exclusive_scan(uint4);
PMPP_SUB uint sub_group_ballot_find_lsb(uint4);
PMPP_SUB uint sub_group_ballot_find_msb(uint4);

#define PMPP_SUB_MOVES(T)                                    \
	PMPP_SUB T sub_group_broadcast(T, uint);             \
	PMPP_SUB T sub_group_broadcast_first(T);             \
	PMPP_SUB T sub_group_non_uniform_broadcast(T, uint); \
	PMPP_SUB T sub_group_shuffle(T, uint);               \
	PMPP_SUB T sub_group_shuffle_xor(T, uint);           \
	PMPP_SUB T sub_group_shuffle_up(T, uint);            \
	PMPP_SUB T sub_group_shuffle_down(T, uint);          \
	PMPP_SUB T sub_group_rotate(T, int);                 \
	PMPP_SUB T sub_group_clustered_rotate(T, int, uint); \
	PMPP_SUB T intel_sub_group_broadcast(T, uint);       \
	PMPP_SUB T intel_sub_group_shuffle(T, uint);         \
	PMPP_SUB T intel_sub_group_shuffle_xor(T, uint);     \
	PMPP_SUB T intel_sub_group_shuffle_up(T, T, uint);   \
	PMPP_SUB T intel_sub_group_shuffle_down(T, T, uint);

#define PMPP_SUB_FOLD(T, start, op)                             \
	PMPP_SUB T start##reduce_##op(T);                       \
	PMPP_SUB T start##scan_inclusive_##op(T);               \
	PMPP_SUB T start##scan_exclusive_##op(T);

#define PMPP_SUB_NON_UNIFORM(T, op)                             \
	PMPP_SUB_FOLD(T, sub_group_non_uniform_, op)            \
	PMPP_SUB T sub_group_clustered_reduce_##op(T, uint);

#define PMPP_SUB_SUMS(T)                                        \
	PMPP_SUB int sub_group_non_uniform_all_equal(T);        \
	PMPP_SUB_FOLD(T, sub_group_, add)                       \
	PMPP_SUB_FOLD(T, sub_group_, min)                       \
	PMPP_SUB_FOLD(T, sub_group_, max)                       \
	PMPP_SUB_FOLD(T, intel_sub_group_, add)                 \
	PMPP_SUB_FOLD(T, intel_sub_group_, min)                 \
	PMPP_SUB_FOLD(T, intel_sub_group_, max)                 \
	PMPP_SUB_NON_UNIFORM(T, add)                            \
	PMPP_SUB_NON_UNIFORM(T, mul)                            \
	PMPP_SUB_NON_UNIFORM(T, min)                            \
	PMPP_SUB_NON_UNIFORM(T, max)

#define PMPP_SUB_VECTORS(T)                                     \
	PMPP_SUB_MOVES(T)                                       \
	PMPP_SUB_MOVES(T##2)                                    \
	PMPP_SUB_MOVES(T##3)                                    \
	PMPP_SUB_MOVES(T##4)                                    \
	PMPP_SUB_MOVES(T##8)                                    \
	PMPP_SUB_MOVES(T##16)                                   \
	PMPP_SUB_SUMS(T)

#define PMPP_SUB_INTEGERS(T)                                    \
	PMPP_SUB_VECTORS(T)                                     \
	PMPP_SUB_NON_UNIFORM(T, and)                            \
	PMPP_SUB_NON_UNIFORM(T, or)                             \
	PMPP_SUB_NON_UNIFORM(T, xor)

PMPP_SUB_INTEGERS(char)
PMPP_SUB_INTEGERS(uchar)
PMPP_SUB_INTEGERS(short)
PMPP_SUB_INTEGERS(ushort)
PMPP_SUB_INTEGERS(int)
PMPP_SUB_INTEGERS(uint)
PMPP_SUB_INTEGERS(long)
PMPP_SUB_INTEGERS(ulong)
PMPP_SUB_VECTORS(float)
PMPP_SUB_VECTORS(double)
PMPP_SUB_VECTORS(half)
PMPP_SUB_NON_UNIFORM(int, logical_and)
PMPP_SUB_NON_UNIFORM(int, logical_or)
PMPP_SUB_NON_UNIFORM(int, logical_xor)

/* ---- Intel's block reads and writes ---------------------------------------------------------- */

#define PMPP_SUB_BLOCK(S, suffix, T, V, n)                             \
	PMPP_SUB V intel_sub_group_block_read##suffix##n(const S T *); \
	PMPP_SUB void intel_sub_group_block_write##suffix##n(S T *, V);
#define PMPP_SUB_BLOCK_SIZES(S, suffix, T)    \
	PMPP_SUB_BLOCK(S, suffix, T, T, )     \
	PMPP_SUB_BLOCK(S, suffix, T, T##2, 2) \
	PMPP_SUB_BLOCK(S, suffix, T, T##4, 4) PMPP_SUB_BLOCK(S, suffix, T, T##8, 8)
#define PMPP_SUB_BLOCKS(suffix, T) \
	PMPP_SUB_BLOCK_SIZES(__global, suffix, T) PMPP_SUB_BLOCK_SIZES(__local, suffix, T)
PMPP_SUB_BLOCKS(, uint)
PMPP_SUB_BLOCKS(_ui, uint)
PMPP_SUB_BLOCKS(_us, ushort)
PMPP_SUB_BLOCKS(_uc, uchar)
PMPP_SUB_BLOCKS(_ul, ulong)
