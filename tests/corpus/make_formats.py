#!/usr/bin/env python3
"""Regenerates the Zarr, OME-Zarr, N5 and precomputed datasets beside this file and their cases in manifest.json.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install zarr==3.1.6 numcodecs==0.16.6 tensorstore==0.1.86 cloud-volume==12.15.2 \\
        compressed_segmentation==2.3.3 compresso==3.3.3 pyspng-seunglab crc32c lz4==4.4.5 pillow==13.0.0 wkw==1.1.24 webknossos==4.3.3
    /tmp/venv/bin/python make_formats.py

What one library wrote is read back with every other one that can; what none writes is made with struct and json and says so in its
note ("by hand"). Cases that must be refused have `error_mentions_any`; some have a `box` [offset, shape] that meets the fault (all are
met by 0,0,0 + 16,16,16). `warning_mentions_any` are words of a warning that is expected beside the data, `tolerance` of a probe is
the difference that lossy decoders may have (the digest then need not hold). The key `equal` lists groups of arrays that hold the same voxels.

Axes: x fastest in the words below, `zyx` means the last dimension is x. Data here are (c, x, y, z), or (t, c, x, y, z).
"""
import bz2, gzip, itertools, json, lzma, os, shutil, struct, warnings, zlib
import numcodecs
import numpy as np
import tensorstore as ts
import zarr
import webknossos as wk
from corpus_common import HERE, fresh, layer_json, probe, save, volume, write_json

warnings.simplefilter("ignore")
numcodecs.blosc.use_threads = False
FORMATS = ["zarr", "zarr3", "n5", "neuroglancerPrecomputed"]
CASES, EQUAL = [], []
X, Y, Z = SHAPE = (13, 11, 9)


