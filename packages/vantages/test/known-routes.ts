import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { VantagePlan } from "../src/protocol/plan.ts";
import { K6_ARGUMENTS } from "../src/run/client-command.ts";
import { startDelayProxy } from "./delay-proxy.ts";
import { type Played, playScript, scriptOf } from "./play.ts";

/** A vantage of which is known by how much its way to each target is longer. */
export interface KnownRoute {
  readonly vantage: string;
  /** Milliseconds, by name of the target; its copy has the same way. */
  readonly delayMs: Readonly<Record<string, number>>;
}

/**
 * The origin by which plans for known routes name a target: there is no such host, and each vantage is told
 * another way to it.
 */
export function namedOrigin(target: string): string {
  return `http://${target}.test:8080`;
}

/**
 * Plays one plan from several vantages, one after another, each over a way of its own.
 *
 * @param plan with origins of `namedOrigin`.
 * @param served where each target is, by its name.
 * @returns a log for each route, in their order.
 */
export async function playRoutes(
  plan: VantagePlan,
  served: Readonly<Record<string, string>>,
  routes: readonly KnownRoute[],
): Promise<readonly Played[]> {
  const script = await scriptOf(plan);
  const logs: Played[] = [];
  try {
    for (const { vantage, delayMs } of routes) {
      await using proxies = new AsyncDisposableStack();
      const hosts: Record<string, string> = {};
      for (const [target, origin] of Object.entries(served)) {
        const proxy = proxies.use(await startDelayProxy(origin, delayMs[target] ?? 0));
        // A copy names its host in upper case.
        const { host } = new URL(namedOrigin(target));
        for (const name of [host, host.toUpperCase()]) hosts[name] = new URL(proxy.origin).host;
      }
      const config = join(dirname(script), `${vantage}.json`);
      await writeFile(config, JSON.stringify({ hosts }));
      logs.push(await playScript(script, { vantage, args: [...K6_ARGUMENTS, "--config", config] }));
    }
    return logs;
  } finally {
    await rm(dirname(script), { recursive: true });
  }
}
