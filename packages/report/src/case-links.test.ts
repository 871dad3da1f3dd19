import { expect, test } from "vitest";
import { analysed } from "../test/synthetic.ts";
import { caseLinks } from "./repeat.ts";

const { run, cases } = analysed({ rounds: 5 });
const [first] = cases;
if (first === undefined) throw new Error("There is no case.");
const COMMIT = "0123456789012345678901234567890123456789";
const repository = "https://github.com/someone/bench";
const linksAt = (source: typeof run.source) =>
  caseLinks(
    { ...first, manifest: { ...first.manifest, source: "packages/cases/x/case.ts#L9" } },
    { ...run, source },
  );

test("a case is found at the commit that was measured, with its line", () => {
  const { path, url } = linksAt({ commit: COMMIT, changed: false, repository });
  expect(path).toBe("packages/cases/x/case.ts#L9");
  expect(url).toBe(`${repository}/blob/${COMMIT}/packages/cases/x/case.ts#L9`);
});

test("where files differed from the commit, or nobody knows where it is read, there is a path alone", () => {
  expect(linksAt({ commit: COMMIT, changed: true, repository }).url).toBe(null);
  expect(linksAt({ commit: COMMIT, changed: false, repository: null }).url).toBe(null);
  expect(linksAt(null).url).toBe(null);
});

test("without a source of its own a case is found by its app; its command measures it alone", () => {
  const { path, command } = caseLinks(first, run);
  expect(path).toBe(`packages/cases/${first.manifest.id}/case.ts`);
  expect(command).toContain(` --case ${first.manifest.id} `);
});
