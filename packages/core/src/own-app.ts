import type { PlatformId } from "./platform.ts";

/** The part of a package.json that says what an app is made of. */
export interface OwnPackageJson {
  readonly name?: string;
  readonly type?: string;
  readonly main?: string;
  readonly exports?: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** Such as "pnpm@10.1.0". */
  readonly packageManager?: string;
}

export type PackageManager = "npm" | "pnpm" | "yarn";

/** What is known of a user's app before anything is built. Its folders are the user's own: nobody writes there. */
export interface OwnAppSource {
  /** Absolute path of the app's folder. */
  readonly folder: string;
  /** Absolute path of the workspace that the app belongs to; the app's folder where it belongs to none. */
  readonly workspace: string;
  /** null where the folder has no package.json. */
  readonly packageJson: OwnPackageJson | null;
  /** By the lock file of the workspace; npm where there is none. */
  readonly packageManager: PackageManager;
  /** Names of what lies in the app's folder itself, such as "next.config.ts". */
  readonly files: readonly string[];
  /**
   * The range that package.json asks for, such as "^16.4.0", of a dependency for production or development;
   * null for one that it does not name.
   */
  rangeOf(packageName: string): string | null;
}

/** What a framework found in a folder that is its own. */
export interface OwnAppFinding {
  /** In a sentence's middle, such as "Next.js (App Router)" or "a fetch handler (src/index.tsx)". */
  readonly title: string;
  /** By platform that cannot run it, whatever is built: why, in one sentence. */
  readonly refusals: Readonly<Record<PlatformId, string>>;
  /**
   * Paths relative to the app's folder that the private copy must have although they look like output, such
   * as "dist".
   */
  readonly keeps: readonly string[];
}

/**
 * Dynamic: computed for each request. Prerendered: computed by the build. Isr: computed by the build, and
 * again from time to time. Static: a file.
 */
export type OwnRouteKind = "dynamic" | "prerendered" | "isr" | "static";

export interface OwnAppRoute {
  /** As the framework writes it, such as "/posts/[slug]". */
  readonly path: string;
  readonly kind: OwnRouteKind;
  /** Whether middleware runs before it. */
  readonly hasMiddleware: boolean;
  /** A sentence for the user, such as which paths were prerendered; null where there is nothing to say. */
  readonly note: string | null;
}

/** One platform's part of a build: a folder in the platform's own format, or why there is none. */
export type OwnAppDeployable =
  | {
      /** Absolute path of what `platform.serve` and `platform.size` take. */
      readonly deployable: string;
    }
  | {
      /** One sentence: what is refused, why, and what to do. */
      readonly refusal: string;
    };

export interface OwnAppBuilt {
  /** One for each platform that was asked for. */
  readonly platforms: Readonly<Record<PlatformId, OwnAppDeployable>>;
  /** Empty where the framework does not say its routes. */
  readonly routes: readonly OwnAppRoute[];
}

export interface OwnBuildStepOptions {
  /** Default: the app's folder in the private copy. */
  readonly cwd?: string;
  /** Added to what `OwnAppBuild.environment` has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a framework gets to build a user's app with: a private copy, with its packages installed, and tools for it. */
export interface OwnAppBuild {
  readonly source: OwnAppSource;
  /** Absolute path of the app's folder in the private copy. It may be written. */
  readonly folder: string;
  /** Absolute path of the workspace in the private copy: `folder` where the app belongs to none. It may be written. */
  readonly workspace: string;
  /** The platforms to build for. */
  readonly platforms: readonly PlatformId[];
  /**
   * The user's variables, of `.env*`, `.dev.vars` and `--env-file`. Each build step has them in its environment, and
   * each server gets them again when it starts: none need be written into a deployable.
   */
  readonly environment: Readonly<Record<string, string>>;
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
   * Adds packages to the private copy, by the app's own package manager and without saving them in package.json.
   *
   * @param packages each with its range, such as "@sveltejs/adapter-node@^5". One that is installed already
   * in the very version that is named is left.
   */
  addPackages(packages: readonly string[]): Promise<void>;
  /** The version that the private copy has installed, such as "16.4.6"; null where it has none. */
  installedVersion(packageName: string): string | null;
  /** Tells the user what was changed or added in the copy, in one sentence. */
  note(sentence: string): void;
}

/**
 * What a framework knows of apps that are made with it and that nobody here wrote. It is the default export of
 * `apps/<id>/own.ts`, and is found there by the folder.
 */
export interface OwnAppFramework {
  /** For people, such as "Next.js". */
  readonly title: string;
  /**
   * Frameworks are asked in this order, the lowest first: 0 for full frameworks, 5 for handlers, 9 for
   * finished outputs.
   */
  readonly order: number;
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

export function defineOwnApp(framework: OwnAppFramework): OwnAppFramework {
  return framework;
}

/** A framework with the name of its folder. */
export interface NamedOwnAppFramework extends OwnAppFramework {
  readonly id: string;
}
