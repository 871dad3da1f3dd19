import type { RenderAccount } from "@evenbench/core";
import { type InstanceCounts, newInstance } from "../handler/index.ts";

const KEY = Symbol.for("evenbench.instance");
const shared = globalThis as { [KEY]?: InstanceCounts };

/** The one of this process: each page and each route may come from a bundle of its own. */
export function thisInstance(): InstanceCounts {
  shared[KEY] ??= newInstance();
  return shared[KEY];
}

/** Counts a rendering and accounts for it. */
export function enterInstance(): RenderAccount {
  const instance = thisInstance();
  const { inFlight } = instance;
  return {
    instanceId: instance.id(),
    served: instance.served++,
    inFlight,
    renderId: newInstance().id(),
  };
}

/** Counts a request as in flight until `work` has settled: for pages whose rendering waits. */
export async function inFlightUntil<T>(work: Promise<T>): Promise<T> {
  const instance = thisInstance();
  instance.inFlight++;
  try {
    return await work;
  } finally {
    instance.inFlight--;
  }
}
