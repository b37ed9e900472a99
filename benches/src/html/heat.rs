//! A matrix as a heat map, in SVG.

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{
    chart::{GRID, INK},
    series::Scale,
};
use crate::report::figure;

/// Of a cell's edge and of all around, in pixels.
const EDGE: i32 = 320;
const LEFT: i32 = 62;
const TOP: i32 = 34;
const SIZE: (u32, u32) = (520, 372);
/// Steps of the legend's bar.
const STEPS: i32 = 64;
/// So many columns have room for their figures.
const ROOM: usize = 8;

/// The map of `values` by row and column, both called `names`; what is `None` has no colour. The legend, from 0 to the
/// largest value, counts `unit`.
pub fn svg(names: &[String], values: &[Vec<Option<f64>>], unit: &str) -> String {
    let mut svg = String::new();
    draw(&mut svg, names, values, unit).expect("a string takes any drawing");
    svg
}

fn draw(
    svg: &mut String,
    names: &[String],
    values: &[Vec<Option<f64>>],
    unit: &str,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let drawn = |value: Option<f64>| value.filter(|value| Scale::Count.takes(*value));
    let largest = values.iter().flatten().copied().filter_map(drawn).fold(f64::MIN_POSITIVE, f64::max);
    let count = names.len() as i32;
    let edge = |index: i32| index * EDGE / count;
    let text = |colour: &RGBColor, horizontal| {
        ("sans-serif", 14).into_font().color(colour).pos(Pos::new(horizontal, VPos::Center))
    };
    for (row, line) in (0..).zip(values) {
        for (column, value) in (0..).zip(line.iter().copied().map(drawn)) {
            let (x, y) = (LEFT + edge(column), TOP + edge(row));
            let corners = [(x, y), (LEFT + edge(column + 1), TOP + edge(row + 1))];
            let colour = value.map_or(GRID, |value| colour(value / largest));
            area.draw(&Rectangle::new(corners, colour.filled()))?;
            if let (Some(value), true) = (value, names.len() <= ROOM) {
                let middle = ((x + corners[1].0) / 2, (y + corners[1].1) / 2);
                let ink = if value < largest * 0.6 { WHITE } else { BLACK };
                area.draw(&Text::new(figure(value), middle, text(&ink, HPos::Center)))?;
            }
        }
    }
    // A name where there is room for one.
    for index in (0..names.len()).step_by(names.len().div_ceil(16)) {
        let (name, middle) = (&names[index], edge(index as i32) + EDGE / count / 2);
        area.draw(&Text::new(name.clone(), (LEFT - 6, TOP + middle), text(&INK, HPos::Right)))?;
        area.draw(&Text::new(name.clone(), (LEFT + middle, TOP - 10), text(&INK, HPos::Center)))?;
    }
    let (bar, step) = (LEFT + EDGE + 24, |index: i32| TOP + EDGE - index * EDGE / STEPS);
    for index in 0..STEPS {
        let corners = [(bar, step(index + 1)), (bar + 18, step(index))];
        area.draw(&Rectangle::new(corners, colour(f64::from(index) / f64::from(STEPS - 1)).filled()))?;
    }
    for quarter in 0..=4 {
        let label = format!("{} {unit}", figure(largest * f64::from(quarter) / 4.0));
        area.draw(&Text::new(label, (bar + 24, step(quarter * STEPS / 4)), text(&INK, HPos::Left)))?;
    }
    area.present()
}

fn colour(share: f64) -> RGBColor {
    ViridisRGB::get_color(share as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(count: usize) -> String {
        let names: Vec<String> = (0..count).map(|cpu| cpu.to_string()).collect();
        let cell = |a, b| (a != b).then_some((a + b) as f64 * 10.0);
        let values: Vec<Vec<_>> = (0..count).map(|a| (0..count).map(|b| cell(a, b)).collect()).collect();
        svg(&names, &values, "ns")
    }

    #[test]
    fn a_cell_for_each_pair_and_a_legend() {
        let svg = map(3);
        assert_eq!(svg.matches("<rect").count(), 9 + STEPS as usize);
        assert_eq!(svg.matches("fill=\"#E2E2E2\"").count(), 3, "no CPU is a pair with itself");
        for part in ["\n10.0\n", "\n30.0\n", "\n0 ns\n", "\n30.0 ns\n"] {
            assert!(svg.contains(part), "{part} is missing from\n{svg}");
        }
    }

    #[test]
    fn many_cells_have_no_figures_and_a_name_now_and_then() {
        let svg = map(64);
        assert_eq!(svg.matches("<rect").count(), 64 * 64 + STEPS as usize);
        assert_eq!(svg.matches("<text").count(), 2 * 16 + 5);
    }

    #[test]
    fn any_figures_can_be_drawn() {
        for value in [0.0, 1e300, f64::INFINITY, f64::NAN] {
            let names = ["0".to_owned(), "1".to_owned()];
            let map = svg(&names, &[vec![None, Some(value)], vec![Some(value), None]], "ns");
            assert!(map.ends_with("</svg>\n"));
        }
    }
}
