#include "check/timeline_svg.h"

#include <algorithm>
#include <map>
#include <set>

#include "support/block_text.h"
#include "support/escape.h"
#include "support/unicode.h"

namespace tilewire::check {
namespace {

constexpr size_t most_boxes = 500, most_lanes = 48;
constexpr int head_height = 34, margin = 16, line_height = 13;
constexpr double letter = 6.65;  // of the monospaced face at 11 px
// What fits into 1200 pixels; wider pictures are drawn with narrow lanes.
constexpr int page_width = 1050;

struct Measures {
  size_t letters;  // of a line of text
  int lines;       // of text in a box; if more than one, its numbers are above them
  int box_height, row_height, gap;
  int pad;  // of a lane, on either side of its boxes
};
constexpr Measures wide = {36, 1, 26, 42, 38, 12};
Measures narrow(int lines) {
  const int height = (lines + 1) * line_height + 6;
  return {14, lines, height, height + 14, 12, 3};
}

// Characters, not bytes; cut ones end in an ellipsis.
std::string shortened(const std::string& text, size_t most) {
  size_t letters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (continues_character(text[i])) continue;
    if (++letters == most && i + 1 < text.size()) return text.substr(0, i) + "…";
  }
  return text;
}

// Words in lines of at most `most` characters, not broken inside brackets; what does not fit ends in an
// ellipsis.
std::vector<std::string> wrapped(const std::string& text, size_t most, size_t most_lines) {
  std::vector<std::string> lines;
  std::string word;
  int depth = 0;
  const auto end_word = [&] {
    if (word.empty()) return;
    const bool fits = !lines.empty() && count_characters(lines.back()) + 1 + count_characters(word) <= most;
    if (fits) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
    word.clear();
  };
  for (char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ' ' && depth == 0) {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  if (lines.size() > most_lines) {
    lines.resize(most_lines);
    lines.back() += "…";
  }
  for (std::string& line : lines) line = shortened(line, most);
  return lines;
}

std::string number(int value) {
  return std::to_string(value);
}

std::string lane_text(const Lane& lane) {
  if (lane.rank < 0) return "host";
  std::string text = lane.function;
  if (lane.task >= 0) text += " #" + std::to_string(lane.task);
  const std::string half = half_text(lane.block, lane.lanes);
  if (!half.empty()) text += " " + half;
  if (lane.blocks > lane.lanes) text += " block " + std::to_string(lane.block / lane.lanes);
  return text;
}

class Drawing {
 public:
  Drawing(const Timeline& timeline, std::string id, const std::function<std::string(const Span&)>& line_id)
      : timeline_(timeline), id_(std::move(id)), line_id_(line_id) {}

  Picture draw() {
    choose();
    place_rows();
    assign_columns();
    place_columns();
    if (width_ > page_width && columns_.size() > 2) {
      size_t lines = 1;
      for (const Box& box : boxes_) {
        lines = std::max(lines, wrapped(text_of(timeline_.beats[box.beat]), narrow(1).letters, 3).size());
      }
      measures_ = narrow(static_cast<int>(lines));
      place_columns();
    }
    Picture picture;
    picture.wide = is_narrow();
    picture.note = note();
    picture.html =
        "<div class=\"scroll\" tabindex=\"0\"><div class=\"sheet\">" + head() + body() + "</div></div>\n";
    return picture;
  }

 private:
  struct Box {
    uint32_t beat;
    int row = 0;
  };
  struct Column {
    int rank = -1;
    int left = 0, width = 0;
    int end = -1;  // the last row in use
  };
  struct Life {
    int first = 0, last = 0;
    size_t column = 0;
  };

  std::string text_of(const Beat& beat) const {
    std::string text = beat.kind == Beat::Kind::Start ? lane_text(timeline_.lanes[beat.lane]) : beat.brief;
    if (beat.times > 1) text += " ×" + std::to_string(beat.times);
    return shortened(text, wide.letters);
  }
  bool is_narrow() const { return measures_.letters != wide.letters; }
  std::vector<std::string> lines_of(const Beat& beat) const {
    if (!is_narrow()) return {text_of(beat)};
    return wrapped(text_of(beat), measures_.letters, static_cast<size_t>(measures_.lines));
  }

  // The end of a schedule that goes wrong matters, the beginning of one that does not.
  void choose() {
    const std::vector<Beat>& all = timeline_.beats;
    std::set<uint32_t> lanes;
    bool wrong = false;
    for (const Beat& beat : all) {
      if (beat.wrong && lanes.size() < most_lanes) lanes.insert(beat.lane);
      wrong |= beat.wrong;
    }
    for (uint32_t lane = 0; lane < timeline_.lanes.size() && lanes.size() < most_lanes; ++lane)
      lanes.insert(lane);
    std::vector<uint32_t> fit;
    for (uint32_t i = 0; i < all.size(); ++i) {
      if (lanes.count(all[i].lane)) fit.push_back(i);
    }
    hidden_lanes_ = timeline_.lanes.size() - lanes.size();
    const size_t extra = fit.size() > most_boxes ? fit.size() - most_boxes : 0;
    if (wrong) {
      fit.erase(fit.begin(), fit.begin() + static_cast<std::ptrdiff_t>(extra));
    } else {
      fit.resize(fit.size() - extra);
    }
    for (uint32_t i : fit) {
      box_of_[i] = boxes_.size();
      boxes_.push_back({i});
    }
    for (const Link& link : timeline_.links) {
      if (box_of_.count(link.from) && box_of_.count(link.to)) links_.push_back(link);
    }
  }

  // As high as its lane, its arrows and its cell allow. Blocked agents are at the end.
  void place_rows() {
    std::map<uint32_t, int> lanes;  // the row after the last one in use
    std::map<std::string, int> cells;
    std::map<uint32_t, std::vector<uint32_t>> sources;
    for (const Link& link : links_) {
      if (link.kind != Link::Kind::Missing) sources[link.to].push_back(link.from);
    }
    for (Box& box : boxes_) {
      const Beat& beat = timeline_.beats[box.beat];
      const bool blocked = beat.kind == Beat::Kind::Blocked;
      int& lane = lanes[beat.lane];
      box.row = std::max(lane, blocked ? rows_ : 0);
      for (uint32_t source : sources[box.beat]) box.row = std::max(box.row, boxes_[box_of_[source]].row + 1);
      if (!beat.cell.empty() && !blocked) {
        int& cell = cells[beat.cell];
        box.row = std::max(box.row, cell);
        cell = box.row + 1;
      }
      lane = box.row + 1;
      if (!blocked) rows_ = std::max(rows_, box.row + 1);
    }
    for (const Link& link : links_) {
      if (link.kind == Link::Kind::Missing)
        side_by_side(boxes_[box_of_[link.from]], boxes_[box_of_[link.to]], lanes);
    }
    for (const Box& box : boxes_) rows_ = std::max(rows_, box.row + 1);
  }

  // Two uses without an order, when both are the last of their lanes.
  void side_by_side(Box& a, Box& b, const std::map<uint32_t, int>& lanes) const {
    const uint32_t first = timeline_.beats[a.beat].lane, second = timeline_.beats[b.beat].lane;
    if (first == second || !timeline_.beats[a.beat].cell.empty()) return;
    if (lanes.at(first) != a.row + 1 || lanes.at(second) != b.row + 1) return;
    a.row = b.row = std::max(a.row, b.row);
  }

  // A rank's lanes share a column unless they are alive in the same rows.
  void assign_columns() {
    for (const Box& box : boxes_) {
      auto [life, fresh] = lives_.try_emplace(timeline_.beats[box.beat].lane, Life{box.row, box.row, 0});
      if (!fresh) life->second.last = std::max(life->second.last, box.row);
    }
    // A function that submits tasks stays until they are done.
    for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
      const Beat& from = timeline_.beats[link->from];
      if (link->kind != Link::Kind::Task || from.kind != Beat::Kind::Submit) continue;
      Life& life = lives_[from.lane];
      life.last = std::max(life.last, lives_[timeline_.beats[link->to].lane].last);
    }
    for (auto& [lane, life] : lives_) {
      const int rank = timeline_.lanes[lane].rank;
      size_t c = 0;
      while (c < columns_.size() && (columns_[c].rank != rank || columns_[c].end >= life.first)) ++c;
      if (c == columns_.size()) columns_.push_back({.rank = rank});
      columns_[c].end = life.last;
      life.column = c;
    }
  }

  void place_columns() {
    std::vector<size_t> letters(columns_.size(), 8);
    for (const Box& box : boxes_) {
      const Beat& beat = timeline_.beats[box.beat];
      size_t& most = letters[lives_[beat.lane].column];
      for (const std::string& line : lines_of(beat)) most = std::max(most, count_characters(line));
    }
    indent_ =
        is_narrow()
            ? 7
            : 16 + 6 * static_cast<int>(std::to_string(timeline_.before + timeline_.beats.size()).size());
    int left = margin;
    for (size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].left = left;
      columns_[c].width =
          static_cast<int>(static_cast<double>(letters[c]) * letter) + indent_ + (is_narrow() ? 5 : 32);
      left += columns_[c].width + measures_.gap;
    }
    width_ = left - measures_.gap + margin;
  }

