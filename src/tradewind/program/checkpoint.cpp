/// Gathers, writes, reads and scatters checkpoints.
#include "tradewind/program/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <fstream>
#include <sstream>

#include "tradewind/base/data_file.hpp"

namespace tradewind {

namespace {

constexpr Tag checkpoint_tag = 31000;
constexpr std::string_view first_line = "tradewind-checkpoint 2";
const std::string not_given = "not given";
// What a run writes, and the choices of exchanges, which all leave the state as it is.
constexpr std::string_view free_settings[] = {
    "steps",   "days",           "hours",  "output_every", "output_every_hours",
    "tuning",  "partition_file", "points", "exchange",     "schedule",
    "overlap", "protocol"};

std::string value_text(const Settings::Value& value) {
    const auto written = [](const auto& one) -> std::string {
        using Value = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
            std::string list;
            for (const std::int64_t number : one) list += text(list.empty() ? "" : ", ", number);
            return "[" + list + "]";
        } else if constexpr (std::is_same_v<Value, double>) {
            std::array<char, 32> digits{};
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), one).ptr;
            return {digits.data(), end};
        } else {
            return text(one);
        }
    };
    return std::visit(written, value);
}

/// Returns a value as a line: the digest of a file that a setting names, and the content of one
/// that only hands over text of several lines.
std::string line_of(const std::string& value) {
    std::string words = content_of_file(value);
    if (words == value && value.starts_with('/')) words = text_or_file(value);
    std::string line;
    for (const char letter : words)
        line += letter == '\n' ? std::string("\\n") : std::string(1, letter);
    return line;
}

/// The header of a file, and where its numbers begin.
struct CheckpointHeader {
    Identity identity;
    std::int64_t step = 0;
    std::vector<std::int64_t> counts;
    /// The checksum of the numbers.
    std::uint64_t checksum = 0;
};

/// Returns the hash FNV-1a of all numbers, eight bytes at a time.
std::uint64_t checksum_of(std::span<const std::vector<double>> parts) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const auto& part : parts)
        for (const double number : part)
            hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 0x100000001b3;
    return hash;
}

void write_header(std::ostream& out, const CheckpointHeader& header) {
    out << first_line << '\n';
    for (const auto& [name, value] : header.identity) out << name << '=' << value << '\n';
    out << "step=" << header.step << "\nchecksum=" << header.checksum << "\nnumbers=";
    for (std::size_t i = 0; i < header.counts.size(); ++i)
        out << (i > 0 ? " " : "") << header.counts[i];
    out << "\n\n";
}

CheckpointHeader read_header(std::istream& in, const std::string& file) {
    std::string line;
    if (!std::getline(in, line) || line != first_line)
        throw ConfigError(text(file, " is not a checkpoint of this version of Tradewind"));
    CheckpointHeader header;
    while (std::getline(in, line) && !line.empty()) {
        const auto equals = std::min(line.find('='), line.size());
        const std::string name = line.substr(0, equals);
        const std::string value = line.substr(std::min(equals + 1, line.size()));
        std::istringstream numbers(value);
        if (name == "step") {
            numbers >> header.step;
        } else if (name == "checksum") {
            numbers >> header.checksum;
        } else if (name == "numbers") {
            for (std::int64_t count = 0; numbers >> count;) header.counts.push_back(count);
        } else {
            header.identity.emplace_back(name, value);
        }
    }
    if (!in) throw ConfigError(text(file, " ends within its header"));
    return header;
}

std::string value_of(const Identity& identity, const std::string& name) {
    const auto found = std::ranges::find(identity, name, &Identity::value_type::first);
    return found == identity.end() ? not_given : found->second;
}

/// Returns a value for people: a time step in s.
std::string in_words(const std::string& name, const std::string& value) {
    if (name != "time_step" || value == not_given) return value;
    return text(std::stod(value) / double(picoseconds_per_second), " s");
}

void check_identity(const Identity& written, const Identity& wanted, const std::string& file) {
    for (const auto* const names : {&wanted, &written}) {
        for (const auto& [name, value] : *names) {
            const std::string before = value_of(written, name);
            const std::string now = value_of(wanted, name);
            if (before == now) continue;
            throw ConfigError(text(file, " is of another run: its ", name, " is ",
                                   in_words(name, before), ", that of this run ",
                                   before == not_given ? "is " : "", in_words(name, now)));
        }
    }
}

/// The numbers of all ranks as rank 0 has read them.
struct Contents {
    std::int64_t step = 0;
    std::vector<std::vector<double>> parts;
};

