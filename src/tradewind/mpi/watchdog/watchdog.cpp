/// The record of what this process waits for, and the thread that reads it.
///
/// A rank whose limit is over reports, unless a lower one does:
///
///     limit over     a moment, in which the limits of other ranks are over as well
///     expired        asks the lower ranks; if the limit of one is over, that one reports
///     reports        asks all ranks what they do; starts again if another one reports, too
///     end            one line for each rank, MPI_Abort
#include "tradewind/mpi/watchdog/watchdog.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tradewind/mpi/check.hpp"
#include "tradewind/mpi/watchdog/contact.hpp"

namespace tradewind::mpi {

namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::nanoseconds;
using Activity = ProcessState::Activity;

constexpr const char* variable = "TRADEWIND_WATCHDOG";
constexpr const char* finalize = "MPI_Finalize";
constexpr double longest_limit_s = 1e7;
/// The time in which a thread that polls answers a question.
constexpr std::chrono::milliseconds answer_time{300};
/// Ranks that report in turn if all wait; those above them draw their turn.
constexpr int turns = 50;
/// A rank that leaves the report to another one for so many times reports itself.
constexpr int most_turns = 20;
/// The time in which a job ends after a report.
constexpr std::chrono::seconds time_to_end{3};
constexpr std::size_t most_lines = 200;
constexpr std::int64_t polls_before_yield = 1000;

/// The knowledge that all threads of the process share; it lives until the process has ended, as
/// they do.
struct WatchRecord {
    // Written by the thread that calls MPI.
    std::atomic<const char*> call{nullptr};
    std::atomic<Bytes> bytes{0};
    std::atomic<std::int64_t> since_ns{0};

    std::atomic<bool> is_asked{false};
    std::atomic<bool> is_expired{false};
    std::atomic<bool> is_reporting{false};
    std::atomic<std::int64_t> limit_ns{0};

    /// Lets one thread ask at a time.
    std::mutex asking;
    /// Guards what follows.
    std::mutex mutex;
    std::condition_variable has_answer;
    std::optional<std::string> answer;
    std::string phase;
    Contact self;
    std::map<int, Contact> contacts;
    int size = 1;
    /// True if this machine has more ranks than cores.
    bool is_crowded = false;
};

WatchRecord& record() {
    static auto* const made = new WatchRecord;
    return *made;
}

std::int64_t now_ns() {
    return std::chrono::duration_cast<Nanoseconds>(Clock::now().time_since_epoch()).count();
}

/// Returns the seconds since the process has entered or left a call, to one digit.
double waited_s() {
    return std::round(double(now_ns() - record().since_ns) * 1e-8) / 10;
}

// ---- the state of this process ----

/// Asks the thread that waits by polling what it waits for.
std::string open_messages() {
    WatchRecord& own = record();
    const std::lock_guard one_at_a_time(own.asking);
    std::unique_lock lock(own.mutex);
    own.answer.reset();
    own.is_asked = true;
    own.has_answer.wait_for(lock, answer_time, [&] { return own.answer.has_value(); });
    own.is_asked = false;
    return own.answer.value_or("messages that it does not name");
}

bool has_finalized() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized != 0;
}

/// Returns what this process does; `otherwise` unless its limit is over.
Activity activity(Activity otherwise) {
    if (record().is_reporting) return Activity::reports;
    return record().is_expired ? Activity::expired : otherwise;
}

std::string wait_text(const char* call) {
    WatchRecord& own = record();
    const Bytes bytes = own.bytes;
    std::string what = call == polled_messages
                           ? text("has waited ", waited_s(), " s for ", open_messages())
                           : text("has waited ", waited_s(), " s in ", call,
                                  bytes > 0 ? text(" of ", bytes, " bytes") : std::string());
    const std::lock_guard lock(own.mutex);
    if (!own.phase.empty()) what += text(", in phase \"", own.phase, '"');
    return what;
}

ProcessState own_state() {
    const char* const call = record().call;
    if (call == nullptr)
        return {Activity::runs, text("has not waited in Tradewind for ", waited_s(), " s")};
    if (call != finalize) return {activity(Activity::waits), wait_text(call)};
    return {activity(Activity::finalizes), has_finalized()
                                               ? "has ended its program"
                                               : "has ended its program and waits in MPI_Finalize"};
}

// ---- the states of all ranks ----

std::vector<Contact> others() {
    WatchRecord& own = record();
    const std::lock_guard lock(own.mutex);
    std::vector<Contact> list;
    for (const auto& [rank, contact] : own.contacts)
        if (rank != own.self.rank) list.push_back(contact);
    return list;
}

