"""What the two scripts that regenerate this corpus share: voxels, probes and the manifest.

The manifest has the form of ../../../shared/corpus/data/manifest.json: each case names a dataset, layer and mag, and
lists boxes with the SHA-256 of their canonical bytes (little-endian; channel fastest, then x, y, z slowest; absent data
is the fill value, 0 where the format has none). Everything is deterministic.
"""
import hashlib, json, os, shutil
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ELEMENT = {"float32": "float", "float64": "double"}


def volume(dtype, channels, shape, seed=0):
    """Voxels (c, x, y, z) that depend on channel and position, with the extremes of the type in the first row."""
    dt = np.dtype(dtype)
    c, x, y, z = np.indices((channels,) + tuple(shape)).astype("i8")
    code = (1 + x + 31 * y + 977 * z + 131 * c + 7 * seed).astype("u8") * np.uint64(0x9E3779B97F4A7C15)
    if dt.kind == "b": return (code >> np.uint64(63)).astype(dt)
    code = (code >> np.uint64(64 - 8 * dt.itemsize)) if dt.kind in "ui" else code >> np.uint64(11)
    a = code.astype(dt) if dt.kind == "u" else code.astype("u%d" % dt.itemsize).view(dt).copy() if dt.kind == "i" else ((code.astype("f8") / 2.0**53 - 0.5) * 1e3).astype(dt)
    a[:, :, :, shape[2] // 2] = a[:, :1, :, shape[2] // 2]      # one plane that compresses
    if dt.kind in "ui":
        row = [np.iinfo(dt).min, np.iinfo(dt).max, 0, 1]
        if dt.itemsize == 8: row += [2**53, 2**53 + 1, 2**62 if dt.kind == "i" else 2**63]
    else:
        row = [np.nan, np.inf, -np.inf, -0.0, np.finfo(dt).max, np.finfo(dt).smallest_subnormal, 0.1]
    row = np.array(row, dtype=dt)[: shape[0]]
    a[:, : len(row), 0, 0] = row
    return a


def canonical(cxyz):
    return np.asfortranarray(cxyz.astype(cxyz.dtype.newbyteorder("<"))).tobytes(order="F")


def probe(cxyz, origin, offset, shape, fill=0, **more):
    """What reading `shape` voxels at `offset` must return of an array whose first voxel is `origin`."""
    out = np.full((cxyz.shape[0],) + tuple(shape), fill, cxyz.dtype)
    src, dst = [], []
    for o, n, t, s in zip(offset, shape, origin, cxyz.shape[1:]):
        lo, hi = max(o, t), min(o + n, t + s)
        hi = max(lo, hi)
        src.append(slice(lo - t, hi - t)); dst.append(slice(lo - o, hi - o))
    if all(s.stop > s.start for s in src):
        out[(slice(None),) + tuple(dst)] = cxyz[(slice(None),) + tuple(src)]
    mid = [o + n // 2 for o, n in zip(offset, shape)]
    values = out[(slice(None),) + tuple(n // 2 for n in shape)].tolist()
    return {"offset": [int(o) for o in offset], "shape": [int(n) for n in shape], "sha256": hashlib.sha256(canonical(out)).hexdigest(),
            "voxel": {"at": [int(m) for m in mid], "values": [str(v) for v in values]}, **more}


def fresh(rel):
    path = os.path.join(HERE, rel)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def layer_json(name, category, cxyz, topleft, mags, factor=(1, 1, 1), data_format="wkw", **extra):
    element = "uint24" if cxyz.shape[0] == 3 and cxyz.dtype == np.uint8 else ELEMENT.get(cxyz.dtype.name, cxyz.dtype.name)
    w, h, d = (int(n * f) for n, f in zip(cxyz.shape[1:], factor))
    return {"name": name, "category": category, "elementClass": element, "dataFormat": data_format, "numChannels": int(cxyz.shape[0]),
            "boundingBox": {"topLeft": [int(t) for t in topleft], "width": w, "height": h, "depth": d}, "mags": mags, **extra}


def write_json(path, layers, scale=(11.24, 11.24, 28.0), **extra):
    with open(os.path.join(path, "datasource-properties.json"), "w") as f:
        json.dump({"id": {"name": os.path.basename(path), "team": ""}, "scale": {"factor": list(scale), "unit": "nanometer"}, "dataLayers": layers, "version": 1, **extra}, f)


def save(formats, cases, **more):
    """Replaces the cases of these formats in the manifest, and leaves those of others. WKW comes first."""
    path = os.path.join(HERE, "manifest.json")
    old = json.load(open(path)) if os.path.exists(path) else {"cases": []}
    cases = cases + [c for c in old["cases"] if c["format"] not in formats]
    cases.sort(key=lambda c: c["format"] != "wkw")
    keys = {k: v for k, v in old.items() if k not in ("canonical", "cases")} | more
    with open(path, "w") as f:
        f.write('{"canonical": "little-endian; channel fastest, then x, y, z; offsets and shapes in voxels of the mag\'s own grid; absent data is 0 or the fill value",\n')
        for k, v in keys.items(): f.write(f" {json.dumps(k)}: {json.dumps(v)},\n")
        f.write(' "cases": [\n')
        f.write(",\n".join(json.dumps(c) for c in cases))
        f.write("\n]}\n")
