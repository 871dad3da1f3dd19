import { chart } from "./chart.ts";
import type { CardContent } from "./content.ts";
import { HEIGHT, INK, PAPER, SHADE, SOFT, WIDTH } from "./look.ts";
import { ANSWER_LINES, measure, PADDING } from "./measures.ts";
import { box, type CardNode, words } from "./node.ts";

const { top, side, bottom } = PADDING;

/** A card from top to bottom: question, answer, chart, and where it was measured and how. */
export function layOut(content: CardContent): CardNode {
  const measures = measure(content);
  const { columns, rowsInColumn, answer } = measures;
  const shown = Math.min(content.rows.length, columns * rowsInColumn);
  const page = {
    flexDirection: "column",
    width: WIDTH,
    height: HEIGHT,
    padding: `${top}px ${side}px ${bottom}px`,
    backgroundColor: PAPER,
    color: INK,
    fontFamily: "Inter latin",
    fontSize: 15,
  };
  return box(
    page,
    head(content, shown),
    words(content.answer, ANSWER_LINES, {
      fontSize: answer,
      fontWeight: 600,
      lineHeight: 1.3,
      letterSpacing: "-0.01em",
      marginTop: 10,
    }),
    chart(content, measures),
    content.rows.length === 0 ? null : key(content),
    foot(content),
  );
}

function head({ question, date, rows }: CardContent, shown: number): CardNode {
  const part = shown < rows.length ? `, ${shown} of them here` : "";
  return box(
    { fontSize: 18, color: SOFT, justifyContent: "space-between" },
    words(question + part, 1, { width: 960 }),
    words(date, 1, {}),
  );
}

function key({ platforms, baselines }: CardContent): CardNode {
  const signs = `0 is ${baselines}; left takes less time. Filled: a difference. Two bars: same. Bar alone: inconclusive. Cross: not warm.`;
  return box(
    { flexShrink: 0, marginTop: 8, fontSize: 14, color: SOFT, alignItems: "center" },
    ...platforms.map(({ name, colour }) =>
      box(
        { alignItems: "center", marginRight: 16, flexShrink: 0, color: INK, fontWeight: 600 },
        box({ width: 11, height: 11, borderRadius: 6, backgroundColor: colour, marginRight: 6 }),
        words(name, 1, { maxWidth: 240 }),
      ),
    ),
    words(signs, 2, { flexGrow: 1, flexShrink: 1, flexBasis: 0 }),
  );
}

function foot({ machine, versions, command, version }: CardContent): CardNode {
  return box(
    { flexDirection: "column", flexShrink: 0, marginTop: 14, fontSize: 14, color: SOFT },
    words(machine, 1, {}),
    words(versions, 1, { marginTop: 2 }),
    box(
      { marginTop: 8, alignItems: "center", justifyContent: "space-between" },
      words(command, 2, {
        maxWidth: 820,
        padding: "5px 10px",
        borderRadius: 5,
        backgroundColor: SHADE,
        color: INK,
        fontSize: 14,
      }),
      words(`measured with Evenbench ${version}`, 1, {
        color: INK,
        fontSize: 17,
        fontWeight: 600,
        maxWidth: 280,
      }),
    ),
  );
}
