use super::*;

fn found(a: &str, b: &str) -> Vec<String> {
    lines(&compare(&with_root(a), &with_root(b))).into_iter().map(str::to_owned).collect()
}

#[test]
fn spelling_has_no_meaning() {
    let same = [
        ("<meta name='a' content='b'/>", "<!-- c --><meta content=\"b\"\n name=\"a\"></meta>"),
        (
            "<thing id='1'><nodes><node id='1' x='1' y='2' z='3' radius='1'/></nodes></thing>",
            "<thing id='1' isVisible='true' type='DEFAULT' color.r=''><nodes><node radius='1.0' id='1' z='3.0' y='2' x='1e0'/></nodes><edges/></thing>",
        ),
        ("<thing id='1'/><thing id='2'/>", "<thing id='2'/><thing id='1'/>"),
        ("<volume name='v'/>", "<volume name='v' location='x' format='zarr3'><segments/><groups/></volume>"),
        ("<other><a/><b/></other>", "<other ><a/> <b></b></other>"),
        ("", "<branchpoints/><comments/><groups/>"),
        (
            "<volume name='v'><segments><segment id='1'/><segment id='2'/></segments></volume>",
            "<volume name='v'><segments><segment id='2'/><segment id='1' isVisible='true'/></segments></volume>",
        ),
    ];
    for (a, b) in same {
        assert_eq!(found(a, b), Vec::<String>::new(), "{a} {b}");
    }
}

#[test]
fn each_difference_has_its_line() {
    let nodes = "<nodes><node id='1' x='1' y='1' z='1'/><node id='2' x='1' y='1' z='1'/></nodes>";
    let cases = [
        ("<thing id='3' name='axon'/>".to_owned(), String::new(), "tree 3 \"axon\" removed"),
        ("<thing id='3' name='1'/>".to_owned(), "<thing id='3' name='1.0'/>".to_owned(), "tree 3 \"1\": name \"1\" → \"1.0\""),
        (
            format!("<thing id='3'>{nodes}</thing>"),
            format!("<thing id='3'>{}</thing>", nodes.replacen("x='1'", "x='2'", 1)),
            "tree 3: node 1: x \"1\" → \"2\"",
        ),
        (
            format!("<thing id='3'>{nodes}</thing>"),
            format!("<thing id='3'>{nodes}<edges><edge source='2' target='1'/></edges></thing>"),
            "tree 3: edge 1–2 added",
        ),
        (
            "<thing id='3'><metadata><metadataEntry key='a' numberValue='1'/></metadata></thing>".to_owned(),
            "<thing id='3'/>".to_owned(),
            "tree 3: <metadata><metadataEntry key=\"a\" numberValue=\"1\"> removed",
        ),
        (
            "<groups><group id='1' name='a'><group id='2' name='b'/></group></groups>".to_owned(),
            "<groups><group id='1' name='a'/><group id='2' name='b'/></groups>".to_owned(),
            "tree group 2 \"b\": inside \"1\" → \"\"",
        ),
        (
            "<volume name='v'><segments><segment id='7' name='a'/></segments></volume>".to_owned(),
            "<volume name='v'><segments><segment id='7' name='b'/></segments></volume>".to_owned(),
            "segment 7 \"a\": name \"a\" → \"b\"",
        ),
        (
            "<volume name='v'><segments><segment id='9007199254740992'/></segments></volume>".to_owned(),
            "<volume name='v'><segments><segment id='9007199254740992'/><segment id='9007199254740993'/></segments></volume>".to_owned(),
            "segment 9007199254740993 added",
        ),
        (
            "<volume name='v' fallbackLayer='a'/>".to_owned(),
            "<volume name='v'/>".to_owned(),
            "volume layer \"v\": fallbackLayer \"a\" → (none)",
        ),
        ("<volume name='v'/>".to_owned(), "<volume name='v'/><volume name='w'/>".to_owned(), "volume layer \"w\" added"),
        ("<new a='1'/>".to_owned(), "<new a='2'/>".to_owned(), "<new a=\"1\"> → <new a=\"2\">"),
        ("<meta name='a' content='1'/>".to_owned(), "<meta name='a' content='2'/>".to_owned(), "meta a: content \"1\" → \"2\""),
    ];
    for (a, b, line) in cases {
        assert_eq!(found(&a, &b), [line.to_owned()]);
    }
}

#[test]
fn parameters_and_boxes_are_compared() {
    let nml = |content: &str| parsed(&format!("<things><parameters>{content}</parameters></things>"));
    let bounding_box = "<userBoundingBox id='1' name='B' topLeftX='0' topLeftY='0' topLeftZ='0' width='1' height='1' depth='1'/>";
    let a = nml(&format!("<zoomLevel zoom='1'/>{bounding_box}"));
    let b = nml("<zoomLevel zoom='1.5'/><userBoundingBox id='2' topLeftX='0' topLeftY='0' topLeftZ='0' width='1' height='1' depth='1'/>");
    let found = compare(&a, &b);
    assert_eq!(lines(&found), ["box 1 \"B\" removed", "box 2 added", "<zoomLevel zoom=\"1\"> → <zoomLevel zoom=\"1.5\">"]);
    assert_eq!((found.len(), found.count(NmlPart::BoundingBox, Change::Removed), found.count(NmlPart::Tree, Change::Removed)), (3, 1, 0));
}
