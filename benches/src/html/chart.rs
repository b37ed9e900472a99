//! One chart as SVG, to stand in the page's text.

use std::ops::Range;

use plotters::{
    coord::ranged1d::{DefaultFormatting, KeyPointHint},
    prelude::*,
};

use super::series::{Measure, Over, Scale, Series};

/// Colours that people who see colours differently can tell apart (Okabe and Ito's, with grey for black; yellow is last
/// and darker, being faint on white), then Tol's muted ones: as many as `compare` has contenders with all its switches.
pub const PALETTE: [RGBColor; 16] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x80, 0x80, 0x80),
    RGBColor(0xC9, 0xB8, 0x1E),
    RGBColor(0xCC, 0x66, 0x77),
    RGBColor(0x11, 0x77, 0x33),
    RGBColor(0xAA, 0x44, 0x99),
    RGBColor(0x44, 0xAA, 0x99),
    RGBColor(0x99, 0x99, 0x33),
    RGBColor(0x88, 0x22, 0x55),
    RGBColor(0x66, 0x99, 0xCC),
    RGBColor(0xEE, 0x88, 0x66),
];

/// Of text and axes, and of the grid: the page's style exchanges them where the reader wants it dark.
pub const INK: RGBColor = RGBColor(0x33, 0x33, 0x33);
/// See [`INK`].
pub const GRID: RGBColor = RGBColor(0xE2, 0xE2, 0xE2);

const SIZE: (u32, u32) = (400, 260);

/// A contender's colour, the same on all of a page.
pub fn colour(contender: usize) -> RGBColor {
    PALETTE[contender % PALETTE.len()]
}

/// What its points look like, as a character.
pub fn mark(contender: usize) -> char {
    ['\u{25CF}', '\u{2715}', '\u{25B2}', '\u{25CB}'][contender % 4]
}

/// As SVG and CSS write it.
pub fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// The part of the plane that a chart shows; charts that are to be compared share one.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    x: Axis,
    y: Axis,
}

/// From where to where, by what steps, with a tick where.
#[derive(Clone, Debug, PartialEq)]
struct Axis {
    range: Range<f64>,
    log: bool,
    ticks: Vec<f64>,
}

impl Frame {
    /// Around all points of these series; `None` where there are not two different x.
    pub fn around<'a, L>(measure: &Measure<L>, series: impl Iterator<Item = &'a Series>) -> Option<Self> {
        let (xs, ys): (Vec<f64>, Vec<f64>) = series.flat_map(|series| &series.points).copied().unzip();
        let x = Axis::doubling(xs)?;
        let largest = ys.iter().copied().fold(0.0, f64::max);
        let y = match measure.scale {
            scale if scale.by_powers() => {
                Axis::decades(ys.iter().copied().fold(f64::INFINITY, f64::min), largest)
            }
            Scale::Share => Axis { range: 0.0..1.03, log: false, ticks: vec![0.0, 0.25, 0.5, 0.75, 1.0] },
            _ => Axis::linear(largest),
        };
        Some(Self { x, y })
    }
}

impl Axis {
    /// Logarithmic, with a tick below each point that has room for one.
    fn doubling(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (low, high) = (*values.first()?, *values.last()?);
        let room = (high / low).powf(0.1);
        values.dedup_by(|next, last| *next <= *last * room);
        (values.len() > 1).then(|| Self {
            range: low / room.sqrt()..high * room.sqrt(),
            log: true,
            ticks: values,
        })
    }

    /// Logarithmic, from a power of ten to a power of ten.
    fn decades(smallest: f64, largest: f64) -> Self {
        let low = smallest.log10().floor() as i32;
        let high = (largest.log10().ceil() as i32).max(low + 1);
        let digits: &[f64] = if high - low < 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let ticks = (low..=high).flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
        let range = 10f64.powi(low)..10f64.powi(high);
        Self { log: true, ticks: ticks.filter(|tick| *tick <= range.end).collect(), range }
    }

