"""Makes the bundled fonts again; run it in this folder, and never edit its results by hand.

    pip install fonttools
    apt-get install fonts-inter fonts-jetbrains-mono
    npm pack @phosphor-icons/web@2.1.2 && tar xzf phosphor-icons-web-2.1.2.tgz   # makes package/
    python3 make_fonts.py --phosphor package/src/regular

- Inter: tabular digits and signs become the default ones, because egui has no switch for OpenType
  features; then a subset for Latin and Greek text, signs and arrows.
- JetBrains Mono: the same subset without `calt`, which would turn `--` and `!=` into ligatures.
- Phosphor: only the icons named below. `--list` prints names and code points, as `icons.rs` has them.
"""

import argparse
import re
import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

TABULAR = "0123456789+-=<>"

TEXT = [
    *range(0x0020, 0x0250),  # Latin with all accents
    *range(0x0370, 0x0400),  # Greek
    *range(0x2000, 0x20A0),  # punctuation, thin spaces, superscripts
    *range(0x2190, 0x2200),  # arrows
    *range(0x2200, 0x2300),  # mathematical signs
    0x25B2, 0x25BC, 0x25CB, 0x25CF,  # sort marks and dots
]

ICONS = """
eye eye-slash folder-open file cube copy export download-simple magnifying-glass funnel-simple
caret-down caret-right caret-up crosshair crosshair-simple ruler bounding-box grid-nine squares-four
graph target push-pin arrows-out arrows-in pause play arrow-clockwise arrows-clockwise
arrows-out-cardinal paint-brush eraser lasso paint-bucket eyedropper arrow-u-up-left arrow-u-up-right
plus minus check check-circle x x-circle warning info clipboard-text hard-drives
""".split()


def cut(font, unicodes, features, target):
    options = subset.Options()
    options.layout_features = features
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.drop_tables += ["DSIG"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=unicodes)
    subsetter.subset(font)
    font.save(target)
    print(f"{target}: {Path(target).stat().st_size} bytes", file=sys.stderr)


def make_digits_tabular(font):
    tabular_from_default = {}
    gsub = font["GSUB"].table
    for record in gsub.FeatureList.FeatureRecord:
        if record.FeatureTag != "tnum":
            continue
        for index in record.Feature.LookupListIndex:
            for table in gsub.LookupList.Lookup[index].SubTable:
                table = getattr(table, "ExtSubTable", table)
                tabular_from_default.update(getattr(table, "mapping", {}))
    for table in font["cmap"].tables:
        if table.isUnicode():
            for char in TABULAR:
                glyph = table.cmap.get(ord(char))
                if glyph in tabular_from_default:
                    table.cmap[ord(char)] = tabular_from_default[glyph]


def icon_code_points(css):
    found = dict(re.findall(r"\.ph\.ph-([a-z0-9-]+):before\s*\{\s*content:\s*\"\\([0-9a-f]+)\"", css))
    missing = [name for name in ICONS if name not in found]
    if missing:
        sys.exit(f"not in Phosphor's style.css: {' '.join(missing)}")
    return {name: int(found[name], 16) for name in ICONS}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inter", type=Path, default=Path("/usr/share/fonts/opentype/inter"))
    parser.add_argument("--mono", type=Path, default=Path("/usr/share/fonts/truetype/jetbrains-mono"))
    parser.add_argument("--phosphor", type=Path, help="folder with Phosphor.ttf and style.css")
    parser.add_argument("--only", choices=["inter", "mono", "phosphor"])
    parser.add_argument("--list", action="store_true", help="print icon names and code points, make nothing")
    args = parser.parse_args()

    if args.list:
        for name, code in icon_code_points((args.phosphor / "style.css").read_text()).items():
            print(f"{name} {code:04x}")
        return
    if args.only in (None, "inter"):
        for weight in ("Regular", "Medium", "SemiBold"):
            font = TTFont(args.inter / f"Inter-{weight}.otf")
            make_digits_tabular(font)
            cut(font, TEXT, ["kern", "mark", "ccmp"], f"Inter-{weight}.otf")
    if args.only in (None, "mono"):
        font = TTFont(args.mono / "JetBrainsMono-Regular.ttf")
        cut(font, TEXT, ["mark", "ccmp"], "JetBrainsMono-Regular.ttf")
    if args.only in (None, "phosphor"):
        codes = icon_code_points((args.phosphor / "style.css").read_text())
        cut(TTFont(args.phosphor / "Phosphor.ttf"), list(codes.values()), [], "Phosphor-subset.ttf")


if __name__ == "__main__":
    main()
