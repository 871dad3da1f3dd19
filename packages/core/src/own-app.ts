import { messageOf, quotesOf } from "./errors.ts";
import type { PlatformId } from "./platform.ts";
import type { BodyRules, OwnAppRead } from "./schema.ts";

/** The part of a package.json that says what an app is made of. Fields are as npm documents them. */
export interface OwnPackageJson {
  readonly name?: string;
  /** npm takes any value of it in a folder. */
  readonly version?: unknown;
  readonly type?: string;
  readonly main?: string;
  readonly exports?: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  /** Program that installs its packages, with a version: "pnpm@10.1.0". */
  readonly packageManager?: string;
  /** Ranges of versions that it asks for, such as "22.x" of `node`. */
  readonly engines?: Readonly<Record<string, string>>;
  /** Patterns of its members' folders, where it is a workspace: the list, whichever form it was written in. */
  readonly workspaces?: readonly string[];
  /** What it wants for developing, as npm reads it. */
  readonly devEngines?: {
    readonly runtime?: DevEngine | readonly DevEngine[];
    readonly packageManager?: DevEngine | readonly DevEngine[];
  };
  /** Versions that Volta takes, such as "22.12.0" of `node`. */
  readonly volta?: Readonly<Record<string, string>>;
}

/** A program that an app is developed with, such as "node" in the version "^22.12". */
interface DevEngine {
  readonly name?: string;
  readonly version?: string;
}

/** A program that installs an app's packages. */
export type PackageManager = "npm" | "pnpm" | "yarn" | "bun";

/** A service of a platform that another program stands for. */
export interface Simulated {
  /** The platform whose target has it. */
  readonly target: PlatformId;
  /** The binding in words for people, such as "KV namespace BLOG". */
  readonly binding: string;
  /** The program that stands for it, such as "Miniflare". */
  readonly by: string;
}

/** The description of a user's app before it is built. Its folders are the user's own: nobody writes there. */
export interface OwnAppSource {
  /** Absolute path of the app's folder. */
  readonly folder: string;
  /** Absolute path of the workspace that the app belongs to; the app's folder where it belongs to none. */
  readonly workspace: string;
  /** Absolute path of the folder in which a package manager installs the app's packages: in the workspace, or it. */
  readonly root: string;
  /** Absolute path of a file that the app reads outside of the workspace; null where there is none. */
  readonly unreached: string | null;
  /** Files above the app that would say which workspace it belongs to, and that are broken. */
  readonly passedOver: readonly OwnAppRead[];
  /** The app's variables, of `.env*`, `.dev.vars` and `--env-file`. */
  readonly variables: Readonly<Record<string, string>>;
  /** null where the folder has no package.json. */
  readonly packageJson: OwnPackageJson | null;
  /** The program that installs the app's packages, by the workspace's lock file; npm without one. */
  readonly packageManager: PackageManager;
  /** The exact version of it that package.json pins, such as "10.1.0"; null where it pins none. */
  readonly managerVersion: string | null;
  /** Names of what lies in the app's folder itself, such as "next.config.ts". */
  readonly files: readonly string[];
  /**
   * The range that package.json asks for, such as "^16.4.0", of a dependency for production or development;
   * null for one that it does not name.
   */
  rangeOf(packageName: string): string | null;
}

/** A command by which an app is built. */
export interface OwnBuildCommand {
  /** The command for a shell. */
  readonly command: string;
  /** The folder that it works in, from the app's on; "." for that. */
  readonly cwd: string;
}

/** The finding of a framework in a folder with an app of its own. */
export interface OwnAppFinding {
  /** Name of the app's kind in a sentence, such as "Next.js (App Router)". */
  readonly title: string;
  /** Platforms that cannot run the app, whatever is built, each with the reason in one sentence. */
  readonly refusals: Readonly<Record<PlatformId, string>>;
  /** Paths from the app's folder on that the private copy has although they look like output, such as "dist". */
  readonly keeps: readonly string[];
  /** The only platforms that it is built for, as a finished output is. Default: all that are asked for. */
  readonly platforms?: readonly PlatformId[];
  /** True where it takes what a build of the app made. Such a finding goes before those that bundle modules. */
  readonly isFinished?: boolean;
  /** What its platform's own tool runs before all else. Default: nothing. */
  readonly buildCommand?: OwnBuildCommand;
  /** Files that were read to find it out. Default: none. */
  readonly read?: readonly OwnAppRead[];
}

/**
 * How a path is answered. Dynamic: for each request. Prerendered: by the build. Isr: by the build, and again from time
 * to time. Static: a file. Refused: by another product, such as image optimisation, which is never measured.
 */
export type OwnRouteKind = "dynamic" | "prerendered" | "isr" | "static" | "refused";

