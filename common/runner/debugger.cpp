#include "runner/debugger.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/problem.h"
#include "runner/lane_expression.h"
#include "sim/async/engine.h"
#include "sim/machine/exec.h"
#include "sim/machine/program.h"
#include "sim/ptx/source_texts.h"

namespace runner {

using base::Problem;
using sim::machine::Block, sim::machine::DecodedFunction, sim::machine::Exec, sim::machine::Op, sim::machine::Warp;
using Stepped = std::pair<uint64_t, uint32_t>; ///< a warp: its block's number and its own

namespace debugger {
namespace {

std::string lanes_text(uint32_t mask) {
    std::string text;
    for (int lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1))
            continue;
        int last = lane;
        while (last < 31 && mask >> (last + 1) & 1)
            ++last;
        text += (text.empty() ? "" : ", ") + (last > lane ? fmt::format("{}-{}", lane, last) : fmt::format("{}", lane));
        lane = last;
    }
    return text.empty() ? "no lane" : (std::popcount(mask) == 1 ? "lane " : "lanes ") + text;
}

std::string number_text(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                                : fmt::format("{:g}", value);
}

} // namespace
} // namespace debugger

class Debugger::State {
  public:
    State(const std::string& place, const std::string& condition, std::FILE* in, std::FILE* out) : in_(in), out_(out) {
        const size_t colon = place.rfind(':');
        const char* const end = place.data() + place.size();
        if (colon == place.npos || !colon || std::from_chars(place.data() + colon + 1, end, line_).ptr != end || !line_)
            throw Problem{"--break takes a file and a line, and " + place + " is none",
                          "for example --break kernel.cu:41"};
        file_ = place.substr(0, colon);
        if (!condition.empty())
            condition_.emplace(condition);
    }

    void instruction(Exec& x) {
        if (off_)
            return;
        const Stepped warp{x.block.linear, x.warp.id};
        const uint32_t pc = x.fragment().pc;
        const bool here = stands(*x.function, pc), enters = here && !at_place_[warp];
        at_place_[warp] = here;
        reached_ |= here;
        uint32_t lanes = x.fragment().mask;
        if (enters && condition_) {
            uint32_t chosen = 0;
            sim::machine::for_lanes(
                lanes, [&](int lane) { chosen |= uint32_t(condition_->value(x, lane).value_or(0) != 0) << lane; });
            lanes = chosen;
        }
        const bool stepped = stepping_ && *stepping_ == warp && (!by_line_ || moved(x));
        if ((!enters || !lanes) && !stepped)
            return;
        ++stops_;
        stepping_.reset();
        show(x, lanes);
        ask(x);
    }
    void issued(uint64_t number, Block* to, uint64_t bytes, std::string what) {
        flights_[number] = {to->linear, bytes, std::move(what)};
    }
    void landed(uint64_t number, uint64_t bytes) {
        if (const auto found = flights_.find(number);
            found != flights_.end() && (found->second.bytes -= std::min(bytes, found->second.bytes)) == 0)
            flights_.erase(found);
    }
    void copied(Warp& warp, uint32_t issued) { copies_[{warp.block.linear, warp.id}].first = issued; }
    void waited(Warp& warp, uint32_t done) {
        uint32_t& known = copies_[{warp.block.linear, warp.id}].second;
        known = std::max(known, done);
    }
    void barrier(const sim::events::Mbarrier& barrier) { barriers_.insert({barrier.owner->linear, barrier.offset}); }
    void launch() { at_place_.clear(), flights_.clear(), copies_.clear(), barriers_.clear(), matches_.clear(); }

    std::string never() const {
        if (stops_)
            return {};
        if (!reached_)
            return fmt::format(
                "no thread came to {}:{}: is it a line of a kernel that is launched, with code of its own?", file_,
                line_);
        return "threads came to the line, but --if was true for none of them";
    }

  private:
    struct Flight {
        uint64_t block = 0, bytes = 0;
        std::string what;
    };

    bool is_place(const sim::ptx::SourceLine& at) const {
        return at.line == line_ && (at.file == file_ || at.file.ends_with("/" + file_));
    }
    bool stands(const DecodedFunction& function, uint32_t pc) {
        const auto [known, is_new] = matches_.try_emplace(function.first_pc + pc, false);
        if (is_new && pc < function.function->body().size()) {
            const auto frames = function.module->sources().frames(*function.function, pc);
            known->second = std::ranges::any_of(frames.chain, [&](const auto& frame) { return is_place(frame.place); });
        }
        return known->second;
    }
    static sim::ptx::SourceLine place(const DecodedFunction& function, uint32_t pc) {
        if (pc >= function.function->body().size())
            return {};
        const auto frames = function.module->sources().frames(*function.function, pc);
        return frames.chain.empty() ? sim::ptx::SourceLine{} : frames.chain[frames.shown].place;
    }
    bool moved(Exec& x) const {
        const auto now = place(*x.function, x.fragment().pc);
        return now.line && (now.line != stepped_from_.line || now.file != stepped_from_.file);
    }
    static std::string shown(const sim::ptx::SourceLine& at) {
        return at.line ? fmt::format("{}:{}", std::filesystem::path(at.file).filename().string(), at.line)
                       : "an unknown line";
    }