    /// From zero on, with four to eight round ticks.
    fn linear(largest: f64) -> Self {
        let high = if largest > 1e-9 { largest * 1.06 } else { 1.0 };
        let magnitude = 10f64.powf((high / 4.0).log10().floor());
        let steps = [5.0, 2.0, 1.0].map(|digit| digit * magnitude);
        let step = steps.into_iter().find(|step| high / step >= 4.0).unwrap_or(magnitude);
        let ticks = (0..).map(|n| f64::from(n) * step).take_while(|tick| *tick <= high);
        Self { range: 0.0..high, log: false, ticks: ticks.collect() }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let place = |value: f64| if self.log { value.ln() } else { value };
        let [low, high, at] = [self.range.start, self.range.end, *value].map(place);
        from + (f64::from(to - from) * (at - low) / (high - low)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// The chart of these series within `frame`.
pub fn svg<L>(measure: &Measure<L>, over: Over, frame: &Frame, series: &[Series]) -> String {
    let mut svg = String::new();
    draw(&mut svg, measure, over, frame, series).expect("a string takes any drawing");
    svg
}

fn draw<L>(
    svg: &mut String,
    measure: &Measure<L>,
    over: Over,
    frame: &Frame,
    series: &[Series],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&area)
        .margin(8)
        .margin_right(14)
        .x_label_area_size(38)
        .y_label_area_size(62)
        .build_cartesian_2d(frame.x.clone(), frame.y.clone())?;
    let text = ("sans-serif", 15).into_font().color(&INK);
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .label_style(text.clone())
        .axis_desc_style(text)
        .x_desc(over.axis)
        .y_desc(measure.axis)
        .x_label_formatter(&|x| over.scale.tick(*x))
        .y_label_formatter(&|y| measure.scale.tick(*y))
        .draw()?;
    // The first contender is the default: on top of the others.
    for Series { contender, points } in series.iter().rev() {
        let colour = colour(*contender);
        chart.draw_series([PathElement::new(points.clone(), colour.stroke_width(2))])?;
        chart.draw_series(points.iter().map(|&at| marker(at, *contender)))?;
    }
    area.present()
}

/// [`mark`] in a chart: a second thing, besides the colour, to tell contenders by.
fn marker<'a>(at: (f64, f64), contender: usize) -> DynElement<'static, SVGBackend<'a>, (f64, f64)> {
    let (full, hollow) = (colour(contender).filled(), colour(contender).stroke_width(2));
    match contender % 4 {
        0 => Circle::new(at, 4, full).into_dyn(),
        1 => Cross::new(at, 4, hollow).into_dyn(),
        2 => TriangleMarker::new(at, 5, full).into_dyn(),
        _ => Circle::new(at, 4, hollow).into_dyn(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        compare::{self, Switch},
        html::series::{MEASURES, RATIO},
        placement::Placement,
        plan::{Row, Work},
        workload::Shape,
    };
    use clap::ValueEnum;
    use std::collections::BTreeSet;

    fn ticks(axis: &Axis, scale: Scale) -> Vec<String> {
        axis.ticks.iter().map(|&at| scale.tick(at)).collect()
    }

    /// A line is hidden by its colour.
    #[test]
    fn each_contender_of_compare_has_a_colour_of_its_own() {
        let shapes = [(1, 1), (2, 1), (1, 2)].map(|(senders, receivers)| Shape { senders, receivers });
        let labels = shapes.into_iter().flat_map(|shape| {
            let work = Work::Stream { shape, capacity: 1 };
            compare::contenders(Switch::value_variants(), Row { placement: Placement::Free, work })
        });
        let contenders: BTreeSet<String> = labels.map(|contender| contender.to_string()).collect();
        let colours: BTreeSet<String> = (0..contenders.len()).map(|index| hex(colour(index))).collect();
        assert_eq!(colours.len(), contenders.len(), "{contenders:?}");
    }

    #[test]
    fn ticks_are_round() {
        let shown = |largest| ticks(&Axis::linear(largest), Scale::Count);
        assert_eq!(shown(70e6), ["0", "10 M", "20 M", "30 M", "40 M", "50 M", "60 M", "70 M"]);
        assert_eq!(shown(1200.0), ["0", "200", "400", "600", "800", "1 k", "1.2 k"]);
        assert_eq!(shown(0.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        let shown = |low, high| ticks(&Axis::decades(low, high), Scale::LogTime);
        assert_eq!(shown(30.0, 900.0), ["10 ns", "20 ns", "50 ns", "100 ns", "200 ns", "500 ns", "1 µs"]);
        assert_eq!(shown(30.0, 2e6), ["10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]);
        assert_eq!(shown(100.0, 100.0), ["100 ns", "200 ns", "500 ns", "1 µs"]);
    }

    #[test]
    fn loads_have_ticks_where_there_is_room() {
        let at = |values: &[f64]| Axis::doubling(values.to_vec()).map(|axis| axis.ticks);
        assert_eq!(at(&[4.0, 1.0, 2.0, 1.0]), Some(vec![1.0, 2.0, 4.0]));
        assert_eq!(at(&[1.0, 1.01, 16.0]).map(|at| at.len()), Some(2));
        assert_eq!(at(&[2.0, 2.0]), None);
        assert_eq!(at(&[]), None);
    }

    #[test]
    fn a_chart_has_its_lines_and_words() {
        let series = [0, 1].map(|contender| Series {
            contender,
            points: vec![(1.0, 2e6 + contender as f64), (2.0, 3e6), (16.0, 1e6)],
        });
        let frame = Frame::around(&MEASURES[0], series.iter()).unwrap();
        let svg = svg(&MEASURES[0], Over::LOAD, &frame, &series);
        for part in ["<svg ", "items per second", "tasks per CPU", "2 M", "#0072B2", "#D55E00"] {
            assert!(svg.contains(part), "{part} is missing from\n{svg}");
        }
        assert_eq!(svg.matches("<polyline fill=\"none\" opacity=\"1\" stroke=\"#0072B2\"").count(), 1);
        assert_eq!(svg.matches("<circle").count(), 3);
    }

    #[test]
    fn any_figures_that_pass_can_be_drawn() {
        for measure in MEASURES.iter().chain([&RATIO]) {
            let values = [0.0, 5e-324, 1e-3, 1.0, 1e15, 1e300, f64::INFINITY, f64::NAN, -1.0];
            let passing: Vec<f64> = values.into_iter().filter(|&value| measure.scale.takes(value)).collect();
            assert!(passing.len() >= 3);
            for ys in [&passing[..], &passing[..1], &passing[passing.len() - 1..]] {
                let points =
                    [1e-6, 1.0, 1e6].into_iter().flat_map(|x| ys.iter().map(move |&y| (x, y))).collect();
                let series = [Series { contender: 7, points }];
                let frame = Frame::around(measure, series.iter()).unwrap();
                assert!(svg(measure, Over::LOAD, &frame, &series).ends_with("</svg>\n"));
            }
        }
    }
}