# ---------------------------------------------------------------- cases
def add(fmt, path, a, *, layer=None, mag=None, origin=(0, 0, 0), fill=0, chunk=(5, 5, 5), note="", axis="t", tolerance=None, **more):
    """A readable dataset: all of it and a margin that is the fill value, a box across a corner of chunks, a box inside."""
    o, s, c = np.array(origin), np.array(a.shape[-3:]), np.array(chunk)
    boxes = [(o - (1, 2, 3), s + (3, 5, 4)), (o + np.minimum(c, s - 1) - np.minimum(1, s - 1), np.minimum((2, 3, 2), s)), (o + s // 3, np.maximum(s // 2, 1))]
    if tolerance: boxes = [(o + s // 2, np.ones(3, int)), (o, np.ones(3, int)), (o + s - 1, np.ones(3, int)), (o + (s - 1) * (1, 0, 0), np.ones(3, int))]
    extra = {"tolerance": tolerance} if tolerance else {}
    if a.ndim == 5:
        probes = [probe(a[0], origin, *boxes[0], fill)] + [probe(a[i], origin, b, n, fill, axes={axis: i}) for i in range(1, len(a)) for b, n in boxes]
    else:
        probes = [probe(a, origin, b, n, fill, **extra) for b, n in boxes]
    CASES.append({"path": path, "layer": layer, "mag": mag, "data_type": a.dtype.name, "num_channels": int(a.shape[-4]), "format": fmt, "note": note, **more, "probes": probes})


def sound(fmt, path, a, offset, shape, note, **more):
    """A part that is readable beside damage."""
    CASES.append({"path": path, "layer": more.pop("layer", None), "mag": more.pop("mag", None), "data_type": a.dtype.name, "num_channels": int(a.shape[0]), "format": fmt, "note": note,
                  "probes": [probe(a, (0, 0, 0), offset, shape)], **more})


def bad(fmt, path, words, note, **more):
    CASES.append({"path": path, "format": fmt, "note": note, "error_mentions_any": words, **more})


# ---------------------------------------------------------------- helpers
def full(rel):
    return os.path.join(HERE, rel)


def times(n, dtype, channels, shape, seed):
    return np.stack([volume(dtype, channels, shape, seed + 100 * i) for i in range(n)])


def ramp(dtype, channels, shape, seed=0):
    """Voxels that compress: runs of four along x; every run differs from its neighbours."""
    c, x, y, z = np.indices((channels,) + tuple(shape))
    return ((seed + x // 4 + 5 * y + 61 * z + 17 * c) % 251).astype(dtype)


def stored(a, axes):
    """The array in the order of its file; axes that it lacks have extent 1."""
    names = "tcxyz"[-a.ndim:]
    a = a[tuple(slice(None) if n in axes else 0 for n in names)]
    kept = [n for n in names if n in axes]
    return np.ascontiguousarray(a.transpose([kept.index(n) for n in axes]))


def same(a, b, what):
    a, b = np.asarray(a), np.asarray(b)
    le = lambda v: np.ascontiguousarray(v.astype(v.dtype.newbyteorder("<"))).tobytes()
    assert a.shape == b.shape and a.dtype.newbyteorder("=") == b.dtype.newbyteorder("=") and le(a) == le(b), what


def edit(rel, change):
    with open(full(rel)) as f: j = json.load(f)
    j = change(j) or j
    with open(full(rel), "w") as f: json.dump(j, f)


def put(rel, data):
    os.makedirs(os.path.dirname(full(rel)), exist_ok=True)
    with open(full(rel), "wb") as f: f.write(data if isinstance(data, bytes) else json.dumps(data).encode())


def get(rel):
    with open(full(rel), "rb") as f: return f.read()


def patch(rel, at, data):
    with open(full(rel), "r+b") as f:
        f.seek(at, os.SEEK_END if at < 0 else os.SEEK_SET); f.write(data)


def ts_open(driver, rel, **more):
    return ts.open({"driver": driver, "kvstore": {"driver": "file", "path": full(rel)}, **more}).result()


def ts_read(driver, rel):
    return ts_open(driver, rel).read().result()


# ---------------------------------------------------------------- Zarr v2
def zarr2(rel, s, chunks, *, order="C", sep=".", compressor=None, fill=0, filters=None, readers=("zarr", "ts")):
    """Written by zarr-python."""
    shutil.rmtree(full(rel), ignore_errors=True)
    z = zarr.create_array(full(rel), shape=s.shape, chunks=chunks, dtype=s.dtype, zarr_format=2, compressors=compressor, filters=filters, order=order, fill_value=fill,
                          chunk_key_encoding={"name": "v2", "separator": sep})
    z[...] = s
    if os.path.exists(full(rel + "/.zattrs")) and get(rel + "/.zattrs") in (b"{}", b""): os.remove(full(rel + "/.zattrs"))
    zarr2_check(rel, s, readers)


def zarr2_check(rel, s, readers=("zarr", "ts")):
    if "zarr" in readers: same(zarr.open_array(full(rel), mode="r", zarr_format=2)[...], s, rel)
    if "ts" in readers: same(ts_read("zarr", rel), s, rel)


def zarr2_types():
    fresh("zarr2")
    n = 0
    for i, t in enumerate(["b1", "i1", "u1", "u2", "u4", "u8", "i2", "i4", "i8", "f2", "f4", "f8"]):
        for e in "<>" if t[1] != "1" else "|":
            rel = "zarr2/types/" + {"<": "le_", ">": "be_", "|": ""}[e] + t
            a = volume(t, 1, SHAPE, i)
            order, sep, comp = "CF"[n % 2], "./"[n // 2 % 2], [None, numcodecs.Zstd(3), numcodecs.Blosc("lz4", shuffle=1)][n % 3]
            zarr2(rel, stored(a, "zyx").astype(e + t), (9, 11, 7), order=order, sep=sep, compressor=comp)
            assert json.loads(get(rel + "/.zarray"))["dtype"] == e + t
            add("zarr", rel, a, chunk=(7, 11, 9), note=f"{e}{t}, order {order}")
            n += 1


def zarr2_layout():
    a = volume("uint16", 1, SHAPE, 30); s = stored(a, "zyx"); chunks = (5, 6, 7)
    def one(name, note, change=None, warn=None, readers=("zarr", "ts"), **kw):
        rel = "zarr2/layout/" + name
        zarr2(rel, s, chunks, **kw)
        if change: edit(rel + "/.zarray", change)
        if readers and change: zarr2_check(rel, s, readers)
        add("zarr", rel, a, chunk=(7, 6, 5), note=note, **({"warning_mentions_any": warn} if warn else {}))
    sep = ["separator"]
    one("c_dot", "order C, separator .", sep=".")
    one("f_slash", "order F, separator /", sep="/", order="F")
    one("f_dot", "order F, separator .", sep=".", order="F")
    one("sep_missing", "no dimension_separator: it is .", lambda j: j.pop("dimension_separator") and None, sep=".")
    one("sep_missing_slash", "no dimension_separator, but the files have /: seen by looking, with a warning", lambda j: j.pop("dimension_separator") and None, sep, (), sep="/")
    one("sep_misspelt", "the key is dimension_seperator and says /, as the files have it: a warning", lambda j: j.update(dimension_seperator=j.pop("dimension_separator")), sep, (), sep="/")
    one("sep_dot_but_slash", "declared ., files have /: seen by looking, with a warning", lambda j: j.update(dimension_separator="."), sep, (), sep="/")
    one("sep_slash_but_dot", "declared /, files have .: seen by looking, with a warning", lambda j: j.update(dimension_separator="/"), sep, (), sep=".")
    b = volume("uint16", 1, (13, 11, 1), 31)
    zarr2("zarr2/layout/rank2", stored(b, "yx"), (6, 7)); add("zarr", "zarr2/layout/rank2", b, chunk=(7, 6, 1), note="y, x")
    c = volume("int16", 3, SHAPE, 32)
    for order in "CF":
        rel = f"zarr2/layout/rank4_{order.lower()}"
        zarr2(rel, stored(c, "czyx"), (2, 9, 6, 13), order=order); add("zarr", rel, c, chunk=(13, 6, 9), note=f"c, z, y, x; chunks of 2 of 3 channels; order {order}")
    d = times(3, "uint8", 2, (7, 6, 5), 33)
    for order in "CF":
        rel = f"zarr2/layout/rank5_{order.lower()}"
        zarr2(rel, stored(d, "tczyx"), (2, 1, 5, 6, 7), order=order); add("zarr", rel, d, chunk=(7, 6, 5), note=f"t, c, z, y, x; chunks of 2 of 3 times; without --axis t is 0; order {order}")
    add("zarr", "zarr2/layout/c_dot/.zarray", a, chunk=(7, 6, 5), note="PATH is the metadata file")


def zarr2_codecs():
    a = ramp("uint16", 1, SHAPE, 3); s = stored(a, "zyx")
    shuffles = [("noshuffle", 0), ("shuffle", 1), ("bitshuffle", 2), ("auto", -1)]
    inner = {"blosclz": 0, "lz4": 1, "lz4hc": 1, "zlib": 3, "zstd": 4}
    for cname, code in inner.items():
        for name, shuffle in shuffles:
            rel = f"zarr2/codecs/blosc_{cname}_{name}"
            zarr2(rel, s, (9, 11, 13), compressor=numcodecs.Blosc(cname, clevel=5, shuffle=shuffle))
            flags = get(rel + "/0.0.0")[2]
            assert flags >> 5 == code and not flags & 2 and flags & 5 == {0: 0, 1: 1, 2: 4, -1: 1}[shuffle], (rel, flags)
            add("zarr", rel, a, note=f"Blosc {cname}, {name}")
    b = np.random.default_rng(34).integers(0, 256, (1,) + SHAPE, "u1")
    zarr2("zarr2/codecs/blosc_stored", stored(b, "zyx"), (9, 11, 13), compressor=numcodecs.Blosc("lz4", clevel=5, shuffle=0)); assert get("zarr2/codecs/blosc_stored/0.0.0")[2] & 2
    add("zarr", "zarr2/codecs/blosc_stored", b, note="a Blosc frame that holds the bytes as they are")
    blocks = ramp("uint16", 1, (40, 11, 9), 5)
    zarr2("zarr2/codecs/blosc_blocks", stored(blocks, "zyx"), (9, 11, 40), compressor=numcodecs.Blosc("zstd", clevel=5, shuffle=2, blocksize=1024))
    nbytes, size = struct.unpack_from("<II", get("zarr2/codecs/blosc_blocks/0.0.0"), 4); assert size < nbytes // 4
    add("zarr", "zarr2/codecs/blosc_blocks", blocks, note="a Blosc frame of several blocks, the last one shorter")
    for name, comp, readers in (("zstd", numcodecs.Zstd(5), 3), ("zstd_checksum", numcodecs.Zstd(5, checksum=True), 1), ("gzip", numcodecs.GZip(5), 3), ("zlib", numcodecs.Zlib(6), 3), ("lz4", numcodecs.LZ4(), 1), ("bz2", numcodecs.BZ2(5), 3), ("lzma", numcodecs.LZMA(preset=6), 1)):
        rel = "zarr2/codecs/" + name
        zarr2(rel, s, (9, 11, 7), compressor=comp, readers=("zarr", "ts")[: 1 + (readers > 1)])
        add("zarr", rel, a, chunk=(7, 11, 9), note=name)
    rel = "zarr2/codecs/zstd_no_size"                          # streams don't state their size
    zarr2(rel, s, (9, 11, 13), compressor=numcodecs.Zstd(5))
    import zstandard
    c = zstandard.ZstdCompressor(3).compressobj(); put(rel + "/0.0.0", c.compress(s.tobytes()) + c.flush())
    assert zstandard.frame_content_size(get(rel + "/0.0.0")) == -1
    zarr2_check(rel, s)
    add("zarr", rel, a, note="a zstd frame without its content size")


def zarr2_fill():
    x7 = (slice(None), slice(None), slice(7, None))                # the chunk of the larger x
    def one(name, dtype, value, declared, note, change=None, readers=("zarr",), warn=None):
        """Two chunks along x; the second is missing."""
        rel = "zarr2/fill/" + name
        a = volume(dtype, 1, SHAPE, 40); s = stored(a, "zyx")
        zarr2(rel, s, (9, 11, 7))
        os.remove(full(rel + "/0.0.1"))
        edit(rel + "/.zarray", change or (lambda j: j.update(fill_value=declared)))
        s[x7] = value; a[0, 7:] = value
        if readers: zarr2_check(rel, s, readers)
        add("zarr", rel, a, chunk=(7, 11, 9), fill=value, note=note, **({"warning_mentions_any": warn} if warn else {}))
        return a
    one("zero", "uint16", 0, 0, "fill_value 0, one of two chunks is missing", readers=("zarr", "ts"))
    one("seven", "uint16", 7, 7, "fill_value 7", readers=("zarr", "ts"))
    one("null", "uint16", 0, None, "fill_value null is 0", readers=("ts",))
    one("absent", "uint16", 0, None, "no fill_value: as null", lambda j: j.pop("fill_value") and None, readers=())
    one("string", "uint16", 0, "0", 'fill_value "0" is the number', readers=())
    one("negative", "int32", -5, -5, "fill_value -5", readers=("zarr", "ts"))
    one("big", "uint64", 2**64 - 1, 2**64 - 1, "fill_value 2^64-1, exactly", readers=("zarr",))
    one("true", "bool", True, True, "fill_value true", readers=("zarr", "ts"))
    one("half", "float16", 1.5, 1.5, "fill_value 1.5 of float16", readers=("zarr", "ts"))
    one("nan", "float32", np.nan, "NaN", 'fill_value "NaN" is 0x7fc00000', readers=("zarr", "ts"))
    one("nan64", "float64", np.nan, "NaN", 'fill_value "NaN" is 0x7ff8000000000000', readers=("zarr", "ts"))
    one("inf", "float32", np.inf, "Infinity", 'fill_value "Infinity"', readers=("zarr", "ts"))
    one("neg_inf", "float64", -np.inf, "-Infinity", 'fill_value "-Infinity"', readers=("zarr", "ts"))
    a = one("nan_bare", "float32", np.nan, "NaN", "fill_value is the bare word NaN, which JSON doesn't have", readers=())
    put("zarr2/fill/nan_bare/.zarray", get("zarr2/fill/nan_bare/.zarray").replace(b'"NaN"', b"NaN"))
    one("zero_bytes", "uint16", 7, 7, "the second chunk's file has 0 bytes: read as missing, with a warning (servers answer so for missing chunks; as an empty span in WKW)", warn=["0 bytes", "empty"])
    put("zarr2/fill/zero_bytes/0.0.1", b"")
    rel = "zarr2/fill/holes"; a = volume("uint16", 1, SHAPE, 41); s = stored(a, "zyx")
    for k in ((0, 1, 0), (1, 0, 1), (1, 1, 1)): s[tuple(slice(i * n, i * n + n) for i, n in zip(k, (5, 6, 7)))] = 300
    zarr2(rel, s, (5, 6, 7), fill=300)
    assert len([f for f in os.listdir(full(rel)) if f[0] != "."]) == 5
    add("zarr", rel, s.transpose(2, 1, 0)[None], chunk=(7, 6, 5), fill=300, note="3 of 8 chunks are missing, fill_value 300")


def zarr2_bad():
    a = volume("uint16", 1, SHAPE, 45); s = stored(a, "zyx")
    def one(name, words, note, change=None, **kw):
        rel = "zarr2/bad/" + name
        zarr2(rel, s, (9, 11, 7), readers=(), **kw)
        if change: edit(rel + "/.zarray", change)
        if words: bad("zarr", rel, words, note)
        return rel
    one("filter", ["delta", "filter"], "the filter delta can't be undone, and must not be ignored", filters=[numcodecs.Delta("u2")])
    one("compressor", ["zfpy"], "unknown compressor: refused by its id", lambda j: j.update(compressor={"id": "zfpy", "mode": 4}))
    one("chunk_zero", ["chunk"], "chunk extent 0", lambda j: j.update(chunks=[9, 11, 0]))
    one("rank", ["rank", "dimension", "chunks"], "three extents, two chunk extents", lambda j: j.update(chunks=[9, 11]))
    one("prefix", ["dtype", "byte order", "endian", "data type"], "dtype u2 says no byte order", lambda j: j.update(dtype="u2"))
    one("structured", ["dtype", "data type"], "structured dtype", lambda j: j.update(dtype=[["a", "<u1"], ["b", "<u1"]]))
    one("complex", ["c8", "dtype", "data type"], "complex numbers", lambda j: j.update(dtype="<c8"))
    one("format", ["zarr_format", "version", "format"], "zarr_format 4", lambda j: j.update(zarr_format=4))
    one("fill", ["fill_value", "fill value"], "fill_value 70000 of a uint16 array", lambda j: j.update(fill_value=70000))
    rel = one("json", None, ""); put(rel + "/.zarray", b"{ not json"); bad("zarr", rel, ["line 1 column 3"], "the JSON doesn't parse")
    rel = one("short", None, ""); os.truncate(full(rel + "/0.0.0"), 1000); bad("zarr", rel, ["short", "truncated", "bytes"], "an uncompressed chunk lacks its end", box=[[0, 0, 0], [7, 11, 9]])
    sound("zarr", rel, a, (7, 0, 0), (6, 11, 9), "the other chunk")
    rel = one("garbage", None, "", compressor=numcodecs.Zstd(3)); patch(rel + "/0.0.1", 0, bytes(range(40))); bad("zarr", rel, ["zstd", "Zstd"], "a chunk is no zstd frame", box=[[7, 0, 0], [1, 1, 1]])
    sound("zarr", rel, a, (0, 0, 0), (7, 11, 9), "the other chunk")
    rel = one("gzip_cut", None, "", compressor=numcodecs.GZip(5)); os.truncate(full(rel + "/0.0.1"), 500); bad("zarr", rel, ["gzip"], "a gzip stream is cut off", box=[[7, 0, 0], [1, 1, 1]])
    sound("zarr", rel, a, (0, 0, 0), (7, 11, 9), "the other chunk")
    rel = one("long", None, "", compressor=numcodecs.Zlib(5)); put(rel + "/0.0.1", zlib.compress(bytes(10_000_000), 9)); bad("zarr", rel, ["bytes", "size", "larger", "long", "more"], "a chunk unpacks to 10 MB instead of 1386 bytes", box=[[7, 0, 0], [1, 1, 1]])
    sound("zarr", rel, a, (0, 0, 0), (7, 11, 9), "the other chunk")


# ---------------------------------------------------------------- Zarr v3
LE, BE = ({"name": "bytes", "configuration": {"endian": e}} for e in ("little", "big"))
B1 = {"name": "bytes"}
CRC = {"name": "crc32c"}
GZ, ZSTD = {"name": "gzip", "configuration": {"level": 5}}, {"name": "zstd", "configuration": {"level": 3, "checksum": True}}


def blosc(cname, shuffle, size):
    return {"name": "blosc", "configuration": {"cname": cname, "clevel": 5, "shuffle": shuffle, "typesize": size, "blocksize": 0}}


def turn(order):
    return {"name": "transpose", "configuration": {"order": list(order)}}


def shard(inner, codecs, index=None, location="end"):
    return {"name": "sharding_indexed", "configuration": {"chunk_shape": list(inner), "codecs": codecs, "index_codecs": index or [LE, CRC], "index_location": location}}


def zarr3(rel, s, chunks, codecs, *, key="default.", fill=0, names=None, by="zarr", readers=("zarr", "ts"), **more):
    """Written by zarr-python or tensorstore; `key` is the encoding's name and separator."""
    shutil.rmtree(full(rel), ignore_errors=True)
    encoding = {"name": key.rstrip("./")} | ({"configuration": {"separator": key[-1]}} if key[-1] in "./" else {})
    meta = {"shape": list(s.shape), "data_type": s.dtype.name, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}}, "chunk_key_encoding": encoding, "fill_value": fill, "codecs": codecs,
            **({"dimension_names": names} if names else {}), **more}
    put(rel + "/zarr.json", {"zarr_format": 3, "node_type": "array", "attributes": {}, **meta})
    if by == "zarr": zarr.open_array(full(rel), mode="r+", zarr_format=3)[...] = s
    else: ts_open("zarr3", rel).write(s).result()
    zarr3_check(rel, s, readers)


def zarr3_check(rel, s, readers=("zarr", "ts")):
    if "zarr" in readers: same(zarr.open_array(full(rel), mode="r", zarr_format=3)[...], s, rel)
    if "ts" in readers: same(ts_read("zarr3", rel), s, rel)


def zarr3_types():
    fresh("zarr3")
    n = 0
    for i, t in enumerate(["bool", "int8", "uint8", "uint16", "uint32", "uint64", "int16", "int32", "int64", "float16", "float32", "float64"]):
        for bytes_, e in ((LE, "le_"), (BE, "be_")) if np.dtype(t).itemsize > 1 else ((B1, ""),):
            rel = "zarr3/types/" + e + t
            a = volume(t, 1, SHAPE, 50 + i)
            codecs = [bytes_] + [[], [ZSTD], [blosc("lz4", "shuffle", np.dtype(t).itemsize)], [GZ], [CRC]][n % 5]
            zarr3(rel, stored(a, "zyx"), (9, 11, 7), codecs, by=("zarr", "ts")[n % 2], fill=False if t == "bool" else 0)
            add("zarr3", rel, a, chunk=(7, 11, 9), note=f"{t}, {e or 'one byte'}")
            n += 1


def zarr3_codecs():
    a = ramp("uint16", 1, SHAPE, 7); s = stored(a, "zyx")
    for name, codecs in (("gzip", [LE, GZ]), ("zstd", [LE, ZSTD]), ("crc32c", [LE, CRC]), ("gzip_crc32c", [LE, GZ, CRC]), ("crc32c_zstd_crc32c", [LE, CRC, ZSTD, CRC]), ("blosc_blosclz", [LE, blosc("blosclz", "noshuffle", 2)]), ("blosc_zstd", [LE, blosc("zstd", "bitshuffle", 2)]),
                         ("blosc_zlib", [BE, blosc("zlib", "shuffle", 2)]), ("blosc_lz4hc", [LE, blosc("lz4hc", "bitshuffle", 2)]), ("gzip_twice", [LE, GZ, GZ])):
        zarr3("zarr3/codecs/" + name, s, (9, 11, 13), codecs); add("zarr3", "zarr3/codecs/" + name, a, note=name)
    def rewritten(name, codecs, note, change, readers=()):
        rel = "zarr3/codecs/" + name
        zarr3(rel, s, (9, 11, 13), codecs); edit(rel + "/zarr.json", change); zarr3_check(rel, s, readers); add("zarr3", rel, a, note=note)
    rewritten("bare", [LE, CRC], 'the codec is the bare string "crc32c"', lambda j: j.update(codecs=[LE, "crc32c"]))
    rewritten("endian", [BE], 'the codec\'s old name "endian"', lambda j: j.update(codecs=[{"name": "endian", "configuration": {"endian": "big"}}]))
    rewritten("order_f", [turn((2, 1, 0)), LE], 'the old order "F"', lambda j: j.update(codecs=[{"name": "transpose", "configuration": {"order": "F"}}, LE]), ["ts"])
    rewritten("order_c", [LE], 'the old order "C"', lambda j: j.update(codecs=[{"name": "transpose", "configuration": {"order": "C"}}, LE]), ["ts"])
    rewritten("type_object", [LE], "data_type is an object with a name", lambda j: j.update(data_type={"name": "uint16", "configuration": {}}))
    b = ramp("uint8", 1, SHAPE, 8)
    zarr3("zarr3/codecs/all_bare", stored(b, "zyx"), (9, 11, 13), [B1, CRC]); edit("zarr3/codecs/all_bare/zarr.json", lambda j: j.update(codecs=["bytes", "crc32c"]))
    add("zarr3", "zarr3/codecs/all_bare", b, note='the codecs are bare strings: "bytes", "crc32c"')


def zarr3_transpose():
    a = volume("uint16", 1, SHAPE, 70); s = stored(a, "zyx")
    for order in list(itertools.permutations(range(3)))[1:]:
        word = "".join(map(str, order))
        zarr3(f"zarr3/transpose/plain_{word}", s, (5, 6, 7), [turn(order), LE], key="v2.") if word == "120" else zarr3(f"zarr3/transpose/plain_{word}", s, (9, 11, 7), [turn(order), LE])
        add("zarr3", f"zarr3/transpose/plain_{word}", a, chunk=(7, 6, 5) if word == "120" else (7, 11, 9), note=f"transpose {word}")
        # Outer chunk (10, 12, 14) of z, y, x; the inner shape is in the order that sharding sees.
        inner = lambda o: [(5, 4, 7)[i] for i in o]
        zarr3(f"zarr3/transpose/inside_{word}", s, (10, 12, 14), [shard((5, 4, 7), [turn(order), LE])]); add("zarr3", f"zarr3/transpose/inside_{word}", a, chunk=(7, 4, 5), note=f"sharding, transpose {word} inside")
        zarr3(f"zarr3/transpose/outside_{word}", s, (10, 12, 14), [turn(order), shard(inner(order), [LE])], by="ts", readers=["ts"]); add("zarr3", f"zarr3/transpose/outside_{word}", a, chunk=(7, 4, 5), note=f"transpose {word} outside of sharding")
        other = order[1:] + order[:1]
        zarr3(f"zarr3/transpose/both_{word}", s, (10, 12, 14), [turn(order), shard(inner(order), [turn(other), LE])], by="ts", readers=["ts"]); add("zarr3", f"zarr3/transpose/both_{word}", a, chunk=(7, 4, 5), note=f"transpose {word} outside of sharding and {other} inside")
    zarr3("zarr3/transpose/twice", s, (9, 11, 13), [turn((1, 2, 0)), turn((1, 0, 2)), LE]); add("zarr3", "zarr3/transpose/twice", a, note="two transposes after one another")
    c = volume("uint8", 3, SHAPE, 71); s = stored(c, "czyx")
    for order in ((3, 2, 1, 0), (1, 2, 3, 0), (3, 0, 1, 2), (0, 3, 1, 2), (2, 0, 3, 1)):
        word = "".join(map(str, order)); inner = lambda o: [(3, 5, 4, 7)[i] for i in o]
        zarr3(f"zarr3/transpose/four_{word}", s, (2, 9, 11, 13), [turn(order), B1]); add("zarr3", f"zarr3/transpose/four_{word}", c, note=f"c, z, y, x; transpose {word}")
        zarr3(f"zarr3/transpose/four_both_{word}", s, (3, 10, 12, 14), [turn(order), shard(inner(order), [turn((1, 3, 0, 2)), B1, ZSTD])], by="ts", readers=["ts"])
        add("zarr3", f"zarr3/transpose/four_both_{word}", c, chunk=(7, 4, 5), note=f"c, z, y, x; transpose {word} outside of sharding, 1302 inside")


def zarr3_sharding():
    a = volume("uint16", 1, SHAPE, 75); s = stored(a, "zyx")
    def one(name, codecs, note, outer=(10, 12, 14), **kw):
        zarr3("zarr3/sharding/" + name, s, outer, codecs, **kw); add("zarr3", "zarr3/sharding/" + name, a, chunk=(7, 4, 5), note=note)
    I = (5, 4, 7)
    for place in ("end", "start"):
        for name, index in (("bytes", [LE]), ("crc", [LE, CRC]), ("crc_crc", [LE, CRC, CRC]), ("big", [BE]), ("big_crc", [BE, CRC])):
            one(f"{place}_{name}", [shard(I, [LE, ZSTD], index, place)], f"index at the {place}, index codecs {name}", by=("zarr", "ts")[place == "start"])
    one("several", [shard((5, 3, 4), [LE, GZ])], "shards of 5, 6, 8 in an array of 9, 11, 13; inner chunks of 5, 3, 4", outer=(5, 6, 8))
    one("one_inner", [shard((10, 12, 14), [LE])], "one inner chunk per shard")
    one("inner_crc", [shard(I, [BE, CRC])], "big-endian inner chunks with a checksum each")
    one("nested", [shard((5, 6, 7), [shard((5, 3, 7), [LE, ZSTD])])], "a shard of shards", by="ts")
    one("nested_start", [shard((5, 6, 7), [shard((5, 3, 7), [turn((2, 0, 1)), LE, GZ], None, "start")], [LE], "start")], "a shard of shards, both indexes at the start, a transpose innermost", by="ts")
    one("nested_three", [shard((10, 6, 14), [shard((5, 6, 7), [shard((5, 2, 7), [LE])], None, "start")])], "three levels of sharding")
    one("outer_gzip", [shard(I, [LE]), GZ], "gzip around the whole shard", readers=["zarr"])
    one("outer_crc", [shard(I, [LE, GZ]), CRC], "a checksum around the whole shard", readers=["zarr"])
    one("outer_both", [shard(I, [LE], None, "start"), ZSTD, CRC], "zstd and a checksum around the whole shard, whose index is at the start", readers=["zarr"])
    # Missing inner chunks and shards
    b = volume("int32", 1, SHAPE, 76); t = stored(b, "zyx")
    t[:, :, 8:] = -9; t[5:, :6] = -9; t[:5, 3:6, :4] = -9
    for place in ("end", "start"):
        rel = f"zarr3/sharding/holes_{place}"
        zarr3(rel, t, (5, 6, 8), [shard((5, 3, 4), [LE, ZSTD], None, place)], fill=-9, by="ts")
        n = len([f for f in os.listdir(full(rel)) if f != "zarr.json"]); assert n == 3, n
        add("zarr3", rel, t.transpose(2, 1, 0)[None], chunk=(8, 6, 5), fill=-9, note="5 of 8 shards are missing and one inner chunk of another; fill_value -9")
    # By hand: inner chunks in reverse order, with gaps
    rel = "zarr3/sharding/gaps"; zarr3(rel, s, (10, 12, 14), [shard(I, [LE], [LE])])
    data = get(rel + "/c.0.0.0"); n = 12; index = np.frombuffer(data[-16 * n:], "<u8").reshape(n, 2)
    out, entries = b"\xee" * 11, {}
    for i in reversed(range(n)):
        o, k = map(int, index[i]); entries[i] = (len(out), k); out += data[o: o + k] + b"\xee" * (5 + i)
    put(rel + "/c.0.0.0", out + b"".join(struct.pack("<QQ", *entries[i]) for i in range(n))); zarr3_check(rel, s)
    add("zarr3", rel, a, chunk=(7, 4, 5), note="inner chunks stand in reverse order with gaps between (by hand)")
    # Checksums
    def damaged(name, codecs, at, note):
        rel = "zarr3/sharding/" + name
        zarr3(rel, s, (10, 12, 14), codecs); k = full(rel + "/c.0.0.0"); at = at if at >= 0 else os.path.getsize(k) + at
        old = get(rel + "/c.0.0.0")[at]; patch(rel + "/c.0.0.0", at, bytes([old ^ 0x5A]))
        add("zarr3", rel, a, chunk=(7, 4, 5), note=note + ": readable, with a warning", warning_mentions_any=["checksum", "crc32c"])
    damaged("crc_chunk", [LE, CRC], -1, "wrong checksum of a chunk")
    damaged("crc_inner", [shard(I, [LE, CRC])], 280 + 3, "wrong checksum of the first inner chunk")
    damaged("crc_index", [shard(I, [LE])], -1, "wrong checksum of the index")
    # Index entries that can't be: refused, the other inner chunks are readable. Inner chunks 0..11 are (z, y, x) of 2 x 3 x 2; 3 is z 0..5, y 4..8, x 7..
    def entries(name, words, note, *patches, location="end"):
        rel = "zarr3/bad/" + name
        zarr3(rel, s, (10, 12, 14), [shard(I, [LE], [LE], location)])
        base = os.path.getsize(full(rel + "/c.0.0.0")) - 16 * 12 if location == "end" else 0
        index = np.frombuffer(get(rel + "/c.0.0.0")[base: base + 192], "<u8").reshape(12, 2)
        for i, f in patches: patch(rel + "/c.0.0.0", base + 16 * i, struct.pack("<QQ", *f(index)))
        bad("zarr3", rel, words, note, box=[[7, 4, 0], [2, 2, 2]])
        sound("zarr3", rel, a, (0, 0, 0), (7, 11, 9), "inner chunks whose entries are sound")
        sound("zarr3", rel, a, (3, 8, 0), (10, 3, 9), "inner chunks whose entries are sound")
    out = ["index", "outside", "beyond", "end of the file"]
    entries("entry_outside", out, "entry 3 begins behind the end of the file", (3, lambda x: (100_000, 280)))
    entries("entry_long", out, "entry 3 ends behind the end of the file", (3, lambda x: (int(x[3][0]), 2**40)))
    entries("entry_wraps", out, "offset + size of entry 3 is more than 2^64", (3, lambda x: (2**64 - 100, 280)))
    entries("entry_in_index", out + ["overlap"], "entry 3 lies in the index at the start", (3, lambda x: (8, 280)), location="start")
    entries("entries_overlap", ["overlap", "index"], "entries 3 and 9 overlap: both chunks are refused", (3, lambda x: (int(x[9][0]) + 20, 280)))
    rel = "zarr3/bad/shard_short"; zarr3(rel, s, (10, 12, 14), [shard(I, [LE])]); put(rel + "/c.0.0.0", get(rel + "/c.0.0.0")[:100])
    bad("zarr3", rel, ["index", "short", "truncated"], "a shard shorter than its index")


def zarr3_keys():
    a = volume("uint8", 1, SHAPE, 80); s = stored(a, "zyx")
    for name, key in (("default_slash", "default/"), ("default_dot", "default."), ("v2_dot", "v2."), ("v2_slash", "v2/"), ("default_bare", "default"), ("v2_bare", "v2")):
        zarr3("zarr3/keys/" + name, s, (9, 6, 7), [B1], key=key, by="ts")
        if "bare" in name: edit(f"zarr3/keys/{name}/zarr.json", lambda j: j.update(chunk_key_encoding={"name": j["chunk_key_encoding"]["name"]})); zarr3_check("zarr3/keys/" + name, s)
        add("zarr3", "zarr3/keys/" + name, a, chunk=(7, 6, 9), note=f"chunk_key_encoding {key}" + ("; no configuration: its default" if "bare" in name else ""))
    add("zarr3", "zarr3/keys/default_dot/zarr.json", a, chunk=(7, 6, 9), note="PATH is the metadata file")


def zarr3_fill():
    def one(name, dtype, value, declared, note, readers=("zarr", "ts")):
        rel = "zarr3/fill/" + name; a = volume(dtype, 1, SHAPE, 81); s = stored(a, "zyx")
        zarr3(rel, s, (9, 11, 7), [LE if a.itemsize > 1 else B1], fill=False if dtype == "bool" else 0); os.remove(full(rel + "/c.0.0.1"))
        edit(rel + "/zarr.json", lambda j: j.update(fill_value=declared))
        s[:, :, 7:] = value; a[0, 7:] = value
        zarr3_check(rel, s, readers); add("zarr3", rel, a, chunk=(7, 11, 9), fill=value, note=note)
    f4 = lambda bits: np.array([bits], "<u4").view("<f4")[0]
    one("seven", "uint16", 7, 7, "fill_value 7")
    one("negative", "int64", -2**63, -2**63, "fill_value -2^63, exactly")
    one("big", "uint64", 2**64 - 1, 2**64 - 1, "fill_value 2^64-1, exactly")
    one("true", "bool", True, True, "fill_value true")
    one("nan", "float32", np.nan, "NaN", 'fill_value "NaN" is 0x7fc00000')
    one("nan16", "float16", np.nan, "NaN", 'fill_value "NaN" is 0x7e00')
    one("neg_inf", "float64", -np.inf, "-Infinity", 'fill_value "-Infinity"')
    one("hex", "float32", f4(0x7FC00000), "0x7fc00000", 'fill_value "0x7fc00000" is a NaN')
    one("hex_payload", "float32", f4(0x7FC00123), "0x7fc00123", 'fill_value "0x7fc00123": another NaN, bit by bit', readers=["ts"])
    one("hex_number", "float32", f4(0x3FC00000), "0x3fc00000", 'fill_value "0x3fc00000" is 1.5')


def zarr3_names():
    def one(name, axes, names, dtype="uint8", note="", a=None):
        a = volume(dtype, 3 if "c" in axes else 1, SHAPE if "z" in axes else SHAPE[:2] + (1,), 90) if a is None else a
        ext = dict(zip("tcxyz"[-a.ndim:], a.shape)); chunks = [{"x": 7, "y": 11, "z": 9, "c": 3, "t": 2}[n] for n in axes]
        zarr3("zarr3/names/" + name, stored(a, axes), chunks, [B1 if a.itemsize == 1 else LE], names=names)
        add("zarr3", "zarr3/names/" + name, a, chunk=(7, 11, 9), note=note or f"dimension_names {', '.join(names)}")
    for axes in ("xyz", "zyx", "yxz", "cxyz", "zyxc", "xcyz", "yx", "xy", "cyx"): one(axes, axes, list(axes), "uint16" if "c" in axes else "uint8")
    one("tzyx", "tzyx", list("tzyx"), a=times(3, "uint8", 1, (7, 6, 5), 91))
    one("xyzct", "xyzct", list("xyzct"), a=times(2, "uint8", 3, (7, 6, 5), 92))
    one("capital", "xyz", ["X", "Y", "Z"], note="dimension_names X, Y, Z: as x, y, z")
    one("nulls", "zyx", [None, None, None], note="dimension_names are all null: z, y, x")
    b = times(3, "uint8", 2, (7, 6, 5), 94)
    zarr3("zarr3/names/none_5", stored(b, "tczyx"), (2, 1, 5, 6, 7), [B1]); add("zarr3", "zarr3/names/none_5", b, note="no dimension_names, five dimensions: t, c, z, y, x")


def zarr3_extensions():
    a = volume("uint16", 1, SHAPE, 95); s = stored(a, "zyx")
    def one(name, words, note, change):
        rel = "zarr3/bad/" + name; zarr3(rel, s, (9, 11, 13), [LE]); edit(rel + "/zarr.json", change)
        if words: bad("zarr3", rel, words, note)
        return rel
    one("codec", ["numcodecs.pcodec"], "unknown codec: refused by its name", lambda j: j.update(codecs=[LE, {"name": "numcodecs.pcodec", "configuration": {}}]))
    one("inner_codec", ["wavelet"], "unknown codec inside sharding: refused by its name", lambda j: j.update(codecs=[shard((9, 11, 13), [LE, {"name": "wavelet"}])]))
    one("index_codec", ["wavelet"], "unknown index codec: refused by its name", lambda j: j.update(codecs=[shard((9, 11, 13), [LE], [LE, {"name": "wavelet"}])]))
    one("key", ["mystery"], "an unknown key at the top must be understood", lambda j: j.update(mystery={"a": 1}))
    one("key_true", ["mystery"], "an unknown key with must_understand true", lambda j: j.update(mystery={"name": "x", "must_understand": True}))
    one("grid", ["rectangular"], "rectangular chunk grid", lambda j: j.update(chunk_grid={"name": "rectangular", "configuration": {"chunk_shape": [[4, 5], 11, 13]}}))
    one("encoding", ["morton"], "unknown chunk_key_encoding", lambda j: j.update(chunk_key_encoding={"name": "morton"}))
    one("transformer", ["storage_transformers", "storage transformer", "indirection"], "storage_transformers", lambda j: j.update(storage_transformers=[{"name": "indirection", "configuration": {}}]))
    one("type", ["complex64"], "complex numbers", lambda j: j.update(data_type="complex64", fill_value=[0, 0]))
    one("rank", ["rank", "dimension", "chunk_shape", "chunk shape"], "three extents, two chunk extents", lambda j: j["chunk_grid"]["configuration"].update(chunk_shape=[9, 11]))
    one("chunk_zero", ["chunk"], "chunk extent 0", lambda j: j["chunk_grid"]["configuration"].update(chunk_shape=[9, 11, 0]))
    one("no_bytes", ["codec", "bytes"], "no array-to-bytes codec", lambda j: j.update(codecs=[GZ]))
    one("order", ["transpose", "order"], "a transpose that isn't a permutation", lambda j: j.update(codecs=[turn((0, 0, 1)), LE]))
    one("divide", ["chunk", "shard"], "the inner chunk doesn't divide the shard", lambda j: j.update(codecs=[shard((4, 11, 13), [LE])]))
    rel = "zarr3/codecs/optional_key"; zarr3(rel, s, (9, 11, 13), [LE]); edit(rel + "/zarr.json", lambda j: j.update(mystery={"name": "x", "must_understand": False}, storage_transformers=[])); zarr3_check(rel, s, ["zarr"])
    add("zarr3", rel, a, note="an unknown key with must_understand false; empty storage_transformers")


MAKERS = [zarr2_types, zarr2_layout, zarr2_codecs, zarr2_fill, zarr2_bad, zarr3_types, zarr3_codecs, zarr3_transpose, zarr3_sharding, zarr3_keys, zarr3_fill, zarr3_names, zarr3_extensions]

if __name__ == "__main__":
    for make in MAKERS: make()
    save(FORMATS, CASES, equal=EQUAL)
