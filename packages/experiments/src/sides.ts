import { join } from "node:path";
import { everyCore, oneCore } from "@evenbench/host";
import type { LocalTarget } from "@evenbench/runner";
import type { Side } from "./define.ts";
import { experimentsDirectory } from "./discover.ts";

/**
 * Where the deployable of a side with another build lies. Nothing else is ever made there, and nothing but
 * experiments looks there.
 */
export function deployableOf(experimentId: string, { build, target }: Side): string | null {
  if (build === undefined) return null;
  return join(experimentsDirectory, "dist", experimentId, build.name, target);
}

/** What is another about a side's build or start, in words; null for a target as it is. */
export function otherwiseOf({ build, start = {} }: Side): string | null {
  const { v8Flags = [], workers, cores, environment = {} } = start;
  const parts = [
    ...(build === undefined ? [] : [`build: ${build.name}`]),
    ...(v8Flags.length === 0 ? [] : [`V8 flags: ${v8Flags.join(" ")}`]),
    ...(workers === undefined ? [] : [`workers: ${workers}`]),
    ...(cores === undefined ? [] : [`cores: ${cores}`]),
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  ];
  return parts.length === 0 ? null : parts.join("; ");
}

/**
 * A side as a target. Where its build or start is another one, `/identity` has a pin for it, by which
 * preflight refuses it in an ordinary run.
 */
export function targetOfSide(experimentId: string, side: Side, target: LocalTarget): LocalTarget {
  const otherwise = otherwiseOf(side);
  const { v8Flags = [], workers, environment } = side.start ?? {};
  return {
    ...target,
    name: side.name,
    deployable: deployableOf(experimentId, side) ?? target.deployable,
    platform: {
      ...target.platform,
      serve: async (options) =>
        target.platform.serve({
          ...options,
          v8Flags: [...options.v8Flags, ...v8Flags],
          workers: workers ?? 1,
          cores: coresOf(side, options.cores),
          environment: {
            ...options.environment,
            ...environment,
            ...(otherwise === null ? {} : { EVENBENCH_EXPERIMENT: `${experimentId}: ${otherwise}` }),
          },
        }),
    },
  };
}

/**
 * @param cores CPU list of the servers; null: they share all with the client.
 * @throws {Error} when it cannot be confined.
 */
function coresOf({ start }: Side, cores: string | null): string | null {
  if (start?.cores === undefined) return cores;
  if (start.cores === "all") return everyCore(cores);
  const one = oneCore(cores);
  if (one !== null) return one;
  throw new Error("it is to be confined to one core, which needs Linux with taskset and two cores or more.");
}
