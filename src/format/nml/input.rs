//! [`Utf8Input`]: the bytes of an XML file as UTF-8 that holds only what XML allows.

use super::chars::is_xml_char;
use std::io::{self, BufRead, Read};

/// Bytes that are converted at once.
const STEP: usize = 1 << 16;

/// How the bytes of a file stand for characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

/// Which limit an input went beyond. It travels inside an [`io::Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum InputLimit {
    /// The whole input.
    #[error("the input is too long")]
    Whole,
    /// One tag, comment or text.
    #[error("a piece of the input is too long")]
    Piece,
}

/// Reads UTF-8 and UTF-16, with and without a byte order mark.
///
/// Bytes that stand for no character become U+FFFD, characters that XML can't hold are left out; both are counted.
pub(super) struct Utf8Input<R> {
    inner: R,
    /// Known once the first bytes were seen.
    encoding: Option<Encoding>,
    /// Bytes of a character whose rest hasn't been read.
    carried: Vec<u8>,
    out: String,
    /// How much of `out` has been given away.
    given: usize,
    /// Bytes read, and bytes handed out or lying in `out`.
    raw_len: u64,
    out_len: u64,
    piece_left: usize,
    limits: (u64, usize),
    pub(super) invalid_sequences: u64,
    pub(super) dropped_characters: u64,
}

impl<R: BufRead> Utf8Input<R> {
    /// An input of at most `max_len` bytes, in pieces of at most `max_piece`.
    pub(super) const fn new(inner: R, max_len: u64, max_piece: usize) -> Self {
        Self {
            inner,
            encoding: None,
            carried: Vec::new(),
            out: String::new(),
            given: 0,
            raw_len: 0,
            out_len: 0,
            piece_left: max_piece,
            limits: (max_len, max_piece),
            invalid_sequences: 0,
            dropped_characters: 0,
        }
    }

    /// A new piece begins.
    pub(super) const fn begin_piece(&mut self) {
        self.piece_left = self.limits.1;
    }

    /// Bytes read so far.
    pub(super) const fn raw_len(&self) -> u64 {
        self.raw_len
    }

    /// The byte of the file where a byte of the UTF-8 lies; near it where characters were converted.
    pub(super) const fn raw_position(&self, position: u64) -> u64 {
        match self.encoding {
            Some(Encoding::Utf16Le | Encoding::Utf16Be) => (self.raw_len).saturating_sub(2 * self.out_len.saturating_sub(position)),
            Some(Encoding::Utf8) | None => (self.raw_len).saturating_sub(self.out_len.saturating_sub(position)),
        }
    }

    /// Converts the next bytes.
    fn refill(&mut self) -> io::Result<()> {
        self.out.clear();
        self.given = 0;
        while self.out.is_empty() {
            let mut bytes = std::mem::take(&mut self.carried);
            let new = self.inner.fill_buf()?;
            let len = new.len().min(STEP);
            bytes.extend_from_slice(&new[..len]);
            self.inner.consume(len);
            self.raw_len += len as u64;
            if self.raw_len > self.limits.0 {
                return Err(io::Error::other(InputLimit::Whole));
            }
            let is_end = len == 0;
            if self.encoding.is_none() && bytes.len() < 4 && !is_end {
                self.carried = bytes;
                continue;
            }
            let bom_len = match self.encoding {
                Some(_) => 0,
                None => {
                    let (encoding, bom_len) = sniff(&bytes);
                    self.encoding = Some(encoding);
                    bom_len
                }
            };
            match self.encoding {
                Some(Encoding::Utf16Le) => self.push_utf16(&bytes[bom_len..], u16::from_le_bytes, is_end),
                Some(Encoding::Utf16Be) => self.push_utf16(&bytes[bom_len..], u16::from_be_bytes, is_end),
                Some(Encoding::Utf8) | None => self.push_utf8(&bytes[bom_len..], is_end),
            }
            if is_end {
                break;
            }
        }
        self.out_len += self.out.len() as u64;
        Ok(())
    }

