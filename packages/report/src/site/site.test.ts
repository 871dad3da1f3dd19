import { globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Run } from "@evenbench/results";
import { parseHTML } from "linkedom";
import { afterEach, beforeEach, expect, test } from "vitest";
import { onMachine, withRuntime, writeNight } from "../../test/synthetic.ts";
import { createSite } from "../index.ts";
import { pooled } from "./standing.ts";

let directory = "";
let results = "";
let out = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "evenbench-site-"));
  results = join(directory, "results");
  out = join(directory, "gallery");
});
afterEach(() => rm(directory, { recursive: true }));

const filesOf = (folder: string) =>
  globSync("**", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
const bytesOf = async (folder: string) => {
  const read = async (file: string) =>
    [file, (await readFile(join(folder, file))).toString("base64")] as const;
  return Object.fromEntries(await Promise.all(filesOf(folder).map(read)));
};
const CASES = ["empty", "react-ssr-native", "react-ssr", "trig"];
const rowsOf = async (page: string) =>
  [...(await documentOf(page)).querySelectorAll("tbody th")].map((one) => one.textContent);
const documentOf = async (page: string) => parseHTML(await readFile(join(out, page), "utf8")).document;

test("has reports, pictures and summaries of all runs, newest first, and no sample; every link leads to a file of it, and it is the same bytes when made again", async () => {
  for (const day of [1, 2]) await writeNight(results, day);
  const { runs, skipped, indexFile } = await createSite([results], out);
  expect({ runs, skipped, indexFile }).toEqual({ runs: 2, skipped: [], indexFile: join(out, "index.html") });
  const ofRun = (id: string) =>
    ["card.png", "report.html", "run.json", "summary.json"].map((file) => `runs/${id}/${file}`);
  const pages = ["archive.html", ...CASES.map((id) => `case/${id}.html`), "index.html"];
  expect(filesOf(out)).toEqual([...pages, ...ofRun("20261101-030000"), ...ofRun("20261102-030000")]);
  expect(await rowsOf("archive.html")).toEqual(["2026-11-02 03:00 UTC", "2026-11-01 03:00 UTC"]);
  const index = await documentOf("index.html");
  expect(index.querySelector(".answer")?.textContent).toMatch(/^Cloudflare's workerd.* 1 faster \(−\d+ %\)/);

  for (const page of pages) {
    const shown = await documentOf(page);
    const links = [...shown.querySelectorAll("a[href],img[src]")].map(
      (one) => one.getAttribute("href") ?? one.getAttribute("src") ?? "",
    );
    expect(links.length).toBeGreaterThan(3);
    const files = filesOf(out);
    expect(links.filter((link) => !files.includes(join(dirname(page), link)))).toEqual([]);
  }

  const before = await bytesOf(out);
  await createSite([results], out);
  expect(await bytesOf(out)).toEqual(before);
  const other = join(directory, "other");
  await createSite([out], other);
  const numbers = filesOf(out).filter((file) => /^runs\/.*\.json$/.test(file));
  expect(filesOf(other)).toEqual([...pages, ...numbers]);
  const copied = await bytesOf(other);
  for (const file of numbers) expect(copied[file]).toBe(before[file]);
});

test("adds to what is there, and of older runs keeps the numbers alone", async () => {
  await createSite([await writeNight(results, 1)], out);
  await createSite([await writeNight(results, 2)], out, { keep: 1 });
  expect(filesOf(out).filter((file) => file.startsWith("runs/20261101"))).toEqual([
    "runs/20261101-030000/run.json",
    "runs/20261101-030000/summary.json",
  ]);
  const [, older] = [...(await documentOf("archive.html")).querySelectorAll("tbody tr")];
  expect(older?.querySelector("a")).toBeNull();
  expect(older?.querySelector("td")?.textContent).toMatch(/^Cloudflare's workerd /);
  expect((await documentOf("case/trig.html")).querySelectorAll(".numbers tbody tr")).toHaveLength(2);
});

test("the front page is what stands now: runs of one machine since versions changed, deployed ones apart", async () => {
  const deployed = (run: Run): Run => {
    const targets = run.plan.targets.map((one) => ({
      ...one,
      place: "url" as const,
      url: "https://x.example",
    }));
    return { ...run, plan: { ...run.plan, targets } };
  };
  await writeNight(results, 1, undefined, { slower: 2 });
  await writeNight(results, 2, onMachine("Another processor"));
  for (const day of [3, 4])
    await writeNight(results, day, withRuntime("cloudflare", "workerd 2.0"), { seed: day });
  await writeNight(results, 5, deployed);
  await createSite([results], out);
  const index = await documentOf("index.html");
  const text = (selector: string) =>
    [...index.querySelectorAll(selector)].map((one) => one.textContent ?? "");
  expect(text("h2")).toEqual(["On one machine", "Deployed"]);
  expect(text("section .lead")[0]).toMatch(
    /A synthetic processor.*2 runs, 2026-11-03 to 2026-11-04, since versions changed last\./,
  );
  expect(text("section .lead")[1]).toMatch(
    /^Deployed, from A synthetic processor.*, over the network\. 1 run, 2026-11-05\./,
  );
  expect(text(".changes li")).toEqual(["2026-11-03: workerd 1.20261117.1 to 2.0"]);
  expect(text("#local ~ .scroll tbody tr")).toHaveLength(4);
  expect(index.querySelector(".standing td.slower")?.textContent).toMatch(/^▶ \+\d+ % \(/);
  const trig = await documentOf("case/trig.html");
  expect([...trig.querySelectorAll("h2")].map((one) => one.textContent)).toEqual([
    "A synthetic processor, 2 cores, 8 GiB",
    "Another processor, 2 cores, 8 GiB",
    "Deployed, from A synthetic processor, 2 cores, 8 GiB",
  ]);
  // Time against the baseline, and time.
  expect([...trig.querySelectorAll("section")].map((one) => one.querySelectorAll("figure").length)).toEqual([
    2, 2, 2,
  ]);
  expect(trig.querySelector("table.changes td")?.textContent).toBe("workerd 1.20261117.1 to 2.0");
  expect(trig.querySelector("table.changes td:nth-child(3)")?.textContent).toMatch(/ % \(.*\) → .* % \(/);
});

test("a target is called and coloured as in its newest run", async () => {
  const renamed = (run: Run): Run => {
    const targets = run.plan.targets.map((one) =>
      one.name === "cloudflare" && one.about
        ? { ...one, about: { ...one.about, spoken: "Renamed", colour: 4 } }
        : one,
    );
    return { ...run, plan: { ...run.plan, targets } };
  };
  await writeNight(results, 1);
  await writeNight(results, 2, renamed);
  await createSite([results], out);
  const marks = [...(await documentOf("index.html")).querySelectorAll(".standing thead .target")];
  expect(marks.map((one) => [one.textContent, one.className])).toContainEqual(["Renamed", "target c4"]);
});

test("runs are pooled by their certainty, and no narrower than they differ", () => {
  const near = { estimate: 0.8, low: 0.78, high: 0.82 };
  const both = pooled([near, near]);
  expect(both?.estimate).toBeCloseTo(0.8, 6);
  expect(Math.log((both?.high ?? 0) / (both?.low ?? 1))).toBeCloseTo(Math.log(0.82 / 0.78) / Math.SQRT2, 6);
  const apart = pooled([near, { estimate: 1.2, low: 1.17, high: 1.23 }]);
  expect(apart?.low).toBeLessThan(0.8);
  expect(apart?.high).toBeGreaterThan(1.2);
  expect(pooled([near])).toMatchObject(near);
  expect(pooled([])).toBeNull();
});

test("with an address, links to it show what is claimed and the picture by that", async () => {
  for (const day of [1, 2]) await writeNight(results, day);
  await createSite([results], out, { baseUrl: "https://pages.example/some" });
  const base = "https://pages.example/some/";
  for (const [page, claim] of [
    ["index.html", /^Cloudflare's workerd /],
    ["case/trig.html", /^trig: Cloudflare's workerd takes \d+ % more time/],
    ["archive.html", /^Evenbench: 2 runs/],
    ["runs/20261102-030000/report.html", /^Cloudflare's workerd /],
  ] as const) {
    const document = await documentOf(page);
    const of = (name: string) => document.querySelector(`meta[property="${name}"]`)?.getAttribute("content");
    expect(of("og:title")).toMatch(claim);
    expect(of("og:url")).toBe(base + page);
    expect(of("og:image")).toBe(`${base}runs/20261102-030000/card.png`);
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
  const { runs, skipped } = await createSite([results], out);
  expect(runs).toBe(1);
  expect(skipped).toEqual([
    "20261102-030000: It was interrupted.",
    expect.stringMatching(/^20261103-030000: Its id "\.\.\/\.\.\/outside" cannot be the name of a folder/),
    expect.stringMatching(/^20261104-030000: No summary in/),
  ]);
  expect(filesOf(directory).filter((file) => file.includes("outside"))).toEqual([]);
});

test("says what is wrong with the folders that it is given", async () => {
  await mkdir(results);
  await expect(createSite([results], out)).rejects.toThrow(/^No run in .*results\. Give a results folder/);
  await expect(createSite([join(directory, "no")], out)).rejects.toThrow(/no cannot be read \(ENOENT\)/);
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
  await writeNight(results, 1, undefined, { text });
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
