// `./lab run FILE --break FILE:LINE --if CONDITION`: stops the device when a warp comes to a line, and shows on the
// terminal where the warps are, what the barriers have, what is in flight, and the registers.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "sim/events/listener.h"

namespace runner {

/// "c, continue   go on to the next stop", …
std::string debugger_help();

class Debugger {
  public:
    /// `place`: "kernel.cu:41". `condition`: a formula of registers (%r1) and threadIdx.x, blockIdx.x, warp, lane …;
    /// empty: always. Throws base::Problem. `in`: where commands come from.
    Debugger(const std::string& place, const std::string& condition, std::FILE* in, std::FILE* out);
    ~Debugger();

    /// For machine::Options::listener. The debugger must outlive the device.
    std::function<std::unique_ptr<sim::events::Listener>()> listener();
    /// Why it has never stopped; empty: it has.
    std::string never() const;

    class State;

  private:
    std::unique_ptr<State> state_;
};

} // namespace runner
