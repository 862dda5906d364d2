use super::read::Lost;
use super::record::{BucketKey, Head, Kind, MAGIC};
use super::*;
use crate::annotation::edited::BucketChange;
use crate::annotation::test_world::*;
use crate::annotation::*;
use crate::codec::lz4;
use crate::format::annotation::{BUCKET_SIDE, BUCKET_VOXELS, BucketAddress};
use crate::format::nml::{NewNml, Nml, Segment};
use crate::geometry::{BoundingBox, ChunkIndex, Mag, Shape3, Vec3Int};
use crate::voxel::{ElementClass, VoxelBuffer, VoxelType};
use proptest::prelude::*;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

type File = Cursor<Vec<u8>>;

/// A volume that is edited, with what is known of its edits.
struct Edited {
    editor: VolumeEditor,
    touched: Touched,
    edit: u64,
}

impl Edited {
    fn new(spec: &VolumeSpec) -> Self {
        let volume = VolumeAnnotation::new(spec.clone());
        Self { touched: Touched::new(&volume, 0), editor: VolumeEditor::new(volume), edit: 0 }
    }

    fn edit(&mut self, edit: impl FnOnce(&mut VolumeEditor) -> Result<EditOutcome, EditError>) {
        let outcome = edit(&mut self.editor).expect("an edit");
        self.edit += 1;
        self.touched.note(&outcome, self.edit);
    }

    /// Paints a box of the finest mag, at 0 of the further axes.
    fn paint(&mut self, segment: u64, b: BoundingBox) {
        let axes: Arc<[u64]> = vec![0; self.editor.volume().axes.len()].into();
        let settings = PaintSettings { segment, active: segment, mode: OverwriteMode::OverwriteAll };
        self.edit(|editor| editor.paint_box(settings, &axes, &b));
    }

    fn since(&self, edit: u64, base: Base) -> Changes {
        Changes(vec![self.touched.since(edit, self.editor.volume(), base)])
    }

    fn state(&self) -> State {
        state(self.editor.volume())
    }
}

/// A box of a bucket of the finest mag.
fn in_bucket(x: i64, side: i64) -> BoundingBox {
    BoundingBox::new(Vec3Int::new(32 * x + 3, 4, 5), Shape3::splat(side))
}

/// Edited buckets of each level, segments, highest id.
type State = (Vec<Vec<(BucketAddress, Arc<VoxelBuffer>)>>, Vec<Segment>, Option<u64>);

fn state(volume: &VolumeAnnotation) -> State {
    // Only what was read has an element.
    let segments = volume.segments.iter().map(|segment| Segment { element: None, ..segment.clone() });
    (volume.snapshot(), segments.collect(), volume.largest_segment_id)
}

fn annotation(specs: &[VolumeSpec]) -> Annotation {
    let volumes = specs.iter().cloned().map(VolumeAnnotation::new).collect();
    Annotation { name: "a".to_owned(), nml: Arc::new(Nml::new(NewNml::default())), volumes, attachments: Vec::new() }
}

/// What an annotation becomes with the edits of a journal, and what is lost.
fn put_back(bytes: &[u8], specs: &[VolumeSpec]) -> (Vec<State>, Vec<Lost>) {
    let mut annotation = annotation(specs);
    let lost = Saved::find(bytes).expect("readable").put_into(Cursor::new(bytes), &mut annotation, u64::MAX);
    (annotation.volumes.iter().map(state).collect(), lost)
}

fn bytes_of(journal: &Journal<File>) -> &[u8] {
    journal.file().get_ref()
}

fn small_spec() -> VolumeSpec {
    VolumeSpec { class: ElementClass::Uint8, ..spec(&mags(&["1"])) }
}

