import { tickWords } from "../format.ts";
import type { RatioScale } from "../html/scale.ts";
import type { CardContent, CardMark, CardRow } from "./content.ts";
import { INK, LINE, PAPER, SOFT } from "./look.ts";
import type { Measures } from "./measures.ts";
import { box, type CardNode, type CardStyle, words } from "./node.ts";

/** Space between two columns, in pixels. */
const GAP = 36;

/**
 * A row for each kind of work, with a dot and its 99 % interval for each platform; in two columns where there
 * are many.
 */
export function chart(content: CardContent, measures: Measures): CardNode {
  const { rowsInColumn, columns } = measures;
  const parts = Array.from({ length: columns }, (_, index) =>
    content.rows.slice(index * rowsInColumn, (index + 1) * rowsInColumn),
  );
  return box(
    { flexGrow: 1, flexShrink: 1, marginTop: 14, alignItems: "flex-start" },
    ...parts
      .filter((rows) => rows.length > 0)
      .map((rows, index) => column(rows, content, measures, index === 0 ? 0 : GAP)),
  );
}

function column(rows: readonly CardRow[], content: CardContent, measures: Measures, gap: number): CardNode {
  const widths = widthsOf(content, measures);
  return box(
    { flexDirection: "column", flexGrow: 1, flexShrink: 1, flexBasis: 0, marginLeft: gap },
    box(
      { height: 22, paddingLeft: widths.label, paddingRight: widths.numbers, fontSize: 13, color: SOFT },
      axis(content.scale),
    ),
    box(
      { position: "relative", flexDirection: "column" },
      grid(content.scale, widths),
      ...rows.map((one) => row(one, content, measures, widths)),
    ),
  );
}

interface Widths {
  readonly label: number;
  readonly numbers: number;
}

function widthsOf({ rows }: CardContent, { label, numbers, columns }: Measures): Widths {
  const longest = Math.max(...rows.map((one) => Math.max(one.label.length, (one.under?.length ?? 0) * 0.8)));
  const most = columns === 1 ? 300 : 190;
  return { label: Math.min(most, Math.ceil(longest * label * 0.6) + 16), numbers: numbers?.width ?? 0 };
}

/** The scale's ticks, each in the middle above its line. */
function axis({ ticks, position }: RatioScale): CardNode {
  const labels = ticks.map((tick) =>
    box(
      {
        position: "absolute",
        left: `${position(tick)}%`,
        width: 60,
        marginLeft: -30,
        justifyContent: "center",
      },
      words(tickWords(tick), 1, {}),
    ),
  );
  return box({ position: "relative", flexGrow: 1, flexShrink: 1, flexBasis: 0 }, ...labels);
}

/** A line for each tick, behind all rows. */
function grid({ ticks, position }: RatioScale, { label, numbers }: Widths): CardNode {
  const lines = ticks.map((tick) =>
    box({
      position: "absolute",
      top: 0,
      bottom: 0,
      left: `${position(tick)}%`,
      width: 1,
      backgroundColor: tick === 1 ? INK : LINE,
    }),
  );
  return box({ position: "absolute", top: 0, bottom: 0, left: label, right: numbers }, ...lines);
}

function row(
  { label, under, marks }: CardRow,
  { scale, platforms }: CardContent,
  { rowHeight, label: size, dot, numbers }: Measures,
  widths: Widths,
): CardNode {
  const isRoomy = under !== null && rowHeight >= size * 1.3 + 16;
  return box(
    { height: rowHeight, borderTop: `1px solid ${LINE}` },
    box(
      { width: widths.label, flexDirection: "column", justifyContent: "center", paddingRight: 12 },
      words(isRoomy || under === null ? label : `${label} · ${under}`, 1, {
        fontSize: size,
        fontWeight: 600,
        lineHeight: 1.2,
      }),
      isRoomy ? words(under, 1, { fontSize: 13, color: SOFT, lineHeight: 1.2 }) : null,
    ),
    box(
      { position: "relative", flexGrow: 1, flexShrink: 1, flexBasis: 0 },
      ...marks.flatMap((one) => mark(one, platforms.length, scale, dot, platforms[one.line]?.colour ?? INK)),
    ),
    numbers === null ? null : numbersOf(marks, platforms, numbers),
  );
}

/** Five outcomes: filled, two bars, a bar alone, a cross. The value beside it says the side. */
function mark(
  { line, ratio, verdict }: CardMark,
  lines: number,
  { position }: RatioScale,
  dot: number,
  colour: string,
): readonly CardNode[] {
  const top = `${((line + 0.5) / lines) * 100}%`;
  const thick = Math.max(2, Math.round(dot / 3.5));
  const placed = (left: number, height: number, style: CardStyle) =>
    box({ position: "absolute", top, left: `${left}%`, marginTop: -height / 2, height, ...style });
  if (ratio === null)
    return [45, -45].map((angle) =>
      placed(position(1), thick, {
        width: dot,
        marginLeft: -dot / 2,
        backgroundColor: colour,
        transform: `rotate(${angle}deg)`,
      }),
    );
  const [low, high] = [position(ratio.low), position(ratio.high)];
  const bar = placed(low, thick, { width: `${high - low}%`, backgroundColor: colour });
  if (verdict === "inconclusive") return [bar];
  const edge = `${Math.max(2, Math.round(dot / 3))}px solid ${colour}`;
  const shape: CardStyle =
    verdict === "same"
      ? { backgroundColor: PAPER, borderTop: edge, borderBottom: edge }
      : { borderRadius: dot / 2, backgroundColor: colour };
  return [bar, placed(position(ratio.estimate), dot, { width: dot, marginLeft: -dot / 2, ...shape })];
}

/** Each platform's ratio as text, at the height of its line. */
function numbersOf(
  marks: readonly CardMark[],
  platforms: CardContent["platforms"],
  { size, width }: NonNullable<Measures["numbers"]>,
): CardNode {
  return box(
    { width, flexDirection: "column" },
    ...platforms.map(({ colour }, line) => {
      const own = marks.find((one) => one.line === line);
      return box(
        { flexGrow: 1, flexShrink: 1, flexBasis: 0, alignItems: "center", justifyContent: "flex-end" },
        words(own?.text ?? "", 1, {
          fontSize: size,
          lineHeight: 1,
          color: isDecided(own) ? colour : SOFT,
          fontWeight: isDecided(own) ? 600 : 400,
        }),
      );
    }),
  );
}

function isDecided(mark: CardMark | undefined): boolean {
  return mark !== undefined && mark.ratio !== null && mark.verdict !== "inconclusive";
}
