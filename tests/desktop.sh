#!/usr/bin/env bash
# Double-click, end to end: installs the desktop integration into a fresh home, opens a shard the
# way a file manager does, and reads from the window title what is shown. Then uninstalls.
#
#   tests/desktop.sh BINARY DATASET [SHARD [TITLE_REGEX]]
#
# SHARD is a path in DATASET, `LAYER/MAG/zZ/yY/xX.wkw` (default color/1/z0/y0/x1.wkw). The title has
# to be `Chunkscope – DATASET – LAYER – x, y, z` with a position in the shard's box, which is
# computed from the shard's header; TITLE_REGEX (ERE) has to match it too.
#
# Needs: gio (libglib2.0-bin), update-mime-database (shared-mime-info), update-desktop-database
# (desktop-file-utils), Xvfb (xvfb), xdotool, and what the window opens at run time.
# No window manager and no D-Bus.
set -euo pipefail
export LC_ALL=C.UTF-8

WAIT_SECS=20

if (($# < 2 || $# > 4)); then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
fi
binary=$(realpath -e -- "$1")
dataset=$(realpath -e -- "$2")
shard=${3:-color/1/z0/y0/x1.wkw}
title_regex=${4:-}

scratch=$(mktemp -d)
home=$scratch/home
data=$home/.local/share
mimeapps=$home/.config/mimeapps.list
app_log=$scratch/app.log
xvfb_pid=
display=
mkdir -m 700 "$home" "$scratch/runtime"

# Programs that we started in the fresh home, also those that gio started for us.
pids_at_home() {
  local environment
  for environment in /proc/[0-9]*/environ; do
    if grep -qzxF "HOME=$home" "$environment" 2>/dev/null; then
      basename "$(dirname "$environment")"
    fi
  done
}

stop_app() {
  local pid deadline=$((SECONDS + 5))
  for pid in $(pids_at_home); do kill "$pid" 2>/dev/null || true; done
  while [[ -n $(pids_at_home) ]] && ((SECONDS < deadline)); do sleep 0.1; done
  for pid in $(pids_at_home); do kill -KILL "$pid" 2>/dev/null || true; done
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
  printf 'desktop.sh: %s\n' "$*" >&2
  if [[ -s $app_log ]]; then sed 's/^/  | /' "$app_log" >&2; fi
  exit 1
}

# A user who just logged in: nothing of the caller's desktop, session bus or Wayland.
at_home() {
  env -i HOME="$home" PATH="$PATH" LANG=C.UTF-8 XDG_RUNTIME_DIR="$scratch/runtime" \
    XDG_DATA_DIRS=/usr/local/share:/usr/share GIO_USE_VFS=local \
    ${display:+DISPLAY="$display"} ${LIBGL_ALWAYS_SOFTWARE:+LIBGL_ALWAYS_SOFTWARE="$LIBGL_ALWAYS_SOFTWARE"} "$@"
}

content_type() {
  at_home gio info -a standard::content-type -- "$1" | sed -n 's/^ *standard::content-type: //p'
}

expect_type() {
  local found
  found=$(content_type "$1")
  [[ $found == "$2" ]] || fail "content type is $found, expected $2: $1"
}

for tool in gio update-mime-database update-desktop-database Xvfb xdotool; do
  command -v "$tool" >/dev/null || fail "tool is missing: $tool"
done
[[ -f $dataset/$shard ]] || fail "no such shard: $dataset/$shard"
[[ $shard =~ ^(.*/)?([^/]+)/([0-9]+(-[0-9]+-[0-9]+)?)/z([0-9]+)/y([0-9]+)/x([0-9]+)\.wkw$ ]] ||
  fail "not of the form LAYER/MAG/zZ/yY/xX.wkw: $shard"
layer=${BASH_REMATCH[2]}
mag_literal=${BASH_REMATCH[3]}
shard_index=("${BASH_REMATCH[7]}" "${BASH_REMATCH[6]}" "${BASH_REMATCH[5]}")
IFS=- read -r -a mag <<<"$mag_literal"
if ((${#mag[@]} == 1)); then mag=("${mag[0]}" "${mag[0]}" "${mag[0]}"); fi
# Byte 4 of the header: low nibble voxels per chunk side, high nibble chunks per shard side, as log2.
side_log2=$(od -An -tu1 -j4 -N1 -- "$dataset/$shard" | tr -d ' ')
shard_side=$((1 << ((side_log2 & 15) + (side_log2 >> 4))))

# --- types -----------------------------------------------------------------------------------
at_home "$binary" desktop install >"$scratch/install.out" 2>"$scratch/install.err" ||
  fail "desktop install failed: $(cat "$scratch/install.err")"
[[ ! -s $scratch/install.err ]] || fail "desktop install warned: $(cat "$scratch/install.err")"
if command -v desktop-file-validate >/dev/null; then
  desktop-file-validate "$data/applications/chunkscope.desktop" || fail "desktop entry isn't valid"
fi

mkdir "$scratch/files"
cp -- "$dataset/$shard" "$scratch/files/shard_without_extension"
printf '{"id": {"name": "x", "team": ""}, "dataLayers": []}\n' >"$scratch/files/datasource-properties.json"
cp -- "$scratch/files/datasource-properties.json" "$scratch/files/other.json"
expect_type "$dataset/$shard" application/x-wkw
expect_type "$scratch/files/shard_without_extension" application/x-wkw
expect_type "$scratch/files/datasource-properties.json" application/x-webknossos-dataset+json
expect_type "$scratch/files/other.json" application/json
printf '<things><parameters /></things>\n' >"$scratch/files/annotation_without_extension"
cp -- "$scratch/files/annotation_without_extension" "$scratch/files/annotation.nml"
expect_type "$scratch/files/annotation_without_extension" application/x-webknossos-nml+xml
expect_type "$scratch/files/annotation.nml" application/x-webknossos-nml+xml
if grep -q '^inode/directory' "$mimeapps" "$data/applications/chunkscope.desktop"; then
  fail "folders were claimed without --folders"
fi
# Twice is once.
cp -- "$mimeapps" "$scratch/mimeapps.once"
at_home "$binary" desktop install >/dev/null
cmp -s "$scratch/mimeapps.once" "$mimeapps" || fail "second desktop install changed mimeapps.list"

# --- window ----------------------------------------------------------------------------------
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3>"$scratch/display" >"$scratch/xvfb.log" 2>&1 &
xvfb_pid=$!
deadline=$((SECONDS + 10))
until [[ -s $scratch/display ]]; do
  kill -0 "$xvfb_pid" 2>/dev/null || fail "Xvfb ended: $(cat "$scratch/xvfb.log")"
  ((SECONDS < deadline)) || fail "Xvfb didn't start"
  sleep 0.1
done
display=:$(<"$scratch/display")

# Sets `complaint` to what is wrong with the title, or to nothing.
judge_title() {
  complaint=
  local form='^Chunkscope – (.+) – (.+) – (-?[0-9]+), (-?[0-9]+), (-?[0-9]+)$'
  [[ $1 =~ $form ]] || { complaint="not of the form Chunkscope – DATASET – LAYER – x, y, z"; return; }
  local name=${BASH_REMATCH[1]} position=("${BASH_REMATCH[@]:3:3}") axis
  if [[ ${BASH_REMATCH[2]} != "$layer" ]]; then complaint="layer isn't $layer"; return; fi
  if [[ $name != "$(basename "$dataset")" ]] &&
    ! grep -qF "\"$name\"" "$dataset/datasource-properties.json" 2>/dev/null; then
    complaint="dataset isn't $(basename "$dataset")"; return
  fi
  for axis in 0 1 2; do
    local from=$((shard_index[axis] * shard_side * mag[axis]))
    local to=$((from + shard_side * mag[axis]))
    if ((position[axis] < from || position[axis] >= to)); then
      complaint="${position[axis]} isn't in the shard's $from..$to"; return
    fi
  done
  if [[ -n $title_regex && ! $1 =~ $title_regex ]]; then complaint="doesn't match $title_regex"; fi
}

# Opens the shard with the given command and waits for the title.
expect_title_after() {
  local deadline=$((SECONDS + WAIT_SECS)) title='' complaint='no window' window
  at_home "$@" >"$app_log" 2>&1 || fail "$1 $2 failed"
  while ((SECONDS < deadline)); do
    for window in $(DISPLAY=$display xdotool search --name '^Chunkscope' 2>/dev/null || true); do
      title=$(DISPLAY=$display xdotool getwindowname "$window" 2>/dev/null) || continue
      judge_title "$title"
      if [[ -z $complaint ]]; then
        printf 'desktop.sh: %s %s shows: %s\n' "$1" "$2" "$title"
        stop_app
        return
      fi
    done
    sleep 0.2
  done
  fail "$1 $2: $complaint, after $WAIT_SECS s: ${title:-(no title)}"
}

# By the entry itself, and by the type's default as a double-click does.
expect_title_after gio launch "$data/applications/chunkscope.desktop" "$dataset/$shard"
expect_title_after gio open "$dataset/$shard"

# --- uninstall -------------------------------------------------------------------------------
at_home "$binary" desktop uninstall >/dev/null
left=$(find "$data/applications" "$data/mime" "$data/icons" -iname '*chunkscope*' -o -iname '*wkw*' -o -iname '*webknossos*')
left+=$(grep -rliE 'chunkscope|x-wkw|x-webknossos' "$data/applications" "$data/mime" "$data/icons" || true)
[[ -z $left ]] || fail "uninstall left: $left"
[[ ! -e $mimeapps ]] || fail "uninstall left: $mimeapps"
[[ $(content_type "$dataset/$shard") != application/x-wkw ]] || fail "uninstall left the type"
at_home "$binary" desktop uninstall >/dev/null || fail "second uninstall failed"

# Lines of others survive, and --folders stands behind the program that opens folders.
printf '[Default Applications]\ninode/directory=files.desktop\n' >"$scratch/mimeapps.before"
cp -- "$scratch/mimeapps.before" "$mimeapps"
at_home "$binary" desktop install --folders >/dev/null
grep -qxF 'inode/directory=files.desktop;chunkscope.desktop;' "$mimeapps" || fail "--folders didn't offer folders"
at_home "$binary" desktop uninstall >/dev/null
cmp -s "$scratch/mimeapps.before" "$mimeapps" || fail "uninstall didn't restore mimeapps.list"

echo "desktop.sh: ok"
