import { expect, test } from "vitest";
import { analysed, analysedApps, analysedWithCpu, withVerdict } from "../../test/synthetic.ts";
import { type CardContent, cardOf, drawSvg } from "./card.ts";
import { cutToRoom, linesInRoom, PICTURE_HEIGHT, PICTURE_WIDTH, pngOf, widthOf } from "./picture.ts";

const data = analysed({ rounds: 20 });
const run = cardOf(data);

test("a run's card has a claim of at most 12 words, one large number a row sorted by effect, and the other platforms in a line", () => {
  expect(run.claim).toMatch(/^Cloudflare's workerd: slower than Node\.js in 2 of 4, faster in \d\.$/);
  expect(run.says).toBe(data.summary.sentences.join(" "));
  const effects = run.rows.map(({ mark }) => mark.ratio?.estimate ?? Number.NaN);
  expect(effects).toEqual(effects.toSorted((a, b) => a - b));
  expect(run.rows.at(-1)).toMatchObject({
    label: "Trigonometry",
    value: expect.stringMatching(/^\+\d+ %$/),
    mark: { verdict: "slower" },
  });
  expect(run.notes).toEqual([
    "Local run, not the platforms' networks or hardware: one machine, A synthetic processor, 2 cores.",
    expect.stringMatching(/^Vercel's adapter: /),
  ]);
  expect(run.day).toBe("2026-11-21");
  expect(run.command).toContain("npm run bench -- --case empty,react-ssr,trig,react-ssr-native");
});

test("the numbers of a card are all of time, and what its lines are is said on it", () => {
  const withCpu = withVerdict(analysedWithCpu({ rounds: 20 }), "unclear");
  const { rows } = cardOf(withCpu);
  expect(rows.length).toBe(4);
  expect(rows.filter(({ value }) => !/^[−+]?[\d.]+ to [−+]?[\d.]+ %$/.test(value))).toEqual([]);
  expect(drawSvg(cardOf(withCpu))).toContain(">line: 99 % interval, log scale</text>");
});

test("the card of one case has a row for each platform, and says the finding of one of them", () => {
  const one = cardOf({ ...data, cases: data.cases.filter(({ manifest }) => manifest.id === "trig") });
  expect(one.claim).toBe("Cloudflare's workerd was slower than Node.js in Trigonometry.");
  expect(one.rows.map(({ label }) => label).sort()).toEqual(["Cloudflare's workerd", "Vercel's adapter"]);
  expect(one.notes).toEqual([expect.stringMatching(/^Local run/)]);
});

test("no claim of a card has more than 12 words, whatever was compared", () => {
  const quick = analysed({ rounds: 3 }, (each) => ({ ...each, plan: { ...each.plan, quick: true } }));
  const vercelAlone = analysed({ rounds: 20 }, (each) => ({
    ...each,
    plan: { ...each.plan, targets: each.plan.targets.filter(({ name }) => name !== "cloudflare") },
  }));
  for (const each of [data, vercelAlone, quick, withVerdict(data, "unclear"), withVerdict(data, "slower")]) {
    const { claim } = cardOf(each);
    expect(claim.split(" ").length).toBeLessThanOrEqual(12);
  }
});

test("a card says which side takes less time, and nothing of CPU time, of which it has no number", () => {
  const ofCpuTime = "Vercel's adapter: CPU time is the same in all 4 cases.";
  const sentences = [...data.summary.sentences, ofCpuTime];
  const content = cardOf({ ...data, summary: { ...data.summary, sentences } });
  expect(drawSvg(content)).toContain(">← less time · more time →</text>");
  expect(content.notes.filter((note) => note.includes("CPU time"))).toEqual([]);
  expect(content.says).toContain(ofCpuTime);
});

test("what has too few trials for an interval is not said to be not warm", () => {
  const { rows } = cardOf(analysed({ rounds: 20, trials: 1 }));
  expect(new Set(rows.map(({ value }) => value))).toEqual(new Set(["unclear"]));
});

test("a picture has the size that services show whole, its words for those who do not see it, and loads nothing", async () => {
  const svg = drawSvg({ ...run, claim: 'Is <b> & "c"?' });
  const png = await pngOf(svg);
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([PICTURE_WIDTH, PICTURE_HEIGHT]);
  expect(svg).toContain("<title>Is &lt;b&gt; &amp; &quot;c&quot;?</title>");
  expect(svg.replaceAll("&#39;", "'").replaceAll("&quot;", '"')).toContain(
    `<desc>${data.summary.answer}</desc>`,
  );
  expect(svg).not.toMatch(/<image|href|url\(|<b>/);
});

test("what is not proven comes right behind where it was measured, and what has no room is told by dots", () => {
  const unproven = data.summary.sentences.at(-1) ?? null;
  expect(cardOf({ ...data, summary: { ...data.summary, unproven } }).notes[1]).toBe(unproven);
  const long = [text, text, text];
  const cramped = drawSvg({ ...run, rows: [], notes: long, command: long.join() });
  expect(cramped.match(/…</g)).toHaveLength(2);
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

test.each([
  [0.38, 1.95],
  [0.52, 1.52],
  [0.72, 1.09],
])("no words above the chart touch one another, and the baseline has its name: %f to %f", (low, high) => {
  const mark = { verdict: "unclear", ratio: { estimate: 0.9, low, high } } as const;
  const svg = drawSvg({ ...run, rows: [{ label: "Next.js page", mark, value: "unclear" }] });
  const above = [
    ...svg.matchAll(/<text x="([\d.]+)"[^>]*font-size="(\d+)"[^>]*text-anchor="middle">([^<]+)</g),
  ].filter(([, , , words]) => words !== "← less time · more time →");
  const spans = above
    .map(([, x, size, words = ""]) => {
      const half = widthOf(words, Number(size)) / 2;
      return { words, from: Number(x) - half, to: Number(x) + half };
    })
    .toSorted((a, b) => a.from - b.from);
  expect(spans.length).toBeGreaterThan(1);
  expect(spans.map(({ words }) => words)).toContain("Node.js");
  const touching = spans.filter(({ from }, index) => from < (spans[index - 1]?.to ?? 0));
  expect(touching).toEqual([]);
});

const apps = analysedApps(["bundle", "next", "sveltekit", "averyveryveryverylongappname"], { rounds: 10 });
const many = cardOf(apps);
const text = " averyveryverylongwordwithoutanyspaceinitthatmustbreak".repeat(5);
const cards: readonly (readonly [string, CardContent])[] = [
  ["many cases", many],
  ["twice as many cases", { ...many, rows: [...many.rows, ...many.rows] }],
  ["long words", cardOf(analysed({ rounds: 10, text }))],
  ["nothing compared", { ...run, rows: [] }],
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
    return left < 0 || left + width > PICTURE_WIDTH || Number(y) > PICTURE_HEIGHT - 8 || Number(y) < 0;
  });
  expect(outside.map(([text]) => text)).toEqual([]);
});
