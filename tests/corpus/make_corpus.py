#!/usr/bin/env python3
"""Regenerates the WKW datasets beside this file and their cases in manifest.json with the format's reference libraries.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install wkw==1.1.24 webknossos==4.3.3 && /tmp/venv/bin/python make_corpus.py

The manifest is described in corpus_common.py; the other formats are made by make_formats.py.
"""
import json, os, shutil, struct
import numpy as np
import wkw
import webknossos as wk
from corpus_common import HERE, fresh, layer_json, probe, save, volume, write_json

RAW, LZ4, LZ4HC = 1, 2, 3
CASES = []


def boxes(origin, shape, chunk):
    o, s = np.array(origin), np.array(shape)
    yield o, s                                                  # all of it
    for axis in range(3):                                       # a plane of each orientation
        p, n = o.copy(), s.copy()
        p[axis] += s[axis] // 2; n[axis] = 1
        yield p, n
    yield o, np.ones(3, int)                                    # first and last voxel
    yield o + s - 1, np.ones(3, int)
    yield (o // chunk + 1) * chunk - 1, np.array([2, 2, 2])     # across a corner of chunks
    yield o - 3, s + 6                                          # more than is there, also below 0
    yield o + s // 3, np.maximum(s // 2, 1)


def add(path, layer, mag, cxyz, origin, chunk, note=""):
    CASES.append({"path": path, "layer": layer, "mag": mag, "data_type": cxyz.dtype.name, "num_channels": int(cxyz.shape[0]), "format": "wkw",
                  "note": note, "probes": [probe(cxyz, origin, b, s) for b, s in boxes(origin, cxyz.shape[1:], chunk)]})


def bad(path, words, note, **more):
    CASES.append({"path": path, "format": "wkw", "note": note, "error_mentions_any": words, **more})


def write_mag(path, cxyz, origin, chunk, per_shard, block_type):
    """Through the reference library. It writes compressed shards only as a whole."""
    side = chunk * per_shard
    header = wkw.Header(cxyz.dtype.type, num_channels=cxyz.shape[0], block_len=chunk, file_len=per_shard, block_type=block_type)
    with wkw.Dataset.create(path, header) as mag:
        if block_type == RAW:
            mag.write(origin, np.asfortranarray(cxyz))
            return
        first = [o // side for o in origin]
        last = [-(-(o + n) // side) for o, n in zip(origin, cxyz.shape[1:])]
        for z in range(first[2], last[2]):
            for y in range(first[1], last[1]):
                for x in range(first[0], last[0]):
                    cube = np.zeros((cxyz.shape[0], side, side, side), cxyz.dtype, order="F")
                    at = [x * side, y * side, z * side]
                    lo = [max(a, o) for a, o in zip(at, origin)]
                    hi = [min(a + side, o + n) for a, o, n in zip(at, origin, cxyz.shape[1:])]
                    cube[(slice(None),) + tuple(slice(l - a, h - a) for l, h, a in zip(lo, hi, at))] = cxyz[(slice(None),) + tuple(slice(l - o, h - o) for l, h, o in zip(lo, hi, origin))]
                    if cube.any(): mag.write(at, cube)


def types():
    """All ten voxel types, RAW, LZ4 and LZ4HC in turn."""
    p, layers, origin = fresh("types"), [], (3, 5, 2)
    for i, dt in enumerate(["uint8", "uint16", "uint32", "uint64", "float32", "float64", "int8", "int16", "int32", "int64"]):
        a = volume(dt, 1, (13, 9, 7), i)
        write_mag(os.path.join(p, dt, "1"), a, origin, 4, 2, (RAW, LZ4, LZ4HC)[i % 3])
        add("types", dt, "1", a, origin, 4)
        layers.append(layer_json(dt, "color", a, origin, [{"mag": [1, 1, 1], "path": f"./{dt}/1"}]))
    write_json(p, layers)


def channels():
    p, layers = fresh("channels"), []
    for i, (dt, n) in enumerate([("uint8", 2), ("uint8", 3), ("uint8", 4), ("uint16", 2), ("float32", 3), ("int16", 5), ("float64", 2), ("int64", 3)]):
        name = f"{dt}_{n}"
        a = volume(dt, n, (7, 6, 5), 20 + i)
        write_mag(os.path.join(p, name, "1"), a, (0, 0, 0), 4, 2, (LZ4, RAW)[i % 2])
        add("channels", name, "1", a, (0, 0, 0), 4)
        layers.append(layer_json(name, "color", a, (0, 0, 0), [{"mag": [1, 1, 1], "path": f"./{name}/1"}]))
    write_json(p, layers)


def shapes():
    """Chunk and shard shapes from 1 to 64; legacy spelling of the JSON."""
    p, layers = fresh("shapes"), []
    for i, (chunk, per_shard, block_type, origin) in enumerate([(1, 1, RAW, (0, 0, 0)), (1, 4, LZ4, (1, 0, 2)), (2, 4, RAW, (5, 3, 1)), (4, 1, LZ4HC, (2, 2, 2)), (8, 4, LZ4, (30, 31, 29)), (16, 1, RAW, (15, 0, 0)), (32, 1, LZ4, (31, 31, 31)), (64, 1, LZ4HC, (0, 60, 0)), (16, 8, LZ4, (120, 125, 1))]):
        name = f"c{chunk}_s{per_shard}"
        a = volume("uint8", 1, (3, 4, 2) if chunk == 1 else (9, 11, 8), 40 + i)
        write_mag(os.path.join(p, name, "1"), a, origin, chunk, per_shard, block_type)
        add("shapes", name, "1", a, origin, chunk)
        layer = layer_json(name, "color", a, origin, None)
        layer.pop("mags"); layer.pop("numChannels")
        layer["wkwResolutions"] = [{"resolution": 1, "cubeLength": chunk * per_shard}]
        layers.append(layer)
    with open(os.path.join(p, "datasource-properties.json"), "w") as f:
        json.dump({"id": {"name": "shapes", "team": "lab"}, "scale": [11.24, 11.24, 28], "dataLayers": layers}, f)


def mags():
    """Anisotropic and coarse-only mags, 3-3-1, a far offset."""
    p, layers = fresh("mags"), []
    def layer(name, dt, category, grids, topleft, top):
        entries = []
        for i, (m, shape) in enumerate(grids):
            literal = str(m[0]) if len(set(m)) == 1 else "-".join(map(str, m))
            a = volume(dt, 1, shape, 60 + i)
            origin = [t // f for t, f in zip(topleft, m)]
            write_mag(os.path.join(p, name, literal), a, origin, 8, 2, LZ4)
            add("mags", name, literal, a, origin, 8)
            entries.append({"mag": list(m), "path": f"./{name}/{literal}"})
        first, shape = grids[0]
        layers.append(layer_json(name, category, np.zeros((1,) + shape, dt), topleft, entries, first, **top))
    layer("aniso", "uint16", "color", [((1, 1, 1), (20, 12, 9)), ((2, 2, 1), (10, 6, 9)), ((4, 4, 2), (5, 3, 5))], (8, 16, 4), {})
    layer("coarse_only", "uint32", "segmentation", [((4, 4, 4), (6, 5, 7)), ((8, 8, 8), (3, 3, 4))], (0, 0, 0), {"largestSegmentId": None})
    layer("three", "uint8", "color", [((1, 1, 1), (9, 9, 3)), ((3, 3, 1), (3, 3, 3))], (3, 6, 0), {})
    layer("far", "uint64", "segmentation", [((1, 1, 1), (6, 6, 6))], (100_000, 1_000_000, 65_536), {"largestSegmentId": 2**64 - 1})
    write_json(p, layers)


def mixed():
    """One mag with RAW and LZ4HC shards; one that lost its header.wkw; one with absent shards."""
    p, layers = fresh("mixed"), []
    a = volume("uint16", 1, (40, 9, 8), 80)
    write_mag(os.path.join(p, "both", "1"), a, (0, 0, 0), 8, 2, RAW)
    tmp = os.path.join(p, "tmp")
    write_mag(tmp, a, (0, 0, 0), 8, 2, LZ4HC)
    shutil.copy(os.path.join(tmp, "z0", "y0", "x1.wkw"), os.path.join(p, "both", "1", "z0", "y0", "x1.wkw"))
    shutil.rmtree(tmp)
    add("mixed", "both", "1", a, (0, 0, 0), 8, "shard 1, 0, 0 is compressed, its neighbours are not")
    layers.append(layer_json("both", "color", a, (0, 0, 0), [{"mag": [1, 1, 1], "path": "./both/1"}]))
    b = volume("int32", 1, (9, 9, 9), 81)
    write_mag(os.path.join(p, "headless", "1"), b, (0, 0, 0), 4, 4, LZ4)
    os.remove(os.path.join(p, "headless", "1", "header.wkw"))
    add("mixed", "headless", "1", b, (0, 0, 0), 4, "header.wkw is not there: recovered from the shard, with a warning")
    layers.append(layer_json("headless", "color", b, (0, 0, 0), [{"mag": [1, 1, 1], "path": "./headless/1"}]))
    c = np.zeros((1, 64, 64, 64), "u1"); c[0, :16, :16, :16] = 7; c[0, 48:, 16:32, 32:48] = 9; c[0, 63, 63, 63] = 1
    write_mag(os.path.join(p, "sparse", "1"), c, (0, 0, 0), 8, 2, LZ4)
    add("mixed", "sparse", "1", c, (0, 0, 0), 8, "3 of 64 shards on disk; the others read as 0")
    layers.append(layer_json("sparse", "color", c, (0, 0, 0), [{"mag": [1, 1, 1], "path": "./sparse/1"}]))
    write_json(p, layers)


def library():
    """As the Python library webknossos writes it: JSON, folders and compression are its own."""
    p = fresh("library"); shutil.rmtree(p)
    ds = wk.Dataset(p, voxel_size=(11.24, 11.24, 28))
    a = volume("uint8", 1, (40, 30, 20), 90)
    seg = (volume("uint32", 1, (40, 30, 20), 91) % 50).astype("u4")
    for name, category, data, more in (("color", "color", a, {}), ("segmentation", "segmentation", seg, {"largest_segment_id": 49})):
        layer = ds.add_layer(name, category, dtype=data.dtype, num_channels=1, data_format="wkw", **more)
        mag = layer.add_mag(1, chunk_shape=16, shard_shape=32, compress=True)
        mag.write(data, absolute_offset=(10, 20, 30), allow_resize=True, allow_unaligned=True)
        add("library", name, "1", data, (10, 20, 30), 16)
        half = np.ascontiguousarray(data[:, ::2, ::2])
        coarse = layer.add_mag("2-2-1", chunk_shape=16, shard_shape=32, compress=True)     # downsample() would make shards of 1024
        coarse.write(half, absolute_offset=(10, 20, 30), allow_unaligned=True)
        add("library", name, "2-2-1", half, (5, 10, 30), 16)


def paths():
    """PATH in every kind, names that are no plain words."""
    p = fresh("ways")
    a = volume("uint8", 1, (9, 8, 7), 95)
    write_mag(os.path.join(p, "color", "1"), a, (0, 0, 0), 8, 2, LZ4)
    write_json(p, [layer_json("color", "color", a, (0, 0, 0), [{"mag": [1, 1, 1], "path": "./color/1"}])])
    for tail in ("", "/color", "/color/1", "/color/1/header.wkw", "/color/1/z0/y0/x0.wkw", "/datasource-properties.json"):
        add("ways" + tail, None, None, a, (0, 0, 0), 8, "PATH alone")
    add("ways", "color", "1-1-1", a, (0, 0, 0), 8, "--mag 1-1-1 is 1")
    for args, words in ((["--layer", "nope"], ["color"]), (["--mag", "7"], ["mag"]), (["--axis", "q=1"], ["axis"])):
        bad("ways", words, "wrong usage", args=args, exit=2)


def damaged():
    """Files that must be refused, or read around."""
    a = volume("uint8", 1, (16, 16, 16), 97)
    def base(name, block_type=LZ4):
        p = fresh(f"bad/{name}")
        write_mag(os.path.join(p, "color", "1"), a, (0, 0, 0), 8, 2, block_type)
        write_json(p, [layer_json("color", "color", a, (0, 0, 0), [{"mag": [1, 1, 1], "path": "./color/1"}])])
        return f"bad/{name}", os.path.join(p, "color/1/header.wkw"), os.path.join(p, "color/1/z0/y0/x0.wkw")
    def patch(path, at, data):
        with open(path, "r+b") as f: f.seek(at); f.write(data)
    def sound(d, offset, shape, note):
        CASES.append({"path": d, "layer": "color", "mag": "1", "data_type": "uint8", "num_channels": 1, "format": "wkw", "note": note, "probes": [probe(a, (0, 0, 0), offset, shape)]})
    d, h, s = base("magic"); patch(h, 0, b"XKW"); bad(d, ["magic"], "header magic is not WKW")
    d, h, s = base("voxel_type"); patch(h, 6, b"\x63"); bad(d, ["voxel type"], "voxel type 99")
    d, h, s = base("nibbles"); patch(h, 4, b"\xff"); bad(d, ["chunk shape", "chunks per shard"], "header.wkw says 32768³ chunks of 32768³ voxels")
    d, h, s = base("cut"); os.truncate(s, os.path.getsize(s) - 600); bad(d, ["truncated"], "the last chunks are cut off")
    sound(d, (0, 0, 0), (8, 8, 8), "the chunk before the cut")
    d, h, s = base("backwards"); patch(s, 16 + 8 * 3, struct.pack("<Q", 5)); bad(d, ["jump table"], "entry 3 is before its predecessor")
    sound(d, (0, 0, 0), (16, 8, 8), "chunks 0 and 1, whose entries are sound")
    d, h, s = base("interrupted"); patch(s, 16 + 8 * 5, bytes(24)); bad(d, ["jump table"], "the last entries are 0")
    sound(d, (0, 0, 0), (16, 16, 8), "chunks 0 to 3, written before")
    d, h, s = base("raw_cut", RAW); os.truncate(s, 16 + 3 * 512 + 100); bad(d, ["truncated"], "a RAW shard that ends in its fourth chunk")
    sound(d, (0, 0, 0), (16, 8, 8), "the first two chunks")
    d, h, s = base("not_json"); open(os.path.join(HERE, d, "datasource-properties.json"), "w").write("{ not json"); bad(d, ["line 1 column 3"], "the JSON doesn't parse")
    d, h, s = base("layer_missing"); os.rename(os.path.join(HERE, d, "color"), os.path.join(HERE, d, "colour")); bad(d, ["color"], "the layer's folder is not there")


if __name__ == "__main__":
    for make in (types, channels, shapes, mags, mixed, library, paths, damaged): make()
    save(["wkw"], CASES)
