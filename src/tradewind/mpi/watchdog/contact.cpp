/// The questions and answers by TCP: a question is the secret of the one who is asked, the answer
/// one letter and a text.
#include "tradewind/mpi/watchdog/contact.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <random>
#include <thread>
#include <utility>

namespace tradewind::mpi {

namespace {

constexpr int timeout_ms = 1000;

class Socket {
public:
    explicit Socket(int descriptor) noexcept : descriptor_(descriptor) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (descriptor_ >= 0) close(descriptor_);
    }

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] bool waits_for(short events) const {
        pollfd entry{descriptor_, events, 0};
        return ::poll(&entry, 1, timeout_ms) == 1;
    }
    [[nodiscard]] bool sends(const void* data, std::size_t size) const {
        return waits_for(POLLOUT) && send(descriptor_, data, size, MSG_NOSIGNAL) == ssize_t(size);
    }
    /// Returns the bytes that have come; 0 after the last one, or after a second without any.
    [[nodiscard]] std::size_t receives(void* data, std::size_t size) const {
        if (!waits_for(POLLIN)) return 0;
        return std::size_t(std::max<ssize_t>(recv(descriptor_, data, size, 0), 0));
    }

private:
    int descriptor_;
};

Socket new_socket() {
    return Socket(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

sockaddr_in place_of(std::uint32_t address, std::uint16_t port) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = address;
    return place;
}

/// Adds the addresses at which other machines can reach this one.
void add_addresses(Contact& contact) {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        if ((one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) continue;
        if (contact.address_count == contact.addresses.size()) break;
        sockaddr_in place{};
        std::copy_n(reinterpret_cast<const char*>(one->ifa_addr), sizeof place,
                    reinterpret_cast<char*>(&place));
        contact.addresses[contact.address_count++] = place.sin_addr.s_addr;
    }
    freeifaddrs(list);
}

/// Listens at a free port; returns a negative number if there is none.
int listen_anywhere(Contact& contact) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place = place_of(htonl(INADDR_ANY), 0);
    auto* const generic = reinterpret_cast<sockaddr*>(&place);
    socklen_t size = sizeof place;
    if (descriptor < 0 || bind(descriptor, generic, size) != 0 || listen(descriptor, 64) != 0 ||
        getsockname(descriptor, generic, &size) != 0) {
        if (descriptor >= 0) close(descriptor);
        return -1;
    }
    contact.port = ntohs(place.sin_port);
    return descriptor;
}

void answer_one(const Socket& other, std::uint64_t secret,
                const std::function<ProcessState()>& state) {
    std::uint64_t given = 0;
    if (other.receives(&given, sizeof given) != sizeof given || given != secret) return;
    const ProcessState own = state();
    const std::string words = static_cast<char>(own.activity) + own.text;
    (void)other.sends(words.data(), words.size());
}

ProcessState ask_at(const sockaddr_in& place, std::uint64_t secret) {
    const Socket other = new_socket();
    const auto* const generic = reinterpret_cast<const sockaddr*>(&place);
    const int code = connect(other.descriptor(), generic, sizeof place);
    if (code != 0 && errno != EINPROGRESS) return {};
    if (!other.sends(&secret, sizeof secret)) return {};
    std::string words;
    std::array<char, 4096> some{};
    while (const std::size_t count = other.receives(some.data(), some.size()))
        words.append(some.data(), count);
    if (words.empty()) return {};
    return {static_cast<ProcessState::Activity>(words[0]), words.substr(1)};
}

}  // namespace

void start_thread(std::function<void()> body) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread(std::move(body)).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Contact answer_questions(int rank, std::function<ProcessState()> state) {
    Contact contact;
    contact.rank = rank;
    std::random_device random;
    contact.secret = (std::uint64_t{random()} << 32) | random();
    utsname names{};
    if (uname(&names) == 0) {
        const std::string host(names.nodename);
        std::copy_n(host.begin(), std::min(host.size(), contact.host.size() - 1),
                    contact.host.begin());
    }
    const int descriptor = listen_anywhere(contact);
    if (descriptor < 0) return contact;
    add_addresses(contact);
    start_thread([descriptor, secret = contact.secret, state = std::move(state)] {
        while (true) {
            const Socket other(accept4(descriptor, nullptr, nullptr, SOCK_CLOEXEC));
            if (other.descriptor() >= 0) answer_one(other, secret, state);
        }
    });
    return contact;
}

ProcessState ask(const Contact& self, const Contact& other) {
    if (other.port == 0) return {};
    if (self.is_on_host_of(other)) {
        ProcessState state = ask_at(place_of(htonl(INADDR_LOOPBACK), other.port), other.secret);
        if (state.activity != ProcessState::Activity::unknown) return state;
    }
    for (std::size_t i = 0; i < other.address_count; ++i) {
        ProcessState state = ask_at(place_of(other.addresses[i], other.port), other.secret);
        if (state.activity != ProcessState::Activity::unknown) return state;
    }
    return {};
}

}  // namespace tradewind::mpi
