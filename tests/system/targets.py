"""The targets this build of the package can run programs on. One that is there and fails is an error, not a reason to skip
its tests."""

import tilewire as tw

TARGETS = tw.targets()
assert "interp" in TARGETS  # it is part of every build
