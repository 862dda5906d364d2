#!/bin/sh
# Makes first inputs of all fuzz targets from tests/corpus: tests/fuzz/seeds.sh FOLDER
set -eu

corpus=$(cd "$(dirname "$0")/../corpus" && pwd)
out=${1:?"usage: $0 FOLDER"}
mkdir -p "$out"

# Parts of an input, as in exercise.rs.
separator() { printf '\377\376\377\376'; }

# put TARGET: standard input becomes a seed, named by its content.
put() {
    mkdir -p "$out/$1"
    cat > "$out/seed"
    mv "$out/seed" "$out/$1/seed_$(cksum < "$out/seed" | tr ' ' _)"
}

# A small file of voxels somewhere below a folder.
chunk() {
    find "$1" -type f -size -4k ! -name '*.json' ! -name '.z*' ! -name info ! -name '*.wkw' | sort | head -n 1
}

# The content of a file, if it is there.
content() {
    if [ -f "$1" ]; then cat "$1"; fi
}

each() {
    find "$corpus" -type f -name "$1" -size -8k | sort
}

for header in $(each header.wkw); do
    folder=$(dirname "$header")
    shard=$(find "$folder" -type f -name 'x*.wkw' -size -8k | sort | head -n 1)
    [ -n "$shard" ] || continue
    { cat "$header"; separator; cat "$shard"; } | put wkw
done
put wkw < "$shard"

for metadata in $(each .zarray); do
    folder=$(dirname "$metadata") found=$(chunk "$(dirname "$metadata")")
    { printf '\000'; cat "$metadata"; separator; content "$folder/.zattrs"; separator; content "$found"; } | put zarr_metadata
done
for metadata in $(each zarr.json); do
    folder=$(dirname "$metadata") found=$(chunk "$(dirname "$metadata")")
    if [ -f "$folder/0/zarr.json" ]; then
        { printf '\003'; cat "$metadata"; separator; cat "$folder/0/zarr.json"; separator; content "$found"; } | put zarr_metadata
    else
        { printf '\001'; cat "$metadata"; separator; separator; content "$found"; } | put zarr_metadata
    fi
done
for metadata in $(each .zattrs); do
    folder=$(dirname "$metadata") found=$(chunk "$(dirname "$metadata")")
    [ -f "$folder/0/.zarray" ] || continue
    { printf '\002'; cat "$metadata"; separator; cat "$folder/0/.zarray"; separator; content "$found"; } | put zarr_metadata
done

# Shards of 2 × 2 × 2 chunks, of which the first is there: 128 bytes at the start or behind the index.
ones() { head -c "$1" /dev/zero | tr '\000' '\377'; }
zeros() { head -c "$1" /dev/zero; }
for choice in 0 1 3; do
    { printf "\\00$choice"; zeros 128; zeros 8; printf '\200'; zeros 7; ones 112; zeros 4; } | put zarr_shard
done
{ printf '\002'; zeros 7; printf '\200'; zeros 7; printf '\204'; ones 112; zeros 132; } | put zarr_shard
{ printf '\004'; zeros 128; zeros 8; printf '\200'; zeros 7; ones 112; zeros 4; } | put zarr_shard
{ printf '\005'; printf '\200'; zeros 7; printf '\204'; zeros 7; ones 112; ones 128; zeros 4; } | put zarr_shard

for metadata in $(each attributes.json); do
    folder=$(dirname "$metadata") found=$(chunk "$(dirname "$metadata")")
    { printf '\000'; cat "$metadata"; separator; separator; content "$found"; } | put n5
    for level in s0 s1; do
        [ -f "$folder/$level/attributes.json" ] || continue
        { printf '\001'; cat "$metadata"; separator; cat "$folder/$level/attributes.json"; separator; content "$found"; } | put n5
    done
    [ -f "$folder/setup0/timepoint0/s0/attributes.json" ] || continue
    {
        printf '\002'
        cat "$metadata"
        separator
        cat "$folder/setup0/timepoint0/s0/attributes.json"
        separator
        content "$found"
    } | put n5
done

