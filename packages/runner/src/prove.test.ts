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

const problem = (kind: PreflightProblem["kind"], values: Record<string, string>): PreflightProblem => ({
  kind,
  pin: null,
  caseId: "page",
  what: "",
  values,
  remedy: "",
});

test("the log of a target with an error of its own is quoted, and no other", () => {
  const status = problem("status", { expected: "HTTP 200", node: "HTTP 200", other: "HTTP 500" });
  const quoted = quoteBlamedLogs([status, status], logFiles);
  expect(quoted).toEqual([`Last lines of ${join(folder, "other.log")}:\n  | What other wrote.`]);
});

test("the log of a target that is down is quoted; of a URL there is none", () => {
  const down = problem("down", { node: "connect ECONNREFUSED", elsewhere: "connect ECONNREFUSED" });
  expect(quoteBlamedLogs([down], logFiles).join()).toContain("What node wrote.");
});

test("nothing is quoted where targets answer, and differ", () => {
  const digest = problem("digest", { node: "sha256 1", other: "sha256 2" });
  const notFound = problem("status", { expected: "HTTP 200", node: "HTTP 404" });
  expect(quoteBlamedLogs([digest, notFound], logFiles)).toEqual([]);
});
