import { BUILD_VARIABLE, FUNCTION_RUNTIME_VARIABLE, REGION_VARIABLE } from "./platform.ts";
import type { Identity } from "./schema.ts";

/** The pin of a development server. Nothing that has this pin is ever measured. */
export const DEVELOPMENT_PIN = { mode: "development" } as const;

/** The app and platform of servers that know nothing of Evenbench. */
export const OWN_SERVER_APP = "own-server";

/**
 * How it is known that targets do the same work: "proven": their responses are equal; "json": they are equal as JSON;
 * "assumed": somebody said so.
 */
export type SameWork = "proven" | "json" | "assumed";

interface SentSettings {
  /** Method in capital letters: "GET". */
  readonly method: string;
  /** Headers by name in lower case. Values may be secrets: no record has them. */
  readonly headers: Readonly<Record<string, string>>;
  /** null: the request has no body. */
  readonly body: Uint8Array | null;
}

/** A request with its path as it is sent: values in it may be secrets, and no record has those. */
export interface CaseRequest extends SentSettings {
  readonly path: string;
}

/** A request, apart from the path that its case asks for. */
export interface RequestSettings extends SentSettings {
  /** Cases that are asked otherwise, by their ids: in another way, or at a path of which records lack a part. Default: none. */
  readonly ofCases?: ReadonlyMap<string, CaseRequest>;
}

/** Makes the identity of a server that knows nothing of Evenbench, and so does not answer `/identity`. */
export function ownServerIdentity(facts: Identity["facts"]): Identity {
  return {
    schemaVersion: 1,
    app: OWN_SERVER_APP,
    platform: OWN_SERVER_APP,
    instance: { id: "", served: 0 },
    pins: {},
    facts,
  };
}

/** Facts about the runtime that a target runs on, by its own account; null: not known. */
export interface RuntimeFacts {
  /** Name and version: "Node.js 24.11.1". */
  readonly runtime: string;
  /** V8's version: "13.6.233.10-node.28". */
  readonly v8: string | null;
  /** Flags that V8 was started with; "none" where there are none. */
  readonly v8Flags: string | null;
  /** Operating system and processor: "linux x64". */
  readonly system: string | null;
  /** Number of processes behind the address. */
  readonly workers: string | null;
  /** The runtime that a function is built for, and why, where that is not the platform's usual one. */
  readonly functionRuntime: string | null;
  /** Digest of the deployable, where it is deployed. */
  readonly build: string | null;
  /** The platform's name of the region, where it is deployed. */
  readonly region: string | null;
}

/**
 * Gathers what a target knows of its runtime. Where `process` names a Node.js that is none, platforms replace these
 * facts, or set EVENBENCH_RUNTIME, EVENBENCH_V8 and EVENBENCH_V8_FLAGS.
 */
export function runtimeFacts(): RuntimeFacts & Record<string, string | null> {
  const { env } = process;
  const build = env[BUILD_VARIABLE] ?? null;
  const region = env[REGION_VARIABLE] ?? null;
  const runtime = env.EVENBENCH_RUNTIME;
  if (runtime !== undefined) {
    const v8 = env.EVENBENCH_V8 ?? null;
    const v8Flags = env.EVENBENCH_V8_FLAGS ?? null;
    return { runtime, v8, v8Flags, system: null, workers: null, functionRuntime: null, build, region };
  }
  // Flags that the host's own files need say nothing about the comparison.
  const flags = process.execArgv.filter((flag) => !/strip-types|disable-warning/.test(flag));
  return {
    runtime: `Node.js ${process.versions.node}`,
    v8: process.versions.v8 ?? null,
    v8Flags: env.EVENBENCH_V8_FLAGS || flags.join(" ") || "none",
    system: `${process.platform} ${process.arch}`,
    workers: env.EVENBENCH_WORKERS ?? null,
    functionRuntime: env[FUNCTION_RUNTIME_VARIABLE] ?? null,
    build,
    region,
  };
}
