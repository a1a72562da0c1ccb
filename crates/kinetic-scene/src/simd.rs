//! Which instructions checks use on this processor.

use crate::lanes::Tier;

/// Sets of instructions, narrowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimdTier {
    /// What every processor of the kind has.
    Scalar,
    /// ARM's 128-bit registers, which every 64-bit ARM processor has. Never run by the project itself.
    Neon,
    /// 256-bit registers with fused multiply-add.
    Avx2,
    /// 512-bit registers.
    Avx512,
}

impl SimdTier {
    /// `scalar`, `neon`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// The widest that this processor has and checks use. Answers do not depend on it.
pub fn detect_simd_tier() -> SimdTier {
    match Tier::detect() {
        #[cfg(target_arch = "x86_64")]
        Tier::Avx512 => SimdTier::Avx512,
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 => SimdTier::Avx2,
        Tier::Baseline if cfg!(target_arch = "aarch64") => SimdTier::Neon,
        Tier::Baseline => SimdTier::Scalar,
    }
}
