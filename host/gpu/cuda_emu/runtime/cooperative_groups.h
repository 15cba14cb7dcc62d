/*
 * Cooperative groups: the block, tiles of a warp, coalesced threads, and reduce(), scans and copies. Grids and clusters
 * that synchronise are not emulated. The line of an operation is the line of its call.
 */
#pragma once
#include "cuda_pipeline.h"

namespace cooperative_groups {

static inline unsigned pmpp_emu_rank()
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

struct thread_block {
	void sync(int line = __builtin_LINE()) const { pmpp_emu_state.ops.barrier(line, 0, 0); }
	static unsigned thread_rank() { return pmpp_emu_rank(); }
	static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
	static unsigned num_threads() { return size(); }
	static dim3 group_index() { return dim3(blockIdx); }
	static dim3 thread_index() { return dim3(threadIdx); }
	static dim3 group_dim() { return blockDim; }
	static dim3 dim_threads() { return blockDim; }
};
static inline thread_block this_thread_block() { return thread_block(); }

struct grid_group {
	static unsigned long long block_rank()
	{
		return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
	}
	static unsigned long long thread_rank() { return block_rank() * thread_block::size() + pmpp_emu_rank(); }
	static unsigned long long size()
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
	}
	static unsigned long long num_threads() { return size(); }
	static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
	static dim3 group_dim() { return gridDim; }
	static dim3 dim_blocks() { return gridDim; }
	static dim3 block_index() { return dim3(blockIdx); }
};
static inline grid_group this_grid() { return grid_group(); }

/* Threads of one warp: the `count` lanes of the mask. */
struct pmpp_emu_group {
	unsigned mask, count;

	unsigned thread_rank() const
	{
		return (unsigned)__builtin_popcount(mask & ((1u << pmpp_emu_state.lane) - 1));
	}
	unsigned size() const { return count; }
	unsigned num_threads() const { return count; }
	void sync(int line = __builtin_LINE()) const { pmpp_emu_syncwarp(line, mask); }
	/* The lane of a rank; outside the group: the lane of the calling thread. */
	PMPP_EMU_UNSEEN int lane_of(unsigned rank) const
	{
		unsigned rest = mask;
		for (; rank > 0 && rest; rank--)
			rest &= rest - 1;
		return rest ? __builtin_ctz(rest) : (int)pmpp_emu_state.lane;
	}
	template <class T> T shfl(T value, int rank, int line = __builtin_LINE()) const
	{
		return pmpp_emu_shuffle(line, mask, value, lane_of((unsigned)rank % count), true);
	}
	template <class T> T shfl_up(T value, unsigned delta, int line = __builtin_LINE()) const
	{
		unsigned rank = thread_rank();
		return pmpp_emu_shuffle(line, mask, value, lane_of(rank - delta), rank >= delta);
	}
	template <class T> T shfl_down(T value, unsigned delta, int line = __builtin_LINE()) const
	{
		unsigned rank = thread_rank() + delta;
		return pmpp_emu_shuffle(line, mask, value, lane_of(rank), rank < count);
	}
	template <class T> T shfl_xor(T value, unsigned lanes, int line = __builtin_LINE()) const
	{
		unsigned rank = thread_rank() ^ lanes;
		return pmpp_emu_shuffle(line, mask, value, lane_of(rank), rank < count);
	}
	/* Bit i is the thread of rank i. */
	PMPP_EMU_UNSEEN unsigned packed(unsigned lanes) const
	{
		unsigned ranks = 0, rank = 0;
		for (unsigned rest = mask; rest; rest &= rest - 1, rank++)
			ranks |= (lanes >> __builtin_ctz(rest) & 1u) << rank;
		return ranks;
	}
	unsigned ballot(int predicate, int line = __builtin_LINE()) const
	{
		return packed(pmpp_emu_ballot(line, mask, predicate));
	}
	int any(int predicate, int line = __builtin_LINE()) const { return pmpp_emu_ballot(line, mask, predicate) != 0; }
	int all(int predicate, int line = __builtin_LINE()) const { return pmpp_emu_ballot(line, mask, !predicate) == 0; }
	template <class T> unsigned match_any(T value, int line = __builtin_LINE()) const
	{
		return packed(pmpp_emu_match(line, mask, value));
	}
	template <class T> unsigned match_all(T value, int &equal, int line = __builtin_LINE()) const
	{
		return packed(pmpp_emu_match_all(line, mask, value, &equal));
	}
};

template <unsigned Size, class Parent = void> struct thread_block_tile : pmpp_emu_group {
	static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "the size of a tile must be a power of two, at most 32");
	unsigned number, tiles; /* of the parent group */

	/* rank: of the thread in the parent group. size_: of the parent group */
	thread_block_tile(unsigned rank, unsigned size_) : number(rank / Size), tiles((size_ + Size - 1) / Size)
	{
		unsigned first = pmpp_emu_state.lane & ~(Size - 1);
		count = Size;
		mask = (Size == 32 ? ~0u : (1u << (Size & 31)) - 1) << first;
	}
	template <class Other> thread_block_tile(const thread_block_tile<Size, Other> &tile)
	    : pmpp_emu_group(tile), number(tile.number), tiles(tile.tiles)
	{
	}
	unsigned meta_group_rank() const { return number; }
	unsigned meta_group_size() const { return tiles; }
	static constexpr unsigned size() { return Size; }
	static constexpr unsigned num_threads() { return Size; }
};
template <unsigned Size, class Group> static inline thread_block_tile<Size, Group> tiled_partition(const Group &parent)
{
	return thread_block_tile<Size, Group>(parent.thread_rank(), parent.size());
}

