#!/usr/bin/env python3
"""Regenerates the Zarr, OME-Zarr, N5 and precomputed datasets beside this file and their cases in manifest.json.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install zarr==3.1.6 numcodecs==0.16.6 tensorstore==0.1.86 cloud-volume==12.15.2 \\
        compressed_segmentation==2.3.3 compresso==3.3.3 pyspng-seunglab==1.1.3 lz4==4.4.5 pillow==13.0.0 wkw==1.1.24 webknossos==4.3.3
    /tmp/venv/bin/python make_formats.py

What one library wrote is read back with every other one that can; what none writes is made with struct and json and says so in its
note ("by hand"). Cases that must be refused have `error_mentions_any`; some have a `box` [offset, shape] that meets the fault (all are
met by 0,0,0 + 16,16,16). `warning_mentions_any` are words of a warning that is expected beside the data, `tolerance` of a probe is
the difference that lossy decoders may have (the digest then need not hold). The key `equal` lists groups of arrays that hold the same voxels.

Axes: x fastest in the words below, `zyx` means the last dimension is x. Data here are (c, x, y, z), or (t, c, x, y, z).
"""
import gzip, io, itertools, json, os, shutil, struct, types, warnings, zlib
import numcodecs
import numpy as np
import tensorstore as ts
import zarr
import compressed_segmentation
import webknossos as wk
from cloudvolume import CloudVolume
from PIL import Image
from corpus_common import HERE, fresh, layer_json, probe, save, volume, write_json
from make_corpus import LZ4, RAW, write_mag

warnings.simplefilter("ignore")
numcodecs.blosc.use_threads = False
gzip.time = types.SimpleNamespace(time=lambda: 0)                  # numcodecs lets gzip write the time of day into its header
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
    CASES.append({"path": path, "format": fmt, "note": note, "error_mentions_any": words, "args": [], **more})


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
    one("fill", ["fill_value", "fill value", "70000"], "fill_value 70000 of a uint16 array", lambda j: j.update(fill_value=70000))
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
    def spread(rel, gap):
        data = get(rel + "/c.0.0.0"); n = 12; index = np.frombuffer(data[-16 * n:], "<u8").reshape(n, 2)
        out, moved = b"\xee" * 11, {}
        for i in reversed(range(n)):
            o, k = map(int, index[i]); moved[i] = (len(out), k); out += data[o: o + k] + b"\xee" * (gap + i)
        put(rel + "/c.0.0.0", out + b"".join(struct.pack("<QQ", *moved[i]) for i in range(n))); zarr3_check(rel, s)
    rel = "zarr3/sharding/gaps"; zarr3(rel, s, (10, 12, 14), [shard(I, [LE], [LE])]); spread(rel, 5)
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
        if location == "end": spread(rel, 64)
        base = os.path.getsize(full(rel + "/c.0.0.0")) - 16 * 12 if location == "end" else 0
        index = np.frombuffer(get(rel + "/c.0.0.0")[base: base + 192], "<u8").reshape(12, 2)
        for i, f in patches: patch(rel + "/c.0.0.0", base + 16 * i, struct.pack("<QQ", *f(index)))
        bad("zarr3", rel, words, note, box=[[7, 4, 0], [2, 2, 2]])
        sound("zarr3", rel, a, (0, 0, 0), (7, 11, 9), "inner chunks whose entries are sound")
        sound("zarr3", rel, a, (3, 8, 0), (10, 3, 9), "inner chunks whose entries are sound")
    out = ["index", "outside", "beyond", "end of the file"]
    entries("entry_outside", out, "entry 3 begins behind the end of the file", (3, lambda x: (100_000, 280)))
    entries("entry_long", out, "entry 3 ends behind the end of the file", (3, lambda x: (int(x[0].sum()) + 40, 2**40)))       # chunk 0 is the last one
    entries("entry_wraps", out, "offset + size of entry 3 is more than 2^64", (3, lambda x: (2**64 - 100, 280)))
    entries("entry_in_index", out + ["overlap", "bytes"], "entry 3 lies in the index at the start", (3, lambda x: (8, 180)), location="start")
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


# ---------------------------------------------------------------- OME-Zarr
SPACE = {"x": "space", "y": "space", "z": "space", "c": "channel", "t": "time"}


def node(rel, version, attributes):
    """A group's metadata; 0.4 and older are Zarr v2."""
    if version == "0.5":
        put(rel + "/zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", **attributes}}})
    else:
        put(rel + "/.zgroup", {"zarr_format": 2}); put(rel + "/.zattrs", attributes)


def level(rel, version, s, chunks):
    if version == "0.5": zarr3(rel, s, chunks, [LE if s.itemsize > 1 else B1, ZSTD])
    else: zarr2(rel, s, chunks, compressor=numcodecs.Zstd(3))


def image(rel, version, axes, levels, *, units="nanometer", name=None, axes_json=True, group=None, **more):
    """A multiscale; `levels` are (path, voxels, scale x, y, z, translation x, y, z or None)."""
    fmt = "zarr3" if version == "0.5" else "zarr"
    full_axes = [{"name": n, "type": SPACE[n]} | ({"unit": units} if units and n in "xyz" else {}) for n in axes]
    datasets = []
    for path, a, scale, move in levels:
        by = lambda v, other: [float(dict(zip("xyz", v)).get(n, other)) for n in axes]
        s = stored(a, axes); chunks = [dict(zip("xyz", (7, 11, 9))).get(n, 1) for n in axes]
        level(f"{rel}/{path}", version, s, [min(c, n) for c, n in zip(chunks, s.shape)])
        steps = [{"type": "scale", "scale": by(scale, 1)}] + ([{"type": "translation", "translation": by(move, 0)}] if move else [])
        datasets.append({"path": path} | ({"coordinateTransformations": steps} if version >= "0.4" else {}))
    scales = {"datasets": datasets} | ({"axes": full_axes if version >= "0.4" else list(axes)} if axes_json else {}) | ({"version": version} if version != "0.5" else {}) | ({"name": name} if name else {}) | (group or {})
    node(rel, version, {"multiscales": [scales], **more})
    return fmt


