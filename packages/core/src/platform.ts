import type { Reason } from "./errors.ts";
import { assertId } from "./ids.ts";
import type {
  CpuPrice,
  DeployableSize,
  OwnAppRead,
  PlatformLimit,
  PlatformRecord,
  RequestPrice,
} from "./schema.ts";

/** The id of a platform is the name of its folder under apps/. */
export type PlatformId = string;

/** A Node.js on this machine. */
export interface NodeProgram {
  /** Absolute path of the program. */
  readonly file: string;
  /** Version of the program: "26.12.1". */
  readonly version: string;
}

/** Options with which a platform starts a deployable on this machine. */
export interface ServeOptions {
  /** Absolute path of what is served. */
  readonly deployable: string;
  /** Port on the loopback interface; 0: one that is free. */
  readonly port: number;
  /** The file that takes what the server writes to stdout and stderr. */
  readonly logFile: string;
  /** CPU list in the form of taskset ("1", "1-3"); null: all cores. */
  readonly cores: string | null;
  /** Number of processes behind one address, where the platform has such a thing. */
  readonly workers: number;
  /** Flags of V8. A runtime that is not made of V8 refuses them (`refuseV8` of packages/host). */
  readonly v8Flags: readonly string[];
  /** The Node.js that serves, on platforms that are one. Default: the one that runs Evenbench. */
  readonly nodeProgram?: NodeProgram | undefined;
  /** Variables that are added to the server's environment. Default: none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Loopback port of V8's inspector, for one worker alone. A runtime that is not made of V8 refuses it. */
  readonly inspectPort?: number;
  /** The token of the server's callers; null closes it to everybody. Default: it is open. */
  readonly token?: string | null;
  /**
   * Absolute path of the folder in which a server works that is a program of the user's app. Default: the deployable.
   */
  readonly workingFolder?: string;
  /** The path that is ready when it is answered, by any status, of an app that knows no `/identity`. */
  readonly readyPath?: string;
  /**
   * The start that is measured: of the app, of the app with modules that are compiled and not evaluated, or of the
   * control, which is all that starts without the app. Each is ready once it takes connections, or answers without the
   * app. With `inspectPort`, modules that are evaluated before that wait for a debugger. Only platforms with `startUp`
   * know it, and "compiled" those with `evaluatedAt`. Default: a start that serves.
   */
  readonly startUp?: "app" | "compiled" | "control";
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** Options with which a framework starts its own server for developing. */
export interface DevelopOptions {
  /** Port on the loopback interface; 0: one that is free. */
  readonly port: number;
  /** The file that takes what the server writes to stdout and stderr. */
  readonly logFile: string;
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal | undefined;
}

/** A server that runs: a group of processes behind one address on the loopback interface. */
export interface Host {
  /** The host's origin, such as "http://127.0.0.1:4001". It answers `/identity`, but for servers of a user's own. */
  readonly url: string;
  /** The time of its start by `performance.now()`, after what is prepared for it. Left out where nobody needs it. */
  readonly startedAt?: number;
  /** The time at which it was seen to be ready, by the same clock. Left out where nobody needs it. */
  readonly readyAt?: number;
  /** Ids of all processes that serve. Their CPU time counts. */
  pids(): readonly number[];
  /** Number of bytes that it has written to its log so far. Left out where nobody counts them. */
  loggedBytes?(): number;
  /** Resolves with a reason when the host ended by itself; stays pending after `stop`. */
  readonly died: Promise<Reason>;
  /** Resolves when every process is gone. Safe to call twice. */
  stop(): Promise<void>;
}

/** The part of a platform's responses that names the place which took the request. */
export interface EdgeHeader {
  /** The response header, in lower case: "cf-ray". */
  readonly header: string;
  /** Source of a regular expression without flags, whose first group is the place: "-([A-Z]{3})$". */
  readonly pattern: string;
}

/** A platform's description, and how its deployables are served here: all that is known of it. */
export interface PlatformDefinition {
  /** The name of the platform where it is deployed: "Cloudflare Workers". */
  readonly title: string;
  /** The name of one deployable, for heads of tables: "Worker". Default: the title. */
  readonly shortTitle?: string;
  /** The name on this machine, in sentences: "Cloudflare's workerd". Default: the short title. */
  readonly localTitle?: string;
  /** A sentence about what runs on this machine. */
  readonly description: string;
  /** Number of a colour from 0 to 7: on all pages, and its place among platforms. Default: one of the last three. */
  readonly colour?: number;
  /** Who accounts for single requests' CPU time where it is deployed, and by what. Default: nobody does. */
  readonly cpuAccountant?: string;
  /** The price of an hour of CPU time. Default: it has none, and reports no costs. */
  readonly cpuPrice?: CpuPrice;
  /** The price of requests, which comes on top. Default: it has none. */
  readonly requestPrice?: RequestPrice;
  /** Limits that it has where an app is deployed, by the quantity. Default: it names none. */
  readonly limits?: readonly PlatformLimit[];
  /** How start-up is measured (`ServeOptions.startUp`). Default: it is not. */
  readonly startUp?: {
    /** The path whose first answer evaluates the modules of "compiled"; null where nothing compiles them alone. */
    readonly evaluatedAt: string | null;
  };
  /** Names of packages that profiles count as adapters. Default: none. */
  readonly adapters?: RegExp;
  /**
   * Known warm-up, by case id: the number of requests after which a fresh instance is warm, where a run
   * begins without a search. To find a case's number, measure it with this line removed, in a run that lasts
   * for long, such as `npm run bench -- --case <id> --time 10m`, on a quiet machine: `run.json` then has
   * under `warmUps` what each trial's search found (`warmAfter`). Take the largest of the trials. Default: each run searches.
   */
  readonly warmAfter?: Readonly<Record<string, number>>;
  /** The header of its responses that names the place which took the request. Default: no edges are shown. */
  readonly edge?: EdgeHeader;
  /** Folder below the deployable that profiles name scripts from. Default: the deployable itself. */
  readonly scriptFolder?: string;
  /** Set where the platform's adapter reads a body to its end although the client has gone. Default: it stops. */
  readonly readsAbandonedBodies?: true;
  /** It answers a request line that it cannot read with 505, not with 400. */
  readonly refusesWith505?: true;
  /** It says the length 0 in answer to HEAD, although it does not know that of the body. */
  readonly headSaysEmpty?: true;
  /** It hands a path with "." and ".." on as it was written; others resolve them before anybody sees it. */
  readonly keepsDotSegments?: true;
  /** Beside another instance at work it stays slow for longer: no other target is warmed up at the same time. */
  readonly warmsUpAlone?: true;
  /** It is excluded from all commands unless it is given by name, as by `--target bun`. */
  readonly offUnlessNamed?: true;
  /** Packages of others that the published package does not bring, such as "wrangler". Default: none. */
  readonly tools?: readonly string[];
  /** Says in one line what this machine lacks, with the command that installs it; null where it lacks nothing. */
  missing?(): string | null;
  /**
   * Lists what of the platform's own files in a user's folder counts, where the app was built already, or is built here.
   * Default: it has none.
   */
  readOwnFiles?(folder: string, isFinished: boolean): readonly OwnAppRead[];
  /** Starts a deployable. @throws {UserError} with the end of its log where it does not start. */
  serve(options: ServeOptions): Promise<Host>;
  /** Puts `createGuard` in front of a built deployable, so that no app can forget it: once, at the build's end. */
  close(deployable: string): Promise<void>;
  /** Measures a deployable as the platform counts it. */
  size(deployable: string): Promise<DeployableSize>;
  /** How deployables are sent to the platform. Left out: they cannot be. */
  readonly deployment?: PlatformDeployment;
}

/** Types the default export of `apps/<id>/platform.ts`. Gives the definition as it is. */
export function definePlatform(definition: PlatformDefinition): PlatformDefinition {
  return definition;
}

/** A platform with the name of its folder. */
export interface Platform extends PlatformDefinition {
  readonly id: PlatformId;
}

/** Gives a platform the name of its folder. @throws {TypeError} where that cannot be an id. */
export function namePlatform(id: string, definition: PlatformDefinition): Platform {
  assertId(id, "Platform");
  return { ...definition, id };
}

/** Makes what a run's record says of a target's platform. @param place where the target runs. */
export function recordOfPlatform(definition: PlatformDefinition, place: "local" | "url"): PlatformRecord {
  const { title, deployment, colour = null, cpuAccountant = null } = definition;
  const { cpuPrice = null, requestPrice, limits } = definition;
  const shortTitle = definition.shortTitle ?? title;
  const localTitle = definition.localTitle ?? shortTitle;
  const isHosted = deployment !== undefined;
  return {
    shortTitle,
    spoken: isHosted && place === "url" ? title : localTitle,
    colour,
    isHosted,
    cpuAccountant,
    cpuPrice,
    ...(requestPrice !== undefined && { requestPrice }),
    ...(limits !== undefined && { limits }),
  };
}

/** The remains of a build that failed, beside the deployable that it was to make. */
export interface BuildFailure {
  /** The app and the platform of the build: "next for vercel". */
  readonly what: string;
  /** The step that failed: "vercel build". */
  readonly step: string;
  readonly lastLines: readonly string[];
  /** The file of the whole output, relative to the repository's root. */
  readonly logFile: string;
}

/** A call of a platform's own tool. */
export interface ToolCall {
  /** How messages name it: "wrangler deploy". */
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly [file: string, ...args: string[]];
  /** The folder that it works in. */
  readonly cwd: string;
  /** Variables that it gets beside those of every tool. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The text that it reads from stdin. Default: none. */
  readonly input?: string;
}

/** Runs a platform's own tool to its end, and resolves with its stdout. It rejects where the tool fails. */
export type RunTool = (call: ToolCall) => Promise<string>;

/** A deployment that is to be made. */
export interface DeployOrder {
  /** The name that the platform is to call the deployment by: "evenbench-next". */
  readonly name: string;
  /** Absolute path of the deployable. */
  readonly deployable: string;
  /** An empty folder to work in, removed afterwards. */
  readonly scratch: string;
  /** AWS's name ("us-east-1") of the region that all platforms are to run in or beside. */
  readonly region: string;
  /** True where the platform is to keep an account of each request: what that needs is added. */
  readonly accounting: boolean;
  /** The deployable's digest, for its variable EVENBENCH_BUILD. */
  readonly digest: string;
  /** The callers' token, for its secret EVENBENCH_TOKEN. Never on a command line. */
  readonly token: string;
}

/** The addresses of a deployment. */
export interface DeployedAt {
  /** The deployment's origin. */
  readonly url: string;
  /** Address at which accounts of single requests are read; null where they come with responses, or not at all. */
  readonly accountsUrl: string | null;
}

/** How a platform's deployables are sent to it, and removed from it. */
export interface PlatformDeployment {
  /** Says in sentences which credentials are missing, by variable and where to make them. */
  missingCredentials(run: RunTool): Promise<readonly string[]>;
  /** Says why an order cannot be carried out although its size is right; null where it can. */
  refusal(order: Omit<DeployOrder, "scratch">): string | null;
  /** Says in lines what will be made, for the user to confirm. */
  describe(order: Omit<DeployOrder, "scratch">): readonly string[];
  /** Does all that can be done without sending anything. */
  rehearse(order: DeployOrder, run: RunTool): Promise<void>;
  /** Deploys. Called again after an interruption, it ends as if it had been called once. */
  deploy(order: DeployOrder, run: RunTool): Promise<DeployedAt>;
  /** Names all that `destroy` removes. Default: what has the deployment's name. */
  removes?(name: string): readonly string[];
  /** Removes a deployment. What is gone already is no error. */
  destroy(name: string, scratch: string, run: RunTool): Promise<void>;
}

/** The variable of a deployed target that names its build, which `/identity` repeats. */
export const BUILD_VARIABLE = "EVENBENCH_BUILD";

/** The variable that names the region which a deployed target runs in. Its platform's front sets it. */
export const REGION_VARIABLE = "EVENBENCH_REGION";
/** The variable with the runtime that a function is built for, and why, where that is not the usual one. */
export const FUNCTION_RUNTIME_VARIABLE = "EVENBENCH_FUNCTION_RUNTIME";

/** The build that a deployed target is expected to run. */
export interface ExpectedBuild {
  /** The digest of the deployable that is built here. */
  readonly digest: string;
  /** The time of the deployment in ISO 8601; null where it is not known. */
  readonly deployedAt: string | null;
  /** The command that deploys it again. */
  readonly command: string;
}
