#include <span>

#include <fmt/format.h>

#include "drawing/escape.h"
#include "drawing/filled.h"
#include "drawing/render.h"
#include "timeline_page.inc"

namespace drawing {

using namespace sim::timeline;
namespace {

constexpr double label_width = 70, plot_width = 1000, row = 18, bar_height = 13;
constexpr size_t most_rows = 500; // of the table of copies

constexpr std::pair<const char*, const char*> key[] = {
    {"compute", "computes"},      {"load", "waits for a load"},           {"wait", "waits"},
    {"flight", "copy in flight"}, {"landed", "landed, not yet observed"},
};

constexpr const char* legend = "The upper picture draws a wait for a copy like a wait for a load. A line goes from a "
                               "copy's end to the wait that it releases. The number in a bar is the copy's.";

class SvgPicture {
  public:
    SvgPicture(const View& view, uint64_t cycles) : view_(view), cycles_(std::max<uint64_t>(cycles, 1)) {}

    std::string draw(const Timeline& timeline, const std::string& name) const {
        const auto copies = bars(view_.recording, timeline);
        uint32_t lanes = 0;
        for (const auto& bar : copies)
            lanes = std::max(lanes, bar.lane + 1);
        const auto operations = tensor_bars(view_.recording, timeline);
        uint32_t tensor_lanes = 0;
        for (const auto& bar : operations)
            tensor_lanes = std::max(tensor_lanes, bar.lane + 1);
        const double first_copy = row * view_.recording.warps + 6,
                     first_operation = first_copy + row * lanes + (tensor_lanes ? 6 : 0),
                     height = first_operation + row * tensor_lanes + 22;
        std::string svg = grid(height) + warp_labels() + labels(lanes, first_copy, view_.said("copies")) +
                          labels(tensor_lanes, first_operation, "tensor");
        for (const auto& span : timeline.spans)
            svg += draw(span);
        for (const auto& bar : copies)
            svg += draw(bar, first_copy);
        for (const auto& bar : operations)
            svg += draw(bar, first_operation);
        return fmt::format("<h2>{0}{5}{1}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                           "aria-label=\"{0}\">\n<svg role=\"img\" aria-label=\"{0}; {6}\" "
                           "viewBox=\"0 0 {2} {3:.0f}\" preserveAspectRatio=\"none\" data-height=\"{3:.0f}\" "
                           "style=\"width:100%;height:{3:.0f}px\">\n{4}</svg></div>\n",
                           escape(name), view_.said(fmt::format("{} modelled cycles", timeline.cycles)),
                           label_width + plot_width, height, svg, view_.said(": "),
                           view_.said("the tables below say the same"));
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

    std::string warp_labels() const {
        std::string svg;
        for (uint32_t warp = 0; warp < view_.recording.warps; ++warp)
            svg += fmt::format("<text x=\"2\" y=\"{:.0f}\">warp {}</text>\n", row * warp + 12, warp);
        return svg;
    }

    static std::string labels(uint32_t lanes, double first, const std::string& name) {
        std::string svg;
        for (uint32_t lane = 0; lane < lanes; ++lane)
            svg += fmt::format("<text x=\"2\" y=\"{:.0f}\">{}</text>\n", first + row * lane + 12,
                               lane ? std::string() : name);
        return svg;
    }

    std::string box(const char* kind, uint64_t begin, uint64_t end, double y, const std::string& title) const {
        return fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\"><title>{}"
                           "</title></rect>\n",
                           kind, x(begin), y, std::max(x(end) - x(begin), 0.05), bar_height, escape(title));
    }

    std::string draw(const Span& span) const {
        using Kind = Span::Kind;
        const std::string what = span.kind == Kind::compute ? "computes"
                                 : span.kind == Kind::load  ? "waits for data from global memory"
                                                            : "waits for " + label(view_.recording.joins[span.join]);
        return box(span.kind == Kind::compute ? "compute"
                   : span.kind == Kind::load  ? "load"
                                              : "wait",
                   span.begin, span.end, row * span.warp + 2,
                   fmt::format("warp {}: {}, {}–{}, {}", span.warp, view_.said(what), span.begin, span.end,
                               where(view_.recording, span.place)));
    }

