# tradewind_precompile(TARGET...): compiles libraries, or programs, with the headers of the standard library parsed
# once for all. The sources still name the headers they use: clang-tidy reads them without this.
option(TRADEWIND_PRECOMPILE "Parse the headers of the standard library once (g++ only)" ON)
set(tradewind_standard_headers
    <algorithm> <array> <bit> <cmath> <coroutine> <cstddef> <cstdint> <cstdlib> <cstring> <deque> <functional>
    <iostream> <limits> <map> <memory> <numeric> <optional> <ranges> <set> <span> <sstream> <stdexcept> <string>
    <string_view> <tuple> <unordered_map> <utility> <variant> <vector>)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(TRADEWIND_PRECOMPILE OFF)
endif()

# The headers are parsed twice, as g++ reads them only with the options they were parsed with: libraries are compiled
# with -fPIC, programs without.
if(TRADEWIND_PRECOMPILE)
    set(empty "${PROJECT_BINARY_DIR}/precompiled.cpp")
    file(CONFIGURE OUTPUT "${empty}" CONTENT "// Empty, as only its headers count.\n")
    foreach(kind libraries programs)
        add_library(tradewind_headers_of_${kind} OBJECT EXCLUDE_FROM_ALL "${empty}")
        target_link_libraries(tradewind_headers_of_${kind} PRIVATE tradewind_options tradewind_warnings)
        target_precompile_headers(tradewind_headers_of_${kind} PRIVATE ${tradewind_standard_headers})
    endforeach()
    set_target_properties(tradewind_headers_of_libraries PROPERTIES POSITION_INDEPENDENT_CODE ON)
    # In precompiled headers g++ 12 forgets which are the system's, and reports sums of strings.
    target_compile_options(tradewind_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
endif()

function(tradewind_precompile)
    if(NOT TRADEWIND_PRECOMPILE)
        return()
    endif()
    foreach(target IN LISTS ARGN)
        get_target_property(is_library ${target} POSITION_INDEPENDENT_CODE)
        if(is_library)
            target_precompile_headers(${target} REUSE_FROM tradewind_headers_of_libraries)
        else()
            target_precompile_headers(${target} REUSE_FROM tradewind_headers_of_programs)
        endif()
    endforeach()
endfunction()
