// IR as bytes and back.
//
// A file is the magic "TWIR" and a stream of MessagePack values: [format, number of nodes], the source files
// [[name, text, first line], ...], the names of the ops used, then one array per node, children first:
//
//     [kind, span, field, field, ...]
//
// A span is nil or [file, line, column, end line, end column], a reference to a node the distance back to it
// (1: the node before) or nil. The root is the last node. A node that is shared in memory is written once and
// is shared again when read; spans and the text they point into are kept.
//
// Kinds, enumerations and fields are only ever appended, so a reader accepts older files as they are (missing
// fields have their defaults) and reports what it does not know in a newer one.
//
// Readers accept any bytes: an error is one diagnostic, never an exception, and memory stays proportional to
// the input. Nothing is repaired on the way: what is read is what was written.
#pragma once

#include <string>
#include <string_view>

#include "ir/nodes.h"
#include "ir/op.h"
#include "support/diagnostics.h"

namespace tilewire::ir {

std::string to_bytes(const NodeRef& node);

// The node, each part of it valid by itself, but not verified as a whole. Null after an error.
NodeRef from_bytes(std::string_view bytes, const OpTable& ops, Diagnostics& diags);

// A verified program. Null after errors.
ProgramRef program_from_bytes(std::string_view bytes, const OpTable& ops, Diagnostics& diags);

}  // namespace tilewire::ir
