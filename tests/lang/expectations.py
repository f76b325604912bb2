"""Programs with their messages inline, several to a file.

A file starts with the marker line of its first program, and a blank line separates programs:

    # --- undefined_name
    import tilewire.language as pl


    @pl.jit.incore
    def kernel(n: pl.Scalar[pl.INDEX]):
        v = missing
    #       ^^^^^^^ a label, where the message has one
    # error: TW1001 `missing` is not defined
    # note: a note without a place
    # help: define it at the top of the file, or give it on the command line: -D missing=VALUE

    # --- the_next_program

The command reads the program without these comments, from a file `undefined_name.py`; they contain all that it writes:

- carets stand under what a message points at, and the text of the message follows; `#<^^^` starts in column 1;
- a note that points at another line stands there: `# note: ...` below its own carets;
- an error without a place stands at the end;
- messages are numbered (`# error 2: ...`, `# note 2: ...`) where the order of lines does not tell which note belongs
  to which message or which message comes first;
- `# further errors are not shown` when the limit of errors was reached;
- `# stdout:`, then lines `#| ...`, is what a good program prints; without it the exit code is 3;
- `# stderr:`, then lines `#| ...`, is used when the messages show something else than lines of the program (bytes that
  cannot be printed, a line too long to show).

`annotated` writes the comments, so two outputs that differ in any character have different comments.
"""

import re

MARKER = re.compile(r"# --- (\w+)")
ANNOTATION = re.compile(
    r"#(?:<| *)\^+(?: .*)?"
    r"|# (?:error|warning)(?: \d+)?: TW\d{4} .*"
    r"|# (?:note|help)(?: \d+)?: .*"
    r"|# further errors are not shown"
    r"|# (?:stdout|stderr):"
    r"|#\|(?: .*)?"
)
MESSAGE = re.compile(r"# (error|warning)(?: \d+)?: TW(\d{4}) ")


class Unusual(Exception):
    """The output is not made of messages about lines of the program."""


def decode(data):
    return data.decode("utf-8", "surrogateescape")


def encode(text):
    return text.encode("utf-8", "surrogateescape")


def is_inline(path):
    with open(path, "rb") as file:
        return MARKER.fullmatch(decode(file.readline()).rstrip("\n")) is not None


def read(path):
    """Name and lines, with their comments, of every program of a file."""
    programs, current = {}, []
    lines = decode(path.read_bytes()).split("\n")
    if lines.pop() != "":
        raise ValueError(f"{path.name} does not end in a newline")
    for number, line in enumerate(lines):
        marker = MARKER.fullmatch(line)
        if not marker:
            current.append(line)
            continue
        if number and (not current or current.pop() != ""):
            raise ValueError(f"{path.name}:{number + 1}: a blank line separates programs")
        name, current = marker.group(1), []
        if name in programs:
            raise ValueError(f"{path.name}:{number + 1}: a second program `{name}`")
        programs[name] = current
    return programs


def text(programs):
    """The text of a file of programs: what `read` takes apart."""
    return "\n".join("".join(line + "\n" for line in [f"# --- {name}", *lines]) for name, lines in programs.items())


def source(lines):
    """The lines of a program without the comments that say what is expected."""
    return [line for line in lines if not ANNOTATION.fullmatch(line)]


def annotated(name, program, code, out, err):
    """The lines of a program with comments for what the command wrote about it."""
    if code not in (0, 3) or (code == 3 and out):
        raise ValueError(f"exit code {code}\n{out}{err}")
    try:
        result = with_messages(program, *messages(f"{name}.py", program, err))
    except Unusual:
        result = program + quoted("stderr", err)
    return result + (quoted("stdout", out) if code == 0 else [])


def quoted(stream, output):
    lines = output.split("\n")
    if lines.pop() != "":
        raise ValueError(f"{stream} does not end in a newline\n{output}")
    return [f"# {stream}:"] + ["#| " + line if line else "#|" for line in lines]


class Output:
    """Lines of stderr; what is taken is either compared or part of the result."""

    def __init__(self, file, program, err):
        self.file, self.program, self.lines = file, program, err.split("\n")

    def take(self, pattern):
        if not self.lines:
            raise Unusual
        match = re.fullmatch(pattern, self.lines[0])
        if not match:
            raise Unusual
        del self.lines[0]
        return match

    def sees(self, pattern):
        return bool(self.lines) and re.fullmatch(pattern, self.lines[0]) is not None

    def place(self):
        """Line number and comment of a place that is shown with its source line."""
        match = self.take(rf"( *)--> {re.escape(self.file)}:(\d+):(\d+)")
        line, column = int(match.group(2)), int(match.group(3))
        margin = " " * len(match.group(2))
        if match.group(1) != margin or not 1 <= line <= len(self.program):
            raise Unusual
        self.take(re.escape(f"{margin} |"))
        self.take(re.escape(f"{line} | {self.program[line - 1]}"))
        marks = self.take(re.escape(f"{margin} | " + " " * (column - 1)) + r"(\^+(?: .+)?)").group(1)
        return line, ("#<" if column == 1 else "#" + " " * (column - 2)) + marks, margin


class Message:
    """The comments of one message: at the line it points at, and its notes at theirs."""

    def __init__(self, output):
        head = output.take(r"(error|warning)\[(TW\d{4})\]: (.+)")
        self.severity, self.line, self.notes, margin = head.group(1), None, [], " "
        before = []
        if output.sees(rf" --> {re.escape(output.file)}"):
            output.take(".*")
        else:
            self.line, carets, margin = output.place()
            before = [carets]
        self.head = f"{head.group(2)} {head.group(3)}"
        self.before, self.after = before, []
        while output.sees(rf"{margin} = note: .+"):
            note = output.take(rf"{margin} = (note: .+)").group(1)
            if output.sees(" *--> .*"):
                line, carets, _ = output.place()
                self.notes.append((line, carets, note.removeprefix("note: ")))
            elif self.notes:
                raise Unusual
            else:
                self.after.append(f"# {note}")
        while output.sees(rf"{margin} = help: .+"):
            self.after.append("# " + output.take(rf"{margin} = (help: .+)").group(1))
        if [note[0] for note in self.notes] != sorted(note[0] for note in self.notes):
            raise Unusual


def messages(file, program, err):
    """The messages, and whether there are more; raises Unusual if anything but them was written."""
    output = Output(file, program, err)
    if err == "":
        return [], False
    result = [Message(output)]
    while output.sees("") and len(output.lines) > 1 and not re.match(r"\d+ errors", output.lines[1]):
        output.take("")
        result.append(Message(output))
    errors, more = sum(message.severity == "error" for message in result), False
    if errors > 1:
        output.take("")
        more = output.take(rf"{errors} errors( \(further ones not shown\))?").group(1) is not None
    if output.lines != [""]:
        raise Unusual
    return result, more


def with_messages(program, found, more):
    end = len(program) + 1
    lines = [message.line or end for message in found]
    numbered = len(found) > 1 and (lines != sorted(lines) or any(message.notes for message in found))
    below = {}
    for number, message in enumerate(found, 1):
        tag = f" {number}" if numbered else ""
        below.setdefault(message.line or end, []).extend(
            [*message.before, f"# {message.severity}{tag}: {message.head}", *message.after])
        for line, carets, note in message.notes:
            below.setdefault(line, []).extend([carets, f"# note{tag}: {note}"])
    result = []
    for number, line in enumerate(program, 1):
        result += [line, *below.get(number, [])]
    return result + below.get(end, []) + (["# further errors are not shown"] if more else [])
