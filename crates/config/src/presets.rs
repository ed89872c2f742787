//! Built-in presets of drives and of flash chips, as TOML texts.

/// Built-in preset: the name and the text of a file.
#[derive(Debug)]
pub(super) struct Preset {
    /// Name, as accepted by `--drive`, `extends` and `chip`.
    pub(super) name: &'static str,
    /// Path in the source tree, for messages.
    pub(super) path: &'static str,
    /// TOML text of the preset.
    pub(super) text: &'static str,
}

macro_rules! presets {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(Preset {
            name: $name,
            path: concat!("presets/", $folder, "/", $name, ".toml"),
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets/", $folder, "/", $name, ".toml")),
        }),+]
    };
}

/// Presets of complete drives.
pub(super) static DRIVES: &[Preset] = presets!("drives": "venice-performance", "venice-performance-1000", "venice-letter", "venice-cost", "venice-equal-wires", "venice-open-router", "mqsim-default", "piq-128gb", "pif", "samsung-970-pro", "samsung-980-pro-1tb", "samsung-980-1tb", "lexar-nm800-pro-2tb", "samsung-pm883-480gb", "samsung-pm9a3-960gb", "kioxia-cm7-r-3840gb", "solidigm-p5520-1920gb", "tlc-client-1tb", "tlc-enterprise-2tb", "qlc-4tb", "slc-low-latency", "micron-7450-max-800gb", "wd-zn540", "wd-zn540-1tb");

/// Presets of flash chips, for the `chip` key.
pub(super) static CHIPS: &[Preset] = presets!("chips": "z-nand-venice", "tlc-venice", "mlc-mqsim", "slc-ssdsim", "cox-pm", "mlc-samsung-970-pro", "tlc-wd-zn540");

pub(super) fn find(presets: &'static [Preset], name: &str) -> Option<&'static Preset> {
    presets.iter().find(|preset| preset.name == name)
}

/// Returns the names of `presets` in their order.
pub(super) fn names(presets: &'static [Preset]) -> Vec<&'static str> {
    presets.iter().map(|preset| preset.name).collect()
}
