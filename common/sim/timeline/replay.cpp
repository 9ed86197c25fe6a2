#include "sim/timeline/replay.h"

#include <algorithm>

#include "sim/timeline/pipe.h"

namespace sim::timeline {
namespace {

struct Warp {
    std::vector<uint32_t> program; ///< its events
    size_t next = 0;
    uint64_t clock = 0;
    uint64_t due = 0; ///< when the values of its loads are there
    uint32_t due_place = none;
    uint64_t due_shared = 0; ///< and those from shared memory
    uint32_t left = 0;       ///< instructions before its next event
    uint32_t branches = 0;   ///< and of those, branches whose delay is to come
    bool served = false;     ///< the event's wavefronts have had their turns
    bool blocked = false;
    bool done() const { return next == program.size(); }
};

struct Progress {
    uint32_t unmet = 0; ///< events that have not happened
    uint64_t time = 0;  ///< when those that have are over
    bool arrivals = false;
    std::vector<uint32_t> waiting; ///< warps
};

class Replay {
  public:
    Replay(const Recording& recording, const Model& model, Copies copies)
        : recording_(recording), model_(model), copies_(copies), warps_(recording.warps),
          schedulers_(std::max(model.schedulers, 1u)), pipe_(model), progress_(recording.joins.size()),
          joins_of_(recording.events.size()) {
        for (uint32_t i = 0; i < recording.events.size(); ++i)
            warps_.at(recording.events[i].warp).program.push_back(i);
        for (auto& warp : warps_)
            prepare(warp);
        for (uint32_t j = 0; j < recording.joins.size(); ++j)
            for (const uint32_t event : recording.joins[j].events) {
                joins_of_.at(event).push_back(j);
                ++progress_[j].unmet;
            }
        for (uint32_t j = 0; j < recording.joins.size(); ++j)
            progress_[j].unmet += recording.joins[j].never;
        for (uint32_t c = 0; c < recording.copies.size(); ++c)
            timeline_.flights.push_back({c, UINT64_MAX, 0, 0, none});
        for (uint32_t o = 0; o < recording.operations.size(); ++o)
            timeline_.operations.push_back({o, UINT64_MAX, 0, 0, none});
    }

    Timeline run() {
        for (;;) {
            Warp* first = nullptr;
            for (auto& warp : warps_)
                if (!warp.done() && !warp.blocked && (!first || warp.clock < first->clock))
                    first = &warp;
            if (!first)
                break;
            step(*first, uint32_t(first - warps_.data()));
        }
        for (const auto& warp : warps_)
            timeline_.cycles = std::max(timeline_.cycles, warp.clock);
        for (auto* flights : {&timeline_.flights, &timeline_.operations}) {
            std::erase_if(*flights, [](const Flight& flight) { return flight.issued == UINT64_MAX; });
            for (const auto& flight : *flights)
                timeline_.cycles = std::max(timeline_.cycles, flight.landed);
        }
        if (recording_.hangs)
            wait_for_ever();
        std::ranges::stable_sort(timeline_.spans, {},
                                 [](const Span& span) { return std::pair(span.warp, span.begin); });
        return std::move(timeline_);
    }

  private:
    /// A wait for what never happens takes a tenth of the picture, or more.
    void wait_for_ever() {
        timeline_.cycles += timeline_.cycles / 9 + 1;
        for (uint32_t id = 0; id < warps_.size(); ++id)
            if (const Warp& warp = warps_[id]; warp.blocked) {
                const Event& event = recording_.events[warp.program[warp.next]];
                span(Span::Kind::wait, id, warp.clock, timeline_.cycles, event.place, event.what);
            }
    }

    void prepare(Warp& warp) {
        if (warp.done())
            return;
        const Event& event = recording_.events[warp.program[warp.next]];
        warp.left = event.issue;
        warp.branches = event.branches;
        warp.served = false;
    }

    void span(Span::Kind kind, uint32_t warp, uint64_t begin, uint64_t end, uint32_t place, uint32_t join = none) {
        if (begin == end)
            return;
        auto& spans = timeline_.spans;
        uint32_t& last = last_span_.at(warp);
        if (last != none && kind == Span::Kind::compute && spans[last].kind == kind && spans[last].end == begin)
            spans[last].end = end;
        else {
            last = uint32_t(spans.size());
            spans.push_back({kind, warp, begin, end, place, join});
        }
    }

