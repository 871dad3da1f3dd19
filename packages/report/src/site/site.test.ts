import { globSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseHTML } from "linkedom";
import { afterEach, beforeEach, expect, test } from "vitest";
import { onMachine, withRuntime, writeNight } from "../../test/nights.ts";
import { createSite } from "../index.ts";

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
const bytesOf = async (folder: string) =>
  Object.fromEntries(
    await Promise.all(
      filesOf(folder).map(
        async (file) => [file, (await readFile(join(folder, file))).toString("base64")] as const,
      ),
    ),
  );
const documentOf = async (page: string) => parseHTML(await readFile(join(out, page), "utf8")).document;

test("has reports, pictures and summaries of all runs, newest first, and no sample; every link leads to a file of it, and it is the same bytes when made again", async () => {
  for (const day of [1, 2]) await writeNight(results, day);
  const { runs, skipped, indexFile } = await createSite([results], out);
  expect({ runs, skipped, indexFile }).toEqual({ runs: 2, skipped: [], indexFile: join(out, "index.html") });
  const ofRun = (id: string) =>
    ["card.png", "entry.json", "report.html", "summary.json"].map((file) => `runs/${id}/${file}`);
  expect(filesOf(out)).toEqual([
    "history.html",
    "index.html",
    ...ofRun("20261101-030000"),
    ...ofRun("20261102-030000"),
  ]);
  const document = await documentOf("index.html");
  expect([...document.querySelectorAll("article h2")].map((one) => one.textContent)).toEqual([
    "2026-11-02 03:00 UTC",
    "2026-11-01 03:00 UTC",
  ]);
  expect(document.querySelector("article p")?.textContent).toMatch(/^Cloudflare's workerd: .* % .* time/);

  for (const page of ["index.html", "history.html"]) {
    const shown = await documentOf(page);
    const links = [...shown.querySelectorAll("a[href],img[src]")].map(
      (one) => one.getAttribute("href") ?? one.getAttribute("src") ?? "",
    );
    expect(links.length).toBeGreaterThan(4);
    const files = filesOf(out);
    expect(links.filter((link) => !files.includes(join(dirname(page), link)))).toEqual([]);
  }

  const before = await bytesOf(out);
  await createSite([results], out);
  expect(await bytesOf(out)).toEqual(before);
  const other = join(directory, "other");
  await createSite([out], other);
  const pages = ["history.html", "index.html"];
  const entries = filesOf(out).filter((file) => file.endsWith("entry.json"));
  expect(filesOf(other)).toEqual([...pages, ...entries]);
  const numbers = await bytesOf(other);
  for (const file of entries) expect(numbers[file]).toBe(before[file]);
});

test("adds to what is there, and of older runs keeps the numbers alone", async () => {
  await createSite([await writeNight(results, 1)], out);
  await createSite([await writeNight(results, 2)], out, { keep: 1 });
  expect(filesOf(out).filter((file) => file.startsWith("runs/20261101"))).toEqual([
    "runs/20261101-030000/entry.json",
  ]);
  const document = await documentOf("index.html");
  const older = document.querySelector("#run-20261101-030000");
  expect(older?.querySelector("a,img")).toBeNull();
  expect(older?.querySelector("p")?.textContent).toMatch(/^Cloudflare's workerd: /);
  expect((await documentOf("history.html")).querySelectorAll(".numbers tbody tr")).toHaveLength(2 * 4);
});

test("history is apart for each machine, and marks where a version changed", async () => {
  await writeNight(results, 1);
  await writeNight(results, 2, onMachine("Another processor"));
  await writeNight(results, 3, withRuntime("cloudflare", "workerd 2.0"));
  await writeNight(results, 4, withRuntime("cloudflare", "workerd 2.0"));
  await createSite([results], out);
  const document = await documentOf("history.html");
  expect([...document.querySelectorAll("h2")].map((one) => one.textContent)).toEqual([
    "A synthetic processor, 2 cores, 8 GiB",
    "Another processor, 2 cores, 8 GiB",
  ]);
  expect([...document.querySelectorAll(".changes li")].map((one) => one.textContent)).toEqual([
    "2026-11-03 03:00 UTC: workerd 1.20261117.1 to 2.0",
  ]);
  // Time against the baseline, and time, for each of four cases: the synthetic runs have no CPU time for each exchange.
  const [first, second] = [...document.querySelectorAll("main > section")].map((one) => [
    ...one.querySelectorAll("figure"),
  ]);
  expect([first?.length, second?.length]).toEqual([8, 8]);
  const dots = first?.[0]?.querySelectorAll("path[stroke-linecap=round]") ?? [];
  expect([...dots].map((dot) => dot.getAttribute("d")?.match(/M/g)?.length)).toEqual([3, 3]);
  const index = await documentOf("index.html");
  expect(index.querySelector("#run-20261103-030000")?.textContent).toContain(
    "Changed since the run before: workerd",
  );
});

test("what is damaged, unfinished or of no name is left out, with the reason", async () => {
  await writeNight(results, 1);
  await writeNight(results, 2, (run) => ({ ...run, status: "interrupted" }));
  await writeNight(results, 3, (run) => ({ ...run, id: "../../outside" }));
  await writeFile(join(await writeNight(results, 4), "samples.ndjson"), "");
  const { runs, skipped } = await createSite([results], out);
  expect(runs).toBe(1);
  expect(skipped).toEqual([
    "20261102-030000: It was interrupted.",
    expect.stringMatching(/^20261103-030000: Its id "\.\.\/\.\.\/outside" cannot be the name of a folder/),
    expect.stringMatching(/^20261104-030000: samples.ndjson was changed after the run/),
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
    /is no gallery \(thesis\.txt\)\. Give a new folder/,
  );
});

test("hostile text stays text", async () => {
  const text = `"><img src=x onerror=alert(1)></script><script>alert(1)</script>`;
  await writeNight(results, 1, undefined, { text });
  await createSite([results], out);
  for (const page of ["index.html", "history.html"]) {
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
  await rename(join(evil, "runs", id, "entry.json"), secret);
  await symlink(secret, join(evil, "runs", id, "entry.json"));
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
