#include "tradewind/trace/raw.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tradewind/base/errors.hpp"
#include "tradewind/base/interrupts.hpp"
#include "tradewind/trace/raw_definitions.hpp"

namespace tradewind::trace {

namespace {

constexpr std::uint64_t picoseconds_per_nanosecond = 1000;
/// Some hundred days, far below what fits into picoseconds.
constexpr std::uint64_t longest_ns = std::uint64_t{1} << 53U;

/// An event in the file, as src/recorder/recorder.h has it.
struct Record {
    std::uint32_t signature = 0;
    std::uint32_t reserved = 0;
    std::uint64_t computed_ns = 0;
    std::uint64_t processor_ns = 0;
    std::uint64_t inside_ns = 0;
};

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().stem() == "definitions") files.push_back(entry.path());
    if (error) throw TraceError(text("recording: ", folder.string(), ": ", error.message()));
    std::ranges::sort(files);
    return files;
}

/// Throws unless the files are of different ranks of one program.
void check_together(const std::vector<std::filesystem::path>& files) {
    if (files.empty()) throw TraceError("recording: there are no files of definitions");
    const Rank ranks = read_rank(files.front()).second;
    std::set<Rank> seen;
    for (const auto& file : files) {
        const auto [rank, others] = read_rank(file);
        if (others != ranks || !seen.insert(rank).second) {
            throw TraceError(text("recording: the file ", file.filename().string(),
                                  " is not of the same recording as the others"));
        }
    }
}

/// Returns the bytes that a call sends to one peer or gets from it; nothing if it is no such call.
std::optional<Bytes> moved_bytes(const TracedCall& event) {
    std::size_t peer = 0;
    switch (event.call) {
        case Call::send:
        case Call::ssend:
        case Call::rsend:
        case Call::bsend:
        case Call::sendrecv:
            break;
        case Call::put:
        case Call::put_signal:
        case Call::get:
        case Call::accumulate:
            peer = 1;
            break;
        default:
            return {};
    }
    if (event.arguments.size() < 3 || event.arguments[peer] == no_peer) return {};
    return event.arguments[2];
}

/// Adds the calls of one rank to a trace.
class RankReader {
public:
    RankReader(TraceBuilder& builder, const RawDefinitions& given,
               const std::map<ModuleOffset, std::string>& sites)
        : builder_(builder),
          given_(given),
          sites_(sites),
          events_(given.signatures.size(), none),
          result_(given.rank) {}

