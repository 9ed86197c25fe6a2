// The device service: the trusted side of the CUDA runtime. It owns the simulated GPU and its streams, and carries out
// commands that it trusts in nothing.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/cuda/device/dispatch.h"
#include "sim/cuda/device/shared_memory.h"
#include "sim/cuda/device/streams.h"
#include "sim/device/device.h"

namespace sim::cuda {

/// Events for the owner of the service. Called while a command is carried out.
class ServiceListener {
  public:
    virtual ~ServiceListener() = default;
    virtual void launched(const machine::Kernel&, const machine::LaunchConfig&, machine::OperationId,
                          const machine::Statistics&) {}
    /// The device is about to read memory of the host: for a copy to it, or for anything else (a kernel that may reach
    /// mapped memory, PTX).
    virtual void reads_host(std::span<std::byte>, bool /*copy*/) {}
    /// A copy from `device` has written memory of the host.
    virtual void wrote_host(std::span<const std::byte>, uint64_t /*device*/) {}
    /// The device is lost: every later command fails with `error` (a CUDA error code).
    virtual void lost(uint32_t /*error*/, const machine::Outcome&) {}
};

class Service {
  public:
    /// `shared`: the memory that program and device share, if it has been made already.
    explicit Service(machine::Options options, ServiceListener* listener = nullptr,
                     std::optional<SharedMemory::Descriptor> shared = {});
    ~Service();

    /// Carries out one command. `body` and `payload` may hold anything. Never throws.
    Reply handle(const Header& header, std::span<const std::byte> body, Payload payload);
    /// Runs everything that is still pending, as the end of the program does. Host calls are skipped.
    void drain();

    Device& gpu() { return gpu_; }
    const SharedMemory& shared() const { return shared_; }
    uint32_t lost() const { return lost_; } ///< the CUDA error that ended the device's life, or 0

  private:
    struct Event {
        bool timing = true;
        Operation::Ptr recorded{};
        bool waited = false;                       ///< since then
        std::vector<Operation::Ptr> replaced{};    ///< records in other streams that nothing had waited for
        std::vector<Operation::Ptr> early_waits{}; ///< while it had never been recorded
    };
    /// Carries out one command; specialised for each in commands/. Throws Refused.
    template <typename Body>
    typename Body::Result carry_out(const Body& body, Payload payload, Reply& reply);

    struct Launched {
        machine::Kernel kernel;
        machine::LaunchConfig config;
        std::shared_ptr<DependentLaunch> notes;
        uint64_t place; ///< in the order of launch
    };
    void check_stream(uint64_t stream) const;
    Event& event(uint64_t id);
    uint64_t new_id() { return next_id_++; }
    bool is_host(uint64_t address) const; ///< is it in mapped host memory?
    /// Is [address, address + bytes) inside one live allocation?
    bool inside(uint64_t address, uint64_t bytes) const;
    void checked(const machine::Outcome& outcome); ///< loses the device if the operation failed
    void copy_row(const Copy& body, uint64_t destination, uint64_t source, const machine::Order& order);
    /// The host memory at an address that the device may reach; empty if it is none.
    std::span<std::byte> host_memory(uint64_t address, uint64_t bytes) const;
    /// A launch's work. Its modelled time in nanoseconds, unless it runs on: see advance().
    std::optional<uint64_t> run(const Launched& launched, Payload parameters, const machine::Order& order);
    /// Lets the kernels that have begun run (Streams::Advance).
    Progress advance(bool give_up);
    void hand_out(const Operation::Ptr& call, Reply& reply); ///< asks the program to make a host call
    Operation::Ptr target_operation(Target target, uint64_t what);
    void reserve_for_graph(const AllocateAsync& allocate); ///< the memory of its allocation node
    void freed(uint64_t address);                          ///< by the last operation of the device
    void release_freed();

    ServiceListener* listener_;
    SharedMemory shared_;
    std::string output_; ///< printed by kernels, not yet sent
    Device gpu_;
    Streams streams_;
    std::map<uint64_t, machine::LoadedModule*> modules_;
    std::map<uint64_t, machine::Kernel> kernels_;
    std::map<std::pair<uint64_t, std::string>, uint64_t> kernel_ids_;
    std::map<uint64_t, Event> events_;
    std::map<machine::OperationId, Launched> running_; ///< kernels that have begun
    uint64_t launches_ = 0;
    struct Watch {
        Operation::Ptr operation;
        bool until_done; ///< else until the host is ordered after it
    };
    std::vector<Watch> watched_;
    std::map<uint64_t, Operation::Ptr> calling_; ///< host calls that the program makes, by token
    std::map<uint64_t, Operation::Ptr> staged_;  ///< the last copy from staging memory, by stream
    /// Memory that has been freed in stream order, and that work to which nothing orders that may still use.
    struct Freed {
        uint64_t address;
        machine::OperationId by;
    };
    std::vector<Freed> freed_;
    std::set<uint64_t> of_graphs_;                    ///< memory that a later launch allocates again
    std::map<uint64_t, std::span<std::byte>> mapped_; ///< host memory the device may reach, by address
    uint64_t next_id_ = 100;
    uint64_t reports_ = 0;
    uint32_t lost_ = 0;
    std::string lost_message_;
};

} // namespace sim::cuda