struct coalesced_group : pmpp_emu_group {
	explicit coalesced_group(unsigned lanes)
	{
		mask = lanes;
		count = (unsigned)__builtin_popcount(lanes);
	}
};
static inline coalesced_group coalesced_threads(int line = __builtin_LINE())
{
	return coalesced_group(pmpp_emu_active(line));
}

/* Any group: the block, or threads of a warp. */
struct thread_group : coalesced_group {
	bool is_block;

	thread_group(const thread_block &) : coalesced_group(0), is_block(true) {}
	thread_group(const pmpp_emu_group &group) : coalesced_group(group.mask), is_block(false) {}
	unsigned thread_rank() const { return is_block ? pmpp_emu_rank() : pmpp_emu_group::thread_rank(); }
	unsigned size() const { return is_block ? thread_block::size() : count; }
	unsigned num_threads() const { return size(); }
	void sync(int line = __builtin_LINE()) const
	{
		if (is_block)
			thread_block().sync(line);
		else
			pmpp_emu_group::sync(line);
	}
};
static inline thread_group tiled_partition(const thread_group &, unsigned size)
{
	unsigned first = pmpp_emu_state.lane & ~(size - 1);
	return coalesced_group((size == 32 ? ~0u : (1u << size) - 1) << first);
}

/* The threads of the group with the same value. */
template <class T>
static inline coalesced_group labeled_partition(const pmpp_emu_group &group, T label, int line = __builtin_LINE())
{
	return coalesced_group(pmpp_emu_match(line, group.mask, label));
}
static inline coalesced_group binary_partition(
	const pmpp_emu_group &group, bool predicate, int line = __builtin_LINE())
{
	return labeled_partition(group, predicate, line);
}

template <class Group> static inline void sync(const Group &group, int line = __builtin_LINE()) { group.sync(line); }

template <class Group, class F> static __forceinline__ void invoke_one(const Group &group, F f)
{
	if (group.thread_rank() == 0)
		f();
}

#define PMPP_EMU_FUNCTOR(name, expression)                                                         \
	template <class T> struct name {                                                           \
		T operator()(T a, T b) const { return expression; }                                \
	};
PMPP_EMU_FUNCTOR(plus, a + b)
PMPP_EMU_FUNCTOR(less, b < a ? b : a)
PMPP_EMU_FUNCTOR(greater, a < b ? b : a)
PMPP_EMU_FUNCTOR(bit_and, a &b)
PMPP_EMU_FUNCTOR(bit_or, a | b)
PMPP_EMU_FUNCTOR(bit_xor, a ^ b)

template <class Group, class T, class Operation>
PMPP_EMU_UNSEEN static T reduce(const Group &group, T value, Operation operation, int line = __builtin_LINE())
{
	pmpp_emu_lanes<T> lanes(line, group.mask, value);
	T total = lanes.of[__builtin_ctz(group.mask)];

	for (unsigned rest = group.mask & (group.mask - 1); rest; rest &= rest - 1)
		total = operation(total, lanes.of[__builtin_ctz(rest)]);
	return total;
}

/* Scans, over the threads of lower rank. */
template <class Group, class T, class Operation = plus<T>>
PMPP_EMU_UNSEEN static T inclusive_scan(
	const Group &group, T value, Operation operation = Operation(), int line = __builtin_LINE())
{
	pmpp_emu_lanes<T> lanes(line, group.mask, value);
	T total = lanes.of[__builtin_ctz(group.mask)];

	for (unsigned rest = group.mask & (group.mask - 1); rest && __builtin_ctz(rest) <= (int)pmpp_emu_state.lane;
		rest &= rest - 1)
		total = operation(total, lanes.of[__builtin_ctz(rest)]);
	return total;
}
template <class Group, class T, class Operation = plus<T>>
PMPP_EMU_UNSEEN static T exclusive_scan(
	const Group &group, T value, Operation operation = Operation(), int line = __builtin_LINE())
{
	T total = inclusive_scan(group, value, operation, line);
	T before = group.shfl_up(total, 1, line);
	return group.thread_rank() == 0 ? T() : before;
}

/* The threads of the group copy four bytes at a time. CUDA copies at once if the alignment is smaller. */
template <class Group, class T>
static __forceinline__ void memcpy_async(
	const Group &group, T *to, const T *from, size_t bytes, int line = __builtin_LINE())
{
	const unsigned rank = group.thread_rank(), size = group.size();

	if (((size_t)to | (size_t)from | bytes) % 4 == 0)
		for (size_t at = 4 * (size_t)rank; at < bytes; at += 4 * (size_t)size)
			pmpp_emu_copy(line, (char *)to + at, (const char *)from + at, 4);
	else
		for (size_t at = rank; at < bytes; at += size)
			((char *)to)[at] = ((const char *)from)[at];
	__pipeline_commit();
}
template <unsigned Stages, class Group>
static inline void wait_prior(const Group &group, int line = __builtin_LINE())
{
	__pipeline_wait_prior(Stages);
	group.sync(line);
}
template <class Group> static inline void wait(const Group &group, int line = __builtin_LINE())
{
	wait_prior<0>(group, line);
}

} // namespace cooperative_groups
