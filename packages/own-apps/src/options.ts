import type { Platform } from "@evenbench/core";

/** The order to build a user's app. */
export interface OwnAppOptions {
  /** The app's folder as it was typed. */
  readonly folder: string;
  /** Platforms to build for, such as all of those that no command leaves out by itself. */
  readonly platforms: readonly Platform[];
  /** Paths of `--env-file`. */
  readonly envFiles: readonly string[];
  /** The user's own command that builds, run in the private copy before all else; null without one. */
  readonly build: string | null;
  /** True where a command of the user's serves it: then it need not be an app that Evenbench knows. */
  readonly isStarted: boolean;
  /** True where a build of the same sources is not used again. Default: it is. */
  readonly isAnew?: boolean;
  /** Folders whose files of variables count where the app has none of that name. Default: none. */
  readonly variablesOf?: readonly string[];
  /** Packages that the copy gets in other versions than the app asks for, such as "next@16.3.0". Default: none. */
  readonly withPackages?: readonly string[];
  /** Is called with each step that begins, in a few words, such as "next build". */
  readonly onStep: (step: string) => void;
  readonly signal?: AbortSignal | undefined;
}
