import type { DeployableSize } from "./deployable.ts";
import type { PlatformDeployment } from "./deployment.ts";
import { assertId } from "./id.ts";

/** The id of a platform is the name of its folder under apps/. */
export type PlatformId = "cloudflare" | "vercel" | "node" | (string & {});

/** How a local host is to be started. */
export interface ServeOptions {
  /** Absolute path of the deployable, as the app's `app.ts` names it for this platform. */
  readonly deployable: string;
  /** Loopback port; 0 for a free one. */
  readonly port: number;
  /** File that takes the host's output. */
  readonly logFile: string;
  /** CPU list for the servers in the form of taskset ("1", "1-3"), or null for no confinement. */
  readonly cores: string | null;
  /** Worker processes behind one address, where the platform has such a thing. */
  readonly workers: number;
  /** Extra V8 flags for the runtime. One that is not made of V8 refuses them (`refuseV8` of packages/host). */
  readonly v8Flags: readonly string[];
  /** Variables that the served program finds in its environment beside those of the platform. Default: none. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Loopback port on which the serving process opens V8's inspector; default: none is opened. A port has room
   * for one process: not together with more than one worker. A runtime that is not made of V8 refuses it.
   */
  readonly inspectPort?: number;
  /**
   * Closed like a deployed target: by this token, or, with null, for want of one. Default: open, on the
   * loopback interface.
   */
  readonly token?: string | null;
  /** Ends the start early. */
  readonly signal?: AbortSignal | undefined;
}

/** How a server for developing is to be started. */
export interface DevelopOptions {
  /** Loopback port. */
  readonly port: number;
  /** File that takes the server's output. */
  readonly logFile: string;
}

/** A local host: one address on the loopback interface that answers `/identity`. */
export interface Host {
  /** Origin without a trailing slash, such as "http://127.0.0.1:41234". */
  readonly url: string;
  /**
   * When its first process was started, by the clock of `performance.now()`: after what Evenbench prepares for
   * it. Not there where nobody knows.
   */
  readonly startedAt?: number;
  /** Processes that serve requests now (not supervisors): what CPU accounting adds up. */
  pids(): readonly number[];
  /** Resolves with a reason when the host ended by itself; never rejects. Stays pending after `stop`. */
  readonly died: Promise<string>;
  /** Ends every process of the host; resolves when they are gone. Safe to call twice. */
  stop(): Promise<void>;
}

/** What a platform is: how its deployables are served on this machine. */
export interface PlatformDefinition {
  readonly title: string;
  /** What one deployable is called there, for heads of tables: "Worker". Default: the title. */
  readonly shortTitle?: string;
  readonly description: string;
  /** Set where the platform's own adapter reads a body to its end although its client has gone. */
  readonly readsAbandonedBodies?: true;
  /** Set where the platform's own server answers a request line that it cannot read with 505, not with 400. */
  readonly refusesWith505?: true;
  /**
   * Set where the platform's own server says the length 0 in answer to HEAD, although it does not know that
   * of the body for GET.
   */
  readonly headSaysEmpty?: true;
  /** Set where the platform is off: no command works with it unless it is named, as with `--target`. */
  readonly offUnlessNamed?: true;
  /**
   * Tells in one line what the platform needs and this machine does not have, with the command that installs
   * it; null where nothing is missing. Without it nothing ever is.
   */
  missing?(): string | null;
  serve(options: ServeOptions): Promise<Host>;
  /**
   * Puts the guard of core's `createGuard` in front of whatever a built deployable answers, so that no app
   * can forget it. Called once, at the end of its build.
   */
  close(deployable: string): Promise<void>;
  /**
   * Starts the platform's own server for developing, which takes up changed files of the deployable by
   * itself. Without it a deployable is served as for measuring, and started anew after each change.
   */
  develop?(options: DevelopOptions & { readonly deployable: string }): Promise<Host>;
  /** Size of a built deployable, as the platform counts it. */
  size(deployable: string): Promise<DeployableSize>;
  /** Where the platform can be deployed to by a command. */
  readonly deployment?: PlatformDeployment;
}

/** Declares a platform: `apps/<id>/platform.ts` has it as its default export. */
export function definePlatform(definition: PlatformDefinition): PlatformDefinition {
  return definition;
}

/** A platform found on disk. */
export interface Platform extends PlatformDefinition {
  readonly id: PlatformId;
}

/** @throws {TypeError} when the folder's name is not an id. */
export function namePlatform(id: string, definition: PlatformDefinition): Platform {
  assertId(id, "Platform");
  return { ...definition, id };
}
