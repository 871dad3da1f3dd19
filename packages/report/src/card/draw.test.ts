import { expect, test } from "vitest";
import { analysed, analysedApps } from "../../test/synthetic.ts";
import { makeFacts } from "../facts/make-facts.ts";
import { cardOf } from "../media/card.ts";
import { type CardContent, drawSvg } from "./draw.ts";
import { cutToRoom, linesInRoom, PICTURE_HEIGHT, PICTURE_WIDTH, pngOf, widthOf } from "./picture.ts";

const { facts } = makeFacts(analysed({ rounds: 20 }), []);
const run = cardOf(facts);
const text = " averyveryverylongwordwithoutanyspaceinitthatmustbreak".repeat(5);

/** A text of a picture with its place. */
interface Placed {
  readonly words: string;
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly anchor: string;
}

function textsOf(svg: string): readonly Placed[] {
  const written =
    /<text x="([\d.-]+)" y="([\d.-]+)" font-size="([\d.]+)"[^>]*font-weight="(\d+)" text-anchor="(\w+)">([^<]*)</g;
  return [...svg.matchAll(written)].map(([, x, y, size, weight, anchor = "", escaped = ""]) => {
    const words = escaped.replaceAll("&#39;", "'").replaceAll("&amp;", "&");
    const width = widthOf(words, Number(size), Number(weight));
    const left = Number(x) - ({ start: 0, middle: 0.5, end: 1 }[anchor] ?? Number.NaN) * width;
    return { words, left, right: left + width, y: Number(y), anchor };
  });
}

test("a picture has the size that services show whole, its words for those who do not see it, and loads nothing", async () => {
  const svg = drawSvg({ ...run, claim: 'Is\u0001<b> & "c"?' });
  const png = await pngOf(svg);
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([PICTURE_WIDTH, PICTURE_HEIGHT]);
  expect(svg).toContain("<title>Is &lt;b&gt; &amp; &quot;c&quot;?</title>");
  expect(svg).not.toMatch(/<image|href|url\(|<b>/);
});

test("the versions of what ran stand on the card of a run, and the command that was typed", () => {
  const words = textsOf(drawSvg(run)).map((each) => each.words);
  const versions = new Set(facts.targets.flatMap(({ runtime }) => runtime ?? []));
  expect(versions.size).toBeGreaterThan(1);
  for (const version of versions) {
    expect(words.some((line) => line.includes(version))).toBe(true);
  }
  const typed = drawSvg({ ...run, command: "npm run bench -- --case trig" });
  expect(textsOf(typed).at(-1)?.words).toContain("npm run bench -- --case trig");
});

test("a command stands whole, in lines of its own where it is long, or not at all", () => {
  const command = `npm run bench -- --case ${Array.from({ length: 6 }, (_, index) => `case-number-${index}`).join(",")}`;
  const lines = textsOf(drawSvg({ ...run, command })).map((each) => each.words);
  expect(lines.join("").replaceAll(" ", "")).toContain(command.replaceAll(" ", ""));
  const endless = drawSvg({ ...run, command: `npm run bench -- --path ${text}` });
  expect(endless).not.toContain("npm run bench");
});

test("a smoke test says so across its picture and before its claim", () => {
  const { facts: quick } = makeFacts(
    analysed({ rounds: 5 }, (each) => ({ ...each, plan: { ...each.plan, quick: true } })),
    [],
  );
  const content = cardOf(quick);
  expect(content.rows).toEqual([]);
  expect(content.state).toHaveLength(1);
  const svg = drawSvg(content);
  expect(svg).toContain("SMOKE TEST: NO RESULT");
  expect(textsOf(svg)[0]?.words).toBe(content.state[0]);
});

test("a text of a million letters is cut to its room, and no letter is cut in two", () => {
  const endless = "/x?q=".padEnd(1_000_000, "x");
  const room = 400;
  const short = cutToRoom(endless, room, 14);
  expect(short).toMatch(/^\/x\?q=x+…$/);
  expect(widthOf(short, 14)).toBeLessThanOrEqual(room);
  expect(widthOf(`x${short}`, 14)).toBeGreaterThan(room);
  const lines = linesInRoom(`one two ${endless}`, room, 14);
  expect(lines[0]).toBe("one two");
  expect(lines.slice(1).join("")).toBe(endless);
  expect(lines.filter((line) => widthOf(line, 14) > room)).toEqual([]);
  expect(cutToRoom("👩🏽‍🚀".repeat(99), 50, 14)).not.toMatch(/[\ud800-\udbff]…$/);
});

test("an interval that says nothing is not drawn, and does not stretch the scale of the others", () => {
  const wide = { verdict: "unclear", estimate: 2, low: 0.01, high: 848, low90: 0.1, high90: 90 } as const;
  const label = "Too wide";
  const withIt = (why: string | null) =>
    textsOf(drawSvg({ ...run, rows: [...run.rows, { label, change: { ...wide, why }, value: "" }] }));
  const ticks = (texts: readonly Placed[]) =>
    texts.flatMap(({ words, anchor }) => (anchor === "middle" ? words : []));
  expect(ticks(withIt("too-wide"))).toEqual(ticks(textsOf(drawSvg(run))));
  expect(ticks(withIt(null))).not.toEqual(ticks(textsOf(drawSvg(run))));
});

test("a picture speaks of the band of what is the same where it has one", () => {
  expect(drawSvg(run)).toContain("grey band: same");
  expect(drawSvg({ ...run, unit: "ms", same: [] })).not.toContain("grey band");
});

test("no words above the chart touch one another, and the baseline has its name", () => {
  const ends = { low: 0.38, high: 1.95, low90: 0.38, high90: 1.95 };
  const change = { verdict: "unclear", estimate: 0.9, ...ends, why: null } as const;
  const svg = drawSvg({ ...run, rows: [{ label: "Next.js page", change, value: "" }] });
  const texts = textsOf(svg).filter(({ anchor }) => anchor === "middle");
  const highest = Math.min(...texts.map(({ y }) => y));
  const above = texts.filter(({ y }) => y === highest).toSorted((a, b) => a.left - b.left);
  expect(above.map(({ words }) => words)).toContain("Node.js");
  expect(above.length).toBeGreaterThan(1);
  expect(above.filter(({ left }, index) => left < (above[index - 1]?.right ?? 0))).toEqual([]);
});

const many = cardOf(
  makeFacts(analysedApps(["bundle", "next", "sveltekit", "averyveryveryverylongappname"], { rounds: 10 }), [])
    .facts,
);
const cards: readonly (readonly [string, CardContent])[] = [
  ["twice as many cases", { ...many, rows: [...many.rows, ...many.rows] }],
  ["long words", cardOf(makeFacts(analysed({ rounds: 10, text }), []).facts)],
  ["nothing compared", { ...run, rows: [] }],
  ["much that is void, and a long command", { ...run, state: [text, text, text], command: text.slice(1) }],
];

test.each(cards)("everything of a card has room: %s", (_what, content) => {
  const texts = textsOf(drawSvg(content));
  expect(texts.length).toBeGreaterThan(3);
  const outside = texts.filter(
    ({ left, right, y }) => left < 0 || right > PICTURE_WIDTH || y > PICTURE_HEIGHT - 8 || y < 0,
  );
  expect(outside).toEqual([]);
});
