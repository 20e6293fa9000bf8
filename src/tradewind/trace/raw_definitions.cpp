#include "tradewind/trace/raw_definitions.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>

#include "tradewind/base/errors.hpp"

namespace tradewind::trace {

namespace {

constexpr std::size_t most_functions = 1000;
constexpr std::int64_t most_raw_ranks = std::int64_t{1} << 22;
/// Peer or tag of a receive for any that is not complete.
constexpr std::int64_t unresolved = std::numeric_limits<std::int64_t>::min() + 1;

/// The first bytes of the file, as src/recorder/recorder.h has them.
struct RawHeader {
    std::array<char, 8> magic;
    std::uint32_t version, rank, ranks, status;
    std::uint64_t thread_level, failed_tests, foreign, other_threads, events, function_count;
    std::array<std::uint64_t, most_functions> counts;
};

enum class DefinitionKind : std::uint32_t {
    signature = 1,
    communicator,
    string,
    site,
    function,
    call,
    fact
};

/// Reads one file from its first definition to its last.
class Reader {
public:
    explicit Reader(const std::filesystem::path& file)
        : name_(file.filename().string()), content_(whole(file)) {
        if (content_.size() < sizeof header_) fail("is too short; the disk may have been full");
        std::memcpy(&header_, content_.data(), sizeof header_);
    }

    RawDefinitions read() {
        take_header();
        for (std::size_t at = sizeof header_; content_.size() - at >= 8;) {
            const std::uint64_t head = number(at);
            if (head == 0) break;
            const std::size_t size = head >> 32U;
            if (size > content_.size() - at - 8) fail("ends within a definition");
            take(DefinitionKind(std::uint32_t(head)), {content_.data() + at + 8, size});
            at += 8 + (size + 7) / 8 * 8;
            if (at > content_.size()) break;
        }
        return std::move(result_);
    }

private:
    using Content = std::span<const char>;

    static std::string whole(const std::filesystem::path& file) {
        std::ifstream in(file, std::ios::binary);
        if (!in) throw TraceError(text("recording: ", file.string(), " cannot be read"));
        return {std::istreambuf_iterator<char>(in), {}};
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw TraceError(text("recording: the file ", name_, " ", what));
    }
    [[nodiscard]] std::uint64_t number(std::size_t at) const {
        std::uint64_t value = 0;
        std::memcpy(&value, content_.data() + at, sizeof value);
        return value;
    }
    [[nodiscard]] std::vector<std::int64_t> numbers(Content content) const {
        if (content.size() % 8 != 0) fail("has a definition of an odd size");
        std::vector<std::int64_t> values(content.size() / 8);
        if (!values.empty()) std::memcpy(values.data(), content.data(), content.size());
        return values;
    }

    void take_header() {
        constexpr std::array<char, 8> magic{'T', 'W', 'R', 'A', 'W', '\n', 0, 0};
        if (header_.magic != magic) fail("is no recording");
        if (header_.version != 1)
            fail(text("has version ", header_.version, " of the format, not 1"));
        result_.ranks = header_.ranks;
        RawRank& rank = result_.rank;
        rank.rank = header_.rank;
        if (result_.ranks < 1 || result_.ranks > most_raw_ranks || rank.rank >= result_.ranks)
            fail(text("is of rank ", rank.rank, " of ", result_.ranks));
        if (header_.status < 1 || header_.status > 5) fail("has an unknown status");
        rank.status = RawStatus(header_.status);
        rank.thread_level = std::int64_t(header_.thread_level);
        rank.failed_tests = std::int64_t(header_.failed_tests);
        rank.foreign = std::int64_t(header_.foreign);
        rank.other_threads = std::int64_t(header_.other_threads);
        rank.written = std::int64_t(header_.events);
    }

    void take(DefinitionKind kind, Content content) {
        switch (kind) {
            case DefinitionKind::signature:
                return take_signature(numbers(content));
            case DefinitionKind::communicator:
                return take_communicator(numbers(content));
            case DefinitionKind::string:
                result_.strings.emplace_back(content.begin(), content.end());
                return;
            case DefinitionKind::site:
                return take_site(content);
            case DefinitionKind::function:
                return take_function(content);
            case DefinitionKind::call:
                return take_call(content);
            case DefinitionKind::fact:
                return take_fact(content);
        }
        fail("has a definition of an unknown kind");
    }

    void take_signature(const std::vector<std::int64_t>& words) {
        if (words.size() < 4) fail("has a signature that is too short");
        const auto call = calls_.find(words[0]);
        if (call == calls_.end()) fail(text("has a call of the unknown number ", words[0]));
        RawSignature made;
        made.event = {call->second, words[1], words[2], none, {words.begin() + 4, words.end()}};
        made.address = std::uint64_t(words[3]);
        made.is_unresolved = std::ranges::count(made.event.arguments, unresolved) > 0;
        result_.signatures.push_back(std::move(made));
    }

    void take_communicator(const std::vector<std::int64_t>& words) {
        if (words.size() < 2 || words[0] != std::int64_t(result_.communicators.size()))
            fail("has a communicator out of its order");
        const std::vector<Rank> members(words.begin() + 1, words.end());
        const auto is_wrong = [&](Rank rank) { return rank < 0 || rank >= result_.ranks; };
        if (std::ranges::any_of(members, is_wrong))
            fail("has a communicator with a rank that does not exist");
        result_.communicators.push_back(members);
    }

    /// Takes the number and the name that a definition consists of.
    std::pair<std::int64_t, std::string> named(Content content) const {
        if (content.size() < 8) fail("has a name without a number");
        return {numbers(content.first(8))[0], {content.begin() + 8, content.end()}};
    }
    void take_function(Content content) {
        const auto [at, name] = named(content);
        if (at < 0 || at >= std::int64_t(most_functions)) fail("has too many functions");
        const std::uint64_t count = header_.counts[std::size_t(at)];
        if (count > 0) result_.rank.functions[name] = std::int64_t(count);
    }
    void take_call(Content content) {
        const auto [at, name] = named(content);
        const auto infos = all_calls();
        const auto found = std::ranges::find(infos, name, &CallInfo::name);
        if (found == infos.end()) fail(text("has the unknown call \"", name, '"'));
        calls_[at] = Call(found - infos.begin());
    }
    void take_fact(Content content) {
        const std::string all(content.begin(), content.end());
        const std::size_t sign = std::min(all.find('='), all.size());
        result_.rank.facts[all.substr(0, sign)] = sign < all.size() ? all.substr(sign + 1) : "";
    }
    void take_site(Content content) {
        if (content.size() < 24) fail("has a call site that is too short");
        const std::vector<std::int64_t> head = numbers(content.first(24));
        const std::string names(content.begin() + 24, content.end());
        const std::size_t end = std::min(names.find('\0'), names.size());
        RawSite site{{names.substr(0, end), head[1]},
                     end < names.size() ? names.substr(end + 1) : ""};
        result_.sites.insert_or_assign(std::uint64_t(head[0]), std::move(site));
    }

    std::string name_;
    std::string content_;
    RawHeader header_{};
    RawDefinitions result_;
    std::map<std::int64_t, Call> calls_;
};

}  // namespace

std::pair<Rank, Rank> read_rank(const std::filesystem::path& file) {
    RawHeader header{};
    std::ifstream in(file, std::ios::binary);
    in.read(reinterpret_cast<char*>(&header), sizeof header);
    return {header.rank, header.ranks};
}

RawDefinitions read_definitions(const std::filesystem::path& file) {
    return Reader(file).read();
}

}  // namespace tradewind::trace
