/// PacketNetwork: packets through switches, with cut-through, finite buffers and credits.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "tradewind/sim/network/contention_free.hpp"
#include "tradewind/sim/network/network.hpp"
#include "tradewind/sim/network/nic.hpp"
#include "tradewind/sim/network/node_memory.hpp"
#include "tradewind/sim/network/port.hpp"
#include "tradewind/sim/network/wait_queues.hpp"
#include "tradewind/sim/observe/observer.hpp"
#include "tradewind/sim/topology/divisor.hpp"

namespace tradewind::sim {

/// One event for each passage of a packet through a switch, one for each credit that goes back. A
/// packet takes its output port as soon as it has credit there: the port remembers until when it is
/// taken, and nothing waits in a queue unless credit is missing (or ports choose round robin).
class PacketNetwork final : public Network {
public:
    explicit PacketNetwork(NetworkSetup setup);

    void send(Worker& worker, MessageId id, Picoseconds time) override;
    Picoseconds use_memory(std::uint32_t nic, Picoseconds time, Bytes bytes) override {
        return memory_.use(nic, time, bytes);
    }
    void run(Client& client, const Progress& progress) override;
    [[nodiscard]] MessagePool& messages() noexcept override { return messages_; }
    [[nodiscard]] NetworkReport report(Picoseconds end) const override;
    [[nodiscard]] bool keeps_order() const noexcept override {
        return routing_.keeps_order() && parameters_.messages_in_turn == 1;
    }

    [[nodiscard]] std::int64_t work_done() const noexcept override;
    /// Bytes that take up buffer space or wait for it: zero after a run that has delivered
    /// everything.
    [[nodiscard]] Bytes held_bytes() const noexcept;

    // The engine's model.
    void seed(Worker& worker) { client_->seed(worker); }
    void receive(Worker& worker, std::span<const std::byte> cargo) {
        client_->receive(worker, cargo);
    }
    void handle(Worker& worker, const Event& event, std::uint32_t foreseen);
    /// Some time before `handle`: asks for the memory that it will touch, and foresees the output
    /// port where the routing rule allows it.
    [[nodiscard]] std::uint32_t foresee(const Event& event) noexcept;
    /// Two more rounds, since what to ask for is read from what the round before has fetched.
    void prefetch(const Worker& worker, const Event& event, std::uint32_t foreseen,
                  int stage) noexcept {
        const Kind kind = Kind(event.kind);
        if (kind == Kind::inject || kind == Kind::enqueue) {
            prefetch_injection(event, stage);
        } else if (kind == Kind::credit) {
            per_worker_[std::size_t(worker.index())]->queues.prefetch(
                port(event.location, event.port), event.channel, stage);
        } else if ((foreseen & delivers) != 0) {
            client_->prefetch(event.message, stage);
        }
    }

private:
    /// A packet in a switch: its event, when its last byte comes in, and where it is.
    struct Arrival {
        Event packet;
        Picoseconds tail;
    };
    struct alignas(64) PerWorker {
        explicit PerWorker(const ObserveParameters& parameters) : observer(parameters) {}
        WaitQueues queues;
        Observer observer;
        std::int64_t packets = 0;
        /// Written by its worker only, read by the one that reports progress.
        std::atomic<std::int64_t> hops{0};
    };
    /// How a packet leaves a switch: when its first byte does, when its last one would at the full
    /// rate of the port, when it does, and that rate.
    struct Departure {
        Picoseconds head;
        Picoseconds drained;
        Picoseconds tail;
        TransferRate drain;
    };
    class SwitchOccupancy;
    /// Number of an output port, and a virtual channel, in one word; the highest bit says that it
    /// is one.
    class Output {
    public:
        Output(std::uint32_t port, std::uint8_t channel) noexcept
            : word_(known | std::uint32_t{channel} << 16U | port) {}
        explicit Output(std::uint32_t word) noexcept : word_(word) {}
        [[nodiscard]] std::uint32_t port() const noexcept { return word_ & 0xffffU; }
        [[nodiscard]] int channel() const noexcept { return int(word_ >> 16U & 7U); }
        [[nodiscard]] std::uint32_t word() const noexcept { return word_; }
        [[nodiscard]] bool is_known() const noexcept { return (word_ & known) != 0; }

    private:
        static constexpr std::uint32_t known = 1U << 31U;
        std::uint32_t word_;
    };
    static constexpr std::uint32_t nothing_foreseen = 0;
    /// Set in what was foreseen of a packet that brings the end of its message.
    static constexpr std::uint32_t delivers = 1U << 30U;

    [[nodiscard]] std::uint32_t foresee_packet(const Event& event) noexcept;
    void prefetch_injection(const Event& event, int stage) noexcept;
    [[nodiscard]] Output choose_output(const Worker& worker, Event& packet);

    void set_rates();
    void find_upstream();
    /// Connects a port at its first use.
    void wire(Location here, std::uint32_t number, Port& out) const;
    [[nodiscard]] Location location_of(std::uint32_t nic) const noexcept {
        return Location(per_switch_.quotient(std::int32_t(nic)));
    }
    [[nodiscard]] Port& port(Location here, std::uint32_t number) noexcept {
        return ports_[std::size_t(here) * stride_ + number];
    }
    [[nodiscard]] Port& wired_port(Location here, std::uint32_t number) noexcept {
        Port& result = port(here, number);
        if (!result.is_wired) wire(here, number, result);
        return result;
    }
    /// Whether a packet waits for the decision of an arbiter, who looks at all that have come in
    /// by the time at which the port is free.
    [[nodiscard]] bool has_arbiter() const noexcept {
        return parameters_.arbitration != Arbitration::first_come;
    }
    [[nodiscard]] bool is_train(Bytes bytes) const noexcept {
        return bytes > parameters_.packet_size;
    }
    [[nodiscard]] bool has_room(const Port& out, int channel) const noexcept {
        return !bounded_ || out.used[channel] < channel_limit_;
    }

