#include "host/io/code_digest.h"

#include "common/words.h"

#include <ctype.h>
#include <sha256.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

struct code {
	char *text;
	size_t used;
	bool in_directive;
};

/* Returns the end of the white space and comments at text. *ret_lines: an end of a line is in it. A
 * backslash at the end of a line continues the line, also within a line comment. */
static const char *skip_space(const char *text, bool *ret_lines)
{
	for (;;) {
		if (strncmp(text, "\\\n", 2) == 0) {
			text += 2;
		} else if (isspace((unsigned char)*text)) {
			*ret_lines |= *text++ == '\n';
		} else if (strncmp(text, "//", 2) == 0) {
			while (*text && *text != '\n')
				text += strncmp(text, "\\\n", 2) == 0 ? 2 : 1;
		} else if (strncmp(text, "/*", 2) == 0) {
			text = skip_other(text);
		} else {
			return text;
		}
	}
}

static void put(struct code *code, const char *text, size_t length)
{
	memcpy(code->text + code->used, text, length);
	code->used += length;
}

/* Puts one character in the place of white space that ends at next. */
static void put_space(struct code *code, const char *next, bool lines)
{
	bool ends_line = lines && (code->in_directive || *next == '#');

	if (code->used && *next)
		put(code, ends_line ? "\n" : " ", 1);
	if (lines)
		code->in_directive = *next == '#';
}

bool code_digest(const char *text, char ret_digest[CODE_DIGEST_BYTES])
{
	struct code code = {.text = malloc(strlen(text) + 1)};
	bool lines = true; /* the text begins with a line */

	if (!code.text)
		return false;
	while (*text) {
		const char *next = skip_space(text, &lines);
		if (next > text || lines)
			put_space(&code, next, lines);
		text = next;
		next = *text == '"' || *text == '\'' ? skip_other(text) : text + (*text != '\0');
		put(&code, text, (size_t)(next - text));
		text = next;
		lines = false;
	}
	SHA256Data((const uint8_t *)code.text, code.used, ret_digest);
	free(code.text);
	return true;
}

/* ---- Bytes --------------------------------------------------------------------------------- */

#ifdef __x86_64__

static bool has_sha(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA;
}

static const uint32_t round_constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* The 64 rounds of one block, four at a time. The instructions hold the words of the state as ABEF and CDGH. */
__attribute__((target("sha,sse4.1"))) static void hash_block(__m128i state[2], const uint8_t *block)
{
	const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i abef = state[0], cdgh = state[1], words[4];

	for (int i = 0; i < 4; i++)
		words[i] = _mm_shuffle_epi8(
			_mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i)),
			big_endian);
#pragma GCC unroll 16
	for (int i = 0; i < 16; i++) {
		const __m128i last = words[(i + 3) % 4];
		__m128i sum = _mm_add_epi32(words[i % 4],
			_mm_loadu_si128((const __m128i *)(const void *)(round_constants + 4 * i)));

		cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
		abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
		sum = _mm_add_epi32(_mm_sha256msg1_epu32(words[i % 4], words[(i + 1) % 4]),
			_mm_alignr_epi8(last, words[(i + 2) % 4], 4));
		words[i % 4] = _mm_sha256msg2_epu32(sum, last);
	}
	state[0] = _mm_add_epi32(state[0], abef);
	state[1] = _mm_add_epi32(state[1], cdgh);
}

/* Hashes whole blocks at the beginning of a hash. Returns the number of their bytes. */
__attribute__((target("sha,sse4.1"))) static size_t hash_blocks(
	SHA2_CTX *hash, const uint8_t *bytes, size_t count)
{
	size_t whole = count - count % SHA256_BLOCK_LENGTH;
	__m128i *words = (__m128i *)(void *)hash->state.st32;
	__m128i low = _mm_shuffle_epi32(_mm_loadu_si128(&words[0]), 0xb1);
	__m128i high = _mm_shuffle_epi32(_mm_loadu_si128(&words[1]), 0x1b);
	__m128i state[2] = {_mm_alignr_epi8(low, high, 8), _mm_blend_epi16(high, low, 0xf0)};

	for (size_t i = 0; i < whole; i += SHA256_BLOCK_LENGTH)
		hash_block(state, bytes + i);
	low = _mm_shuffle_epi32(state[0], 0x1b);
	high = _mm_shuffle_epi32(state[1], 0xb1);
	_mm_storeu_si128(&words[0], _mm_blend_epi16(low, high, 0xf0));
	_mm_storeu_si128(&words[1], _mm_alignr_epi8(high, low, 8));
	hash->bitcount[0] = (uint64_t)whole * 8;
	return whole;
}

#endif

void bytes_digest(const uint8_t *bytes, size_t count, uint8_t ret_digest[BYTES_DIGEST_BYTES])
{
	SHA2_CTX hash;
	size_t done = 0;

	SHA256Init(&hash);
#ifdef __x86_64__
	if (has_sha())
		done = hash_blocks(&hash, bytes, count);
#endif
	SHA256Update(&hash, bytes + done, count - done);
	SHA256Final(ret_digest, &hash);
}
