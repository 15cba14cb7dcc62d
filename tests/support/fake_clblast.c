/*
 * Replaces CLBlast: a product returns the code FAKE_CLBLAST_CODE. tests/cli/test_peers.py compiles this
 * file as libclblast.so.1.
 */
#include <stdlib.h>

/* The caller passes arguments, which are not used. */
int CLBlastSgemm(void);
int CLBlastClearCache(void);

int CLBlastSgemm(void)
{
	return atoi(getenv("FAKE_CLBLAST_CODE"));
}

int CLBlastClearCache(void)
{
	return 0;
}