std::string line(int rank, const std::string& what) {
    return text("tradewind: rank ", rank, " of ", record().size, ' ', what, '\n');
}

/// Returns one line on the ranks that are not known, if there are any.
std::string unknown_ranks(const std::vector<Contact>& known) {
    const int count = record().size - int(known.size()) - 1;
    if (count <= 0) return {};
    return text("tradewind: ", count, count == 1 ? " rank has" : " ranks have",
                " made no communicator with this one, and cannot be asked\n");
}

/// The lines on all ranks.
struct RankReport {
    std::string lines;
    /// True if another rank reports, too.
    bool is_double = false;
    /// True if a rank did not answer.
    bool has_gaps = false;
};

/// Asks all ranks; the lines on this one are the first.
RankReport report_of_all() {
    const Contact& self = record().self;
    RankReport report{line(self.rank, own_state().text)};
    const std::vector<Contact> list = others();
    std::size_t lines = 1;
    for (const Contact& other : list) {
        const ProcessState state = ask(self, other);
        const bool is_known = state.activity != Activity::unknown;
        report.is_double = report.is_double || state.activity == Activity::reports;
        report.has_gaps = report.has_gaps || !is_known;
        if (lines++ >= most_lines) continue;
        report.lines += line(other.rank, is_known ? state.text : "has ended, or cannot be asked");
    }
    if (lines > most_lines)
        report.lines += text("tradewind: and ", lines - most_lines, " more ranks\n");
    report.lines += unknown_ranks(list);
    return report;
}

/// Reports whether a lower rank ought to report.
bool is_left_to_another() {
    for (const Contact& other : others()) {
        if (other.rank > record().self.rank) break;
        const Activity activity = ask(record().self, other).activity;
        if (activity == Activity::expired || activity == Activity::reports) return true;
    }
    return false;
}

/// Reports whether all ranks have ended their programs. One that ended first may wait for long
/// while others compute or send messages.
bool is_everybody_ending() {
    return std::ranges::all_of(others(), [](const Contact& other) {
        const Activity what = ask(record().self, other).activity;
        return what == Activity::finalizes || what == Activity::expired;
    });
}

// ---- the thread that watches ----

bool is_over() {
    const WatchRecord& own = record();
    if (own.call == nullptr) return false;
    return now_ns() - own.since_ns > own.limit_ns;
}

[[noreturn]] void end_with(const std::string& report, const std::string& reason) {
    const std::string all = text(report, "tradewind: the watchdog ends the job", reason, '\n');
    for (std::size_t done = 0; done < all.size();) {
        const ssize_t count = write(STDERR_FILENO, all.data() + done, all.size() - done);
        if (count <= 0) break;
        done += std::size_t(count);
    }
    // Launchers that end a job at once lose output that they have not yet forwarded.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    // MPI_COMM_WORLD may no longer exist. The launcher ends the other processes then.
    if (record().call != finalize) MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
}

/// Returns the time until this rank reports, in which lower ones have their turn.
Nanoseconds turn() {
    static std::minstd_rand random(std::random_device{}());
    const int drawn = std::uniform_int_distribution<int>(0, 20)(random);
    return std::chrono::milliseconds(200 + drawn + 40 * std::min(record().self.rank, turns));
}

void report() {
    WatchRecord& own = record();
    const std::int64_t since = own.since_ns;
    const auto is_same_wait = [&] { return is_over() && own.since_ns == since; };
    own.is_expired = true;
    bool has_paused = false;
    for (int turns_left = most_turns; is_same_wait(); --turns_left) {
        std::this_thread::sleep_for(turn());
        const bool is_last = turns_left <= 0;
        if (!is_same_wait()) break;
        if (!is_last && is_left_to_another()) continue;
        own.is_reporting = true;
        const RankReport report = report_of_all();
        // A rank that does not answer may have reported, so that the job ends soon.
        const bool pauses = report.has_gaps && !has_paused;
        if (is_last || !(report.is_double || pauses)) {
            end_with(report.lines,
                     text(": the limit of a wait is ", double(own.limit_ns) * 1e-9, " s"));
        }
        own.is_reporting = false;
        if (pauses) std::this_thread::sleep_for(time_to_end);
        has_paused = has_paused || pauses;
    }
    own.is_expired = false;
}

void watch() {
    while (true) {
        const WatchRecord& own = record();
        std::this_thread::sleep_for(std::clamp<Nanoseconds>(Nanoseconds(own.limit_ns / 8),
                                                            std::chrono::milliseconds(5),
                                                            std::chrono::milliseconds(250)));
        if (!is_over()) continue;
        if (own.call == finalize) {
            if (has_finalized()) return;
            if (!is_everybody_ending()) {
                record().since_ns = now_ns();
                continue;
            }
        }
        report();
    }
}

