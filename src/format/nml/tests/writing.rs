use super::*;
use crate::format::ExtraAxis;
use crate::geometry::{LengthUnit, Vec3Int, VoxelSize};
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn what_was_not_changed_is_written_as_it_was_read() {
    let nml = parsed(EXAMPLE);
    let out = written(&nml);
    let again = parsed(&out);
    assert_eq!(again.document, nml.document);
    assert_eq!(again.volumes, nml.volumes);
    for kept in
        ["zoom=\"2.0\"", "z=\"28.0\"", "color.r=\"0.67\"", "numberValue=\"0.9\"", "<metadataEntry key=\"kind\" stringValue=\"neuron\" />"]
    {
        assert!(out.contains(kept), "{kept}");
    }
    assert_eq!(written(&again), out);
}

#[test]
fn unknown_parts_stay_where_they_are() {
    let xml = "<things xmlns:x='urn:x'><x:a b='1'>text &amp; <i>more</i> end</x:a><!-- note --><?target data?><parameters><future on='1'/></parameters>\
               <thing id='1' shape='round'><nodes/><glow/></thing><volume name='v' colour='blue'><segments kind='list'><segment id='1' taste='sweet'><x:deep/></segment></segments><mood/></volume></things>";
    let nml = parsed(xml);
    let again = parsed(&written(&nml));
    assert_eq!(again.document, nml.document);
    assert_eq!(again.volumes, nml.volumes);
    assert_eq!(nml.volumes[0].segments[0].element.as_ref().expect("read").attributes.get("taste").as_deref(), Some("sweet"));
}

#[test]
fn changed_parts_are_written_into_their_elements() {
    let mut nml = parsed(EXAMPLE);
    nml.experiment.name = "other & more".to_owned();
    nml.edit_position = Some(Vec3Int::new(1, 2, 3));
    nml.zoom = Some(0.5);
    nml.voxel_size = VoxelSize::new([1.0, 2.5, 3.0], LengthUnit::parse("um"));
    let volume = &mut nml.volumes[0];
    volume.name = Some("new/name".to_owned());
    volume.location = None;
    volume.format = Some(VolumeFormat::Zarr3);
    volume.fallback_layer = None;
    volume.largest_segment_id = Some(u64::MAX);
    volume.segments[0].name = None;
    volume.segments[0].color = Some([0.25, 1.0, 0.1, 1.0]);
    volume.segments[0].is_visible = false;
    volume.segments.push(Segment { name: Some("a\u{1}b".to_owned()), group: Some(4), ..Segment::new((1 << 53) + 1) });
    volume.segment_groups.push(SegmentGroup {
        id: 4,
        name: "new".to_owned(),
        is_expanded: false,
        groups: vec![SegmentGroup { id: 1, ..SegmentGroup::default() }],
    });
    let mut out = Vec::new();
    let problems = write(&nml, &mut out).expect("memory");
    assert_eq!(
        problems.iter().map(|p| p.text.as_str()).collect::<Vec<_>>(),
        ["segment 9007199254740993: 1 characters that XML can't hold were left out"]
    );
    let out = String::from_utf8(out).expect("UTF-8");
    for part in [
        "<experiment name=\"other &amp; more\" organization=\"sample_organization\"",
        "<editPosition x=\"1\" y=\"2\" z=\"3\" />",
        "<zoomLevel zoom=\"0.5\" />",
        "<scale x=\"1.0\" y=\"2.5\" z=\"3.0\" unit=\"micrometer\" />",
        "<volume id=\"0\" name=\"new/name\" format=\"zarr3\" largestSegmentId=\"18446744073709551615\">",
        "<segment id=\"7\" created=\"1697029748584\" anchorPositionX=\"3395\" anchorPositionY=\"3761\" anchorPositionZ=\"1024\" color.r=\"0.25\" color.g=\"1.0\" color.b=\"0.1\" color.a=\"1.0\" groupId=\"1\" isVisible=\"false\">",
        "<metadataEntry key=\"kind\" stringValue=\"neuron\" />",
        "<segment id=\"9007199254740993\" name=\"ab\" groupId=\"4\" />",
        "<group id=\"4\" name=\"new\" isExpanded=\"false\">",
    ] {
        assert!(out.contains(part), "{part} in\n{out}");
    }
    let again = parsed(&out);
    assert_eq!(again.volumes[0].segment_groups, {
        let mut groups = nml.volumes[0].segment_groups.clone();
        groups[1].groups[0].is_expanded = false;
        groups
    });
}