#[test]
fn edits_of_all_volumes_mags_and_axes_are_put_back_and_undone_ones_are_no_edits() {
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::new(128, 64, 64));
    let over = spec_over(&mags(&["1", "2-2-1", "4-4-2"]), bounds, |_, pos| (pos.x / 9).cast_unsigned());
    let in_time = VolumeSpec { axes: vec!["t".to_owned()], class: ElementClass::Int64, ..spec(&mags(&["1", "2"])) };
    let specs = [over.clone(), in_time.clone()];
    let (mut a, mut b) = (Edited::new(&over), Edited::new(&in_time));
    let mut named = Segment { name: Some("<axon> & \"soma\"".to_owned()), color: Some([1.0, 0.0, 0.0, 1.0]), ..Segment::new(7) };
    named.anchor = Some(Vec3Int::new(1, 2, 3));
    a.edit(|editor| editor.set_segment(named));
    a.paint(7, in_bucket(0, 20));
    b.edit(|editor| {
        let settings = PaintSettings { segment: 9, active: 9, mode: OverwriteMode::OverwriteAll };
        editor.paint_box(settings, &vec![5].into(), &in_bucket(1, 3))
    });
    let changes = |a: &Edited, b: &Edited, since: [u64; 2]| {
        let of = |edited: &Edited, since| edited.touched.since(since, edited.editor.volume(), Base::Opened);
        Changes(vec![of(a, since[0]), of(b, since[1])])
    };
    let mut journal = Journal::begin(File::default(), b"what", &changes(&a, &b, [0, 0])).expect("written");
    assert_eq!(about(bytes_of(&journal)).expect("readable").as_deref(), Some(&b"what"[..]));
    let (states, lost) = put_back(bytes_of(&journal), &specs);
    assert!(lost.is_empty(), "{lost:?}");
    assert_eq!(states, [a.state(), b.state()]);

    let since = [a.edit, b.edit];
    a.edit(VolumeEditor::undo);
    a.paint(0, in_bucket(1, 30));
    b.edit(|editor| editor.delete_segment_voxels(9, |_, _| true));
    journal.append(&changes(&a, &b, since)).expect("written");
    let (states, lost) = put_back(bytes_of(&journal), &specs);
    assert!(lost.is_empty(), "{lost:?}");
    assert_eq!(states, [a.state(), b.state()]);
    let undone = BucketAddress::at(ChunkIndex(Vec3Int::ZERO));
    assert!(states[0].0[0].iter().all(|(at, _)| *at != undone), "what is undone isn't in the annotation");
    assert!(!states[1].0[0].is_empty(), "what is erased is");
}

#[test]
fn only_what_changed_is_added() {
    let spec = spec(&mags(&["1"]));
    let mut edited = Edited::new(&spec);
    edited.paint(3, BoundingBox::new(Vec3Int::splat(5), Shape3::splat(300)));
    assert!(edited.editor.volume().levels[0].edited.len() > 900);
    let mut journal = Journal::begin(File::default(), b"", &edited.since(0, Base::Opened)).expect("written");
    let first = bytes_of(&journal).len();
    let since = edited.edit;
    edited.paint(3, in_bucket(0, 4)); // nothing changes that is 3 already, but beside it
    journal.append(&edited.since(since, Base::Opened)).expect("written");
    let added = bytes_of(&journal).len() - first;
    assert!(added < first / 50, "{added} of {first} bytes");
    journal.append(&edited.since(edited.edit, Base::Opened)).expect("written");
    assert_eq!(bytes_of(&journal).len() - first - added, 17, "a commit of nothing");
    assert_eq!(put_back(bytes_of(&journal), &[spec]).0, [edited.state()]);
}

