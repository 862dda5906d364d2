//! How long ago something was, in words.

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `5 min ago`, `Yesterday`, `14 Nov`, `14 Nov 2024`. Both are seconds since 1970; dates are UTC, since
/// the standard library knows no time zones, so they are used for what is more than a week ago only.
pub fn age(then_secs: u64, now_secs: u64) -> String {
    let ago = now_secs.saturating_sub(then_secs);
    match ago {
        _ if ago < MINUTE => "Just now".to_owned(),
        _ if ago < HOUR => format!("{} min ago", ago / MINUTE),
        _ if ago < DAY => format!("{} h ago", ago / HOUR),
        _ if ago < 2 * DAY => "Yesterday".to_owned(),
        _ if ago < 7 * DAY => format!("{} days ago", ago / DAY),
        _ => {
            let ((year, month, day), (this_year, _, _)) = (date(then_secs), date(now_secs));
            let month = MONTHS.get(month).copied().unwrap_or_default();
            if year == this_year { format!("{day} {month}") } else { format!("{day} {month} {year}") }
        }
    }
}

/// Year, month from 0 and day from 1 of the proleptic Gregorian calendar.
fn date(unix_secs: u64) -> (u64, usize, u64) {
    // Years that start in March end with the leap day; 1970-01-01 is day 719 468 of them.
    let days = unix_secs / DAY + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 2 } else { march_month - 10 };
    let year = era * 400 + year_of_era + u64::from(month < 2);
    (year, usize::try_from(month).unwrap_or(0), day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (secs, expected) in
            [(0, (1970, 0, 1)), (951_782_400, (2000, 1, 29)), (1_709_164_800, (2024, 1, 29)), (1_732_924_800, (2024, 10, 30))]
        {
            assert_eq!(date(secs), expected);
        }
    }

    #[test]
    fn ages_become_dates_after_a_week() {
        let now = 1_732_924_800; // 30 Nov 2024
        for (ago, text) in [
            (5, "Just now"),
            (5 * MINUTE, "5 min ago"),
            (3 * HOUR, "3 h ago"),
            (30 * HOUR, "Yesterday"),
            (3 * DAY, "3 days ago"),
            (16 * DAY, "14 Nov"),
            (366 * DAY, "30 Nov 2023"),
        ] {
            assert_eq!(age(now - ago, now), text);
        }
        assert_eq!(age(now + 50, now), "Just now");
    }
}
