use super::*;
use std::fmt::Write as _;
use std::io::{BufReader, Read};

#[test]
fn other_files_are_refused_with_what_they_are() {
    let cases: [(&[u8], &str); 8] = [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"<!DOCTYPE html>\n<html><head></head></html>", "HTML"),
        (b"<html lang='en'><p>Sign in<br></html>", "HTML"),
        (b"PK\x03\x04\x14\0\0\0\x08\0", "the text \"PK"),
        (b"{\"id\": 1}", "the text \"{"),
        (b"<?xml version='1.0'?><svg><things/></svg>", "<svg>"),
    ];
    for (bytes, part) in cases {
        let message = read(bytes).expect_err("no NML").to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn files_cut_anywhere_keep_what_was_there_and_say_where() {
    for len in 0..EXAMPLE.len() - "</things>\n".len() {
        let Ok(nml) = read(&EXAMPLE.as_bytes()[..len]) else {
            assert!(len < "<things>".len(), "cut at {len}");
            continue;
        };
        let found = problems(&nml);
        assert!(found.iter().any(|text| text.contains("at byte")), "cut at {len}: {found:?}");
        written(&nml);
    }
    let cut = EXAMPLE.find("</nodes>").expect("there");
    let nml = read(&EXAMPLE.as_bytes()[..cut]).expect("an NML");
    assert_eq!(nml.trees[0].nodes.len(), 2);
    assert!(problems(&nml)[0].contains(&format!("at byte {cut} inside <nodes>")), "{:?}", problems(&nml));
}

#[test]
fn faults_in_the_middle_end_the_file_there() {
    let nml = parsed("<things><parameters/><thing id='1'><nodes></thing><thing id='2'/></things>");
    assert_eq!(nml.trees.len(), 1);
    assert!(problems(&nml)[0].starts_with("not well-formed at byte 42"), "{:?}", problems(&nml));
}

#[test]
fn entities_are_never_expanded() {
    let bomb = "<!DOCTYPE things [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\"><!ENTITY x SYSTEM \"file:///etc/passwd\">]>\
                <things><meta name='&b;' content='&x;'/><parameters/><comments>&b;</comments></things>";
    let nml = parsed(bomb);
    let meta = nml.document.child("meta").expect("there");
    assert_eq!((meta.attributes.get("name").as_deref(), meta.attributes.get("content").as_deref()), (Some("&b;"), Some("&x;")));
    assert_eq!(nml.document.child("comments").expect("there").children, [XmlNode::Text("&b;".into())]);
    assert_eq!(problems(&nml).len(), 2, "{:?}", problems(&nml));
    assert!(!written(&nml).contains("<!"));
}

#[test]
fn odd_characters_survive_or_are_left_out_and_counted() {
    let nml = parsed(
        "<things><parameters/><comments><comment node='1' content='a&#x1;\u{2}b &amp; &lt;c&gt; &#10; 😀 & &unknown;'/></comments><raw><![CDATA[<raw> & ]]></raw></things>",
    );
    let comment = nml.document.child("comments").and_then(|list| list.child("comment")).expect("there");
    assert_eq!(comment.attributes.get("content").as_deref(), Some("ab & <c> \n 😀 & &unknown;"));
    assert!(problems(&nml).iter().any(|text| text.starts_with("2 characters that XML can't hold")), "{:?}", problems(&nml));
    assert_eq!(parsed(&written(&nml)).document, nml.document);
    assert_eq!(nml.document.child("raw").expect("there").children, [XmlNode::Text("<raw> & ".into())]);
}

#[test]
fn two_roots_are_read_as_one() {
    let nml = parsed("<things><parameters/><thing id='1'/></things><things><thing id='2'/></things><other><things/></other>");
    assert_eq!(nml.trees.iter().map(|tree| tree.id).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(problems(&nml), ["1 further <things> elements; read as one with the first", "1 parts outside of <things>; left out"]);
}

#[test]
fn text_around_an_element_that_is_left_out_is_one() {
    let nml = parsed("<things>a<1>b</1>c</things>");
    assert_eq!(nml.document.children, [XmlNode::Text("ac".into())]);
    assert_eq!(lines(&compare(&nml, &parsed(&written(&nml)))), Vec::<&str>::new());
}

#[test]
fn text_around_an_instruction_that_is_left_out_is_one() {
    for bad in ["<??>", "<? ?>", "<?\u{fffd} i?>", "<?1?>", "<?XmL?>", "<? target?>"] {
        let nml = parsed(&format!("<things><x>a{bad}c</x>{bad}<parameters/></things>"));
        assert_eq!(nml.document.child("x").expect("there").children, [XmlNode::Text("ac".into())], "{bad}");
        assert_eq!(problems(&nml), ["2 elements and instructions whose name is none; left out"], "{bad}");
        assert_eq!(parsed(&written(&nml)).document, nml.document, "{bad}");
    }
}

#[test]
fn text_of_two_roots_is_one() {
    let nml = parsed("<things><parameters/>a </things><things>c<thing id='1'/></things>");
    assert_eq!(nml.document.children[1], XmlNode::Text("a c".into()));
    assert_eq!(lines(&compare(&nml, &parsed(&written(&nml)))), Vec::<&str>::new());
}

#[test]
fn deep_nesting_is_cut_off() {
    let deep = 100_000;
    let xml = format!("<things><parameters/><groups>{}{}</groups></things>", "<group id='1'>".repeat(deep), "</group>".repeat(deep));
    let nml = parsed(&xml);
    let mut depth = 0;
    let mut groups = &nml.tree_groups;
    while let Some(group) = groups.first() {
        depth += 1;
        groups = &group.groups;
    }
    assert_eq!(depth, 254);
    assert!(problems(&nml)[0].starts_with("1 elements nested deeper"), "{:?}", problems(&nml));
    assert_eq!(lines(&compare(&nml, &parsed(&written(&nml)))), Vec::<&str>::new());
}

#[test]
fn a_tag_without_end_is_refused_before_it_fills_the_memory() {
    let endless = BufReader::new(b"<things><parameters/><thing name=\"".chain(std::io::repeat(b'x')));
    let message = read(endless).expect_err("too large").to_string();
    assert!(message.contains("more than 16.0 MiB at byte 21"), "{message}");
    let endless = BufReader::new(b"<things>".chain(std::io::repeat(b'<')));
    assert!(read(endless).is_err());
}

#[test]
fn many_attributes_and_names_stay_cheap() {
    let mut xml = "<things><parameters/>".to_owned();
    for i in 0..20_000 {
        write!(xml, "<e{i} a{i}='1'/>").expect("memory");
    }
    xml.push_str("<many");
    for i in 0..20_000 {
        write!(xml, " a{i}='1'").expect("memory");
    }
    xml.push_str("/></things>");
    let nml = parsed(&xml);
    assert_eq!(nml.document.child("many").expect("there").attributes.iter().count(), 1000);
    assert!(compare(&nml, &parsed(&written(&nml))).is_empty());
}
