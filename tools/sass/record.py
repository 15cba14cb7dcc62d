"""Launches of pmpp-run, as a driver receives them, without a GPU.

tests/support/fake_cuda.c takes the place of the driver and writes a record. NVRTC compiles the
kernels for sm_90 as on a GPU, and nvdisasm disassembles them."""
import collections
import os
import re
import shutil
import struct
import subprocess

from sass.memory import SHARED_BYTES, SHARED_BASE, Bytes, Memory
from sass.warp import LINE_BYTES, Instruction, Warp

PARAMETERS = 0x210        # of a kernel in constant bank 0
PARAMETER_INFO = 0x0417   # the format with a size, and the attribute of a parameter
RECORDED_ARGUMENT = 8     # as in fake_cuda.c
NO_BITS = 8               # type of a section without bytes in the file
UNITS = 132               # multiprocessors, as in the trace (common/model/shape.c)


class Failure(Exception):
    """Launches that cannot be recorded or executed."""


# ---- The record -----------------------------------------------------------------------------

def make_driver(source, folder):
    """Compiles the driver that records. Returns its folder."""
    os.makedirs(folder, exist_ok=True)
    library = os.path.join(folder, "libcuda.so.1")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        raise Failure("no C compiler for the driver that records launches")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-w", "-I", source,
                    os.path.join(source, "tests", "support", "fake_cuda.c"), "-o", library],
                   check=True)
    return folder


def make_record(command, driver, path):
    """Runs a command of pmpp-run with the driver that records."""
    if os.path.exists(path):
        os.remove(path)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300,
                   check=False, env=dict(os.environ, LD_LIBRARY_PATH=driver,
                                         FAKE_CUDA_UNITS=str(UNITS),
                                         FAKE_CUDA_RECORD=os.path.abspath(path)))
    if not os.path.exists(path):
        raise Failure("no launch was recorded")


def entries(path):
    """(words, bytes) of each entry."""
    with open(path, "rb") as file:
        while True:
            words = file.readline().decode().split()
            if not words:
                return
            yield words[:-1], file.read(int(words[-1]))


# ---- Machine code ---------------------------------------------------------------------------

def sections(image):
    """{name: bytes} of an ELF file."""
    offset, = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3a)
    heads = [struct.unpack_from("<IIQQQQ", image, offset + i * size) for i in range(count)]
    start = heads[names][4]
    result = {}
    for name, kind, _, _, at, length in heads:
        end = image.index(b"\0", start + name)
        result[image[start + name:end].decode()] = b"" if kind == NO_BITS else \
            image[at:at + length]
    return result


def parameters(info):
    """[(offset, size)] of the parameters of a kernel, from its section .nv.info."""
    found, at = {}, 0
    while at + 4 <= len(info):
        kind, = struct.unpack_from(">H", info, at)
        size, = struct.unpack_from("<H", info, at + 2)
        if kind == PARAMETER_INFO:
            _, number, offset, bits = struct.unpack_from("<IHHI", info, at + 4)
            found[number] = (offset, bits >> 18)
        at += 4 + (size if kind >> 8 == 4 else 0)
    return [found[number] for number in sorted(found)]


def parse(text, kernel):
    """The instructions of a kernel in the output of nvdisasm -c."""
    lines, labels, inside = [], {}, False
    for line in text.splitlines():
        if line.startswith(".text."):
            inside = line.strip() == ".text.%s:" % kernel
            continue
        label = re.match(r"\s*([.$\w]+):$", line)
        if inside and label:
            labels[label.group(1)] = len(lines)
        found = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@(!?U?P\w+)\s+)?([\w.]+)\s*(.*?)\s*;", line)
        if inside and found:
            lines.append(found.groups())
    code = []
    for guard, opcode, rest in lines:
        rest = re.sub(r"\(\*.*?\*\)", "", rest)
        operands = [x.strip() for x in rest.split(",")] if rest.strip() else []
        last = re.search(r"`\((\S+)\)", rest)
        target = labels.get(last.group(1)) if last else None
        low = re.match(r"32@lo\((.*)\)$", operands[-1]) if operands else None
        if low:
            name = re.search(r"[.$\w]+", low.group(1)).group(0)
            extra = re.search(r"\+\s*([.$\w]+)", low.group(1))
            operands[-1] = str(LINE_BYTES * labels.get(extra.group(1) if extra else name, 0))
        elif operands and operands[-1].startswith("32@hi"):
            operands[-1] = "0"
        code.append(Instruction(guard, opcode, operands, target))
    return code


