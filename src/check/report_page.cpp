// The hashes are SHA-256 in Base64, of the text between the parentheses; tests/system/test_check_page.py says
// what they must be when it changes.
#include "check/report_page.h"

namespace tilewire::check {

const std::string_view page_style_hash = "sha256-HQRKXjSiM992eFT7YcGH3u/Un5aYi0GWHGmKWhe27Ls=";
const std::string_view page_style = R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1b1f26; --soft: #5b6472; --rule: #dfe3ea; --band: #eef1f6;
  --good: #1a7f4b; --good-soft: #dff3e6; --bad: #c4262e; --bad-soft: #fde5e5; --open: #9a6400;
    --open-soft: #fdf0d5;
  --notify: #2563c9; --notify-soft: #e3edfc; --wait: #14795a; --wait-soft: #def3ea; --read: #5b6472;
    --read-soft: #f1f3f6;
  --write: #9a5b00; --write-soft: #fdf1dc; --task: #8d96a5; --task-soft: #ffffff; --lit: #fff3b8;
  --mono: ui-monospace, "SFMono-Regular", Menlo, "DejaVu Sans Mono", Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14171c; --card: #1c2027; --ink: #e4e8ee; --soft: #98a2b3; --rule: #313845; --band: #22272f;
    --good: #55c98a; --good-soft: #173524; --bad: #ff7b7b; --bad-soft: #43191c; --open: #e3b04b;
      --open-soft: #3b2d10;
    --notify: #7fb0ff; --notify-soft: #1b2c48; --wait: #5fd0a5; --wait-soft: #16352b; --read: #a8b1bf;
      --read-soft: #2a303a;
    --write: #e9b25c; --write-soft: #3a2c14; --task: #7a8494; --task-soft: #1c2027; --lit: #4a4212;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 12px; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI",
  Roboto, "DejaVu Sans", sans-serif; }
code, pre, .mono { font-family: var(--mono); }
a { color: inherit; }
header { padding: 22px 28px 14px; }
h1 { margin: 0; font-size: 21px; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 0 0 4px; font-size: 18px; }
h3 { margin: 0 0 8px; font-size: 16px; font-weight: 600; overflow-wrap: anywhere; }
.lede { margin: 4px 0 14px; color: var(--soft); }
nav { display: flex; flex-wrap: wrap; gap: 8px; }
.chip { display: inline-flex; gap: 8px; align-items: center; padding: 5px 13px; border: 1px solid
  var(--rule); border-radius: 999px; background: var(--card); text-decoration: none; font-size: 14px; }
.chip b { font-weight: 650; }
.chip:hover { border-color: var(--soft); }
.chip.now { border-color: currentColor; box-shadow: inset 0 0 0 1px currentColor; }
.proved b, .verdict.proved { color: var(--good); }
.refuted b, .invalid b, .error b, .verdict.refuted, .verdict.invalid { color: var(--bad); }
.bounded b, .warning b, .verdict.bounded { color: var(--open); }
main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(300px, 34%); gap: 20px; padding: 0 28px
  40px; align-items: start; }
@media (max-width: 1000px) { main { grid-template-columns: minmax(0, 1fr); } aside { position: static
  !important; max-height: 60vh !important; } }
@media (max-width: 1800px) { main.wide { grid-template-columns: minmax(0, 1fr); } main.wide aside { position:
  static; max-height: 60vh; } }
section, article, aside { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; }
section { padding: 18px 20px; margin-bottom: 20px; }
article { padding: 16px 18px; margin-top: 16px; }
article:target { border-color: var(--soft); }
.method { margin: 0 0 12px; color: var(--soft); }
.kind { display: inline-block; padding: 1px 9px; margin-right: 8px; border-radius: 6px; font-size: 13px;
  font-weight: 650; vertical-align: 1px; }
.error > h3 .kind { color: var(--bad); background: var(--bad-soft); }
.warning > h3 .kind { color: var(--open); background: var(--open-soft); }
.notes, .story { margin: 8px 0 12px; padding-left: 22px; }
.notes li, .story li { margin: 2px 0; overflow-wrap: anywhere; }
.story li.wrong { color: var(--bad); font-weight: 600; }
.story .gap { color: var(--soft); list-style: none; }
.at { font-family: var(--mono); font-size: 13px; color: var(--soft); }
details > summary { cursor: pointer; font-weight: 600; margin: 10px 0 4px; }
.said { color: var(--soft); font-size: 13px; margin: 6px 0 0; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--rule); vertical-align:
  top; }
