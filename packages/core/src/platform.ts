import type { CpuPrice, DeployableSize, PlatformRecord } from "./schema.ts";

/** The id of a platform is the name of its folder under apps/. */
export type PlatformId = string;

export interface ServeOptions {
  readonly deployable: string;
  readonly port: number;
  readonly logFile: string;
  /** CPU list in the form of taskset ("1", "1-3"); null: all. */
  readonly cores: string | null;
  /** Processes behind one address, where the platform has such a thing. */
  readonly workers: number;
  /** A runtime that is not made of V8 refuses them (`refuseV8` of packages/host). */
  readonly v8Flags: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Loopback port of V8's inspector, for one worker alone. A runtime that is not made of V8 refuses it. */
  readonly inspectPort?: number;
  /** Closed like a deployed target: by this token, or, with null, for want of one. Default: open. */
  readonly token?: string | null;
  /** Of an app that knows nothing of `/identity`: a path that is ready when it is answered, by any status. */
  readonly readyPath?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface DevelopOptions {
  readonly port: number;
  readonly logFile: string;
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** One address on the loopback interface that answers `/identity`. */
export interface Host {
  readonly url: string;
  /** By `performance.now()`, after what is prepared for it. */
  readonly startedAt?: number;
  pids(): readonly number[];
  /** Resolves with a reason when the host ended by itself; stays pending after `stop`. */
  readonly died: Promise<string>;
  /** Resolves when every process is gone. Safe to call twice. */
  stop(): Promise<void>;
}

/** What a platform is, and how its deployables are served here. Nothing else names a platform. */
export interface PlatformDefinition {
  readonly title: string;
  /** One deployable, for heads of tables: "Worker". Default: the title. */
  readonly shortTitle?: string;
  /** On this machine, in sentences: "Cloudflare's workerd". Default: the short title. */
  readonly localTitle?: string;
  readonly description: string;
  /** From 0 to 7: on all pages, and its place among platforms. Default: one of the last three. */
  readonly colour?: number;
  /** Who accounts for single requests' CPU time where it is deployed, and by what. */
  readonly cpuAccountant?: string;
  readonly cpuPrice?: CpuPrice;
  /** Packages that profiles count as adapters. */
  readonly adapters?: RegExp;
  /** Its own adapter reads a body to its end although the client has gone. */
  readonly readsAbandonedBodies?: true;
  /** It answers a request line that it cannot read with 505, not with 400. */
  readonly refusesWith505?: true;
  /** It says the length 0 in answer to HEAD, although it does not know that of the body. */
  readonly headSaysEmpty?: true;
  /** It hands a path with "." and ".." on as it was written; others resolve them before anybody sees it. */
  readonly keepsDotSegments?: true;
  /** Beside another instance at work it stays slow for longer. */
  readonly warmsUpAlone?: true;
  /** No command works with it unless it is named, as with `--target`. */
  readonly offUnlessNamed?: true;
  /** What this machine lacks, with the command that installs it, in one line. */
  missing?(): string | null;
  serve(options: ServeOptions): Promise<Host>;
  /** Puts `createGuard` in front of a built deployable, so that no app can forget it: once, at the build's end. */
  close(deployable: string): Promise<void>;
  size(deployable: string): Promise<DeployableSize>;
  readonly deployment?: PlatformDeployment;
}

/** The default export of `apps/<id>/platform.ts`. */
export function definePlatform(definition: PlatformDefinition): PlatformDefinition {
  return definition;
}

export interface Platform extends PlatformDefinition {
  readonly id: PlatformId;
}

export function namePlatform(id: string, definition: PlatformDefinition): Platform {
  assertId(id, "Platform");
  return { ...definition, id };
}

export function recordOfPlatform(definition: PlatformDefinition, place: "local" | "url"): PlatformRecord {
  const { title, shortTitle = title, localTitle = shortTitle, deployment } = definition;
  const { colour = null, cpuAccountant = null, cpuPrice = null } = definition;
  const isHosted = deployment !== undefined;
  const spoken = isHosted && place === "url" ? title : localTitle;
  return { shortTitle, spoken, colour, isHosted, cpuAccountant, cpuPrice };
}

export interface BuildFailure {
  readonly what: string;
  readonly step: string;
  readonly lastLines: readonly string[];
  /** The whole output, relative to the repository's root. */
  readonly logFile: string;
}

export interface ToolCall {
  readonly name: string;
  readonly command: readonly [file: string, ...args: string[]];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export type RunTool = (call: ToolCall) => Promise<string>;

export interface DeployOrder {
  /** What the platform is to call it: "evenbench-next". */
  readonly name: string;
  readonly deployable: string;
  /** An empty folder to work in, removed afterwards. */
  readonly scratch: string;
  /** AWS's name ("us-east-1") of the region that all platforms are to run in or beside. */
  readonly region: string;
  /** Whether to add what the platform needs to keep an account of each request. */
  readonly accounting: boolean;
  /** For its variable EVENBENCH_BUILD. */
  readonly digest: string;
  /** For its secret EVENBENCH_TOKEN. Never on a command line. */
  readonly token: string;
}

export interface DeployedAt {
  readonly url: string;
  /** null where accounts come with the responses, or were not asked for. */
  readonly accountsUrl: string | null;
}

export interface PlatformDeployment {
  /** Sentences that name the variable, and where to make its value. */
  missingCredentials(run: RunTool): Promise<readonly string[]>;
  /** Why it cannot be carried out although its size is right. */
  refusal(order: Omit<DeployOrder, "scratch">): string | null;
  describe(order: Omit<DeployOrder, "scratch">): readonly string[];
  rehearse(order: DeployOrder, run: RunTool): Promise<void>;
  /** Called again after an interruption, it ends as if it had been called once. */
  deploy(order: DeployOrder, run: RunTool): Promise<DeployedAt>;
  /** All that `destroy` removes; default: what has the name. */
  removes?(name: string): readonly string[];
  /** What is gone already is no error. */
  destroy(name: string, scratch: string, run: RunTool): Promise<void>;
}

/** By it a deployment says in `/identity` which build it is. */
export const BUILD_VARIABLE = "EVENBENCH_BUILD";

export interface ExpectedBuild {
  readonly digest: string;
  readonly deployedAt: string | null;
  readonly command: string;
}

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Files and folders are named by it. */
const MOST_LETTERS = 64;

export function whyNoId(id: string, what: string): string | null {
  if (id.length > MOST_LETTERS) {
    return `${what} id has ${id.length} letters, and the limit is ${MOST_LETTERS}.`;
  }
  return KEBAB_CASE.test(id)
    ? null
    : `${what} id "${id}" is not lower-case words joined by hyphens, such as "react-ssr".`;
}

export function assertId(id: string, what: string): void {
  const reason = whyNoId(id, what);
  if (reason !== null) {
    throw new TypeError(reason);
  }
}
