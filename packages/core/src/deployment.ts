/** One command of a platform's own tool. */
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

/** Runs a command to its end and gives what it wrote to its standard output. */
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

/** The build that a deployed target has to run for a comparison with what is built here to mean anything. */
export interface ExpectedBuild {
  /** Digest of the deployable as it is built here. */
  readonly digest: string;
  /** When it was deployed, as ISO 8601; null where that is not known. */
  readonly deployedAt: string | null;
  /** What fixes a difference: a command. */
  readonly command: string;
}
