//! Instruction tiers, their detection and choice. No other module queries the processor's features.

use std::sync::OnceLock;

use kinetic_core::{KineticError, Result};

/// The environment variable that names the tier of a process, for measurements of what other processors do.
pub const TIER_VARIABLE: &str = "KINETIC_SIMD";

/// Instruction sets that kernels are compiled for, narrowest first.
///
/// Verdicts do not depend on the tier: what single precision cannot tell for certain is decided in double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimdTier {
    /// The baseline of the architecture, for 8 configurations at once.
    Scalar,
    /// 128-bit registers, which every 64-bit ARM processor has. This tier is not run in the project's tests.
    Neon,
    /// 256-bit registers with fused multiply-add, two as one: 16 configurations at once, and 8 for batches that do not need more.
    Avx2,
    /// AVX-512 on registers of half the length: 8, with twice as many registers as AVX2.
    Avx512Half,
    /// 512-bit registers: 16 configurations at once, and 8 for batches that do not need more.
    Avx512,
}

impl SimdTier {
    /// The tier that every processor of the architecture has.
    pub const BASELINE: Self = if cfg!(target_arch = "aarch64") { Self::Neon } else { Self::Scalar };

    /// `scalar`, `neon`, `avx2`, `avx512half` or `avx512`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512Half => "avx512half",
            Self::Avx512 => "avx512",
        }
    }

    /// All tiers that this processor can run, the widest first.
    pub fn available() -> Vec<Self> {
        let widest = detect_simd_tier();
        let all = [Self::Avx512, Self::Avx512Half, Self::Avx2, Self::BASELINE];
        all.into_iter().skip_while(|tier| *tier != widest).collect()
    }
}

/// The tier that checks use unless told otherwise: the one that [`TIER_VARIABLE`] named when it was first asked for, or, where the
/// variable is not set or empty, the widest that this processor has.
///
/// # Errors
/// [`KineticError::InvalidValue`] for a name that is none of this processor's tiers.
pub fn simd_tier() -> Result<SimdTier> {
    static CHOSEN: OnceLock<Result<SimdTier>> = OnceLock::new();
    CHOSEN.get_or_init(|| named_tier(&std::env::var_os(TIER_VARIABLE).unwrap_or_default().to_string_lossy())).clone()
}

/// The tier of a name; the widest for an empty one.
fn named_tier(name: &str) -> Result<SimdTier> {
    if name.is_empty() {
        return Ok(detect_simd_tier());
    }
    let available = SimdTier::available();
    let of_name = available.iter().find(|tier| tier.name() == name);
    of_name.copied().ok_or_else(|| {
        let names: Vec<&str> = available.iter().map(|tier| tier.name()).collect();
        let wanted = format!("a SIMD tier of this processor: {}", names.join(", "));
        KineticError::invalid(format!("the environment variable {TIER_VARIABLE}"), name, wanted)
    })
}

/// [`simd_tier`], and the widest where that is an error, which whoever compiles a scene has reported.
pub(crate) fn usual_tier() -> SimdTier {
    simd_tier().unwrap_or_else(|_| detect_simd_tier())
}

/// The widest tier that this processor has.
pub fn detect_simd_tier() -> SimdTier {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            return SimdTier::Avx512;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return SimdTier::Avx2;
        }
    }
    SimdTier::BASELINE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_available_tier_has_a_name_that_chooses_it() {
        for tier in SimdTier::available() {
            assert_eq!(named_tier(tier.name()), Ok(tier));
        }
        assert_eq!(named_tier(""), Ok(detect_simd_tier()));
    }

    #[test]
    fn a_name_of_no_tier_is_refused_with_the_possible_ones() {
        for name in ["AVX2", "avx1024", " ", if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" }] {
            let refused = named_tier(name).expect_err("no tier has this name").to_string();
            assert!(refused.contains("KINETIC_SIMD") && refused.contains(SimdTier::BASELINE.name()), "{refused}");
        }
    }
}
