# --- python_async
import tilewire.language as pl


@pl.jit.incore
async def kernel(n: pl.Scalar[pl.INDEX]):
#<^^^^^ an async statement
# error: TW0167 `async` is not part of the language
# help: leave out `async`; tasks are ordered by their data and by `deps=`
    v = n

# --- python_async_for
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    async for i in pl.range(n):
#   ^^^^^ an async statement
# error: TW0167 `async` is not part of the language
# help: leave out `async`; tasks are ordered by their data and by `deps=`
        v = i

# --- python_await
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = await n
#       ^^^^^ an await
# error: TW0168 `await` is not part of the language
# help: call the function directly; tasks are ordered by their data and by `deps=`

# --- python_base_class
import tilewire.language as pl


@pl.program
class Program(object):
#            ^ a base class
# error: TW0179 base classes are not part of the language
# help: write `class Program:` and put all functions of the program into it
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n

# --- python_class_in_class
import tilewire.language as pl


@pl.program
class Outer:
    class Inner:
#   ^^^^^ a class inside
# error: TW0154 a class inside a function or class is not part of the language
# help: move the class to the outermost level of the file
        x = 1

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, n: pl.Scalar[pl.INDEX]):
        v = n

# --- python_double_star_parameter
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], **rest):
#                                  ^^ any number of arguments
# error: TW0159 `*` and `**` parameters are not part of the language
# help: name every parameter
    v = n

# --- python_keyword_only_marker
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], *, m: pl.Scalar[pl.INDEX]):
#                                  ^ a marker for keyword parameters
# error: TW0160 `/` and `*` among the parameters are not part of the language
# help: leave it out; every parameter can be passed by position or by name
    v = n

# --- python_lambda
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    f = lambda a: a + 1
#       ^^^^^^^^^^^^^^^ a lambda
# error: TW0150 `lambda` is not part of the language
# help: write the expression where it is used, or a function decorated with `@pl.jit.inline`
    v = f(n)

# --- python_local_decorator
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    @pl.jit.inline
#   ^ a decorator inside a function
# error: TW0156 a decorator inside a function is not part of the language
# help: move the decorated function to the outermost level of the file
    def double(a):
        return a * 2
    v = double(n)

# --- python_local_from_import
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    from math import sqrt
#   ^^^^ an import inside a definition
# error: TW0172 an import inside a function or class is not part of the language
# help: move the import to the top of the file
    v = n

# --- python_local_import
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    import math
#   ^^^^^^ an import inside a definition
# error: TW0172 an import inside a function or class is not part of the language
# help: move the import to the top of the file
    v = n

# --- python_nested_class
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    class Point:
#   ^^^^^ a class inside
# error: TW0154 a class inside a function or class is not part of the language
# help: move the class to the outermost level of the file
        x = 1

# --- python_nested_function
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    def double(a):
#   ^^^ a function inside a function
# error: TW0155 a function inside a function is not part of the language
# help: move it out of the function, decorate it with `@pl.jit.inline`, and pass it what it uses
        return a * 2
    v = double(n)

# --- python_positional_only_marker
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], /, m: pl.Scalar[pl.INDEX]):
#                                  ^ a marker for positional parameters
# error: TW0160 `/` and `*` among the parameters are not part of the language
# help: leave it out; every parameter can be passed by position or by name
    v = n

# --- python_star_parameter
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX], *rest):
#                                  ^ any number of arguments
# error: TW0159 `*` and `**` parameters are not part of the language
# help: name every parameter
    v = n

# --- python_type_parameters
import tilewire.language as pl


@pl.jit.incore
def kernel[D](x: pl.Tensor[[16, 16], pl.FP32]):
#         ^ type parameters
# error: TW0178 type parameters are not part of the language
# help: leave a parameter without annotation: it takes its type from the call
    t = pl.load(x)

# --- python_yield
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    yield n
#   ^^^^^ a yield
# error: TW0169 `yield` is not part of the language
# help: return the values, or write `pl.yield_(...)` for the values of a loop or branch

# --- python_yield_from
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = yield from n
#       ^^^^^ a yield
# error: TW0169 `yield` is not part of the language
# help: return the values, or write `pl.yield_(...)` for the values of a loop or branch