    void over(uint32_t event, uint64_t time, uint64_t read, bool arrival) {
        for (const uint32_t join : joins_of_[event]) {
            Progress& progress = progress_[join];
            progress.time = std::max(progress.time, recording_.joins[join].reads ? read : time);
            progress.arrivals = progress.arrivals || arrival;
            if (--progress.unmet == 0)
                for (const uint32_t waiting : progress.waiting)
                    warps_[waiting].blocked = false;
        }
    }

    /// A warp's arrival at `now`: when it counts. A barrier counts one warp after the other.
    uint64_t counted(uint32_t event, uint64_t now) {
        const auto at = [&](Join::At kind) {
            return std::ranges::any_of(joins_of_[event],
                                       [&](uint32_t join) { return recording_.joins[join].at == kind; });
        };
        if (at(Join::At::barrier))
            return barrier_ = std::max(barrier_, now) + model_.barrier_arrival;
        const Event& last = recording_.events[event];
        if (at(Join::At::mbarrier) && last.issue) // of lanes that arrive together, the first
            return mbarrier_ = std::max(mbarrier_, now) + model_.mbarrier_arrival;
        return now;
    }

    /// Shared memory serves one request of a warp after the other. When it is done with those before the event.
    uint64_t serve(Warp& warp, const Event& event) {
        if (warp.served || !event.wavefronts)
            return warp.clock;
        warp.served = true;
        shared_ = std::max(shared_, warp.clock - std::min<uint64_t>(warp.clock, event.wavefronts)) + event.wavefronts;
        warp.due_shared = std::max(warp.due_shared, shared_);
        return shared_;
    }

    void await_loads(Warp& warp, uint32_t id) {
        if (warp.due_shared > warp.clock) { // short enough to be part of computing
            span(Span::Kind::compute, id, warp.clock, warp.due_shared, warp.due_place);
            warp.clock = warp.due_shared;
        }
        if (warp.due > warp.clock) {
            span(Span::Kind::load, id, warp.clock, warp.due, warp.due_place);
            warp.clock = warp.due;
        }
    }

    /// Does the warp's next event belong to the same copy?
    bool goes_on(const Warp& warp, const Event& event) const {
        return warp.next + 1 < warp.program.size() &&
               recording_.events[warp.program[warp.next + 1]].what == event.what &&
               recording_.events[warp.program[warp.next + 1]].kind == event.kind;
    }

    void start_copy(Warp& warp, const Event& event, uint32_t id, uint32_t number) {
        if (event.lines) { // the warp has its turn at the unit that takes cp.async in
            const uint64_t begin = warp.clock;
            copier_ = std::max(copier_, begin) + std::max(model_.copy_issue, event.lines);
            warp.clock = std::max(copier_, begin + model_.copy_again);
            span(Span::Kind::compute, id, begin, warp.clock, event.place);
        }
        const bool out = event.kind == Event::Kind::store_copy;
        const auto [read, landed] = pipe_.request(
            warp.clock, {event.bytes, event.cached, out ? Pipe::Request::Kind::store_copy : Pipe::Request::Kind::load});
        Flight& flight = timeline_.flights.at(event.what);
        flight.issued = std::min(flight.issued, warp.clock);
        flight.landed = std::max(flight.landed, landed);
        over(number, landed, read, false);
        if (copies_ == Copies::awaited) {
            warp.due = std::max(warp.due, landed);
            warp.due_place = event.place;
            flight.observed = flight.landed;
            flight.observer = id;
            if (!goes_on(warp, event))
                await_loads(warp, id);
        }
    }

    /// Operations are carried out one after the other, and never awaited where they are issued.
    void start_operation(const Warp& warp, const Event& event, uint32_t number) {
        const bool wgmma = event.kind == Event::Kind::product;
        const uint64_t turn = event.cells / std::max(wgmma ? model_.wgmma_cells : model_.tensor_cells, 1u);
        tensor_core_ = std::max(tensor_core_, warp.clock) + turn;
        timeline_.tensor_busy += turn;
        const uint64_t done = tensor_core_ + (wgmma ? model_.wgmma_latency : model_.tensor_latency);
        Flight& flight = timeline_.operations.at(event.what);
        flight.issued = std::min(flight.issued, warp.clock);
        flight.landed = std::max(flight.landed, done);
        over(number, done, done, false);
    }

