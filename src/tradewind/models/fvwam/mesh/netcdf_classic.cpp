#include "tradewind/models/fvwam/mesh/netcdf_classic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "tradewind/base/data_file.hpp"
#include "tradewind/base/errors.hpp"

namespace tradewind::fvwam {

namespace {

/// The types of the format.
enum Type : std::int32_t {
    byte = 1,
    character = 2,
    int16 = 3,
    int32 = 4,
    float32 = 5,
    float64 = 6,
    unsigned8 = 7,
    unsigned16 = 8,
    unsigned32 = 9,
    int64 = 10,
    unsigned64 = 11
};

constexpr std::int32_t dimension_list = 10;
constexpr std::int32_t variable_list = 11;
constexpr std::int32_t attribute_list = 12;
/// The most dimensions, variables or attributes that a header may have.
constexpr std::int64_t longest_list = 1 << 16;
/// The longest dimension, and the most records.
constexpr std::int64_t longest_dimension = std::int64_t{1} << 40;

/// The largest whole number that is read.
constexpr double most_whole = 0x7fffffff;

/// Returns the bytes of a value; 0 for an unknown type.
[[nodiscard]] std::int64_t size_of(std::int32_t type) {
    switch (type) {
        case byte:
        case character:
        case unsigned8:
            return 1;
        case int16:
        case unsigned16:
            return 2;
        case int32:
        case float32:
        case unsigned32:
            return 4;
        case float64:
        case int64:
        case unsigned64:
            return 8;
        default:
            return 0;
    }
}

/// Returns the unsigned number that `size` big-endian bytes hold.
[[nodiscard]] std::uint64_t big_endian(const unsigned char* bytes, std::int64_t size) {
    std::uint64_t value = 0;
    for (std::int64_t i = 0; i < size; ++i) value = value << 8 | bytes[i];
    return value;
}

/// Returns a value as a double.
[[nodiscard]] double value_of(const unsigned char* bytes, std::int32_t type) {
    const std::uint64_t raw = big_endian(bytes, size_of(type));
    switch (type) {
        case byte:
            return double(std::int8_t(raw));
        case int16:
            return double(std::int16_t(raw));
        case int32:
            return double(std::int32_t(raw));
        case int64:
            return double(std::int64_t(raw));
        case float32:
            return double(std::bit_cast<float>(std::uint32_t(raw)));
        case float64:
            return std::bit_cast<double>(raw);
        default:
            return double(raw);
    }
}

/// Returns a size rounded up to a multiple of four bytes.
[[nodiscard]] std::int64_t padded(std::int64_t size) {
    return (size + 3) / 4 * 4;
}

}  // namespace

std::int64_t NetcdfVariable::values_of_record() const {
    std::int64_t count = 1;
    for (std::size_t i = is_record ? 1 : 0; i < shape.size(); ++i) count *= shape[i];
    return count;
}

std::int64_t NetcdfVariable::values() const {
    return values_of_record() * (is_record ? shape.front() : 1);
}

/// The part of the file before the data.
class NetcdfFile::Header {
public:
    explicit Header(NetcdfFile& file) : file_(file) {}