#[test]
fn a_compacted_journal_has_the_same_and_is_gone_on_with() {
    let spec = small_spec();
    let mut edited = Edited::new(&spec);
    edited.paint(1, in_bucket(0, 9));
    edited.paint(2, in_bucket(1, 9));
    let mut journal = Journal::begin(File::default(), b"what", &edited.since(0, Base::Opened)).expect("written");
    assert!(!journal.is_mostly_dead());
    let mut round = 0;
    while !journal.is_mostly_dead() {
        let since = edited.edit;
        for x in 0..40 {
            edited.paint(round % 2 + 3, in_bucket(x, 20));
        }
        journal.append(&edited.since(since, Base::Opened)).expect("written");
        round += 1;
        assert!(round < 10_000);
    }
    let since = edited.edit;
    edited.edit(VolumeEditor::undo);
    journal.append(&edited.since(since, Base::Opened)).expect("written");
    let mut compacted = journal.compacted(File::default()).expect("written");
    assert!(bytes_of(&compacted).len() * 2 < bytes_of(&journal).len() && !compacted.is_mostly_dead());
    assert_eq!(about(bytes_of(&compacted)).expect("readable").as_deref(), Some(&b"what"[..]));
    for journal in [&journal, &compacted] {
        let (states, lost) = put_back(bytes_of(journal), std::slice::from_ref(&spec));
        assert!(lost.is_empty() && states == [edited.state()], "{lost:?}");
    }
    let since = edited.edit;
    edited.paint(9, in_bucket(1, 2));
    compacted.append(&edited.since(since, Base::Opened)).expect("written");
    assert_eq!(put_back(bytes_of(&compacted), &[spec]).0, [edited.state()]);
}

/// A journal of four commits: where each ends, and what there is then.
fn four_commits() -> (Vec<u8>, Vec<(usize, State)>) {
    let mut edited = Edited::new(&small_spec());
    edited.paint(1, in_bucket(0, 9));
    let mut journal = Journal::begin(File::default(), b"what", &edited.since(0, Base::Opened)).expect("written");
    let mut commits = vec![(bytes_of(&journal).len(), edited.state())];
    let edits: [&dyn Fn(&mut Edited); 3] = [
        &|edited| {
            edited.paint(2, in_bucket(0, 5));
            edited.paint(2, in_bucket(1, 5));
        },
        &|edited| edited.edit(VolumeEditor::undo),
        &|edited| edited.edit(|editor| editor.rename_segment(1, Some("axon".to_owned()))),
    ];
    for edit in edits {
        let since = edited.edit;
        edit(&mut edited);
        journal.append(&edited.since(since, Base::Opened)).expect("written");
        commits.push((bytes_of(&journal).len(), edited.state()));
    }
    (bytes_of(&journal).to_vec(), commits)
}

#[test]
fn a_journal_that_ends_anywhere_has_what_was_committed_before() {
    let (bytes, commits) = four_commits();
    let none = state(&VolumeAnnotation::new(small_spec()));
    for len in 0..=bytes.len() {
        let expected = commits.iter().rev().find(|(end, _)| *end <= len).map_or(&none, |(_, state)| state);
        let (states, lost) = put_back(&bytes[..len], &[small_spec()]);
        assert!(states == [expected.clone()], "{len} of {} bytes", bytes.len());
        assert_eq!(lost.is_empty(), len >= MAGIC.len(), "a killed program is no damage: {len} bytes, {lost:?}");
    }
}

#[test]
fn a_flipped_bit_is_told_and_gives_an_earlier_state() {
    let (bytes, commits) = four_commits();
    let none = state(&VolumeAnnotation::new(small_spec()));
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let expected = commits.iter().rev().find(|(end, _)| *end <= bit / 8).map_or(&none, |(_, state)| state);
        let (states, lost) = put_back(&flipped, &[small_spec()]);
        assert!(states == [expected.clone()] && matches!(lost[..], [Lost::Damaged]), "bit {bit}: {lost:?}");
    }
}

#[test]
fn what_the_edits_belong_to_is_read_whole_or_not_at_all() {
    let bytes = Journal::begin(File::default(), b"what", &Changes::default()).expect("written").file().get_ref().clone();
    let end = MAGIC.len() + 13 + 4;
    for len in 0..bytes.len() {
        assert_eq!(about(&bytes[..len]).expect("readable").is_some(), len >= end, "{len} bytes");
    }
    assert!(Journal::begin(File::default(), &vec![0; (1 << 20) + 1], &Changes::default()).is_err());
}

