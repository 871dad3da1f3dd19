// What `npm publish` would upload, installed into an empty folder and used there, with each Node.js that this machine has.
import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Installed, nodes } from "../test/installed.ts";

let installed: Installed;
const inFolder = (...path: string[]) => join(installed.folder, ...path);
const inPackage = (...path: string[]) => inFolder("node_modules/evenbench", ...path);

beforeAll(async () => {
  installed = await Installed.make();
  const made = inFolder("made");
  for (const [name, slower] of [
    ["before", 1],
    ["after", 1.5],
  ] as const) {
    await installed.copyRun(await writeSyntheticRun(made, { rounds: 20, slower }), `results/${name}`);
  }
  await rm(made, { recursive: true });
});
afterAll(() => installed?.[Symbol.asyncDispose]());

test("it brings no other package, no path of the machine that made it, and the licences of what it bundles", async () => {
  expect((await readdir(inFolder("node_modules"))).filter((name) => !name.startsWith("."))).toEqual(["evenbench"]);
  expect((await stat(installed.tarball)).size).toBeLessThan(4e6);
  const files = await readdir(inPackage(), { recursive: true });
  expect(files.filter((file) => /\.(?:ts|tsx|map)$/.test(file)).sort()).toEqual(["index.d.ts", "types.d.ts"]);
  for (const file of files.filter((name) => /\.(?:js|json|md|txt)$/.test(name)))
    expect((await readFile(inPackage(file), "utf8")).includes(repositoryRoot), file).toBe(false);
  const licences = await readFile(inPackage("LICENSES-OF-BUNDLED-CODE.txt"), "utf8");
  for (const name of ["satori", "undici", "zod", "@resvg/resvg-wasm", "@fontsource/inter"])
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, "m"));
});

describe.each(await nodes())("Node.js %s", (_version, node) => {
  test("npx finds it, and it says its version and what works here", async () => {
    const { version } = JSON.parse(await readFile(inPackage("package.json"), "utf8"));
    expect(await installed.run(node, "npx", "evenbench", "--version")).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
    });
    const { stdout: help } = await installed.evenbench(node, "--help");
    const listed = [...help.matchAll(/^ {2}([a-z]+)[ |]/gm)].map(([, name]) => name);
    expect(listed).toEqual(["compare", "history", "report", "site", "run", "help"]);
    expect(help).toMatch(/^In a clone of the repository also: against, .*serve\.$/m);
    for (const command of ["run", "report"])
      expect((await installed.evenbench(node, command, "--help")).stdout).not.toContain("npm run bench");
  });

  test.each([
    [["deploy", "all", "--yes"], /^evenbench: "deploy" works on .* it needs a clone\. .*npm run bench -- deploy$/m],
    [["run", "--suite", "all"], /^evenbench: --suite works on .* it needs a clone\./m],
    [["deplyo"], /^evenbench: There is no command "deplyo"/m],
    [["report", "nothing"], /^evenbench: No run in .*nothing/m],
  ])("%j is one line that says what to do", async (words, line) => {
    const { code, stdout, stderr } = await installed.evenbench(node, ...words);
    expect(stderr).toMatch(line);
    expect([code === 0, stdout, stderr.trim().split("\n").length]).toEqual([false, "", 1]);
  });

  test("report, compare, history and site do as in the repository", async () => {
    const report = await installed.evenbench(node, "report", "results/before");
    expect(report, report.stderr).toMatchObject({ code: 0 });
    for (const file of ["report.html", "report.md", "summary.json", "card.svg"])
      expect((await stat(inFolder("results/before", file))).size).toBeGreaterThan(1000);
    const picture = await readFile(inFolder("results/before/card.png"));
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1200, 630]);
    expect(await readFile(inFolder("results/before/report.md"), "utf8")).toContain("npx evenbench");
    const compared = await installed.evenbench(
      node,
      ...["compare", "results/before", "results/after", "--fail-on", "slower 5%"],
    );
    expect(compared).toMatchObject({ code: 1, stdout: expect.stringContaining("▶ slower") });
    expect(compared.stderr).toContain("evenbench: vercel is slower in trig: 1.500×.");
    const history = await installed.evenbench(node, "history");
    expect(history).toMatchObject({ code: 0, stdout: expect.stringMatching(/^trig +node /m) });
    const site = await installed.evenbench(node, "site", "results/before", "--out", "gallery");
    expect(site).toMatchObject({ code: 0, stdout: expect.stringContaining("Gallery of 1 run") });
    expect(existsSync(inFolder("gallery/index.html"))).toBe(true);
    await rm(inFolder("gallery"), { recursive: true });
  });

  test("in a clone the clone's own command has the word", async () => {
    const listed = await installed.run(node, "sh", "-c", `cd '${repositoryRoot}' && node '${inPackage("cli.js")}' list --no-build --json`);
    expect(listed, listed.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(listed.stdout).targets.length).toBeGreaterThan(2);
  });

  test("the programming interface reads, compares and reports", async () => {
    await writeFile(inFolder("use.js"), USE);
    const used = await installed.run(node, node, "use.js");
    expect(used, used.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(used.stdout)).toEqual({
      status: "complete",
      measured: true,
      worst: [1.5, "slower"],
      html: true,
      error: expect.stringMatching(/^No run in .*nothing/),
    });
  });
});

/** What docs/api.md shows, and what goes wrong. */
const USE = `
import { existsSync } from "node:fs";
import { compare, failing, readRun, report } from "evenbench";

const { run, samples, damage } = await readRun("results/before");
const measured = [...samples.ofCase("trig")].filter(({ phase }) => phase === "measure");
const { rows } = await compare("results/before", "results/after");
const [worst] = failing(rows, { verdict: "slower", by: 0.05 }).filter(({ caseId }) => caseId === "trig");
const { htmlFile } = await report("results/after");
const error = await compare("nothing", "results/after").catch(({ message }) => message);
console.log(JSON.stringify({
  status: run.status,
  measured: damage === null && measured.length > 0 && measured.every(({ lastByteMs }) => lastByteMs > 0),
  worst: [Number(worst.ratio.estimate.toFixed(6)), worst.verdict],
  html: existsSync(htmlFile),
  error,
}));
`;

const TYPED = `
import { compare, type ComparisonRow, failing, readRun, type Sample, version } from "evenbench";

export async function slower(before: string, after: string): Promise<readonly ComparisonRow[]> {
  const { rows } = await compare(before, after, { anyway: true });
  const text: string = version;
  // @ts-expect-error: no verdict is called so.
  failing(rows, { verdict: text, by: 0.05 });
  return failing(rows, { verdict: "slower", by: 0.05 });
}

export async function times(folder: string): Promise<readonly number[]> {
  const { samples } = await readRun(folder);
  // @ts-expect-error: where nothing came there is no time.
  const first = (sample: Sample): number => sample.firstByteMs;
  return [...samples].map(first);
}
`;

test.each([
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
])("types say what it takes and gives, for modules %s, resolved as %s", async (module, moduleResolution) => {
  await writeFile(inFolder("typed.ts"), TYPED);
  const settings = ["--strict", "--noEmit", "--target", "es2022", "--types", ""];
  const resolution = ["--module", module, "--moduleResolution", moduleResolution];
  const tsc = join(repositoryRoot, "node_modules/.bin/tsc");
  const checked = await installed.run(process.execPath, tsc, ...settings, ...resolution, "typed.ts");
  expect(checked, checked.stdout).toMatchObject({ code: 0, stdout: "" });
});