    fn push_utf8(&mut self, bytes: &[u8], is_end: bool) {
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.push_valid(chunk.valid());
            if chunk.invalid().is_empty() {
                continue;
            }
            // A character that goes on in the next bytes: its beginning is valid as far as it goes.
            if chunks.peek().is_none() && !is_end && std::str::from_utf8(chunk.invalid()).is_err_and(|err| err.error_len().is_none()) {
                self.carried = chunk.invalid().to_vec();
                return;
            }
            self.invalid_sequences += 1;
            self.out.push(char::REPLACEMENT_CHARACTER);
        }
    }

    fn push_valid(&mut self, text: &str) {
        // The rule looks at single characters; most texts have none that it is about.
        if text.bytes().all(|b| b >= 0x20 && b != 0xef || matches!(b, b'\t' | b'\n' | b'\r')) {
            self.out.push_str(text);
        } else {
            text.chars().for_each(|c| self.push_char(c));
        }
    }

    fn push_char(&mut self, c: char) {
        if is_xml_char(c) {
            self.out.push(c);
        } else {
            self.dropped_characters += 1;
        }
    }

    fn push_utf16(&mut self, bytes: &[u8], unit: impl Fn([u8; 2]) -> u16, is_end: bool) {
        let (pairs, mut rest) = bytes.as_chunks::<2>();
        let mut pairs = pairs;
        // Half of a pair of units waits for the other half.
        if let Some((last, before)) = pairs.split_last()
            && !is_end
            && (0xd800..0xdc00).contains(&unit(*last))
        {
            rest = &bytes[2 * before.len()..];
            pairs = before;
        }
        for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
            match decoded {
                Ok(c) => self.push_char(c),
                Err(_) => {
                    self.invalid_sequences += 1;
                    self.out.push(char::REPLACEMENT_CHARACTER);
                }
            }
        }
        if is_end {
            self.invalid_sequences += u64::from(!rest.is_empty());
        } else {
            self.carried = rest.to_vec();
        }
    }
}

/// The encoding by a byte order mark, with the mark's length, or by where the zeros of the first character are.
fn sniff(bytes: &[u8]) -> (Encoding, usize) {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
        [0xff, 0xfe, ..] => (Encoding::Utf16Le, 2),
        [0xfe, 0xff, ..] => (Encoding::Utf16Be, 2),
        [1..=255, 0, 1..=255, 0, ..] => (Encoding::Utf16Le, 0),
        [0, 1..=255, 0, 1..=255, ..] => (Encoding::Utf16Be, 0),
        _ => (Encoding::Utf8, 0),
    }
}

impl<R: BufRead> Read for Utf8Input<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(buf)?;
        self.consume(len);
        Ok(len)
    }
}

impl<R: BufRead> BufRead for Utf8Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.given == self.out.len() {
            self.refill()?;
        }
        if self.piece_left == 0 && self.given < self.out.len() {
            return Err(io::Error::other(InputLimit::Piece));
        }
        Ok(&self.out.as_bytes()[self.given..])
    }

    fn consume(&mut self, amount: usize) {
        self.given = (self.given + amount).min(self.out.len());
        self.piece_left = self.piece_left.saturating_sub(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<a é=\"😀\">\r\n世界</a>";

    /// Gives its bytes in pieces of a few.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let len = self.fill_buf()?.read(buf)?;
            self.consume(len);
            Ok(len)
        }
    }

    impl BufRead for Drops<'_> {
        fn fill_buf(&mut self) -> io::Result<&[u8]> {
            Ok(&self.0[..self.0.len().min(self.1)])
        }
        fn consume(&mut self, amount: usize) {
            self.0 = &self.0[amount..];
        }
    }

    fn converted(bytes: &[u8], step: usize) -> (String, u64, u64) {
        let mut input = Utf8Input::new(Drops(bytes, step), 1 << 20, 1 << 20);
        let mut text = String::new();
        input.read_to_string(&mut text).expect("UTF-8");
        (text, input.invalid_sequences, input.dropped_characters)
    }

    #[test]
    fn all_encodings_give_the_same_text_however_the_bytes_arrive() {
        let le: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = TEXT.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let utf8 = TEXT.as_bytes();
        let files = [
            utf8.to_vec(),
            [b"\xef\xbb\xbf", utf8].concat(),
            le.clone(),
            [b"\xff\xfe", &le[..]].concat(),
            be.clone(),
            [b"\xfe\xff", &be[..]].concat(),
        ];
        for file in files {
            for step in [1, 2, 3, 5, 1000] {
                assert_eq!(converted(&file, step), (TEXT.to_owned(), 0, 0), "{file:02x?} by {step}");
            }
        }
    }

    #[test]
    fn what_is_no_character_is_replaced_or_left_out_and_counted() {
        for step in [1, 2, 7, 1000] {
            assert_eq!(converted(b"ab\xff\x01c\xef\xbf\xbfd\xe4\xb8", step), ("ab\u{fffd}cd\u{fffd}".to_owned(), 2, 2), "by {step}");
            assert_eq!(converted(b"\xff\xfea\0\x00\xd8b\0\x01", step), ("a\u{fffd}b".to_owned(), 2, 0), "by {step}");
        }
    }

    #[test]
    fn inputs_and_pieces_beyond_their_limits_are_errors() {
        let mut whole = Utf8Input::new(&b"0123456789"[..], 9, 100);
        assert!(whole.read_to_string(&mut String::new()).is_err());
        let mut piece = Utf8Input::new(&b"0123456789"[..], 100, 9);
        assert!(piece.read_exact(&mut [0; 9]).is_ok());
        assert!(piece.fill_buf().is_err());
        piece.begin_piece();
        assert_eq!(piece.fill_buf().expect("more"), b"9");
    }
}
