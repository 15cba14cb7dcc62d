"""Shells on a pseudo-terminal complete a command line."""
import os
import pty
import select
import shutil
import subprocess
import tempfile
import time

import rows

# Each shell writes its command line to $PMPP_TEST_LINE when it gets Ctrl-].
SETUP = {
    "bash": """
PS1='$ '
bind 'set bell-style none' 2>/dev/null
save_line() { printf '%%s' "$READLINE_LINE" >"$PMPP_TEST_LINE.new"; mv "$PMPP_TEST_LINE.new" "$PMPP_TEST_LINE"; }
bind -x '"\\C-]": save_line'
source '%s'
""",
    "zsh": """
PS1='$ '
setopt nobeep nolistbeep
fpath=('%s' $fpath)
autoload -Uz compinit
compinit -u -d "$ZDOTDIR/dump"
save_line() { print -rn -- "$BUFFER" >"$PMPP_TEST_LINE.new"; mv "$PMPP_TEST_LINE.new" "$PMPP_TEST_LINE"; }
zle -N save_line
bindkey '^]' save_line
""",
}
FILES = {"bash": ".bashrc", "zsh": ".zshrc"}


class Shell:
    """An interactive shell that has the completion of `path`: a file for bash, a folder for zsh."""

    def __init__(self, name, path, environment, folder):
        self.program = shutil.which(name)
        if not self.program:
            raise rows.Skip("%s is not installed" % name)
        home = tempfile.mkdtemp(dir=folder)
        with open(os.path.join(home, FILES[name]), "w", encoding="utf-8") as file:
            file.write(SETUP[name] % path)
        self.line = os.path.join(home, "line")
        env = {**environment, "HOME": home, "ZDOTDIR": home, "PMPP_TEST_LINE": self.line,
               "TERM": "xterm"}
        try:
            self.main, side = pty.openpty()
        except OSError as error:
            raise rows.Skip("no pseudo-terminal: %s" % error) from error
        rc = os.path.join(home, ".bashrc")
        options = ["--noprofile", "--rcfile", rc, "-i"] if name == "bash" else ["-i"]
        self.process = subprocess.Popen([self.program, *options], stdin=side, stdout=side,
                                        stderr=side, env=env, cwd=folder, start_new_session=True)
        os.close(side)
        self.output = b""

    def wait_for_line(self):
        """Waits for the shell. The limit only ends a test that hangs."""
        deadline = time.monotonic() + 120
        while not os.path.exists(self.line):
            rows.check(time.monotonic() < deadline, "no answer: %r" % self.output[-2000:])
            if select.select([self.main], [], [], 0.02)[0]:
                self.output += os.read(self.main, 65536)
        with open(self.line, encoding="utf-8") as file:
            text = file.read()
        os.remove(self.line)
        return text

    def complete(self, text):
        """The command line after Tab."""
        os.write(self.main, text.encode() + b"\t\x1d")
        line = self.wait_for_line()
        os.write(self.main, b"\x15")
        return line

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.main)