    void show(Exec& x, uint32_t lanes) {
        const uint32_t pc = x.fragment().pc;
        const auto at = place(*x.function, pc);
        fmt::print(out_, "stop {}: {}, warp {} of block {}, {}\n", stops_, shown(at), x.warp.id, x.block.linear,
                   debugger::lanes_text(lanes));
        std::istringstream text(sim::ptx::source_text(at.file));
        std::string line;
        for (uint32_t i = 0; i < at.line && std::getline(text, line); ++i) {
        }
        if (!line.empty())
            fmt::print(out_, "  {:>5} | {}\n", at.line, line);
        show_registers(x);
    }
    void show_registers(Exec& x) {
        const uint32_t pc = x.fragment().pc;
        fmt::print(out_, "  {}\n",
                   pc < x.function->function->body().size() ? x.function->function->body()[pc].opcode : "ret");
        std::set<uint32_t> said;
        const auto list = [&](const auto& refs, const char* kind) {
            for (const auto ref : refs)
                for (size_t i = 0; i < x.function->registers.size(); ++i)
                    if (x.function->registers[i] == ref && said.insert(ref.value).second)
                        show_lanes(x, fmt::format("{} {}", kind, x.function->function->code().registers[i].name),
                                   [&](int lane) { return std::optional(register_value(x, i, lane)); });
        };
        if (pc < x.function->reads.size()) {
            list(x.function->address_reads[pc], "at    ");
            list(x.function->reads[pc], "reads ");
            list(x.function->writes[pc], "writes");
        }
    }
    template <class F>
    void show_lanes(Exec& x, const std::string& name, F&& value) {
        std::map<std::string, uint32_t> by_value;
        sim::machine::for_lanes(x.fragment().mask, [&](int lane) {
            const auto one = value(lane);
            by_value[one ? debugger::number_text(*one) : "not in this function"] |= 1u << lane;
        });
        std::string text;
        if (by_value.size() <= 4)
            for (const auto& [one, mask] : by_value)
                text +=
                    (text.empty() ? "" : "; ") + one + (by_value.size() > 1 ? " in " + debugger::lanes_text(mask) : "");
        else
            sim::machine::for_lanes(x.fragment().mask, [&](int lane) {
                text += (text.empty() ? "" : " ") + debugger::number_text(*value(lane));
            });
        fmt::print(out_, "    {} = {}\n", name, text);
    }
    void show_warps(Exec& x) {
        for (const auto& warp : x.block.warps) {
            if (warp->done())
                fmt::print(out_, "    warp {}: ended\n", warp->id);
            for (const auto& fragment : warp->fragments)
                fmt::print(out_, "    warp {}, {}: {}{}\n", warp->id, debugger::lanes_text(fragment.mask),
                           shown(place(*fragment.frame->function, fragment.pc)), waits(*warp, fragment));
        }
    }
    static std::string waits(const Warp& warp, const sim::machine::Fragment& fragment) {
        using enum sim::machine::Wait::Kind;
        const auto& wait = fragment.wait;
        if (wait.asks_mbarrier())
            return fmt::format(", waits for {}",
                               sim::async::Engine::of(warp.block).barriers().name(uint32_t(wait.address)));
        return wait.kind == barrier         ? fmt::format(", waits at barrier {}", wait.id)
               : wait.kind == cluster       ? ", waits for its cluster"
               : wait.kind == collective    ? ", waits for " + debugger::lanes_text(wait.member)
               : wait.kind == tensor_memory ? ", waits for Tensor Memory"
                                            : "";
    }
    void show_barriers(Exec& x) {
        auto& all = sim::async::Engine::of(x.block).barriers();
        size_t shown = 0;
        for (const auto& [block, offset] : barriers_)
            if (const auto* one = block == x.block.linear ? all.find(offset) : nullptr; one && ++shown)
                fmt::print(out_, "    {}: phase {}, {} of {} arrivals pending, {} bytes expected\n", all.name(offset),
                           one->phase, one->pending, one->expected + one->added, one->tx);
        for (size_t id = 0; id < x.block.barriers.size(); ++id)
            if (const auto n = x.block.barriers[id].arrived; n && ++shown)
                fmt::print(out_, "    barrier {}: {} threads have arrived\n", id, n);
        if (!shown)
            fmt::print(out_, "    none\n");
    }
    void show_flights(Exec& x) {
        size_t shown = 0;
        for (const auto& [number, flight] : flights_)
            if (flight.block == x.block.linear && ++shown)
                fmt::print(out_, "    {}: {} bytes{}\n", number, flight.bytes, flight.what);
        for (const auto& [warp, copies] : copies_)
            if (warp.first == x.block.linear && copies.first > copies.second && ++shown)
                fmt::print(out_, "    warp {}: cp.async {} to {}\n", warp.second, copies.second + 1, copies.first);
        if (!shown)
            fmt::print(out_, "    nothing\n");
    }

