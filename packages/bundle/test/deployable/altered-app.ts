import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AppDefinition, CaseManifest } from "@evenbench/core";
import { discoverPlatforms } from "@evenbench/host";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Alteration, type Builder, buildAlteredApp } from "../../src/deployable/index.ts";

interface Target {
  readonly name: string;
  readonly url: string;
}

interface Altered {
  readonly sources: readonly string[];
  readonly alterations: readonly Alteration[];
}

/**
 * Serves the app as it is built ("sound") and altered ("broken") for the tests of a file, both on the Node
 * platform. Gives what names them once the tests run.
 */
export function serveAltered(
  { dirname: folder }: ImportMeta,
  app: AppDefinition,
  builder: Builder,
  { sources, alterations }: Altered,
): readonly Target[] {
  const targets: Target[] = [];
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    await mkdir(join(folder, "dist"), { recursive: true });
    const scratch = await mkdtemp(join(folder, "dist/altered-"));
    ends.push(() => rm(scratch, { recursive: true, force: true }));
    const altered = join(scratch, "deployable");
    await buildAlteredApp({ app: folder, sources, alterations, builder, deployable: altered });
    const platform = (await discoverPlatforms()).find(({ id }) => id === "node");
    const deployables = { sound: app.deployable("node") ?? "", broken: altered };
    for (const [name, deployable] of Object.entries(deployables)) {
      const options = {
        port: 0,
        logFile: join(scratch, `${name}.log`),
        cores: null,
        workers: 1,
        v8Flags: [],
      };
      const host = await platform?.serve({ ...options, deployable });
      ends.unshift(async () => host?.stop());
      targets.push({ name, url: host?.url ?? "" });
    }
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return targets;
}

interface Prerendered extends Altered {
  readonly caseId: string;
  /** Of packages/probe. */
  preflight(options: {
    readonly targets: readonly Target[];
    readonly cases: readonly CaseManifest[];
  }): Promise<{ readonly ok: boolean; readonly problems: readonly { readonly kind: string }[] }>;
}

/** Tests that preflight refuses an app, altered so that a page is rendered when it is built. */
export function testPrerenderRefused(
  meta: ImportMeta,
  app: AppDefinition,
  builder: Builder,
  { caseId, preflight, ...altered }: Prerendered,
): void {
  const targets = serveAltered(meta, app, builder, altered);

  test("preflight refuses an app that prerenders a page, and names the page and the target", async () => {
    const cases = (await app.cases()).filter(({ id }) => id === caseId);
    const { ok, problems } = await preflight({ targets, cases });
    expect(ok).toBe(false);
    expect(problems.find(({ kind }) => kind === "render")).toMatchObject({
      caseId,
      values: { sound: "rendered anew for each request", broken: expect.stringContaining("came twice") },
    });
  });
}