fn record(kind: Kind, content: &[&[u8]]) -> Vec<u8> {
    [&Head::of(kind, content).expect("short").to_bytes()[..], &content.concat()].concat()
}

fn bucket(volume: u32, mag: &str, axes: &[u64], class: ElementClass, block: &[u8]) -> Vec<u8> {
    let at = BucketAddress { chunk: ChunkIndex(Vec3Int::ZERO), axes: axes.into() };
    let key = BucketKey { volume, mag: mag.parse().expect("a mag"), class, at };
    record(Kind::Bucket, &[&key.to_bytes().expect("fits"), block])
}

#[test]
fn sound_records_of_wrong_content_are_told_and_nothing_of_them_is_put_back() {
    let block = |class: ElementClass, id: u64| lz4::encode(&uniform(class, id));
    let (uint8, uint32) = (ElementClass::Uint8, ElementClass::Uint32);
    let list = |text: &str| record(Kind::List, &[&[0; 4], text.as_bytes()]);
    let cases = [
        (bucket(1, "1", &[], uint8, &block(uint8, 1)), "there is no volume 2 any more"),
        (bucket(u32::MAX, "1", &[], uint8, &block(uint8, 1)), "there is no volume 4294967296 any more"),
        (bucket(0, "3", &[], uint8, &block(uint8, 1)), "volume Volume has no mag 3 any more"),
        (bucket(0, "1", &[], uint8, &block(uint32, 1)), "voxels of volume Volume: "),
        (bucket(0, "1", &[], uint8, b"no block"), "voxels of volume Volume: "),
        (bucket(0, "1", &[], uint32, &block(uint32, 256)), "segment 256 doesn't fit volume Volume, whose voxels are uint8"),
        (bucket(0, "1", &[4], uint8, &block(uint8, 1)), "no bucket of uint8 voxels with 0 axes"),
        (list("segments"), "the segments of volume Volume: "),
        (list("<things></things>"), "the segments of volume Volume: "),
        (list("<things><volume id=\"0\"><segments><segment id=\"1\"/>"), "the segments of volume Volume: "),
    ];
    for (wrong, told) in cases {
        let commit = record(Kind::Commit, &[&1_u32.to_le_bytes()]);
        let (states, lost) = put_back(&[&MAGIC[..], &wrong, &commit].concat(), &[small_spec()]);
        let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
        assert!(lost.len() == 1 && lost[0].contains(told), "{lost:?}, not {told}");
        assert!(states == [state(&VolumeAnnotation::new(small_spec()))], "{told}");
    }
    // A commit of another number of records isn't this journal's.
    let sound = bucket(0, "1", &[], uint8, &block(uint8, 1));
    let bytes = [&MAGIC[..], &sound, &record(Kind::Commit, &[&2_u32.to_le_bytes()])].concat();
    assert!(matches!(put_back(&bytes, &[small_spec()]).1[..], [Lost::Damaged]));
}

#[test]
fn voxels_beyond_the_memory_there_is_are_left_out_and_equal_ones_are_shared() {
    let spec = small_spec();
    let mut edited = Edited::new(&spec);
    edited.paint(5, BoundingBox::new(Vec3Int::ZERO, Shape3::splat(96)));
    edited.paint(6, in_bucket(0, 3));
    edited.paint(6, BoundingBox::new(Vec3Int::splat(70), Shape3::splat(4)));
    let journal = Journal::begin(File::default(), b"", &edited.since(0, Base::Opened)).expect("written");
    let mut annotation = annotation(&[spec]);
    let room = 2 * BUCKET_VOXELS as u64;
    let bytes = bytes_of(&journal);
    let lost = Saved::find(bytes).expect("readable").put_into(Cursor::new(bytes), &mut annotation, room);
    assert!(matches!(lost[..], [Lost::TooLarge { max_bytes }] if max_bytes == room), "{lost:?}");
    let edited = &annotation.volumes[0].levels[0].edited;
    assert_eq!((edited.len(), edited.byte_len() as u64), (26, room), "one of two ids, and 25 of one");
}

