#!/usr/bin/env bash
# check_isa_leak.sh OBJECT...: fails when an object compiled with AVX-512 IFMA flags holds a weak symbol outside
# cuzk::ifma. The linker keeps one copy of a weak symbol for the whole program; if it kept that one, code for older
# processors would run AVX-512 instructions.
set -euo pipefail

leaks=$(nm -C --defined-only "$@" | grep -E '^[0-9a-f]+ [WVu] ' | cut -d' ' -f3- |
    grep -vE '^(|[^(]*[^,<(] )cuzk::ifma::|^DW\.ref\.' | sort -u || true)
if [[ -n $leaks ]]; then
    echo "weak symbols outside cuzk::ifma in objects with AVX-512 IFMA code:"
    echo "$leaks"
    exit 1
fi
echo "$# objects checked"
