import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFile, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { exampleRun, exampleSample, writeRun } from "../test/example.ts";
import {
  createRunFolder,
  ResultsError,
  readExperiments,
  readLoad,
  readProviderCpu,
  readRun,
  type Sample,
  SampleWriter,
} from "./index.ts";

let directory = "";
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "evenbench-results-"));
  directory = folder;
  return () => rm(folder, { recursive: true });
});

const samplesFile = () => join(directory, "samples.ndjson");
const withPlan = (changes: object) => ({ ...exampleRun, plan: { ...exampleRun.plan, ...changes } });
const examples = (count: number) => Array.from({ length: count }, (_, n) => exampleSample(n));
const linesOf = (samples: readonly Sample[]) =>
  samples.map((sample) => `${JSON.stringify(sample)}\n`).join("");
const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");

/** Writes a run with `count` samples into the directory. */
async function writeExample(count: number): Promise<void> {
  await writeRun(directory, exampleRun);
  await writeFile(samplesFile(), linesOf(examples(count)));
}

describe("the folder of a new run", () => {
  test("runs that start in the same second have names of their own, also in two folders", async () => {
    const now = new Date("2026-11-21T09:30:15.400Z");
    const places = Array.from({ length: 8 }, (_, index) => join(directory, String(index)));
    const made = await Promise.all(places.map((place) => createRunFolder(place, now)));
    expect(new Set(made.map(({ id }) => id)).size).toBeGreaterThan(6);
  });

  test("runs that start in the same second get folders of their own", async () => {
    const now = new Date("2026-11-21T09:30:15.400Z");
    const starts = Array.from({ length: 20 }, () => createRunFolder(join(directory, "a/b"), now));
    const ids = (await Promise.all(starts)).map(({ id }) => id).sort();
    for (const id of ids) {
      expect(id).toMatch(/^20261121-093015-[0-9a-f]{4}$/);
    }
    expect((await readdir(join(directory, "a/b"))).sort()).toEqual([...new Set(ids)]);
  });

  test("a results folder that cannot be written to is one clear error", async () => {
    const file = join(directory, "file");
    await writeFile(file, "");
    const error = await createRunFolder(join(file, "results")).catch(String);
    expect(error).toMatch(/^ResultsError: Cannot write results to .*file\/results: ENOTDIR\. Give a folder/);
  });
});

describe("a run that is written", () => {
  test("samples are in the file once they are flushed, with a count and a SHA-256 of what is there", async () => {
    const writer = new SampleWriter(directory);
    writer.append(exampleSample(0));
    expect(await readFile(samplesFile(), "utf8")).toBe("");
    for (let n = 1; n <= 3; n++) {
      writer.flush();
      writer.append(exampleSample(n));
    }
    const text = linesOf(examples(3));
    expect(await readFile(samplesFile(), "utf8")).toBe(text);
    expect(writer.written).toEqual({ count: 3, sha256: sha256Of(text) });
    writer.close();
    writer.close();
    expect(await readFile(samplesFile(), "utf8")).toBe(linesOf(examples(4)));
  });

  test("a run replaces the earlier one and leaves no other file, nor writes through a link in its place", async () => {
    await symlink(join(directory, "victim"), join(directory, `run.json.${process.pid}.tmp`));
    await writeRun(directory, exampleRun);
    await writeRun(directory, { ...exampleRun, status: "complete" });
    expect(await readdir(directory)).toEqual(["run.json"]);
    expect((await readRun(directory)).run.status).toBe("complete");
    await expect(writeRun(join(directory, "missing"), exampleRun)).rejects.toThrow(/Cannot write .*ENOENT/);
  });

  test.each([
    ["deleted", (file: string) => rm(file), "deleted or replaced"],
    ["replaced", (file: string) => rm(file).then(() => writeFile(file, "")), "deleted or replaced"],
    ["truncated", (file: string) => truncate(file, 9), "truncated"],
    ["appended to", (file: string) => appendFile(file, linesOf([exampleSample(7)])), "appended to"],
  ] as const)(
    "a file that is %s while it is written is told at the next flush, in one line",
    async (_, disturb, how) => {
      const writer = new SampleWriter(directory);
      writer.append(exampleSample(0));
      writer.flush();
      await disturb(samplesFile());
      writer.append(exampleSample(1));
      expect(() => writer.flush()).toThrow(ResultsError);
      // What is lost stays lost, also where nothing is left to be written.
      expect(() => writer.close()).toThrow(new RegExp(`^.*samples\\.ndjson was ${how} .*measure again\\.$`));
    },
  );
});

