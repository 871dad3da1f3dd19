// What must not go unseen, built for real: a page that is rendered when its app is built, and one that fails while it streams.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Builder, buildAlteredApp } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";
import { createProbe } from "@evenbench/probe";
import { preflight } from "@evenbench/probe/preflight";
import { afterAll, describe, expect, test } from "vitest";
import { discoverTargets, type ServedTarget, useTargets } from "./targets.ts";

const DYNAMIC = 'export const dynamic = "force-dynamic";';
const STREAM = "app/next-stream/page.tsx";
const COMPUTED = "const page = computePage();";

const ALTERED = {
  astro: {
    caseId: "astro-page",
    sources: ["src", "astro.config.ts", "package.json"],
    alterations: [
      {
        file: "src/pages/astro-page.astro",
        from: COMPUTED,
        to: `export const prerender = true;\n${COMPUTED}`,
      },
    ],
  },
  next: {
    caseId: "next-page",
    sources: ["app", "src", "next.config.ts", "tsconfig.json", "package.json"],
    alterations: [
      { file: "app/layout.tsx", from: DYNAMIC, to: "" },
      {
        file: "src/respond.ts",
        from: 'import { dynamic } from "../app/layout.tsx";',
        to: 'const dynamic = "not forced";',
      },
      // This page keeps its pin: it is to fail when it is asked for, and not when it is built.
      { file: STREAM, from: "const PARTS", to: `${DYNAMIC}\nconst PARTS` },
      {
        file: STREAM,
        from: "  const primes =",
        to: '  if (index === 5) throw new Error("thrown on purpose");\n  const primes =',
      },
    ],
  },
  sveltekit: {
    caseId: "sveltekit-page",
    sources: ["src", "svelte.config.js", "vite.config.ts", "tsconfig.json", "package.json"],
    alterations: [
      { file: "src/routes/+layout.server.ts", from: "prerender = false", to: "prerender = true" },
    ],
  },
};

const ofNode = (await discoverTargets()).filter(({ platform }) => platform.id === "node");

for (const [app, { caseId, sources, alterations }] of Object.entries(ALTERED)) {
  const built = ofNode.find((target) => target.app === app);
  // A fork may have removed it.
  if (built === undefined) continue;
  describe(`the app ${app}, altered`, () => {
    const folder = join(repositoryRoot, "apps", app);
    let deployable: string;
    const served = useTargets(async () => {
      deployable = await mkdtemp(join(folder, "dist/altered-"));
      const file = pathToFileURL(join(folder, "build.ts")).href;
      const { builders }: { builders: { node: Builder } } = await import(file);
      await buildAlteredApp({ app: folder, sources, alterations, builder: builders.node, deployable });
      return [
        { ...built, name: "sound" },
        { ...built, name: "broken", deployable },
      ];
    });
    afterAll(() => rm(deployable, { recursive: true }));
    const addressed = ({ name, host }: ServedTarget) => ({ name, url: host.url });
    const prove = (id: string, targets = served) =>
      preflight({ targets: targets.map(addressed), cases: built.cases.filter((one) => one.id === id) });

    test("preflight refuses it where a page is rendered ahead, and names the page and the target", async () => {
      const { ok, problems } = await prove(caseId);
      expect(ok).toBe(false);
      expect(problems.find(({ kind }) => kind === "render")).toMatchObject({
        caseId,
        values: { sound: "rendered anew for each request", broken: expect.stringContaining("came twice") },
      });
    });

    if (app !== "next") return;

    test("its pin tells both values, and what it tells caches differs", async () => {
      const { problems } = await prove(caseId);
      const pin = problems.find((problem) => problem.pin === "dynamic");
      expect(pin?.values).toEqual({ sound: "force-dynamic", broken: "not forced" });
      expect(problems.find(({ kind }) => kind === "render")?.remedy).toContain("force-dynamic");
      expect(problems.find(({ kind }) => kind === "cache")?.values.broken).toMatch(/s-maxage/);
    });

    test("a page that throws while it streams is an error, and no fast sample", async () => {
      expect((await prove("next-stream")).ok).toBe(false);
      const { expectations } = await prove("next-stream", served.slice(0, 1));
      const [expected] = Object.values(expectations["next-stream"] ?? {});
      if (expected === undefined) throw new Error("The sound target did not pass preflight.");
      const probe = createProbe(served[1]?.host.url ?? "");
      const { error, status, firstByteMs } = await probe.exchange("/next-stream", expected, { body: true });
      await probe.close();
      expect([status, error?.kind]).toEqual([200, "length"]);
      expect(firstByteMs).toBeGreaterThan(0);
    });
  });
}
