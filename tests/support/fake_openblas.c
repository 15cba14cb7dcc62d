/*
 * Replaces OpenBLAS: products of one thread. tests/cli/test_peers.py compiles this file as
 * libopenblas.so.0.
 *
 * Environment: FAKE_OPENBLAS_LOG: a file that gets a line for each product: "m n k".
 */
#include <stdio.h>
#include <stdlib.h>

void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
	const float *a, int a_pitch, const float *b, int b_pitch, float beta, float *c,
	int c_pitch);
char *openblas_get_corename(void);
char *openblas_get_config(void);
void openblas_set_num_threads(int count);
int openblas_get_num_threads(void);

void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
	const float *a, int a_pitch, const float *b, int b_pitch, float beta, float *c, int c_pitch)
{
	FILE *log = fopen(getenv("FAKE_OPENBLAS_LOG"), "a");

	(void)order, (void)transpose_a, (void)transpose_b, (void)alpha, (void)beta;
	if (log) {
		fprintf(log, "%d %d %d\n", m, n, k);
		fclose(log);
	}
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0.0f;

			for (int l = 0; l < k; l++)
				sum += a[(long)i * a_pitch + l] * b[(long)l * b_pitch + j];
			c[(long)i * c_pitch + j] = sum;
		}
}

char *openblas_get_corename(void)
{
	static char name[] = "SkylakeX";

	return name;
}

char *openblas_get_config(void)
{
	static char config[] = "OpenBLAS 9.9.9 FAKE";

	return config;
}

void openblas_set_num_threads(int count)
{
	(void)count;
}

int openblas_get_num_threads(void)
{
	return 1;
}
