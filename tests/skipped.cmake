# Says why a test does not run. Where skips are refused (tools/skips.py) it fails, unless skips.txt names the test.
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/skips.txt" allowed REGEX "^${NAME}: .")
if(NOT "$ENV{TRADEWIND_REFUSE_SKIPS}" STREQUAL "" AND NOT allowed)
    message(FATAL_ERROR "${NAME} does not run (${WHY}): TRADEWIND_REFUSE_SKIPS is set and skips.txt does not name it")
endif()
message("skipped: ${WHY}")
