import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AppDefinition, CaseManifest } from "@evenbench/core";
import { discoverPlatforms } from "@evenbench/host";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Alteration, type Builder, buildAlteredApp } from "../../src/deployable/index.ts";

/** An app that was changed, built for the Node platform, to be served beside the real one. */
export interface AlteredApp extends AsyncDisposable {
  readonly deployable: string;
  /** Serves a deployable of the Node platform, this one or another, until the app is disposed of. */
  serve(deployable: string): Promise<string>;
}

/** Builds an altered app for a test, below the app's own `dist/`; see `buildAlteredApp`. */
export async function buildAltered(
  app: string,
  sources: readonly string[],
  alterations: readonly Alteration[],
  builder: Builder,
): Promise<AlteredApp> {
  await mkdir(join(app, "dist"), { recursive: true });
  const folder = await mkdtemp(join(app, "dist/altered-"));
  const stops: (() => Promise<void>)[] = [];
  const dispose = async () => {
    await Promise.all(stops.map((stop) => stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const deployable = join(folder, "deployable");
    await buildAlteredApp({ app, sources, alterations, builder, deployable });
    return {
      deployable,
      async serve(served) {
        const platform = (await discoverPlatforms()).find(({ id }) => id === "node");
        if (platform === undefined) throw new Error("There is no platform node.");
        const logFile = join(folder, `${stops.length}.log`);
        const options = { port: 0, logFile, cores: null, workers: 1, v8Flags: [] };
        const host = await platform.serve({ ...options, deployable: served });
        stops.push(() => host.stop());
        return host.url;
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

interface Prerendered {
  readonly caseId: string;
  readonly sources: readonly string[];
  readonly alteration: Alteration;
  /** Of packages/probe. */
  preflight(options: {
    readonly targets: readonly { readonly name: string; readonly url: string }[];
    readonly cases: readonly CaseManifest[];
  }): Promise<{ readonly ok: boolean; readonly problems: readonly { readonly kind: string }[] }>;
}

/**
 * Tests that preflight refuses an app, altered so that a page is rendered when it is built: by the page and
 * the target.
 */
export function testPrerenderRefused(
  { dirname }: ImportMeta,
  app: AppDefinition,
  builder: Builder,
  { caseId, sources, alteration, preflight }: Prerendered,
): void {
  let altered: AlteredApp;
  beforeAll(async () => {
    altered = await buildAltered(dirname, sources, [alteration], builder);
  });
  afterAll(() => altered?.[Symbol.asyncDispose]());

  test("preflight refuses an app that prerenders a page, and names the page and the target", async () => {
    const targets = [
      { name: "sound", url: await altered.serve(app.deployable("node") ?? "") },
      { name: "broken", url: await altered.serve(altered.deployable) },
    ];
    const cases = (await app.cases()).filter(({ id }) => id === caseId);
    const { ok, problems } = await preflight({ targets, cases });
    expect(ok).toBe(false);
    expect(problems.find(({ kind }) => kind === "render")).toMatchObject({
      caseId,
      values: { sound: "rendered anew for each request", broken: expect.stringContaining("came twice") },
    });
  });
}
