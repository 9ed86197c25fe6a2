// nvcc as a user calls it.
#pragma once

#include "compile/ways/cached.h"

namespace compile {

class Nvcc : public Way {
  public:
    Nvcc(const Tools& tools, const Cached& cached) : tools_(tools), cached_(cached) {}
    std::string_view name() const override { return "nvcc"; }
    Answer make(const Order& order) const override { return {order.lab ? lab(order) : program(order)}; }

  private:
    struct Job;
    Job ptx_job(const Order& order, const std::string& arch) const;
    Job host_job(const Order& order) const;
    Made lab(const Order& order) const;
    Made program(const Order& order) const;

    const Tools& tools_;
    const Cached& cached_;
};

} // namespace compile
