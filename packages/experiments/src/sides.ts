import { join } from "node:path";
import type { LocalTarget } from "@evenbench/runner";
import type { CoresApart } from "@evenbench/runner/engine";
import type { Side } from "./define.ts";
import { experimentsDirectory } from "./discover.ts";

/** Where the deployable of a side with another build lies. Nothing else is ever made there, and nothing but experiments looks there. */
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
 * A side as a target that can be served. Where its build or start is another one, `/identity` has a pin for it, by which
 * preflight refuses it in an ordinary run.
 *
 * @throws {Error} when it needs cores that cannot be set apart here.
 */
export function targetOfSide(
  experimentId: string,
  side: Side,
  target: LocalTarget,
  cores: CoresApart,
): LocalTarget {
  const otherwise = otherwiseOf(side);
  const { v8Flags = [], workers, environment } = side.start ?? {};
  const ownCores = coresOf(side, cores);
  return {
    ...target,
    name: side.name,
    deployable: deployableOf(experimentId, side) ?? target.deployable,
    platform: {
      ...target.platform,
      serve: (options) =>
        target.platform.serve({
          ...options,
          v8Flags: [...options.v8Flags, ...v8Flags],
          workers: workers ?? 1,
          cores: ownCores ?? options.cores,
          environment: {
            ...options.environment,
            ...environment,
            ...(otherwise === null ? {} : { EVENBENCH_EXPERIMENT: `${experimentId}: ${otherwise}` }),
          },
        }),
    },
  };
}

/** A CPU list, or null for that of the servers. */
function coresOf({ start }: Side, { split }: CoresApart): string | null {
  if (start?.cores === undefined) return null;
  if (split === null)
    throw new Error("it is to be confined to cores, which needs Linux with taskset and two cores or more.");
  const [first = split.servers] = split.servers.split(/[,-]/);
  return start.cores === "one" ? first : `${split.client},${split.servers}`;
}
