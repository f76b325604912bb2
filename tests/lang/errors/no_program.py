ROWS = 16


def helper(x):
    return x