    std::string draw(const Bar& bar, double first_copy) const {
        const double y = first_copy + row * bar.lane + 2;
        std::string title = bar.name;
        const auto add = [&](const std::string& english) { title += view_.said(", ") + view_.said(english); };
        if (bar.bytes)
            add(fmt::format("{} bytes", bar.bytes));
        title += view_.said(", ") + where(view_.recording, bar.place);
        add(fmt::format("issued at {}", bar.issued));
        add(fmt::format("landed at {}", bar.landed));
        if (bar.observed)
            add(fmt::format("observed at {}", bar.observed));
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

/// The head of a table. `numbers`: so many columns at the right hold numbers.
std::string head(const View& view, const char* caption, std::span<const char* const> columns, size_t numbers) {
    std::string html = fmt::format("<table><caption>{}</caption><thead><tr>", view.said(caption));
    for (size_t i = 0; i < columns.size(); ++i)
        html += *columns[i] ? fmt::format("<th scope=\"col\"{}>{}</th>",
                                          i + numbers >= columns.size() ? " class=\"n\"" : "", view.said(columns[i]))
                            : "<td></td>";
    return html + "</tr></thead>\n";
}

std::string summary(const View& view, const Facts& own, const Facts& awaited) {
    static constexpr const char* both[] = {"", "each copy awaited", "as it is"};
    static constexpr const char* waits[] = {"line", "waits for", "times", "cycles, all warps"};
    std::string html = head(view, "In numbers", both, 2);
    auto line = [&](const char* name, uint64_t Facts::*member) {
        html += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                            view.said(name), awaited.*member, own.*member);
    };
    line("modelled cycles", &Facts::cycles);
    line("cycles in which warps compute (all warps)", &Facts::computing);
    line("cycles in which they wait for loads", &Facts::loading);
    line("other waits", &Facts::waiting);
    line("copies in flight (all copies)", &Facts::in_flight);
    line("of that, hidden behind computation", &Facts::hidden);
    line("bytes copied asynchronously", &Facts::bytes);
    html += "</table>\n" + head(view, "Waits, as it is", waits, 2);
    for (const auto& fact : own.waits)
        html += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                            escape(where(view.recording, fact.place)), escape(fact.name), fact.count, fact.cycles);
    return html + "</table>\n";
}

std::string copies_table(const View& view) {
    static constexpr const char* columns[] = {"copy", "line", "bytes", "issued", "landed", "observed", "by warp"};
    const auto copies = bars(view.recording, view.own);
    if (copies.empty())
        return fmt::format("<p>{}</p>\n", view.said("The kernel makes no asynchronous copies."));
    std::string html = head(view, "Copies, as it is", columns, 5);
    for (size_t i = 0; i < std::min(copies.size(), most_rows); ++i) {
        const Bar& bar = copies[i];
        html += fmt::format(
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
            "class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            escape(bar.name), escape(where(view.recording, bar.place)), bar.bytes, bar.issued, bar.landed,
            bar.observed ? std::to_string(bar.observed) : view.said("never"),
            bar.observed ? std::to_string(bar.observer) : "");
    }
    html += "</table>\n";
    if (copies.size() > most_rows)
        html +=
            fmt::format("<p>{}</p>\n", view.said(fmt::format("The first {} of {} copies.", most_rows, copies.size())));
    return html;
}

} // namespace

std::string page(const View& view) {
    const Facts own = facts(view.recording, view.own), awaited = facts(view.recording, view.awaited);
    const SvgPicture picture(view, std::max(own.cycles, awaited.cycles));
    const bool copies = !view.recording.copies.empty();
    std::string colours;
    for (const auto& [colour, what] : std::span(key).first(copies ? std::size(key) : 3))
        colours += fmt::format("<li><i style=\"background:var(--{})\"></i>{}</li>", colour, view.said(what));
    std::string about = view.said(fmt::format("Kernel {}, block {}.", view.recording.kernel, view.recording.block));
    if (view.recording.cut)
        about += view.gap() + view.said("This is its beginning: too much happens.");
    about += view.gap() +
             view.said(fmt::format("Time is in modelled cycles: a memory pipe of {} bytes per cycle and a latency "
                                   "of {} cycles, nothing else on the device.",
                                   view.model.bytes_per_cycle, view.model.latency));
    if (copies)
        about += view.gap() + view.said("Both pictures have one scale.");
    return filled(
        timeline_page_html,
        {{"title", escape(view.title)},
         {"language", view.language},
         {"about", escape(about)},
         {"conclusion", escape(conclusion(view))},
         {"key", colours},
         {"legend", copies ? fmt::format("<p>{}</p>\n", escape(view.said(legend))) : std::string()},
         {"smaller", view.said("smaller")},
         {"larger", view.said("larger")},
         {"pictures", (copies ? picture.draw(view.awaited, view.said("Each copy awaited where it is issued")) : "") +
                          picture.draw(view.own, view.said("As it is"))},
         {"tables", summary(view, own, awaited) + copies_table(view)}});
}

} // namespace drawing