#[test]
fn over_an_exported_file_undone_edits_are_taken_out_of_it() {
    let bounds = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(64));
    let opened = spec_over(&mags(&["1", "2"]), bounds, |mag, pos| (mag.max_factor() + pos.x / 9).cast_unsigned());
    let mut edited = Edited::new(&opened);
    edited.paint(50, in_bucket(0, 20));
    edited.paint(51, in_bucket(1, 20));
    let exported: Vec<_> = edited.editor.volume().snapshot();
    let base = edited.edit;
    edited.edit(VolumeEditor::undo);
    edited.edit(VolumeEditor::undo);
    edited.paint(52, in_bucket(1, 3));
    let journal = Journal::begin(File::default(), b"", &edited.since(base, Base::Exported)).expect("written");

    // The exported file, as edits: its buckets hide the fallback layer as stored ones do.
    let mut over_file = annotation(&[opened]);
    let volume = &over_file.volumes[0];
    for (level, buckets) in exported.into_iter().enumerate() {
        let changes = buckets.into_iter().map(|(at, voxels)| BucketChange { level, at, voxels: Some(voxels) });
        volume.restore(changes.collect()).expect("fits");
    }
    let bytes = bytes_of(&journal);
    let lost = Saved::find(bytes).expect("readable").put_into(Cursor::new(bytes), &mut over_file, u64::MAX);
    assert!(lost.is_empty(), "{lost:?}");
    for level in 0..2 {
        let whole = Mag::new(1 << level, 1 << level, 1 << level).expect("a mag").box_in_mag(&bounds);
        assert_eq!(ids_in(&over_file.volumes[0], level, &whole), ids_in(edited.editor.volume(), level, &whole));
    }
}

#[test]
fn ids_are_put_into_the_class_that_an_export_gave_the_volume() {
    let mut edited = Edited::new(&small_spec());
    edited.paint(200, in_bucket(0, 9));
    let journal = Journal::begin(File::default(), b"", &edited.since(0, Base::Exported)).expect("written");
    let mut annotation = annotation(&[spec(&mags(&["1"]))]);
    let bytes = bytes_of(&journal);
    let lost = Saved::find(bytes).expect("readable").put_into(Cursor::new(bytes), &mut annotation, u64::MAX);
    assert!(lost.is_empty(), "{lost:?}");
    let whole = BoundingBox::new(Vec3Int::ZERO, Shape3::splat(BUCKET_SIDE));
    assert_eq!(ids_in(&annotation.volumes[0], 0, &whole), ids_in(edited.editor.volume(), 0, &whole));
}

#[test]
fn recovered_edits_are_saved_again_as_a_whole() {
    let (bytes, commits) = four_commits();
    let mut annotation = annotation(&[small_spec()]);
    Saved::find(&*bytes).expect("readable").put_into(Cursor::new(&bytes), &mut annotation, u64::MAX);
    let volume = annotation.volumes.remove(0);
    let changes = Changes(vec![Touched::new(&volume, 1).since(0, &volume, Base::Opened)]);
    let journal = Journal::begin(File::default(), b"", &changes).expect("written");
    assert_eq!(put_back(bytes_of(&journal), &[small_spec()]).0, [commits[3].1.clone()]);
}

/// A file that holds so many bytes.
struct Full {
    file: File,
    room: usize,
}

impl Read for Full {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.file.read(buf)
    }
}

impl Seek for Full {
    fn seek(&mut self, pos: SeekFrom) -> io::Result<u64> {
        self.file.seek(pos)
    }
}

