// The device as the CUDA runtime in a program sees it: requests go in, replies come out.
// Implementations: in this process (local_backend) and behind a socket in another one (socket_backend).
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/cuda/wire/command.h"

namespace sim::machine {
struct Options;
}

namespace sim::cuda {

class Backend {
  public:
    virtual ~Backend() = default;
    /// May be called from several threads. Throws std::runtime_error when the device is gone.
    virtual Reply transact(const Header& header, const void* body, Payload payload) = 0;
    /// The program ends: a device in this process prints its findings.
    virtual void finish() {}
    /// File descriptor of the memory that host and device share: host_bytes long, mapped at host_base by the program.
    virtual int shared_memory() const = 0;

    /// Sends one of sim::cuda::Commands.
    /// `site`: the program's call (call_sites.h).
    template <typename Body>
    Answer<Body> call(const Body& body, Payload payload = {}, uint32_t site = 0) {
        return Answer<Body>(
            transact({command_of<Body>, sizeof(Body), static_cast<uint32_t>(payload.size()), site}, &body, payload));
    }
    template <typename Body>
    Answer<Body> call(const Body& body, std::string_view payload, uint32_t site = 0) {
        return call(body, std::as_bytes(std::span(payload)), site);
    }
};

/// A device in this process.
std::unique_ptr<Backend> local_backend(const machine::Options& options);
/// The device at the other end of `fd`, a connected Unix stream socket. Throws std::runtime_error.
std::unique_ptr<Backend> socket_backend(int fd);

} // namespace sim::cuda
