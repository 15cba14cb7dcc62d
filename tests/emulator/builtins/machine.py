"""Runs OpenCL C text for test_builtins.py: on the host with the emulator's built-ins, and on PoCL."""

import ctypes
import glob
import os
import re
import subprocess

TYPES = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
         "half")
HOST_FLAGS = [
    "-march=native", "-fPIC", "-gline-tables-only", "-ffp-contract=off", "-fno-strict-aliasing"
]
HERE = os.path.dirname(os.path.abspath(__file__))


def needs(ir):
    """The text of needs.h, as builtins.cl describes it."""
    lines, has = set(), set()
    for mangled in re.findall(r"^declare .*?@(_Z\w+)\(", ir, re.M):
        length = re.match(r"_Z(\d+)", mangled)[1]
        start = 2 + len(length)
        name, rest = mangled[start:start + int(length)], mangled[start + int(length):]
        found = re.fullmatch(r"convert_([a-z]+?)(\d*)(_sat)?(?:_(rt[ezpn]))?", name)
        if found and found[1] in TYPES:
            lines.add(f"PMPP_CONVERT({name}, {found[1]}{found[2]}, {found[1]}, {found[2] or 1}, "
                      f"{int(bool(found[3]))}, {found[4] or 'default'})")
        else:
            lines.add("#define NEED_" + name)
        for vector, other, word, code in re.findall(r"Dv(\d+)_|(S\w?_|[PKV])|U?(\d+)|(Dh|\w)",
                                                    words_removed(rest)):
            if vector:
                has.add("v" + vector)
            elif code:
                has.add(code)
    return "".join(line + "\n" for line in [
        "#define PMPP_ONLY", "#define PMPP_HALF_CALLS", *(f"#define PMPP_HAS_{code}" for code in sorted(has)), *sorted(lines)
    ])


def words_removed(text):
    """Removes the names with a length: U8CLglobal, U7_Atomic, 12memory_order, 9ocl_event."""
    result, at = "", 0
    while at < len(text):
        vector = re.match(r"Dv\d+_", text[at:])
        word = re.match(r"U?(\d+)", text[at:])
        if vector:
            result += vector[0]
            at += vector.end()
        elif word:
            at += word.end() + int(word[1])
        else:
            result += text[at]
            at += 1
    return result