  const Column& column_of(uint32_t beat) const {
    return columns_[lives_.at(timeline_.beats[beat].lane).column];
  }
  int top_of(uint32_t beat) const { return margin + boxes_[box_of_.at(beat)].row * measures_.row_height; }
  int middle_of(uint32_t beat) const { return top_of(beat) + measures_.box_height / 2; }
  std::string box_id(uint32_t beat) const { return id_ + "m" + std::to_string(beat); }

  // Each rank with the columns it has, from left to right.
  template <class F>
  std::string each_rank(F f) const {
    std::string out;
    for (size_t c = 0; c < columns_.size();) {
      size_t end = c + 1;
      while (end < columns_.size() && columns_[end].rank == columns_[c].rank) ++end;
      const int left = columns_[c].left - measures_.pad;
      out +=
          f(columns_[c].rank, left, columns_[end - 1].left + columns_[end - 1].width + measures_.pad - left);
      c = end;
    }
    return out;
  }

  std::string svg(const char* kind, int height, const std::string& inside) const {
    return "<svg class=\"" + std::string(kind) + "\" width=\"" + number(width_) + "\" height=\"" +
           number(height) + "\" viewBox=\"0 0 " + number(width_) + " " + number(height) +
           "\" role=\"group\">" + inside + "</svg>";
  }

