/* Fibers that end, start again, or are left in the middle of a function. */
#include "host/gpu/emu/fiber.h"
#include "tests/support/test.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

static struct fiber main_fiber;
static struct fiber *other;

/* Adds 1 to its number at each switch. */
static void count(void *argument)
{
	for (int *number = argument;; fiber_switch(other, &main_fiber))
		++*number;
}

TEST(test_switch, "switches")
{
	int number = 0;

	other = NULL;
	for (int round = 0; round < 2; round++) {
		IS(fiber_start(&other, count, &number));
		for (int i = 1; i <= 3; i++) {
			fiber_switch(&main_fiber, other);
			EQUAL(number, 3 * round + i);
		}
	}
	fiber_destroy(other);
}

/* A function that does not return leaves the marks of AddressSanitizer, also in the guard. The next
 * owner of the memory, for example a thread's stack, would be reported. */
TEST(test_marks, "no marks of AddressSanitizer are left")
{
#if defined(__SANITIZE_ADDRESS__)
	int number = 0;
	other = NULL;
	IS(fiber_start(&other, count, &number));
	char *memory = other->memory;
	size_t bytes = other->bytes;
	__asan_poison_memory_region(memory, bytes);
	IS(fiber_start(&other, count, &number));
	NIL(__asan_region_is_poisoned(memory, bytes));
	__asan_poison_memory_region(memory, bytes);
	fiber_destroy(other);
	NIL(__asan_region_is_poisoned(memory, bytes));
#else
	test_skip("needs AddressSanitizer");
#endif
}
