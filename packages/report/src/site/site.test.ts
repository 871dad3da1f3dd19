import { existsSync, globSync, readFileSync } from "node:fs";
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { OWN_SERVER_APP } from "@evenbench/core";
import { folderOfEachTest, testFolder, writeFiles } from "@evenbench/host/testing/folder";
import type { Run, RunTarget } from "@evenbench/results";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import { analysed, onMachine, withRuntime, writeNight } from "../../test/synthetic.ts";
import { createReport } from "../create-report.ts";
import type { Facts } from "../facts/facts.ts";
import { makeFacts } from "../facts/make-facts.ts";
import { cell } from "../words/notation.ts";
import { historiesOf } from "./histories.ts";
import type { GalleryRun } from "./series.ts";
import { createSite } from "./site.ts";

let directory = "";
let results = "";
let out = "";
folderOfEachTest((folder) => {
  [directory, results, out] = [folder, join(folder, "results"), join(folder, "gallery")];
});

const filesOf = (folder: string) =>
  globSync("**", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
const bytesOf = (folder: string) =>
  Object.fromEntries(filesOf(folder).map((file) => [file, readFileSync(join(folder, file), "base64")]));
const documentOf = async (page: string) => parseHTML(await readFile(join(out, page), "utf8")).document;

test("a gallery has reports and facts of all runs, newest first, and no sample; every link leads to a file of it, and it is the same bytes when made again", async () => {
  for (const day of [1, 2]) {
    await writeNight(results, day);
  }
  const { runs, skipped, indexFile } = await createSite([results], out);
  expect({ runs, skipped, indexFile }).toEqual({ runs: 2, skipped: [], indexFile: join(out, "index.html") });
  const ofRun = (id: string) => ["report.html", "run.json", "facts.json"].map((file) => `runs/${id}/${file}`);
  const cases = ["empty", "react-ssr-native", "react-ssr", "trig"].map((id) => `case/${id}.html`);
  const pages = ["archive.html", ...cases, "index.html"];
  const data = "standing.csv";
  const mark = "evenbench-gallery.txt";
  const ofRuns = ["20261101-030000", "20261102-030000"].flatMap(ofRun);
  expect(filesOf(out)).toEqual([...pages, data, mark, ...ofRuns].sort());
  const listed = [...(await documentOf("archive.html")).querySelectorAll("tbody th")];
  expect(listed.map((cell) => cell.textContent)).toEqual(["2026-11-02 03:00 UTC", "2026-11-01 03:00 UTC"]);
  const index = await documentOf("index.html");
  expect(index.querySelector("h1")?.textContent).toBe(
    "Cloudflare's workerd against Node.js: faster in 1 of 4 cases, slower in 2, same in 1.",
  );
  expect(index.querySelector(".answer")?.textContent).toMatch(/^Vercel's adapter: /);
  for (const page of pages) {
    const shown = await documentOf(page);
    const links = [...shown.querySelectorAll("a[href]")].map((link) => link.getAttribute("href") ?? "");
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !filesOf(out).includes(join(dirname(page), link)))).toEqual([]);
  }
  const before = bytesOf(out);
  await createSite([results], out);
  expect(bytesOf(out)).toEqual(before);
  const other = join(directory, "other");
  await createSite([out], other);
  expect(filesOf(other)).toEqual(filesOf(out));
  // Without samples verdicts are judged again, and that is said.
  const copied = JSON.parse(await readFile(join(other, "runs/20261101-030000/facts.json"), "utf8"));
  const whole = JSON.parse(await readFile(join(out, "runs/20261101-030000/facts.json"), "utf8"));
  expect(copied).toEqual({ ...whole, run: { ...whole.run, judgedFrom: "ends" } });
  const otherIndex = parseHTML(await readFile(join(other, "index.html"), "utf8")).document;
  expect(otherIndex.querySelector("main .lead")?.textContent).toContain("without samples");
  expect(index.querySelector("main .lead")?.textContent).not.toContain("without samples");
});

