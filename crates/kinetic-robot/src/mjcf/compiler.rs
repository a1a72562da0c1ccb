//! `<compiler>`: how the other elements are to be read.

use kinetic_core::Result;

use super::element::Element;

/// Where masses come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InertiaFromGeom {
    Never,
    Always,
    /// Where a body has no `<inertial>`.
    Auto,
}

/// The settings of one document.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "these are the switches of the format")]
pub(super) struct Compiler {
    /// Factor that turns the document's angles into rad.
    pub(super) angle: f64,
    /// Axes of Euler angles: upper case fixed, lower case moving along.
    pub(super) euler_sequence: [char; 3],
    pub(super) autolimits: bool,
    pub(super) mesh_dir: String,
    pub(super) strip_path: bool,
    pub(super) fit_aabb: bool,
    pub(super) inertia_from_geom: InertiaFromGeom,
    /// Groups of geoms that have mass.
    pub(super) inertia_groups: (f64, f64),
    pub(super) bound_mass: f64,
    pub(super) bound_inertia: f64,
    pub(super) balance_inertia: bool,
    /// Mass of the whole model, kg; 0 or less for as it is.
    pub(super) total_mass: f64,
    pub(super) align_free: bool,
}

impl Default for Compiler {
    fn default() -> Self {
        Self {
            angle: 1.0_f64.to_radians(),
            euler_sequence: ['x', 'y', 'z'],
            autolimits: true,
            mesh_dir: String::new(),
            strip_path: false,
            fit_aabb: false,
            inertia_from_geom: InertiaFromGeom::Auto,
            inertia_groups: (0.0, 5.0),
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance_inertia: false,
            total_mass: -1.0,
            align_free: false,
        }
    }
}

impl Compiler {
    /// The settings of a document; a later `<compiler>` overrides what an earlier one states.
    pub(super) fn read(root: &Element) -> Result<Self> {
        let mut compiler = Self::default();
        let directory = |name| root.children("compiler").filter_map(|element| element.get(name)).last();
        directory("meshdir").or(directory("assetdir")).unwrap_or_default().clone_into(&mut compiler.mesh_dir);
        root.children("compiler").try_for_each(|element| compiler.apply(element))?;
        Ok(compiler)
    }

    fn apply(&mut self, element: &Element) -> Result<()> {
        let given = element.plain();
        let set_flag = |name, flag: &mut bool| given.flag(name).map(|value| *flag = value.unwrap_or(*flag));
        set_flag("autolimits", &mut self.autolimits)?;
        set_flag("strippath", &mut self.strip_path)?;
        set_flag("fitaabb", &mut self.fit_aabb)?;
        set_flag("balanceinertia", &mut self.balance_inertia)?;
        set_flag("alignfree", &mut self.align_free)?;
        let set_number = |name, number: &mut f64| given.number(name).map(|value| *number = value.unwrap_or(*number));
        set_number("boundmass", &mut self.bound_mass)?;
        set_number("boundinertia", &mut self.bound_inertia)?;
        set_number("settotalmass", &mut self.total_mass)?;
        if let Some([low, high]) = given.numbers("inertiagrouprange")? {
            self.inertia_groups = (low, high);
        }
        if given.get("inertiafromgeom").is_some() {
            self.inertia_from_geom = match given.flag("inertiafromgeom")? {
                Some(true) => InertiaFromGeom::Always,
                Some(false) => InertiaFromGeom::Never,
                None => InertiaFromGeom::Auto,
            };
        }
        self.apply_conventions(element)
    }

    fn apply_conventions(&mut self, element: &Element) -> Result<()> {
        match element.get("angle") {
            None => {}
            Some("degree") => self.angle = 1.0_f64.to_radians(),
            Some("radian") => self.angle = 1.0,
            Some(other) => return Err(element.error(format!("angle = \"{other}\"; wanted degree or radian"))),
        }
        if element.get("coordinate") == Some("global") {
            let advice = "MuJoCo dropped them in version 2.3.4; an older MuJoCo saves the model in local ones";
            return Err(element.error(format!("coordinate = \"global\": global coordinates are refused ({advice})")));
        }
        if let Some(sequence) = element.get("eulerseq") {
            let axes: Vec<char> = sequence.chars().filter(|axis| "xyzXYZ".contains(*axis)).collect();
            let wrong = || element.error(format!("eulerseq = \"{sequence}\"; wanted three letters of xyzXYZ"));
            self.euler_sequence =
                if axes.len() == sequence.chars().count() { axes.try_into().ok() } else { None }.ok_or_else(wrong)?;
        }
        Ok(())
    }
}
