// The package, used in an empty folder with each Node.js that this machine has.
import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { createReport, type Facts } from "@evenbench/report";
import { writeSyntheticRun } from "@evenbench/report/testing/synthetic";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Installed, install, nodes } from "../test/installed.ts";

let installed: Installed;
const inFolder = (...path: string[]) => join(installed.folder, ...path);
const inPackage = (...path: string[]) => inFolder("node_modules/evenbench", ...path);

beforeAll(async () => {
  installed = await install();
  for (const [name, slower] of Object.entries({ before: 1, after: 1.5 })) {
    const run = await writeSyntheticRun(installed.scratch, { rounds: 12, slower });
    await cp(run, inFolder("results", name), { recursive: true });
  }
  await writeFile(inFolder("server.js"), SERVER);
});
afterAll(() => rm(installed.scratch, { recursive: true }));

test("the package brings no other one, no path of the machine that made it, and the licences of what it bundles", async () => {
  expect((await readdir(inFolder("node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
    "evenbench",
  ]);
  expect((await stat(installed.tarball)).size).toBeLessThan(4e6);
  const files = await readdir(inPackage(), { recursive: true });
  expect(files.filter((file) => /\.(?:ts|tsx|map)$/.test(file))).toEqual(["facts.d.ts", "index.d.ts"]);
  for (const file of files.filter((name) => /\.(?:js|json|md|txt)$/.test(name))) {
    expect((await readFile(inPackage(file), "utf8")).includes(repositoryRoot), file).toBe(false);
  }
  const licences = await readFile(inPackage("LICENSES-OF-BUNDLED-CODE.txt"), "utf8");
  for (const name of ["undici", "zod", "@resvg/resvg-wasm", "@expo-google-fonts/inter"]) {
    expect(licences).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, "m"));
  }
  const sources = [...licences.matchAll(/^Source: (.*)$/gm)].map(([, source = ""]) => source);
  expect(sources.filter((source) => source !== "" && !source.startsWith("https://"))).toEqual([]);
  // The licence of what draws the card asks for its text, and no text stands there twice.
  expect(licences.split("Mozilla Public License Version 2.0")).toHaveLength(2);
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
    expect(listed).toEqual([
      "run",
      "app",
      "load",
      "profile",
      "against",
      "ci",
      "compare",
      "report",
      "site",
      "help",
    ]);
    expect(help).toMatch(/^In a clone of the repository also: deploy, .*\bserve\b.*\.$/m);
    for (const command of ["run", "report"]) {
      expect((await installed.evenbench(node, command, "--help")).stdout).not.toContain("npm run bench");
    }
  });

  test.each([
    [["deploy", "all", "--yes"], /^evenbench: .*npm run bench -- deploy$/m],
    [["run", "--case", "all"], /^evenbench: --case .* --path /m],
    [["deplyo"], /^evenbench: .*"deplyo"/m],
    [["report", "nothing"], /^evenbench: .*nothing/m],
  ])("%j is one line that says what to do", async (words, line) => {
    const { code, stdout, stderr } = await installed.evenbench(node, ...words);
    expect(stderr).toMatch(line);
    expect([code === 0, stdout, stderr.trim().split("\n").length]).toEqual([false, "", 1]);
  });

  test("report, compare and site do as in the repository, byte for byte", async () => {
    const evenbench = (...words: string[]) => installed.evenbench(node, ...words);
    expect(await evenbench("report", "results/before")).toMatchObject({ code: 0 });
    const files = ["report.html", "report.md", "facts.json", "facts.csv", "card.svg", "card.png"];
    const read = () => Promise.all(files.map((file) => readFile(inFolder("results/before", file))));
    const originals = await read();
    await createReport(inFolder("results/before"));
    for (const [index, bytes] of (await read()).entries()) {
      expect(originals[index]?.equals(bytes), files[index]).toBe(true);
    }
    const both = ["results/before", "results/after"];
    expect(await evenbench("compare", ...both, "--fail-on", "slower 5%")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("▶ +50 %"),
      stderr: expect.stringMatching(/^evenbench: .*vercel.*trig.*▶ \+50 %/m),
    });
    const site = { code: 0, stdout: expect.stringContaining("gallery/index.html") };
    const address = ["--base-url", "https://pages.example/"];
    expect(await evenbench("site", "results/before", "--out", "gallery", ...address)).toMatchObject(site);
    const [run = ""] = await readdir(inFolder("gallery/runs"));
    const picture = await readFile(inFolder("gallery/runs", run, "card.png"));
    expect(picture.equals(await readFile(inFolder("results/before/card.png")))).toBe(true);
    await rm(inFolder("gallery"), { recursive: true });
  });

  test("run starts the servers of a settings file, with their CPU time, and makes the report", async () => {
    const settings = {
      targets: { quick: "cmd: node server.js quick", slow: { command: "node server.js slow" } },
      paths: ["/", "/other"],
      measure: { trials: 2, time: "3s" },
    };
    await writeFile(inFolder("evenbench.json"), JSON.stringify(settings));
    const ran = await installed.evenbench(node, "run", "--json");
    await rm(inFolder("evenbench.json"));
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const { run, answers, levels }: Facts = JSON.parse(ran.stdout);
    const slow = answers.filter(({ target }) => target === "slow");
    expect(slow.map((answer) => [answer.case, answer.failed])).toEqual([
      ["root", 0],
      ["other", 0],
    ]);
    const took = (metric: string) =>
      levels.filter((level) => level.target === "slow" && level.metric === metric).map(({ value }) => value);
    // It cannot take less than the work does.
    expect(Math.min(...took("lastByteMs").map(Number))).toBeGreaterThanOrEqual(5);
    if (process.platform === "linux") {
      expect(Math.min(...took("cpuMs").map(Number))).toBeGreaterThan(0);
    }
    const runId = run.id;
    expect(await readFile(inFolder("results", runId, "report.md"), "utf8")).toContain("`npx evenbench`");
    await rm(inFolder("results", runId), { recursive: true });
  });

  test("the example of docs/api.md works, and what goes wrong is an error of one line", async () => {
    await writeFile(inFolder("example.js"), await readExample());
    const ran = await installed.run(node, node, "example.js");
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(ran.stdout).toMatch(/^4 cases, \d{2,} requests$/m);
    expect(ran.stdout).toContain("vercel (after) is slower in trig: 1.50\n");
    await writeFile(inFolder("wrong.js"), WRONG);
    const wrong = await installed.run(node, node, "wrong.js");
    expect(wrong).toMatchObject({ code: 0, stdout: expect.stringMatching(/^.*nothing.*\n$/) });
  });
});

