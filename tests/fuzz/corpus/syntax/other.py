from tilewire.language import (jit, function as f)
x = [i for i in y if z]; w = lambda *a: f"{a!r:>{w}} {b['c']}"
try:
    raise E from e
except* E:
    async with a: await b
@jit.host
def g(a, /, *, b=1, **c):
    match x:
        case {"a": [1, *r]}: yield
    if (n := 3) > 2j: del n
    print "x"
	tab
  dedent
