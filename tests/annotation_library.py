#!/usr/bin/env python3
"""Annotations between Chunkscope and the Python package `webknossos`, in both directions.

    annotation_library.py CHUNKSCOPE [--venv DIR] [SAMPLE.zip …]

- Files of the library, and the samples that are named, are read by `chunkscope read` as the library reads them.
- Converted to each format they load with `Annotation.load`, with the same layers, segments, trees, boxes and voxels.
- The same is compared without the library: every bucket of every mag, decoded here, and the NML as a tree.
- Annotations and datasets made by `chunkscope annotation new`, `edit` and `merge` hold what was painted.

Where the package isn't installed it is installed from PyPI into the virtual environment DIR. If that isn't possible, the
test is left out, with a line that says so.
"""
import collections, io, json, os, re, struct, subprocess, sys, tempfile, venv, warnings, zipfile
import xml.etree.ElementTree as ET

REQUIREMENT = "webknossos>=4.3,<5"
FORMATS = ["wkw", "zarr3", "zarr3-spec"]


def arguments():
    rest = sys.argv[1:]
    folder = None
    if "--venv" in rest:
        at = rest.index("--venv")
        folder = rest[at + 1]
        del rest[at : at + 2]
    if not rest:
        sys.exit(__doc__)
    return os.path.abspath(rest[0]), folder, rest[1:]


def left_out(why):
    print(f"annotation library test left out: {why}")
    sys.exit(0)


def import_or_restart(folder):
    """Goes on in the virtual environment, which is made where it isn't there."""
    try:
        import webknossos  # noqa: F401
        return
    except ImportError as err:
        if folder is None or os.environ.get("ANNOTATION_LIBRARY_VENV") == folder:
            left_out(f"the package webknossos isn't available ({err})")
    python = os.path.join(folder, "bin", "python")
    try:
        if not os.path.exists(python):
            venv.create(folder, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", REQUIREMENT]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=900)
    except (OSError, subprocess.SubprocessError) as err:
        lines = (getattr(err, "stderr", None) or b"").decode(errors="replace").strip().splitlines()
        left_out(f"the package webknossos can't be installed ({lines[-1] if lines else err})")
    os.environ["ANNOTATION_LIBRARY_VENV"] = folder
    os.execv(python, [python, *sys.argv])


# The library speaks of readers that aren't installed, and of layers without data.
warnings.simplefilter("ignore")
BINARY, VENV, SAMPLES = arguments()
import_or_restart(VENV)

import numpy as np  # noqa: E402
import webknossos as wk  # noqa: E402
from webknossos.annotation.volume_layer import SegmentInformation  # noqa: E402

checks = 0


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"FAILED: {text}")


def chunkscope(*args, expected=0):
    done = subprocess.run([BINARY, *map(str, args)], capture_output=True)
    if done.returncode != expected:
        sys.exit(f"FAILED: chunkscope {' '.join(map(str, args))}: status {done.returncode}, expected {expected}\n{done.stderr.decode()}{done.stdout.decode()[:2000]}")
    return done.stdout


# --- archives, without the library -----------------------------------------------------------------------------------

