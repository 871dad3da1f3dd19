import { LIGHT_PALETTE } from "@evenbench/page";
import { expect, test } from "vitest";
import { analysed, analysedApps } from "../../test/synthetic.ts";
import { type CardContent, cardOf, drawSvg } from "./card.ts";
import { cut, HEIGHT, linesOf, pngOf, WIDTH, widthOf } from "./picture.ts";

const data = analysed({ rounds: 20 });
const run = cardOf(data);

test("a run's card has its answer, a row for each kind of work and a line for each platform", () => {
  expect(run.answer).toEqual(data.summary.sentences);
  const here = { place: "url", url: "http://localhost:1" } as const;
  const targets = data.run.plan.targets.map((target) => ({ ...target, ...here }));
  const ofUrls = cardOf({ ...data, run: { ...data.run, plan: { ...data.run.plan, targets } } });
  for (const { head } of [run, ofUrls]) {
    expect(head).toBe("Local run · 4 cases");
  }
  expect(run.rows.map(({ label }) => label)).toEqual(["empty", "react-ssr", "react-ssr-native", "trig"]);
  expect(run.rows.at(-1)?.under).toBe("Trigonometry");
  expect(run.platforms).toEqual([
    { name: "Cloudflare's workerd", colour: LIGHT_PALETTE[1] },
    { name: "Vercel's host", colour: LIGHT_PALETTE[2] },
  ]);
  const [slower, other] = run.rows.at(-1)?.marks ?? [];
  const words = expect.stringMatching(/^\d+ to \d+ % more time$/);
  expect(slower).toMatchObject({ line: 0, verdict: "slower", text: words });
  expect(other).toMatchObject({ line: 1, verdict: expect.stringMatching(/same|inconclusive/) });
  expect(run.facts).toEqual([
    "Local run, not the platforms' networks or hardware: one machine, A synthetic processor, 2 cores",
    "5 trials a case, no notices · Node.js 24.21.0 · workerd 1.20261117.1",
  ]);
  expect(run.tool).toBe("Evenbench 0.1.0");
  expect(run.command).toContain("npm run bench -- --case empty,react-ssr,trig,react-ssr-native ");
});

test("what has too few trials for an interval is not said to be not warm", () => {
  const { rows } = cardOf(analysed({ rounds: 20, trials: 1 }));
  const texts = rows.flatMap(({ marks }) => marks.map(({ text }) => text));
  expect(new Set(texts)).toEqual(new Set(["too few trials"]));
});

test("a picture has the size that services show whole, its words for those who do not see it, and loads nothing", async () => {
  const svg = drawSvg({ ...run, head: 'Is <b> & "c"?' });
  const png = await pngOf(svg);
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([WIDTH, HEIGHT]);
  expect(svg).toContain("<title>Is &lt;b&gt; &amp; &quot;c&quot;?</title>");
  expect(svg.replaceAll("&#39;", "'")).toContain(`<desc>${data.summary.answer}</desc>`);
  expect(svg).not.toMatch(/<image|href|url\(|<b>/);
});

test("what is not proven comes first, and what has no room is told by dots", () => {
  const unproven = data.summary.sentences.at(-1) ?? null;
  expect(cardOf({ ...data, summary: { ...data.summary, unproven } }).answer[0]).toBe(unproven);
  const long = [text, text, text];
  const cramped = drawSvg({ ...run, rows: [], answer: long, command: long.join() });
  expect(cramped.match(/…</g)).toHaveLength(2);
});

test("a text of a million letters is cut to its room, and no letter is cut in two", () => {
  const endless = "/x?q=".padEnd(1_000_000, "x");
  const room = 400;
  const short = cut(endless, room, 14);
  expect(short).toMatch(/^\/x\?q=x+…$/);
  expect(widthOf(short, 14)).toBeLessThanOrEqual(room);
  expect(widthOf(`x${short}`, 14)).toBeGreaterThan(room);
  const lines = linesOf(`one two ${endless}`, room, 14);
  expect(lines[0]).toBe("one two");
  expect(lines.slice(1).join("")).toBe(endless);
  expect(lines.filter((line) => widthOf(line, 14) > room)).toEqual([]);
  expect(cut("👩🏽‍🚀".repeat(99), 50, 14)).not.toMatch(/[\ud800-\udbff]…$/);
});

const apps = analysedApps(["bundle", "next", "sveltekit", "averyveryveryverylongappname"], { rounds: 10 });
const many = cardOf(apps);
const names = ["cloudflare", "vercel", "deno", "bun", "a-rather-long-platform-name", "x", "y", "z"];
const platforms = names.map((name) => ({ name, colour: LIGHT_PALETTE[5] ?? "" }));
const text = " averyveryverylongwordwithoutanyspaceinitthatmustbreak".repeat(5);
const cards: readonly (readonly [string, CardContent])[] = [
  ["many cases", many],
  ["many platforms", { ...many, platforms }],
  ["twice as many cases", { ...many, platforms, rows: [...many.rows, ...many.rows] }],
  ["long words", cardOf(analysed({ rounds: 10, text }))],
  ["nothing compared", { ...run, rows: [], platforms: [] }],
];

test.each(cards)("everything of a card has room: %s", (_what, content) => {
  const written =
    /<text x="([\d.-]+)" y="([\d.-]+)" font-size="([\d.]+)"[^>]*font-weight="(\d+)" text-anchor="(\w+)">([^<]*)</g;
  const texts = [...drawSvg(content).matchAll(written)];
  expect(texts.length).toBeGreaterThan(3);
  const outside = texts.filter(([, x, y, size, weight, anchor, text = ""]) => {
    const width = widthOf(text.replace(/&#39;|&amp;/g, "'"), Number(size), Number(weight));
    const shareLeftOfX = { start: 0, middle: 0.5, end: 1 }[String(anchor)] ?? Number.NaN;
    const left = Number(x) - shareLeftOfX * width;
    return left < 0 || left + width > WIDTH || Number(y) > HEIGHT - 8 || Number(y) < 0;
  });
  expect(outside.map(([text]) => text)).toEqual([]);
});
