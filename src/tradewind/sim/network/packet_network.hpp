/// PacketNetwork: packets from interface to interface, through switches.
#pragma once

#include "tradewind/sim/network/fabric.hpp"
#include "tradewind/sim/network/injection.hpp"
#include "tradewind/sim/network/network.hpp"
#include "tradewind/sim/network/switching/switching.hpp"

namespace tradewind::sim {

/// The packet network as the engine's model, which hands every event to the role that it is for.
/// There is one event for each passage of a packet through a switch, and one for each credit that
/// goes back.
///
///     message -> Injection -> Switching -> ... -> Switching -> Reassembly -> client
///                      <- credit  <- credits  <- credit
class PacketNetwork final : public Network {
public:
    explicit PacketNetwork(const NetworkSetup& setup);

    void send(Worker& worker, MessageId id, Picoseconds time) override {
        injection_.submit(worker, id, time);
    }
    Picoseconds use_memory(std::uint32_t domain, Picoseconds time, Bytes bytes) override {
        return fabric_.memory.use_domain(domain, time, bytes);
    }
    void run(Client& client, const Progress& progress) override;
    [[nodiscard]] MessagePool& messages() noexcept override { return fabric_.messages; }
    [[nodiscard]] NetworkReport report(Picoseconds end) const override;
    [[nodiscard]] bool keeps_order() const noexcept override {
        return fabric_.routing.keeps_order() && fabric_.parameters.messages_in_turn == 1;
    }
    [[nodiscard]] std::int64_t work_done() const noexcept override { return switching_.hops(); }
    /// Returns the bytes that take up buffer space or wait for it: zero after a run that has
    /// delivered everything.
    [[nodiscard]] Bytes held_bytes() const noexcept {
        return switching_.held_bytes() + injection_.held_bytes();
    }

    // The engine's model.
    void seed(Worker& worker) { fabric_.client->seed(worker); }
    void receive(Worker& worker, std::span<const std::byte> payload) {
        fabric_.client->receive(worker, payload);
    }
    void handle(Worker& worker, const Event& event, std::uint32_t foreseen);
    /// Asks for the memory that `handle` will touch, some time before it. Returns the output port
    /// of a packet where the routing rule allows it.
    [[nodiscard]] std::uint32_t foresee(const Event& event) noexcept;
    /// Asks for more memory in two more rounds, since its addresses are read from the memory that
    /// the round before has fetched.
    void prefetch(const Worker& worker, const Event& event, std::uint32_t foreseen,
                  int stage) noexcept;

private:
    void inject(Worker& worker, const Event& event);

    Fabric fabric_;
    Switching switching_;
    Injection injection_;
    std::int64_t events_ = 0;
    std::int64_t windows_ = 0;
};

}  // namespace tradewind::sim