def lz4_block(data, size):
    """LZ4 block format: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md"""
    out, at = bytearray(), 0
    while at < len(data):
        token = data[at]
        at += 1
        length = token >> 4
        if length == 15:
            while True:
                length += data[at]
                at += 1
                if data[at - 1] != 255:
                    break
        out += data[at : at + length]
        at += length
        if at >= len(data):
            break
        offset = data[at] | data[at + 1] << 8
        at += 2
        length = token & 15
        if length == 15:
            while True:
                length += data[at]
                at += 1
                if data[at - 1] != 255:
                    break
        length += 4
        start = len(out) - offset
        if offset >= length:
            out += out[start : start + length]
        else:
            piece = bytes(out[start:])
            out += (piece * (length // offset + 1))[:length]
    assert len(out) == size, (len(out), size)
    return bytes(out)


def blosc_frame(data):
    """Blosc 1 with LZ4: https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst"""
    version, _, flags, typesize, size, blocksize, length = struct.unpack("<BBBBIII", data[:16])
    assert version == 2 and length == len(data), (version, length, len(data))
    if flags & 2:
        return data[16 : 16 + size]
    assert flags >> 5 == 1, f"codec {flags >> 5}"
    out = b""
    blocks = -(-size // blocksize) if size else 0
    for i, start in enumerate(struct.unpack(f"<{blocks}I", data[16 : 16 + 4 * blocks])):
        wanted = min(blocksize, size - i * blocksize)
        is_split = not flags & 16 and wanted == blocksize and typesize <= 16 and blocksize // typesize >= 128
        streams = typesize if is_split else 1
        block, at = b"", start
        for _ in range(streams):
            (stored,) = struct.unpack("<i", data[at : at + 4])
            at += 4
            piece = wanted // streams
            block += data[at : at + stored] if stored == piece else lz4_block(data[at : at + stored], piece)
            at += stored
        if flags & 1 and typesize > 1:
            even = len(block) // typesize * typesize
            shuffled = np.frombuffer(block[:even], "u1").reshape(typesize, -1).T.tobytes()
            block = shuffled + block[even:]
        out += block
    assert len(out) == size
    return out


WKW_TYPES = {1: "u1", 2: "u2", 3: "u4", 4: "u8", 7: "i1", 8: "i2", 9: "i4", 10: "i8"}


def buckets_of(data):
    """All buckets of a data zip: {(mag, position): ids}, positions being further axes, x, y, z; and the mags that have a header."""
    found, mags = {}, {}
    if not data:
        return found, mags
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        check(archive.testzip() is None, "an entry of a data zip is damaged")
        for name in archive.namelist():
            if header := re.fullmatch(r"(?:.*/)?([\d-]+)/header\.wkw", name):
                mags[header[1]] = WKW_TYPES[archive.read(name)[6]]
            elif header := re.fullmatch(r"(?:.*/)?([\d-]+)/zarr\.json", name):
                mags[header[1]] = np.dtype(json.loads(archive.read(name))["data_type"]).str[1:]
        for name in archive.namelist():
            if bucket := re.fullmatch(r"(?:.*/)?([\d-]+)/z(\d+)/y(\d+)/x(\d+)\.wkw", name):
                raw = archive.read(name)
                check(raw[:6] == b"WKW\x01\x05\x02", f"{name}: header {raw[:6].hex()}")
                dtype = np.dtype("<" + WKW_TYPES[raw[6]])
                start, end = struct.unpack("<QQ", raw[8:24])
                check(start == 24 and end == len(raw), f"{name}: jump table {start} {end} {len(raw)}")
                voxels = lz4_block(raw[24:], 32768 * dtype.itemsize)
                position = tuple(int(bucket[i]) for i in (4, 3, 2))
            elif bucket := re.fullmatch(r"(?:.*/)?([\d-]+)/(?:c\.)?0((?:\.\d+)+)", name):
                raw = archive.read(name)
                dtype = np.dtype("<" + mags[bucket[1]])
                voxels = raw if len(raw) == 32768 * dtype.itemsize else blosc_frame(raw)
                position = tuple(int(part) for part in bucket[2][1:].split("."))
            else:
                continue
            found[bucket[1], position] = np.frombuffer(voxels, dtype)
    return found, mags


def number(text):
    try:
        return str(int(text))
    except ValueError:
        pass
    try:
        value = float(text)
        return str(int(value)) if value == int(value) else repr(value)
    except (ValueError, OverflowError):
        return text


TEXTS = {"name", "content", "key", "description", "organization", "datasetId", "wkUrl", "fallbackLayer", "stringValue"}


def tree_of(element):
    """An element in one form, whatever its spelling. How a volume is stored doesn't belong to it."""
    attributes = {k: v if k in TEXTS else number(v) for k, v in element.attrib.items() if not (element.tag == "volume" and k in ("location", "format"))}
    inner = [tree_of(child) for child in element]
    lists = {"metadata", "nodes", "edges", "segments", "groups", "branchpoints", "comments"}
    inner = [child for child in inner if child[1] or child[2] or child[3] or child[0] not in lists]
    return element.tag, sorted(attributes.items()), (element.text or "").strip(), inner


class Archive:
    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            nmls = [name for name in names if name.endswith(".nml")]
            check(len(nmls) == 1, f"{path}: {nmls}")
            self.root = ET.fromstring(archive.read(nmls[0]))
            self.volumes = []
            for volume in self.root.iter("volume"):
                location = volume.get("location")
                data = archive.read(location) if location in names else b""
                self.volumes.append((volume, *buckets_of(data)))


def same_archives(a, b, what):
    a, b = Archive(a), Archive(b)
    check(tree_of(a.root) == tree_of(b.root), f"{what}: the NML differs\n{tree_of(a.root)}\n{tree_of(b.root)}")
    check(len(a.volumes) == len(b.volumes), f"{what}: volumes")
    for (volume, was, was_mags), (_, now, now_mags) in zip(a.volumes, b.volumes):
        if was_mags:
            check(set(was_mags) == set(now_mags), f"{what}: mags {set(was_mags)} {set(now_mags)}")
        for key in was.keys() | now.keys():
            if key not in was or key not in now:
                there = was.get(key, now.get(key))
                hides_nothing = volume.get("fallbackLayer") is None and not there.any()
                check(hides_nothing, f"{what}: bucket {key} is in one of them only")
                continue
            # Ids as Python's numbers where classes differ: 64 bits don't fit a float.
            equal = np.array_equal(was[key], now[key]) if was[key].dtype == now[key].dtype else was[key].tolist() == now[key].tolist()
            check(equal, f"{what}: bucket {key} differs")
    return sum(len(buckets) for _, buckets, _ in a.volumes)


# --- through the library ---------------------------------------------------------------------------------------------

def skeleton_of(annotation):
    trees = {}
    for tree in annotation.skeleton.flattened_trees():
        nodes = {node.id: (tuple(node.position), node.radius, node.comment, node.is_branchpoint) for node in tree.nodes}
        edges = {frozenset((a.id, b.id)) for a, b in tree.edges}
        trees[tree.id] = (tree.name, tree.color, nodes, edges, tuple(sorted(map(str, tree.metadata.items()))))
    groups = {group.id: group.name for group in annotation.skeleton.flattened_groups()}
    return trees, groups


def facts_of(annotation):
    boxes = [(tuple(box.topleft), tuple(box.size), box.name, box.is_visible) for box in annotation.user_bounding_boxes]
    volumes = [(layer.id, layer.name, layer.fallback_layer_name, layer.largest_segment_id, dict(layer.segments)) for layer in annotation._volume_layers]
    return skeleton_of(annotation), boxes, annotation.task_bounding_box, volumes, annotation.metadata, annotation.dataset_name


def voxels_of(annotation, layer_id, boxes):
    """Boxes of each mag, {mag: [(offset, voxels)]}, as the library reads them."""
    found = {}
    with annotation.temporary_volume_layer_copy(volume_layer_id=layer_id) as layer:
        for mag, wanted in boxes.items():
            view = layer.get_mag(mag)
            for offset, shape in wanted:
                absolute = wk.BoundingBox(offset, shape).from_mag_to_mag1(wk.Mag(mag))
                data = view.read(absolute_bounding_box=absolute)
                found.setdefault(mag, []).append((offset, shape, data[0]))
    return found


def boxes_of(buckets):
    """Boxes that hold a few buckets of each mag."""
    by_mag = collections.defaultdict(list)
    for mag, position in sorted(buckets):
        if len(position) == 3:
            by_mag[mag].append(position)
    return {mag: [(tuple(32 * i for i in position), (32, 32, 32)) for position in (positions[:4] + positions[-4:])] for mag, positions in by_mag.items()}


def shown_names(volumes):
    """Names of the layers that volumes are shown as."""
    names = []
    for volume, *_ in volumes:
        name = volume.get("name") or "Volume"
        candidates = [name] + [f"{name} ({n})" for n in range(2, 100)]
        names.append(next(candidate for candidate in candidates if candidate not in names))
    return names


def check_sample(path, folder):
    what = os.path.basename(path)
    archive = Archive(path)
    annotation = wk.Annotation.load(path)
    facts = facts_of(annotation)
    chunkscope("annotation", "roundtrip", path)
    boxes = [boxes_of(buckets) for _, buckets, _ in archive.volumes]
    names = shown_names(archive.volumes)
    # What the library reads of the file itself; it can't always: server files of 2024 have wrong headers.
    for (volume, buckets, mags), wanted, name in zip(archive.volumes, boxes, names):
        for mag, places in wanted.items():
            for offset, shape in places:
                out = chunkscope("read", path, "--layer", name, "--mag", mag, "--offset", ",".join(map(str, offset)), "--shape", "32,32,32")
                expected = buckets[mag, tuple(i // 32 for i in offset)]
                check(out == expected.tobytes(), f"{what}: chunkscope reads other voxels at {offset} in mag {mag}")
    count = 0
    for target_format in FORMATS:
        converted = os.path.join(folder, f"{what}.{target_format}.zip")
        again = os.path.join(folder, f"{what}.{target_format}.again.zip")
        chunkscope("annotation", "convert", path, converted, "--format", target_format)
        chunkscope("annotation", "convert", converted, again, "--format", target_format)
        count += same_archives(path, converted, f"{what} as {target_format}")
        same_archives(converted, again, f"{what} as {target_format}, again")
        for file in (converted, again):
            loaded = wk.Annotation.load(file)
            check(facts_of(loaded) == facts, f"{what} as {target_format}: the library sees something else\n{facts_of(loaded)}\n{facts}")
        for layer, (_, buckets, _), wanted in zip(loaded._volume_layers, archive.volumes, boxes):
            if not wanted:
                continue
            for mag, places in voxels_of(loaded, layer.id, wanted).items():
                for offset, shape, voxels in places:
                    expected = buckets[mag, tuple(i // 32 for i in offset)].reshape(shape, order="F")
                    check(voxels.tolist() == expected.tolist(), f"{what} as {target_format}: other voxels at {offset} in mag {mag}")
    print(f"{what}: {count // len(FORMATS)} buckets, equal in {', '.join(FORMATS)}")


# --- samples of the library ------------------------------------------------------------------------------------------

def with_skeleton(annotation):
    group = annotation.skeleton.add_group("axons & <co>")
    tree = group.add_tree("tree \"1\" 😀", color=(0.2, 0.4, 0.6, 1.0), metadata={"quality": 0.5, "tags": ["a", "b"]})
    a = tree.add_node(position=(10, 20, 30), comment="a & b", is_branchpoint=True)
    b = tree.add_node(position=(60, 20, 31), radius=2.5)
    tree.add_edge(a, b)
    annotation.skeleton.add_tree("lonely").add_node(position=(1, 2, 3))
    annotation.user_bounding_boxes = [wk.BoundingBox((1, 2, 3), (40, 50, 60)).with_name("box & 1").with_is_visible(False)]
    annotation.task_bounding_box = wk.BoundingBox((0, 0, 0), (256, 256, 256))
    annotation.metadata = {"note": "x < y"}


def paint(layer, dtype, seed, mags=("1", "2")):
    rng = np.random.default_rng(seed)
    with layer.edit() as edited:
        for mag in mags:
            view = edited.get_mag(mag) if mag in [str(m) for m in edited.mags] else edited.add_mag(mag)
            top = min(int(np.iinfo(dtype).max), 2**64 - 1)
            data = rng.integers(0, 50, (64, 32, 96)).astype(dtype)
            data[0, 0, :8] = [top, top - 1, 1, 0, 2, 3, 4, 5]
            if np.dtype(dtype).itemsize == 8:
                data[1, 0, :2] = [2**53 + 1, 2**53]
            offset = wk.Vec3Int(32, 64, 0)
            edited.bounding_box = wk.BoundingBox((0, 0, 0), (256, 256, 256))
            view.write(data, absolute_offset=offset * wk.Mag(mag).to_vec3_int(), allow_unaligned=True)


def make_samples(folder):
    made = []

    def save(annotation, name):
        path = os.path.join(folder, name)
        annotation.save(path)
        made.append(path)

    annotation = wk.Annotation(name="plain", dataset_name="d & <1>", voxel_size=(11.24, 11.24, 28.0))
    with_skeleton(annotation)
    layer = annotation.add_volume_layer("Volume", dtype=np.uint32)
    paint(layer, np.uint32, 1)
    layer.segments[7] = SegmentInformation(name="soma & co", anchor_position=(1, 2, 3), color=(1.0, 0.5, 0.25, 1.0), metadata={"kind": "neuron", "n": 3})
    layer.largest_segment_id = 2**32 - 1
    save(annotation, "plain.zip")

    annotation = wk.Annotation(name="over", dataset_name="d", voxel_size=(4, 4, 40))
    layer = annotation.add_volume_layer("Volume", dtype=np.uint64, fallback_layer="segmentation")
    paint(layer, np.uint64, 2)
    layer.segments[2**53 + 1] = SegmentInformation(name="odd", anchor_position=None, color=None, metadata={})
    layer.segments[2**64 - 1] = SegmentInformation(name="last", anchor_position=None, color=None, metadata={})
    layer.largest_segment_id = 2**64 - 1
    save(annotation, "over.zip")

    annotation = wk.Annotation(name="several", dataset_name="d", voxel_size=(4, 4, 40))
    for i, (name, dtype) in enumerate([("a & b", np.uint8), ("b 😀", np.int16), ("empty", np.uint16)]):
        layer = annotation.add_volume_layer(name, dtype=dtype, fallback_layer=f"layer {i}")
        if name != "empty":
            paint(layer, dtype, i, mags=("1", "2-2-1"))
        layer.largest_segment_id = 255
    save(annotation, "several.zip")
    return made


# --- ours, read by the library ---------------------------------------------------------------------------------------

def check_painting(folder):
    """An annotation over a dataset of the library: new, painted, merged."""
    rng = np.random.default_rng(3)
    source = os.path.join(folder, "painted_dataset")
    dataset = wk.Dataset(source, voxel_size=(4, 4, 40))
    fine = np.kron(rng.integers(1, 9, (16, 16, 12)), np.ones((8, 8, 8), int)).astype("u4")
    layer = dataset.add_layer("segmentation", "segmentation", dtype="uint32", data_format="wkw", largest_segment_id=9)
    levels = {"1": fine, "2": fine[::2, ::2, ::2]}
    for mag, data in levels.items():
        layer.add_mag(mag).write(data, absolute_offset=(0, 0, 0), allow_resize=True, allow_unaligned=True)
    path = os.path.join(folder, "painted.zip")
    chunkscope("annotation", "new", source, "--layer", "segmentation", path)
    loaded = wk.Annotation.load(path)
    check([layer.fallback_layer_name for layer in loaded._volume_layers] == ["segmentation"], "the new annotation's layer")
    check(loaded.dataset_name == "painted_dataset", "the new annotation's dataset")
    chunkscope("annotation", "edit", path, path, "--box", "0,0,0,4,4,4=7", expected=2)
    box = ["--box", "10,20,30,40,50,8=4294967295", "--box", "64,64,64,32,32,32=0"]
    chunkscope("annotation", "edit", path, path, "--dataset", source, *box)
    expected = {mag: data.copy() for mag, data in levels.items()}
    expected["1"][10:50, 20:70, 30:38] = 2**32 - 1
    expected["1"][64:96, 64:96, 64:96] = 0
    expected["2"][5:25, 10:35, 15:19] = 2**32 - 1
    expected["2"][32:48, 32:48, 32:48] = 0
    archive = Archive(path)
    check(len(archive.volumes[0][1]) > 4, "too few buckets are stored")
    loaded = wk.Annotation.load(path)
    for mag, places in voxels_of(loaded, 0, boxes_of(archive.volumes[0][1])).items():
        for offset, shape, voxels in places:
            box = tuple(slice(o, o + s) for o, s in zip(offset, shape))
            there = np.zeros(shape, "u4")
            part = expected[mag][box]
            there[tuple(slice(0, n) for n in part.shape)] = part
            check(np.array_equal(voxels, there), f"painted voxels at {offset} in mag {mag}")
    merged = os.path.join(folder, "merged")
    chunkscope("annotation", "merge", path, "--dataset", source, merged)
    layer = wk.Dataset.open(merged).get_layer("segmentation")
    check(sorted(str(mag) for mag in layer.mags) == sorted(levels), "mags of the merged dataset")
    for mag, data in expected.items():
        voxels = layer.get_mag(mag).read(absolute_offset=(0, 0, 0), size=tuple(n * int(mag) for n in data.shape))
        check(np.array_equal(voxels[0], data), f"the merged dataset's mag {mag}")
    chunkscope("annotation", "merge", path, "--dataset", source, merged, expected=1)
    print("new, edit and merge: equal")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for path in make_samples(folder) + SAMPLES:
            check_sample(path, folder)
        check_painting(folder)
    print(f"annotation library test passed: {checks} checks")


main()
