/// guard: the wrapper of every function of the C interface, which lets no exception pass.
#pragma once

#include <exception>
#include <new>
#include <string_view>

#include "tradewind/base/errors.hpp"
#include "tradewind/capi/tradewind.h"

namespace tradewind::capi {

/// Stores the text for `tradewind_last_error` and returns `code`.
int fail(std::string_view function, const char* what, tradewind_code code) noexcept;

/// Throws ConfigError unless MPI has been started and not ended.
void require_mpi();

template <class T>
T& required(T* pointer, std::string_view name) {
    if (pointer == nullptr) throw ConfigError(text(name, " is NULL"));
    return *pointer;
}

/// Runs `body` and converts an exception to an error code and a text.
template <class Body>
int guard(std::string_view function, const Body& body) noexcept {
    try {
        body();
        return TRADEWIND_OK;
    } catch (const ConfigError& error) {
        return fail(function, error.what(), TRADEWIND_WRONG_INPUT);
    } catch (const std::bad_alloc&) {
        return fail(function, "out of memory", TRADEWIND_FAILED);
    } catch (const std::exception& error) {
        return fail(function, error.what(), TRADEWIND_FAILED);
    }
}

}  // namespace tradewind::capi