impl Write for Full {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let len = buf.len().min(self.room - self.file.position() as usize);
        if len == 0 { Err(io::ErrorKind::StorageFull.into()) } else { self.file.write(&buf[..len]) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_and_what_was_saved_before_stays() {
    let spec = small_spec();
    let mut edited = Edited::new(&spec);
    edited.paint(1, in_bucket(0, 9));
    let whole = Journal::begin(File::default(), b"what", &edited.since(0, Base::Opened)).expect("written");
    let len = bytes_of(&whole).len();
    for room in 0..len {
        let file = Full { file: File::default(), room };
        assert!(matches!(Journal::begin(file, b"what", &edited.since(0, Base::Opened)), Err(JournalError::Write(_))), "{room} of {len}");
    }
    let before = edited.state();
    let full = Full { file: File::default(), room: len + 30 };
    let mut journal = Journal::begin(full, b"what", &edited.since(0, Base::Opened)).expect("room enough");
    let since = edited.edit;
    edited.paint(2, in_bucket(1, 9));
    assert!(journal.append(&edited.since(since, Base::Opened)).is_err());
    let (states, lost) = put_back(journal.file().file.get_ref(), &[spec]);
    assert!(lost.is_empty() && states == [before], "{lost:?}");
}

#[test]
fn a_base_that_cannot_be_read_is_an_error() {
    let mut opened = spec(&mags(&["1"]));
    opened.levels[0].stored = Some(Arc::new(Unreadable));
    let volume = VolumeAnnotation::new(opened);
    let (at, shape) = (BucketAddress::at(ChunkIndex(Vec3Int::ZERO)), Shape3::splat(BUCKET_SIDE));
    let voxels = VoxelBuffer::new(VoxelType::single(ElementClass::Uint32), shape, uniform(ElementClass::Uint32, 1)).map(Arc::new);
    volume.restore(vec![BucketChange { level: 0, at: at.clone(), voxels }]).expect("fits");
    let touched = Touched::new(&volume, 1);
    volume.restore(vec![BucketChange { level: 0, at, voxels: None }]).expect("fits");
    let begin = |base| Journal::begin(File::default(), b"", &Changes(vec![touched.since(0, &volume, base)]));
    assert!(begin(Base::Opened).is_ok(), "where it isn't needed");
    assert!(matches!(begin(Base::Exported), Err(JournalError::Read(_))));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn any_edits_saved_at_any_moments_are_put_back(ops in prop::collection::vec((0_u8..8, 0_i64..4, 1_i64..40), 40)) {
        let spec = VolumeSpec { class: ElementClass::Uint16, ..spec(&mags(&["1", "2"])) };
        let mut edited = Edited::new(&spec);
        let mut journal = Journal::begin(File::default(), b"", &edited.since(0, Base::Opened)).expect("written");
        let mut saved = 0;
        for (op, x, side) in ops {
            match op {
                0 => if edited.editor.history().iter().any(|line| !line.is_undone) { edited.edit(VolumeEditor::undo) },
                1 => if edited.editor.history().iter().any(|line| line.is_undone) { edited.edit(VolumeEditor::redo) },
                2 => edited.edit(|editor| editor.rename_segment(x.cast_unsigned() + 1, Some(format!("{side}")))),
                3 => journal = journal.compacted(File::default()).expect("written"),
                4 | 5 => {
                    journal.append(&edited.since(saved, Base::Opened)).expect("written");
                    saved = edited.edit;
                }
                _ => edited.paint(side.cast_unsigned() % 4, in_bucket(x, side)),
            }
        }
        journal.append(&edited.since(saved, Base::Opened)).expect("written");
        let (states, lost) = put_back(bytes_of(&journal), &[spec]);
        prop_assert!(lost.is_empty(), "{:?}", lost);
        prop_assert_eq!(states, [edited.state()]);
    }
}