def ome():
    fresh("ome")
    half = (7, 6, 5)
    sizes = lambda axes: [SHAPE if "z" in axes else SHAPE[:2] + (1,), half if "z" in axes else half[:2] + (1,)]
    units = {"zyx": "nanometer", "czyx": "micrometer", "tczyx": "nanometer", "xyz": None, "cxyz": "micrometer", "yx": "nanometer", "cyx": None}
    for version in ("0.4", "0.5"):
        for i, (axes, unit) in enumerate(units.items()):
            rel = f"ome/v{version.replace('.', '')}_{axes}"
            make = lambda shape, seed: times(2, "uint16", 2, shape, seed) if "t" in axes else volume("uint16", 2 if "c" in axes else 1, shape, seed)
            a, b = (make(shape, 110 + 2 * i + k) for k, shape in enumerate(sizes(axes)))
            fine = (0.01, 0.01, 0.04) if unit == "micrometer" else (10, 10, 40)
            omero = {"omero": {"channels": [{"label": "DAPI", "color": "0000FF", "active": True, "inverted": False, "window": {"start": 10, "end": 20000, "min": 0, "max": 65535}}, {"label": "GFP", "color": "00FF00", "active": False, "window": {"start": 0, "end": 500, "min": 0, "max": 1000}}]}} if "c" in axes else {}
            fmt = image(rel, version, axes, [("0", a, fine, None), ("1", b, tuple(2 * f for f in fine), tuple(f / 2 for f in fine))], units=unit, name="cells" if axes == "czyx" else None, **omero)
            for mag, v in (("1", a), ("2", b)):
                m = mag if "z" in axes or mag == "1" else "2-2-1"
                add(fmt, rel, v, mag=m, chunk=(7, 11, 9), note=f"OME {version}, axes {axes}, unit {unit}; level {'0' if mag == '1' else '1 with a half-voxel translation'}" + ("; without z its factor is 1" if m == "2-2-1" else ""), **({"layer": "cells"} if axes == "czyx" else {}))
            if axes in ("xyz", "tczyx"): add(fmt, rel + "/1", b, chunk=(7, 6, 5), note="PATH is a level: axes from the group above")
    add("zarr", "ome/v04_xyz/.zattrs", volume("uint16", 1, SHAPE, 116), chunk=(7, 11, 9), note="PATH is the group's .zattrs")
    add("zarr3", "ome/v05_xyz/zarr.json", volume("uint16", 1, SHAPE, 116), chunk=(7, 11, 9), note="PATH is the group's zarr.json")
    # Anisotropic, names of levels
    for version in ("0.4", "0.5"):
        rel = f"ome/v{version.replace('.', '')}_aniso"
        grids = [("s0", (13, 11, 9), (4, 4, 40), "1"), ("s1", (7, 6, 9), (8, 8, 40), "2-2-1"), ("s2", (4, 3, 9), (16, 16, 40), "4-4-1"), ("s3", (2, 2, 5), (32, 32, 80), "8-8-2")]
        fmt = image(rel, version, "zyx", [(p, volume("uint8", 1, shape, 130 + k), scale, None) for k, (p, shape, scale, _) in enumerate(grids)])
        for k, (p, shape, _, mag) in enumerate(grids): add(fmt, rel, volume("uint8", 1, shape, 130 + k), mag=mag, note=f"level {p} is mag {mag}")
    fmt = image("ome/v04_nested", "0.4", "zyx", [("scale0/image", volume("uint8", 1, SHAPE, 135), (4, 4, 4), None), ("scale1/image", volume("uint8", 1, (5, 4, 3), 136), (12, 12, 12), None)], name="deep")
    add(fmt, "ome/v04_nested", volume("uint8", 1, SHAPE, 135), layer="deep", mag="1", note="levels scale0/image, scale1/image; the folders between have no metadata"); add(fmt, "ome/v04_nested", volume("uint8", 1, (5, 4, 3), 136), layer="deep", mag="3", note="mag 3")
    add(fmt, "ome/v04_nested/scale1/image", volume("uint8", 1, (5, 4, 3), 136), note="PATH is a level two folders below its group")
    fmt = image("ome/v04_unsorted", "0.4", "zyx", [("a", volume("uint8", 1, (7, 6, 5), 138), (8, 8, 8), None), ("b", volume("uint8", 1, SHAPE, 137), (4.02, 3.98, 4), None)], group={"coordinateTransformations": [{"type": "scale", "scale": [2, 3, 5]}]})
    add(fmt, "ome/v04_unsorted", volume("uint8", 1, SHAPE, 137), mag="1", note="the finest level comes last; a transform of the multiscale (ignored for mags)"); add(fmt, "ome/v04_unsorted", volume("uint8", 1, (7, 6, 5), 138), mag="2", note="8 / 4.02 and 8 / 3.98 are rounded to 2")
    fmt = image("ome/v04_coincide", "0.4", "zyx", [("0", volume("uint8", 1, (6, 5, 4), 139), (4, 4, 4), None), ("1", volume("uint8", 1, (6, 5, 4), 140), (4, 4, 4), None)])
    add(fmt, "ome/v04_coincide", volume("uint8", 1, (6, 5, 4), 139), mag="1", note="two levels of mag 1: the first; a warning", warning_mentions_any=["mag", "level"])
    fmt = image("ome/v04_bad_omero", "0.4", "czyx", [("0", volume("uint8", 2, (6, 5, 4), 141), (4, 4, 4), None)], omero={"channels": "none", "rdefs": 3})
    add(fmt, "ome/v04_bad_omero", volume("uint8", 2, (6, 5, 4), 141), note="omero is broken: ignored, with a note")
    # One level of two is broken: the other one stays usable
    fmt = image("ome/v04_bad_level", "0.4", "zyx", [("0", volume("uint8", 1, SHAPE, 142), (4, 4, 4), None), ("1", volume("uint8", 1, half, 143), (8, 8, 8), None)])
    edit("ome/v04_bad_level/1/.zarray", lambda j: j.update(chunks=[5, 6, 0]))
    add(fmt, "ome/v04_bad_level", volume("uint8", 1, SHAPE, 142), mag="1", note="level 1 has chunk extent 0, level 0 is sound"); bad(fmt, "ome/v04_bad_level", ["chunk"], "level 1 has chunk extent 0", args=["--mag", "2"])
    fmt = image("ome/v04_bad_unit", "0.4", "zyx", [("0", volume("uint8", 1, (6, 5, 4), 144), (4, 4, 4), None)], units="cubit"); add(fmt, "ome/v04_bad_unit", volume("uint8", 1, (6, 5, 4), 144), note="unknown unit: readable (a warning)", warning_mentions_any=["unit", "cubit"])
    # Labels, one pyramid as fine as the image, one that starts coarser
    for version in ("0.4", "0.5"):
        rel = f"ome/v{version.replace('.', '')}_labels"
        grids = [(SHAPE, (4, 4, 40)), (half, (8, 8, 80)), ((4, 3, 3), (16, 16, 160))]
        vol = lambda dt, k: volume(dt, 1, grids[k][0], 150 + k)
        fmt = image(rel, version, "zyx", [(str(k), vol("uint16", k), grids[k][1], None) for k in range(3)], name="raw")
        colors = {"version": version, "colors": [{"label-value": 1, "rgba": [255, 0, 0, 255]}, {"label-value": 2, "rgba": [0, 128, 255, 128]}], "source": {"image": "../../"}}
        image(rel + "/labels/cells", version, "zyx", [(str(k), vol("uint32", k), grids[k][1], None) for k in (0, 1)], **{"image-label": colors})
        image(rel + "/labels/coarse", version, "zyx", [(f"l{k}", vol("int16", k), grids[k][1], None) for k in (1, 2)], **{"image-label": {"version": version}})
        node(rel + "/labels", version, {"labels": ["cells", "coarse"]})
        for k in range(3):
            mag = str(2**k); chunk = (7, 11, 9)
            add(fmt, rel, vol("uint16", k), layer="raw", mag=mag, chunk=chunk, note=f"image beside labels, level {k}")
            if k < 2: add(fmt, rel, vol("uint32", k), layer="cells", mag=mag, chunk=chunk, note=f"labels/cells, level {k}")
            if k > 0: add(fmt, rel, vol("int16", k), layer="coarse", mag=mag, chunk=chunk, note=f"labels/coarse begins at the image's mag 2: mags are relative to the finest scale of the image")
        bad(fmt, rel, ["cells"], "an image and its labels are several layers: exit 2, the layers are named", exit=2)
        add(fmt, rel + "/labels/cells", vol("uint32", 0), mag="1", chunk=(7, 11, 9), note="PATH is a label group")
    # Before 0.4
    five = lambda k: times(2, "uint8", 2, ((12, 10, 8), (6, 5, 4))[k], 160 + k)
    for version, axes_json in (("0.1", False), ("0.3", True)):
        rel = f"ome/v{version.replace('.', '')}"
        fmt = image(rel, version, "tczyx", [("0", five(0), (1, 1, 1), None), ("1", five(1), (2, 2, 2), None)], axes_json=axes_json)
        for k in range(2): add(fmt, rel, five(k), mag=str(k + 1), note=f"OME {version}, " + ("axes are strings" if axes_json else "no axes: t, c, z, y, x") + "; no scale: mag 2 is from the shapes")
    # Series and plates
    v = lambda k: volume("uint8", 1, (7, 6, 5), 165 + k)
    put("ome/series/.zgroup", {"zarr_format": 2}); put("ome/series/.zattrs", {"bioformats2raw.layout": 3})
    put("ome/series/OME/.zgroup", {"zarr_format": 2}); put("ome/series/OME/.zattrs", {"series": ["0", "1"]})
    for k in range(2):
        image(f"ome/series/{k}", "0.4", "zyx", [("0", v(k), (4, 4, 4), None)]); add("zarr", f"ome/series/{k}", v(k), note="a series of bioformats2raw, by its own folder")
    bad("zarr", "ome/series", ["0", "1"], "bioformats2raw with two series: exit 2, they are named", exit=2)
    wells = [("A", "1"), ("B", "2")]
    node("ome/plate", "0.4", {"plate": {"version": "0.4", "name": "plate", "field_count": 1, "rows": [{"name": "A"}, {"name": "B"}], "columns": [{"name": "1"}, {"name": "2"}],
                                        "wells": [{"path": f"{r}/{c}", "rowIndex": "AB".index(r), "columnIndex": int(c) - 1} for r, c in wells]}})
    for k, (r, c) in enumerate(wells):
        put(f"ome/plate/{r}/.zgroup", {"zarr_format": 2}); node(f"ome/plate/{r}/{c}", "0.4", {"well": {"version": "0.4", "images": [{"path": "0"}]}})
        image(f"ome/plate/{r}/{c}/0", "0.4", "zyx", [("0", v(2 + k), (4, 4, 4), None)]); add("zarr", f"ome/plate/{r}/{c}/0", v(2 + k), note="a plate's field, by its own folder")
    bad("zarr", "ome/plate", ["A/1", "B/2", "well"], "a plate with two wells: exit 2, they are named", exit=2)