    /// Reads the file of events; what is missing there ends the rank.
    void read(const std::filesystem::path& file) {
        number_communicators();
        std::ifstream in(file, std::ios::binary);
        std::vector<Record> block(4096);
        while (in) {
            check_interrupts(long_operation / 16);
            in.read(reinterpret_cast<char*>(block.data()),
                    std::streamsize(block.size() * sizeof(Record)));
            const auto count = std::size_t(in.gcount()) / sizeof(Record);
            for (std::size_t i = 0; i < count; ++i)
                if (!take(block[i])) return;
        }
    }
    /// Returns the facts of the rank, with the sums over its calls.
    [[nodiscard]] const RawRank& result() const noexcept { return result_; }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw TraceError(text("recording: rank ", given_.rank.rank, ": ", what));
    }

    void number_communicators() {
        for (std::size_t i = 0; i < given_.communicators.size(); ++i) {
            const bool is_predefined = i < 2;
            numbers_.push_back(
                is_predefined ? std::int64_t(i)
                              : builder_.communicator(given_.rank.rank, given_.communicators[i]));
        }
        // A trace tells communicators with the same members apart by their order, which has to be
        // the same on all ranks. That of two on different parents need not be.
        const std::vector<std::size_t> places = places_of_communicators();
        std::map<std::vector<Rank>, std::vector<std::size_t>> alike;
        for (std::size_t i = 2; i < given_.communicators.size(); ++i)
            alike[given_.communicators[i]].push_back(i);
        for (const auto& [members, made] : alike) {
            std::vector<std::size_t> ordered = made;
            std::ranges::stable_sort(ordered, {}, [&](std::size_t i) { return places[i]; });
            std::vector<std::int64_t> numbers;
            for (const std::size_t i : made) numbers.push_back(numbers_[i]);
            for (std::size_t i = 0; i < ordered.size(); ++i) numbers_[ordered[i]] = numbers[i];
        }
    }

    /// Returns the communicator that each was made from, or none.
    [[nodiscard]] std::vector<std::int64_t> parents_of_communicators() const {
        const std::size_t count = given_.communicators.size();
        std::vector<std::int64_t> parents(count, none);
        for (const RawSignature& one : given_.signatures) {
            const TracedCall& made = one.event;
            if (made.call != Call::comm_create || made.arguments.empty()) continue;
            const std::int64_t child = made.arguments[0];
            if (child >= 2 && child < std::int64_t(count) && made.comm < child)
                parents[std::size_t(child)] = made.comm;
        }
        return parents;
    }

    /// Returns the place of each communicator in an order that is the same on all of its ranks: by
    /// generations, then by parents, then by how many of the same members were made of that before.
    /// Those without a parent come last.
    [[nodiscard]] std::vector<std::size_t> places_of_communicators() const {
        const std::size_t count = given_.communicators.size();
        const std::vector<std::int64_t> parents = parents_of_communicators();
        std::vector<std::size_t> generations(count), turns(count), order(count), places(count);
        std::map<std::pair<std::int64_t, std::vector<Rank>>, std::size_t> seen;
        for (std::size_t i = 0; i < count; ++i) {
            order[i] = i;
            turns[i] = i < 2 ? i : seen[{parents[i], given_.communicators[i]}]++;
            generations[i] = parents[i] >= 0 ? generations[std::size_t(parents[i])] + 1
                             : i < 2         ? 0
                                             : count;
        }
        const auto place_of_parent = [&](std::size_t i) {
            return parents[i] >= 0 ? places[std::size_t(parents[i])] : 0;
        };
        const auto is_before = [&](std::size_t a, std::size_t b) {
            const std::pair one(place_of_parent(a), turns[a]), other(place_of_parent(b), turns[b]);
            return one != other ? one < other : given_.communicators[a] < given_.communicators[b];
        };
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return generations[i]; });
        for (auto first = order.begin(); first != order.end();) {
            const auto last = std::find_if(first, order.end(), [&](std::size_t i) {
                return generations[i] != generations[*first];
            });
            std::stable_sort(first, last, is_before);
            for (; first != last; ++first) places[*first] = std::size_t(first - order.begin());
        }
        return places;
    }

    [[nodiscard]] std::int64_t communicator(std::int64_t number) const {
        if (number < 0 || number >= std::int64_t(numbers_.size()))
            fail(text("a call on communicator ", number, ", which it does not have"));
        return numbers_[std::size_t(number)];
    }

    [[nodiscard]] std::int64_t string(std::int64_t number) const {
        if (number < 0 || number >= std::int64_t(given_.strings.size()))
            fail(text("a call with text ", number, ", which it does not have"));
        return builder_.string(given_.strings[std::size_t(number)]);
    }

    [[nodiscard]] std::int64_t site(std::uint64_t address) const {
        const auto found = given_.sites.find(address);
        if (found == given_.sites.end()) return none;
        if (!found->second.has_module()) return builder_.string(found->second.function);
        const auto name = sites_.find(found->second.place);
        return name == sites_.end() ? none : builder_.string(name->second);
    }

    /// Returns the return address of a known call site, else 0: code that is generated while the
    /// program runs may have another address in each turn.
    [[nodiscard]] std::int64_t place(std::uint64_t address) const {
        return given_.sites.contains(address) ? std::int64_t(address) : 0;
    }

    /// Returns the number that the trace has for a signature of the file.
    std::int64_t event(std::size_t signature) {
        const RawSignature& given = given_.signatures[signature];
        TracedCall made = given.event;
        made.comm = communicator(made.comm);
        made.site = site(given.address);
        const bool names_text = made.call == Call::other || made.call == Call::region;
        const bool names_comm = made.call == Call::comm_create || made.call == Call::comm_free;
        if (!made.arguments.empty() && names_text) made.arguments[0] = string(made.arguments[0]);
        if (!made.arguments.empty() && names_comm && made.arguments[0] != none)
            made.arguments[0] = communicator(made.arguments[0]);
        return builder_.event(made);
    }

    bool take(const Record& record) {
        if (record.signature == 0) return false;
        const std::size_t signature = record.signature - 1;
        if (signature >= events_.size()) fail("a call without a definition");
        if (given_.signatures[signature].is_unresolved) {
            result_.is_cut = true;
            return false;
        }
        if (events_[signature] == none) events_[signature] = event(signature);
        builder_.add(given_.rank.rank, events_[signature],
                     {time(record.computed_ns), time(record.processor_ns), time(record.inside_ns)},
                     place(given_.signatures[signature].address));
        ++result_.events;
        result_.inside += time(record.inside_ns);
        result_.computed += time(record.computed_ns);
        const TracedCall& made = given_.signatures[signature].event;
        if (made.call == Call::other && !made.arguments.empty())
            ++result_.named_only[given_.strings[std::size_t(made.arguments[0])]];
        if (const auto bytes = moved_bytes(made)) {
            ++result_.messages;
            result_.bytes += *bytes;
        }
        return true;
    }

    [[nodiscard]] Picoseconds time(std::uint64_t ns) const {
        if (ns > longest_ns) fail(text("a call that takes ", ns, " ns"));
        return Picoseconds(ns * picoseconds_per_nanosecond);
    }

    TraceBuilder& builder_;
    const RawDefinitions& given_;
    const std::map<ModuleOffset, std::string>& sites_;
    /// The number of each signature in the trace, once it is known.
    std::vector<std::int64_t> events_;
    std::vector<std::int64_t> numbers_;
    RawRank result_;
};

}  // namespace

std::vector<RawSite> raw_sites(const std::filesystem::path& folder) {
    std::map<ModuleOffset, std::string> all;
    for (const auto& file : files_of(folder))
        for (const auto& [address, site] : read_definitions(file).sites)
            if (site.has_module()) all.try_emplace(site.place, site.function);
    std::vector<RawSite> result;
    for (const auto& [place, function] : all) result.push_back({place, function});
    return result;
}

RawRecording read_raw(const std::filesystem::path& folder,
                      const std::map<ModuleOffset, std::string>& sites) {
    RawRecording result;
    std::optional<TraceBuilder> builder;
    const auto files = files_of(folder);
    check_together(files);
    for (const auto& file : files) {
        const RawDefinitions given = read_definitions(file);
        if (!builder) builder.emplace(result.ranks = given.ranks);
        RankReader reader(*builder, given, sites);
        reader.read(
            std::filesystem::path(file).replace_filename("events" + file.extension().string()));
        result.recorded.push_back(reader.result());
    }
    std::ranges::sort(result.recorded, {}, &RawRank::rank);
    for (RawRank& rank : result.recorded) rank.variation = builder->variation(rank.rank);
    result.trace = builder->finish();
    return result;
}

}  // namespace tradewind::trace
