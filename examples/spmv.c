// y = A x, with the sparse matrix A by rows (CSR): row i has the elements row_start[i] to row_start[i + 1] - 1.
//pmpp: sizes = rows, columns, nonzeros
//pmpp: in  = row_start[rows + 1] i32 ascending to nonzeros
//pmpp: in  = column[nonzeros] i32 < columns
//pmpp: in  = value[nonzeros] f32
//pmpp: in  = x[columns] f32
//pmpp: out = y[rows] f32
//pmpp: check = 1x1x1, 37x41x5, 100x64x3000, 513x257x4097
//pmpp: default = 65536x65536x1048576

void reference(const int *row_start, const int *column, const real *value, const real *x, real *y,
	int rows)
{
	for (int i = 0; i < rows; i++) {
		real sum = 0;

		for (int k = row_start[i]; k < row_start[i + 1]; k++)
			sum += value[k] * x[column[k]];
		y[i] = sum;
	}
}