    void observe(const Join& join, uint64_t now, uint32_t id) {
        for (const uint32_t event : join.events)
            if (const auto& cause = recording_.events[event]; cause.what != none && cause.kind != Event::Kind::wait)
                if (Flight& flight = (cause.operates() ? timeline_.operations : timeline_.flights)[cause.what];
                    !flight.observed) {
                    flight.observed = now;
                    flight.observer = id;
                }
    }

    uint32_t from_arrival(uint32_t join) const {
        return recording_.joins[join].at == Join::At::cluster ? model_.cluster_barrier : model_.barrier;
    }

    /// False: it waits for something that has not happened.
    bool wait(Warp& warp, const Event& event, uint32_t id) {
        Progress& progress = progress_.at(event.what);
        if (progress.unmet) {
            warp.blocked = true;
            progress.waiting.push_back(id);
            return false;
        }
        const uint64_t begin = warp.clock;
        if (recording_.joins[event.what].at == Join::At::mbarrier)
            warp.clock = std::max(warp.clock, progress.time) + model_.mbarrier;
        else
            warp.clock = std::max(warp.clock, progress.time + (progress.arrivals ? from_arrival(event.what) : 0));
        span(Span::Kind::wait, id, begin, warp.clock, event.place, event.what);
        observe(recording_.joins[event.what], warp.clock, id);
        return true;
    }

    void step(Warp& warp, uint32_t id) {
        const uint32_t number = warp.program[warp.next];
        const Event& event = recording_.events[number];
        if (warp.left) {
            const uint32_t count = std::min(warp.left, std::max(model_.quantum, 1u));
            uint64_t& scheduler = schedulers_[id % schedulers_.size()];
            const uint64_t begin = std::max(warp.clock, scheduler);
            const uint64_t issue = uint64_t{count} * model_.issue_interval;
            scheduler = begin + issue;
            // The part of the chain that belongs to these instructions.
            const auto chain = [&](uint32_t done) {
                return uint64_t{event.steps} * model_.dependent * done / event.issue;
            };
            const uint32_t done = event.issue - warp.left;
            const uint64_t end = begin + std::max(issue, chain(done + count) - chain(done));
            span(Span::Kind::compute, id, warp.clock, end, event.place);
            warp.clock = end;
            warp.left -= count;
            if (!warp.left) { // others issue meanwhile
                warp.clock += uint64_t{warp.branches} * model_.branch;
                span(Span::Kind::compute, id, end, warp.clock, event.place);
            }
            return;
        }
        using enum Event::Kind;
        const bool needs_nothing = event.kind == load || event.kind == load_shared || event.kind == copy ||
                                   event.kind == store_copy || event.operates();
        if (!needs_nothing && std::max(warp.due, warp.due_shared) > warp.clock) {
            await_loads(warp, id);
            return; // others may be first at the pipe now
        }
        const uint64_t served = serve(warp, event);
        switch (event.kind) {
        case copy:
        case store_copy:
            start_copy(warp, event, id, number);
            break;
        case load:
            warp.due = std::max(warp.due, event.bytes ? pipe_.request(warp.clock, {event.bytes, event.cached}).landed
                                                      : warp.clock + model_.cached);
            warp.due_place = event.place;
            break;
        case load_shared:
            warp.due_shared = std::max(served, warp.clock) + model_.shared;
            break;
        case store:
            pipe_.request(warp.clock, {event.bytes, 0, Pipe::Request::Kind::store});
            break;
        case tensor:
        case product:
            start_operation(warp, event, number);
            break;
        case arrive:
            over(number, counted(number, warp.clock), warp.clock, true);
            break;
        case wait:
            if (!this->wait(warp, event, id))
                return;
            break;
        case end:
            break;
        }
        ++warp.next;
        prepare(warp);
    }

    const Recording& recording_;
    const Model model_;
    const Copies copies_;
    std::vector<Warp> warps_;
    std::vector<uint64_t> schedulers_; ///< when each is free
    Pipe pipe_;
    uint64_t copier_ = 0, barrier_ = 0, mbarrier_ = 0, shared_ = 0, tensor_core_ = 0; ///< when they are free
    std::vector<Progress> progress_;                                                  ///< of Recording::joins
    std::vector<std::vector<uint32_t>> joins_of_;                                     ///< events
    std::vector<uint32_t> last_span_ = std::vector<uint32_t>(warps_.size(), none);
    Timeline timeline_;
};

} // namespace

Timeline replay(const Recording& recording, const Model& model, Copies copies) {
    return Replay(recording, model, copies).run();
}

} // namespace sim::timeline