/** The first block of code. */
async function readExample(): Promise<string> {
  const page = await readFile(join(repositoryRoot, "docs/api.md"), "utf8");
  return /```js\n(.*?)```/s.exec(page)?.[1] ?? "";
}

const WRONG = `
import { compare } from "evenbench";
await compare("nothing", "results/after").catch(({ message }) => console.log(message));
`;

const SERVER = `
import { createServer } from "node:http";
const ms = process.argv[2] === "slow" ? 5 : 1;
createServer((_request, response) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
  response.end("Hello!");
}).listen(process.env.PORT, "127.0.0.1");
`;

const TYPED = `
import { type Change, compare, type Facts, failing, readRun, type Sample, type Trend, version } from "evenbench";

export async function slower(before: string, after: string): Promise<readonly (Change | Trend)[]> {
  const facts: Facts = await compare(before, after, { anyway: true });
  const text: string = version;
  // @ts-expect-error: no verdict is called so.
  failing(facts, { verdict: text, by: 0.05 });
  return failing(facts, { verdict: "slower", by: 0.05 });
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
  await writeFile(inFolder("example.ts"), await readExample());
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    types: [],
    module,
    moduleResolution,
  };
  const files = ["typed.ts", "example.ts"];
  const settings = { compilerOptions: { ...compilerOptions, lib: ["es2022", "dom"] }, files };
  await writeFile(inFolder("tsconfig.json"), JSON.stringify(settings));
  const checked = await installed.run(process.execPath, join(repositoryRoot, "node_modules/.bin/tsc"));
  expect(checked, checked.stdout).toMatchObject({ code: 0, stdout: "" });
});
