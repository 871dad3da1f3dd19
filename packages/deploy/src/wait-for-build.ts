import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { fetchIdentity } from "@evenbench/probe/preflight";
import type { UrlTarget } from "@evenbench/runner";
import { DeployError } from "./error.ts";

const POLL_EVERY_MS = 2000;

/**
 * Waits until a new deployment answers with its build everywhere that we can ask: a new address takes a while
 * to be known.
 *
 * @throws {DeployError} when the bound is reached, with what was seen last.
 * @throws {DOMException} "AbortError" when `signal` aborts.
 */
export async function waitForBuild(
  target: UrlTarget,
  signal: AbortSignal,
  withinMs = 120_000,
): Promise<void> {
  const { name, url, token = null, expectedBuild } = target;
  const endsAt = performance.now() + withinMs;
  let seen = "no answer yet";
  do {
    try {
      const { facts } = await fetchIdentity(url, { timeoutMs: 10_000, token });
      if (facts.build === expectedBuild?.digest) return;
      seen = `it runs the build ${facts.build ?? "(not given)"}`;
    } catch (error) {
      seen = messageOf(error);
    }
    await delay(POLL_EVERY_MS, undefined, { signal });
  } while (performance.now() < endsAt);
  throw new DeployError(
    `${name} was deployed, but ${url} does not serve it after ${withinMs / 1000} s: ${seen}. Look again later with \`${EVENBENCH} preflight --where deployed\`.`,
  );
}
