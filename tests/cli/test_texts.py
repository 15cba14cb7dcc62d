"""Texts that are not UTF-8 or hold control characters: no event is lost, and all output is valid."""
import os
import subprocess
import time

from command import LIMIT_S, PROGRAM, environment, json_file, kernel_tree, need, new_path
import rows

# Bytes and their clean form: a byte that starts no sequence, a truncated sequence, an over-long form,
# a surrogate, a code point beyond the last, control sequences of terminals (ESC and C1), and text
# that stays.
BAD = b"\xff caf\xe9 \xe2\x82 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \x1b[31m \xc2\x9b31m \xc3\xa9"
SHOWN = (r"\xff caf\xe9 \xe2\x82 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \x1b[31m \xc2\x9b31m "
         "\u00e9")
NAME = b"caf\xe9\xff\x1b[31m"
SHOWN_NAME = r"caf\xe9\xff\x1b[31m"
SIDE = {"opencl": "cl_kernels/vecadd/fine.cl", "cuda": "cuda_kernels/vecadd/fine.cu",
        "cuda-emu": "cuda_kernels/vecadd/fine.cu"}


def run(code, *arguments, **changes):
    """Texts of a finished process: valid UTF-8, without control characters. code: None if
    any exit code is allowed."""
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, check=False,
                            env=environment(**changes), timeout=LIMIT_S)
    texts = []
    for stream in (result.stdout, result.stderr):
        try:
            texts.append(stream.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise rows.Failure("not UTF-8: %s: %r" % (error, stream[-1000:]))
        controls = [c for c in texts[-1] if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160]
        rows.check(not controls, "control characters %r in %r" % (controls, texts[-1][-1000:]))
    if code is not None:
        rows.equal(result.returncode, code, "exit code: %s" % "".join(texts)[-1500:])
    return texts


def bad_folder(edits=None):
    """A kernel folder whose name is not UTF-8."""
    tree = os.fsencode(kernel_tree(edits or {}))
    renamed = os.path.join(os.path.dirname(tree), os.path.basename(tree) + NAME)
    os.rename(tree, renamed)
    return renamed


def compile_error(backend, isolate):
    """A kernel with such bytes in the message of its compiler."""
    need(backend)
    tree = kernel_tree({})
    path = os.path.join(tree, SIDE[backend])
    with open(path, "rb") as file:
        text = file.read()
    with open(path, "wb") as file:
        file.write(b'#error "' + BAD + b'"\n' + text)
    json_path = new_path("r.json")
    csv_path = new_path("r.csv")
    md_path = new_path("r.md")
    outputs = ["--json=" + json_path, "--csv=" + csv_path, "--md=" + md_path]
    _, errors = run(5, "vecadd", "--size=100", "--backend=" + backend, "--min-time=1", "--no-roofs",
                    "--kernel-dir=" + tree, *outputs, *isolate)
    found = {r["variant"]: r for r in json_file(json_path)["results"]}
    rows.equal(found["fine"]["status"], "build_error", "status")
    rows.equal({r["status"] for name, r in found.items() if name not in ("fine", "cpu-stream")},
               {"ok"}, "the others")
    # PoCL 3.1 quotes no source line. A compiler may itself replace bytes that are not ASCII.
    log = found["fine"]["log"]
    rows.check("#error" in log or "error" in log, "the log: %r" % log)
    rows.check("\x1b" not in log, "the log: %r" % log)
    if backend != "cuda":  # NVRTC's message ends before such bytes
        rows.check("[31m" in log, "the log: %r" % log)
        rows.check("[31m" in errors, "the log on stderr: %r" % errors)
    for path, words in ((csv_path, "build_error"), (md_path, "build error")):
        with open(path, encoding="utf-8") as file:
            rows.check(words in file.read(), "no row in " + path)


def explained(backend):
    """The same in `explain`: the page has the log."""
    need("cuda-emu")
    tree = kernel_tree({})
    path = os.path.join(tree, SIDE["cuda-emu"])
    with open(path, "rb") as file:
        text = file.read()
    for prefix in (b"#error " + BAD + b"\n", b"// " + BAD + b"\n"):
        with open(path, "wb") as file:
            file.write(prefix + text)
        json_path = new_path("r.json")
        run(None, "explain", "vecadd/fine", "--backend=" + backend, "--kernel-dir=" + tree,
            "--json=" + json_path)
        rows.equal(len(json_file(json_path)["explanations"]), 1, "explanations")


def folder_name(command):
    """The name of --kernel-dir: the result file contains the whole option."""
    need("cuda-emu")
    tree = bad_folder()
    json_path = new_path("r.json")
    run(0, *command, b"--kernel-dir=" + tree, "--json=" + json_path)
    words = json_file(json_path)["tool"]["argv"]
    rows.check([word for word in words if word.endswith(SHOWN_NAME)], "argv: %r" % words)
    os.remove(os.path.join(tree, os.fsencode(SIDE["cuda-emu"])))
    _, errors = run(1, *command, b"--kernel-dir=" + tree, "--json=" + new_path("r.json"))
    rows.check(SHOWN_NAME in errors and SIDE["cuda-emu"] in errors, errors)


def long_folder_name():
    """A message that is cut ends with a whole character."""
    need("cuda-emu")
    for shift in range(4):
        folder = "/" + "x" * shift + "\u20ac" * 90 + "/" + "\u20ac" * 90
        _, errors = run(1, "vecadd/fine", "--size=5", "--backend=cuda-emu", "--kernel-dir=" + folder)
        rows.check("\u20ac" in errors and "\\x" not in errors, errors)


def operand_names():
    need("cuda-emu")
    folder = os.fsencode(os.path.dirname(new_path("x")))
    path = os.path.join(folder, NAME + b".npy")
    command = ["vecadd/fine", "--size=100", "--backend=cuda-emu"]
    json_path = new_path("r.json")
    run(0, *command, b"--out", b"C=" + path, "--json=" + json_path)
    rows.check(os.path.exists(path), "the output has another name")
    rows.equal(json_file(json_path)["results"][0]["status"], "ok")
    run(0, "vecadd/fine", "--backend=cuda-emu", b"--in", b"A=" + path, b"--in", b"B=" + path,
        "--json=" + json_path)
    rows.equal(json_file(json_path)["results"][0]["status"], "ok")
    os.remove(path)
    _, errors = run(1, "vecadd/fine", "--backend=cuda-emu", b"--in", b"A=" + path, b"--in",
                    b"B=" + path)
    rows.check(SHOWN_NAME in errors, errors)
    _, errors = run(1, *command, b"--out", b"C=" + folder + b"/no/" + NAME)
    rows.check(SHOWN_NAME in errors, errors)


def words_of_the_user():
    """Each wrong word of the command line is shown in one line."""
    word = b"\xff\x1b[31m\nx"
    shown = r"\xff\x1b[31m\x0ax"
    for arguments in ([word], [b"matmul/" + word], [b"--backend=" + word, b"vecadd"],
                      [b"vecadd", b"--size=" + word],
                      [b"vecadd", b"--set", word + b"=1"], [b"reduce", b"--op=" + word],
                      [b"vecadd", b"--json=/nonexistent/" + word], [b"vecadd", b"--seed=" + word],
                      [b"explain", b"vecadd", b"--cc=" + word], [b"--" + word]):
        _, errors = run(1, *arguments)
        rows.check(shown in errors, "%r: %r" % (arguments, errors))
        rows.equal(errors.count("\n"), 1, "lines: %r" % errors)


def output_names():
    """Result files with such names."""
    need("cuda-emu")
    path = os.path.join(os.fsencode(os.path.dirname(new_path("x"))), NAME)
    run(0, "vecadd/fine", "--size=5", "--backend=cuda-emu", b"--json=" + path)
    rows.equal(json_file(path)["results"][0]["status"], "ok")


def wide_vectors():
    """Vectors wider than the CPU's registers are no fault of the kernel: no note and no warning."""
    need("opencl")
    path = new_path("r.json")
    _, errors = run(0, "verify", "matmul/cpu-packed", "--size=8", "--backend=opencl", "--device=cpu",
                    "--json=" + path)
    rows.equal(errors, "")
    row = json_file(path)["results"][0]
    rows.check("warnings" not in row["build"] and "driver_text" not in row, row)


def driver_text():
    """clang prints "1 warning generated." on stderr: it is kept for -v and for the file. PoCL 6.0 prints
    nothing, and its log has no warning."""
    need("opencl")
    # Another text in each run: for a program of its cache, PoCL runs no compiler and prints nothing.
    warning = '#warning "planted %f"\n' % time.time()
    tree = kernel_tree({SIDE["opencl"]: lambda text: warning + text})
    path = new_path("r.json")
    words = ["verify", "vecadd/fine", "--size=5", "--dtype=f32", "--backend=opencl", "--device=cpu",
             "--kernel-dir=" + tree, "--json=" + path]
    _, errors = run(0, *words)
    for line in errors.splitlines():
        rows.check(line.startswith("note: "), line)
    _, errors = run(0, *words, "-v")
    text = json_file(path)["results"][0].get("driver_text", "")
    rows.equal([line for line in errors.splitlines() if line.startswith("    driver: ")],
               ["    driver: " + line for line in text.splitlines()])


def warning_of_another_file():
    """PoCL keeps compiled programs with their logs, by the preprocessed source: a copy with a warning
    and the built-in kernel differ only in lines that the preprocessor removes."""
    need("opencl")
    tree = kernel_tree({SIDE["opencl"]: lambda text: '#warning "of the copy"\n' + text})
    words = ["verify", "vecadd/fine", "--size=5", "--dtype=f32", "--backend=opencl", "--device=cpu"]
    cache = new_path("pocl-cache")
    os.mkdir(cache)
    _, errors = run(0, *words, "--kernel-dir=" + tree, POCL_CACHE_DIR=cache)
    # PoCL 6.0 reports no warnings.
    rows.check(not errors or "of the copy" in errors, errors)
    _, errors = run(0, *words, POCL_CACHE_DIR=cache)
    rows.equal(errors, "")


for engine in SIDE:
    rows.row(engine + ": a compiler's log", compile_error, engine, [])
    rows.long_row(engine + ": a compiler's log, in one process", compile_error, engine, ["--no-isolate"])
rows.row("opencl: vectors wider than the CPU's registers", wide_vectors)
rows.row("opencl: text of the driver's compiler", driver_text)
rows.row("opencl: a warning of another file", warning_of_another_file)
rows.row("explain: a compiler's log and a source line", explained, "cuda-emu")
for words in (["run", "vecadd/fine", "--size=5", "--backend=cuda-emu"],
              ["verify", "vecadd/fine", "--size=5", "--backend=cuda-emu"],
              ["parity", "vecadd/fine", "--size=5", "--backend=cuda-emu"],
              ["explain", "vecadd/fine", "--size=64", "--backend=cuda-emu"]):
    rows.row("a kernel folder's name: " + words[0], folder_name, words)
rows.row("a long kernel folder's name", long_folder_name)
rows.row("names of operand files", operand_names)
rows.row("names of result files", output_names)
rows.row("wrong words of the command line", words_of_the_user)
rows.finish()
