# tradewind_unity(TARGET): compiles several sources of a library as one, which takes half the time for all of them, and
# longer after a change of one. Only sources of one folder go together, so that a new source changes no other folder's.
option(TRADEWIND_UNITY "Compile several sources at a time: faster once, slower after each change" ON)

set(tradewind_unity_size 12)
# These are compiled by themselves: made fast by hand, or with a name that another source, or a header of it, has, too.
set(tradewind_compiled_alone
    comm/mesh/mesh_exchange.cpp
    comm/protocol/exchange.cpp
    comm/protocol/put_channel.cpp
    models/fvwam/propagation_kernels.cpp
    models/fvwam/sources/dia_kernels.cpp
    models/homme/dg/dg_kernels.cpp
    models/homme/se/se_kernels.cpp
    sim/network/packet_network.cpp
    tests/sim/routing_choice_test.cpp
    tests/sim/routing_test.cpp
    tests/simcomm/local_work_test.cpp
    tests/skeleton/transposition_test.cpp)

# tradewind_names(PATH RESULT): the names that a source defines outside all classes and functions. They are read from the
# lines that begin in the first column, as clang-format writes them.
function(tradewind_names path result)
    file(READ "${path}" text)
    string(REPLACE "[[nodiscard]] " "" text "${text}")
    string(REGEX REPLACE "[][;\\]" "|" text "${text}")
    string(REGEX MATCHALL "\n[a-zA-Z][^\n]*" lines "${text}")
    set(names "")
    foreach(line IN LISTS lines)
        if(line MATCHES "^\n(template|namespace|public:|private:|protected:|using namespace|TEST_CASE)")
            continue()
        endif()
        string(REGEX REPLACE "<[^()]*>" "" line "${line}")
        if(line MATCHES "^\n(struct|class|enum class|enum) ([A-Za-z_0-9]+)" OR
           line MATCHES "^\n(TRADEWIND_INLINE )?(using) ([A-Za-z_0-9]+) ")
            list(APPEND names "${CMAKE_MATCH_${CMAKE_MATCH_COUNT}}")
        elseif(line MATCHES "^\n[^({=]*[ *&]([A-Za-z_0-9]+) *([({=|]|$)")
            list(APPEND names "${CMAKE_MATCH_1}")
        endif()
    endforeach()
    set(${result} "${names}" PARENT_SCOPE)
endfunction()

# tradewind_unity(TARGET): see above. No two sources of a unit define the same name, as each may in its unnamed namespace.
function(tradewind_unity target)
    if(NOT TRADEWIND_UNITY)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        get_filename_component(path "${source}" ABSOLUTE)
        file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/src/tradewind" "${path}")
        string(REPLACE "../../tests/cpp" "tests" name "${name}")
        if(NOT path MATCHES "\\.cpp$" OR name IN_LIST tradewind_compiled_alone)
            continue()
        endif()
        tradewind_names("${path}" names)
        get_filename_component(folder "${name}" DIRECTORY)
        string(MAKE_C_IDENTIFIER "unit ${folder}" folder)
        set(unit 0)
        while(TRUE)
            set(fits TRUE)
            list(LENGTH ${folder}_${unit}_sources size)
            if(size EQUAL tradewind_unity_size)
                set(fits FALSE)
            endif()
            foreach(defined IN LISTS names)
                if(defined IN_LIST ${folder}_${unit}_names)
                    set(fits FALSE)
                    break()
                endif()
            endforeach()
            if(fits)
                break()
            endif()
            math(EXPR unit "${unit} + 1")
        endwhile()
        list(APPEND ${folder}_${unit}_sources "${path}")
        list(APPEND ${folder}_${unit}_names ${names})
        set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${unit}")
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
endfunction()
