#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "drawing/render.h"

namespace drawing {

using namespace sim::timeline;
namespace {

constexpr size_t most_warps = 12, most_lanes = 12, most_waits = 6, margin = 9;

struct Glyphs {
    const char *compute, *load, *wait, *flight, *landed, *observed, *nothing;
};
constexpr Glyphs utf8_glyphs{"█", "▒", "·", "━", "┄", "▸", " "}, ascii_glyphs{"#", "%", ".", "=", "-", ">", " "};

enum class Cell : uint8_t { nothing, compute, load, wait, flight, landed, observed };

class TerminalPicture {
  public:
    TerminalPicture(const View& view, const TerminalStyle& style)
        : view_(view), style_(style), glyphs_(style.utf8 ? utf8_glyphs : ascii_glyphs),
          columns_(std::clamp<size_t>(style.width, 40, 400) - margin - 1),
          cycles_(std::max({view.own.cycles, view.awaited.cycles, uint64_t{1}})) {}

    std::string draw(const Timeline& timeline) {
        text_.clear();
        const auto copies = bars(view_.recording, timeline);
        draw_warps(timeline);
        draw_copies(copies, view_.said("copies"));
        draw_copies(tensor_bars(view_.recording, timeline), "tensor");
        return std::move(text_);
    }

    std::string axis() const {
        const std::string right = view_.said(fmt::format("{} modelled cycles", cycles_));
        return fmt::format("{:>{}} 0{:>{}}\n", "", margin, right, columns_ - 1);
    }

  private:
    size_t column(uint64_t time) const { return std::min(columns_ - 1, size_t(time * columns_ / cycles_)); }

    void draw_warps(const Timeline& timeline) {
        const size_t shown = std::min<size_t>(view_.recording.warps, most_warps);
        for (uint32_t warp = 0; warp < shown; ++warp) {
            // The time that each kind takes of each column; the largest share is drawn.
            std::vector<std::array<uint64_t, 3>> share(columns_);
            for (const auto& span : timeline.spans)
                if (span.warp == warp)
                    for (size_t c = column(span.begin); c <= column(span.end - 1); ++c) {
                        const uint64_t begin = c * cycles_ / columns_, end = (c + 1) * cycles_ / columns_ + 1;
                        share[c][size_t(span.kind)] +=
                            std::min(end, span.end) - std::min(std::max(begin, span.begin), end);
                    }
            std::vector<Cell> cells(columns_);
            for (size_t c = 0; c < columns_; ++c)
                if (const auto most = std::ranges::max_element(share[c]); *most)
                    cells[c] = Cell(1 + (most - share[c].begin()));
            line(fmt::format("warp {}", warp), cells, wait_names(timeline, warp, cells));
        }
        if (shown < view_.recording.warps)
            text_ += fmt::format("{:>{}} {}\n", "", margin,
                                 view_.said(fmt::format("and {} more warps", view_.recording.warps - shown)));
    }

    /// Names of waits where there is room for them, to be written over the cells.
    std::vector<std::pair<size_t, std::string>> wait_names(const Timeline& timeline, uint32_t warp,
                                                           const std::vector<Cell>& cells) const {
        std::vector<std::pair<size_t, std::string>> names;
        for (const auto& span : timeline.spans) {
            if (span.warp != warp || span.kind == Span::Kind::compute)
                continue;
            const Cell kind = span.kind == Span::Kind::load ? Cell::load : Cell::wait;
            size_t first = column(span.begin), last = column(span.end - 1);
            while (first < last && cells[first] != kind)
                ++first;
            while (last > first && cells[last] != kind)
                --last;
            std::string name = "load";
            if (span.kind == Span::Kind::wait) {
                const Join& join = view_.recording.joins[span.join];
                name = join.phase == none ? join.name : fmt::format("{} phase {}", join.name, join.phase);
            }
            if (cells[first] == kind && last - first >= name.size() + 1)
                names.emplace_back(first + 1, name);
        }
        return names;
    }

    void draw_copies(const std::vector<Bar>& copies, const std::string& label) {
        uint32_t lanes = 0;
        for (const auto& bar : copies)
            lanes = std::max(lanes, bar.lane + 1);
        for (uint32_t lane = 0; lane < std::min<uint32_t>(lanes, most_lanes); ++lane) {
            std::vector<Cell> cells(columns_);
            std::vector<std::pair<size_t, std::string>> names;
            for (const auto& bar : copies) {
                if (bar.lane != lane)
                    continue;
                const size_t first = column(bar.issued), landed = column(bar.landed), last = column(bar.end());
                std::fill(cells.begin() + long(first), cells.begin() + long(landed) + 1, Cell::flight);
                std::fill(cells.begin() + long(landed) + 1, cells.begin() + long(std::max(last, landed)) + 1,
                          Cell::landed);
                if (bar.observed && !bar.out)
                    cells[last] = Cell::observed;
                const std::string number = std::to_string(bar.number);
                const std::string& name = last - first >= bar.name.size() + 2 ? bar.name : number;
                if (last - first >= name.size() + 1)
                    names.emplace_back(first + 1, name);
            }
            line(lane ? std::string() : label, cells, names);
        }
        if (lanes > most_lanes)
            text_ += fmt::format("{:>{}} {}\n", "", margin,
                                 view_.said(fmt::format("and {} more at once", lanes - most_lanes)));
    }

