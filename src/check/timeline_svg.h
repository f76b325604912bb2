// Draws a timeline: a column per rank with sub-columns for what runs concurrently, time downwards.
//
// Boxes are in rows: after the previous step of their lane, after the sources of their arrows and after the
// last use of their cell; numbers are positions in the schedule. Boxes are links to the lines of the
// source, so the picture can be followed without a script.
#pragma once

#include <functional>
#include <string>

#include "check/timeline.h"

namespace tilewire::check {

struct Picture {
  std::string html;   // a scrolling box with a head and a body, both SVG
  bool wide = false;  // it needs most of the width of a window
  std::string note;   // what of the timeline is not drawn; empty: nothing
};

// Ids in it start with `id`. `line_id`: the id that the line of a span has on the page; empty: it is not
// there.
Picture draw(const Timeline& timeline, const std::string& id,
             const std::function<std::string(const Span&)>& line_id);

}  // namespace tilewire::check
