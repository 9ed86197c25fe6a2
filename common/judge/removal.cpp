#include "judge/removal.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"
#include "sim/instructions/list.h"

namespace judge {
namespace {

namespace effect = sim::machine::effect;

uint32_t effects_of(std::string_view opcode) {
    const auto* record = sim::instructions::find_instruction(opcode);
    return record ? sim::machine::effects_of(*record, opcode) : 0;
}

// Does an instruction with these effects order others, and nothing else?
bool only_synchronises(uint32_t effects) {
    constexpr uint32_t orders = effect::commits | effect::waits_for_group | effect::arrives | effect::expects |
                                effect::waits_for_phase | effect::warp_barrier | effect::block_barrier |
                                effect::cluster_barrier | effect::fence | effect::proxy_fence;
    return (effects & orders) && !(effects & (effect::stores | effect::reduces));
}

// Of an opcode, a register or a label.
bool is_name(char c) {
    return base::is_word(c) || c == '.' || c == '%' || c == '$';
}

// Where the `nth` statement with this opcode begins, on the line that begins at `line`; npos: not there.
size_t find_opcode(std::string_view ptx, size_t line, std::string_view opcode, size_t nth) {
    for (size_t at = line; (at = ptx.find(opcode, at)) != std::string_view::npos; at += opcode.size())
        if ((at == 0 || !is_name(ptx[at - 1])) && !is_name(ptx[at + opcode.size()]) && nth-- == 0)
            return at;
    return std::string_view::npos;
}

// A guard in front of the opcode belongs to the statement.
size_t with_guard(std::string_view ptx, size_t opcode) {
    size_t at = opcode;
    auto blanks = [&] {
        while (at > 0 && std::isspace(static_cast<unsigned char>(ptx[at - 1])))
            --at;
    };
    blanks();
    while (at > 0 && (is_name(ptx[at - 1]) || ptx[at - 1] == '!'))
        --at;
    return at > 0 && ptx[at - 1] == '@' ? at - 1 : opcode;
}

// A wait is answered with yes; an arrival whose token is needed arrives zero times.
std::string replacement(std::string_view opcode, std::string_view guard, std::string_view operands) {
    operands.remove_prefix(std::min(operands.find_first_not_of(" \t\n"), operands.size()));
    const std::string_view first = operands.substr(0, operands.find_first_of(", \t\n"));
    const uint32_t effects = effects_of(opcode);
    if (effects & effect::waits_for_phase)
        return fmt::format("{} setp.eq.u32 {}, 0, 0;", guard, first);
    if ((effects & (effect::arrives | effect::copy_group)) == effect::arrives && first != "_" &&
        !first.starts_with('['))
        return fmt::format("{} mbarrier.arrive.shared.b64 {}, 0;", guard, operands.substr(0, operands.find(']') + 1));
    return {};
}

} // namespace

std::vector<Removable> removables(std::string_view ptx) {
    const auto module = sim::ptx::parse(ptx);
    const sim::ptx::SourceMap sources(*module);
    std::vector<size_t> lines{0, 0}; // where each begins; counted from 1
    for (size_t at = 0; (at = ptx.find('\n', at)) != std::string_view::npos;)
        lines.push_back(++at);
    std::vector<Removable> found;
    std::map<std::pair<uint32_t, std::string>, size_t> on_line;
    for (const auto& function : module->functions)
        for (uint32_t i = 0; i < function->body().size(); ++i) {
            const auto& instruction = function->body()[i];
            const std::string& opcode = instruction.opcode;
            if (!only_synchronises(effects_of(opcode)))
                continue;
            const size_t nth = on_line[{instruction.text_line, opcode}]++;
            const size_t at = find_opcode(ptx, lines.at(instruction.text_line), opcode, nth);
            const size_t end = ptx.find(';', at);
            if (at == std::string_view::npos || end == std::string_view::npos)
                continue;
            Removable item;
            item.mnemonic = opcode;
            item.begin = with_guard(ptx, at);
            item.end = end + 1;
            item.instead = replacement(opcode, ptx.substr(item.begin, at - item.begin),
                                       ptx.substr(at + opcode.size(), end - at - opcode.size()));
            if (const auto frames = sources.frames(*function, i); !frames.chain.empty()) {
                item.file = frames.chain[frames.shown].place.file;
                item.line = frames.chain[frames.shown].place.line;
            }
            found.push_back(std::move(item));
        }
    std::ranges::sort(found, {}, &Removable::begin);
    return found;
}

std::string without(std::string_view ptx, std::vector<Removable> what) {
    std::ranges::sort(what, {}, &Removable::begin);
    std::string text;
    size_t at = 0;
    for (const auto& item : what) {
        text += std::string(ptx.substr(at, item.begin - at)) + item.instead;
        at = item.end;
    }
    return text + std::string(ptx.substr(at));
}

Altered::Altered(const std::filesystem::path& ptx, const std::vector<size_t>& indices)
    : path_(std::filesystem::temp_directory_path() / fmt::format("asynclab-{}.ptx", getpid())) {
    const std::string text = base::read_file(ptx);
    const auto all = removables(text);
    std::vector<Removable> chosen;
    for (const size_t index : indices) {
        if (index >= all.size())
            throw base::Problem{fmt::format("there are {} instructions to skip, counted from 0", all.size()),
                                "list them: --list-skips"};
        chosen.push_back(all[index]);
    }
    base::write_file(path_, without(text, std::move(chosen)));
}

Altered::~Altered() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

} // namespace judge
