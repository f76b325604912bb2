x = (1,
y = f(a b]
if c = 1
  d
\ 
"open
ÿâ€œ