use super::*;
use crate::geometry::{BoundingBox, Shape3, Vec3Int};

#[test]
fn every_element_of_the_specification_is_seen() {
    let nml = parsed(EXAMPLE);
    assert_eq!(problems(&nml), Vec::<String>::new());
    assert_eq!(nml.experiment.name, "l4_sample");
    assert_eq!(nml.experiment.organization, "sample_organization");
    assert_eq!(nml.experiment.dataset_id, "670000000000000000000001");
    assert_eq!(nml.experiment.server_url, "http://localhost:9000");
    assert_eq!(nml.voxel_size.expect("known").to_string(), "11.24 × 11.24 × 28 nm");
    assert_eq!((nml.edit_position, nml.zoom), (Some(Vec3Int::new(3867, 3579, 1024)), Some(2.0)));
    assert_eq!(
        nml.user_boxes,
        [UserBoundingBox {
            id: 1,
            name: "Box 1".to_owned(),
            extent: BoundingBox::new(Vec3Int::new(2371, 4063, 1676), Shape3::new(891, 579, 232)),
            color: Some([0.18, 0.45, 0.05, 1.0]),
            is_visible: true
        }]
    );
    assert_eq!(nml.task_box, Some(BoundingBox::new(Vec3Int::ZERO, Shape3::splat(512))));
    assert_eq!(nml.additional_axes, [("t".to_owned(), 0, 10)]);
    let tree = &nml.trees[0];
    assert_eq!((tree.id, &*tree.name, tree.group, tree.is_visible, tree.is_agglomerate), (1, "tree 1", Some(2), true, false));
    assert_eq!(tree.nodes[1], Node { id: 2, position: Vec3Int::new(3532, 3704, 1024), radius: 1.0, additional: [3].into() });
    assert_eq!(tree.edges, [Edge { source: 2, target: 1 }]);
    assert_eq!(nml.branchpoints, [Branchpoint { node: 1 }]);
    assert_eq!(nml.comments, [Comment { node: 2, content: "hello".to_owned() }]);
    let sub = TreeGroup { id: 3, name: "sub".to_owned(), is_expanded: false, groups: vec![] };
    assert_eq!(nml.tree_groups, [TreeGroup { id: 2, name: "axons".to_owned(), is_expanded: true, groups: vec![sub] }]);
    let volume = &nml.volumes[0];
    assert_eq!((volume.id, volume.name.as_deref(), volume.location.as_deref()), (Some(0), Some("Volume"), Some("data_Volume.zip")));
    assert_eq!((volume.format, volume.fallback_layer.as_deref()), (Some(VolumeFormat::Wkw), Some("segmentation")));
    assert_eq!(volume.largest_segment_id, Some(21890));
    let segment = Segment { element: None, ..volume.segments[0].clone() };
    let expected = Segment {
        name: Some("soma".to_owned()),
        created_unix_ms: Some(1_697_029_748_584),
        anchor: Some(Vec3Int::new(3395, 3761, 1024)),
        color: Some([1.0, 0.5, 0.0, 1.0]),
        group: Some(1),
        ..Segment::new(7)
    };
    assert_eq!(segment, expected);
    assert_eq!(volume.segment_groups, [SegmentGroup { id: 1, name: "cells".to_owned(), is_expanded: true, groups: vec![] }]);
}

#[test]
fn old_files_have_volumes_with_little_said() {
    let nml = with_root("<volume id=\"0\" location=\"data_Volume.zip\" fallbackLayer=\"segmentation\" />");
    let volume = &nml.volumes[0];
    assert_eq!((volume.name.as_deref(), volume.shown_name(), volume.format), (None, "Volume", None));
    assert!(volume.segments.is_empty());
}

#[test]
fn the_same_file_in_any_encoding_and_line_ends_means_the_same() {
    let nml = parsed(EXAMPLE);
    let le: Vec<u8> = EXAMPLE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let be: Vec<u8> = EXAMPLE.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let declared = format!("<?xml version=\"1.0\" encoding=\"UTF-16\" standalone=\"no\"?>\n{EXAMPLE}");
    let files = [
        [b"\xef\xbb\xbf", EXAMPLE.as_bytes()].concat(),
        EXAMPLE.replace('\n', "\r\n").into_bytes(),
        EXAMPLE.replace('\n', "").into_bytes(),
        le.clone(),
        [b"\xff\xfe", &le[..]].concat(),
        [b"\xfe\xff", &be[..]].concat(),
        declared.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    ];
    for file in files {
        let other = read(&file[..]).expect("an NML");
        assert_eq!(problems(&other), Vec::<String>::new());
        assert_eq!(lines(&compare(&nml, &other)), Vec::<&str>::new());
        assert_eq!(other.document, nml.document);
    }
}

