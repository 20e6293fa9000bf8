/* Call sites of Python programs: the line of the program that has called MPI by mpi4py.
 *
 * The return address of such a call is always in mpi4py. The interpreter, if there is one in this
 * process, says which line it is at. Its functions are found by name, as those of MPI are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

/* Numbers of such sites, which no address has. */
static const uint64_t PYTHON_SITE = (uint64_t)1 << 63;
enum { TABLE_SIZE = 4096, LONGEST = 512 };

static struct {
    bool is_there;
    int (*Py_IsInitialized)(void);
    int (*PyGILState_Ensure)(void);
    void (*PyGILState_Release)(int);
    void* (*PyEval_GetFrame)(void);
    void* (*PyFrame_GetCode)(void*);
    void* (*PyFrame_GetBack)(void*);
    int (*PyFrame_GetLineNumber)(void*);
    /* Is null before Python 3.11. */
    int (*PyFrame_GetLasti)(void*);
    void* (*PyObject_GetAttrString)(void*, const char*);
    const char* (*PyUnicode_AsUTF8)(void*);
    void (*PyErr_Clear)(void);
    void (*Py_DecRef)(void*);
} python;

/* A call in a line of a program: its code object, which is kept so that no other one gets its
 * address, and its place in that, which tells calls of one line apart. */
static struct line {
    void* code;
    int line;
    int instruction;
    bool is_of_mpi4py;
    char* name;
} lines[TABLE_SIZE];

void find_python(void) {
    python.is_there = true;
#define FIND(name) \
    if (!(*(void**)(&python.name) = dlsym(RTLD_DEFAULT, #name))) python.is_there = false;
    FIND(Py_IsInitialized)
    FIND(PyGILState_Ensure)
    FIND(PyGILState_Release)
    FIND(PyEval_GetFrame)
    FIND(PyFrame_GetCode)
    FIND(PyFrame_GetBack)
    FIND(PyFrame_GetLineNumber)
    FIND(PyObject_GetAttrString)
    FIND(PyUnicode_AsUTF8)
    FIND(PyErr_Clear)
    FIND(Py_DecRef)
#undef FIND
    *(void**)(&python.PyFrame_GetLasti) = dlsym(RTLD_DEFAULT, "PyFrame_GetLasti");
}

/* Reports whether an address is in mpi4py. The answers for some addresses are kept. */
static bool is_in_mpi4py(uint64_t address) {
    static struct {
        uint64_t address;
        bool answer;
    } known[256];
    const uint64_t at = (address * 0x9e3779b97f4a7c15u) >> 56;
    if (known[at].address != address) {
        Dl_info info = {0};
        const bool is_known = dladdr((void*)(uintptr_t)address, &info) && info.dli_fname;
        known[at].answer = is_known && strstr(info.dli_fname, "mpi4py");
        known[at].address = address;
    }
    return known[at].answer;
}

/* Sets the name of a line, "solver.py:212". */
static void name_line(struct line* line) {
    void* file = python.PyObject_GetAttrString(line->code, "co_filename");
    const char* path = file ? python.PyUnicode_AsUTF8(file) : NULL;
    if (path) {
        const char* last = strrchr(path, '/');
        char name[LONGEST];
        snprintf(name, sizeof name, "%s:%d", last ? last + 1 : path, line->line);
        line->name = strdup(name);
        line->is_of_mpi4py = strstr(path, "/mpi4py/") != NULL;
    } else {
        python.PyErr_Clear();
    }
    if (file) python.Py_DecRef(file);
}

/* Returns the entry of a line, or a null pointer if there is no room for it. The reference to the
 * code object is taken. */
static struct line* line_of(void* code, int number, int instruction) {
    const uint64_t place = (uint64_t)number << 32 | (uint32_t)instruction;
    const uint64_t hash = ((uint64_t)(uintptr_t)code + place * 40503u) * 0x9e3779b97f4a7c15u;
    for (uint64_t i = 0, at = hash >> 52; i < 16; ++i, at = (at + 1) % TABLE_SIZE) {
        struct line* line = &lines[at];
        if (line->code == code && line->line == number && line->instruction == instruction)
            return python.Py_DecRef(code), line;
        if (line->code) continue;
        line->code = code;
        line->line = number;
        line->instruction = instruction;
        name_line(line);
        return line;
    }
    python.Py_DecRef(code);
    return NULL;
}

/* Returns the line of the innermost frame that is not mpi4py's own. */
static struct line* current_line(void) {
    void* frame = python.PyEval_GetFrame();
    struct line* found = NULL;
    /* The first frame is borrowed, those behind it are not. */
    for (bool is_own = false; frame; is_own = true) {
        const int number = python.PyFrame_GetLineNumber(frame);
        const int instruction = python.PyFrame_GetLasti ? python.PyFrame_GetLasti(frame) : 0;
        found = line_of(python.PyFrame_GetCode(frame), number, instruction);
        void* back = found && found->is_of_mpi4py ? python.PyFrame_GetBack(frame) : NULL;
        if (is_own) python.Py_DecRef(frame);
        frame = back;
    }
    return found && found->name ? found : NULL;
}

uint64_t python_site(uint64_t address) {
    if (!python.is_there || state.is_inside || !is_in_mpi4py(address)) return address;
    /* mpi4py calls MPI_Finalize when the interpreter has gone. */
    if (!python.Py_IsInitialized()) return address;
    const int lock = python.PyGILState_Ensure();
    const struct line* line = current_line();
    python.PyGILState_Release(lock);
    return line ? PYTHON_SITE | (uint64_t)(line - lines) : address;
}

const char* python_line(uint64_t site) {
    return site & PYTHON_SITE ? lines[site & ~PYTHON_SITE].name : NULL;
}
