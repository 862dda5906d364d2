#!/bin/sh
# Builds all fuzz targets and runs each for some seconds: tests/fuzz/run.sh SECONDS [TARGET…]
#
# Needs a nightly toolchain (address sanitizer and coverage) and a C++ compiler; says so and succeeds without them.
# FUZZ_ARGS are further arguments of libFuzzer: -seed=1 for runs that can be repeated.
# Inputs are kept in tests/fuzz/corpus/TARGET, findings in tests/fuzz/artifacts/TARGET. A finding is run again with
#     tests/fuzz/run.sh 0 TARGET tests/fuzz/artifacts/TARGET/crash-…
set -eu

here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:?"usage: $0 SECONDS [TARGET…]"}
shift

export RUSTUP_AUTO_INSTALL=0
if ! rustc +nightly --version >/dev/null 2>&1; then
    echo "fuzzing left out: no nightly toolchain (rustup toolchain install nightly)"
    exit 0
fi
if ! c++ --version >/dev/null 2>&1; then
    echo "fuzzing left out: no C++ compiler, which libFuzzer is built with"
    exit 0
fi

triple=$(rustc +nightly -vV | sed -n 's/^host: //p')
target_dir=${CARGO_TARGET_DIR:-$here/target}
export CARGO_TARGET_DIR="$target_dir"
# As cargo-fuzz builds: edge coverage, compared values, address sanitizer.
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-simplifycfg-branch-fold-threshold=0 \
-Zsanitizer=address -Ccodegen-units=1"
# The C libraries too: what they read and write is checked by the same sanitizer. Other systems' compilers bring one
# of another version.
case $triple in
    *-linux-gnu) export "CFLAGS_$(echo "$triple" | tr - _)=-fsanitize=address -fno-omit-frame-pointer" ;;
esac
cargo +nightly build --release --manifest-path "$here/Cargo.toml" --target "$triple" ${CARGO_JOBS:+-j"$CARGO_JOBS"}

all="wkw zarr_metadata zarr_shard n5 precomputed codecs compressed_segmentation compresso images properties nml zip"
targets="" files=""
for argument in "$@"; do
    if [ -f "$argument" ]; then files="$files $argument"; else targets="$targets $argument"; fi
done
"$here/seeds.sh" "$here/corpus"

export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_odr_violation=0:allocator_may_return_null=1}"
failed=""
for target in ${targets:-$all}; do
    corpus="$here/corpus/$target" artifacts="$here/artifacts/$target"
    mkdir -p "$corpus" "$artifacts"
    program="$target_dir/$triple/release/$target"
    echo "== $target"
    if [ -n "$files" ]; then
        "$program" -rss_limit_mb=2048 -timeout=10 $files || failed="$failed $target"
    else
        "$program" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len=65536 -print_final_stats=1 \
            -artifact_prefix="$artifacts/" ${FUZZ_ARGS:-} "$corpus" || failed="$failed $target"
    fi
done
if [ -n "$failed" ]; then
    echo "findings in:$failed"
    exit 1
fi
