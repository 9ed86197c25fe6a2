// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format)
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "drawing/render.h"

namespace drawing {

using namespace sim::timeline;
namespace {

using nlohmann::json;

constexpr uint32_t copies_thread = 10'000; // threads of a process: its warps, and from here on its copies
constexpr uint32_t tensor_thread = 20'000; // and its tcgen05 operations

class Process {
  public:
    Process(json& events, const View& view, int id, const char* name) : events_(events), view_(view), id_(id) {
        meta("process_name", 0, {{"name", name}});
        meta("process_sort_index", 0, {{"sort_index", id}});
    }

    void add(const Timeline& timeline) {
        for (uint32_t warp = 0; warp < view_.recording.warps; ++warp)
            thread(warp, fmt::format("warp {}", warp));
        for (const auto& span : timeline.spans)
            add(span);
        const auto copies = bars(view_.recording, timeline);
        uint32_t lanes = 0;
        for (const auto& bar : copies)
            lanes = std::max(lanes, bar.lane + 1);
        for (uint32_t lane = 0; lane < lanes; ++lane)
            thread(copies_thread + lane, fmt::format("copies {}", lane));
        for (const auto& bar : copies)
            add(bar, copies_thread);
        const auto operations = tensor_bars(view_.recording, timeline);
        for (const auto& bar : operations) {
            thread(tensor_thread + bar.lane, fmt::format("tensor {}", bar.lane));
            add(bar, tensor_thread);
        }
    }

  private:
    json event(const char* phase, uint32_t thread, uint64_t time, const std::string& name) const {
        return {{"ph", phase}, {"pid", id_}, {"tid", thread}, {"ts", time}, {"name", name}};
    }
    void meta(const char* what, uint32_t thread, json args) {
        events_.push_back({{"ph", "M"}, {"pid", id_}, {"tid", thread}, {"name", what}, {"args", std::move(args)}});
    }
    void thread(uint32_t number, const std::string& name) {
        meta("thread_name", number, {{"name", name}});
        meta("thread_sort_index", number, {{"sort_index", number}});
    }

    void add(const Span& span) {
        const std::string name = span.kind == Span::Kind::compute ? "compute"
                                 : span.kind == Span::Kind::load  ? "global load"
                                                                  : label(view_.recording.joins[span.join]);
        json one = event("X", span.warp, span.begin, name);
        one["dur"] = span.end - span.begin;
        one["cat"] = span.kind == Span::Kind::compute ? "compute" : "wait";
        one["args"] = {{"line", where(view_.recording, span.place)}};
        events_.push_back(std::move(one));
    }

    void add(const Bar& bar, uint32_t first_thread) {
        const uint32_t thread = first_thread + bar.lane;
        json flight = event("X", thread, bar.issued, bar.name);
        flight["dur"] = bar.landed - bar.issued;
        flight["cat"] = first_thread == tensor_thread ? "tensor" : "copy";
        flight["args"] = {{"line", where(view_.recording, bar.place)}, {"bytes", bar.bytes}, {"warps", bar.warps}};
        events_.push_back(std::move(flight));
        if (!bar.observed)
            return;
        if (bar.observed > bar.landed) {
            json landed = event("X", thread, bar.landed, "landed");
            landed["dur"] = bar.observed - bar.landed;
            landed["cat"] = "landed";
            events_.push_back(std::move(landed));
        }
        json from = event("s", thread, bar.landed - 1, "released"),
             to = event("f", bar.observer, bar.observed, "released");
        for (json* end : {&from, &to}) {
            (*end)["cat"] = "released";
            (*end)["id"] = fmt::format("{}.{}", id_, arrows_);
        }
        to["bp"] = "e";
        ++arrows_;
        events_.push_back(std::move(from));
        events_.push_back(std::move(to));
    }

    json& events_;
    const View& view_;
    int id_;
    uint32_t arrows_ = 0;
};

} // namespace

json chrome(const View& view) {
    json events = json::array();
    Process(events, view, 1, "each copy awaited where it is issued").add(view.awaited);
    Process(events, view, 2, "as it is").add(view.own);
    return {{"traceEvents", std::move(events)},
            {"displayTimeUnit", "ns"},
            {"otherData",
             {{"title", view.title},
              {"kernel", view.recording.kernel},
              {"block", view.recording.block},
              {"unit", "1 us here is one modelled cycle"},
              {"latency", view.model.latency},
              {"bytes_per_cycle", view.model.bytes_per_cycle}}}};
}

} // namespace drawing
