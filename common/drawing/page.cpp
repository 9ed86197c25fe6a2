#include <span>

#include <fmt/format.h>

#include "drawing/escape.h"
#include "drawing/render.h"

namespace drawing {

using namespace sim::timeline;
namespace {

constexpr double label_width = 70, plot_width = 1000, row = 18, bar_height = 13;
constexpr size_t most_rows = 500; // of the table of copies

constexpr std::string_view style = R"(
:root{color-scheme:light dark;--compute:#3a8f3a;--load:#d09a1c;--wait:#e3b7b7;--flight:#2d6fb7;--landed:#a9c8ea;--ink:#1b1b1b;--paper:#fff;--line:#ccc}
@media(prefers-color-scheme:dark){:root{color-scheme:light dark;--compute:#59b359;--load:#e0b040;--wait:#6d3d3d;--flight:#5d9be0;--landed:#2c4866;--ink:#e8e8e8;--paper:#161616;--line:#444}}
@media print{:root{color-scheme:light;--compute:#3a8f3a;--load:#d09a1c;--wait:#e3b7b7;--flight:#2d6fb7;--landed:#a9c8ea;--ink:#000;--paper:#fff;--line:#999}h2,tr,.scroll{break-inside:avoid}h2,caption{break-after:avoid}.tools{display:none}.scroll{overflow:visible!important}svg{width:100%!important;height:auto}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:1.5rem auto;padding:0 1.5rem;max-width:1150px}
h1{font-size:1.35rem}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:3px;padding-top:2px}.scroll:focus-visible{outline:2px solid var(--flight)}svg{display:block}svg text{fill:var(--ink);font:11px system-ui,sans-serif}
.compute{fill:var(--compute)}.load{fill:var(--load)}.wait{fill:var(--wait)}.flight{fill:var(--flight)}.landed{fill:var(--landed)}
.arrow{stroke:var(--ink);stroke-width:.8;fill:none;opacity:.55}.grid{stroke:var(--line);stroke-width:.5}
svg text.number{fill:var(--paper);pointer-events:none}.result{font-weight:600}h1{overflow-wrap:anywhere}.scroll svg{min-width:640px}
@media(max-width:600px){table{display:block;overflow-x:auto}}
rect:hover{stroke:var(--ink);stroke-width:1.5}
table{border-collapse:collapse;margin:1.6rem 0}th,td{border-bottom:1px solid var(--line);padding:.2rem .9rem .2rem 0;text-align:left;font-weight:400;vertical-align:top}
thead th{font-weight:600}.n{text-align:right;font-variant-numeric:tabular-nums;padding-right:.4rem;padding-left:.9rem}caption{text-align:left;font-size:1.1rem;font-weight:600;padding-bottom:.3rem}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;padding:0}.key i{display:inline-block;width:1.1em;height:.8em;margin-right:.4em}
button{font:inherit;min-width:2.2em}
)";

// The pictures stretch together, so that they keep one scale.
constexpr std::string_view script = R"(
(function(){
  var zoom=1,all=document.querySelectorAll('.scroll svg'),out=document.getElementById('zoom');
  function show(){for(var i=0;i<all.length;i++){all[i].style.width=(zoom*100)+'%';all[i].style.height=all[i].dataset.height+'px';}
    var t=document.querySelectorAll('.scroll svg text');
    for(i=0;i<t.length;i++){var x=t[i].getAttribute('x'),s=t[i].ownerSVGElement,r=s.viewBox.baseVal.width/s.clientWidth;
      t[i].setAttribute('transform','translate('+x+' 0) scale('+r+' 1) translate(-'+x+' 0)');
      t[i].style.display=t[i].dataset.even==='0'&&r>1.2||t[i].dataset.room&&t[i].dataset.room/r<7*t[i].textContent.length+4?'none':'';}
    out.textContent=zoom+' ×';}
  function by(f){zoom=Math.min(32,Math.max(1,zoom*f));show();}
  document.getElementById('in').onclick=function(){by(2)};
  document.getElementById('out').onclick=function(){by(.5)};
  document.addEventListener('keydown',function(e){if(e.key==='+')by(2);if(e.key==='-')by(.5)});
  var boxes=document.querySelectorAll('.scroll');
  for(var i=0;i<boxes.length;i++)boxes[i].onscroll=function(){for(var j=0;j<boxes.length;j++)boxes[j].scrollLeft=this.scrollLeft};
  window.onbeforeprint=function(){zoom=1;show()};
  window.onresize=show;show();
})();
)";

constexpr std::pair<const char*, const char*> key[] = {
    {"compute", "computes"},      {"load", "waits for a load"},           {"wait", "waits"},
    {"flight", "copy in flight"}, {"landed", "landed, not yet observed"},
};

class SvgPicture {
  public:
    SvgPicture(const View& view, uint64_t cycles) : view_(view), cycles_(std::max<uint64_t>(cycles, 1)) {}

    std::string draw(const Timeline& timeline, const std::string& name) const {
        const auto copies = bars(view_.recording, timeline);
        uint32_t lanes = 0;
        for (const auto& bar : copies)
            lanes = std::max(lanes, bar.lane + 1);
        const double first_copy = row * view_.recording.warps + 6, height = first_copy + row * lanes + 22;
        std::string svg = grid(height) + labels(lanes, first_copy);
        for (const auto& span : timeline.spans)
            svg += draw(span);
        for (const auto& bar : copies)
            svg += draw(bar, first_copy);
        return fmt::format("<h2>{0}: {1} modelled cycles</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                           "aria-label=\"{0}\">\n<svg role=\"img\" aria-label=\"{0}; the tables below say the same\" "
                           "viewBox=\"0 0 {2} {3:.0f}\" preserveAspectRatio=\"none\" data-height=\"{3:.0f}\" "
                           "style=\"width:100%;height:{3:.0f}px\">\n{4}</svg></div>\n",
                           escape(name), timeline.cycles, label_width + plot_width, height, svg);
    }

  private:
    double x(uint64_t time) const { return label_width + plot_width * double(time) / double(cycles_); }

    std::string grid(double height) const {
        std::string svg;
        uint64_t step = 1; // 1, 2 or 5 times a power of ten, for ten lines at most
        for (int i = 0; cycles_ / step >= 10; ++i)
            step = step / (i % 3 == 1 ? 2 : 1) * (i % 3 == 1 ? 5 : 2);
        for (uint64_t time = 0, i = 0; time <= cycles_; time += step, ++i) {
            svg += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.0f}\"/>", x(time),
                               height - 14);
            svg +=
                fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" text-anchor=\"{}\" data-even=\"{}\">{}</text>\n", x(time),
                            height - 3, cycles_ - time < cycles_ / 40 ? "end" : "middle", i % 2 ? 0 : 1, time);
        }
        return svg;
    }