class Kernel:
    """The machine code of a kernel."""

    def __init__(self, image, name, disassembler):
        parts = sections(image)
        path = disassembler.path(image)
        self.code = parse(disassembler.text(path), name)
        if not self.code:
            raise Failure("no code of %s" % name)
        self.parameters = parameters(parts.get(".nv.info." + name, b""))
        self.banks = {int(bank): parts[section] for section in parts
                      for bank in re.findall(r"^\.nv\.constant(\d)(?:\.%s)?$" % re.escape(name),
                                             section) if bank != "0"}


class Disassembler:
    """nvdisasm, with a file for each program."""

    def __init__(self, program, folder):
        self.program, self.folder, self.texts, self.images = program, folder, {}, {}

    def path(self, image):
        if image not in self.images:
            path = os.path.join(self.folder, "%d.cubin" % len(self.images))
            with open(path, "wb") as file:
                file.write(image)
            self.images[image] = path
        return self.images[image]

    def text(self, path):
        if path not in self.texts:
            result = subprocess.run([self.program, "-c", path], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, check=False)
            if result.returncode:
                raise Failure("nvdisasm: %s" % result.stdout.strip()[:200])
            self.texts[path] = result.stdout
        return self.texts[path]


# ---- Launches -------------------------------------------------------------------------------

class Block:
    """A block of threads."""

    def __init__(self, launch, index):
        self.launch, self.index, self.steps = launch, index, 0
        x, y, z = launch.block
        self.threads = x * y * z
        self.shared = Bytes(0, SHARED_BASE + SHARED_BYTES)
        self.warps = [Warp(self, n) for n in range((self.threads + 31) // 32)]

    def run(self):
        while any(warp.parts for warp in self.warps):
            before = self.steps
            for warp in self.warps:
                warp.run()
            parts = [part for warp in self.warps for part in warp.parts]
            if all(part.waits == "block" for part in parts):
                for part in parts:
                    part.waits = None
            elif self.steps == before:
                raise Failure("lanes wait for each other")


class Launch:
    """One launch, and its counts."""

    def __init__(self, kernel, words, arguments, memory):
        self.kernel, self.memory = kernel, memory
        self.name = words[0]
        self.grid = [int(w) for w in words[1:4]]
        self.block = [int(w) for w in words[4:7]]
        self.counts = collections.Counter()
        bank = bytearray(PARAMETERS + 4096)
        struct.pack_into("<6I", bank, 0, *self.block, *self.grid)
        for number, (offset, size) in enumerate(kernel.parameters):
            value = arguments[RECORDED_ARGUMENT * number:][:RECORDED_ARGUMENT]
            bank[PARAMETERS + offset:PARAMETERS + offset + min(size, RECORDED_ARGUMENT)] = \
                value[:size]
        self.banks = {0: bytes(bank)}
        self.banks.update(kernel.banks)

    def constant(self, bank, address):
        data = self.banks.get(bank, b"")
        if address + 4 > len(data):
            raise Failure("constant bank %d has no word at %#x" % (bank, address))
        return int.from_bytes(data[address:address + 4], "little")

    def run(self):
        x, y, z = self.grid
        for number in range(x * y * z):
            Block(self, (number % x, number // x % y, number // (x * y))).run()
        return dict(self.counts)


def launches(path, disassembler, limit):
    """Executes the first `limit` launches of a record. Yields them."""
    memory, images, kernels, count = Memory(), {}, {}, 0
    for words, data in entries(path):
        if words[0] == "alloc":
            memory.allocate(int(words[1]), int(words[2]))
        elif words[0] == "write":
            at = int(words[1])
            part = memory.part(at)
            part.data[at - part.start:at - part.start + len(data)] = data
        elif words[0] == "fill":
            at, value, number = (int(word) for word in words[1:])
            part = memory.part(at)
            part.data[at - part.start:at - part.start + 4 * number] = \
                struct.pack("<I", value) * number
        elif words[0] == "module":
            images[words[1]] = data
        elif words[0] == "launch":
            key = words[1], words[2]
            if key not in kernels:
                kernels[key] = Kernel(images[words[1]], words[2], disassembler)
            launch = Launch(kernels[key], words[2:], data, memory)
            launch.run()
            yield launch
            count += 1
            if count == limit:
                return
