# --- class_statement
import tilewire.language as pl


@pl.program
class Program:
    print("reading")
#   ^^^^^^^^^^^^^^^^
# error: TW1125 the statement has no effect in a program
# help: delete it: a program consists of functions, constants and pld.comm_group(...)

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n

# --- decorator_in_function
import tilewire.language as pl


@pl.jit.incore
def kernel():
    pl.jit()
#   ^^^^^^^^
# error: TW1025 `pl.jit` is not allowed here
# help: write it as a decorator

# --- duplicate_function
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
#   ^^^^^^
# note: first defined here
    v = n


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
#   ^^^^^^
# error: TW1128 a function named `kernel` exists already
# help: give one of them another name
    v = n + 1

# --- empty_file

# error: TW1122 the text has no program
# help: decorate a class with `@pl.program`, or functions with `@pl.jit`, `@pl.jit.host`, `@pl.jit.incore`

# --- foreign_decorator
import tilewire.language as pl


import functools


@pl.jit.incore
@functools.cache
#^^^^^^^^^
# error: TW1001 `functools` is not defined
# help: `functools` is imported from Python, which does not run here: define the value at the top of the file, or give it on the command line: -D NAME=VALUE
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n

# --- host_role
import tilewire.language as pl


@pl.function(level=pl.Level.HOST, role=pl.Role.Worker)
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1132 a host function is an orchestrator
# help: write `role=pl.Role.Orchestrator`
def host(n: pl.Scalar[pl.INDEX]):
    v = n

# --- host_type
import tilewire.language as pl


@pl.function(level=pl.Level.HOST, type=pl.FunctionType.InCore)
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1131 a function at level HOST cannot be of type InCore
# help: remove `type=` for a host function, `level=` for any other
def host(n: pl.Scalar[pl.INDEX]):
    v = n

# --- method_style_outside_class
import tilewire.language as pl


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32]):
    self.kernel(x)
#   ^^^^
# error: TW1001 `self` is not defined
# help: define it at the top of the file, or give it on the command line: -D self=VALUE

# --- missing_decorator
import tilewire.language as pl


@pl.program
class Program:
    def kernel(self, n: pl.Scalar[pl.INDEX]):
#       ^^^^^^
# error: TW1130 `kernel` has no decorator
# help: write `@pl.function(type=pl.FunctionType.InCore)` above it
        v = n

# --- missing_self
import tilewire.language as pl


@pl.program
class Program:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(n: pl.Scalar[pl.INDEX]):
#       ^^^^^^
# error: TW1126 the method `kernel` of a program class needs `self` as its first parameter
# help: write `def kernel(self, ...):`
        v = n

# --- no_program
ROWS = 16


def helper(x):
    return x
# error: TW1122 the text has no program
# help: decorate a class with `@pl.program`, or functions with `@pl.jit`, `@pl.jit.host`, `@pl.jit.incore`

# --- no_such_entry
# run: tilewire print %s --entry kernle
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n
# error: TW1124 the file has no function or program `kernle`
# help: did you mean `kernel`?

# --- several_programs
import tilewire.language as pl


@pl.program
class First:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n


@pl.program
class Second:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n
# error: TW1123 the file has several programs: First, Second
# help: choose one with `--entry NAME`

# --- unknown_decorator
import tilewire.language as pl


@pl.load
#^^^^^^^
# error: TW1129 unknown decorator
# help: use @pl.function(...), @pl.jit, @pl.jit.host, @pl.jit.incore or @pl.jit.inline
def kernel(n: pl.Scalar[pl.INDEX]):
    v = n

# --- unknown_decorator_in_class
import tilewire.language as pl


@pl.program
class Program:
    @pl.range
#    ^^^^^^^^
# error: TW1129 unknown decorator
# help: use @pl.function(...), @pl.jit, @pl.jit.host, @pl.jit.incore or @pl.jit.inline
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n

# --- value_outside_function
import tilewire.language as pl


ZERO = pl.full([16, 16], dtype=pl.FP32, value=0)
#      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW1013 run-time values exist only inside decorated functions
# help: move it into a decorated function: only constants can be defined outside


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.load(x) + ZERO