    std::string labels(uint32_t lanes, double first_copy) const {
        std::string svg;
        for (uint32_t warp = 0; warp < view_.recording.warps; ++warp)
            svg += fmt::format("<text x=\"2\" y=\"{:.0f}\">warp {}</text>\n", row * warp + 12, warp);
        for (uint32_t lane = 0; lane < lanes; ++lane)
            svg += fmt::format("<text x=\"2\" y=\"{:.0f}\">{}</text>\n", first_copy + row * lane + 12,
                               lane ? "" : "copies");
        return svg;
    }

    std::string box(const char* kind, uint64_t begin, uint64_t end, double y, const std::string& title) const {
        return fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\"><title>{}"
                           "</title></rect>\n",
                           kind, x(begin), y, std::max(x(end) - x(begin), 0.05), bar_height, escape(title));
    }

    std::string draw(const Span& span) const {
        const bool computes = span.kind == Span::Kind::compute;
        const std::string what = computes                        ? "computes"
                                 : span.kind == Span::Kind::load ? "waits for data from global memory"
                                                                 : "waits: " + label(view_.recording.joins[span.join]);
        return box(computes                        ? "compute"
                   : span.kind == Span::Kind::load ? "load"
                                                   : "wait",
                   span.begin, span.end, row * span.warp + 2,
                   fmt::format("warp {} {}, {} to {}, {}", span.warp, what, span.begin, span.end,
                               where(view_.recording, span.place)));
    }

    std::string draw(const Bar& bar, double first_copy) const {
        const double y = first_copy + row * bar.lane + 2;
        const std::string title = fmt::format("{}, {} bytes, {}: issued {}, landed {}{}", bar.name, bar.bytes,
                                              where(view_.recording, bar.place), bar.issued, bar.landed,
                                              bar.observed ? fmt::format(", observed {}", bar.observed) : "");
        std::string svg = box("flight", bar.issued, bar.landed, y, title);
        svg += number(bar, y);
        if (!bar.observed || bar.out)
            return svg;
        if (bar.observed > bar.landed)
            svg += box("landed", bar.landed, bar.observed, y + 3, title);
        svg += fmt::format(
            "<path class=\"arrow\" vector-effect=\"non-scaling-stroke\" d=\"M{:.2f} {:.0f}L{:.2f} {:.0f}\"/>\n",
            x(bar.landed), y, x(bar.observed), row * bar.observer + 2 + bar_height);
        return svg;
    }

    // The script hides it where the window is too narrow for it.
    std::string number(const Bar& bar, double y) const {
        const std::string digits = std::to_string(bar.number);
        const double width = x(bar.landed) - x(bar.issued);
        return width < 7.0 * double(digits.size()) + 4
                   ? ""
                   : fmt::format("<text class=\"number\" x=\"{:.1f}\" y=\"{:.0f}\" data-room=\"{:.0f}\">{}</text>\n",
                                 x(bar.issued) + 3, y + 10, width, digits);
    }

    const View& view_;
    const uint64_t cycles_;
};

