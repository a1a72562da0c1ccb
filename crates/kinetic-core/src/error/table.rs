//! From tables of errors and of their reasons to enums with messages and what is known about every variant.

/// Makes an enum of errors from its rows.
///
/// A row is, in this order: documentation, the variant's name, its fields with documentation, type and an example, and after
/// the arrow its family, `retryable` where the same call may succeed again, and the message without the code that it begins
/// with. Expressions after the message are its arguments, in which the fields are references.
macro_rules! errors {
    (
        $(#[$attribute:meta])*
        pub enum $enum:ident;
        $(
            $(#[doc = $doc:literal])+
            $name:ident
            $(($only:ident: $only_type:ty = $only_example:expr))?
            $({ $(
                $(#[doc = $field_doc:literal])+
                $field:ident: $type:ty = $example:expr,
            )+ })?
            => $family:ident $($retryable:ident)?, $text:literal $(, $argument:expr)*;
        )+
    ) => {
        $(#[$attribute])*
        pub enum $enum {
            $(
                $(#[doc = $doc])+
                $name $(($only_type))? $({ $( $(#[doc = $field_doc])+ $field: $type, )+ })?,
            )+
        }

        #[allow(unused_variables, reason = "a message need not contain every field")]
        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.code())?;
                f.write_str(": ")?;
                match self {
                    $( Self::$name $(($only))? $({ $($field),+ })? => write!(f, $text $(, $argument)*), )+
                }
            }
        }

        impl $enum {
            /// What the table of errors says about this variant.
            pub fn spec(&self) -> &'static ErrorSpec {
                match self {
                    $( Self::$name { .. } => const {
                        &ErrorSpec {
                            code: stringify!($name),
                            family: ErrorFamily::$family,
                            is_retryable: errors!(@is_retryable $($retryable)?),
                            documentation: concat!($($doc),+).trim_ascii(),
                            fields: &[$($( FieldSpec {
                                name: stringify!($field),
                                documentation: concat!($($field_doc),+).trim_ascii(),
                                reasons: <$type as Field>::REASONS,
                            }, )+)?],
                        }
                    }, )+
                }
            }

            /// The fields by name, in the order of their declaration.
            pub fn fields(&self) -> Vec<(&'static str, FieldValue)> {
                #[allow(unused_mut, reason = "a variant may have no named fields")]
                let mut fields = Vec::new();
                match self {
                    $( Self::$name $(($only))? $({ $($field),+ })? => {
                        $( let _ = $only; )?
                        $($( Field::append(
                            $field, stringify!($field), concat!(stringify!($field), "_code"), &mut fields
                        ); )+)?
                    } )+
                }
                fields
            }

            /// One error of every variant, in the order of their declaration.
            pub fn examples() -> Vec<Self> {
                vec![$( Self::$name $(($only_example))? $({ $($field: $example),+ })? ),+]
            }
        }
    };
    (@is_retryable) => { false };
    (@is_retryable retryable) => { true };
}

/// Makes an enum of reasons from its rows, as [`errors`] does, without family and example.
macro_rules! reasons {
    (
        $(#[$attribute:meta])*
        pub enum $enum:ident;
        $(
            $(#[doc = $doc:literal])+
            $name:ident
            $({ $(
                $(#[doc = $field_doc:literal])+
                $field:ident: $type:ty,
            )+ })?
            => $text:literal $(, $argument:expr)*;
        )+
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $enum {
            $( $(#[doc = $doc])+ $name $({ $( $(#[doc = $field_doc])+ $field: $type, )+ })?, )+
        }

        #[allow(unused_variables, reason = "a text need not contain every field")]
        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $( Self::$name $({ $($field),+ })? => write!(f, $text $(, $argument)*), )+
                }
            }
        }

        impl $enum {
            /// The variant's name: stable, for programs.
            pub fn code(&self) -> &'static str {
                match self {
                    $( Self::$name { .. } => stringify!($name), )+
                }
            }
        }

        impl Field for $enum {
            const REASONS: &'static [ReasonSpec] = &[$(
                ReasonSpec {
                    code: stringify!($name),
                    documentation: concat!($($doc),+).trim_ascii(),
                    fields: &[$($( (stringify!($field), concat!($($field_doc),+).trim_ascii()), )+)?],
                },
            )+];

            fn append(&self, name: &'static str, code: &'static str, fields: &mut Vec<(&'static str, FieldValue)>) {
                fields.push((name, FieldValue::Text(self.to_string())));
                fields.push((code, FieldValue::Text(self.code().to_owned())));
                match self {
                    $( Self::$name $({ $($field),+ })? => {
                        $($( Field::append(
                            $field, stringify!($field), concat!(stringify!($field), "_code"), fields
                        ); )+)?
                    } )+
                }
            }
        }
    };
}

pub(super) use {errors, reasons};
