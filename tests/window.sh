#!/usr/bin/env bash
# Starts the window in a display of its own and a fresh home, measures how long the first slices take and
# how much memory is resident, and looks whether wheel, drag and keys arrive.
#
#   tests/window.sh BINARY DATASET
#
# The program logs `first slices on screen N ms after the first frame`; N may be 1000 at most, in the best
# of three starts because other work on the machine makes some starts slow.
#
# Needs: Xvfb (xvfb), xdotool, and what the window opens at run time. No window manager, no GPU.
set -euo pipefail
export LC_ALL=C.UTF-8

MAX_MS=1000
MAX_MIB=700
STARTS=3
WAIT_SECS=30

if (($# != 2)); then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
fi
binary=$(realpath -e -- "$1")
dataset=$(realpath -e -- "$2")

scratch=$(mktemp -d)
app_log=$scratch/app.log
xvfb_pid=
app_pid=

stop_app() {
  if [[ -n $app_pid ]]; then
    kill "$app_pid" 2>/dev/null || true
    wait "$app_pid" 2>/dev/null || true
    app_pid=
  fi
}

clean_up() {
  stop_app
  if [[ -n $xvfb_pid ]]; then
    kill "$xvfb_pid" 2>/dev/null || true
    wait "$xvfb_pid" 2>/dev/null || true
  fi
  rm -rf -- "$scratch"
}
trap clean_up EXIT

fail() {
  printf 'window.sh: %s\n' "$*" >&2
  if [[ -s $app_log ]]; then sed 's/^/  | /' "$app_log" >&2; fi
  exit 1
}

for tool in Xvfb xdotool; do
  command -v "$tool" >/dev/null || fail "tool is missing: $tool"
done
mkdir -m 700 "$scratch/runtime"

Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$scratch/display" >"$scratch/xvfb.log" 2>&1 &
xvfb_pid=$!
deadline=$((SECONDS + 10))
until [[ -s $scratch/display ]]; do
  kill -0 "$xvfb_pid" 2>/dev/null || fail "Xvfb ended: $(cat "$scratch/xvfb.log")"
  ((SECONDS < deadline)) || fail "Xvfb didn't start"
  sleep 0.1
done
DISPLAY=:$(<"$scratch/display")
export DISPLAY

# Sets `first_slices_ms`.
start_app() {
  local home
  home=$(mktemp -d -p "$scratch")
  env -i HOME="$home" PATH="$PATH" LANG=C.UTF-8 XDG_RUNTIME_DIR="$scratch/runtime" DISPLAY="$DISPLAY" RUST_LOG=chunkscope=info \
    ${LIBGL_ALWAYS_SOFTWARE:+LIBGL_ALWAYS_SOFTWARE="$LIBGL_ALWAYS_SOFTWARE"} "$binary" "$dataset" >"$app_log" 2>&1 &
  app_pid=$!
  local deadline=$((SECONDS + WAIT_SECS))
  until first_slices_ms=$(sed -n 's/.*first slices on screen \([0-9]*\) ms after the first frame.*/\1/p' "$app_log") &&
    [[ -n $first_slices_ms ]]; do
    kill -0 "$app_pid" 2>/dev/null || fail "the program ended"
    ((SECONDS < deadline)) || fail "no first slices within $WAIT_SECS s"
    sleep 0.1
  done
}

# --- first slices ------------------------------------------------------------------------------
for ((start = 1; start <= STARTS; start++)); do
  start_app
  printf 'window.sh: start %s: first slices on screen after %s ms\n' "$start" "$first_slices_ms"
  ((first_slices_ms > MAX_MS)) || break
  ((start < STARTS)) || fail "first slices took more than $MAX_MS ms in $STARTS starts"
  stop_app
done

# --- driving -----------------------------------------------------------------------------------
deadline=$((SECONDS + 10))
until window=$(xdotool search --name '^Chunkscope' | head -n 1) && [[ -n $window ]]; do
  ((SECONDS < deadline)) || fail "no window"
  sleep 0.1
done
xdotool windowfocus "$window"

position() {
  local title
  title=$(xdotool getwindowname "$window")
  [[ $title =~ ^Chunkscope\ –\ .+\ –\ .+\ –\ (-?[0-9]+),\ (-?[0-9]+),\ (-?[0-9]+)$ ]] ||
    fail "title isn't of the form Chunkscope – DATASET – LAYER – x, y, z: $title"
  printf '%s %s %s\n' "${BASH_REMATCH[@]:1:3}"
}

# expect WHAT AXES: the position changes along these axes (of `xyz`) and no others.
expect() {
  local what=$1 axes=$2 deadline=$((SECONDS + 10)) now changed axis
  while :; do
    read -r -a now <<<"$(position)"
    changed=
    for axis in 0 1 2; do
      if [[ ${now[axis]} != "${before[axis]}" ]]; then changed+=${axes_names:axis:1}; fi
    done
    if [[ $changed == "$axes" ]]; then break; fi
    ((SECONDS < deadline)) || fail "$what: from ${before[*]} to ${now[*]}, expected a change of $axes"
    sleep 0.05
  done
  printf 'window.sh: %s: %s to %s\n' "$what" "${before[*]}" "${now[*]}"
  before=("${now[@]}")
}
axes_names=xyz
read -r -a before <<<"$(position)"

# The middle of the XY pane in a window of 1600 × 1000. winit counts press and release of an injected wheel
# button as a notch each, so only the direction is looked at.
xdotool mousemove 520 250
xdotool click 4
expect "wheel" z
# At a hand's pace, so that press and release are in different frames.
xdotool mousemove 520 250 sleep 0.1 mousedown 1 sleep 0.1 mousemove 500 240 sleep 0.1 mousemove 460 220 sleep 0.1 mouseup 1
expect "drag" xy
xdotool key f
expect "key F" z
xdotool key Right
expect "key Right" x
xdotool keydown ctrl click 4 click 4 keyup ctrl
sleep 0.3
read -r -a before <<<"$(position)"
for ((i = 0; i < 30; i++)); do xdotool key f; done
deadline=$((SECONDS + 10))
until read -r -a now <<<"$(position)" && ((now[2] == before[2] + 30)); do
  ((SECONDS < deadline)) || fail "key F, 30 times: from ${before[*]} to ${now[*]}"
  sleep 0.05
done
printf 'window.sh: key F, 30 times: %s to %s\n' "${before[*]}" "${now[*]}"

# --- memory and end ----------------------------------------------------------------------------
sleep 1
kib=$(sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$app_pid/status")
mib=$((kib / 1024))
printf 'window.sh: %s MiB resident\n' "$mib"
((mib <= MAX_MIB)) || fail "$mib MiB resident, at most $MAX_MIB expected"
if grep -iE 'error|panicked' "$app_log"; then fail "the log names errors"; fi

xdotool key ctrl+q
deadline=$((SECONDS + 10))
while kill -0 "$app_pid" 2>/dev/null; do
  ((SECONDS < deadline)) || fail "Ctrl+Q didn't end it"
  sleep 0.1
done
status=0
wait "$app_pid" || status=$?
app_pid=
((status == 0)) || fail "it ended with status $status"
echo "window.sh: ok"