    void read() {
        unsigned char magic[4];
        take(magic, 4);
        if (std::memcmp(magic, "CDF", 3) != 0 || (magic[3] != 1 && magic[3] != 2 && magic[3] != 5))
            fail(
                "is no NetCDF file in a classic format (CDF-1, CDF-2 or CDF-5); "
                "`nccopy -k cdf5 FROM TO` converts NetCDF-4");
        version_ = magic[3];
        const std::uint64_t records = version_ == 5 ? number(8) : number(4);
        const bool is_streaming = records == (version_ == 5 ? ~std::uint64_t{0} : 0xffffffffU);
        if (is_streaming) fail("was not closed by its writer");
        if (records > std::uint64_t(longest_dimension))
            fail(text("is damaged: ", records, " records"));
        file_.records_ = std::int64_t(records);
        read_dimensions();
        read_attributes(file_.numbers_, nullptr);
        read_variables();
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw ConfigError(text(file_.name_, ": ", why));
    }
    void take(unsigned char* bytes, std::int64_t count) {
        file_.in_.read(reinterpret_cast<char*>(bytes), count);
        if (!file_.in_) fail("ends in the header");
    }
    [[nodiscard]] std::uint64_t number(std::int64_t size) {
        unsigned char bytes[8];
        take(bytes, size);
        return big_endian(bytes, size);
    }
    /// Returns a count, which has 8 bytes in CDF-5.
    [[nodiscard]] std::int64_t count(std::int64_t most) {
        const std::uint64_t value = number(version_ == 5 ? 8 : 4);
        if (value > std::uint64_t(most)) fail(text("is damaged: a count of ", value));
        return std::int64_t(value);
    }
    [[nodiscard]] std::string word() {
        const std::int64_t length = count(longest_list);
        std::vector<unsigned char> bytes(std::size_t(padded(length)));
        take(bytes.data(), std::int64_t(bytes.size()));
        return {bytes.begin(), bytes.begin() + length};
    }
    /// Reads the head of a list and returns its length.
    [[nodiscard]] std::int64_t list(std::int32_t tag) {
        const auto found = std::int32_t(number(4));
        const std::int64_t length = count(longest_list);
        if (found != tag && (found != 0 || length != 0)) fail("is damaged: a list of another kind");
        return length;
    }
    void read_dimensions() {
        const std::int64_t many = list(dimension_list);
        for (std::int64_t i = 0; i < many; ++i) {
            std::string name = word();
            const std::int64_t length = count(longest_dimension);
            if (length == 0 && unlimited_ >= 0) fail("is damaged: two unlimited dimensions");
            if (length == 0) unlimited_ = i;
            file_.dimensions_.emplace_back(std::move(name), length == 0 ? file_.records_ : length);
        }
    }
    void read_attributes(std::map<std::string, double>& numbers,
                         std::map<std::string, std::string>* texts) {
        const std::int64_t many = list(attribute_list);
        for (std::int64_t i = 0; i < many; ++i) {
            const std::string name = word();
            const auto type = std::int32_t(number(4));
            const std::int64_t length = count(file_.length_);
            const std::int64_t size = size_of(type);
            if (size == 0 || length * size > file_.length_)
                fail(text("is damaged: attribute ", name));
            std::vector<unsigned char> bytes(std::size_t(padded(length * size)));
            take(bytes.data(), std::int64_t(bytes.size()));
            if (type != character && length > 0) numbers[name] = value_of(bytes.data(), type);
            if (type == character && texts != nullptr)
                (*texts)[name] = std::string(bytes.begin(), bytes.begin() + length);
        }
    }
    void read_variables() {
        const std::int64_t many = list(variable_list);
        for (std::int64_t i = 0; i < many; ++i) {
            NetcdfVariable variable;
            variable.name = word();
            read_shape(variable);
            read_attributes(variable.numbers, &variable.texts);
            variable.type = std::int32_t(number(4));
            if (size_of(variable.type) == 0) fail(text("is damaged: type of ", variable.name));
            (void)number(version_ == 5 ? 8 : 4);  // the size, which follows from the shape
            variable.begin = std::int64_t(number(version_ == 1 ? 4 : 8));
            check_size(variable);
            file_.variables_.push_back(std::move(variable));
        }
        set_record_size();
        for (const NetcdfVariable& variable : file_.variables_) check_inside(variable);
    }
    void read_shape(NetcdfVariable& variable) {
        const std::int64_t many = count(longest_list);
        for (std::int64_t i = 0; i < many; ++i) {
            const auto dimension = std::int64_t(number(version_ == 5 ? 8 : 4));
            if (dimension < 0 || dimension >= std::int64_t(file_.dimensions_.size()))
                fail(text("is damaged: dimensions of ", variable.name));
            const auto& [name, length] = file_.dimensions_[std::size_t(dimension)];
            variable.dimensions.push_back(name);
            variable.shape.push_back(length);
            if (dimension != unlimited_) continue;
            if (i > 0) fail(text("is damaged: dimensions of ", variable.name));
            variable.is_record = true;
        }
    }
    /// Throws ConfigError if the file is too short for the values of a record, or for all of them.
    void check_size(const NetcdfVariable& variable) const {
        double bytes = double(size_of(variable.type));
        for (std::size_t i = variable.is_record ? 1 : 0; i < variable.shape.size(); ++i)
            bytes *= double(variable.shape[i]);
        const bool is_empty = variable.is_record && file_.records_ == 0;
        if (bytes > double(is_empty ? longest_dimension : file_.length_)) fail_short(variable);
    }
    /// Throws ConfigError if the values would not lie in the file.
    void check_inside(const NetcdfVariable& variable) const {
        if (variable.is_record && file_.records_ == 0) return;
        const std::int64_t bytes = variable.values_of_record() * size_of(variable.type);
        const double last =
            variable.is_record ? double(file_.records_ - 1) * double(file_.record_size_) : 0.0;
        if (variable.begin < 0 ||
            double(variable.begin) + last + double(bytes) > double(file_.length_))
            fail_short(variable);
    }
    [[noreturn]] void fail_short(const NetcdfVariable& variable) const {
        fail(text("ends before the values of ", variable.name));
    }
    void set_record_size() {
        std::int64_t sum = 0;
        std::int64_t only = 0;
        std::int64_t many = 0;
        for (const NetcdfVariable& variable : file_.variables_) {
            if (!variable.is_record) continue;
            only = variable.values_of_record() * size_of(variable.type);
            sum += padded(only);
            ++many;
        }
        // A single variable has no padding between its records.
        file_.record_size_ = many == 1 ? only : sum;
    }

