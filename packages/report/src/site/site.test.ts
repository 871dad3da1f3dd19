import { globSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { OWN_SERVER_APP } from "@evenbench/core";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import type { Run, RunTarget, SummaryRow } from "@evenbench/results";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import { onMachine, withRuntime, writeNight } from "../../test/synthetic.ts";
import { createSite, shortRange } from "../index.ts";

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

test("has reports, pictures and summaries of all runs, newest first, and no sample; every link leads to a file of it, and it is the same bytes when made again", async () => {
  for (const day of [1, 2]) await writeNight(results, day);
  const { runs, skipped, indexFile } = await createSite([results], out);
  expect({ runs, skipped, indexFile }).toEqual({ runs: 2, skipped: [], indexFile: join(out, "index.html") });
  const ofRun = (id: string) =>
    ["card.png", "report.html", "run.json", "summary.json"].map((file) => `runs/${id}/${file}`);
  const cases = ["empty", "react-ssr-native", "react-ssr", "trig"].map((id) => `case/${id}.html`);
  const pages = ["archive.html", ...cases, "index.html"];
  expect(filesOf(out)).toEqual([...pages, ...ofRun("20261101-030000"), ...ofRun("20261102-030000")]);
  const listed = [...(await documentOf("archive.html")).querySelectorAll("tbody th")];
  expect(listed.map((cell) => cell.textContent)).toEqual(["2026-11-02 03:00 UTC", "2026-11-01 03:00 UTC"]);
  const index = await documentOf("index.html");
  const answer = index.querySelector(".answer")?.textContent;
  expect(answer).toMatch(/^Cloudflare's workerd: faster than Node\.js in 1 of 4 cases \(\d+ % less time\)/);
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
  const numbers = filesOf(out).filter((file) => /^runs\/.*\.json$/.test(file));
  expect(filesOf(other)).toEqual([...pages, ...numbers]);
  const copied = bytesOf(other);
  for (const file of numbers) expect(copied[file]).toBe(before[file]);
});

test("adds to what is there, and of older runs keeps the numbers alone", async () => {
  const own = withTargets(() => ({ app: OWN_SERVER_APP, place: "url", url: "https://x.example" }));
  await createSite([await writeNight(results, 1, own)], out);
  await createSite([await writeNight(results, 2, own)], out, { keep: 1 });
  const kept = ["run.json", "summary.json"].map((file) => `runs/20261101-030000/${file}`);
  expect(filesOf(out).filter((file) => file.startsWith("runs/20261101"))).toEqual(kept);
  const [, older] = [...(await documentOf("archive.html")).querySelectorAll("tbody tr")];
  expect(older?.querySelector("a")).toBeNull();
  expect(older?.querySelector("td")?.textContent).toMatch(/^Cloudflare's workerd: /);
  const trig = await documentOf("case/trig.html");
  expect(trig.querySelectorAll(".numbers tbody tr")).toHaveLength(2);
  expect(trig.querySelector("header .lead")?.textContent).toMatch(/^Measure it: \S.* --target node=https:/);
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
    "Measured over the network from A synthetic processor, 2 cores",
    "Local run, not the platforms' networks or hardware: one machine, A synthetic processor, 2 cores",
    "Local run, not the platforms' networks or hardware: one machine, Another processor, 2 cores",
  ];
  const runs = ["1 run, 2026-11-04;", "2 runs, 2026-11-01 to 2026-11-03;", "1 run, 2026-11-02;"];
  for (const page of [index, trig]) {
    expect(textOf(page, "h2")).toEqual(places);
    expect(textOf(page, "section .lead")).toEqual(runs.map((run) => expect.stringContaining(run)));
    expect(textOf(page, ".changes li")).toEqual(["1. 2026-11-03: workerd 1.20261117.1 to 2.0"]);
  }
  expect(textOf(index, "#place-1 ~ .scroll tbody tr")).toHaveLength(4);
  const { rows } = JSON.parse(await readFile(join(results, "20261103-030000/summary.json"), "utf8"));
  const { ratio } = rows.find((row: SummaryRow) => row.caseId === "trig" && row.target === "cloudflare");
  expect(textOf(index, ".standing td.slower")).toContain(`▶ ${shortRange(ratio)}`);
  const marks = [...index.querySelectorAll(".standing thead .target")];
  expect(marks.map((mark) => [mark.textContent, mark.className])).toContainEqual(["Renamed", "target c4"]);
  // Time against the baseline, and time.
  const figures = [...trig.querySelectorAll("section")].map((part) => part.querySelectorAll("figure").length);
  expect(figures).toEqual([2, 2, 2]);
});

test("with an address, links to it show what is claimed and the picture by that", async () => {
  for (const day of [1, 2]) await writeNight(results, day);
  await createSite([results], out, { baseUrl: "https://pages.example/some" });
  const base = "https://pages.example/some/";
  for (const [page, claim] of [
    ["index.html", /^Cloudflare's workerd: /],
    ["case/trig.html", /^trig: Cloudflare's workerd takes \d+ % more time/],
    ["archive.html", /^Evenbench: 2 runs/],
    ["runs/20261102-030000/report.html", /^Cloudflare's workerd: /],
  ] as const) {
    const document = await documentOf(page);
    const tag = (name: string) => document.querySelector(`meta[property="${name}"]`)?.getAttribute("content");
    expect(tag("og:title")).toMatch(claim);
    expect(tag("og:url")).toBe(base + page);
    expect(tag("og:image")).toBe(`${base}runs/20261102-030000/card.png`);
  }
  const wrong = ["http://pages.example", "javascript:alert(1)", "https://a:b@c.example", "nowhere"];
  for (const baseUrl of [...wrong, "https://x.example/?y"])
    await expect(createSite([results], out, { baseUrl })).rejects.toThrow(/cannot be a site's address/);
});

test("what has no summary, is unfinished or has no name is left out, with the reason", async () => {
  await writeNight(results, 1);
  await writeNight(results, 2, (run) => ({ ...run, status: "interrupted" }));
  await writeNight(results, 3, (run) => ({ ...run, id: "../../outside" }));
  await rm(join(await writeNight(results, 4), "summary.json"));
  const summary = join(await writeNight(results, 5), "summary.json");
  await writeFile(summary, (await readFile(summary, "utf8")).replaceAll('"trig"', '"../outside"'));
  const { runs, skipped } = await createSite([results], out);
  expect(runs).toBe(1);
  expect(skipped).toEqual([
    "20261102-030000: It was interrupted.",
    '20261103-030000: The id "../../outside" cannot be the name of a file.',
    expect.stringMatching(/^20261104-030000: No summary in/),
    '20261105-030000: The id "../outside" cannot be the name of a file.',
  ]);
  expect(filesOf(directory).filter((file) => file.includes("outside"))).toEqual([]);
});

test("says what is wrong with the folders that it is given", async () => {
  await mkdir(results);
  await expect(createSite([results], out)).rejects.toThrow(/^No run in .*results\. Give a results folder/);
  const unread = /no cannot be read \(ENOENT\)\. Give a results folder/;
  await expect(createSite([join(directory, "no")], out)).rejects.toThrow(unread);
  await writeNight(results, 1, (run) => ({ ...run, status: "failed" }));
  await expect(createSite([results], out)).rejects.toThrow(
    /^No run can be shown\. 20261101-030000: It failed/,
  );
  await mkdir(out, { recursive: true });
  await writeFile(join(out, "thesis.txt"), "mine");
  await expect(createSite([results], out)).rejects.toThrow(
    /is not a gallery \(thesis\.txt\)\. Give a new folder/,
  );
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

test("reads and writes through no link of a gallery", async () => {
  const night = await writeNight(results, 1);
  const evil = join(directory, "evil");
  await createSite([night], evil);
  const id = basename(night);
  const secret = join(directory, "secret");
  await rename(join(evil, "runs", id, "summary.json"), secret);
  await symlink(secret, join(evil, "runs", id, "summary.json"));
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
