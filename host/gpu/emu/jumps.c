/*
 * Basic blocks in the machine code of a kernel.
 *
 * A basic block ends at the head of the next one, whether that one is executed or not. Every head
 * begins with a call of the same function, so these calls are the heads.
 */
#include "host/gpu/emu/internal.h"

#include <string.h>

#if defined(__x86_64__)
#define CALL_BYTES 5
#else
#define CALL_BYTES 4
#endif

/* Returns the function that the call before `end` calls; NULL if there is no direct call. */
static const char *called_by(const char *end)
{
#if defined(__x86_64__)
	int32_t distance;

	if ((unsigned char)end[-CALL_BYTES] != 0xe8)
		return NULL;
	memcpy(&distance, end - 4, sizeof distance);
	return end + distance;
#elif defined(__aarch64__)
	uint32_t word;

	memcpy(&word, end - CALL_BYTES, sizeof word);
	if (word >> 26 != 0x25)
		return NULL;
	return end - CALL_BYTES + ((int64_t)(int32_t)(word << 6) >> 6) * 4;
#else
	(void)end;
	return NULL;
#endif
}

const char *emu_block_end(const struct emu_object *object, const char *pc)
{
	const char *limit = object->code_end;
	const char *hook = called_by(pc);

	for (const char *at = pc + CALL_BYTES; at < limit; at++)
		if (hook && called_by(at) == hook)
			return at - CALL_BYTES;
	return limit;
}

#define NEAR_HEAD 64 /* a jump to an address in these bytes before a head leads to the head */

#if defined(__x86_64__)
/* end: of the block with the jump. A jump to a head behind the following block does not lead into this
 * block. */
static bool leads_to(const char *target, const char *head, const char *end)
{
	const char *begin = head - CALL_BYTES;

	return target <= begin && begin - target <= NEAR_HEAD && (begin <= end || target > end);
}

/* Returns the last jump between pc and end that leads to the head; NULL: none. */
static const char *last_jump_to(const char *head, const char *pc, const char *end)
{
	for (const char *at = end - 2; at >= pc; at--) {
		int32_t distance;
		unsigned char first = (unsigned char)at[0];
		if (first >> 4 == 0x7 && leads_to(at + 2 + (signed char)at[1], head, end))
			return at;
		if (first != 0x0f || at + 6 > end || (unsigned char)at[1] >> 4 != 0x8)
			continue;
		memcpy(&distance, at + 2, sizeof distance);
		if (leads_to(at + 6 + distance, head, end))
			return at;
	}
	return NULL;
}
#endif

/* The compiler may place instructions of the next block after the jump, so the jump is found by its
 * target. Bytes of another instruction can look like a short jump to the following block, so jumps to
 * this block are searched last. */
const char *emu_jump_find(const struct emu_object *object, const char *pc, const char *const *heads,
	size_t head_count)
{
#if defined(__x86_64__)
	const char *end = emu_block_end(object, pc);
	const char *following = end + CALL_BYTES;
	const char *jump = NULL;
	bool is_way = false;

	for (size_t i = 0; i < head_count && !jump; i++) {
		is_way |= heads[i] == following;
		if (heads[i] && heads[i] != following)
			jump = last_jump_to(heads[i], pc, end);
	}
	return !jump && is_way ? last_jump_to(following, pc, end) : jump;
#else
	(void)object, (void)pc, (void)heads, (void)head_count;
	return NULL;
#endif
}

#if defined(__x86_64__)
static bool leads_to_head(const struct emu_object *object, const char *target, const char *hook)
{
	if (!hook || target < object->image_begin)
		return false;
	for (int i = 0; i <= NEAR_HEAD && target + i + CALL_BYTES <= object->code_end; i++)
		if (called_by(target + i + CALL_BYTES) == hook)
			return true;
	return false;
}
#endif

const char *emu_jump_last(const struct emu_object *object, const char *pc)
{
#if defined(__x86_64__)
	const char *end = emu_block_end(object, pc);
	const char *hook = called_by(pc);
	int32_t distance;

	if (end - pc >= 2 && (unsigned char)end[-2] >> 4 == 0x7 &&
		leads_to_head(object, end + (signed char)end[-1], hook))
		return end - 2;
	if (end - pc < 6 || (unsigned char)end[-6] != 0x0f || (unsigned char)end[-5] >> 4 != 0x8)
		return NULL;
	memcpy(&distance, end - 4, sizeof distance);
	return leads_to_head(object, end + distance, hook) ? end - 6 : NULL;
#else
	(void)object, (void)pc;
	return NULL;
#endif
}
