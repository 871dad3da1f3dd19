import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { main } from "./main.ts";

let out: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), "evenbench-load-"));
});
afterAll(() => rm(out, { recursive: true }));

/** The command in this process, with what it says. */
async function evenbench(...args: string[]): Promise<{ code: number; said: string }> {
  const said: string[] = [];
  const keep = (...parts: unknown[]) => said.push(parts.map(String).join(" "));
  const spies = [
    vi.spyOn(console, "log").mockImplementation(keep),
    vi.spyOn(console, "error").mockImplementation(keep),
    vi.spyOn(process.stderr, "write").mockImplementation((text) => keep(text) > 0),
  ];
  try {
    return { code: await main(args), said: said.join("\n") };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

test("a short real load leaves its files, and its report can be made again", async () => {
  const { code, said } = await evenbench(
    ...["load", "--no-build", "--target", "node,cloudflare", "--case", "empty", "--lanes", "1,3"],
    ...["--sets", "1", "--time", "4s", "--out", out],
  );
  expect(code, said).toBe(0);
  const [name = ""] = (await readdir(out)).filter((entry) => !entry.startsWith("."));
  const folder = join(out, name);
  expect((await readdir(folder)).toSorted()).toEqual(["load.html", "load.json", "logs", "samples.ndjson"]);
  const run = JSON.parse(await readFile(join(folder, "load.json"), "utf8"));
  expect(run.stages).toHaveLength(4);
  expect(run.stages.every((stage: { completed: number }) => stage.completed > 0)).toBe(true);
  for (const word of ["node", "cloudflare", "3 lanes", "load.html"]) expect(said).toContain(word);
  const again = await evenbench("report", "--out", out);
  expect(again.code).toBe(0);
  expect(again.said).toContain("load.html");
});

test("a run with a sweep has it in its folder and in its report", async () => {
  const runs = join(out, "runs");
  const { code, said } = await evenbench(
    ...["run", "--no-build", "--target", "node,cloudflare", "--case", "empty"],
    ...["--rounds", "3", "--sweep", "3s", "--out", runs],
  );
  expect(code, said).toBe(0);
  const [name = ""] = (await readdir(runs)).filter((entry) => !entry.startsWith("."));
  const sweep = JSON.parse(await readFile(join(runs, name, "sweep", "load.json"), "utf8"));
  expect(sweep).toMatchObject({ id: `${name}-sweep`, status: "complete" });
  const report = await readFile(join(runs, name, "report.html"), "utf8");
  for (const drawn of ["Latency, empty", "Answers, empty"]) expect(report).toContain(drawn);
  const again = await evenbench("report", join(runs, name));
  expect(again.code, again.said).toBe(0);
  expect(await readFile(join(runs, name, "report.html"), "utf8")).toBe(report);
});

test.each([
  [["--lanes", "2"], /required option '-c, --case <id...>' not specified/],
  [["--case", "empty", "--lanes", "none"], /Give numbers from 1 to 1024/],
  [["--case", "empty", "--rate", "-3"], /Give rates above 0/],
  [["--case", "empty", "--capacity", "quick"], /such as "p99 <= 250ms"/],
  [["--case", "empty", "--rate", "3", "--lanes", "3"], /cannot be used with/],
  [["--case", "emtpy"], /no case "emtpy"\. Did you mean "empty"\?/],
  [
    ["--case", "empty", "--instances", "2", "--target", "mine=http://127.0.0.1:9"],
    /--instances starts instances of local targets/,
  ],
])("load %j is refused with exit code 2 and a clear line", async (args, message) => {
  const { code, said } = await evenbench("load", "--no-build", ...args);
  expect(said).toMatch(message);
  expect(code).toBe(2);
});
