import type { DevelopOptions, Host, PlatformDefinition, PlatformId } from "./platform.ts";
import type { CaseManifest } from "./schema.ts";

/** A set of cases that is built as a whole: the bundle of handlers, or the pages of a framework. */
export interface AppDefinition {
  /** The name of its folder. */
  readonly id: string;
  /** Name for people, in reports and lists. */
  readonly title: string;
  /** Lists its cases. May read build output: fails with a remedy when the app has not been built. */
  cases(): Promise<readonly CaseManifest[]>;
  /**
   * Id of the app whose pages it builds a second time: the targets of both are compared, and `cases` says how. It is
   * only measured where it, or a target of it, is named. Default: it has cases of its own.
   */
  readonly casesOf?: string;
  /** Lists what `cases` will name once the app is built. Left out where `cases` needs no build. */
  casesInSources?(): Promise<readonly Pick<CaseManifest, "id" | "path" | "title">[]>;
  /** Absolute path of the deployable, which the turbo task "build" makes; null without one for a platform. */
  deployable(platform: PlatformId): string | null;
  /** Names of packages that profiles count as adapters. Default: none. */
  readonly adapters?: RegExp;
  /** Origin of the files that a build leaves, for profiles; the first whose path fits counts. Default: none. */
  readonly generated?: readonly GeneratedFiles[];
  /** Starts the framework's own server for developing, which takes up changed sources by itself. */
  develop?(options: DevelopOptions): Promise<Host>;
}

/** Files of a deployable that are neither a source nor a package, such as a framework's chunks. */
export interface GeneratedFiles {
  /** Pattern that the path of such a file fits, with slashes. */
  readonly path: RegExp;
  /** Who is accountable for the time in them: the case, Evenbench or a package; null where the path does not say it. */
  readonly from: "case" | "harness" | { readonly package: string } | null;
}

/** The id of the app of the handler cases. */
export const ARTIFACT_APP = "bundle";

/** Gives the path of the source of an app's case, relative to the repository's root: a file, or the app's folder. */
export function sourceOfCase(app: string, caseId: string): string {
  return app === ARTIFACT_APP ? `packages/cases/${caseId}/case.ts` : `apps/${app}`;
}

/** Types the default export of an `app.ts` in a folder of apps/ or packages/. Gives the definition as it is. */
export function defineApp(definition: AppDefinition): AppDefinition {
  return definition;
}

/** Adds to each case after how many requests it is known to be warm on these platforms. */
export function withKnownWarmUps(
  cases: readonly CaseManifest[],
  platforms: readonly (Pick<PlatformDefinition, "warmAfter"> & { readonly id: PlatformId })[],
): readonly CaseManifest[] {
  return cases.map((manifest) => {
    const warmAfter: Record<PlatformId, number> = {};
    for (const platform of platforms) {
      const known = platform.warmAfter?.[manifest.id];
      if (known !== undefined) {
        warmAfter[platform.id] = known;
      }
    }
    return Object.keys(warmAfter).length === 0 ? manifest : { ...manifest, warmAfter };
  });
}

interface NamedTarget {
  readonly name: string;
  readonly platform: PlatformId | null;
  readonly place: "local" | "url";
}

/** The target that the others are compared with where nobody names one: the platform that most people know. */
export const USUAL_BASELINE = "node";

/**
 * Finds the baseline among targets: by the wanted name, else the local one on that platform; else the same for the
 * usual baseline; else the first.
 *
 * @returns undefined where there are no targets.
 */
export function baselineAmong<T extends NamedTarget>(targets: readonly T[], wanted: string): T | undefined {
  return findNamed(targets, wanted) ?? findNamed(targets, USUAL_BASELINE) ?? targets[0];
}

function findNamed<T extends NamedTarget>(targets: readonly T[], wanted: string): T | undefined {
  return (
    targets.find(({ name }) => name === wanted) ??
    targets.find(({ place, platform }) => place === "local" && platform === wanted)
  );
}