    void line(const std::string& name, const std::vector<Cell>& cells,
              const std::vector<std::pair<size_t, std::string>>& names) {
        std::string row;
        auto next = names.begin();
        Cell painted = Cell::nothing;
        for (size_t c = 0; c < cells.size(); ++c) {
            while (next != names.end() && next->first + next->second.size() <= c)
                ++next;
            if (style_.colour && painted != cells[c])
                row += colour(painted = cells[c]);
            if (next != names.end() && c >= next->first)
                row += next->second[c - next->first];
            else
                row += glyph(cells[c]);
        }
        if (style_.colour)
            row += "\033[0m";
        else
            row.erase(row.find_last_not_of(' ') + 1);
        text_ += fmt::format("{:>{}} {}\n", name, margin, row);
    }

    const char* glyph(Cell cell) const {
        const char* const all[] = {glyphs_.nothing, glyphs_.compute, glyphs_.load,    glyphs_.wait,
                                   glyphs_.flight,  glyphs_.landed,  glyphs_.observed};
        return all[size_t(cell)];
    }
    static const char* colour(Cell cell) {
        static constexpr const char* all[] = {"\033[0m",    "\033[0;32m", "\033[0;33m", "\033[0;31m",
                                              "\033[0;36m", "\033[0;36m", "\033[1;36m"};
        return all[size_t(cell)];
    }

    const View& view_;
    const TerminalStyle style_;
    const Glyphs& glyphs_;
    const size_t columns_;
    const uint64_t cycles_;
    std::string text_;
};

} // namespace

View make_view(std::string title, const Recording& recording, const Model& model) {
    return {std::move(title), recording, model, replay(recording, model), replay(recording, model, Copies::awaited)};
}

/// Is one of these waits still there when nothing moves any more?
static bool never_ends(const View& view, const WaitFact& fact) {
    return std::ranges::any_of(view.recording.events, [&](const Event& event) {
        return event.kind == Event::Kind::wait && view.recording.joins[event.what].never &&
               view.recording.joins[event.what].name == fact.name &&
               where(view.recording, event.place) == where(view.recording, fact.place);
    });
}

/// "warp 0 waits for empty[1] at kernel.cu:40", for some warps.
static std::string stuck(const View& view) {
    std::string all;
    size_t warps = 0;
    std::set<std::string> known;
    for (const Event& event : view.recording.events)
        if (event.kind == Event::Kind::wait && view.recording.joins[event.what].never) {
            const std::string& name = view.recording.joins[event.what].name;
            const std::string at = where(view.recording, event.place);
            if (known.insert(name + " " + at).second && ++warps <= 4)
                all += view.gap() + view.said(fmt::format("Warp {} waits for {} at {}.", event.warp, name, at));
        }
    return all;
}

std::string conclusion(const View& view) {
    if (view.recording.hangs)
        return view.said("The kernel does not end, so its speed says nothing.") + stuck(view);
    const std::string why = view.said(bound(view.recording, view.model, view.own).why());
    if (view.recording.copies.empty())
        return view.said("It makes no asynchronous copies.") + view.gap() + why;
    const Facts own = facts(view.recording, view.own);
    return view.said(fmt::format("{} cycles instead of {}: {:.2f} times as fast.", view.own.cycles, view.awaited.cycles,
                                 double(view.awaited.cycles) / double(std::max<uint64_t>(view.own.cycles, 1)))) +
           view.gap() +
           view.said(fmt::format("{:.0f} % of the copies' time in flight is hidden behind computation.",
                                 100.0 * double(own.hidden) / double(std::max<uint64_t>(own.in_flight, 1)))) +
           view.gap() + why;
}

/// What the glyphs mean.
static std::string glyph_key(const View& view, const Glyphs& glyphs) {
    const auto entry = [&](const char* glyph, const char* meaning) {
        return fmt::format("{} {}", glyph, view.said(meaning));
    };
    const bool copies = !view.recording.copies.empty();
    std::string text = entry(glyphs.compute, "computes") + "   " +
                       entry(glyphs.load, copies ? "waits for a load, or above for a copy" : "waits for a load") +
                       "   " + entry(glyphs.wait, "waits");
    if (copies)
        text += "   " + view.said("copy:") + " " + entry(glyphs.flight, "in flight") + " " +
                entry(glyphs.landed, "landed") + " " + entry(glyphs.observed, "observed by a wait");
    return text + "\n";
}

std::string terminal(const View& view, const TerminalStyle& style) {
    const Facts own = facts(view.recording, view.own);
    std::string text =
        fmt::format("{}: {}{}\n", view.title,
                    view.said(fmt::format("kernel {}, block {}", view.recording.kernel, view.recording.block)),
                    view.recording.cut ? view.said(" (its beginning: too much happens)") : "");
    TerminalPicture picture(view, style);
    if (view.recording.copies.empty() || view.recording.hangs) {
        text += "\n" + picture.draw(view.own) + picture.axis();
    } else {
        text += "\n" + view.said("each copy awaited where it is issued") + "\n" + picture.draw(view.awaited);
        text += "\n" + view.said("as it is") + "\n" + picture.draw(view.own) + picture.axis();
    }
    text += conclusion(view) + "\n" + glyph_key(view, style.utf8 ? utf8_glyphs : ascii_glyphs);
    for (size_t i = 0; i < std::min(own.waits.size(), most_waits); ++i) {
        const WaitFact& fact = own.waits[i];
        text += fmt::format("  {:<14} {:<22} {}\n", where(view.recording, fact.place), fact.name,
                            never_ends(view, fact)
                                ? view.said("does not end")
                                : view.said(fmt::format("{:>7} waits {:>10} cycles", fact.count, fact.cycles)));
    }
    return text;
}

} // namespace drawing
