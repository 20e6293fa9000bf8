/// The conversion of the rows of a measurement to JSON text.
#include "tradewind/measure/json.hpp"

namespace tradewind::measure {

std::string json(const Rows& rows) {
    std::string list;
    for (const Row& row : rows) {
        std::string seconds;
        for (const double time : row.seconds) seconds += text(seconds.empty() ? "" : ", ", time);
        std::string values;
        for (const auto& [name, value] : row.values)
            values += text(values.empty() ? "" : ", ", '"', name, "\": ", value);
        list += text(list.empty() ? "" : ", ", R"({"name": ")", row.name, R"(", "bytes": )",
                     row.bytes, R"(, "seconds": [)", seconds, R"(], "values": {)", values, "}}");
    }
    return "[" + list + "]";
}

}  // namespace tradewind::measure
