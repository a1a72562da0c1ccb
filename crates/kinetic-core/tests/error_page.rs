//! The documentation page of errors has the table of errors; `KINETIC_WRITE_PAGES=1` writes it anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use kinetic_core::error::ErrorSpec;
use kinetic_core::{ErrorFamily, KineticError};

const BEGIN: &str =
    "<!-- begin of the table; written by `KINETIC_WRITE_PAGES=1 cargo test -p kinetic-core error_page` -->\n";

const FAMILIES: [(ErrorFamily, &str); 5] = [
    (ErrorFamily::Input, "Input"),
    (ErrorFamily::InverseKinematics, "Inverse kinematics"),
    (ErrorFamily::Planning, "Planning"),
    (ErrorFamily::Execution, "Execution"),
    (ErrorFamily::Files, "Files"),
];

fn row(spec: &ErrorSpec) -> String {
    let fields: Vec<_> = spec.fields.iter().map(|field| format!("`{}`", field.name)).collect();
    let retryable = if spec.is_retryable { " Retryable." } else { "" };
    format!("| `{}` | {}{retryable} | {} |", spec.code, spec.documentation, fields.join(", "))
}

fn tables() -> String {
    let examples = KineticError::examples();
    let mut text = String::new();
    for (family, heading) in FAMILIES {
        write!(text, "\n## {heading}\n\n| code | when | fields |\n|---|---|---|\n").unwrap();
        for spec in examples.iter().map(KineticError::spec).filter(|spec| spec.family == family) {
            writeln!(text, "{}", row(spec)).unwrap();
        }
    }
    text.push_str("\n## Reasons\n\nThe `reason` of some errors has a code, `reason_code`, and fields of its own, which are fields\n");
    text.push_str("of the error, too. A `cause` is the reason of another error, with `cause_code` and its fields.\n\n");
    text.push_str("| code | reason_code | when | fields |\n|---|---|---|---|\n");
    for spec in examples.iter().map(KineticError::spec) {
        for reason in spec.fields.iter().flat_map(|field| field.reasons) {
            let fields: Vec<_> = reason.fields.iter().map(|(name, _)| format!("`{name}`")).collect();
            let (code, documentation) = (reason.code, reason.documentation);
            writeln!(text, "| `{}` | `{code}` | {documentation} | {} |", spec.code, fields.join(", ")).unwrap();
        }
    }
    text
}

#[test]
fn the_page_of_errors_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs-site/errors.md");
    let page = fs::read_to_string(&path).unwrap();
    let (head, written) = page.split_once(BEGIN).unwrap();
    if std::env::var_os("KINETIC_WRITE_PAGES").is_some() {
        fs::write(&path, format!("{head}{BEGIN}{}", tables())).unwrap();
    } else {
        assert_eq!(written, tables(), "{} is written by hand or out of date", path.display());
    }
}
