import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PreflightProblem } from "@evenbench/probe/preflight";
import { afterAll, expect, test } from "vitest";
import { quoteBlamedLogs } from "./prove.ts";

const folder = mkdtempSync(join(tmpdir(), "evenbench-blamed-"));
afterAll(() => rmSync(folder, { recursive: true }));

const logFiles = new Map(
  ["node", "other"].map((name) => {
    const file = join(folder, `${name}.log`);
    writeFileSync(file, `What ${name} wrote.\n`);
    return [name, file];
  }),
);

const WITH_5XX = { expected: "HTTP 200", node: "HTTP 200", other: "HTTP 500" };

test.each<[string, PreflightProblem["kind"], Record<string, string>, string[]]>([
  ["answers with an error of its own", "status", WITH_5XX, ["other"]],
  ["is down, where it is no URL", "down", { node: "ECONNREFUSED", elsewhere: "ECONNREFUSED" }, ["node"]],
  ["differs from others, of which there is none", "digest", { node: "sha256 1", other: "sha256 2" }, []],
  ["does not know a case, of which there is none", "status", { node: "HTTP 404" }, []],
])("the log of a target is quoted that %s", (_, kind, values, names) => {
  const problem = { kind, pin: null, caseId: "page", what: "", values, remedy: "" };
  const quoted = names.map((name) => `Last lines of ${logFiles.get(name)}:\n  | What ${name} wrote.`);
  expect(quoteBlamedLogs([problem, problem], logFiles)).toEqual(quoted);
});