  std::string head() const {
    return svg("heads", head_height, each_rank([](int rank, int left, int width) {
                 const std::string text = rank < 0 ? "host" : "rank " + number(rank);
                 return "<rect class=\"head\" x=\"" + number(left) + "\" y=\"4\" width=\"" + number(width) +
                        "\" height=\"26\" rx=\"6\"/><text class=\"headtext\" x=\"" +
                        number(left + width / 2) + "\" y=\"21\">" + text + "</text>";
               }));
  }

  std::string body() const {
    const int height = 2 * margin + rows_ * measures_.row_height;
    std::string inside = each_rank([&](int rank, int left, int width) {
      return "<rect class=\"lane\" data-rank=\"" + number(rank) + "\" x=\"" + number(left) +
             "\" y=\"0\" width=\"" + number(width) + "\" height=\"" + number(height) + "\" rx=\"8\"/>";
    });
    for (const auto& [lane, life] : lives_) {
      const Column& column = columns_[life.column];
      inside += "<rect class=\"life\" x=\"" + number(column.left + 12) + "\" y=\"" +
                number(margin + life.first * measures_.row_height) + "\" width=\"3\" height=\"" +
                number((life.last - life.first) * measures_.row_height + measures_.box_height) + "\"/>";
    }
    for (const Link& link : links_) {
      if (link.kind != Link::Kind::Missing) inside += arrow(link);
    }
    for (const Box& box : boxes_) inside += box_text(box);
    for (const Link& link : links_) {
      if (link.kind == Link::Kind::Missing) inside += arrow(link);
    }
    return svg("steps", height, inside);
  }

  static std::string head_at(int x, int y, int direction) {
    const int back = x - 7 * direction;
    return "M" + number(x) + " " + number(y) + "L" + number(back) + " " + number(y - 4) + "L" + number(back) +
           " " + number(y + 4) + "Z";
  }