describe("a run that is read", () => {
  test("gives back what was written", async () => {
    await writeExample(5_000);
    // Some editors put their mark before it.
    await writeFile(join(directory, "run.json"), `\ufeff${JSON.stringify(exampleRun)}`);
    const { run, samples, damage } = await readRun(directory);
    expect(run).toEqual(exampleRun);
    expect(damage).toBeNull();
    expect(samples).toEqual(examples(5_000));
  });

  const three = linesOf(examples(3));
  const fourth = linesOf([exampleSample(3)]);
  const second = (changes: Partial<Sample>) =>
    linesOf([exampleSample(0), { ...exampleSample(1), ...changes }]);
  const endless = (field: keyof Sample) => second({ [field]: 7.25 }).replace("7.25", "1.8e308");

  test.each([
    [
      "a last line that is cut",
      linesOf(examples(5)).slice(0, -20),
      4,
      /line 5 is cut off.*Only the 4 samples/,
    ],
    ["no JSON", `${three}{"caseId":\n${fourth}`, 3, /line 4 is not JSON/],
    ["a wrong field", `${three}{"caseId":1}\n${fourth}`, 3, /line 4 is not a sample: caseId/],
    [
      "two rows in one line",
      `${three}${fourth.trimEnd()},${linesOf([exampleSample(4)])}`,
      3,
      /line 4 is not JSON/,
    ],
    [
      "a row broken in two behind two rows in one line",
      `${three}${fourth.trimEnd()},${linesOf([exampleSample(4)])}${linesOf([exampleSample(5)]).replace(",", "\n")}`,
      3,
      /line 4 is not JSON/,
    ],
    [
      "an end of line within a text",
      second({ target: "a" }).replace('"a"', '"a\nb"'),
      1,
      /line 2 is not JSON/,
    ],
    ["an empty line", `${three}\n${fourth}`, 3, /line 4 is not JSON/],
    ["a line without end", three + "x".repeat(3_000_000) + fourth, 3, /line 4 is too long/],
    // Rows that nobody can have measured:
    ["no time", second({ lastByteMs: 0 }), 1, /line 2 is not a sample: lastByteMs/],
    ["an endless time", endless("lastByteMs"), 1, /line 2 is not a sample: lastByteMs/],
    ["one row twice", linesOf([exampleSample(0), exampleSample(0)]), 1, /line 2 repeats/],
    ["a first byte after the last", second({ firstByteMs: 100 }), 1, /line 2 has its first byte after/],
    ["a status without an error", second({ status: 500 }), 1, /line 2 has status 500/],
    ["a trial beyond the plan", second({ trial: 8 }), 1, /line 2 has trial 9/],
  ])("%s ends the reading there, and is said", async (_, lines, whole, message) => {
    await writeRun(directory, exampleRun);
    await writeFile(samplesFile(), lines);
    const { samples, damage } = await readRun(directory);
    expect(samples).toEqual(examples(whole));
    expect(damage).toMatch(message);
  });

  test("a last line that lacks only its end is whole", async () => {
    await writeExample(5);
    await truncate(samplesFile(), linesOf(examples(5)).length - 1);
    expect(await readRun(directory)).toMatchObject({ samples: examples(5), damage: null });
  });

  test.each([
    ["a line that was taken out", linesOf(examples(5).slice(1)), /4 samples.* wrote 5/],
    ["a line that was put in", linesOf([...examples(5), exampleSample(9)]), /6 samples/],
    ["a digit that was changed", linesOf(examples(5)).replace('AtMs":0', 'AtMs":1'), /SHA-256/],
    ["a last end of line that is gone", linesOf(examples(5)).trimEnd(), /SHA-256/],
  ])(
    "%s is told, where the run says what it wrote, and the samples are read",
    async (_, changed, message) => {
      await writeExample(5);
      const written = { count: 5, sha256: sha256Of(linesOf(examples(5))) };
      await writeRun(directory, { ...exampleRun, status: "complete", samples: written });
      expect((await readRun(directory)).damage).toBeNull();
      await writeFile(samplesFile(), changed);
      const { samples, damage } = await readRun(directory);
      expect(damage).toMatch(message);
      expect(samples.length).toBeGreaterThanOrEqual(4);
    },
  );

  test("missing samples are damage, not an error", async () => {
    await writeRun(directory, exampleRun);
    const damage = expect.stringContaining("ENOENT");
    expect(await readRun(directory)).toMatchObject({ samples: [], damage });
  });

  test("a run that ended before it began is not damaged: only its clock was set", async () => {
    await writeExample(1);
    await writeRun(directory, { ...exampleRun, finishedAt: "0001-01-01T00:00:00.000Z" });
    expect((await readRun(directory)).damage).toBeNull();
  });

  test.each([
    ["of a newer schema", { schemaVersion: 7 }, /schema version 7, which this Evenbench does not read\. Use/],
    ["that is not valid", withPlan({ seed: "1" }), /not a valid run: plan\.seed/],
    [
      "with too many targets",
      withPlan({ targets: Array(3000).fill(exampleRun.plan.targets[0]) }),
      /targets: .*100/,
    ],
    ["that is not there", null, /^No run in .*: run\.json.*ENOENT/],
  ])("a run %s is refused with the place", async (_, content, message) => {
    if (content !== null) {
      await writeFile(join(directory, "run.json"), JSON.stringify(content));
    }
    await expect(readRun(directory)).rejects.toThrow(message);
  });
});