    NetcdfFile& file_;
    int version_ = 1;
    std::int64_t unlimited_ = -1;
};

NetcdfFile::NetcdfFile(const std::string& path)
    : name_(name_of_file(path)), in_(path, std::ios::binary | std::ios::ate) {
    if (!in_) throw ConfigError(text(name_, ": cannot be read"));
    length_ = std::int64_t(in_.tellg());
    in_.seekg(0);
    Header(*this).read();
}

bool NetcdfFile::has(std::string_view variable) const {
    return std::ranges::any_of(variables_, [&](const auto& one) { return one.name == variable; });
}

const NetcdfVariable& NetcdfFile::variable(std::string_view name) const {
    const auto found = std::ranges::find(variables_, name, &NetcdfVariable::name);
    if (found != variables_.end()) return *found;
    throw ConfigError(text(name_, ": has no variable ", name));
}

std::int64_t NetcdfFile::dimension(std::string_view name) const {
    for (const auto& [known, length] : dimensions_)
        if (known == name) return length;
    throw ConfigError(text(name_, ": has no dimension ", name));
}

double NetcdfFile::attribute(std::string_view name, double otherwise) const {
    const auto found = numbers_.find(std::string(name));
    return found == numbers_.end() ? otherwise : found->second;
}

std::vector<double> NetcdfFile::reals(std::string_view name) {
    const NetcdfVariable& about = variable(name);
    return read<double>(name, 0, about.is_record ? about.shape.front() : 1);
}

std::vector<std::int32_t> NetcdfFile::wholes(std::string_view name) {
    const NetcdfVariable& about = variable(name);
    if (about.type == float32 || about.type == float64)
        throw ConfigError(text(name_, ": ", name, " has no whole numbers"));
    return read<std::int32_t>(name, 0, about.is_record ? about.shape.front() : 1);
}

std::vector<double> NetcdfFile::record(std::string_view name, std::int64_t number) {
    const NetcdfVariable& about = variable(name);
    if (!about.is_record || number < 0 || number >= about.shape.front())
        throw ConfigError(text(name_, ": ", name, " has no record ", number));
    return read<double>(name, number, 1);
}

template <class Value>
std::vector<Value> NetcdfFile::read(std::string_view name, std::int64_t first,
                                    std::int64_t records) {
    const NetcdfVariable& about = variable(name);
    if (about.type == character) throw ConfigError(text(name_, ": ", name, " is text"));
    const std::int64_t size = size_of(about.type);
    const std::int64_t count = about.values_of_record();
    std::vector<Value> values;
    values.reserve(std::size_t(count * records));
    std::vector<unsigned char> bytes(std::size_t(count * size));
    for (std::int64_t n = first; n < first + records; ++n) {
        read_raw(about.begin + n * (about.is_record ? record_size_ : 0), bytes);
        for (std::int64_t i = 0; i < count; ++i) {
            const double value = value_of(bytes.data() + i * size, about.type);
            if (std::is_integral_v<Value> && std::abs(value) > most_whole)
                throw ConfigError(text(name_, ": ", name, " has a number of more than 32 bits"));
            values.push_back(Value(value));
        }
    }
    return values;
}

void NetcdfFile::read_raw(std::int64_t begin, std::vector<unsigned char>& bytes) {
    in_.clear();
    in_.seekg(begin);
    in_.read(reinterpret_cast<char*>(bytes.data()), std::streamsize(bytes.size()));
    if (!in_) throw ConfigError(text(name_, ": ends before its values"));
}

}  // namespace tradewind::fvwam
