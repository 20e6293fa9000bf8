/// Handlers of signals run in the thread that Python began with, while it computes.
#include "interrupts.hpp"

#include <atomic>

#include "tradewind/base/interrupts.hpp"

namespace nb = nanobind;

namespace tradewind::bindings {

namespace {

/// The innermost computation of this thread; null in threads of the core.
thread_local Computation* current = nullptr;
/// True once a handler has raised an exception, for all threads that compute with that one.
std::atomic<bool> is_any_interrupted = false;

bool ask() {
    if (is_any_interrupted.load(std::memory_order_relaxed)) return true;
    return current != nullptr && current->is_interrupted();
}

}  // namespace

void look_for_signals() {
    interrupt_source = ask;
}

Computation::Computation() noexcept : around_(std::exchange(current, this)) {}

Computation::~Computation() {
    current = around_;
    if (raised_) is_any_interrupted = false;
}

bool Computation::is_interrupted() {
    const nb::gil_scoped_acquire gil;
    if (!raised_ && PyErr_CheckSignals() != 0) {
        raised_.emplace();
        is_any_interrupted = true;
    }
    return raised_.has_value();
}

void Computation::rethrow() {
    if (raised_) throw nb::python_error(*raised_);
}

}  // namespace tradewind::bindings
