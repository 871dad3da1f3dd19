import { version as ownVersion } from "@evenbench/host/repository";
import { compareRuns, createReport, failing as failingRows } from "@evenbench/report";
import { readRun as readFolder } from "@evenbench/results";

/** What `import { compare } from "evenbench"` gives, held against what is promised. */
const api: typeof import("./api.d.ts") = {
  version: ownVersion,
  readRun: readFolder,
  compare: compareRuns,
  failing: failingRows,
  report: (folder) => createReport(folder),
};

export const { version, readRun, compare, failing, report } = api;