th { color: var(--soft); font-weight: 600; }
.general { color: var(--open); font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0 0; padding: 0; list-style: none;
  color: var(--soft); font-size: 13px; }
.legend i { display: inline-block; width: 12px; height: 12px; margin-right: 6px; border-radius: 3px;
  border: 1.5px solid; vertical-align: -1px; }
.legend .add { color: var(--notify); background: var(--notify-soft); } .legend .wait { color: var(--wait);
  background: var(--wait-soft); }
.legend .read { color: var(--read); background: var(--read-soft); } .legend .write { color: var(--write);
  background: var(--write-soft); }
.legend .bad { color: var(--bad); background: var(--bad-soft); }

.scroll { overflow: auto; max-height: 78vh; border: 1px solid var(--rule); border-radius: 10px;
  background: var(--card); }
.sheet { width: max-content; min-width: 100%; }
.heads { display: block; position: sticky; top: 0; background: var(--card); box-shadow: 0 1px var(--rule);
  z-index: 1; }
.steps { display: block; }
.head { fill: var(--band); }
.headtext { text-anchor: middle; font: 600 13px system-ui, sans-serif; fill: var(--ink); }
.lane { fill: var(--band); opacity: .55; }
.life { fill: var(--task); opacity: .45; }
.step { cursor: pointer; text-decoration: none; }
.step rect { fill: var(--read-soft); stroke: var(--read); stroke-width: 1.2; }
.step text { font: 11px var(--mono); fill: var(--ink); }
.step .no { fill: var(--soft); font-size: 10px; }
.step .ln { fill: var(--soft); font-size: 10px; text-anchor: end; }
.step.start rect { fill: var(--task-soft); stroke: var(--task); stroke-dasharray: 3 2; }
.step.start .what { font-weight: 600; }
.step.submit rect, .step.join rect { fill: var(--task-soft); stroke: var(--task); }
.step.add rect, .step.set rect { fill: var(--notify-soft); stroke: var(--notify); }
.step.wait rect, .step.test rect, .step.look rect { fill: var(--wait-soft); stroke: var(--wait); }
.step.write rect, .step.update rect { fill: var(--write-soft); stroke: var(--write); }
.step.wrong rect { fill: var(--bad-soft); stroke: var(--bad); stroke-width: 2.4; }
.step.blocked rect { stroke-dasharray: 6 3; }
.step.wrong .what { font-weight: 700; fill: var(--bad); }
.step:focus-visible { outline: none; }
.step:focus-visible rect, .step.on rect { stroke: var(--ink); stroke-width: 2.6; }
.step.other rect { stroke: var(--ink); stroke-width: 2; }
.link .line { fill: none; stroke-width: 1.6; }
.link.signal .line { stroke: var(--notify); } .link.signal .tip { fill: var(--notify); }
.link.part .line { stroke: var(--notify); opacity: .4; stroke-width: 1.1; } .link.part .tip { fill:
  var(--notify); opacity: .4; }
.link.task .line { stroke: var(--task); opacity: .6; stroke-width: 1.1; } .link.task .tip { fill:
  var(--task); opacity: .6; }
.link.missing .line { stroke: var(--bad); stroke-width: 2.2; stroke-dasharray: 7 4; } .link.missing .tip {
  fill: var(--bad); }
.link .tag { fill: var(--card); stroke: var(--bad); }
.link .tagtext { font: 600 11px system-ui, sans-serif; text-anchor: middle; fill: var(--bad); }
.link.on .line { stroke-width: 3; opacity: 1; } .link.on .tip { opacity: 1; }
.picked .link:not(.on) { opacity: .25; }

aside { position: sticky; top: 12px; max-height: calc(100vh - 24px); overflow: auto; }
aside h2 { position: sticky; top: 0; left: 0; padding: 12px 16px 8px; background: var(--card); font: 600
  14px var(--mono); overflow-wrap: anywhere; }
aside pre { margin: 0 0 10px; font-size: 12.5px; line-height: 1.5; width: max-content; min-width: 100%;
  tab-size: 4; }
.l { display: block; padding-right: 16px; border-left: 4px solid transparent; }
.l .n { display: inline-block; width: 46px; padding-right: 12px; text-align: right; color: var(--soft);
  user-select: none; }