/// Notes that MPI_Finalize has begun, which deletes the attributes of MPI_COMM_SELF first.
int begin_finalize(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*state*/) {
    record().since_ns = now_ns();
    record().call = finalize;
    return MPI_SUCCESS;
}

void note_finalize() {
    int key = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, begin_finalize, &key, nullptr),
          "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
}

// ---- what the ranks agree on ----

/// Returns the largest limit of all ranks in seconds; throws on all ranks if one is wrong.
double agreed_limit(MPI_Comm comm, double own, const std::string& given) {
    constexpr double wrong = std::numeric_limits<double>::infinity();
    const double mine = own < 0 ? wrong : own;
    double largest = 0;
    {
        const BlockingCall call("MPI_Allreduce, which makes a communicator");
        check(MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
    }
    if (largest != wrong) return largest;
    if (own >= 0) throw ConfigError(text(variable, " of another rank is not a time"));
    throw ConfigError(
        text(variable, " is \"", given, "\", must be off or a time above 0 such as \"30 s\""));
}

/// Makes the ranks of a communicator known to each other.
void exchange_contacts(MPI_Comm comm) {
    WatchRecord& own = record();
    int size = 0;
    check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    std::vector<Contact> all(static_cast<std::size_t>(size));
    constexpr int bytes = sizeof(Contact);
    {
        const BlockingCall call("MPI_Allgather, which makes a communicator");
        check(MPI_Allgather(&own.self, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm),
              "MPI_Allgather");
    }
    const std::lock_guard lock(own.mutex);
    std::int64_t here = 0;
    for (const Contact& one : all) own.contacts[one.rank] = one;
    for (const auto& [rank, contact] : own.contacts)
        here += contact.is_on_host_of(own.self) ? 1 : 0;
    own.is_crowded = here > sysconf(_SC_NPROCESSORS_ONLN);
}

}  // namespace

double read_limit(const std::string& text) {
    if (text.empty() || text == "off") return 0;
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    std::string unit(end);
    if (end == text.c_str()) return -1;
    unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
    const std::map<std::string, double> units = {
        {"", 1.0}, {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    const auto found = units.find(unit);
    if (found == units.end()) return -1;
    const double limit = number * found->second;
    return limit > 0 && limit <= longest_limit_s ? limit : -1;
}

void Watchdog::join(MPI_Comm comm) {
    const char* const value = std::getenv(variable);
    const std::string given = value == nullptr ? "" : value;
    const double own = read_limit(given);
    // Before it is agreed upon: others may never make this call.
    if (own > 0) start(own);
    const double limit = agreed_limit(comm, own, given);
    if (limit <= 0) return;
    start(limit);
    exchange_contacts(comm);
}

void Watchdog::start(double limit_s) {
    WatchRecord& own = record();
    own.limit_ns = std::max<std::int64_t>(own.limit_ns, std::int64_t(limit_s * 1e9));
    if (is_on_) return;
    check(MPI_Comm_size(MPI_COMM_WORLD, &own.size), "MPI_Comm_size");
    int rank = 0;
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
    note_finalize();
    own.since_ns = now_ns();
    own.self = answer_questions(rank, own_state);
    start_thread(watch);
    is_on_ = true;
}

void Watchdog::end_job(const std::string& what) {
    end_with(line(record().self.rank, what), "");
}

void Watchdog::begin_phase(const char* name) {
    const std::lock_guard lock(record().mutex);
    record().phase = name;
}

bool Watchdog::is_asked() noexcept {
    return record().is_asked.load(std::memory_order_relaxed);
}

void Watchdog::answer(std::string open) {
    WatchRecord& own = record();
    const std::lock_guard lock(own.mutex);
    own.is_asked = false;
    own.answer = std::move(open);
    own.has_answer.notify_all();
}

void Watchdog::give_way(std::int64_t polls) {
    if (polls < polls_before_yield) return;
    if (record().is_crowded) {
        std::this_thread::sleep_for(std::chrono::microseconds(10));
    } else {
        std::this_thread::yield();
    }
}

void BlockingCall::enter(const char* name, Bytes bytes) noexcept {
    is_watched_ = true;
    WatchRecord& own = record();
    own.since_ns.store(now_ns(), std::memory_order_relaxed);
    own.bytes.store(bytes, std::memory_order_relaxed);
    own.call.store(name, std::memory_order_release);
}

void BlockingCall::leave() noexcept {
    WatchRecord& own = record();
    own.call.store(nullptr, std::memory_order_relaxed);
    own.since_ns.store(now_ns(), std::memory_order_relaxed);
}

}  // namespace tradewind::mpi
