#!/usr/bin/env python3
"""Makes the small annotation archives in tests/corpus/annotations. Needs Python 3 only; the result is always the same.

The value of a voxel at x, y, z of a bucket is `first + z`, but for buckets that are all zeros.
"""
import io, os, struct, zipfile

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "annotations")


def archive(files, method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method, compresslevel=9) as z:
        for name, data in files:
            z.writestr(zipfile.ZipInfo(name), data, method, 9)
    return out.getvalue()


def voxels(first):
    return b"".join(bytes([first + z]) * 1024 for z in range(32)) if first else bytes(32768)


def lz4_literals(data):
    """One LZ4 block without matches."""
    rest = len(data) - 15
    return b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + data


HEADER = b"WKW\x01\x05\x02\x01\x01"


def wkw(first):
    block = lz4_literals(voxels(first))
    return HEADER + struct.pack("<QQ", 24, 24 + len(block)) + block


def blosc(data):
    return struct.pack("<BBBBIII", 2, 1, 0x22, 1, len(data), len(data), len(data) + 16) + data


def nml(volumes, things=""):
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<things>
  <meta name="writer" content="make_annotations.py" />
  <parameters>
    <experiment name="sample" organization="samples" description="" datasetId="670000000000000000000001" wkUrl="http://localhost:9000" />
    <scale x="11.24" y="11.24" z="28.0" unit="nanometer" />
    <editPosition x="40" y="8" z="3" />
    <zoomLevel zoom="2.0" />
    <userBoundingBox id="1" name="Box &amp; more" isVisible="true" topLeftX="1" topLeftY="2" topLeftZ="3" width="4" height="5" depth="6" />
  </parameters>
  {things}
  <branchpoints /><comments /><groups />
  {volumes}
</things>""".encode()


TREE = """<thing id="1" name="tree 1" color.r="1.0" color.g="0.5" color.b="0.0" color.a="1.0"><nodes>
    <node id="1" radius="1.0" x="33" y="3" z="4" /><node id="2" radius="1.0" x="40" y="8" z="9" /></nodes>
    <edges><edge source="1" target="2" /></edges></thing>"""
SEGMENTS = f"""<segments><segment id="7" name="soma" anchorPositionX="33" anchorPositionY="3" anchorPositionZ="4" />
    <segment id="{2**64 - 1}" /></segments>"""

wkw_data = archive(
    [("1/z0/y0/x1.wkw", wkw(7)), ("1/z0/y1/x1.wkw", wkw(0)), ("2-2-1/z0/y0/x0.wkw", wkw(9))]
    + [(f"{mag}/header.wkw", HEADER + bytes(8)) for mag in ("1", "2-2-1", "4-4-1")],
    zipfile.ZIP_DEFLATED,
)
wkw_annotation = archive(
    [
        ("sample.nml", nml(
            f'<volume id="0" name="Volume" location="data_0_Volume.zip" format="wkw" fallbackLayer="segmentation" largestSegmentId="{2**64 - 1}">{SEGMENTS}</volume>'
            '<volume id="1" name="Volume" location="data_1_Volume.zip" format="wkw" />', TREE)),
        ("data_0_Volume.zip", wkw_data),
        ("data_1_Volume.zip", archive([("1/header.wkw", HEADER + bytes(8))], zipfile.ZIP_DEFLATED)),
    ],
    zipfile.ZIP_DEFLATED,
)
# Generation B: the header says neither the names nor the compression of the files.
ZARR = b"""{"zarr_format":3,"node_type":"array","shape":[1,64,64,64],"data_type":"uint8",
"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1,32,32,32]}},
"chunk_key_encoding":{"name":"v2","configuration":{"separator":"."}},"fill_value":0,
"codecs":[{"name":"transpose","configuration":{"order":[3,2,1,0]}},{"name":"bytes","configuration":{"endian":"little"}}],
"dimension_names":["c","x","y","z"]}"""
PROPERTIES = b"""{"id":{"name":"","team":""},"dataLayers":[{"name":"volumeAnnotationData","category":"segmentation",
"boundingBox":{"topLeft":[0,0,0],"width":64,"height":64,"depth":64},"elementClass":"uint8","dataFormat":"zarr3","numChannels":1,
"mags":[{"mag":[1,1,1],"axisOrder":{"c":0,"x":1,"y":2,"z":3}}]}],"scale":{"factor":[1,1,1],"unit":"nanometer"}}"""
zarr_annotation = archive(
    [
        ("data_Volume.zip", archive(
            [("datasource-properties.json", PROPERTIES), ("volumeAnnotationData/1/zarr.json", ZARR),
             ("volumeAnnotationData/1/c.0.1.0.0", blosc(voxels(7)))], zipfile.ZIP_STORED)),
        ("sample.nml", nml('<volume id="0" name="Volume" location="data_Volume.zip" format="zarr3" />')),
    ],
    zipfile.ZIP_DEFLATED,
)
os.makedirs(OUT, exist_ok=True)
project = archive([("first.zip", wkw_annotation), ("second one.zip", zarr_annotation), ("third.nml", nml("", TREE))], zipfile.ZIP_STORED)
for name, data in [("wkw.zip", wkw_annotation), ("zarr3.zip", zarr_annotation), ("project.zip", project), ("bare.nml", nml("", TREE))]:
    with open(os.path.join(OUT, name), "wb") as f:
        f.write(data)