#[test]
fn a_new_annotation_has_all_that_servers_want() {
    let mut nml = Nml::new(NewNml {
        experiment: Experiment { name: "d".to_owned(), organization: "o".to_owned(), ..Experiment::default() },
        voxel_size: VoxelSize::new([11.24, 11.24, 28.0], Some(LengthUnit::NANOMETER)),
        edit_position: Vec3Int::new(5, 6, 7),
        zoom: None,
        additional_axes: vec![ExtraAxis { name: "t".to_owned(), len: 4 }],
        time_unix_ms: 1_700_000_000_000,
    });
    nml.volumes.push(NmlVolume { fallback_layer: Some("seg".to_owned()), ..NmlVolume::new(0, "Volume") });
    let out = written(&nml);
    for part in [
        "<meta name=\"writer\" content=\"Chunkscope",
        "<experiment name=\"d\" organization=\"o\" description=\"\" />",
        "<scale x=\"11.24\" y=\"11.24\" z=\"28.0\" unit=\"nanometer\" />",
        "<offset x=\"0\" y=\"0\" z=\"0\" />",
        "<time ms=\"1700000000000\" />",
        "<editPosition x=\"5\" y=\"6\" z=\"7\" />",
        "<editRotation xRot=\"0.0\" yRot=\"0.0\" zRot=\"0.0\" />",
        "<zoomLevel zoom=\"1.0\" />",
        "<additionalAxis name=\"t\" index=\"1\" start=\"0\" end=\"4\" />",
        "<branchpoints />",
        "<comments />",
        "<groups />",
        "<volume id=\"0\" name=\"Volume\" fallbackLayer=\"seg\">",
        "<segments />",
    ] {
        assert!(out.contains(part), "{part} in\n{out}");
    }
    let again = parsed(&out);
    assert_eq!(problems(&again), Vec::<String>::new());
    assert_eq!(again.voxel_size, nml.voxel_size);
    assert_eq!(lines(&compare(&nml, &again)), Vec::<&str>::new());
}

#[test]
fn an_nml_of_nothing_is_a_valid_file() {
    let again = parsed(&written(&Nml::default()));
    assert!(problems(&again).len() <= 1, "{:?}", problems(&again));
    assert!(again.volumes.is_empty());
}

#[test]
fn volumes_taken_away_or_added_change_nothing_else() {
    let mut nml = with_root("<volume id='0' name='a' kept='a'/><after/><volume id='1' name='b' kept='b'/>");
    nml.volumes.remove(0);
    let out = written(&nml);
    assert!(!out.contains("kept=\"a\"") && out.contains("kept=\"b\"") && out.contains("<after />"));
    nml.volumes.extend([NmlVolume::new(2, "c"), NmlVolume::new(3, "d")]);
    assert_eq!(parsed(&written(&nml)).volumes.iter().map(|v| v.shown_name().to_owned()).collect::<Vec<_>>(), ["b", "c", "d"]);
}

#[test]
fn a_removed_segment_takes_its_second_element_with_it() {
    let mut nml = parsed(
        "<things><parameters/><volume name='v'><segments><segment id='1'/><segment id='1' name='x'/><segment id='?'/></segments></volume></things>",
    );
    assert_eq!(written(&nml).matches("<segment ").count(), 3);
    nml.volumes[0].segments.clear();
    let out = written(&nml);
    assert!(out.contains("id=\"?\"") && !out.contains("id=\"1\""), "{out}");
}

#[test]
fn whatever_the_document_holds_the_output_is_well_formed() {
    let mut nml = with_root("");
    let text = |text: &str| text.into();
    nml.document.children.extend([
        XmlNode::Comment(text("a -- b \u{1} -")),
        XmlNode::Instruction(text("xml version='1.0'")),
        XmlNode::Instruction(text("do ?> this")),
        XmlNode::Text(text("]]> & \u{ffff} <")),
        XmlNode::Element(XmlElement::new("no name")),
        XmlNode::Element(XmlElement::new("")),
    ]);
    let mut out = Vec::new();
    let lost = write(&nml, &mut out).expect("memory");
    let again = read(&out[..]).expect("an NML");
    assert_eq!(problems(&again), Vec::<String>::new());
    assert_eq!(lost.len(), 2, "{lost:?}");
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,8}", "[&<>\"'/\\\\;#x0-9 \\t\\r\\n\\-]{0,8}", Just("]]>".to_owned()), Just("😀 & <b>".to_owned())]
}