for metadata in $(each info); do
    found=$(chunk "$(dirname "$metadata")")
    { cat "$metadata"; separator; content "$found"; } | put precomputed
done

# Chunks of all codecs, to be taken for each of them: what isn't theirs is soon left out.
for folder in "$corpus"/zarr2/codecs/* "$corpus"/zarr3/codecs/* "$corpus"/n5/codecs/*; do
    found=$(chunk "$folder")
    [ -n "$found" ] || continue
    for codec in 0 1 2 3 4 5 6 7 10 11; do
        { printf "\\0$codec\\020"; cat "$found"; } | put codecs
        # Behind the header of an N5 block of three dimensions.
        case $folder in */n5/*) { printf "\\0$codec\\020"; tail -c +17 "$found"; } | put codecs ;; esac
    done
done

# Most chunks of the corpus have 7 × 11 × 9 voxels.
for folder in "$corpus"/precomputed/*; do
    found=$(chunk "$folder")
    [ -n "$found" ] || continue
    case $(basename "$folder") in
        cseg_uint32*) { printf '\007\013\011\010\010\010\000'; cat "$found"; } | put compressed_segmentation ;;
        cseg_uint64*) { printf '\007\013\011\010\010\010\001'; cat "$found"; } | put compressed_segmentation ;;
        compresso_uint8) { printf '\007\013\011\000'; cat "$found"; } | put compresso ;;
        compresso_uint16) { printf '\007\013\011\001'; cat "$found"; } | put compresso ;;
        compresso_uint32) { printf '\007\013\011\002'; cat "$found"; } | put compresso ;;
        compresso_uint64) { printf '\007\013\011\003'; cat "$found"; } | put compresso ;;
        jpeg*_1) { printf '\000\000\115\011'; cat "$found"; } | put images ;;
        jpeg*_3) { printf '\000\002\115\011'; cat "$found"; } | put images ;;
        png_uint16_*) { printf '\001\004\115\011'; cat "$found"; } | put images ;;
        png_*) { printf '\001\000\115\011'; cat "$found"; } | put images ;;
        jxl*) { printf '\002\000\115\011'; cat "$found"; } | put images ;;
    esac
done

# JPEG XL of 4 × 2 pixels, with 1, 3 and 4 components.
printf '\002\000\004\002\377\012\010\160\020\024\067\002\010\000\001\000\070\000\113\030\213\025\012\035\227\372\040\204\120\100\101\003' | put images
printf '\002\002\004\002\377\012\010\160\020\011\010\000\001\000\250\000\113\030\213\025\302\011\070\274\235\352\134\040\020\200\017\264\263\260\321\356\367\373\057\020\052\110\051\153\153\053\345\353\166\216\156\256\136\076\061\160\077\001' | put images
printf '\002\003\004\002\377\012\010\160\260\022\010\000\020\000\234\000\113\030\223\216\205\103\200\204\067\006\075\321\032\046\256\347\304\005\004\001\060\172\064\256\076\053\307\176\046\270\350\252\324\350\052\000\044\000\000' | put images

for file in $(each datasource-properties.json); do
    put properties < "$file"
done

# Annotations: the one of the unit tests as it is, and in the bytes of UTF-16.
nml="$corpus/../../src/format/nml/tests/example.nml"
put nml < "$nml"
{ printf '\377\376'; head -c 400 "$nml" | sed 's/./&\x00/g' | tr '\n' ' '; } | put nml
printf '<!DOCTYPE things [<!ENTITY a "b">]><things a="&a;&#1;"><parameters><scale x="-1"/></parameters><x:y>t<![CDATA[<]]></x:y><?p i?></things>' | put nml
printf '<things><volume><segments><segment id="-1"/><segment id="1"/><segment id="1"/></segments><groups><group id="1"/></groups></volume><volume/></things><things/>' | put nml

# Annotations: whole ones, their data alone, and one that is cut off.
for archive in "$corpus"/annotations/*.zip; do
    put zip < "$archive"
    head -c "$(($(wc -c < "$archive") * 2 / 3))" "$archive" | put zip
done
for file in $(each '*.nml'); do
    put zip < "$file"
done