class Host:
    """clang with the runtime files of the emulator and of its OpenCL front end, in a folder of its own."""

    def __init__(self, clang, root, folder, traced=False):
        self.clang, self.root, self.folder, self.traced = clang, root, folder, traced
        self.number = 0
        for path in (glob.glob(os.path.join(root, "host/gpu/emu/runtime/*.[ch]*")) +
                     glob.glob(os.path.join(root, "host/gpu/opencl_emu/runtime/*.[ch]*"))):
            target = os.path.join(folder, os.path.basename(path))
            if not os.path.exists(target):
                os.symlink(path, target)

    def command(self, *words):
        done = subprocess.run([self.clang, *words], cwd=self.folder, text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}:\n{done.stderr[:4000]}")

    def read(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def build(self, text, version="CL1.2"):
        self.number += 1
        base = f"k{self.number}{'t' if self.traced else ''}"
        lanes = ["-include", "pmpp_subgroups.h"] if "sub_group" in text else []
        # Optimised, some calls of printf() would be others.
        prints = ["-Xclang", "-disable-llvm-passes"] if "printf" in text else []
        self.write(base + ".cl", text)
        self.command(*HOST_FLAGS, *lanes, *prints, "-x", "cl", "-cl-std=" + version, "-O1", "-S",
                     "-emit-llvm", "-fno-optimize-sibling-calls", "-Wno-everything", base + ".cl",
                     "-o", base + ".ll")
        ir = self.read(base + ".ll").replace("@printf(", "@pmpp_emu_printf(")
        self.write(base + ".ll", ir)
        self.write("needs.h", needs(ir))
        self.command(*HOST_FLAGS, "-x", "cl", "-cl-std=CL2.0", "-O1", "-fwrapv", "-I.",
                     "-Wno-everything", *(["-DPMPP_EMU_TRACED"] if self.traced else []), "-c",
                     "builtins.cl", "-o", base + ".o")
        if prints:
            self.command(*HOST_FLAGS, "-O1", "-c", "builtins_print.c", "-o", "print.o")
        # stub.c without -march: clang 14 keeps values in xmm16 during calls of __tls_get_addr(),
        # which changes it.
        self.command("-fPIC", "-shared", "-Wno-everything", "-Wl,-Bsymbolic", "-Wl,-z,defs",
                     "-I.", base + ".ll", base + ".o", *(["print.o"] if prints else []), "-x", "c",
                     "-O1", os.path.join(HERE, "stub.c"), "-o", base + ".so", "-lm", "-lpthread")
        return Program(os.path.join(self.folder, base + ".so"))


class Program:

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def run(self, kernel, arrays, groups, size=1, threads=False):
        """arrays: up to three bytearrays, which the kernel reads and writes. Its pointers are multiples of 128."""
        rooms = [ctypes.create_string_buffer(len(array) + 128) for array in arrays]
        starts = [(ctypes.addressof(room) + 127) // 128 * 128 for room in rooms]
        for start, array in zip(starts, arrays):
            ctypes.memmove(start, bytes(array), len(array))
        pointers = (ctypes.c_void_p * 3)(*starts)
        self.library.pmpp_run(ctypes.cast(getattr(self.library, kernel), ctypes.c_void_p), pointers,
                              ctypes.c_ulong(groups), ctypes.c_ulong(size), int(threads))
        for start, array in zip(starts, arrays):
            array[:] = ctypes.string_at(start, len(array))

    def accesses(self):
        text = ctypes.c_char_p(ctypes.addressof(ctypes.c_char.in_dll(self.library,
                                                                     "pmpp_accesses"))).value
        return [tuple(map(int, line.split())) for line in text.decode().splitlines()]


class Pocl:
    """The first CPU of OpenCL; `usable` is false if there is none."""

    def __init__(self):
        self.usable = False
        try:
            self.cl = ctypes.CDLL("libOpenCL.so.1")
        except OSError:
            return
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource",
                     "clCreateKernel", "clCreateBuffer"):
            getattr(self.cl, name).restype = ctypes.c_void_p
        platforms, count = (ctypes.c_void_p * 8)(), ctypes.c_uint(0)
        self.cl.clGetPlatformIDs(8, platforms, ctypes.byref(count))
        self.device = ctypes.c_void_p()
        for platform in platforms[:min(count.value, 8)]:
            if (self.cl.clGetDeviceIDs(ctypes.c_void_p(platform), ctypes.c_ulong(2), 1,
                                       ctypes.byref(self.device), None) == 0):
                self.usable = True
                break
        if self.usable:
            error = ctypes.c_int()
            self.context = ctypes.c_void_p(
                self.cl.clCreateContext(None, 1, ctypes.byref(self.device), None, None,
                                        ctypes.byref(error)))
            self.queue = ctypes.c_void_p(
                self.cl.clCreateCommandQueue(self.context, self.device, ctypes.c_ulong(0),
                                             ctypes.byref(error)))

    def run(self, text, kernel, arrays, groups, size=1):
        cl, error = self.cl, ctypes.c_int()
        source = ctypes.c_char_p(text.encode())
        program = ctypes.c_void_p(
            cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(source), None,
                                         ctypes.byref(error)))
        if cl.clBuildProgram(program, 0, None, b"-cl-std=CL1.2", None, None):
            log = ctypes.create_string_buffer(4000)
            cl.clGetProgramBuildInfo(program, self.device, 0x1183, ctypes.c_size_t(4000), log, None)
            raise RuntimeError("PoCL: " + log.value.decode(errors="replace"))
        handle = ctypes.c_void_p(cl.clCreateKernel(program, kernel.encode(), ctypes.byref(error)))
        buffers = []
        for number, array in enumerate(arrays):
            view = (ctypes.c_char * len(array)).from_buffer(array)
            buffer = ctypes.c_void_p(
                cl.clCreateBuffer(self.context, ctypes.c_ulong(1 | 32), ctypes.c_size_t(len(array)),
                                  view, ctypes.byref(error)))
            cl.clSetKernelArg(handle, number, ctypes.c_size_t(8), ctypes.byref(buffer))
            buffers.append((buffer, view))
        total, local = ctypes.c_size_t(groups * size), ctypes.c_size_t(size)
        failed = cl.clEnqueueNDRangeKernel(self.queue, handle, 1, None, ctypes.byref(total),
                                           ctypes.byref(local), 0, None, None)
        for buffer, view in buffers:
            failed |= cl.clEnqueueReadBuffer(self.queue, buffer, 1, ctypes.c_size_t(0),
                                             ctypes.c_size_t(len(view)), view, 0, None, None)
            cl.clReleaseMemObject(buffer)
        cl.clReleaseKernel(handle)
        cl.clReleaseProgram(program)
        if failed:
            raise RuntimeError(f"PoCL: launch failed: {failed}")
