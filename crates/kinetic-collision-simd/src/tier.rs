//! Instruction tiers and their detection. No other module queries the processor's features.

/// Instruction sets that kernels are compiled for, narrowest first.
///
/// Verdicts do not depend on the tier: what single precision cannot tell for certain is decided in double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimdTier {
    /// The baseline of the architecture, for 8 configurations at once.
    Scalar,
    /// 128-bit registers, which every 64-bit ARM processor has. This tier is not run in the project's tests.
    Neon,
    /// 256-bit registers with fused multiply-add: 8 configurations at once.
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

/// The widest tier that this processor has. Checks use it unless told otherwise.
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
