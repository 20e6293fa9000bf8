/* The functions of the Fortran bindings, which only note where they were called: the functions of C
 * that they call are those that are recorded, and would name the bindings as their call site. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

_Thread_local uint64_t tradewind_caller;

#ifdef __x86_64__

/* In the order of names.h; found when they are called first. */
void *tradewind_fortran[] = {
#define FORTRAN(number, name) NULL,
    TRADEWIND_FORTRAN
#undef FORTRAN
};

static const char *const names[] = {
#define FORTRAN(number, name) #name,
    TRADEWIND_FORTRAN
#undef FORTRAN
};

/* Looks for a function in the libraries of MPI that were loaded for one module only. */
struct search {
    const char *name;
    void *own, *found;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct search *search = data;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "mpi")) return 0;
    void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return 0;
    void *found = dlsym(library, search->name);
    dlclose(library);
    if (!found || found == search->own) return 0;
    search->found = found;
    return 1;
}

/* Finds the function of a place in the table. */
void *tradewind_resolve(void **place) {
    const char *name = names[place - tradewind_fortran];
    struct search search = {name, dlsym(RTLD_DEFAULT, name), dlsym(RTLD_NEXT, name)};
    if (!search.found) dl_iterate_phdr(look_into, &search);
    if (!search.found) {
        fprintf(stderr, "tradewind record: no library of MPI has the function %s\n", name);
        abort();
    }
    return *place = search.found;
}

/* Notes the return address unless a binding calls another one, and goes on to the function, with all
 * registers and the stack as they were. */
__asm__(
    ".text\n"
    ".type tradewind_forward, @function\n"
    "tradewind_forward:\n"
    "    movq tradewind_caller@gottpoff(%rip), %r10\n"
    "    cmpq $0, %fs:(%r10)\n"
    "    jne 1f\n"
    "    movq (%rsp), %rax\n"
    "    movq %rax, %fs:(%r10)\n"
    "1:  movq (%r11), %rax\n"
    "    testq %rax, %rax\n"
    "    jne 2f\n"
    "    pushq %rdi\n    pushq %rsi\n    pushq %rdx\n"
    "    pushq %rcx\n    pushq %r8\n     pushq %r9\n"
    "    subq $8, %rsp\n"
    "    movq %r11, %rdi\n"
    "    call tradewind_resolve\n"
    "    addq $8, %rsp\n"
    "    popq %r9\n      popq %r8\n     popq %rcx\n"
    "    popq %rdx\n     popq %rsi\n    popq %rdi\n"
    "2:  jmp *%rax\n");

#define FORTRAN(number, name)                                   \
    __asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n" \
            "    leaq tradewind_fortran+8*" #number "(%rip), %r11\n"     \
            "    jmp tradewind_forward\n");
TRADEWIND_FORTRAN

#endif
