// nvcc's own compilers that have read the leading headers already and wait for the rest (servers/own_servers.h).
#pragma once

#include "compile/servers/own_servers.h"
#include "compile/ways/cached.h"

namespace compile {

class WaitingCompiler : public Way {
  public:
    WaitingCompiler(const Tools& tools, const Cached& cached)
        : tools_(tools), cached_(cached), servers_(tools.paths()) {}
    std::string_view name() const override { return "waiting compiler"; }
    Answer make(const Order& order) const override;

  private:
    struct Work;
    void collect(const Order& order, const Work& work, Made& made) const;

    const Tools& tools_;
    const Cached& cached_;
    servers::OwnServers servers_;
};

} // namespace compile
