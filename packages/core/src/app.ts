import type { DevelopOptions, Host, PlatformId } from "./platform.ts";
import type { CaseManifest } from "./schema.ts";

export interface AppDefinition {
  readonly id: string;
  readonly title: string;
  /** May read build output: fails with a remedy when the app has not been built. */
  cases(): Promise<readonly CaseManifest[]>;
  /** What `cases` will name once the app is built. Left out where `cases` needs no build. */
  casesInSources?(): Promise<readonly Pick<CaseManifest, "id" | "path" | "title">[]>;
  /** Absolute path of the deployable, which the turbo task "build" makes; null where the app has none for it. */
  deployable(platform: PlatformId): string | null;
  readonly adapters?: RegExp;
  /** The framework's own server for developing, which takes up changed sources by itself. */
  develop?(options: DevelopOptions): Promise<Host>;
}

export const ARTIFACT_APP = "bundle";

/** Where people find the source of an app's case, relative to the repository's root. */
export function sourceOfCase(app: string, caseId: string): string {
  return app === ARTIFACT_APP ? `packages/cases/${caseId}/case.ts` : `apps/${app}`;
}

/** The default export of an `app.ts` in a folder of apps/ or packages/. */
export function defineApp(definition: AppDefinition): AppDefinition {
  return definition;
}

interface Named {
  readonly name: string;
  readonly platform: PlatformId | null;
  readonly place: "local" | "url";
}

export const USUAL_BASELINE = "node";

/** By name, else the local one on that platform; else the usual one (the name may be another app's); else the first. */
export function baselineAmong<T extends Named>(targets: readonly T[], word: string): T | undefined {
  return findNamed(targets, word) ?? findNamed(targets, USUAL_BASELINE) ?? targets[0];
}

function findNamed<T extends Named>(targets: readonly T[], word: string): T | undefined {
  return (
    targets.find(({ name }) => name === word) ??
    targets.find(({ place, platform }) => place === "local" && platform === word)
  );
}
