"""Kernels of vecadd/fine with one defect each, for the checkers of OpenCL kernels: the emulator and
Oclgrind. The lines of a defect have the mark `/*@*/`."""

HEAD = """__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void vecadd_fine(
	__global const float *restrict A, __global const float *restrict B, __global float *restrict C,
	ulong n)
{
	__local float cells[BLOCK];
	__local float others[BLOCK];
	ulong i = (ulong)get_group_id(0) * BLOCK + get_local_id(0);
	int t = (int)get_local_id(0);
	float a = i < n ? A[i] : 0.0f;
	float b = i < n ? B[i] : 0.0f;

"""
TAIL = """
	if (i < n)
		C[i] = a + b;
}
"""

# Each work-item passes its element to itself through a neighbour.
PASS = """	cells[t] = a;
	barrier(CLK_LOCAL_MEM_FENCE);
	others[BLOCK - 1 - t] = cells[BLOCK - 1 - t];
	barrier(CLK_LOCAL_MEM_FENCE);
	a = others[t];
"""

BODIES = {
    "nothing": PASS,
    "load past the end of an operand": "	b += 0.0f * A[i + 300]; /*@*/\n",
    "store past the end of an operand": "	C[i + 300] = 1.0f; /*@*/\n",
    "load past the end of all local memory": PASS + "	b += 0.0f * others[t + 2 * BLOCK]; /*@*/\n",
    "index past the end of a local array, in another array":
        "	cells[t] = others[t] = 1.0f;\n	barrier(CLK_LOCAL_MEM_FENCE);\n"
        "	b += 0.0f * cells[t + (n > 0 ? BLOCK : 0)]; /*@*/\n",
    "index past the end of a private array":
        "	volatile float own[4];\n	own[0] = own[1] = own[2] = own[3] = 0.0f;\n"
        "	b += 0.0f * own[n > 0 ? 4 + t % 2 : 0]; /*@*/\n",
    "load past the end of a `__constant` table":
        "	__constant float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};\n	b += 0.0f * table[t % 4 + (n > 0)]; /*@*/\n",
    "missing barrier":
        "	cells[t] = a; /*@*/\n	a = cells[t ^ 1]; /*@*/\n",
    "barrier with the flag of the other memory":
        "	cells[t] = a; /*@*/\n	barrier(CLK_GLOBAL_MEM_FENCE);\n"
        "	others[t] = cells[t ^ 1]; /*@*/\n	barrier(CLK_LOCAL_MEM_FENCE);\n	a = others[t ^ 1];\n",
    "barrier under a branch":
        "	if (a > b)\n		barrier(CLK_LOCAL_MEM_FENCE); /*@*/\n",
    "barrier after some work-items returned":
        "	if (t == 3)\n		return;\n	barrier(CLK_LOCAL_MEM_FENCE); /*@*/\n",
    "uninitialised local memory":
        "	if (t != 9)\n		cells[t] = a;\n	barrier(CLK_LOCAL_MEM_FENCE);\n"
        "	a = cells[t]; /*@*/\n",
    "uninitialised private variable":
        "	float sum;\n	if (a > b)\n		sum = 0.0f;\n	a += sum; /*@*/\n",
    "uninitialised private array":
        "	float own[4];\n	own[t % 3] = 0.0f;\n	a += own[(t + (int)(n % 2)) % 4 == 3 ? 3 : t % 3]; /*@*/\n",
    "race between two blocks":
        "	C[t] = a + (float)get_group_id(0); /*@*/\n",
    "two work-items write one element":
        "	if (i < n)\n		C[i / 2] = a; /*@*/\n",
    "all work-items write one value": "	cells[0] = 1.0f;\n",
    "division by zero": "	b += (float)((t + 9) / (int)(n - 300)) * 0.0f; /*@*/\n",
    "endless loop":
        "	while (t == 7 && C != 0) /*@*/\n		mem_fence(CLK_GLOBAL_MEM_FENCE); /*@*/\n",
    "copy without a wait":
        "	event_t copy = async_work_group_copy(cells, A, BLOCK, 0); /*@*/\n"
        "	a += 0.0f * cells[t]; /*@*/\n	wait_group_events(1, &copy);\n",
    "misaligned vector load": "	b += 0.0f * ((__global const float4 *)(A + 1))[t % 4].x; /*@*/\n",
    "write to constant data": "	((__global float *)A)[0] = 1.0f; /*@*/\n",
    "sub-group operation in a branch":
        "	if (t % 2)\n		b += 0.0f * sub_group_reduce_add(a); /*@*/\n",
}


# These have no defect.
RIGHT = ["nothing", "all work-items write one value"]


def text_of(name):
    return HEAD + BODIES[name] + TAIL


def lines_of(name):
    """The numbers of the lines with the mark."""
    return [k + 1 for k, line in enumerate(text_of(name).split("\n")) if "/*@*/" in line]


def store_line(name):
    """The number of the last line that stores the result."""
    return max(k + 1 for k, line in enumerate(text_of(name).split("\n")) if line.startswith("\t\tC[i] ="))
