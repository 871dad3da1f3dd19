import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OWN_SERVER_APP } from "@evenbench/core";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { type Run, type RunEvent, readRun, type Sample } from "@evenbench/results";
import { expect } from "vitest";
import type { LocalTarget, RunOptions } from "../src/options.ts";
import { ownServerCase, ownServerCommand } from "../src/own-targets.ts";
import { run } from "../src/run.ts";
import { fixtureCase } from "./fixture.ts";

/** Options of a short run: all but its targets have defaults. */
export type ShortRun = Pick<RunOptions, "targets"> & Partial<RunOptions>;

/** Short runs of the case "short" into a folder that each test has for itself. */
export function shortRuns() {
  let folder = "";
  folderOfEachTest((made) => {
    folder = made;
  });
  return {
    folder: () => folder,
    /** Makes targets from the source of a server that knows nothing of Evenbench. It gets each target's name as its word. */
    async ownServers(source: string, names: readonly string[], readyPath = "/ready"): Promise<LocalTarget[]> {
      const program = join(folder, "server.cjs");
      await writeFile(program, source);
      const request = { method: "GET", headers: {}, body: null };
      return names.map((name) => {
        const command = `exec "${process.execPath}" "${program}" ${name}`;
        return ownServerCommand(
          name,
          { command, folder, readyPath, readyWithinMs: 60_000, ...request },
          request,
        );
      });
    },
    async shortRun(options: ShortRun) {
      const result = await run({
        cases: { fixture: [fixtureCase("short")] },
        trials: 2,
        rounds: 5,
        warmUp: 1,
        timeMs: 1500,
        seed: 7,
        out: folder,
        // A busy machine answers late.
        exchangeTimeoutMs: 30_000,
        ...options,
      });
      expect((await readRun(result.folder)).damage).toBeNull();
      return { ...result, samples: readSamples(result.folder) };
    },
  };
}

/** The cases of some paths of such servers. */
export function ownCases(...paths: readonly string[]): RunOptions["cases"] {
  const record = { method: "GET", headers: [], body: null };
  return { [OWN_SERVER_APP]: paths.map((path) => ownServerCase({ path, name: null }, [], record, [])) };
}

/** Reads all samples of a run's folder. */
export function readSamples(folder: string): Sample[] {
  const lines = readFileSync(join(folder, "samples.ndjson"), "utf8").trimEnd().split("\n");
  return lines.filter((line) => line !== "").map((line): Sample => JSON.parse(line));
}

/** The events of one kind in a run's record. */
export function eventsOf(result: { run: Run }, kind: RunEvent["kind"]): RunEvent[] {
  return result.run.events.filter((event) => event.kind === kind);
}