    /// Whether buffers bound what an interface may have under way.
    [[nodiscard]] bool has_nic_limit() const noexcept {
        return bounded_ && parameters_.nic_buffer > 0;
    }

    void enqueue(Worker& worker, const Event& event);
    void inject(Worker& worker, Location here, std::uint32_t local_nic);
    [[nodiscard]] bool may_inject(Worker& worker, Nic& nic, Location here, std::uint32_t local_nic);
    void send_packet(Worker& worker, Nic& nic, Location here, std::uint32_t local_nic);
    void finish_injection(Worker& worker, Nic& nic, Picoseconds tail);
    void schedule_inject(Worker& worker, Location here, std::uint32_t local_nic,
                         Picoseconds time) const;

    void arrive(Worker& worker, Arrival& arrival, std::uint32_t foreseen);
    void transmit(Worker& worker, Port& out, std::uint32_t number, int channel,
                  const Arrival& arrival, Picoseconds eligible);
    void deliver(Worker& worker, const Event& packet, Picoseconds time);
    void deliver_message(Worker& worker, const Event& packet, Picoseconds time);
    void release_buffer(Worker& worker, const Event& packet, const Departure& leaving);
    [[nodiscard]] Picoseconds room_time(const Event& packet, const Departure& leaving,
                                        const TransferRate& link) const noexcept;
    void take_credit(Worker& worker, const Event& event);
    void take_nic_credit(Worker& worker, const Event& event);
    void arbitrate(Worker& worker, Location here, std::uint32_t number);
    [[nodiscard]] WaitingPacket take_turn(WaitQueues& queues, Port& out, std::size_t index,
                                          unsigned allowed);
    [[nodiscard]] std::uint8_t nearest_pace(std::size_t link_class, Bytes bytes,
                                            Picoseconds duration) const noexcept;
    void rotate(Nic& nic) noexcept;
    void schedule_arbitration(Worker& worker, Location here, std::uint32_t number);

    /// A packet's channel byte: three bits for the virtual channel, one that is set in the last
    /// packet of a message (where packets keep their order), four for its pace, an index into
    /// paces_.
    static constexpr std::uint8_t last_packet = 8;
    static constexpr unsigned pace_shift = 4;
    [[nodiscard]] static std::uint8_t channel_of(const Event& packet) noexcept {
        return packet.channel & 7U;
    }
    [[nodiscard]] Picoseconds input_time(const Event& packet) const;
    void count_links(NetworkReport& report) const;
    void report_links(NetworkReport& report, Picoseconds end) const;
    [[nodiscard]] std::vector<LinkMapPanel> link_map(double span) const;
    void report_injection(LinkClassReport& injection, Picoseconds end) const;
    [[nodiscard]] std::size_t own_nics() const noexcept;
    /// True if this process has the location.
    [[nodiscard]] bool is_here(Location location) const noexcept {
        return location >= begin_ && location < end_;
    }

    const Topology& topology_;
    const Routing& routing_;
    NetworkParameters parameters_;
    ObserveParameters observe_;
    ContentionFree contention_free_;
    Schedule schedule_;
    /// The locations of this process.
    Location begin_;
    Location end_;
    Client* client_ = nullptr;

    std::uint32_t radix_;
    std::uint32_t nics_per_switch_;
    Divisor per_switch_;
    std::uint32_t stride_;
    bool bounded_;
    bool equal_rates_ = false;
    /// Rates at which a packet's bytes can follow its head: of injection, of each link class, of
    /// trains, then some between them.
    std::vector<TransferRate> paces_;
    /// Rates of each link class, and of injection, that the buffer behind them can sustain; they
    /// hold for trains, whose packets ask for credit one by one.
    std::vector<TransferRate> train_rates_;
    TransferRate train_injection_;
    /// Packets keep their order, and routes can be known before their packets are handled.
    bool foreseeable_;
    /// A packet may leave while the buffer behind it holds less than this: room for one packet is
    /// left then.
    std::int32_t channel_limit_;
    Bytes nic_limit_;
    ZeroedArray<Port> ports_;
    /// Only for one-way wirings: the output port at the other end of each input port.
    struct Upstream {
        std::uint32_t location = 0;
        std::uint16_t port = 0;
    };
    std::vector<Upstream> upstream_;
    ZeroedArray<Nic> nics_;
    ZeroedArray<NicTotals> nic_totals_;
    NodeMemory memory_;
    std::vector<Picoseconds> crossbar_free_;
    std::vector<std::uint16_t> last_served_;
    /// Arbitration::weighted: turns of packets in transit since the last one of the own nodes.
    std::vector<std::uint16_t> transit_turns_;
    MessagePool messages_;
    std::vector<std::unique_ptr<PerWorker>> per_worker_;
    std::int64_t events_ = 0;
    std::int64_t windows_ = 0;
};

}  // namespace tradewind::sim