.l.used .n { color: var(--notify); font-weight: 600; }
.l.bad { border-left-color: var(--bad); background: var(--bad-soft); }
.l.odd { border-left-color: var(--open); }
.l:target, .l.on { background: var(--lit); }
.cut { display: block; padding: 2px 16px 2px 60px; color: var(--soft); }
.scripted .hidden { display: none; }
@media print { aside { position: static; max-height: none; } .scroll { max-height: none; overflow:
  visible; } }
)css";

const std::string_view page_script_hash = "sha256-hhlFQjB2Nq6utxUt4L5suVRvCYwsoaqdfH+66aocbx8=";
const std::string_view page_script = R"js(
"use strict";
(function () {
  var all = function (query, root) { return Array.prototype.slice.call((root ||
    document).querySelectorAll(query)); };
  var byId = function (id) { return document.getElementById(id); };
  var pinned = null;
  document.documentElement.classList.add("scripted");

  function clear() {
    all(".on, .other, .picked").forEach(function (e) { e.classList.remove("on", "other", "picked"); });
  }
  function show(step) {
    clear();
    if (!step) return;
    step.classList.add("on");
    var picture = step.closest("svg");
    all(".link", picture).forEach(function (link) {
      var from = link.getAttribute("data-from"), to = link.getAttribute("data-to");
      if (from !== step.id && to !== step.id) return;
      link.classList.add("on");
      picture.classList.add("picked");
      byId(from === step.id ? to : from).classList.add("other");
    });
    var line = byId(step.getAttribute("data-line"));
    if (line) line.classList.add("on");
  }
  function scrollInside(box, thing) {
    var a = box.getBoundingClientRect(), b = thing.getBoundingClientRect();
    if (b.top < a.top + 40 || b.bottom > a.bottom) box.scrollTop += b.top - a.top - a.height / 2;
  }
  function select(group, chosen) {
    all("." + group).forEach(function (part) {
      if (part.getAttribute("data-of") === chosen.getAttribute("data-of")) part.classList.toggle("hidden",
        part !== chosen);
    });
    all("a.chip").forEach(function (chip) {
      var part = byId(chip.getAttribute("href").slice(1));
      chip.classList.toggle("now", !!part && !part.classList.contains("hidden"));
    });
  }
  // Where a place of the page is asked for, what holds it is shown first.
  function open(id) {
    var thing = byId(id);
    var finding = thing && thing.closest(".finding"), report = thing && thing.closest(".report");
    if (report) select("report", report);
    if (finding) select("finding", finding);
    return thing;
  }

  all(".step").forEach(function (step) {
    step.addEventListener("mouseenter", function () { if (!pinned) show(step); });
    step.addEventListener("mouseleave", function () { if (!pinned) clear(); });
    step.addEventListener("focus", function () { if (!pinned) show(step); });
    step.addEventListener("click", function (event) {
      event.preventDefault();
      pinned = pinned === step ? null : step;
      show(step);
      var line = byId(step.getAttribute("data-line")), box = line && line.closest("aside");
      if (box) scrollInside(box, line);
    });
  });
  all(".l").forEach(function (line) {
    line.addEventListener("mouseenter", function () {
      if (pinned) return;
      clear();
      line.classList.add("on");
      all('.step[data-line="' + line.id + '"]').forEach(function (step) { step.classList.add("on"); });
    });
    line.addEventListener("mouseleave", function () { if (!pinned) clear(); });
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape") { pinned = null; clear(); }
  });
  all("a.chip").forEach(function (chip) {
    chip.addEventListener("click", function (event) {
      event.preventDefault();
      pinned = null;
      clear();
      var id = chip.getAttribute("href").slice(1);
      open(id);
      history.replaceState(null, "", "#" + id);
    });
  });
  all(".report").forEach(function (report, i) {
    report.setAttribute("data-of", "page");
    all(".finding", report).forEach(function (finding, k) {
      finding.setAttribute("data-of", report.id);
      finding.classList.toggle("hidden", k > 0);
    });
    report.classList.toggle("hidden", i > 0);
  });
  var wrong = document.querySelector(".report.refuted") || document.querySelector(".report");
  if (wrong) select("report", wrong);
  if (location.hash) open(location.hash.slice(1));
  all(".scroll").forEach(function (box) {
    var step = box.querySelector(".step.wrong");
    if (step) scrollInside(box, step);
  });
})();
)js";

}  // namespace tilewire::check
