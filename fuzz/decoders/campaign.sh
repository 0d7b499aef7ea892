#!/usr/bin/env bash
# Fuzzes the decoders with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer:
#   fuzz/decoders/campaign.sh [SECONDS [TARGET...]]    each target so long (60), two at a time; a table at the end
#   fuzz/decoders/campaign.sh merge [TARGET...]        adds what campaigns found to the corpus, as little as covers it
# Exit 0: no law broken; 1: one was, and build/fuzz_decoders/findings has the input; 77: no clang 22 with libFuzzer here.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."
build=build/fuzz_decoders corpus=fuzz/decoders/corpus
command -v clang++-22 >/dev/null || { echo "skipped: no clang++-22"; exit 77; }
mkdir -p $build
if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
  clang++-22 -fsanitize=fuzzer,address,undefined -x c++ - -o $build/probe 2>/dev/null; then
  echo "skipped: clang++-22 has no libFuzzer (libclang-rt-22-dev)"
  exit 77
fi
[ -e $build/build.ninja ] || cmake --preset fuzz-decoders >$build/configure.log || { cat $build/configure.log; exit 2; }

seconds=60 merge=
case ${1:-} in
  merge) merge=yes; shift ;;
  [0-9]*) seconds=$1; shift ;;
esac
targets=("$@")
[ $# -gt 0 ] || targets=($(ls $corpus))
NINJA_STATUS='[%f/%t] ' ninja -C $build "${targets[@]/#/decode_}" >$build/build.log || { tail -n 40 $build/build.log; exit 2; }

# An input is at most 4 KiB, so 64 MiB at once or 1 GiB in all is more than any of them justifies.
limits=(-max_len=4096 -timeout=10 -malloc_limit_mb=64 -rss_limit_mb=1024 -detect_leaks=1)

campaign() {
  local target=$1 log=$build/$1.log
  mkdir -p $build/corpus/$target $build/findings
  $build/decode_$target $build/corpus/$target $corpus/$target "${limits[@]}" -max_total_time=$seconds -print_final_stats=1 \
    -artifact_prefix=$build/findings/$target. >$log 2>&1 || true
}

# "DONE" ends the log of a run that found nothing.
row() {
  local target=$1 log=$build/$1.log runs rate cover result=holds
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' $log)
  rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' $log)
  cover=$(grep -o 'cov: [0-9]*' $log | tail -n 1 | cut -c 6-)
  grep -q '^Done ' $log && ! grep -q '^\(BROKEN\|SUMMARY\)' $log || result=REFUTED
  printf '%-20s %11s %9s %9s %7s  %s\n' $target "${runs:--}" "${rate:--}" "${cover:--}" $(ls $build/corpus/$target | wc -l) $result
  [ $result = holds ] || { grep '^\(BROKEN\|SUMMARY\|artifact_prefix\|Test unit\)' $log || tail -n 5 $log; return 1; }
}

if [ -n "$merge" ]; then
  for target in "${targets[@]}"; do
    mkdir -p $corpus/$target $build/corpus/$target
    $build/decode_$target -merge=1 "${limits[@]}" $corpus/$target $build/corpus/$target >$build/$target.merge.log 2>&1
  done
  du -sb $corpus | cut -f 1 | sed 's/$/ bytes in all/'
  exit 0
fi

running=0
for target in "${targets[@]}"; do
  campaign $target &
  running=$((running + 1))
  [ $running -lt 2 ] || { wait -n; running=$((running - 1)); }
done
wait
status=0
printf '%-20s %11s %9s %9s %7s  %s\n' target executions exec/s coverage corpus result
for target in "${targets[@]}"; do row $target || status=1; done
exit $status
