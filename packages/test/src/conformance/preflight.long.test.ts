import { preflight } from "@evenbench/probe/preflight";
import { describe, expect, test } from "vitest";
import { caseSource, deployScratch } from "./scratch.ts";
import { discoverServing, type ServedTarget, useTargets } from "./targets.ts";

const platforms = (await discoverServing()).platforms.map(({ id }) => id);

const page = caseSource("() => new Response('The page.')");
const compressed = caseSource(
  `() => new Response(new Blob(["The page."]).stream().pipeThrough(new CompressionStream("gzip")), {
    headers: { "content-encoding": "gzip", "content-type": "text/plain;charset=UTF-8" },
    // Workers would otherwise compress once more what says that it is compressed.
    encodeBody: "manual",
  })`,
);
const react = caseSource(
  "() => new Response(renderToString(React.createElement('b')))",
  `import * as React from "react"; import { renderToString } from "react-dom/server.edge";`,
  `pins: () => ({ build: typeof React.act === "undefined" ? "production" : "development" }),`,
);

const sound = useTargets((folder) => deployScratch(folder, { page, react }));

const addressed = ({ name, host }: ServedTarget) => ({ name, url: host.url });
const cases = () => sound[0]?.cases ?? [];

async function refused(broken: readonly ServedTarget[], platform: string) {
  const mixed = sound.map((target, index) => (target.platform.id === platform ? broken[index] : target));
  const targets = (mixed as readonly ServedTarget[]).map(addressed);
  const { ok, problems } = await preflight({ targets, cases: cases() });
  expect(ok).toBe(false);
  for (const problem of problems) expect(problem.remedy).toMatch(/\w/);
  return problems;
}

function values(platform: string, soundValue: string, brokenValue: string): Record<string, string> {
  return Object.fromEntries(
    platforms.map((id) => [`bundle@${id}`, id === platform ? brokenValue : soundValue]),
  );
}

test("equal targets pass, with an expectation for every case", async () => {
  const result = await preflight({ targets: sound.map(addressed), cases: cases() });
  expect(result.problems).toEqual([]);
  expect(result.ok).toBe(true);
  expect(Object.keys(result.expectations)).toEqual(["page", "react"]);
});

describe.each([
  // All runtimes have NODE_ENV set, so React alone would not tell that the build left the choice to them.
  { how: "without NODE_ENV", nodeEnv: null, told: "undefined", react: "production" },
  { how: "for development", nodeEnv: "development", told: "development", react: "development" },
])("an artifact built $how", ({ nodeEnv, told, react: reactBuild }) => {
  const broken = useTargets((folder) => deployScratch(folder, { page, react }, nodeEnv));

  test.each(platforms)(
    "is refused on %s with both values, and React's own pin tells its build",
    async (platform) => {
      const problems = await refused(broken, platform);
      expect(problems).toContainEqual({
        kind: "pin",
        pin: "nodeEnv.artifact",
        caseId: null,
        what: expect.stringContaining("nodeEnv.artifact"),
        values: { expected: "production", ...values(platform, "production", told) },
        remedy: expect.stringContaining("npm run build"),
      });
      const ofReact = problems.filter(({ pin }) => pin === "react.build").map((problem) => problem.values);
      expect(ofReact).toEqual(
        reactBuild === "production" ? [] : [values(platform, "production", reactBuild)],
      );
    },
  );

  test("is refused where all targets have it", async () => {
    const result = await preflight({ targets: broken.map(addressed), cases: cases() });
    expect(result.ok).toBe(false);
    expect(result.problems).toContainEqual(expect.objectContaining({ pin: "nodeEnv.artifact" }));
  });
});

describe("bodies that are compressed, though nobody asked for it,", () => {
  const other = useTargets((folder) => deployScratch(folder, { page: compressed, react }));

  test.each(platforms)("are refused on %s", async (platform) => {
    expect(await refused(other, platform)).toContainEqual(
      expect.objectContaining({
        kind: "encoding",
        caseId: "page",
        values: { expected: "none", ...values(platform, "none", "gzip") },
      }),
    );
  });
});
