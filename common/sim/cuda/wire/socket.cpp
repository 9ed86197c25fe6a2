#include "sim/cuda/wire/socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <tuple>

#include <sys/socket.h>
#include <unistd.h>

namespace sim::cuda::wire {

namespace {

/// The system cannot reach pages that are protected because a copy of the program is pending (see HostWatch), and our
/// own buffers may lie on such a page of the heap. Their bytes then pass through this one, on pages of this library.
struct Reachable {
    std::mutex mutex;
    alignas(4096) std::array<std::byte, 16384> bytes;
};
Reachable reachable;

ssize_t receive(int fd, void* to, size_t bytes) {
    const ssize_t got = recv(fd, to, bytes, 0);
    if (got >= 0 || errno != EFAULT)
        return got;
    const std::lock_guard lock(reachable.mutex);
    const ssize_t again = recv(fd, reachable.bytes.data(), std::min(bytes, reachable.bytes.size()), 0);
    if (again > 0)
        std::memcpy(to, reachable.bytes.data(), static_cast<size_t>(again));
    return again;
}

ssize_t send(int fd, std::span<const std::byte> bytes) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0 || errno != EFAULT)
        return sent;
    const std::lock_guard lock(reachable.mutex);
    const size_t part = std::min(bytes.size(), reachable.bytes.size());
    std::memcpy(reachable.bytes.data(), bytes.data(), part);
    return ::send(fd, reachable.bytes.data(), part, MSG_NOSIGNAL);
}

bool receive_all(int fd, void* to, size_t bytes) {
    auto* next = static_cast<char*>(to);
    while (bytes) {
        const ssize_t got = receive(fd, next, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        next += got;
        bytes -= static_cast<size_t>(got);
    }
    return true;
}

void append(std::vector<std::byte>& to, const void* data, size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    to.insert(to.end(), first, first + bytes);
}

/// A part of a reply whose length varies, and the most elements that it may have.
template <typename Elements>
struct VariablePart {
    Elements& elements;
    uint32_t most;
    size_t bytes(uint32_t count) const { return count * sizeof(elements[0]); }
};
template <typename Elements>
VariablePart(Elements&, uint32_t) -> VariablePart<Elements>;

template <typename AnyReply>
auto parts(AnyReply& reply) {
    return std::tuple{VariablePart{reply.released, max_released}, VariablePart{reply.calls, max_calls},
                      VariablePart{reply.output, max_payload}, VariablePart{reply.message, max_payload},
                      VariablePart{reply.payload, max_payload}};
}
constexpr size_t part_count = std::tuple_size_v<decltype(parts(std::declval<Reply&>()))>;

// What precedes a reply's parts.
struct ReplyHeader {
    uint32_t error, sticky;
    uint64_t values[6];
    uint32_t counts[part_count];
};

} // namespace

bool send_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = send(fd, bytes);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes = bytes.subspan(static_cast<size_t>(sent));
    }
    return true;
}

bool send(int fd, const Header& header, const void* body, std::span<const std::byte> payload) {
    std::vector<std::byte> bytes;
    bytes.reserve(sizeof header + header.body_bytes + payload.size());
    append(bytes, &header, sizeof header);
    append(bytes, body, header.body_bytes);
    append(bytes, payload.data(), payload.size());
    return send_all(fd, bytes);
}

std::optional<Request> receive_request(int fd) {
    Request request;
    if (!receive_all(fd, &request.header, sizeof request.header) || request.header.body_bytes > max_body ||
        request.header.payload_bytes > max_payload)
        return {};
    request.body.resize(request.header.body_bytes);
    request.payload.resize(request.header.payload_bytes);
    if (!receive_all(fd, request.body.data(), request.body.size()) ||
        !receive_all(fd, request.payload.data(), request.payload.size()))
        return {};
    return request;
}

bool send(int fd, const Reply& reply) {
    ReplyHeader header{reply.error, reply.sticky, {}, {}};
    std::copy(std::begin(reply.values), std::end(reply.values), header.values);
    std::vector<std::byte> bytes(sizeof header);
    uint32_t* count = header.counts;
    const auto add = [&](const auto& part) {
        *count = static_cast<uint32_t>(std::min<size_t>(part.elements.size(), part.most));
        append(bytes, part.elements.data(), part.bytes(*count++));
    };
    std::apply([&](const auto&... part) { (add(part), ...); }, parts(reply));
    std::memcpy(bytes.data(), &header, sizeof header);
    return send_all(fd, bytes);
}

std::optional<Reply> receive_reply(int fd) {
    ReplyHeader header;
    if (!receive_all(fd, &header, sizeof header))
        return {};
    Reply reply;
    reply.error = header.error;
    reply.sticky = header.sticky;
    std::copy(std::begin(header.values), std::end(header.values), reply.values);
    const uint32_t* count = header.counts;
    const auto receive = [&](const auto& part) {
        if (*count > part.most)
            return false;
        part.elements.resize(*count);
        return receive_all(fd, part.elements.data(), part.bytes(*count++));
    };
    if (!std::apply([&](const auto&... part) { return (receive(part) && ...); }, parts(reply)))
        return {};
    return reply;
}

bool send_descriptor(int fd, int descriptor) {
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(fd, &message, MSG_NOSIGNAL) == 1;
}

int receive_descriptor(int fd) {
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(sizeof(int)))
        return -1;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

} // namespace sim::cuda::wire