test.each(["run.json", "samples.ndjson"])(
  "%s as a pipe or a link is refused, and never waited for",
  async (name) => {
    await writeExample(1);
    const file = join(directory, name);
    const damageOf = () => readRun(directory).then(({ damage }) => damage, String);
    await rm(file);
    execFileSync("mkfifo", [file]);
    expect(await damageOf()).toContain("not a regular file");
    await rm(file);
    await symlink("/dev/zero", file);
    expect(await damageOf()).toContain("symbolic link");
  },
);

describe("files that are no run's", () => {
  const failureOf = (read: (folder: string) => Promise<unknown>) =>
    read(directory).then(() => "It was read.", String);

  test.each([
    ["load.json", (folder: string) => readLoad(folder, () => {}), "load run"],
    ["experiments.json", readExperiments, "run of experiments"],
  ] as const)("%s is called what it is, with what to do", async (file, read, what) => {
    await writeRun(directory, exampleRun);
    const missing = await failureOf(read);
    expect(missing).toMatch(new RegExp(`^ResultsError: (?!No run in).*${file}.*(Give|Make|Bring) .*\\.$`));
    expect(missing).toContain(what);
    await writeFile(join(directory, file), "{}");
    const invalid = await failureOf(read);
    expect(invalid).toMatch(new RegExp(`${file} is not a valid ${what}: .*(Restore|Make|Bring) .*\\.$`));
    expect(invalid.includes("samples")).toBe(file !== "experiments.json");
  });

  test("accounts of CPU time are no samples", async () => {
    await writeFile(join(directory, "provider-cpu.ndjson"), "{}\n");
    const { damage } = await readProviderCpu(directory);
    expect(damage).toMatch(/line 1 is not an account: .*Only the 0 accounts before it were read/);
  });
});