fn any_color() -> impl Strategy<Value = Option<[f32; 4]>> {
    prop::option::of(prop::array::uniform4(0.0_f32..=1.0))
}

prop_compose! {
    fn any_segment()(
        id in prop_oneof![any::<u64>(), 0_u64..20], name in prop::option::of(any_name()), is_visible in any::<bool>(), created in prop::option::of(any::<i64>()),
        anchor in prop::option::of(prop::array::uniform3(any::<i64>())), color in any_color(), group in prop::option::of(any::<i64>()), has_element in any::<bool>()
    ) -> Segment {
        let element = has_element.then(|| Arc::new(XmlElement::new("segment").with("id", &id.to_string()).with("extra", "1.0")));
        Segment { id, name, is_visible, created_unix_ms: created, anchor: anchor.map(Vec3Int::from), color, group, element }
    }
}

fn any_element() -> impl Strategy<Value = XmlElement> {
    let attributes = prop::collection::vec(("[a-zA-Z_][a-zA-Z0-9_.:\\-]{0,6}", any_name()), 0..4);
    let leaf = ("[a-z]{1,5}", attributes)
        .prop_map(|(name, attributes)| attributes.iter().fold(XmlElement::new(&name), |element, (name, value)| element.with(name, value)));
    leaf.prop_recursive(3, 20, 4, move |inner| {
        (inner.clone(), prop::collection::vec(inner, 0..4)).prop_map(|(mut element, children)| {
            element.children.extend(children.into_iter().map(XmlNode::Element));
            element
        })
    })
}

prop_compose! {
    fn any_nml()(
        experiment in prop::array::uniform5(any_name()), position in prop::array::uniform3(any::<i64>()), zoom in prop::option::of(0.0_f64..1e9),
        scale in prop::option::of(prop::array::uniform3(1e-3_f64..1e3)), unknown in prop::collection::vec(any_element(), 0..5),
        volumes in prop::collection::vec((any_name(), prop::collection::vec(any_segment(), 0..5), any_element(), any_name()), 0..3)
    ) -> Nml {
        let [name, organization, dataset_id, server_url, description] = experiment;
        let mut nml = Nml::new(NewNml {
            experiment: Experiment { name, organization, dataset_id, server_url, description },
            voxel_size: scale.and_then(|scale| VoxelSize::new(scale, Some(LengthUnit::NANOMETER))),
            edit_position: position.into(),
            zoom,
            additional_axes: Vec::new(),
            time_unix_ms: 7,
        });
        nml.document.children.extend(unknown.into_iter().map(XmlNode::Element));
        for (i, (name, mut segments, element, group)) in volumes.into_iter().enumerate() {
            let mut seen = std::collections::HashSet::new();
            segments.retain(|segment| seen.insert(segment.id));
            let groups = vec![SegmentGroup { id: 1, name: group, is_expanded: i == 0, groups: vec![] }];
            nml.volumes.push(NmlVolume { segments, segment_groups: groups, element: XmlElement { name: "volume".into(), ..element }, ..NmlVolume::new(i as i64, &name) });
        }
        nml
    }
}

proptest! {
    #[test]
    fn reading_undoes_writing(nml in any_nml()) {
        let mut out = Vec::new();
        write(&nml, &mut out).expect("memory");
        let again = read(&out[..]).expect("an NML");
        let found = compare(&nml, &again);
        prop_assert!(found.is_empty(), "{:?}\n{}", lines(&found), String::from_utf8_lossy(&out));
        // What is the same in meaning is the same in bytes from the second time on.
        let mut second = Vec::new();
        write(&again, &mut second).expect("memory");
        prop_assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&second));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(<things>)?([<>/&;='\"!?\\[\\]a-c -]|<thing id='1'>|<volume>|</|/>|<!--|-->|<node id='1' x='1' y='2' z='3'/>){0,40}") {
        if let Ok(nml) = read(text.as_bytes()) {
            let mut out = Vec::new();
            write(&nml, &mut out).expect("memory");
            let again = read(&out[..]).expect("an NML");
            prop_assert!(compare(&nml, &again).is_empty(), "{:?}", lines(&compare(&nml, &again)));
        }
    }
}
