#include "sim/ptx/module.h"
namespace sim::ptx {
SourceMap::SourceMap(const Module& module) : module_(module) {}
const std::vector<SourceLine>& SourceMap::lines(const Function&, uint32_t) const {
    static const std::vector<SourceLine> none;
    return none;
}
std::vector<SourceLine> SourceMap::chain(const Function&, uint32_t) const {
    return {};
}
} // namespace sim::ptx
