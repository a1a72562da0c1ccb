//! Formatting of numbers in messages.

/// A number with four significant digits, as people write it: `1.111`, `0.00025`, `1.234e-7`.
pub fn short(value: f64) -> String {
    let text = format!("{value:.3e}");
    let Some((digits, exponent)) = text.split_once('e') else { return value.to_string() };
    match exponent.parse::<i32>() {
        Ok(exponent @ -4..=3) => {
            let places = (3 - exponent).unsigned_abs() as usize;
            trimmed(&format!("{value:.places$}")).to_owned()
        }
        _ => format!("{}e{exponent}", trimmed(digits)),
    }
}

/// Without zeros behind the last digit that counts.
fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_written_as_people_do() {
        let cases = [
            (0.0, "0"),
            (1.1111, "1.111"),
            (-2.5, "-2.5"),
            (0.000_25, "0.00025"),
            (0.000_012_34, "1.234e-5"),
            (1234.5, "1234"),
            (9999.9, "1e4"),
            (99_999.0, "1e5"),
            (1e-300, "1e-300"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }
}
