// Requests and replies as bytes on a socket. Both directions are length-prefixed and bounded; whatever arrives is
// checked, so that neither side can make the other read or allocate without end.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/cuda/wire/command.h"

namespace sim::cuda::wire {

struct Request {
    Header header{};
    std::vector<std::byte> body, payload;
};

/// Sends all bytes; false when the other side is gone.
bool send_all(int fd, std::span<const std::byte> bytes);

bool send(int fd, const Header& header, const void* body, std::span<const std::byte> payload);
bool send(int fd, const Reply& reply);
/// Nothing when the other side is gone or does not keep to the protocol.
std::optional<Request> receive_request(int fd);
std::optional<Reply> receive_reply(int fd);

/// Passes a file descriptor along with one byte.
bool send_descriptor(int fd, int descriptor);
/// -1 when none came.
int receive_descriptor(int fd);

} // namespace sim::cuda::wire
