// Layer norm of each row: (x - mean) / sqrt(variance + epsilon) * gain + bias.
//pmpp: sizes = rows, columns
//pmpp: scalars = epsilon = 1e-5
//pmpp: in  = x[rows][columns] f32
//pmpp: in  = gain[columns] f32
//pmpp: in  = bias[columns] f32
//pmpp: out = y[rows][columns] f32
//pmpp: check = 1x1, 3x37, 7x256, 33x1000
//pmpp: default = 4096x1024
//pmpp: tolerance = 1e-3

void reference(int rows, int columns, real epsilon, const real x[rows][columns], const real *gain,
	const real *bias, real y[rows][columns])
{
	for (int i = 0; i < rows; i++) {
		real mean = 0, variance = 0;

		for (int j = 0; j < columns; j++)
			mean += x[i][j] / columns;
		for (int j = 0; j < columns; j++)
			variance += (x[i][j] - mean) * (x[i][j] - mean) / columns;
		for (int j = 0; j < columns; j++)
			y[i][j] = (x[i][j] - mean) / sqrt(variance + epsilon) * gain[j] + bias[j];
	}
}
