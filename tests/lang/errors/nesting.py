# --- chained_comparisons_too_deep
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = 0 < max(1, 0 < max(1, 0 < max(1, 0 < max(1, 0 < max(1, 0 < n < 9) < 9) < 9) < 9) < 9) < 9
#                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a chained comparison inside others
# error: TW0122 too deeply nested: more than 4 levels
# help: give the inner comparison a name on a line of its own: `part = ...`

# --- nested_statements_too_deep
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
 if n > 0:
  if n > 0:
   if n > 0:
    if n > 0:
     if n > 0:
      if n > 0:
       if n > 0:
        if n > 0:
         if n > 0:
          if n > 0:
           if n > 0:
            if n > 0:
             if n > 0:
              if n > 0:
               if n > 0:
                if n > 0:
                 if n > 0:
                  if n > 0:
                   if n > 0:
                    if n > 0:
                     if n > 0:
                      if n > 0:
                       if n > 0:
                        if n > 0:
                         if n > 0:
                          if n > 0:
                           if n > 0:
                            if n > 0:
                             if n > 0:
                              if n > 0:
                               if n > 0:
                                if n > 0:
                                 if n > 0:
                                  if n > 0:
                                   if n > 0:
                                    if n > 0:
                                     if n > 0:
                                      if n > 0:
                                       if n > 0:
                                        if n > 0:
                                         if n > 0:
                                          if n > 0:
                                           if n > 0:
                                            if n > 0:
                                             if n > 0:
                                              if n > 0:
                                               if n > 0:
                                                if n > 0:
                                                 if n > 0:
                                                  if n > 0:
                                                   if n > 0:
                                                    if n > 0:
                                                     if n > 0:
                                                      if n > 0:
                                                       if n > 0:
                                                        if n > 0:
                                                         if n > 0:
                                                          if n > 0:
                                                           if n > 0:
                                                            if n > 0:
                                                             if n > 0:
                                                              if n > 0:
                                                               if n > 0:
                                                                if n > 0:
                                                                 if n > 0:
                                                                  if n > 0:
                                                                   if n > 0:
                                                                    if n > 0:
                                                                     if n > 0:
                                                                      if n > 0:
                                                                       if n > 0:
                                                                        if n > 0:
                                                                         if n > 0:
                                                                          if n > 0:
                                                                           if n > 0:
                                                                            if n > 0:
                                                                             if n > 0:
                                                                              if n > 0:
                                                                               if n > 0:
                                                                                if n > 0:
                                                                                 if n > 0:
                                                                                  if n > 0:
                                                                                   if n > 0:
                                                                                    if n > 0:
                                                                                     if n > 0:
                                                                                      if n > 0:
                                                                                       if n > 0:
                                                                                        if n > 0:
                                                                                         if n > 0:
                                                                                          if n > 0:
                                                                                           if n > 0:
                                                                                            if n > 0:
                                                                                             if n > 0:
                                                                                              if n > 0:
                                                                                               if n > 0:
                                                                                                if n > 0:
                                                                                                 if n > 0:
                                                                                                  if n > 0:
                                                                                                   if n > 0:
                                                                                                    if n > 0:
                                                                                                     if n > 0:
                                                                                                      if n > 0:
                                                                                                       if n > 0:
                                                                                                        if n > 0:
                                                                                                         if n > 0:
                                                                                                          if n > 0:
                                                                                                           if n > 0:
                                                                                                            if n > 0:
                                                                                                             if n > 0:
                                                                                                              if n > 0:
                                                                                                               if n > 0:
                                                                                                                if n > 0:
                                                                                                                 if n > 0:
                                                                                                                  if n > 0:
                                                                                                                   if n > 0:
                                                                                                                    if n > 0:
                                                                                                                     if n > 0:
                                                                                                                      if n > 0:
                                                                                                                       if n > 0:
                                                                                                                        if n > 0:
                                                                                                                         if n > 0:
                                                                                                                          if n > 0:
                                                                                                                           if n > 0:
                                                                                                                            if n > 0:
                                                                                                                             if n > 0:
                                                                                                                              if n > 0:
                                                                                                                               if n > 0:
                                                                                                                                if n > 0:
                                                                                                                                 if n > 0:
                                                                                                                                  if n > 0:
                                                                                                                                   if n > 0:
                                                                                                                                    if n > 0:
                                                                                                                                     if n > 0:
                                                                                                                                      if n > 0:
                                                                                                                                       if n > 0:
                                                                                                                                        if n > 0:
                                                                                                                                         if n > 0:
                                                                                                                                          if n > 0:
                                                                                                                                           if n > 0:
                                                                                                                                            if n > 0:
                                                                                                                                             if n > 0:
                                                                                                                                              if n > 0:
                                                                                                                                               if n > 0:
                                                                                                                                                if n > 0:
                                                                                                                                                 if n > 0:
                                                                                                                                                  if n > 0:
                                                                                                                                                   if n > 0:
                                                                                                                                                    if n > 0:
                                                                                                                                                     if n > 0:
                                                                                                                                                      if n > 0:
                                                                                                                                                       if n > 0:
                                                                                                                                                        if n > 0:
                                                                                                                                                         if n > 0:
                                                                                                                                                          if n > 0:
                                                                                                                                                           if n > 0:
                                                                                                                                                            if n > 0:
                                                                                                                                                             if n > 0:
                                                                                                                                                              if n > 0:
                                                                                                                                                               if n > 0:
                                                                                                                                                                if n > 0:
                                                                                                                                                                 if n > 0:
                                                                                                                                                                  if n > 0:
                                                                                                                                                                   if n > 0:
                                                                                                                                                                    if n > 0:
                                                                                                                                                                     if n > 0:
                                                                                                                                                                      if n > 0:
                                                                                                                                                                       if n > 0:
                                                                                                                                                                        if n > 0:
                                                                                                                                                                         if n > 0:
                                                                                                                                                                          if n > 0:
                                                                                                                                                                           if n > 0:
                                                                                                                                                                            if n > 0:
                                                                                                                                                                             if n > 0:
                                                                                                                                                                              if n > 0:
                                                                                                                                                                               if n > 0:
                                                                                                                                                                                if n > 0:
                                                                                                                                                                                 if n > 0:
                                                                                                                                                                                  if n > 0:
                                                                                                                                                                                   if n > 0:
                                                                                                                                                                                    if n > 0:
                                                                                                                                                                                     if n > 0:
                                                                                                                                                                                      if n > 0:
                                                                                                                                                                                       if n > 0:
                                                                                                                                                                                        if n > 0:
                                                                                                                                                                                         if n > 0:
                                                                                                                                                                                          if n > 0:
                                                                                                                                                                                           if n > 0:
                                                                                                                                                                                            if n > 0:
                                                                                                                                                                                             if n > 0:
                                                                                                                                                                                              if n > 0:
                                                                                                                                                                                               if n > 0:
                                                                                                                                                                                                if n > 0:
                                                                                                                                                                                                 if n > 0:
                                                                                                                                                                                                  if n > 0:
                                                                                                                                                                                                   if n > 0:
                                                                                                                                                                                                    if n > 0:
                                                                                                                                                                                                     if n > 0:
                                                                                                                                                                                                      if n > 0:
                                                                                                                                                                                                       if n > 0:
                                                                                                                                                                                                        if n > 0:
                                                                                                                                                                                                         if n > 0:
                                                                                                                                                                                                          if n > 0:
                                                                                                                                                                                                           if n > 0:
                                                                                                                                                                                                            if n > 0:
                                                                                                                                                                                                             if n > 0:
                                                                                                                                                                                                              v = n
# stderr:
#| error[TW0122]: too deeply nested: more than 200 levels
#|    --> nested_statements_too_deep.py:205:204
#|     |
#| 205 | ...                                                                             if n > 0:
#|     |                                                                                    ^^^^^ level 201
#|     = help: move the inner statements into a function of their own: `@pl.jit.inline`

# --- nested_too_deep
import tilewire.language as pl


@pl.jit.incore
def kernel(n: pl.Scalar[pl.INDEX]):
    v = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((n))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
# stderr:
#| error[TW0122]: too deeply nested: more than 200 levels
#|  --> nested_too_deep.py:6:208
#|   |
#| 6 | ...(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((n))))))))))))))))))))))))))))...
#|   |                                                                                    ^ level 201
#|   = help: give an inner part a name on a line of its own: `part = ...`
