/** The id of a platform is the name of its folder under apps/. */
export type PlatformId = string;

export interface ServeOptions {
  /** Absolute path of the deployable, as the app's `app.ts` names it for this platform. */
  readonly deployable: string;
  readonly port: number;
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
  readonly signal?: AbortSignal | undefined;
}

export interface DevelopOptions {
  readonly port: number;
  readonly logFile: string;
}

/** A local host: one address on the loopback interface that answers `/identity`. */
export interface Host {
  /** Origin without a trailing slash, such as "http://127.0.0.1:41234". */
  readonly url: string;
  /** By the clock of `performance.now()`, after what is prepared for it. */
  readonly startedAt?: number;
  /** Processes that serve requests now (not supervisors): what CPU accounting adds up. */
  pids(): readonly number[];
  /** Resolves with a reason when the host ended by itself; never rejects. Stays pending after `stop`. */
  readonly died: Promise<string>;
  /** Ends every process of the host; resolves when they are gone. Safe to call twice. */
  stop(): Promise<void>;
}

/** What a platform asks for CPU time alone: requests, memory and traffic are not in it. */
export interface CpuPrice {
  /** Plan and place. */
  readonly title: string;
  readonly usdPerCpuHour: number;
  /** The price as its source states it. */
  readonly stated: string;
  /** When the source was read, ISO 8601. */
  readonly readOn: string;
  readonly source: string;
}