/** A path that an app answers. */
export interface OwnAppRoute {
  /** The path as the framework writes it, such as "/posts/[slug]". */
  readonly path: string;
  /** How its answers come about. */
  readonly kind: OwnRouteKind;
  /** True where middleware runs before the route. */
  readonly hasMiddleware: boolean;
  /** Paths that the build computed, of a dynamic route of which it computed some. Default: none. */
  readonly prerendered?: readonly string[];
  /** True of a dynamic page of which the build computed the beginning. Default: false. */
  readonly isPartlyPrerendered?: boolean;
  /** How its bodies differ between runtimes that do the same work. Default: not at all. */
  readonly variation?: NonNullable<BodyRules["variation"]>;
  /** A sentence for the user, such as which paths were prerendered; null where there is nothing to say. */
  readonly note: string | null;
}

/** The part of a build for one platform: a folder in the platform's own format, or why there is none. */
export type OwnAppDeployable =
  | {
      /** Absolute path of what `platform.serve` and `platform.size` take. */
      readonly deployable: string;
    }
  | {
      /** Why there is no deployable, in one sentence: what is refused, why, and what to do. */
      readonly refusal: string;
      /** What a tool that failed has said, as `Reason.quotes` has it. Default: nothing. */
      readonly quotes?: readonly string[];
      /** True where a tool failed, which may end otherwise another time. Default: the app itself is refused. */
      readonly isFailure?: true;
    };

/** Makes the refusal of a platform for which something failed. */
export function failedBuild(error: unknown): OwnAppDeployable {
  return { refusal: messageOf(error), quotes: quotesOf(error), isFailure: true };
}

/** The result of a build of a user's app. */
export interface OwnAppBuilt {
  /** The deployable, or the refusal, of each platform that was asked for. */
  readonly platforms: Readonly<Record<PlatformId, OwnAppDeployable>>;
  /** Paths that the app answers. Empty where the framework does not say its routes. */
  readonly routes: readonly OwnAppRoute[];
}

/** Options of a step of a build. */
export interface OwnBuildStepOptions {
  /** Absolute path of the folder that the step works in. Default: the app's folder in the private copy. */
  readonly cwd?: string;
  /** Variables that are added to the app's own. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a framework builds a user's app with: a private copy with its packages, and tools for it. */
export interface OwnAppBuild {
  /**
   * The app in the private copy. Each build step has its variables in its environment, and each server gets them again
   * when it starts: none need be written into a deployable.
   */
  readonly source: OwnAppSource;
  /** Absolute path of the app's folder in the private copy. It may be written. */
  readonly folder: string;
  /** Absolute path of the workspace in the private copy: `folder` where the app belongs to none. It may be written. */
  readonly workspace: string;
  readonly platforms: readonly PlatformId[];
  /** Absolute path of a folder for the platform's deployable. Nothing is there yet. */
  placeFor(platform: PlatformId): string;
  /**
   * Runs a tool to its end, with its output in the build's log. Programs that are Node.js's are started by
   * `process.execPath`, which is the Node.js of Evenbench.
   *
   * @throws {Error} whose message has the step's name and the last lines of its output.
   */
  readonly run: (
    name: string,
    command: readonly [file: string, ...args: string[]],
    options?: OwnBuildStepOptions,
  ) => Promise<void>;
  /**
   * Adds packages to the private copy by the app's package manager, without saving them.
   *
   * @param packages each with its range, such as "@sveltejs/adapter-node@^5". One that is installed already
   * in the very version that is named is left.
   */
  addPackages(packages: readonly string[]): Promise<void>;
  /** The version that the private copy has installed, such as "16.4.6"; null where it has none. */
  installedVersion(packageName: string): string | null;
  /** Tells the user what was changed or added in the copy, in one sentence. */
  note(sentence: string): void;
  /** Records a service of a platform that another program stands for. */
  simulate(service: Simulated): void;
}

/** The part of a framework that knows apps which nobody here wrote: the default export of `apps/<id>/own.ts`. */
export interface OwnAppFramework {
  /** Name of the framework for people, such as "Next.js". */
  readonly title: string;
  /**
   * Frameworks are asked in this order, the lowest first: 0 with a configuration of their own, 5 handlers, 9 what one
   * platform takes.
   */
  readonly order: number;
  /** Packages of others that its builds need, by platform; the published package does not bring them. Default: none. */
  readonly tools?: Readonly<Record<PlatformId, readonly string[]>>;
  /** Reads the user's folder and changes nothing. null where the app is not this framework's. */
  detect(source: OwnAppSource): Promise<OwnAppFinding | null>;
  /**
   * Builds for all platforms that are asked for: once where the framework allows that, so that bodies are equal by
   * construction.
   *
   * @throws {UserError} in one line, where nothing can be built for any platform.
   */
  build(build: OwnAppBuild): Promise<OwnAppBuilt>;
}

/** Types the default export of an `apps/<id>/own.ts`. Gives the framework as it is. */
export function defineOwnApp(framework: OwnAppFramework): OwnAppFramework {
  return framework;
}

/** A framework with the name of its folder. */
export interface NamedOwnAppFramework extends OwnAppFramework {
  /** Name of its folder below apps/. */
  readonly id: string;
}