std::string summary(const View& view, const Facts& own, const Facts& awaited) {
    std::string html =
        "<table><caption>In numbers</caption><thead><tr><td></td><th scope=\"col\" class=\"n\">each copy "
        "awaited</th><th scope=\"col\" class=\"n\">as it is</th></tr></thead>\n";
    auto line = [&](const char* name, uint64_t Facts::*member) {
        html += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n", name,
                            awaited.*member, own.*member);
    };
    line("modelled cycles", &Facts::cycles);
    line("cycles in which warps compute (all warps)", &Facts::computing);
    line("cycles in which they wait for loads", &Facts::loading);
    line("other waits", &Facts::waiting);
    line("copies in flight (all copies)", &Facts::in_flight);
    line("of that, hidden behind computation", &Facts::hidden);
    line("bytes copied asynchronously", &Facts::bytes);
    html += "</table>\n<table><caption>Waits, as it is</caption><thead><tr><th scope=\"col\">line</th><th "
            "scope=\"col\">waits "
            "for</th><th scope=\"col\" class=\"n\">times</th><th scope=\"col\" class=\"n\">cycles, all "
            "warps</th></tr></thead>\n";
    for (const auto& fact : own.waits)
        html += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                            escape(where(view.recording, fact.place)), escape(fact.name), fact.count, fact.cycles);
    return html + "</table>\n";
}

std::string copies_table(const View& view) {
    const auto copies = bars(view.recording, view.own);
    if (copies.empty())
        return "<p>The kernel makes no asynchronous copies.</p>\n";
    std::string html =
        "<table><caption>Copies, as it is</caption><thead><tr><th scope=\"col\">copy</th><th scope=\"col\">line</th>"
        "<th scope=\"col\" class=\"n\">bytes</th><th scope=\"col\" class=\"n\">issued</th><th scope=\"col\" "
        "class=\"n\">landed</th><th scope=\"col\" class=\"n\">observed</th><th scope=\"col\" class=\"n\">by "
        "warp</th></tr></thead>\n";
    for (size_t i = 0; i < std::min(copies.size(), most_rows); ++i) {
        const Bar& bar = copies[i];
        html += fmt::format(
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
            "class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            escape(bar.name), escape(where(view.recording, bar.place)), bar.bytes, bar.issued, bar.landed,
            bar.observed ? std::to_string(bar.observed) : "never", bar.observed ? std::to_string(bar.observer) : "");
    }
    html += "</table>\n";
    if (copies.size() > most_rows)
        html += fmt::format("<p>The first {} of {} copies.</p>\n", most_rows, copies.size());
    return html;
}

} // namespace

std::string page(const View& view) {
    const Facts own = facts(view.recording, view.own), awaited = facts(view.recording, view.awaited);
    const SvgPicture picture(view, std::max(own.cycles, awaited.cycles));
    std::string html = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
        "content=\"width=device-width, "
        "initial-scale=1\"/>\n<title>{0}</title>\n<style>{1}</style></head>\n<body>\n<h1>{0}"
        "</h1>\n<p>Kernel {2}, block {3}{4}. Time is in modelled cycles: a memory pipe of {5} bytes per cycle "
        "and a latency of {6} cycles, nothing else on the device. {7}</p>\n",
        escape(view.title), style, escape(view.recording.kernel), view.recording.block,
        view.recording.cut ? " (its beginning: too much happens)" : "", view.model.bytes_per_cycle, view.model.latency,
        view.recording.copies.empty() ? "" : "Both pictures have one scale.");
    html += fmt::format("<p class=\"result\">{}</p>\n<ul class=\"key\">", escape(conclusion(view)));
    const bool copies = !view.recording.copies.empty();
    for (const auto& [colour, what] : std::span(key).first(copies ? std::size(key) : 3))
        html += fmt::format("<li><i style=\"background:var(--{})\"></i>{}</li>", colour, what);
    html += "</ul>\n";
    if (copies)
        html += "<p>The upper picture draws a wait for a copy like a wait for a load. A line goes from a "
                "copy's end to the wait that it releases. The number in a bar is the copy's.</p>\n";
    html += "<p class=\"tools\"><button id=\"out\" aria-label=\"smaller\">−</button> <button id=\"in\" "
            "aria-label=\"larger\""
            ">+</button> <span id=\"zoom\" aria-live=\"polite\">1 ×</span></p>\n";
    if (copies)
        html += picture.draw(view.awaited, "Each copy awaited where it is issued");
    html += picture.draw(view.own, "As it is");
    html += summary(view, own, awaited) + copies_table(view);
    return html + fmt::format("<script>{}</script>\n</body></html>\n", script);
}

} // namespace drawing