# ---------------------------------------------------------------- N5
def n5(rel, s, blocks, compression=None, check=True):
    """Written by tensorstore; `s` is in the order of `dimensions`."""
    shutil.rmtree(full(rel), ignore_errors=True)
    meta = {"dimensions": list(s.shape), "blockSize": list(blocks), "dataType": s.dtype.name, "compression": compression or {"type": "raw"}}
    ts_open("n5", rel, metadata=meta, create=True).write(s).result()
    same(ts_read("n5", rel), s, rel)


def n5_block(values, extents=None, mode=0, compress=bytes):
    """A block file; `values` are in the order of `dimensions`, the first one is the fastest."""
    extents = extents or values.shape
    head = struct.pack(">HH", mode, len(extents)) + struct.pack(f">{len(extents)}I", *extents) + (struct.pack(">I", values.size) if mode == 1 else b"")
    return head + compress(values.astype(values.dtype.newbyteorder(">")).tobytes(order="F"))


def n5_hand(rel, s, blocks, compression, block, check=True):
    """Blocks by hand; `block` makes a file of the cut values."""
    shutil.rmtree(full(rel), ignore_errors=True)
    put(rel + "/attributes.json", {"dimensions": list(s.shape), "blockSize": list(blocks), "dataType": s.dtype.name, **compression})
    for g in np.ndindex(*(-(-n // b) for n, b in zip(s.shape, blocks))):
        data = block(s[tuple(slice(i * b, i * b + b) for i, b in zip(g, blocks))])
        if data is not None: put(rel + "/" + "/".join(map(str, g)), data)
    if check: same(ts_read("n5", rel), s, rel)


def xxhash32(data, seed):
    P = [2654435761, 2246822519, 3266489917, 668265263, 374761393]; M = 2**32 - 1
    rot = lambda v, r: (v << r | v >> 32 - r) & M
    i, n = 0, len(data)
    if n >= 16:
        acc = [seed + P[0] + P[1] & M, seed + P[1] & M, seed, seed - P[0] & M]
        while i <= n - 16:
            for k, (w,) in enumerate(struct.iter_unpack("<I", data[i: i + 16])): acc[k] = rot(acc[k] + w * P[1] & M, 13) * P[0] & M
            i += 16
        h = sum(rot(v, r) for v, r in zip(acc, (1, 7, 12, 18))) & M
    else: h = seed + P[4] & M
    h = h + n & M
    while i <= n - 4: h = rot(h + struct.unpack_from("<I", data, i)[0] * P[2] & M, 17) * P[3] & M; i += 4
    while i < n: h = rot(h + data[i] * P[4] & M, 11) * P[0] & M; i += 1
    for shift, p in ((15, P[1]), (13, P[2]), (16, 1)): h = (h ^ h >> shift) * p & M
    return h


def lz4_java(data, size=1024):
    """The framing of net.jpountz.lz4.LZ4BlockOutputStream: blocks of `size` with a header each, an empty one last."""
    import lz4.block
    assert xxhash32(b"", 0) == 0x02CC5D05 and xxhash32(b"Nobody inspects the spammish repetition", 0) == 0xE2293B2F
    out, level = b"", max(0, (size - 1).bit_length() - 10)
    for i in range(0, len(data), size):
        part = data[i: i + size]; packed = lz4.block.compress(part, store_size=False)
        method, body = (0x20, packed) if len(packed) < len(part) else (0x10, part)
        out += b"LZ4Block" + struct.pack("<BIII", method | level, len(body), len(part), xxhash32(part, 0x9747B28C) & 0x0FFFFFFF) + body
    return out + b"LZ4Block" + struct.pack("<BIII", 0x10 | level, 0, 0, 0)


def n5_arrays():
    fresh("n5")
    xyz = lambda a: np.ascontiguousarray(a[0])
    for i, t in enumerate(["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]):
        a = volume(t, 1, SHAPE, 170 + i)
        n5("n5/types/" + t, xyz(a), (13, 11, 5), {"type": "gzip", "level": 6} if i % 2 else None); add("n5", "n5/types/" + t, a, chunk=(13, 11, 5), note=f"{t}; blocks at the edge are as tensorstore writes them")
    a = ramp("uint16", 1, SHAPE, 9); s = xyz(a)
    comps = {"raw": {"type": "raw"}, "gzip": {"type": "gzip", "level": 6}, "gzip_zlib": {"type": "gzip", "level": 6, "useZlib": True}, "bzip2": {"type": "bzip2", "blockSize": 9}, "xz": {"type": "xz", "preset": 6}, "zstd": {"type": "zstd", "level": 3},
             **{f"blosc_{c}": {"type": "blosc", "cname": c, "clevel": 5, "shuffle": k} for c, k in (("blosclz", 0), ("lz4", 1), ("lz4hc", 2), ("zlib", 1), ("zstd", 2))}}
    for name, comp in comps.items(): n5("n5/codecs/" + name, s, (13, 11, 5), comp); add("n5", "n5/codecs/" + name, a, chunk=(13, 11, 5), note=name)
    def hand(name, compression, block, note, a=a, blocks=(13, 11, 5), check=True, **more):
        n5_hand("n5/codecs/" + name, np.ascontiguousarray(a[0]), blocks, compression, block, check); add("n5", "n5/codecs/" + name, a, chunk=blocks, note=note + " (by hand)", **more)
    noise = volume("uint32", 1, SHAPE, 182); noise[:, :, :, :3] = 5
    gz = lambda b: gzip.compress(b, 6, mtime=0)
    hand("lz4", {"compression": {"type": "lz4", "blockSize": 1024}}, lambda v: n5_block(v, compress=lz4_java), "lz4 in the framing of Java: several blocks, some stored as they are", noise, check=False)
    hand("lz4_64k", {"compression": {"type": "lz4", "blockSize": 65536}}, lambda v: n5_block(v, compress=lambda b: lz4_java(b, 65536)), "lz4 in the framing of Java, one block", check=False)
    hand("zlib", {"compression": {"type": "zlib", "level": 6}}, lambda v: n5_block(v, compress=lambda b: zlib.compress(b, 6)), "zlib by its own name", check=False)
    hand("old_gzip", {"compressionType": "gzip"}, lambda v: n5_block(v, compress=gz), "compressionType as before 1.0", check=False)
    hand("old_raw", {"compressionType": "raw"}, lambda v: n5_block(v), "compressionType as before 1.0", check=False)
    hand("none", {}, lambda v: n5_block(v), "no compression: raw", check=False)
    hand("gzip_trailing", {"compression": {"type": "gzip", "level": -1}}, lambda v: n5_block(v, compress=lambda b: gz(b) + bytes(range(1, 30))), "bytes behind the gzip member", check=False)
    b = volume("int32", 1, SHAPE, 183)
    fill = lambda v: np.pad(v, [(0, n - k) for n, k in zip((5, 4, 6), v.shape)], constant_values=77)
    edges = dict(a=b, blocks=(5, 4, 6))
    hand("edge_cut", {"compression": {"type": "gzip"}}, lambda v: n5_block(v, compress=gz), "blocks at the edge are cut, their headers say so", **edges)
    hand("edge_padded", {"compression": {"type": "gzip"}}, lambda v: n5_block(fill(v), compress=gz), "blocks at the edge have the full extents, filled up with 77", **edges)
    hand("varlength", {"compression": {"type": "gzip"}}, lambda v: n5_block(v, mode=1, compress=gz), "mode 1: the number of elements follows the extents", check=False, **edges)
    # Short: the data end before the extents do; the rest is 0.
    c = volume("uint16", 1, (7, 6, 10), 184); c[0, :, :, 4] = 0                # the first block's last plane is 42 voxels
    hand("short", {"compression": {"type": "raw"}}, lambda v: n5_block(v)[: -84] if not v[:, :, 4].any() else n5_block(v), "the first block lacks 42 elements: they are 0", c, (7, 6, 5), False)
    d = volume("uint16", 1, (14, 6, 5), 185); d[0, 7:, 4:] = 0
    hand("small_header", {"compression": {"type": "raw"}}, lambda v: n5_block(v[:, :4] if v[0, 5, 0] == 0 else v), "a block whose header has smaller extents than its place in the grid: the rest is 0", d, (7, 6, 5), False)
    e = volume("uint8", 1, SHAPE, 186); e[0, 5:10, :4] = 0
    n5("n5/codecs/missing", np.ascontiguousarray(e[0]), (5, 4, 9)); assert not os.path.exists(full("n5/codecs/missing/1/0/0"))
    add("n5", "n5/codecs/missing", e, chunk=(5, 4, 9), note="a missing block is 0")
    # Axes
    f = volume("uint16", 3, SHAPE, 187); g = times(2, "uint8", 2, (7, 6, 5), 188)
    n5("n5/axes/xyzc", stored(f, "xyzc"), (13, 11, 9, 2)); add("n5", "n5/axes/xyzc", f, note="four dimensions without names: x, y, z, c")
    n5("n5/axes/xyzct", stored(g, "xyzct"), (7, 6, 5, 2, 1)); add("n5", "n5/axes/xyzct", g, note="five dimensions without names: x, y, z, c, t")
    n5("n5/axes/xy", stored(volume("uint16", 1, (13, 11, 1), 189), "xy"), (7, 11)); add("n5", "n5/axes/xy", volume("uint16", 1, (13, 11, 1), 189), note="two dimensions: x, y")
    n5("n5/axes/named_zyx", stored(b, "zyx"), (9, 11, 7)); edit("n5/axes/named_zyx/attributes.json", lambda j: j.update(axes=["z", "y", "x"])); same(ts_read("n5", "n5/axes/named_zyx"), stored(b, "zyx"), "named")
    add("n5", "n5/axes/named_zyx", b, note="axes z, y, x in the array's attributes, in the order of dimensions (as tensorstore and Neuroglancer use the key)")
    add("n5", "n5/axes/named_zyx/attributes.json", b, note="PATH is the metadata file")
    # Refused
    def broken(name, words, note, change=None, data=None, **more):
        rel = "n5/bad/" + name; n5(rel, np.ascontiguousarray(b[0]), (13, 11, 5))
        if change: edit(rel + "/attributes.json", change)
        if data: put(rel + "/0/0/1", data(get(rel + "/0/0/1")))
        bad("n5", rel, words, note, **more)
        if data: sound("n5", rel, b, (0, 0, 0), (13, 11, 5), "the other block")
    broken("codec", ["jpeg2000"], "unknown compression: refused by its name", lambda j: j.update(compression={"type": "jpeg2000"}))
    broken("type", ["complex128"], "unknown data type: refused by its name", lambda j: j.update(dataType="complex128"))
    broken("block_zero", ["block"], "block extent 0", lambda j: j.update(blockSize=[13, 11, 0]))
    broken("rank", ["rank", "dimension", "blockSize", "block"], "three dimensions, two block extents", lambda j: j.update(blockSize=[13, 11]))
    broken("header_short", ["header", "short", "truncated"], "a block of 9 bytes", data=lambda d: d[:9], box=[[0, 0, 5], [1, 1, 1]])
    broken("block_rank", ["dimension", "rank"], "a block with five dimensions", data=lambda d: d[:3] + b"\5" + d[4:], box=[[0, 0, 5], [1, 1, 1]])
    broken("block_huge", ["block", "extent", "header"], "a block whose header has extents of 2^31", data=lambda d: d[:4] + struct.pack(">3I", 2**31, 2**31, 2**31) + d[16:], box=[[0, 0, 5], [1, 1, 1]])
    broken("mode", ["mode"], "a block of mode 7", data=lambda d: b"\0\7" + d[2:], box=[[0, 0, 5], [1, 1, 1]])


def n5_multiscale():
    grids = [((13, 11, 9), "1"), ((7, 6, 9), "2-2-1"), ((4, 3, 5), "4-4-2")]
    factors = [[1, 1, 1], [2, 2, 1], [4, 4, 2]]
    vol = lambda k, seed: volume("uint8", 1, grids[k][0], seed + k)
    def arrays(rel, seed, n=3):
        for k in range(n): n5(f"{rel}/s{k}", np.ascontiguousarray(vol(k, seed)[0]), (13, 11, 9), {"type": "gzip"})
    def cases(rel, seed, note, n=3, layer=None, path=None):
        for k in range(n): add("n5", path or rel, vol(k, seed), layer=layer, mag=grids[k][1], note=f"{note}; s{k} is mag {grids[k][1]}")
    steps = lambda axes, order=None: [{"path": f"s{k}", "transform": {"axes": list(axes), "scale": [dict(zip("xyz", (8 * f[0], 8 * f[1], 40 * f[2])))[n] for n in axes], "units": ["nm"] * 3,
                                                                       "translate": [dict(zip("xyz", (4.0 * (f[0] - 1), 4.0 * (f[1] - 1), 20.0 * (f[2] - 1))))[n] for n in axes], **({"ordering": order} if order else {})}} for k, f in enumerate(factors)]
    for rel, axes, order in (("n5/cosem", "zyx", "C"), ("n5/cosem_f", "xyz", "F"), ("n5/cosem_xyz", "xyz", None)):
        arrays(rel, 190); put(rel + "/attributes.json", {"multiscales": [{"name": "em", "datasets": steps(axes, order)}]})
        for k, d in enumerate(steps(axes, order)): edit(f"{rel}/s{k}/attributes.json", lambda j: j.update(transform=d["transform"]))
        cases(rel, 190, f"COSEM, axes {axes}, ordering {order}; dimensions are x, y, z" + ("; ordering C is the reverse of dimensions" if order == "C" else ""))
    arrays("n5/viewer_scales", 194); put("n5/viewer_scales/attributes.json", {"n5": "2.5.1", "scales": factors, "pixelResolution": {"unit": "nm", "dimensions": [8, 8, 40]}}); cases("n5/viewer_scales", 194, "n5-viewer: scales and pixelResolution")
    arrays("n5/viewer_factors", 198); put("n5/viewer_factors/attributes.json", {"multiScale": True, "downsamplingFactors": factors, "resolution": [8, 8, 40], "units": ["nm", "nm", "nm"]}); cases("n5/viewer_factors", 198, "n5-viewer: downsamplingFactors, resolution, multiScale true")
    arrays("n5/per_array", 202)
    for k in (1, 2): edit(f"n5/per_array/s{k}/attributes.json", lambda j: j.update(downsamplingFactors=factors[k]))
    cases("n5/per_array", 202, "downsamplingFactors in each array; the group has no attributes.json")
    add("n5", "n5/per_array/s1", vol(1, 202), note="PATH is a level")
    put("n5/bdv/attributes.json", {"n5": "2.0.0"})
    for setup in range(2):
        put(f"n5/bdv/setup{setup}/attributes.json", {"downsamplingFactors": factors[:2], "dataType": "uint8"}); put(f"n5/bdv/setup{setup}/timepoint0/attributes.json", {"multiScale": True, "resolution": [8.0, 8.0, 40.0]})
        arrays(f"n5/bdv/setup{setup}/timepoint0", 206 + 4 * setup, 2)
        for k in range(2): edit(f"n5/bdv/setup{setup}/timepoint0/s{k}/attributes.json", lambda j: j.update(downsamplingFactors=factors[k]))
        cases("n5/bdv", 206 + 4 * setup, "BigDataViewer", 2, f"setup{setup}/timepoint0")
    cases("n5/bdv/setup1/timepoint0", 210, "BigDataViewer, PATH is a setup's time point", 2)
    bad("n5", "n5/bdv", ["setup0/timepoint0"], "two setups: exit 2, they are named", exit=2)


# ---------------------------------------------------------------- Neuroglancer precomputed
NG, TS_NG = "neuroglancerPrecomputed", "neuroglancer_precomputed"


def precomputed(rel, a, *, encoding="raw", ty="image", chunk=(7, 11, 9), origin=(0, 0, 0), resolution=(8, 8, 30), readers=("ts", "cv"), clear=True, **scale):
    """One scale, written by tensorstore; `a` is (c, x, y, z)."""
    if clear: shutil.rmtree(full(rel), ignore_errors=True)
    meta = {"size": list(a.shape[1:]), "encoding": encoding, "chunk_size": list(chunk), "resolution": list(resolution), "voxel_offset": list(origin), **scale}
    ts_open(TS_NG, rel, multiscale_metadata={"type": ty, "data_type": a.dtype.name, "num_channels": a.shape[0]}, scale_metadata=meta, create=True).write(a.transpose(1, 2, 3, 0)).result()
    precomputed_check(rel, a, origin, json.loads(get(rel + "/info"))["scales"][-1]["key"], readers)


def precomputed_check(rel, a, origin=(0, 0, 0), key="8_8_30", readers=("ts", "cv")):
    xyzc = a.transpose(1, 2, 3, 0)
    scale = [s["key"] for s in json.loads(get(rel + "/info"))["scales"]].index(key)
    if "ts" in readers: same(ts_open(TS_NG, rel, scale_index=scale).read().result(), xyzc, rel)
    if "cv" in readers:
        cv = CloudVolume("file://" + full(rel), mip=scale, progress=False, fill_missing=True)
        same(np.array(cv[tuple(slice(o, o + n) for o, n in zip(origin, a.shape[1:]))]), xyzc, rel)


def boxes_of(a, chunk, origin):
    """Names and voxels of the chunk files."""
    for g in np.ndindex(*(-(-n // c) for n, c in zip(a.shape[1:], chunk))):
        lo = [i * c for i, c in zip(g, chunk)]; hi = [min(l + c, n) for l, c, n in zip(lo, chunk, a.shape[1:])]
        yield "_".join(f"{o + l}-{o + h}" for o, l, h in zip(origin, lo, hi)), a[(slice(None),) + tuple(map(slice, lo, hi))]


def picture(a, tall, kind, **kw):
    """A chunk as an image: `tall` is x by y*z, else x*y by z."""
    flat = a.reshape(a.shape[0], -1, order="F").T                  # voxels, x fastest; channels
    width = a.shape[1] * (1 if tall else a.shape[2])
    pixels = flat.reshape(-1, width, a.shape[0])
    out = io.BytesIO(); Image.fromarray(pixels[..., 0] if a.shape[0] == 1 else pixels).save(out, kind, **kw)
    return out.getvalue()


def pixels_of(data, shape):
    return np.array(Image.open(io.BytesIO(data))).reshape(-1, shape[0]).T.reshape(shape, order="F")


def segments(dtype, channels, shape, seed):
    """Ids in boxes of 3 x 2 x 2 voxels; every id once in the low 32 bits, some differ only in the high ones."""
    c, x, y, z = np.indices((channels,) + tuple(shape))
    ids = (seed + 1 + x // 3 + 7 * (y // 2) + 61 * (z // 2) + 400 * c).astype("u8")
    if np.dtype(dtype).itemsize == 8: ids = np.where(ids % 3 == 0, ids + np.uint64(2**53), ids); ids[:, 0, 0, 0], ids[:, 1, 0, 0], ids[:, -1, -1, -1] = 2**53, 2**53 + 1, 2**64 - 1
    return ids.astype(dtype)


def cseg(a, block, width_of):
    """compressed_segmentation with a chosen number of bits for every block; tables may be shared."""
    heads, out = [], b""
    for channel in a:
        grid = [-(-n // b) for n, b in zip(channel.shape, block)]
        n = int(np.prod(grid)); head, body, tables = [], [], {}
        words = lambda: 2 * n + sum(len(b) for b in body) // 4
        for i in range(n):
            g = (i % grid[0], i // grid[0] % grid[1], i // grid[0] // grid[1])
            part = channel[tuple(slice(k * b, k * b + b) for k, b in zip(g, block))]
            part = np.pad(part, [(0, b - k) for b, k in zip(block, part.shape)], mode="edge").reshape(-1, order="F")
            table, codes = np.unique(part, return_inverse=True)
            bits = width_of(i); assert len(table) <= 2**bits
            at = words(); stream = 0
            for k, code in enumerate(codes.tolist()): stream |= code << (k * bits)
            body.append(stream.to_bytes(-(-bits * len(codes) // 32) * 4, "little"))
            key = table.tobytes()
            if key not in tables: tables[key] = words(); body.append(key)
            head.append(struct.pack("<II", tables[key] | bits << 24, at))
        heads.append(a.shape[0] + len(out) // 4); out += b"".join(head + body)
    return struct.pack(f"<{len(heads)}I", *heads) + out


def precomputed_arrays():
    fresh("precomputed")
    for i, t in enumerate(["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "float32"]):
        a, rel, o = volume(t, 1, SHAPE, 220 + i), "precomputed/types/" + t, ((10, 20, 30), (-5, -11, 3), (0, 0, 0), (100_000, 7, -70_000))[i % 4]
        precomputed(rel, a, origin=o, ty="segmentation" if t == "uint64" else "image"); add(NG, rel, a, origin=o, chunk=(7, 11, 9), note=f"raw {t}, voxel_offset {o}")
    for n in (2, 3, 4):
        a, rel = volume("uint16" if n == 2 else "uint8", n, SHAPE, 230 + n), f"precomputed/raw_{n}"
        precomputed(rel, a, chunk=(7, 6, 5), origin=(-3, 4, 1)); add(NG, rel, a, origin=(-3, 4, 1), chunk=(7, 6, 5), note=f"raw, {n} channels")
    # Scales
    grids = [((13, 11, 9), (-3, 5, 2), (7, 6, 9), (8, 8, 30), "1"), ((8, 6, 9), (-2, 2, 2), (5, 6, 4), (16, 16, 30), "2-2-1"), ((4, 3, 5), (-1, 1, 1), (4, 2, 5), (32, 32, 60), "4-4-2")]
    for rel, order in (("precomputed/scales", 1), ("precomputed/scales_reversed", -1)):
        for k, (shape, o, c, r, mag) in enumerate(grids):
            a = volume("uint8", 1, shape, 240 + k); precomputed(rel, a, chunk=c, origin=o, resolution=r, clear=k == 0)
            add(NG, rel, a, mag=mag, origin=o, chunk=c, note=f"scale {k}, chunks of {c}, voxel_offset {o}" + ("; the coarsest scale comes first in info" if order < 0 else ""))
        if order < 0: edit(rel + "/info", lambda j: j.update(scales=j["scales"][::-1]))
    add(NG, "precomputed/scales/info", volume("uint8", 1, SHAPE, 240), origin=(-3, 5, 2), chunk=(7, 6, 9), note="PATH is info")
    add(NG, "precomputed/scales/16_16_30", volume("uint8", 1, (8, 6, 9), 241), origin=(-2, 2, 2), chunk=(5, 6, 4), note="PATH is a scale")
    a = volume("uint8", 1, SHAPE, 244); o = (1, 2, 3)
    precomputed("precomputed/elsewhere", a, origin=o); os.rename(full("precomputed/elsewhere/8_8_30"), full("precomputed/elsewhere_data"))
    edit("precomputed/elsewhere/info", lambda j: j["scales"][0].update(key="../elsewhere_data")); precomputed_check("precomputed/elsewhere", a, o, "../elsewhere_data", ["ts"])
    add(NG, "precomputed/elsewhere", a, origin=o, chunk=(7, 11, 9), note="key is ../elsewhere_data; fractional resolution", ); edit("precomputed/elsewhere/info", lambda j: j["scales"][0].update(resolution=[8.5, 8.5, 30.25]))
    rel = "precomputed/chunk_sizes"; precomputed(rel, a, origin=o)
    for name, part in boxes_of(a, (13, 6, 9), o): put(f"{rel}/8_8_30/{name}", part.reshape(-1, order="F").tobytes() if part.shape[0] == 1 else None)
    edit(rel + "/info", lambda j: j["scales"][0].update(chunk_sizes=[[7, 11, 9], [13, 6, 9]])); add(NG, rel, a, origin=o, chunk=(7, 11, 9), note="two chunk_sizes: two copies")
    # Plain details
    rel = "precomputed/minimal"; precomputed(rel, a); edit(rel + "/info", lambda j: (j.pop("@type", None), j["scales"][0].pop("voxel_offset", None)) and None); precomputed_check(rel, a, readers=["cv"])
    add(NG, rel, a, chunk=(7, 11, 9), note="no @type, no voxel_offset")
    rel = "precomputed/missing"; b = a.copy(); b[:, 7:, 6:] = 0; precomputed(rel, b, chunk=(7, 6, 9)); f = full(rel + "/8_8_30/7-13_6-11_0-9")
    if os.path.exists(f): os.remove(f)
    precomputed_check(rel, b, readers=["cv"]); add(NG, rel, b, chunk=(7, 6, 9), note="a missing chunk is 0")
    zipped = lambda d: gzip.compress(d, 6, mtime=0)
    c = ramp("uint16", 2, SHAPE, 11)
    for name, suffix, note in (("gzip_same_name", "", "gzip under the chunk's own name"), ("gzip_suffix", ".gz", "gzip under the name with .gz"), ("gzip_some", None, "one chunk is gzip with .gz, the other is plain")):
        rel = "precomputed/" + name; precomputed(rel, c, origin=(-4, 3, 0))
        for k, f in enumerate(sorted(os.listdir(full(rel + "/8_8_30")))):
            if suffix is None and k: continue
            data = get(f"{rel}/8_8_30/{f}"); os.remove(full(f"{rel}/8_8_30/{f}")); put(f"{rel}/8_8_30/{f}{'.gz' if suffix is None else suffix}", zipped(data))
        if suffix: precomputed_check(rel, c, (-4, 3, 0), readers=["cv"])
        add(NG, rel, c, origin=(-4, 3, 0), chunk=(7, 11, 9), note=note + (" (by hand)"))
    # Images
    for dt in ("uint8", "uint16"):
        for n in (1, 2, 3, 4):
            a = volume(dt, n, SHAPE, 250 + n); rel = f"precomputed/png_{dt}_{n}"
            precomputed(rel, a, encoding="png", readers=["ts", "cv"] if n == 1 and dt == "uint8" else ["ts"]); add(NG, rel, a, chunk=(7, 11, 9), note=f"png, {dt}, {n} channels; the image is x by y*z")
    for n in (1, 3, 4):
        a = volume("uint8", n, SHAPE, 255 + n); rel = f"precomputed/png_wide_{n}"; precomputed(rel, a, encoding="png", readers=["ts"])
        for name, part in boxes_of(a, (7, 11, 9), (0, 0, 0)): put(f"{rel}/8_8_30/{name}", picture(part, False, "PNG"))
        precomputed_check(rel, a, readers=["ts"]); add(NG, rel, a, chunk=(7, 11, 9), note=f"png, {n} channels; the image is x*y by z (by PIL)")
    a = volume("uint16", 1, SHAPE, 259); rel = "precomputed/png_wide_16"; precomputed(rel, a, encoding="png", readers=["ts"])
    for name, part in boxes_of(a, (7, 11, 9), (0, 0, 0)): put(f"{rel}/8_8_30/{name}", picture(part, False, "PNG"))
    precomputed_check(rel, a, readers=["ts"]); add(NG, rel, a, chunk=(7, 11, 9), note="png of 16 bits; the image is x*y by z (by PIL)")
    for n in (1, 3):
        x, y, z = np.indices(SHAPE); a = np.stack([(20 + 9 * x + 5 * y * (k != 1) + 11 * z * (k != 2)).astype("u1") for k in range(n)])
        for tall in (True, False):
            rel = f"precomputed/jpeg_{'tall' if tall else 'wide'}_{n}"; precomputed(rel, a, encoding="jpeg", readers=[])
            back = np.zeros_like(a)
            for name, part in boxes_of(a, (7, 11, 9), (0, 0, 0)):
                data = get(f"{rel}/8_8_30/{name}") if tall else picture(part, False, "JPEG", quality=95, subsampling=0)
                put(f"{rel}/8_8_30/{name}", data); lo = int(name.split("-")[0]); back[:, lo: lo + part.shape[1]] = pixels_of(data, part.shape)
            for theirs in (ts_open(TS_NG, rel, scale_index=0).read().result(),): assert np.abs(theirs.transpose(3, 0, 1, 2).astype(int) - back).max() <= 2
            add(NG, rel, back, chunk=(7, 11, 9), note=f"jpeg, {n} channels; the image is {'x by y*z' if tall else 'x*y by z'}; values as PIL decodes them; decoders differ in how they enlarge the halved colours", tolerance=3 if n == 1 else 8)
    # Segmentation
    for dt in ("uint32", "uint64"):
        a, o = segments(dt, 1, SHAPE, 0), (5, -6, 2)
        for block in ((8, 8, 8), (4, 2, 3)):
            rel = f"precomputed/cseg_{dt}_{''.join(map(str, block))}"; precomputed(rel, a, encoding="compressed_segmentation", ty="segmentation", origin=o, compressed_segmentation_block_size=block)
            add(NG, rel, a, origin=o, chunk=(7, 11, 9), note=f"compressed_segmentation, {dt}, blocks of {block}")
        m = segments(dt, 3, SHAPE, 40); rel = f"precomputed/cseg_{dt}_channels"; precomputed(rel, m, encoding="compressed_segmentation", ty="segmentation", compressed_segmentation_block_size=(8, 8, 4)); add(NG, rel, m, chunk=(7, 11, 9), note=f"compressed_segmentation, {dt}, 3 channels")
        # Every number of bits, in blocks of 4 x 4 x 4
        widths = [0, 1, 2, 4, 8, 16, 32]; w = np.zeros((2,) + SHAPE, dt); big = 2**63 if dt == "uint64" else 2**31
        for ch, g in itertools.product(range(2), np.ndindex(4, 3, 3)):
            i = g[0] + 4 * (g[1] + 3 * g[2]); part = w[(ch,) + tuple(slice(4 * k, 4 * k + 4) for k in g)]
            x, y, z = np.indices(part.shape); part[...] = ((x + 4 * y + 16 * z) * 37 % 64 % min(2 ** widths[i % 7], 64)).astype(dt) * np.array(big // 64, dt) + np.array(i * (ch + 1), dt)
        rel = f"precomputed/cseg_{dt}_bits"; precomputed(rel, w, encoding="compressed_segmentation", ty="segmentation", chunk=SHAPE, compressed_segmentation_block_size=(4, 4, 4))
        data = cseg(w, (4, 4, 4), lambda i: widths[i % 7]); put(f"{rel}/8_8_30/0-13_0-11_0-9", data); precomputed_check(rel, w, readers=["ts"])
        # The package compressed_segmentation doesn't read blocks of 32 bits: checked with 16 in their place.
        same(compressed_segmentation.decompress(cseg(w, (4, 4, 4), lambda i: min(widths[i % 7], 16)), SHAPE + (2,), np.dtype(dt), (4, 4, 4), "F"), w.transpose(1, 2, 3, 0), rel)
        add(NG, rel, w, chunk=(4, 4, 4), note=f"compressed_segmentation, {dt}, 2 channels, blocks of 0, 1, 2, 4, 8, 16 and 32 bits (by hand)")
    for dt in ("uint8", "uint16", "uint32", "uint64"):
        a, rel, o = segments(dt, 1, SHAPE, 3), f"precomputed/compresso_{dt}", (2, 3, 4)
        info = CloudVolume.create_new_info(1, "segmentation", dt, "compresso", [8, 8, 30], list(o), list(SHAPE), chunk_size=[7, 11, 9])
        cv = CloudVolume("file://" + full(rel), info=info, compress=False, progress=False); cv.commit_info(); cv.commit_provenance()
        cv[tuple(slice(p, p + n) for p, n in zip(o, SHAPE))] = a[0]
        precomputed_check(rel, a, o, readers=["cv"]); os.remove(full(rel + "/provenance"))
        import compresso
        for name, part in boxes_of(a, (7, 11, 9), o): same(compresso.decompress(get(f"{rel}/8_8_30/{name}")).reshape(part.shape[1:]), part[0], rel)
        add(NG, rel, a, origin=o, chunk=(7, 11, 9), note=f"compresso, {dt}, written by cloud-volume")


def precomputed_shards():
    a, o = volume("uint16", 1, SHAPE, 270), (-3, 5, 2)
    spec = lambda hash_, p, m, s, index, data: {"@type": "neuroglancer_uint64_sharded_v1", "preshift_bits": p, "hash": hash_, "minishard_bits": m, "shard_bits": s, "minishard_index_encoding": index, "data_encoding": data}
    ID, MU = "identity", "murmurhash3_x86_128"
    def one(name, sharding, a=a, o=o, chunk=(4, 6, 3), readers=("ts", "cv"), **kw):
        rel = "precomputed/sharded/" + name; precomputed(rel, a, chunk=chunk, origin=o, sharding=sharding, readers=readers, **kw)
        add(NG, rel, a, origin=o, chunk=chunk, note=", ".join(f"{k} {v}" for k, v in sharding.items() if k != "@type") + f"; {sum(f.endswith('.shard') for f in os.listdir(full(rel + '/8_8_30')))} shards"); return rel
    one("identity", spec(ID, 0, 0, 0, "raw", "raw"))
    one("identity_mini", spec(ID, 0, 1, 1, "raw", "gzip"))
    one("identity_preshift", spec(ID, 2, 2, 1, "gzip", "raw"))
    one("murmur", spec(MU, 0, 0, 0, "gzip", "gzip"))
    one("murmur_mini2", spec(MU, 1, 2, 1, "gzip", "raw"))
    one("murmur_mini3", spec(MU, 0, 3, 5, "raw", "gzip"), chunk=(7, 6, 5))
    one("murmur_preshift", spec(MU, 3, 1, 2, "raw", "raw"))
    one("flat", spec(ID, 1, 1, 0, "raw", "raw"), volume("uint8", 3, (13, 2, 9), 271), (0, 0, 0), (2, 2, 9))    # the grid is 7 x 1 x 1
    one("defaults", {k: v for k, v in spec(ID, 0, 1, 1, "raw", "raw").items() if "encoding" not in k}, chunk=(7, 11, 9))
    one("cseg", spec(MU, 0, 1, 1, "gzip", "gzip"), segments("uint64", 1, SHAPE, 5), (0, 0, 0), (7, 6, 5), encoding="compressed_segmentation", ty="segmentation", compressed_segmentation_block_size=(4, 4, 4))
    b = a.copy(); b[:, 4:8] = 0; b[:, :4, :6, 3:] = 0
    one("missing", spec(ID, 0, 1, 1, "raw", "raw"), b)
    rel = one("index_data", spec(ID, 0, 2, 1, "raw", "raw"))
    for f in sorted(os.listdir(full(rel + "/8_8_30"))):
        d = get(f"{rel}/8_8_30/{f}"); os.remove(full(f"{rel}/8_8_30/{f}")); put(f"{rel}/8_8_30/{f[:-6]}.index", d[:64]); put(f"{rel}/8_8_30/{f[:-6]}.data", d[64:])
    CASES[-1]["note"] += ", split into .index and .data (by hand)"
    # Refused
    def broken(name, words, note, change, sharding=spec(ID, 0, 1, 0, "raw", "raw"), chunk=(7, 11, 9), **more):
        rel = "precomputed/bad/" + name; precomputed(rel, a, chunk=chunk, sharding=sharding) if sharding else precomputed(rel, a, chunk=chunk)
        change(rel); bad(NG, rel, words, note, **more); return rel
    # Chunks 0 and 1 lie in minishards 0 and 1: table of 2 entries, then each chunk and its index of 24 bytes.
    table = lambda rel: struct.unpack("<4Q", get(rel + "/8_8_30/0.shard")[:32])
    left = lambda rel: sound(NG, rel, a, (0, 0, 0), (7, 11, 9), "the other chunk")
    at1 = dict(box=[[7, 0, 0], [1, 1, 1]])
    left(broken("shard_table", ["index", "shard", "outside", "beyond", "end"], "minishard 1 lies outside of the file", lambda rel: patch(rel + "/8_8_30/0.shard", 16, struct.pack("<QQ", 10**9, 10**9 + 24)), **at1))
    left(broken("shard_order", ["index", "shard", "minishard"], "minishard 1 ends before it begins", lambda rel: patch(rel + "/8_8_30/0.shard", 16, struct.pack("<QQ", table(rel)[3], table(rel)[2])), **at1))
    left(broken("shard_chunk", ["outside", "beyond", "end", "index"], "the chunk in minishard 1 ends behind the file", lambda rel: patch(rel + "/8_8_30/0.shard", 32 + table(rel)[2] + 16, struct.pack("<Q", 2**50)), **at1))
    left(broken("minishard_size", ["minishard", "index"], "the index of minishard 1 is no multiple of 24 bytes", lambda rel: patch(rel + "/8_8_30/0.shard", 24, struct.pack("<Q", table(rel)[3] - 1)), **at1))
    broken("shard_short", ["index", "short", "truncated", "shard"], "a shard shorter than its table", lambda rel: os.truncate(full(rel + "/8_8_30/0.shard"), 20))
    left(broken("short", ["short", "truncated", "bytes"], "a raw chunk lacks its end", lambda rel: os.truncate(full(rel + "/8_8_30/7-13_0-11_0-9"), 1000), None, **at1))
    info = lambda f: lambda rel: edit(rel + "/info", f)
    broken("encoding", ["kempressed"], "unknown encoding: refused by its name", info(lambda j: j["scales"][0].update(encoding="kempressed")), None)
    broken("type", ["complex64"], "unknown data_type: refused by its name", info(lambda j: j.update(data_type="complex64")), None)
    broken("chunk_zero", ["chunk"], "chunk extent 0", info(lambda j: j["scales"][0].update(chunk_sizes=[[7, 11, 0]])), None)
    broken("hash", ["sha1"], "unknown hash: refused by its name", info(lambda j: j["scales"][0]["sharding"].update(hash="sha1")))
    broken("sharding", ["shard", "neuroglancer_uint64_sharded_v9"], "unknown kind of sharding", info(lambda j: j["scales"][0]["sharding"].update({"@type": "neuroglancer_uint64_sharded_v9"})))
    s = segments("uint32", 1, SHAPE, 9)
    for name, change, note in (("cseg_table", lambda d: d[:4] + struct.pack("<I", 0xFFFFF0 | 4 << 24) + d[8:], "the first block's table lies outside of the chunk"), ("cseg_bits", lambda d: d[:7] + b"\x05" + d[8:], "a block of 5 bits"), ("cseg_short", lambda d: d[:10], "a chunk of 10 bytes")):
        rel = "precomputed/bad/" + name; precomputed(rel, s, encoding="compressed_segmentation", ty="segmentation", compressed_segmentation_block_size=(8, 8, 8)); f = rel + "/8_8_30/0-7_0-11_0-9"; put(f, change(get(f)))
        bad(NG, rel, ["compressed_segmentation"], note, box=[[0, 0, 0], [1, 1, 1]]); sound(NG, rel, s, (7, 0, 0), (6, 11, 9), "the other chunk")
    p = volume("uint8", 1, SHAPE, 272); rel = "precomputed/bad/png_size"; precomputed(rel, p, encoding="png"); put(rel + "/8_8_30/7-13_0-11_0-9", picture(p[:, :5], True, "PNG"))
    bad(NG, rel, ["png", "PNG"], "an image of other extents than the chunk", **at1); sound(NG, rel, p, (0, 0, 0), (7, 11, 9), "the other chunk")


# ---------------------------------------------------------------- datasource-properties.json
def mag_json(mag, path, axes=None, **more):
    return {"mag": list(mag)} | ({"path": path} if path else {}) | ({"axisOrder": {n: i for i, n in enumerate(axes) if n != "t"}} if axes else {}) | more


def properties():
    p, layers, one = fresh("properties/mixed"), [], (1, 1, 1)
    def layer(name, fmt, a, mags, **more):
        layers.append(layer_json(name, "color", a[0] if a.ndim == 5 else a, more.pop("origin", (0, 0, 0)), mags, data_format=fmt, **more))
    def case(name, fmt, a, note, mag="1", **more): add(fmt, "properties/mixed", a, layer=name, mag=mag, chunk=(7, 6, 5), note=note, **more)
    a, c, base = volume("uint8", 1, SHAPE, 300), volume("uint16", 3, SHAPE, 301), "properties/mixed/"
    write_mag(os.path.join(p, "wkw", "1"), a, (0, 0, 0), 8, 2, LZ4); layer("wkw", "wkw", a, [mag_json(one, "./wkw/1")])
    zarr2(base + "zarr/1", stored(a, "zyx"), (9, 6, 7)); layer("zarr", "zarr", a, [mag_json(one, "./zarr/1", "zyx")]); case("zarr", "zarr", a, "axisOrder z, y, x")
    EQUAL.append({"layers": ["wkw", "zarr"], "mag": "1", "paths": ["properties/mixed"] * 2, "note": "layers of one dataset"})
    zarr2(base + "zarr_yxz/1", stored(a, "yxz"), (6, 7, 9), order="F"); layer("zarr_yxz", "zarr", a, [mag_json(one, "./zarr_yxz/1", "yxz")]); case("zarr_yxz", "zarr", a, "axisOrder y, x, z; order F")
    zarr2(base + "zarr_default/1", stored(a, "zyx"), (9, 6, 7)); layer("zarr_default", "zarr", a, [mag_json(one, "./zarr_default/1")]); case("zarr_default", "zarr", a, "no axisOrder: the server takes z, y, x")
    zarr3(base + "zarr3_default/1", stored(a, "xyz"), (7, 6, 9), [B1]); layer("zarr3_default", "zarr3", a, [mag_json(one, "./zarr3_default/1")]); case("zarr3_default", "zarr3", a, "no axisOrder, rank 3: the server takes x, y, z")
    zarr3(base + "zarr3_default4/1", stored(c, "cxyz"), (3, 7, 6, 9), [turn((3, 2, 1, 0)), LE]); layer("zarr3_default4", "zarr3", c, [mag_json(one, "./zarr3_default4/1")]); case("zarr3_default4", "zarr3", c, "no axisOrder, rank 4: the server takes c, x, y, z")
    n5(base + "n5/1", stored(a, "xyz"), (7, 6, 9)); layer("n5", "n5", a, [mag_json(one, "./n5/1", "xyz")]); case("n5", "n5", a, "axisOrder x, y, z")
    n5(base + "n5_default/1", stored(a, "zyx"), (9, 6, 7)); layer("n5_default", "n5", a, [mag_json(one, "./n5_default/1")]); case("n5_default", "n5", a, "no axisOrder: the server takes z, y, x of dimensions")
    b = volume("uint8", 1, (7, 6, 9), 302); o = (4, 6, 2)
    precomputed(base + "precomputed", a, origin=o); precomputed(base + "precomputed", b, origin=(2, 3, 2), resolution=(16, 16, 30), clear=False)
    layer("precomputed", NG, a, [mag_json(one, "./precomputed/8_8_30", "xyz"), mag_json((2, 2, 1), "./precomputed/16_16_30", "xyz")], origin=o)
    case("precomputed", NG, a, "axisOrder x, y, z; voxel_offset", origin=o); case("precomputed", NG, b, "the second mag", "2-2-1", origin=(2, 3, 2))
    zarr2(base + "stack/1", stored(c, "czyx"), (1, 9, 11, 13)); n5(base + "stack_n5/1", stored(c, "xyzc"), (13, 11, 9, 1)); zarr3(base + "stack3/1", stored(c, "zyxc"), (9, 11, 7, 3), [LE], names=list("zyxc"))
    for name, fmt, path, axes, k in (("channel_1", "zarr", "./stack/1", "czyx", 1), ("channel_2", "n5", "./stack_n5/1", "xyzc", 2), ("channel_0", "zarr3", "./stack3/1", "zyxc", 0)):
        layer(name, fmt, c[k: k + 1], [mag_json(one, path, axes, channelIndex=k)]); case(name, fmt, c[k: k + 1], f"channelIndex {k} of three channels, axisOrder {axes}")
    layer("stack", "zarr", c, [mag_json(one, "./stack/1", "czyx")]); case("stack", "zarr", c, "all three channels")
    t = times(3, "uint8", 2, (7, 6, 5), 303); ext = [{"name": "t", "bounds": [0, 3], "index": 0}]
    zarr2(base + "time/1", stored(t, "tczyx"), (1, 2, 5, 6, 7)); layer("time", "zarr", t, [mag_json(one, "./time/1", "tczyx")], additionalAxes=ext); case("time", "zarr", t, "additionalAxes t, index 0")
    zarr3(base + "round/1", stored(t, "xyztc"), (7, 6, 5, 3, 2), [B1, ZSTD]); layer("round", "zarr3", t, [mag_json(one, "./round/1", "xyztc")], additionalAxes=[{"name": "round", "bounds": [0, 3], "index": 3}]); case("round", "zarr3", t, "additionalAxes round, index 3", axis="round")
    flat = volume("uint16", 1, (13, 11, 1), 304); zarr2(base + "flat/1", stored(flat, "xy"), (7, 6)); layer("flat", "zarr", flat, [mag_json(one, "./flat/1", "xy")]); case("flat", "zarr", flat, "two dimensions x, y: z is 1")
    zarr2(base + "no_path/1-1-1", stored(a, "zyx"), (9, 11, 13)); layer("no_path", "zarr", a, [mag_json(one, None, "zyx")]); case("no_path", "zarr", a, "no path: the folder of the layer's name, 1-1-1")
    fine, coarse = volume("int16", 1, SHAPE, 305), volume("int16", 1, (7, 6, 9), 306)
    zarr3("properties/shared/fine", stored(fine, "xyz"), (13, 11, 9), [LE]); n5(base + "elsewhere/coarse", stored(coarse, "xyz"), (7, 6, 9))
    layer("shared", "zarr3", fine, [mag_json(one, "../shared/fine", "xyz")]); case("shared", "zarr3", fine, "path ../shared/fine, in another folder")
    layer("odd_names", "n5", coarse, [mag_json((2, 2, 1), "elsewhere/coarse", "xyz")]); case("odd_names", "n5", coarse, "only mag 2-2-1, in a folder whose name is no mag", "2-2-1")
    layer("gone", "zarr", a, [mag_json(one, "./gone/1", "zyx")]); bad("zarr", "properties/mixed", ["gone"], "a layer whose array isn't there", args=["--layer", "gone"])
    write_json(p, layers)
    bad("zarr", "properties/mixed", ["zarr_default"], "several layers: exit 2, they are named", exit=2)
    # As the library webknossos writes it
    shutil.rmtree(full("properties/library"), ignore_errors=True)
    ds = wk.Dataset(full("properties/library"), voxel_size=(11.24, 11.24, 28)); o = (3, 5, 2)
    for k, (fmt, dtype, n) in enumerate((("zarr", "uint8", 1), ("zarr3", "uint8", 1), ("zarr", "uint16", 2), ("zarr3", "uint16", 2))):
        name = f"{fmt}_{n}"; v = volume(dtype, n, SHAPE, 310 + k); half = np.ascontiguousarray(v[:, ::2, ::2])
        l = ds.add_layer(name, "color", dtype=dtype, num_channels=n, data_format=fmt)
        shards = 16 if fmt == "zarr3" else 8
        l.add_mag(1, chunk_shape=8, shard_shape=shards, compress=True).write(v, absolute_offset=o, allow_resize=True, allow_unaligned=True)
        add(fmt, "properties/library", v, layer=name, mag="1", origin=o, chunk=(5, 3, 6), note="written by the library webknossos: c, x, y, z; the array is larger than the bounding box")
        add(fmt, f"properties/library/{name}/1", v, origin=o, chunk=(5, 3, 6), note="PATH is the mag folder")
        if fmt == "zarr" and n == 1: assert json.loads(get("properties/library/zarr_1/.zgroup")) == {"zarr_format": "2"}


# ---------------------------------------------------------------- equal
def equal():
    """One volume in every format."""
    gray, two, one = volume("uint8", 1, SHAPE, 400), volume("uint16", 2, SHAPE, 401), (1, 1, 1)
    fresh("equal")
    def dataset(name, fmt, write, axes, path="{}/1"):
        p = fresh("equal/" + name)
        for layer, a in (("gray", gray), ("two", two)): write(f"equal/{name}/{layer}", a)
        write_json(p, [layer_json(layer, "color", a, (0, 0, 0), [mag_json(one, "./" + path.format(layer), axes and axes[k])], data_format=fmt) for k, (layer, a) in enumerate((("gray", gray), ("two", two)))])
        if fmt == "wkw": return
        for layer, a in (("gray", gray), ("two", two)):
            add(fmt, "equal/" + name, a, layer=layer, mag="1", note="one volume in every format"); add(fmt, f"equal/{name}/" + path.format(layer), a, note="its array alone")
    for name, kind in (("wkw_raw", RAW), ("wkw_lz4", LZ4)): dataset(name, "wkw", lambda rel, a: write_mag(full(rel + "/1"), a, (0, 0, 0), 8, 2, kind), None)
    dataset("zarr", "zarr", lambda rel, a: zarr2(rel + "/1", stored(a, "zyx" if len(a) == 1 else "cxyz"), (5, 6, 7) if len(a) == 1 else (2, 7, 6, 5), order="CF"[len(a) - 1], compressor=numcodecs.Blosc("zstd", shuffle=2)), ("zyx", "cxyz"))
    dataset("zarr3", "zarr3", lambda rel, a: zarr3(rel + "/1", stored(a, "zyx" if len(a) == 1 else "xyzc"), (10, 12, 14) if len(a) == 1 else (14, 12, 10, 2), [shard((5, 6, 7), [B1, ZSTD])] if len(a) == 1 else [shard((7, 6, 5, 1), [turn((3, 2, 1, 0)), LE, ZSTD])], names=list("zyx" if len(a) == 1 else "xyzc")), ("zyx", "xyzc"))
    dataset("n5", "n5", lambda rel, a: n5(rel + "/1", stored(a, "xyz" if len(a) == 1 else "xyzc"), (7, 11, 9) if len(a) == 1 else (13, 6, 9, 2), {"type": "gzip"}), ("xyz", "xyzc"))
    dataset("precomputed", NG, lambda rel, a: precomputed(rel, a, chunk=(7, 6, 5), resolution=(11.24, 11.24, 28), key="mag", sharding={"@type": "neuroglancer_uint64_sharded_v1", "preshift_bits": 1, "hash": "murmurhash3_x86_128", "minishard_bits": 1, "shard_bits": 0, "minishard_index_encoding": "gzip", "data_encoding": "gzip"}), ("xyz", "xyzc"), "{}/mag")
    names = ["wkw_raw", "wkw_lz4", "zarr", "zarr3", "n5", "precomputed"]
    for layer in ("gray", "two"): EQUAL.append({"layers": [layer] * len(names), "mag": "1", "paths": ["equal/" + n for n in names], "note": "one volume in every format"})


MAKERS = [zarr2_types, zarr2_layout, zarr2_codecs, zarr2_fill, zarr2_bad, zarr3_types, zarr3_codecs, zarr3_transpose, zarr3_sharding, zarr3_keys, zarr3_fill, zarr3_names, zarr3_extensions, ome, n5_arrays, n5_multiscale, precomputed_arrays, precomputed_shards, properties, equal]

if __name__ == "__main__":
    for make in MAKERS: make()
    save(FORMATS, CASES, equal=EQUAL)
