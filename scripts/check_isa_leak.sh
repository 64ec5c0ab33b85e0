#!/usr/bin/env bash
# check_isa_leak.sh ARCHIVE...: fails when a member *_ifma.cpp.o, compiled with AVX-512 flags, holds a weak symbol that
# ordinary code may use too. The linker keeps one copy of a weak symbol for the whole program; if it kept that one, code
# for older processors would run AVX-512 instructions. Harmless are symbols of cuzk::ifma, and instantiations of our own
# templates that no ordinary object defines (their one definition is reached by the run-time choice alone).
set -euo pipefail

# Lines "archive:member:address type name", weak symbols only, of the members that the pattern selects.
weak_symbols() {
    nm -A -C --defined-only "${archives[@]}" | grep -E '^[^ ]+:[0-9a-f]+ [WVu] '
}

archives=("$@")
vector=$(weak_symbols | grep -E '_ifma\.cpp\.o:' || true)
if [[ -z $vector ]]; then
    echo "no weak symbols in objects with AVX-512 IFMA code"
    exit 0
fi

names() { cut -d' ' -f3- | sort -u; }
suspects=$(names <<<"$vector" | grep -vE '^(|[^(]*[^,<(] )cuzk::ifma::|^DW\.ref\.' || true)
foreign=$(grep -vE '^(|[^(]*[^,<(] )cuzk::' <<<"$suspects" || true)
shared=$(comm -12 <(echo "$suspects") <(weak_symbols | grep -vE '_ifma\.cpp\.o:' | names))
leaks=$(printf '%s\n%s\n' "$foreign" "$shared" | sed '/^$/d' | sort -u)
if [[ -n $leaks ]]; then
    echo "weak symbols that ordinary code may use, in objects with AVX-512 IFMA code:"
    echo "$leaks"
    exit 1
fi
echo "no leak among $(names <<<"$vector" | wc -l) weak symbols"
