//! The one place that asks the processor what it can do.

/// Sets of instructions that checks can use, narrowest first.
///
/// Verdicts do not depend on it: what single precision cannot tell for certain is decided in double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimdTier {
    /// What every processor of the kind has, for 8 configurations at once.
    Scalar,
    /// ARM's 128-bit registers, which every 64-bit ARM processor has. Never run by the project itself.
    Neon,
    /// 256-bit registers with fused multiply-add: 8 configurations at once.
    Avx2,
    /// AVX-512 on registers of half the length: 8, with twice as many registers as AVX2.
    Avx512Half,
    /// 512-bit registers: 16, and 8 for what does not need more.
    Avx512,
}

impl SimdTier {
    /// What every processor of the kind has.
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

    /// All that this processor can run, the widest first.
    pub fn available() -> Vec<Self> {
        let widest = detect_simd_tier();
        let all = [Self::Avx512, Self::Avx512Half, Self::Avx2, Self::BASELINE];
        all.into_iter().skip_while(|tier| *tier != widest).collect()
    }
}

/// The widest that this processor has, which checks use.
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
