/* What to change in a kernel, by the name of its mistake. */
#include "common/model/mistake.h"

#include <string.h>

const char *mistake_advice(const char *name)
{
	static const struct {
		const char *name, *advice;
	} rows[] = {
		{"endless loop", "change the loop's counter towards its bound in each trip"},
		{"unaligned vector access",
			"use vector accesses only if each row begins at a multiple of the vector's size"},
		{"int overflow of an index", "declare the variable as int or size_t"},
		{"barrier under a branch",
			"put the barrier after the branch, so that all threads of the block reach it"},
		{"wrong offset of a tile",
			"multiply the index of the block, or of the trip, by the width of the tile"},
		{"race on the output",
			"let one thread write each element, or use an atomic operation"},
		{"swapped sizes", "exchange the sizes or the indices of rows and columns"},
		{"transposed index", "exchange the indices of row and column in this line"},
		{"uninitialised sum",
			"set the variable or the shared element before the sum begins"},
		{"output added instead of set",
			"clear the output before the launch, or use = in place of +="},
		{"loop bound too long", "use < in place of <=, or a smaller bound"},
		{"shared array too small", "give the array an element for each index that is used"},
		{"index out of range", "compare the index with the sizes of this operand"},
		{"missing bounds test", "test each index against its size before this access"},
		{"warp-synchronous code without __syncwarp",
			"read into a variable, call __syncwarp(), write, and call __syncwarp() again"},
		{"missing barrier", "put a barrier of the block between the two accesses"},
		{"output never written", "store the result in the output for each valid index"},
		{"halo missing",
			"also load the neighbours on all sides of the tile, and use 0 outside the input"},
		{"block smaller than the tile", "make the block and the tile the same size"},
		{"wrong identity of max or min",
			"begin with the first element, or with the least value of the type for a maximum and "
			"the largest for a minimum"},
		{"store inside the loop", "add to a variable, and store it after the loop"},
		{"loop bound too short",
			"change the bounds of the loop to include the first and the last index"},
		{"grid too small", "round the number of blocks up: (n + block - 1) / block"},
		{"lost tail", "handle the elements after the last whole block or tile too"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows && name; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].advice;
	return "";
}
