#!/usr/bin/env bash
# header_test.sh CC HEADER LIBRARY: the header is clean C99 and C++, and LIBRARY shows its functions and nothing else.
set -euo pipefail
cc=$1 header=$2 library=$3

for language in "c -std=c99" "c -std=c17" "c++ -std=c++98"; do
    # shellcheck disable=SC2086  # the language and its standard are two words
    "$cc" -x $language -Wall -Wextra -Wpedantic -Werror -fsyntax-only - <<<"#include \"$header\""
done

declared=$(grep -oE '^CUZK_API [^;(]*\b(cuzk_[a-z_]+)\(' "$header" | grep -oE 'cuzk_[a-z_]+\($' | tr -d '(' | sort)
shown=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
if ! diff <(echo "$declared") <(echo "$shown"); then
    echo "the header declares what stands left (<), the library shows what stands right (>)"
    exit 1
fi
echo "$(wc -l <<<"$declared") functions, each declared and shown"