    bool obey(Exec& x, const std::string& word, const std::string& rest) {
        const auto is = [&](const char* name) { return word == name || word == std::string(1, name[0]); };
        if (is("continue"))
            return false;
        if (is("quit")) {
            off_ = true;
            return false;
        }
        if (is("step") || is("next")) {
            stepping_ = {x.block.linear, x.warp.id};
            by_line_ = is("next");
            stepped_from_ = place(*x.function, x.fragment().pc);
            return false;
        }
        if (is("print") && !rest.empty()) {
            try {
                LaneExpression wanted(rest);
                show_lanes(x, rest, [&](int lane) { return wanted.value(x, lane); });
            } catch (const Problem& problem) {
                fmt::print(out_, "    {}\n", problem.what);
            }
        } else if (is("registers")) {
            show_registers(x);
        } else if (is("warps")) {
            show_warps(x);
        } else if (is("barriers")) {
            show_barriers(x);
        } else if (is("flight")) {
            show_flights(x);
        } else {
            fmt::print(out_, "{}", debugger_help());
        }
        return true;
    }
    void ask(Exec& x) {
        for (;;) {
            fmt::print(out_, "(lab) ");
            std::fflush(out_);
            char line[1024];
            if (!std::fgets(line, sizeof line, in_)) {
                fmt::print(out_, "\n");
                off_ = true;
                return;
            }
            std::istringstream words(line);
            std::string word, rest;
            words >> word >> std::ws;
            std::getline(words, rest);
            if (word.empty())
                word = last_;
            last_ = word;
            if (!obey(x, word, rest))
                return;
        }
    }

    std::FILE* in_;
    std::FILE* out_;
    std::string file_, last_ = "help";
    uint32_t line_ = 0;
    std::optional<LaneExpression> condition_;
    bool off_ = false, reached_ = false, by_line_ = false;
    size_t stops_ = 0;
    std::optional<Stepped> stepping_;
    sim::ptx::SourceLine stepped_from_;
    std::map<Stepped, bool> at_place_;
    std::map<uint32_t, bool> matches_; ///< by device-wide pc
    std::map<uint64_t, Flight> flights_;
    std::map<Stepped, std::pair<uint32_t, uint32_t>> copies_; ///< cp.async: issued, waited for
    std::set<std::pair<uint64_t, uint32_t>> barriers_;
};

namespace debugger {
namespace {

class Stops final : public sim::events::Listener {
  public:
    explicit Stops(Debugger::State& state) : state_(state) {}
    bool follows_values() const override { return true; }
    void instruction(Exec& x, const Op&) override { state_.instruction(x); }
    void launch_begin(sim::machine::Grid&, const sim::events::Order&, sim::events::OperationId) override {
        state_.launch();
    }
    void mbarrier_init(Exec&, int, sim::events::Mbarrier& barrier) override { state_.barrier(barrier); }
    void bulk_load(Exec&, const sim::events::BulkLoad& copy) override {
        uint64_t bytes = 0;
        for (const auto& piece : copy.bytes)
            bytes += piece.bytes;
        const std::string name =
            copy.barrier ? " for " + sim::async::Engine::of(*copy.barrier->owner).barriers().name(copy.barrier->offset)
                         : "";
        state_.issued(copy.number, copy.destination, bytes, name);
    }
    void bulk_landed(uint64_t number, uint32_t, uint64_t bytes, int64_t) override { state_.landed(number, bytes); }
    void copy_issue(Exec& x, const sim::events::CopyIssue& copy) override { state_.copied(x.warp, copy.index); }
    void copy_wait(Exec& x, uint32_t mask, const sim::events::Lanes& done, uint32_t, uint32_t) override {
        uint32_t least = UINT32_MAX;
        sim::machine::for_lanes(mask, [&](int lane) { least = std::min(least, done[size_t(lane)]); });
        state_.waited(x.warp, least);
    }

  private:
    Debugger::State& state_;
};

} // namespace
} // namespace debugger

std::string debugger_help() {
    return R"(    c, continue      go on to the next stop
    s, step          execute one PTX instruction of this warp
    n, next          go on to another line of this warp
    p, print EXPR    of each lane: registers (%r1), threadIdx.x, blockIdx.x, warp, lane, and C's operators
    r, registers     that this instruction uses
    w, warps         where the warps of this block are, and what they wait for
    b, barriers      of this block: phase, arrivals, bytes
    f, flight        copies in flight to this block
    q, quit          stop no more, and end with the report
)";
}

Debugger::Debugger(const std::string& place, const std::string& condition, std::FILE* in, std::FILE* out)
    : state_(std::make_unique<State>(place, condition, in, out)) {}

Debugger::~Debugger() = default;

std::function<std::unique_ptr<sim::events::Listener>()> Debugger::listener() {
    return [this] { return std::make_unique<debugger::Stops>(*state_); };
}

std::string Debugger::never() const {
    return state_->never();
}

} // namespace runner
