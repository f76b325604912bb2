// How messages name a range of elements: "element 3 is", "elements 3 to 7 are".
#pragma once

#include <string>

namespace tilewire {

inline std::string element_range(const std::string& first, const std::string& last) {
  if (first == last) return "element " + first + " is";
  return "elements " + first + " to " + last + " are";
}

}  // namespace tilewire
