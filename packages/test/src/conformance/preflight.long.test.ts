import { join } from "node:path";
import { type PreflightProblem, preflight } from "@evenbench/probe/preflight";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildScratchArtifact, caseSource, scratchFolder } from "./scratch.ts";
import { deployArtifact, discoverServing, type ServedTarget, serveTargets, stopTargets } from "./targets.ts";

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

interface Served extends AsyncDisposable {
  readonly targets: readonly ServedTarget[];
}

async function serveArtifact(
  sources: Record<string, string>,
  nodeEnv?: string | null,
  ids?: readonly string[],
): Promise<Served> {
  const scratch = await scratchFolder();
  const { artifact, manifest } = await buildScratchArtifact(scratch.path, sources, nodeEnv);
  const deployed = await deployArtifact(artifact, join(scratch.path, "deployables"), manifest.cases, ids);
  const targets = await serveTargets(deployed, scratch.path);
  return {
    targets,
    async [Symbol.asyncDispose]() {
      await stopTargets(targets);
      await scratch[Symbol.asyncDispose]();
    },
  };
}

let sound: Served;
beforeAll(async () => {
  sound = await serveArtifact({ page, react });
});
afterAll(() => sound?.[Symbol.asyncDispose]());

const addressed = ({ name, host }: ServedTarget) => ({ name, url: host.url });
const cases = () => sound.targets[0]?.cases ?? [];
const soundBut = (platform: string) => sound.targets.filter((target) => target.platform.id !== platform);

async function refused(broken: Served, platform: string): Promise<readonly PreflightProblem[]> {
  const suspect = broken.targets.filter((target) => target.platform.id === platform);
  const targets = [...soundBut(platform), ...suspect].map(addressed);
  const result = await preflight({ targets, cases: cases() });
  expect(result.ok).toBe(false);
  for (const problem of result.problems) expect(problem.remedy).toMatch(/\w/);
  return result.problems;
}

function values(platform: string, soundValue: string, brokenValue: string): Record<string, string> {
  return Object.fromEntries(
    platforms.map((id) => [`bundle@${id}`, id === platform ? brokenValue : soundValue]),
  );
}

test("equal targets pass, with an expectation for every case", async () => {
  const result = await preflight({ targets: sound.targets.map(addressed), cases: cases() });
  expect(result.problems).toEqual([]);
  expect(result.ok).toBe(true);
  expect(Object.keys(result.expectations)).toEqual(["page", "react"]);
});

describe.each([
  // All runtimes have NODE_ENV set, so React alone would not tell that the build left the choice to them.
  { how: "without NODE_ENV", nodeEnv: null, told: "undefined", react: "production" },
  { how: "for development", nodeEnv: "development", told: "development", react: "development" },
])("an artifact built $how", ({ nodeEnv, told, react: reactBuild }) => {
  let broken: Served;
  beforeAll(async () => {
    broken = await serveArtifact({ page, react }, nodeEnv);
  });
  afterAll(() => broken?.[Symbol.asyncDispose]());

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
    const result = await preflight({ targets: broken.targets.map(addressed), cases: cases() });
    expect(result.ok).toBe(false);
    expect(result.problems).toContainEqual(expect.objectContaining({ pin: "nodeEnv.artifact" }));
  });
});

test("bodies that are compressed, though nobody asked for it, are refused on every platform", async () => {
  await using other = await serveArtifact({ page: compressed, react });
  for (const platform of platforms) {
    expect(await refused(other, platform)).toContainEqual(
      expect.objectContaining({
        kind: "encoding",
        caseId: "page",
        values: { expected: "none", ...values(platform, "none", "gzip") },
      }),
    );
  }
});