#[test]
fn coordinates_may_be_decimals_and_broken_numbers_cost_their_node_only() {
    let nml = parsed(
        "<things><parameters/><thing id='1'><nodes><node id='1' x='1.0' y='2.6' z='-3.4'/><node id='2' x='1' y='?' z='1'/><node id='3' x='1' y='1'/>\
         <node id='1' x='9' y='9' z='9'/><node id='4' x='1' y='1' z='1' radius='NaN'/></nodes>\
         <edges><edge source='1' target='4'/><edge source='1' target='2'/><edge source='7' target='1'/><edge source='x' target='1'/></edges></thing>\
         <branchpoints><branchpoint id='2'/><branchpoint id='4'/></branchpoints><comments><comment node='99' content='?'/></comments></things>",
    );
    let tree = &nml.trees[0];
    assert_eq!(tree.nodes.iter().map(|node| node.id).collect::<Vec<_>>(), [1, 4]);
    assert_eq!(tree.nodes[0].position, Vec3Int::new(1, 3, -3));
    assert_eq!(tree.edges, [Edge { source: 1, target: 4 }]);
    assert_eq!((nml.branchpoints.len(), nml.comments.len()), (1, 0));
    let found = problems(&nml);
    for part in [
        "node 2: y \"?\" can't be understood",
        "node 3: no z",
        "node 1 is there twice",
        "node 4: radius \"NaN\"",
        "edge from node 1 to node 2",
        "edge from node 7 to node 1",
        "edge: source \"x\"",
        "branch point at node 2",
        "comment at node 99",
    ] {
        assert!(found.iter().any(|text| text.starts_with(part)), "{part} in {found:#?}");
    }
    // They are kept for the way back.
    let out = written(&nml);
    assert!(out.contains("y=\"?\"") && out.contains("node=\"99\""));
}

#[test]
fn segment_ids_are_exact_and_broken_segments_are_listed() {
    let nml = parsed(
        "<things><parameters/><volume name='v' largestSegmentId='18446744073709551615'><segments><segment id='9007199254740993' color.r='' color.g='' color.b='' color.a=''/>\
         <segment id='-5'/><segment id='1.5'/><segment id='9007199254740993' name='again'/><segment id='3' anchorPositionX='1' color.r='red'/></segments></volume></things>",
    );
    let volume = &nml.volumes[0];
    assert_eq!(volume.segments.iter().map(|segment| segment.id).collect::<Vec<_>>(), [(1 << 53) + 1, (-5_i64).cast_unsigned(), 3]);
    assert_eq!(volume.largest_segment_id, Some(u64::MAX));
    assert!(volume.segments.iter().all(|segment| segment.color.is_none() && segment.anchor.is_none()));
    let found = problems(&nml);
    for part in ["segment 1.5: id \"1.5\"", "segment 9007199254740993 is listed twice", "segment 3: color.r \"red\""] {
        assert!(found.iter().any(|text| text.starts_with(part)), "{part} in {found:#?}");
    }
}

#[test]
fn unusable_scales_are_unknown_sizes() {
    for scale in ["x='-1' y='-1' z='-1'", "x='0' y='1' z='1'", "x='NaN' y='1' z='1'", "x='1' y='1'", ""] {
        let nml = parsed(&format!("<things><parameters><scale {scale}/></parameters></things>"));
        assert_eq!(nml.voxel_size, None, "{scale}");
        assert_eq!(lines(&compare(&nml, &parsed(&written(&nml)))), Vec::<&str>::new());
    }
    let nml = parsed("<things><parameters><scale x='1' y='2' z='3' unit='micrometer'/></parameters></things>");
    assert_eq!(nml.voxel_size.expect("known").to_string(), "1 × 2 × 3 µm");
}

#[test]
fn volumes_that_servers_refuse_are_read_and_said() {
    let nml = parsed("<things><parameters/><volume id='0' name='a'/><volume id='0' name='a'/><volume/><volume/></things>");
    assert_eq!(nml.volumes.len(), 4);
    let found = problems(&nml);
    assert!(found.iter().any(|text| text.contains("name \"a\"")) && found.iter().any(|text| text.contains("id 0")), "{found:?}");
    assert!(found.iter().any(|text| text.contains("name \"\"")), "{found:?}");
}
