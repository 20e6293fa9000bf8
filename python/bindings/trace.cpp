/// The class TraceBuilder of Python, and the tables of traces.
#include "trace.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "array.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/trace/builder.hpp"
#include "tradewind/trace/flat_file.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

using Array = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

[[nodiscard]] trace::Call call_named(std::string_view name) {
    const auto calls = trace::all_calls();
    const auto found = std::ranges::find(calls, name, &trace::CallInfo::name);
    if (found == calls.end()) throw TraceError(text("no call of traces is named \"", name, '"'));
    return trace::Call(found - calls.begin());
}

std::int64_t add_event(trace::TraceBuilder& builder, std::string_view call, std::int64_t comm,
                       std::vector<std::int64_t> arguments, std::int64_t flags, std::int64_t site) {
    return builder.event({call_named(call), comm, flags, site, std::move(arguments)});
}

void add_calls(trace::TraceBuilder& builder, Rank rank, const Array& events, const Array& computed,
               const Array& processor, const Array& inside) {
    const std::size_t count = events.shape(0);
    if (computed.shape(0) != count || processor.shape(0) != count || inside.shape(0) != count)
        throw TraceError("the arrays of calls have different lengths");
    for (std::size_t i = 0; i < count; ++i) {
        builder.add(rank, events.data()[i],
                    {computed.data()[i], processor.data()[i], inside.data()[i]});
    }
}

[[nodiscard]] nb::list calls() {
    constexpr std::string_view shapes[] = {
        "none",   "message", "exchange", "slots",  "bytes",  "root",  "root_counts", "counts",
        "blocks", "graph",   "number",   "window", "access", "peers", "signalled",   "awaited"};
    static_assert(std::size(shapes) == std::size_t(trace::ArgumentShape::awaited) + 1);
    nb::list list;
    for (const trace::CallInfo& call : trace::all_calls())
        list.append(nb::make_tuple(call.name, shapes[std::size_t(call.shape)]));
    return list;
}

[[nodiscard]] nb::list array_names() {
    nb::list list;
#define ARRAY(name) list.append(#name);
#include "tradewind/trace/arrays.def"
#undef ARRAY
    return list;
}

}  // namespace

nb::dict arrays_of(trace::Trace trace) {
    nb::dict arrays;
#define ARRAY(name)                                                  \
    {                                                                \
        const std::size_t size = trace.name.size();                  \
        arrays[#name] = owning_array(std::move(trace.name), {size}); \
    }
#include "tradewind/trace/arrays.def"
#undef ARRAY
    arrays["strings"] = nb::bytes(trace.strings.data(), trace.strings.size());
    return arrays;
}

void add_trace(nb::module_& module) {
    nb::class_<trace::TraceBuilder>(module, "TraceBuilder",
                                    "Puts together a trace from the calls of each rank.")
        .def(nb::init<Rank>(), nb::arg("ranks"))
        .def("string", &trace::TraceBuilder::string, nb::arg("text"),
             "Returns the number of a text.")
        .def("event", &add_event, nb::arg("call"), nb::arg("comm"), nb::arg("arguments"),
             nb::arg("flags") = 0, nb::arg("site") = -1,
             "Returns the number of a call with its arguments.")
        .def("communicator", &trace::TraceBuilder::communicator, nb::arg("rank"),
             nb::arg("members"), "Adds a communicator of a rank and returns its number there.")
        .def("add", &add_calls, nb::arg("rank"), nb::arg("events"), nb::arg("computed"),
             nb::arg("processor"), nb::arg("inside"),
             "Adds calls of a rank in their order; times are in picoseconds.")
        .def(
            "finish", [](trace::TraceBuilder& builder) { return arrays_of(builder.finish()); },
            "Returns the arrays of the trace; the builder is empty afterwards.");
    module.def("trace_calls", &calls, "Returns name and shape of each call of a trace.");
    module.def("trace_arrays", &array_names, "Returns the names of the arrays of a trace.");
    module.def(
        "check_trace", [](const std::string& path) { const trace::FlatFile file(path); },
        nb::arg("path"), "Raises TraceError unless an unpacked trace is whole.");
}

}  // namespace tradewind::bindings
