#include "judge/alike.h"

#include "base/files.h"

namespace judge {
namespace {

std::string without_target(std::string ptx) {
    if (const size_t at = ptx.find("\n.target "); at != ptx.npos)
        ptx.erase(at, ptx.find('\n', at + 1) - at);
    return ptx;
}

} // namespace

std::vector<size_t> next_alike(const compile::Compiled& compiled, const std::vector<check::Target>& targets) {
    std::vector<std::string> texts;
    for (const auto& target : targets)
        texts.push_back(without_target(base::read_file(compiled.ptx.at(target.arch()))));
    std::vector<size_t> next;
    for (size_t i = 0; i < texts.size(); ++i) {
        size_t other = i + 1;
        while (other < texts.size() && texts[other] != texts[i])
            ++other;
        next.push_back(other < texts.size() ? other : i);
    }
    return next;
}

} // namespace judge