test("a gallery is added to what is there, and of older runs keeps the numbers alone", async () => {
  const own = withTargets(() => ({ app: OWN_SERVER_APP, place: "url", url: "https://x.example" }));
  await createSite([await writeNight(results, 1, own)], out);
  await createSite([await writeNight(results, 2, own)], out, { keep: 1, baseUrl: ADDRESS });
  const kept = ["facts.json", "run.json"].map((file) => `runs/20261101-030000/${file}`);
  expect(filesOf(out).filter((file) => file.startsWith("runs/20261101"))).toEqual(kept);
  const [, older] = [...(await documentOf("archive.html")).querySelectorAll("tbody tr")];
  expect(older?.querySelector("a")).toBeNull();
  expect(older?.querySelector("td")?.textContent).toMatch(/^Cloudflare's workerd against Node\.js: /);
  const trig = await documentOf("case/trig.html");
  expect(trig.querySelectorAll(".numbers tbody tr")).toHaveLength(2);
  expect(trig.querySelector("header .lead")?.textContent).toMatch(/^Measure it: npm run bench -- \S/);
});

const withTargets =
  (change: (target: RunTarget) => Partial<RunTarget>) =>
  (run: Run): Run => {
    const targets = run.plan.targets.map((target) => ({ ...target, ...change(target) }));
    return { ...run, plan: { ...run.plan, targets } };
  };

test("pages have what stands now and versions changed, place by place, the newest first", async () => {
  const deployed = withTargets(() => ({ place: "url", url: "https://x.example" }));
  const newer = withRuntime("cloudflare", "workerd 2.0");
  const renamed = withTargets(({ name, about }) =>
    name === "cloudflare" && about ? { about: { ...about, spoken: "Renamed", colour: 4 } } : {},
  );
  await writeNight(results, 1, undefined, { seed: 7 });
  await writeNight(results, 2, onMachine("Another processor"));
  await writeNight(results, 3, (run) => renamed(newer(run)));
  await writeNight(results, 4, deployed);
  await createSite([results], out);
  const index = await documentOf("index.html");
  const trig = await documentOf("case/trig.html");
  const textOf = (page: Document, selector: string) =>
    [...page.querySelectorAll(selector)].map((element) => element.textContent ?? "");
  const places = [
    "Over the network from one machine (A synthetic processor, 2 cores) · client and servers on cores of their own",
    "One machine (A synthetic processor, 2 cores), not the platforms' own hardware or networks · client and servers on cores of their own",
    "One machine (Another processor, 2 cores), not the platforms' own hardware or networks · client and servers on cores of their own",
  ];
  const runs = [
    "1 run, 2026-11-04. Each row",
    "2 runs, 2026-11-01 to 2026-11-03. Each row",
    "1 run, 2026-11-02. Each row",
  ];
  for (const page of [index, trig]) {
    expect(textOf(page, "h2[id^=place]")).toEqual(places);
    expect(textOf(page, "section[aria-labelledby^=place] .lead")).toEqual(
      runs.map((run) => expect.stringContaining(run)),
    );
    expect(textOf(page, "section .changes li")).toContain(
      "1. 2026-11-03: workerd 1.20261117.1 to workerd 2.0",
    );
  }
  expect(textOf(index, "#place-1 ~ .scroll tbody tr")).toHaveLength(4);
  const { changes }: Facts = JSON.parse(await readFile(join(results, "20261103-030000/facts.json"), "utf8"));
  const found = changes.find(
    ({ case: id, target, metric, role }) =>
      id === "trig" && target === "cloudflare" && metric === "lastByteMs" && role === "main",
  );
  expect(textOf(index, ".standing td.slower")).toContain(found && cell(found));
  // A line needs two runs, which one place has.
  expect(textOf(index, "#place-2 ~ .scroll svg.spark").length).toBeGreaterThan(3);
  expect(textOf(index, "#place-1 ~ .scroll svg.spark")).toEqual([]);
  const marks = [...index.querySelectorAll(".standing thead .target")];
  expect(marks.map((mark) => [mark.textContent, mark.className])).toContainEqual(["Renamed", "target c4"]);
  // Time and CPU time against the baseline, and time.
  const figures = [...trig.querySelectorAll("section")].map((part) => part.querySelectorAll("figure").length);
  expect(figures).toEqual([3, 3, 3]);
});

test("a row says what changed from one run to the next, and which versions are new since then", async () => {
  await writeNight(results, 1);
  const newer = withRuntime("cloudflare", "workerd 2.0");
  await writeNight(results, 2, newer, { slowerBy: { cloudflare: 0.5 } });
  await createSite([results], out);
  const rows = [...(await documentOf("index.html")).querySelectorAll(".standing tbody tr")];
  const trig = rows.find((row) => row.textContent?.includes("Trigonometry"));
  expect(trig?.querySelector(".changed")?.textContent).toMatch(
    /^Cloudflare's workerd: \+1\d\d % to \+\d\d %, 2026-11-02; new: workerd 2\.0/,
  );
});

test("a cell whose newest run has a baseline that differed from its copy has the mark, and the key explains it; one whose newest run has none has none", async () => {
  await writeNight(results, 1, undefined, { slowerBy: { "node~copy": 1.6 } });
  const marksNow = async () => {
    await createSite([results], out);
    const document = await documentOf("index.html");
    const cells = [...document.querySelectorAll(".standing tbody td.slower")].map(
      (found) => found.textContent,
    );
    return {
      marked: cells.filter((text) => text.includes("*")),
      key: document.querySelector(".key + *, main .key")?.textContent,
    };
  };
  const failed = await marksNow();
  expect(failed.marked.length).toBeGreaterThan(0);
  expect(failed.key).toContain("* less sure");
  await writeNight(results, 2);
  const passed = await marksNow();
  expect(passed.marked).toEqual([]);
  expect(passed.key).not.toContain("* less sure");
});

test("a target has one line in a case, of the newest run with its time, whichever run has its CPU time", async () => {
  await writeNight(results, 1);
  await writeNight(results, 2, (run) => ({ ...run, usage: [] }));
  await createSite([results], out);
  const lines = (await readFile(join(out, "standing.csv"), "utf8")).split("\r\n");
  const ofTrig = lines.filter((line) => line.startsWith("trig,Trigonometry,Cloudflare's workerd,"));
  expect(ofTrig).toEqual([expect.stringContaining(",20261102-030000,")]);
});

test.each<[what: string, plan: (run: Run) => Partial<Run["plan"]>]>([
  ["smoke test", () => ({ quick: true })],
  [
    "run whose cases had too little time for warm trials",
    ({ plan }) => ({ neededMs: Object.fromEntries(plan.cases.map(({ id }) => [id, 23_000])) }),
  ],
])("a %s that is newest is counted, and does not take the standing", async (_, planOf) => {
  await writeNight(results, 1);
  const changed = (run: Run): Run => ({ ...run, plan: { ...run.plan, ...planOf(run) } });
  await writeNight(results, 2, changed, { trials: 1 });
  await createSite([results], out);
  const document = await documentOf("index.html");
  expect(document.querySelectorAll(".standing td.slower").length).toBeGreaterThan(0);
  const lead = document.querySelector("main .lead")?.textContent;
  expect(lead).toMatch(/^1 run, .* 1 smoke test or short run left out\./);
  expect(document.querySelector("main .key")?.textContent).not.toMatch(/A line goes/);
});

test("of the cases that more time would decide, those stand that have a verdict", () => {
  const { facts } = makeFacts(analysed({ rounds: 10 }), []);
  const [undecided, ...others] = facts.cases.map(({ id }) => id);
  const changes = facts.changes.map((change) =>
    change.case === undecided ? { ...change, verdict: "none" as const, why: "not-warm" as const } : change,
  );
  const cases = facts.cases.map(({ id }) => id);
  const step = { why: "more-time", cases, options: {}, aboutMs: null, open: 1, decides: 1 } as const;
  const short = { ...facts, changes, next: [step] };
  const [history] = historiesOf([{ facts: short, name: "run", hasReport: false }]);
  expect(history?.cases.map((each) => each.case.id).toSorted()).toEqual(others.toSorted());
});

test("servers of unrelated runs are apart, though they answer the same path", () => {
  const ownRun = (absent: string): GalleryRun => {
    const data = analysed({ rounds: 10 }, (run) => {
      const targets = run.plan.targets.filter(({ name }) => name !== absent);
      const own = targets.map((target) => ({ ...target, app: OWN_SERVER_APP }));
      return { ...run, plan: { ...run.plan, targets: own } };
    });
    return { facts: makeFacts(data, []).facts, name: "run", hasReport: false };
  };
  const places = historiesOf([ownRun(""), ownRun("vercel")]).map(({ place }) => place);
  expect(places).toEqual([
    expect.stringMatching(/ · servers cloudflare, node and vercel$/),
    expect.stringMatching(/ · servers cloudflare and node$/),
  ]);
});

const ADDRESS = "https://pages.example/some/";

test("with an address, links to it show what is claimed, and a run the picture of its own report; without one no page speaks of a picture, and the one of before is removed", async () => {
  const folders = [await writeNight(join(results, "1"), 1), await writeNight(join(results, "2"), 2)] as const;
  await createReport(folders[1]);
  await createSite(folders.map(dirname), out, { baseUrl: ADDRESS });
  const newest = "runs/20261102-030000";
  const picture = await readFile(join(out, newest, "card.png"));
  expect(picture.equals(await readFile(join(folders[1], "card.png")))).toBe(true);
  for (const [page, claim] of [
    ["index.html", /^Cloudflare's workerd against Node\.js: faster in 1 of 4 cases, /],
    ["case/trig.html", /^Trigonometry: Cloudflare's workerd ▶ \+/],
    ["archive.html", /^Evenbench: 2 runs/],
    [`${newest}/report.html`, /^Cloudflare's workerd/],
  ] as const) {
    const document = await documentOf(page);
    const tag = (name: string) => document.querySelector(`meta[property="${name}"]`)?.getAttribute("content");
    expect(tag("og:title")).toMatch(claim);
    expect(tag("og:url")).toBe(ADDRESS + page);
    expect(tag("og:image")).toBe(`${ADDRESS}${newest}/card.png`);
  }
  // Of the first run the samples are not at hand.
  await createSite([join(results, "2")], out);
  const files = filesOf(out);
  expect(files.filter((file) => file.startsWith("runs/"))).toHaveLength(2 * 3);
  expect(files.filter((file) => file.endsWith(".png"))).toEqual([]);
  for (const page of files.filter((file) => file.endsWith(".html"))) {
    expect(readFileSync(join(out, page), "utf8"), page).not.toMatch(/og:image|twitter:card|card\.png/);
  }
});

test("what has no facts, is unfinished or has no name is left out, with the reason", async () => {
  await writeNight(results, 1);
  await writeNight(results, 2, (run) => ({ ...run, status: "interrupted" }));
  await writeNight(results, 3, (run) => ({ ...run, id: "../../outside" }));
  const bare = await writeNight(results, 4);
  for (const file of ["samples.ndjson", "facts.json"]) {
    await rm(join(bare, file));
  }
  const numbers = await writeNight(results, 5);
  const summary = join(numbers, "facts.json");
  await rm(join(numbers, "samples.ndjson"));
  await writeFile(summary, (await readFile(summary, "utf8")).replaceAll('"trig"', '"../outside"'));
  const failed = await writeNight(results, 6, (run) => ({ ...run, status: "failed" }));
  await rm(join(failed, "facts.json"));
  const damaged = await writeNight(results, 7);
  await appendFile(join(damaged, "samples.ndjson"), "{}\n");
  const { runs, skipped } = await createSite([results], out);
  expect(runs).toBe(1);
  expect(skipped).toEqual([
    "20261102-030000: The run was stopped.",
    '20261103-030000: The id "../../outside" cannot be the name of a file.',
    "20261106-030000: The run did not finish.",
    expect.stringMatching(/^20261107-030000: samples\.ndjson is damaged: line \d+ is not a sample/),
    '20261105-030000: The id "../outside" cannot be the name of a file.',
    expect.stringMatching(/^20261104-030000: samples\.ndjson cannot be read \(ENOENT\)/),
  ]);
  expect(filesOf(directory).filter((file) => file.includes("outside"))).toEqual([]);
});

test("site says what is wrong with the folders that it is given", async () => {
  await mkdir(results);
  await expect(createSite([results], out)).rejects.toThrow(/^No run in .*results\. Give a results folder/);
  const unread = /no cannot be read \(ENOENT\)\. Give a results folder/;
  await expect(createSite([join(directory, "no")], out)).rejects.toThrow(unread);
  await writeNight(results, 1, (run) => ({ ...run, status: "failed" }));
  await expect(createSite([results], out)).rejects.toThrow(
    /^No run can be shown\. 20261101-030000: The run did not finish/,
  );
});

const SCRIPT = "<script>alert('a stranger')</script>";

/** A gallery of one night, made once. */
const galleryOfOne = join(testFolder(), "gallery");

/** A gallery of one night, and what a stranger may have made of it. */
async function strangeGallery(): Promise<{ readonly evil: string; readonly run: string }> {
  const night = await writeNight(results, 1);
  if (!existsSync(galleryOfOne)) {
    await createSite([night], galleryOfOne);
  }
  const evil = join(directory, "evil");
  await cp(galleryOfOne, evil, { recursive: true });
  const run = join(evil, "runs", basename(night));
  writeFiles(run, { "report.html": SCRIPT, "card.png": SCRIPT });
  await rm(results, { recursive: true });
  return { evil, run };
}

/** Every file of a gallery was made by it. */
function expectOwn(gallery: string): void {
  for (const file of filesOf(gallery)) {
    const bytes = readFileSync(join(gallery, file));
    expect(bytes.includes(SCRIPT), file).toBe(false);
    if (file.endsWith(".png")) {
      expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    }
  }
}

test("no page and no picture of a stranger gets into a gallery", async () => {
  const { evil } = await strangeGallery();
  expect((await createSite([evil], out, { baseUrl: ADDRESS })).runs).toBe(1);
  const files = ["card.png", "facts.json", "report.html", "run.json"];
  expect(filesOf(join(out, "runs", "20261101-030000"))).toEqual(files);
  expectOwn(out);
});

test("a gallery that a stranger made is written anew: its reports do not stay", async () => {
  const { evil, run } = await strangeGallery();
  const own = await writeNight(results, 2);
  await createSite([own], evil);
  expectOwn(evil);
  // Also of a run that cannot be read.
  writeFiles(run, { "report.html": SCRIPT, "card.png": SCRIPT, "run.json": "{" });
  writeFiles(evil, { "case/strange.html": SCRIPT });
  const { skipped } = await createSite([evil], evil);
  expect(skipped).toEqual([expect.stringMatching(/^20261101-030000: .*run\.json is not JSON/)]);
  expectOwn(evil);
});

test.each([
  ["a report in upper case", "runs/20261101-030000/REPORT.html"],
  ["a file beside runs", "runs/evil.html"],
  ["a file of another kind beside pages of cases", "case/evil.svg"],
  ["a hidden page", ".evil.html"],
] as const)("a gallery with %s is not written to", async (_, stray) => {
  const { evil } = await strangeGallery();
  writeFiles(evil, { [stray]: SCRIPT });
  const before = bytesOf(evil);
  await expect(createSite([await writeNight(results, 2)], evil)).rejects.toThrow(
    `evil has ${stray}, which no gallery has. Remove it`,
  );
  expect(bytesOf(evil)).toEqual(before);
});

test("only a new folder or a gallery is written to: not one that merely has a folder of runs", async () => {
  const night = await writeNight(results, 1);
  writeFiles(out, { "runs/detect/a": "", "index.html": "MINE" });
  await expect(createSite([night], out)).rejects.toThrow(
    /is not a gallery \(index\.html\)\. Give a new folder/,
  );
  const marked = join(directory, "marked");
  await createSite([night], marked);
  await rename(join(marked, "evenbench-gallery.txt"), join(directory, "mark"));
  await symlink(join(directory, "mark"), join(marked, "evenbench-gallery.txt"));
  await expect(createSite([night], marked)).rejects.toThrow("is not a gallery");
  await rm(join(marked, "evenbench-gallery.txt"));
  await expect(createSite([night], marked)).rejects.toThrow("is not a gallery");
  expect(readFileSync(join(out, "index.html"), "utf8")).toBe("MINE");
});

test("two runs of one id are both kept, under names of their own, in whatever order they are named", async () => {
  const here = await writeNight(join(directory, "a"), 1);
  const there = await writeNight(join(directory, "b"), 1, onMachine("Another processor"));
  await createSite([here, there], out);
  const names = await readdir(join(out, "runs"));
  expect(names).toEqual(["20261101-030000", expect.stringMatching(/^20261101-030000-[0-9a-f]{8}$/)]);
  const placeOf = async (name = "") => {
    const { machine } = JSON.parse(await readFile(join(out, "runs", name, "run.json"), "utf8"));
    return machine.cpuModel;
  };
  const processors = await Promise.all(names.map(placeOf));
  expect(processors.toSorted()).toEqual(["A synthetic processor", "Another processor"]);
  const before = bytesOf(out);
  expect(await createSite([there, here, there], out)).toMatchObject({ runs: 2, skipped: [] });
  expect(bytesOf(out)).toEqual(before);
});

test("runs whose ids differ in capital letters alone have folders that any system tells apart", async () => {
  const named =
    (id: string) =>
    (run: Run): Run => ({ ...run, id });
  const lower = await writeNight(join(directory, "a"), 1, named("night"));
  const upper = await writeNight(join(directory, "b"), 2, named("NIGHT"));
  await createSite([lower, upper], out);
  const names = await readdir(join(out, "runs"));
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(2);
});

test("a folder of Git is written to, and one that has any other hidden file is not", async () => {
  const night = await writeNight(results, 1);
  writeFiles(out, { ".git/HEAD": "", ".nojekyll": "" });
  await createSite([night], out);
  expect((await createSite([night], out)).runs).toBe(1);
  const other = writeFiles(join(directory, "other"), { ".htaccess": "" });
  await expect(createSite([night], other)).rejects.toThrow("is not a gallery (.htaccess)");
});

test("what is stopped leaves no unfinished file, and the next one completes it and removes what others left", async () => {
  const night = await writeNight(results, 1);
  const stopped = createSite([night], out, { signal: AbortSignal.abort() });
  await expect(stopped).rejects.toThrow("The gallery is not complete.");
  expect(filesOf(out)).toEqual(["evenbench-gallery.txt"]);
  const run = join(out, "runs", basename(night));
  await mkdir(run);
  // No process has this number: Linux has fewer.
  const left = [join(run, "report.html.99999999.tmp"), join(out, "index.html.99999999.tmp")];
  for (const file of left) {
    await writeFile(file, "half");
  }
  const running = join(run, `card.png.${process.ppid}.tmp`);
  await writeFile(running, "of a process that still writes it");
  await createSite([night], out);
  expect(filesOf(out).filter((file) => file.endsWith(".tmp"))).toEqual([running.slice(out.length + 1)]);
});

test("what is stopped while pictures are drawn writes what was begun, each file whole", async () => {
  for (const day of [1, 2]) {
    await writeNight(results, day);
  }
  await createSite([results], out, { baseUrl: ADDRESS });
  const whole = bytesOf(out);
  await rm(out, { recursive: true });
  let asked = 0;
  // Not stopped yet when the newest run is made.
  const signal = Object.defineProperty(new AbortController().signal, "aborted", { get: () => asked++ > 0 });
  await expect(createSite([results], out, { baseUrl: ADDRESS, signal })).rejects.toThrow(
    "The gallery is not complete.",
  );
  const files = filesOf(out).filter((file) => file.startsWith("runs/"));
  expect(files.map((file) => basename(file))).toEqual(["card.png", "facts.json", "report.html", "run.json"]);
  for (const file of files) {
    expect(readFileSync(join(out, file), "base64"), file).toBe(whole[file]);
  }
});

test("hostile text stays text", async () => {
  const text = `"><img src=x onerror=alert(1)></script><script>alert(1)</script>`;
  await writeNight(results, 1, onMachine(text), { text });
  await createSite([results], out);
  for (const page of ["index.html", "archive.html", "case/trig.html"]) {
    const document = await documentOf(page);
    expect(document.querySelectorAll("script,img[onerror]")).toHaveLength(0);
    expect(document.body.textContent).toContain(text);
  }
});

test("no link of a gallery is read or written through", async () => {
  const night = await writeNight(results, 1);
  const evil = join(directory, "evil");
  await createSite([night], evil);
  const id = basename(night);
  const secret = join(directory, "secret");
  await rename(join(evil, "runs", id, "facts.json"), secret);
  await symlink(secret, join(evil, "runs", id, "facts.json"));
  await expect(createSite([evil], out)).rejects.toThrow("symbolic link");
  const victim = join(directory, "victim");
  await mkdir(victim);
  await mkdir(join(out, "runs"), { recursive: true });
  await symlink(victim, join(out, "runs", id));
  await expect(createSite([results], out)).rejects.toThrow("symbolic link");
  expect(filesOf(victim)).toEqual([]);
  await symlink(night, join(directory, "link"));
  await expect(createSite([directory], join(directory, "new"))).rejects.toThrow("symbolic link");
});