Contents load(const std::filesystem::path& path, const Identity& identity, Rank ranks) {
    const std::string file = path.string();
    std::ifstream in(path, std::ios::binary);
    if (!in) throw ConfigError(text(file, ": no such checkpoint, or it cannot be read"));
    const CheckpointHeader header = read_header(in, file);
    check_identity(header.identity, identity, file);
    if (Rank(header.counts.size()) != ranks)
        throw ConfigError(
            text(file, " holds the parts of ", header.counts.size(), " ranks, not of ", ranks));
    constexpr std::int64_t most = std::int64_t{1} << 40;
    for (const std::int64_t count : header.counts) {
        if (count < 0 || count > most)
            throw ConfigError(text(file, " has ", count, " numbers of a rank"));
    }
    Contents contents{header.step, {}};
    const auto begin = in.tellg();
    in.seekg(0, std::ios::end);
    std::int64_t total = 0;
    for (const std::int64_t count : header.counts) total += count;
    if (in.tellg() - begin != std::streamoff(total * std::int64_t(sizeof(double))))
        throw ConfigError(text(file, " is not complete: ", std::int64_t(in.tellg() - begin),
                               " bytes of numbers instead of ",
                               total * std::int64_t(sizeof(double))));
    in.seekg(begin);
    for (const std::int64_t count : header.counts) {
        contents.parts.emplace_back(std::size_t(count));
        in.read(reinterpret_cast<char*>(contents.parts.back().data()),
                std::streamsize(count * std::int64_t(sizeof(double))));
    }
    if (!in || checksum_of(contents.parts) != header.checksum)
        throw ConfigError(text(file, " is damaged: its numbers do not have its checksum"));
    return contents;
}

bool save(const std::filesystem::path& path, CheckpointHeader header,
          std::span<const std::vector<double>> parts) {
    header.checksum = checksum_of(parts);
    auto unfinished = path;
    unfinished += ".part";
    std::ofstream out(unfinished, std::ios::binary);
    write_header(out, header);
    for (const auto& part : parts)
        out.write(reinterpret_cast<const char*>(part.data()),
                  std::streamsize(part.size() * sizeof(double)));
    out.close();
    std::error_code failed;
    if (out) {
        std::filesystem::rename(unfinished, path, failed);
    } else {
        std::filesystem::remove(unfinished, failed);
    }
    return bool(out) && !failed;
}

Buffer one(std::int64_t& value) {
    return Buffer(std::span(&value, 1));
}

}  // namespace

Identity identity_of(std::string_view model, std::string_view version, const Settings& settings) {
    Identity identity{{"model", std::string(model)}, {"version", std::string(version)}};
    for (const auto& [key, value] : settings.values())
        if (std::ranges::find(free_settings, key) == std::end(free_settings))
            identity.emplace_back(key, line_of(value_text(value)));
    return identity;
}

Task Checkpoints::write(Comm& comm, std::int64_t step, std::span<const double> numbers) const {
    comm.begin_phase("checkpoint");
    auto count = std::int64_t(numbers.size());
    std::int64_t is_written = 1;
    if (comm.rank() != 0) {
        co_await comm.send(0, one(count), checkpoint_tag);
        co_await comm.send(0, ConstBuffer(numbers), checkpoint_tag);
        co_await comm.recv(0, one(is_written), checkpoint_tag);
    } else {
        CheckpointHeader header{identity_, step, {count}};
        std::vector<std::vector<double>> parts{{numbers.begin(), numbers.end()}};
        for (Rank from = 1; from < comm.size(); ++from) {
            co_await comm.recv(from, one(count), checkpoint_tag);
            parts.emplace_back(std::size_t(count));
            co_await comm.recv(from, Buffer(std::span(parts.back())), checkpoint_tag);
            header.counts.push_back(count);
        }
        is_written = save(file_, header, parts) ? 1 : 0;
        for (Rank to = 1; to < comm.size(); ++to)
            co_await comm.send(to, one(is_written), checkpoint_tag);
    }
    if (is_written == 0)
        throw Error(
            text("the checkpoint after step ", step, " cannot be written to ", file_.string()));
}

Task Checkpoints::read(Comm& comm, std::int64_t last_step, std::int64_t& step,
                       std::vector<double>& numbers) const {
    comm.begin_phase("checkpoint");
    Contents contents;
    std::string problem;
    if (comm.rank() == 0) {
        try {
            contents = load(restart_, identity_, comm.size());
            if (contents.step >= last_step)
                throw ConfigError(text(restart_.string(), " is from after step ", contents.step,
                                       ", and the run ends after step ", last_step));
        } catch (const ConfigError& error) {
            problem = error.what();
        }
    }
    // The step, the length of an error message, and how many numbers follow.
    std::array<std::int64_t, 3> head{};
    for (Rank to = comm.size() - 1; to >= 0 && comm.rank() == 0; --to) {
        const bool is_good = problem.empty();
        if (is_good) numbers = std::move(contents.parts[std::size_t(to)]);
        head = {contents.step, std::int64_t(problem.size()),
                is_good ? std::int64_t(numbers.size()) : 0};
        if (to == 0) break;
        co_await comm.send(to, ConstBuffer(std::span<const std::int64_t>(head)), checkpoint_tag);
        co_await comm.send(to, ConstBuffer(std::span(std::as_const(problem))), checkpoint_tag);
        co_await comm.send(to, ConstBuffer(std::span(std::as_const(numbers))), checkpoint_tag);
    }
    if (comm.rank() != 0) {
        co_await comm.recv(0, Buffer(std::span<std::int64_t>(head)), checkpoint_tag);
        problem.resize(std::size_t(head[1]));
        numbers.resize(std::size_t(head[2]));
        co_await comm.recv(0, Buffer(std::span(problem)), checkpoint_tag);
        co_await comm.recv(0, Buffer(std::span(numbers)), checkpoint_tag);
    }
    if (!problem.empty()) throw ConfigError(problem);
    step = head[0];
}

}  // namespace tradewind
