import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildArtifact } from "@evenbench/bundle";
import { type Alteration, type Builder, buildAlteredApp, bundleBuilder } from "@evenbench/bundle/deployable";
import { reasonOf } from "@evenbench/core";
import { everyCore, findNodeProgram, oneCore, repositoryRoot } from "@evenbench/host";
import type { LocalTarget } from "@evenbench/runner";
import { type Experiment, type Side, type SideBuild, sidesOf } from "./define.ts";
import { experimentsDirectory } from "./discover.ts";

/** Gives the place of the deployable of a side with another build; null for a side without one. */
export function deployableOf(experimentId: string, { build, target }: Side): string | null {
  if (build === undefined) {
    return null;
  }
  return join(experimentsDirectory, "dist", experimentId, build.name, target);
}

/** Writes how a side is built or started otherwise than usual; null where it is as usual. */
function otherwiseOf({ build, start = {} }: Side): string | null {
  const { v8Flags = [], workers, cores, node, environment = {} } = start;
  const parts = [
    ...(build === undefined ? [] : [`build: ${build.name}`]),
    ...(v8Flags.length === 0 ? [] : [`V8 flags: ${v8Flags.join(" ")}`]),
    ...(workers === undefined ? [] : [`workers: ${workers}`]),
    ...(cores === undefined ? [] : [`cores: ${cores}`]),
    ...(node === undefined ? [] : [`Node.js: ${node}`]),
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  ];
  return parts.length === 0 ? null : parts.join("; ");
}

/**
 * Makes the target of a side. Where its build or start are others, `/identity` has a pin by which preflight
 * refuses it in an ordinary run.
 */
export function targetOfSide(experimentId: string, side: Side, target: LocalTarget): LocalTarget {
  const otherwise = otherwiseOf(side);
  const { v8Flags = [], workers, node, environment } = side.start ?? {};
  return {
    ...target,
    name: side.name,
    deployable: deployableOf(experimentId, side) ?? target.deployable,
    ...(side.parameters && { parameters: side.parameters }),
    platform: {
      ...target.platform,
      serve: async (options) =>
        target.platform.serve({
          ...options,
          v8Flags: [...options.v8Flags, ...v8Flags],
          workers: workers ?? 1,
          nodeProgram: node === undefined ? options.nodeProgram : await findNodeProgram(node),
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
 * Gives the CPU list of a side's cores; null: it shares all with the client.
 *
 * @param cores the CPU list of the servers; null: they share all with the client.
 * @throws {Error} where a side must run on one core, and cannot be confined to one.
 */
function coresOf({ start }: Side, cores: string | null): string | null {
  if (start?.cores === undefined) {
    return cores;
  }
  if (start.cores === "all") {
    return everyCore(cores);
  }
  const core = oneCore(cores);
  if (core !== null) {
    return core;
  }
  throw new Error("it must run on one core, which needs Linux with taskset and at least two cores.");
}

/** Options of building the sides of experiments. */
export interface SideBuildOptions {
  readonly experiments: readonly Experiment[];
  readonly targets: readonly LocalTarget[];
  /** Why targets cannot be used, by name. */
  readonly missing: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  /** Is told what happens: a sentence, and the ends of logs that say more, which no record has. */
  onEvent?(message: string, quotes?: readonly string[]): void;
}

/**
 * Builds the sides that have a build of their own, each once. What fails is said, and the others are built.
 *
 * @returns sentences on why targets cannot be used, by name, and builds of sides, by their folder.
 */
export async function buildSides(options: SideBuildOptions): Promise<ReadonlyMap<string, string>> {
  const { experiments, targets, signal, onEvent } = options;
  const missing = new Map(options.missing);
  const seen = new Set<string>();
  for (const experiment of experiments) {
    for (const side of sidesOf(experiment)) {
      const { id } = experiment;
      const deployable = deployableOf(id, side);
      const target = targets.find(({ name }) => name === side.target);
      if (deployable === null || target === undefined || seen.has(deployable) || signal.aborted) {
        continue;
      }
      seen.add(deployable);
      onEvent?.(`Building ${target.name} for ${id}: ${side.build?.name} ...`);
      try {
        await rm(deployable, { recursive: true, force: true });
        await mkdir(dirname(deployable), { recursive: true });
        await side.build?.build(target, deployable);
      } catch (error) {
        const { message, quotes } = reasonOf(error);
        missing.set(deployable, `it could not be built: ${message}`);
        onEvent?.(`${target.name} could not be built for ${id}: ${message}`, quotes);
      }
    }
  }
  return missing;
}

/** The build of the cases by a bundler that was not told NODE_ENV, for the target's platform. */
export const WITHOUT_NODE_ENV: SideBuild = {
  name: "no-node-env",
  async build({ platform }, deployable) {
    const outDirectory = `${deployable}.bundle`;
    try {
      const { artifact, failures } = await buildArtifact({ outDirectory, nodeEnv: null });
      const [failure] = failures;
      if (failure !== undefined) {
        throw new Error(`${failure.path}: ${failure.reason}`);
      }
      const buildDeployable = await bundleBuilder(platform.id);
      await buildDeployable({ artifactDirectory: artifact, outDirectory: deployable });
    } finally {
      await rm(outDirectory, { recursive: true, force: true });
    }
  },
};

/** Makes a build of the Next.js app with alterations of its sources. @param name how tables call the build. */
export function alteredNext(name: string, alterations: readonly Alteration[]): SideBuild {
  const app = join(repositoryRoot, "apps/next");
  return {
    name,
    async build({ platform }, deployable) {
      const file = pathToFileURL(join(app, "build.ts")).href;
      const { builders }: { builders: Record<string, Builder> } = await import(file);
      const builder = builders[platform.id];
      if (builder === undefined) {
        throw new Error(`${file} has no builder for ${platform.id}.`);
      }
      await buildAlteredApp({ app, alterations, builder, deployable });
    },
  };
}
