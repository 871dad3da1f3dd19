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
  readonly digest: string;
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
    digest: manifest.digest,
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

test("another artifact is refused with both digests, though every body is equal", async () => {
  await using other = await serveArtifact({ page: page.replace("Scratch", "Another title"), react });
  for (const platform of platforms) {
    expect(await refused(other, platform)).toEqual([
      expect.objectContaining({
        kind: "pin",
        pin: "artifact",
        values: values(platform, sound.digest, other.digest),
      }),
    ]);
  }
});

describe("an artifact with other bodies", () => {
  let other: Served;
  beforeAll(async () => {
    other = await serveArtifact({ page: page.replace("The page.", "The pagE."), react: compressed });
  });
  afterAll(() => other?.[Symbol.asyncDispose]());

  test("that differ by one byte is refused with both digests and the place", async () => {
    for (const platform of platforms) {
      const problem = (await refused(other, platform)).find(({ kind }) => kind === "digest");
      expect(problem).toMatchObject({ caseId: "page", what: expect.stringContaining("from byte 7") });
      const [mine, ...theirs] = [platform, ...platforms.filter((id) => id !== platform)].map(
        (id) => problem?.values[`bundle@${id}`],
      );
      expect(mine).toMatch(/^sha256 [0-9a-f]{64}$/);
      expect(new Set(theirs).size).toBe(1);
      expect(theirs[0]).not.toBe(mine);
    }
  });

  test("that are compressed is refused, though nobody asked for it", async () => {
    for (const platform of platforms) {
      expect(await refused(other, platform)).toContainEqual(
        expect.objectContaining({
          kind: "encoding",
          caseId: "react",
          values: { expected: "none", ...values(platform, "none", "gzip") },
        }),
      );
    }
  });
});

test("a case that tells its runtime's name is refused with what each platform sends, and its source", async () => {
  const agent = caseSource("() => new Response('agent: ' + navigator.userAgent)");
  await using told = await serveArtifact({ agent });
  const ofAgent = told.targets[0]?.cases ?? [];
  const { problems } = await preflight({ targets: told.targets.map(addressed), cases: ofAgent });
  expect(problems).toMatchObject([
    { caseId: "agent", what: expect.stringContaining("They differ from byte 7") },
  ]);
  expect(problems[0]?.what).toMatch(/Cloudflare-Workers.* from bundle@cloudflare/);
  expect(problems[0]?.what).toMatch(/Node\.js\/\d+.* from bundle@node, bundle@vercel/);
  expect(problems[0]?.remedy).toContain("packages/cases/agent/case.ts");
});

test("a case that never ends is named with its source, and no other case is blamed", async () => {
  const endless = caseSource("() => { for (;;); }");
  await using stuck = await serveArtifact({ endless, page }, "production", ["node"]);
  const { targets } = stuck;
  const cases = targets[0]?.cases ?? [];
  const { problems } = await preflight({ targets: targets.map(addressed), cases, timeoutMs: 2000 });
  expect(problems).toMatchObject([{ kind: "unfinished", caseId: "endless" }]);
  expect(problems[0]?.what).toMatch(/^Case "endless" did not end on bundle@node/);
  expect(problems[0]?.remedy).toContain("packages/cases/endless/case.ts");
  // It hears no signal, and would take a core for as long as a host is given to stop.
  for (const pid of targets[0]?.host.pids() ?? []) process.kill(pid, "SIGKILL");
});