/** What a platform is, and how its deployables are served on this machine. Nothing else names a platform. */
export interface PlatformDefinition {
  readonly title: string;
  /** What one deployable is called there, for heads of tables: "Worker". Default: the title. */
  readonly shortTitle?: string;
  /** What stands for the platform on this machine, in sentences: "Cloudflare's workerd". Default: the short title. */
  readonly localTitle?: string;
  readonly description: string;
  /** Its colour on all pages, from 0 to 7, and its place among platforms. Default: one of the last three. */
  readonly colour?: number;
  /** Who accounts for the CPU time of single requests where it is deployed, and by what. Default: nobody. */
  readonly cpuAccountant?: string;
  readonly cpuPrice?: CpuPrice;
  /** Packages between the platform and an app: profiles count them as adapters. */
  readonly adapters?: RegExp;
  /** Set where the platform's own adapter reads a body to its end although its client has gone. */
  readonly readsAbandonedBodies?: true;
  /** Its server answers a request line that it cannot read with 505, not with 400. */
  readonly refusesWith505?: true;
  /** Its server says the length 0 in answer to HEAD, although it does not know that of the body. */
  readonly headSaysEmpty?: true;
  /** Set where the platform is off: no command works with it unless it is named, as with `--target`. */
  readonly offUnlessNamed?: true;
  /** What this machine lacks, in one line with the command that installs it; null for nothing. */
  missing?(): string | null;
  serve(options: ServeOptions): Promise<Host>;
  /**
   * Puts the guard of core's `createGuard` in front of whatever a built deployable answers, so that no app
   * can forget it. Called once, at the end of its build.
   */
  close(deployable: string): Promise<void>;
  /** Its own server for developing. Without it a deployable is served as for measuring, and started anew after each change. */
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

export interface Platform extends PlatformDefinition {
  readonly id: PlatformId;
}

export function namePlatform(id: string, definition: PlatformDefinition): Platform {
  assertId(id, "Platform");
  return { ...definition, id };
}

/** What a run's record says of a target's platform: a report reads nothing else. */
export interface PlatformRecord {
  readonly shortTitle: string;
  /** In sentences: "Cloudflare's workerd" on this machine, "Cloudflare Workers" where it is deployed. */
  readonly spoken: string;
  readonly colour: number | null;
  /** Whether somebody hosts it: then a local run is not the platform. */
  readonly isHosted: boolean;
  readonly cpuAccountant: string | null;
  readonly cpuPrice: CpuPrice | null;
}

export function recordOfPlatform(definition: PlatformDefinition, place: "local" | "url"): PlatformRecord {
  const { title, shortTitle = title, localTitle = shortTitle, deployment } = definition;
  const { colour = null, cpuAccountant = null, cpuPrice = null } = definition;
  const isHosted = deployment !== undefined;
  const spoken = isHosted && place === "url" ? title : localTitle;
  return { shortTitle, spoken, colour, isHosted, cpuAccountant, cpuPrice };
}

export interface DeployableSize {
  readonly bytes: number;
  readonly gzipBytes: number;
  /** What the platform takes at most, and which of the two it counts; null where there is no limit. */
  readonly limit: {
    readonly bytes: number;
    readonly counts: "bytes" | "gzipBytes";
    /** As its documentation says it: "10 MB compressed on the paid plan". */
    readonly says: string;
  } | null;
}

/** One command of a build. */
export interface BuildStep {
  readonly name: string;
  readonly ms: number;
  /** Of all processes of the command together; null where the system does not report it. */
  readonly peakResidentBytes: number | null;
}

/** From the build that made it, also when a cache brought it back. */
export interface BuildRecord {
  readonly steps: readonly BuildStep[];
  readonly size: DeployableSize;
}

export interface BuildFailure {
  /** "next for cloudflare" */
  readonly what: string;
  readonly step: string;
  readonly lastLines: readonly string[];
  /** Path of the whole output, relative to the repository's root. */
  readonly logFile: string;
}

export interface ToolCall {
  /** What messages call it: "wrangler deploy". */
  readonly name: string;
  readonly command: readonly [file: string, ...args: string[]];
  readonly cwd: string;
  /** Beside this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input, which is closed then. */
  readonly input?: string;
}

export type RunTool = (call: ToolCall) => Promise<string>;

/** What is to be put on a platform. */
export interface DeployOrder {
  readonly app: string;
  /** What the platform is to call it: "evenbench-next". */
  readonly name: string;
  /** Absolute path of the built deployable. Only to be read. */
  readonly deployable: string;
  /** An empty folder to work in, removed afterwards. */
  readonly scratch: string;
  /** AWS's name of the region that all platforms are to run in or beside: "us-east-1". */
  readonly region: string;
  /** Whether to add what keeps the platform's account of each request, where the platform needs something for that. */
  readonly accounting: boolean;
  /** Environment variables that anybody may see. */
  readonly variables: Readonly<Record<string, string>>;
  /** Stored as the platform's secrets, and never on a command line. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Origins of what was deployed. */
export interface DeployedAt {
  readonly url: string;
  /** Where accounts of requests are collected; null where they come with the responses, or were not asked for. */
  readonly accountsUrl: string | null;
}

/** How a platform takes deployables: the `deploy` part of its definition. */
export interface PlatformDeployment {
  /**
   * What is missing for the platform to know who deploys: sentences that name the variable, and where to make
   * its value.
   */
  missingCredentials(run: RunTool): Promise<readonly string[]>;
  /** Why the order cannot be carried out although its size is right; null where it can. */
  refusal(order: Omit<DeployOrder, "scratch">): string | null;
  /** What it will create or replace, as a list for whoever has to confirm it. */
  describe(order: Omit<DeployOrder, "scratch">): readonly string[];
  /** Everything that can be tried without sending anything. */
  rehearse(order: DeployOrder, run: RunTool): Promise<void>;
  /** Sends it. Called again after an interruption, it ends as if it had been called once. */
  deploy(order: DeployOrder, run: RunTool): Promise<DeployedAt>;
  /** Removes what `deploy` created under a name; something that is gone already is no error. */
  destroy(name: string, scratch: string, run: RunTool): Promise<void>;
}

/** The variable by which a deployment says in `/identity` which build it is. */
export const BUILD_VARIABLE = "EVENBENCH_BUILD";

export interface ExpectedBuild {
  /** Digest of the deployable as it is built here. */
  readonly digest: string;
  /** When it was deployed, as ISO 8601; null where that is not known. */
  readonly deployedAt: string | null;
  readonly command: string;
}

const KEBAB_CASE = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Files and folders are named by it. */
const MOST_LETTERS = 64;

export function whyNoId(id: string, what: string): string | null {
  if (id.length > MOST_LETTERS)
    return `${what} id has ${id.length} letters, and the limit is ${MOST_LETTERS}.`;
  return KEBAB_CASE.test(id)
    ? null
    : `${what} id "${id}" is not lower-case words joined by hyphens, such as "react-ssr".`;
}

/** Checks an id (a case's, a platform's or an app's folder name): lower-case words joined by hyphens. */
export function assertId(id: string, what: string): void {
  const reason = whyNoId(id, what);
  if (reason !== null) throw new TypeError(reason);
}
