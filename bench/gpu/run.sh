#!/bin/bash
# Compiles the programs that generate.py wrote and runs each under compute-sanitizer's tools, sixteen at a time.
#
#   run.sh [FOLDER]        results go to $OUT/results.csv (OUT: the current folder when it is not set)
#
# A row is: name, tool, exit code (9: the tool reports something, 124: no end within 30 s), its first line.
set -u
folder=$(realpath "${1:-$(dirname "$0")/out}")
out=${OUT:-.}
work=$(mktemp -d)
export folder work

compile() {
    nvcc -arch=native -lineinfo -w -o "$work/$1" "$folder/$1.cu" >"$work/$1.log" 2>&1 ||
        printf '%s,compile,%s,"%s"\n' "$1" $? "$(grep -m1 error "$work/$1.log" | tr '",' "';" | cut -c1-200)"
}
judge() {
    name=$1 tool=$2
    [ -x "$work/$name" ] || return 0
    padding=
    [ "$tool" = memcheck ] && padding='--padding 512'
    timeout -k 2 30 compute-sanitizer --tool "$tool" $padding --error-exitcode 9 --print-limit 20 "$work/$name" \
        >"$work/$name.$tool" 2>&1
    code=$?
    line=$(grep -m1 -E '^========= +(Error|Warning|Invalid|Barrier|Divergent|Uninitialized|Program hit|Race)|^launch:' \
        "$work/$name.$tool" | tr '",' "';" | cut -c1-200)
    printf '%s,%s,%s,"%s"\n' "$name" "$tool" "$code" "$line"
}
export -f compile judge

echo 'name,tool,exit,line' >"$out/results.csv"
ls "$folder" | sed -n 's/\.cu$//p' >"$work/names"
xargs -P 16 -I{} bash -c 'compile {}' <"$work/names" >>"$out/results.csv"
echo "compiled after ${SECONDS} s"
for tool in memcheck racecheck synccheck initcheck; do
    xargs -P 16 -I{} bash -c "judge {} $tool" <"$work/names" >>"$out/results.csv"
    echo "$tool done after ${SECONDS} s: $(grep -c ",$tool,9," "$out/results.csv") programs reported"
done
compute-sanitizer --version | tail -1 >"$out/version.txt"
rm -rf "$work"
