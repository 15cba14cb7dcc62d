/* The record of an OpenCL object. This file has no code: it is linked first, and the kernel's code stays
 * the first code of the object. */
#include "pmpp_emu.h"

PMPP_EMU_DEFINE_OBJECT