  std::string arrow(const Link& link) const {
    const Column &a = column_of(link.from), &b = column_of(link.to);
    const int y1 = middle_of(link.from), y2 = middle_of(link.to);
    const bool right = b.left > a.left, same = a.left == b.left;
    const int x1 = right || same ? a.left + a.width : a.left;
    const int x2 = right ? b.left : b.left + b.width;
    const int out = right || same ? 1 : -1, in = right ? 1 : -1;  // directions at either end
    const int bend = same ? 34 : std::max(26, std::abs(x2 - x1) / 3);
    const bool missing = link.kind == Link::Kind::Missing;
    std::string line = "M" + number(x1) + " " + number(y1) + "C" + number(x1 + out * bend) + " " +
                       number(y1) + " " + number(x2 - in * bend) + " " + number(y2) + " " +
                       number(x2 - in * 6) + " " + number(y2);
    std::string text = "<g class=\"link " + std::string(name(link.kind)) + "\" data-from=\"" +
                       box_id(link.from) + "\" data-to=\"" + box_id(link.to) +
                       "\"><path class=\"line\" d=\"" + line + "\"/><path class=\"tip\" d=\"" +
                       head_at(x2, y2, in) + (missing ? head_at(x1, y1, -out) : "") + "\"/>";
    if (missing) {
      const int x = (x1 + x2) / 2, y = (y1 + y2) / 2 - (y1 == y2 ? measures_.box_height / 2 + 6 : 0);
      text += "<rect class=\"tag\" x=\"" + number(x - 34) + "\" y=\"" + number(y - 9) +
              "\" width=\"68\" height=\"18\" rx=\"9\"/><text class=\"tagtext\" x=\"" + number(x) + "\" y=\"" +
              number(y + 4) + "\">no order</text>";
    }
    return text + "</g>";
  }

  std::string box_text(const Box& box) const {
    const Beat& beat = timeline_.beats[box.beat];
    const Lane& lane = timeline_.lanes[beat.lane];
    const Column& column = column_of(box.beat);
    const int top = top_of(box.beat), base = top + (is_narrow() ? 14 : 17);
    const std::string line = line_id_(beat.span);
    const std::string at = beat.span ? ", line " + std::to_string(beat.span.line) : "";
    std::string text = "<a class=\"step " + std::string(name(beat.kind)) + (beat.wrong ? " wrong" : "") +
                       "\" id=\"" + box_id(box.beat) + "\"";
    if (!line.empty()) text += " data-line=\"" + line + "\" href=\"#" + line + "\"";
    text += "><title>" + html_escaped(title(lane) + at + ": " + beat.text) + "</title><rect x=\"" +
            number(column.left) + "\" y=\"" + number(top) + "\" width=\"" + number(column.width) +
            "\" height=\"" + number(measures_.box_height) + "\" rx=\"" +
            (beat.kind == Beat::Kind::Start ? "13" : "5") + "\"/>";
    text += "<text class=\"no\" x=\"" + number(column.left + 7) + "\" y=\"" + number(base) + "\">" +
            std::to_string(timeline_.before + box.beat + 1) + "</text>";
    text += what(beat, column.left + indent_, base);
    if (beat.span) {
      text += "<text class=\"ln\" x=\"" + number(column.left + column.width - 7) + "\" y=\"" + number(base) +
              "\">" + std::to_string(beat.span.line) + "</text>";
    }
    return text + "</a>";
  }

  std::string what(const Beat& beat, int x, int base) const {
    const std::string at = "x=\"" + number(x) + "\" y=\"";
    if (!is_narrow()) {
      return "<text class=\"what\" " + at + number(base) + "\">" + html_escaped(text_of(beat)) + "</text>";
    }
    std::string text = "<text class=\"what\">";
    for (const std::string& line : lines_of(beat)) {
      base += line_height;
      text += "<tspan " + at + number(base) + "\">" + html_escaped(line) + "</tspan>";
    }
    return text + "</text>";
  }

  std::string note() const {
    const size_t first = boxes_.empty() ? 0 : boxes_.front().beat,
                 last = boxes_.empty() ? 0 : boxes_.back().beat + 1;
    const size_t before = timeline_.before + first;
    const size_t after = timeline_.after + timeline_.beats.size() - last;
    std::string text;
    auto add = [&text](size_t count, const char* one, const char* many) {
      if (count == 0) return;
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + (count == 1 ? one : many);
    };
    add(before, "earlier step", "earlier steps");
    add(after, "later step", "later steps");
    add(hidden_lanes_, "agent", "agents");
    return text.empty() ? "" : "Not drawn: " + text + ".";
  }

  const Timeline& timeline_;
  const std::string id_;
  const std::function<std::string(const Span&)>& line_id_;
  std::vector<Box> boxes_;
  std::map<uint32_t, size_t> box_of_;  // by beat
  std::vector<Link> links_;
  std::map<uint32_t, Life> lives_;  // by lane
  std::vector<Column> columns_;
  size_t hidden_lanes_ = 0;
  int rows_ = 0, width_ = 0;
  Measures measures_ = wide;
  int indent_ = 0;  // of a box's text, after its number
};

}  // namespace

Picture draw(const Timeline& timeline, const std::string& id,
             const std::function<std::string(const Span&)>& line_id) {
  return Drawing(timeline, id, line_id).draw();
}

}  // namespace tilewire::check
