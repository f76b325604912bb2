"""Runs the Python blocks of a page, one after the other, in one namespace: a request per line on standard input."""

import contextlib
import io
import json
import sys
import traceback

names = {"__name__": "page"}
answers, sys.stdin = sys.stdout, sys.stdin
sys.path.insert(0, ".")
for request in sys.stdin:
    path = json.loads(request)
    printed = io.StringIO()
    error = ""
    try:
        with open(path, encoding="utf-8") as file, contextlib.redirect_stdout(printed):
            exec(compile(file.read(), path, "exec"), names)
    except BaseException:  # also what ends a program: the page shows no such thing
        error = traceback.format_exc()
    answers.write(json.dumps([printed.getvalue(), error]) + "\n")
    answers.flush()
