#include "sim/diagnosis/place.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/demangle.h"
#include "sim/machine/program.h"

namespace sim::hazards {
namespace {

constexpr size_t shown_blocks = 64;

std::string ranges(const std::set<uint32_t>& numbers) {
    std::string text;
    for (auto it = numbers.begin(); it != numbers.end();) {
        uint32_t first = *it, last = first;
        while (++it != numbers.end() && *it == last + 1)
            ++last;
        text +=
            (text.empty() ? "" : ", ") + (first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
    }
    return text;
}

// "thread 5", "threads 0-31", "100 of threads 0-255": long lists of single numbers say less than their extent.
std::string summary(const std::set<uint32_t>& numbers, const char* noun) {
    const std::string text = ranges(numbers);
    if (text.size() > 40)
        return fmt::format("{} of {}s {}-{}", numbers.size(), noun, *numbers.begin(), *numbers.rbegin());
    return fmt::format("{}{} {}", noun, numbers.size() == 1 ? "" : "s", text);
}

// Without its scope, its parameters and its template's arguments: "wait" of "void ring::wait<4>(unsigned long*)".
std::string short_name(const std::string& mangled) {
    std::string whole = base::demangled(mangled);
    // As the demanglers of GCC and of LLVM write it.
    if (whole.find("{lambda(") != std::string::npos || whole.find("'lambda") != std::string::npos)
        return "lambda";
    for (const std::string_view part : {"(anonymous namespace)", "operator()"}) // "(" is not yet the parameters'
        if (const size_t at = whole.find(part); at != std::string::npos)
            whole.replace(at, part.size(), part[0] == '(' ? "" : "operator");
    std::string name;
    int depth = 0;
    for (const char c : whole) {
        if (c == '(' && depth == 0)
            break;
        depth += c == '<';
        if (depth == 0)
            name = c == ':' || c == ' ' ? std::string() : name + c;
        depth -= c == '>';
    }
    return name;
}

bool same_line(const auto& a, const auto& b) {
    return a.line == b.line && a.file == b.file;
}

} // namespace

void ThreadSet::add(uint64_t block, uint32_t first_thread, uint32_t lane_mask) {
    auto it = threads_.find(block);
    if (it == threads_.end()) {
        if (threads_.size() >= shown_blocks) {
            ++hidden_;
            return;
        }
        it = threads_.emplace(block, std::set<uint32_t>{}).first;
    }
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (lane_mask >> lane & 1)
            it->second.insert(first_thread + lane);
}

std::string ThreadSet::text() const {
    if (threads_.empty())
        return text_;
    const auto& threads = threads_.begin()->second;
    bool same = true;
    std::set<uint32_t> blocks;
    for (const auto& [block, set] : threads_) {
        same = same && set == threads;
        blocks.insert(uint32_t(block));
    }
    const std::string who = summary(threads, "thread");
    const std::string where = hidden_ ? fmt::format("more than {} blocks", shown_blocks) : summary(blocks, "block");
    if (blocks.size() == 1)
        return fmt::format("{} of {}", who, where);
    return same ? fmt::format("{} of {}", who, where)
                : fmt::format("{} of block {}, and others in {}", who, *blocks.begin(), where);
}

bool same_code(const Place& a, const Place& b) {
    return a.calls.empty() || b.calls.empty() ? same_line(a, b) : same_line(a.calls[0], b.calls[0]);
}

size_t Place::shown() const {
    const auto here = std::ranges::find_if(calls, [&](const CallFrame& call) { return same_line(call, *this); });
    return here == calls.end() ? 0 : size_t(here - calls.begin());
}

void Place::show(size_t call) {
    file = calls[call].file;
    line = calls[call].line;
    column = calls[call].column;
}

void distinguish(Place& first, std::vector<Place>& others) {
    if (others.empty() || first.line == 0 || !same_line(first, others[0]))
        return;
    if (first.calls.empty() || others[0].calls.empty())
        return; // the host's lines have no chain of calls
    const size_t from = first.shown(), other_from = others[0].shown();
    size_t steps = 0;
    while (steps < from && steps < other_from &&
           same_line(first.calls[from - steps], others[0].calls[other_from - steps]))
        ++steps;
    if (same_line(first.calls[from - steps], others[0].calls[other_from - steps]))
        return; // the same all the way, or one of them is not in the call
    for (size_t i = others.size(); i-- > 0;)
        if (same_line(others[i], first) && !others[i].calls.empty())
            others[i].show(others[i].shown() - std::min(steps, others[i].shown()));
    first.show(from - steps);
}

std::string demangled(const std::string& name) {
    const std::string result = base::demangled(name);
    return result.substr(0, result.find('('));
}

Place Places::at(uint32_t pc, std::string action) const {
    machine::DecodedFunction* function = pc ? function_at_(pc) : nullptr;
    Known& known = known_[pc];
    if (function && known.function != function)
        known = {function, find(*function, pc - function->first_pc)};
    Place result = function ? known.place : Place{};
    result.action = std::move(action);
    return result;
}

Place Places::find(machine::DecodedFunction& function, uint32_t instruction) {
    Place result;
    result.kernel = demangled(function.function->name);
    const auto frames = function.module->sources().frames(*function.function, instruction);
    if (frames.chain.empty())
        return result;
    for (const auto& frame : frames.chain)
        result.calls.push_back({frame.place.file, frame.place.line, frame.place.column, short_name(frame.function)});
    result.show(frames.shown);
    for (const auto& line : frames.alternatives)
        result.alternatives.push_back(fmt::format("{}:{}", line.file, line.line));
    return result;
}

Place Places::of(Epoch e, uint32_t pc, std::string action) const {
    Place result = at(pc, std::move(action));
    uint64_t block = block_of(e);
    uint32_t warp = warp_of(e), lanes = 0;
    switch (kind_of(e)) {
    case EpochKind::plain:
    case EpochKind::strong:
    case EpochKind::copy:
        lanes = 1u << lane_of(e);
        break;
    case EpochKind::async: {
        const BulkOp* op = bulk_.find_epoch(e);
        block = op ? op->block : 0;
        warp = op ? op->warp : 0;
        lanes = op ? 1u << op->lane : 0;
        break;
    }
    default:
        break;
    }
    if (const Operation* operation = operations_.of_block(block)) {
        if (result.kernel.empty() || operation->base != operations_.base())
            result.kernel = operation->what;
        if (lanes)
            result.threads.add(block - operation->base, warp * 32, lanes);
        else if (result.file.empty())
            result.site = operation->site;
    }
    return result;
}

Place Places::call(uint64_t block, std::string action) const {
    Place result;
    if (const Operation* operation = operations_.of_block(block)) {
        result.kernel = operation->what;
        result.site = operation->site;
        result.action = std::move(action);
    }
    return result;
}

namespace {

/// "cuda::barrier::wait": with its scope, but without the template's arguments and the parameters.
std::string scoped_name(const std::string& mangled) {
    std::string name;
    int depth = 0;
    for (const char c : base::demangled(mangled)) {
        if (c == '(' && depth == 0)
            break;
        depth += c == '<';
        if (depth == 0)
            name += c;
        depth -= c == '>';
    }
    return name;
}

/// Of cuda::pipeline or cuda::barrier.
bool waits_or_arrives(const std::string& name) {
    return name.find("cuda::") != name.npos &&
           (name.find("pipeline") != name.npos || name.find("barrier") != name.npos);
}

} // namespace

std::vector<std::string> Places::called(uint32_t pc) const {
    std::vector<std::string> names;
    if (const auto* function = pc ? function_at_(pc) : nullptr)
        for (const auto name : function->module->sources().called(*function->function, pc - function->first_pc))
            names.push_back(scoped_name(std::string(name)));
    return names;
}

std::string Places::library_call(uint32_t pc) const {
    const std::vector<std::string> names = called(pc);
    const auto found = std::ranges::find_if(names, waits_or_arrives);
    return found == names.end() ? "" : *found;
}

bool Places::has_called(uint32_t pc, std::string_view beginning) const {
    return std::ranges::any_of(called(pc), [&](const std::string& name) { return name.starts_with(beginning); });
}

uint32_t Places::kernel_line(uint32_t pc) const {
    const auto* function = function_at_(pc);
    if (!function)
        return 0;
    const auto chain = function->module->sources().chain(*function->function, pc - function->first_pc);
    return chain.empty() ? 0 : chain.back().line;
}

} // namespace sim::hazards
