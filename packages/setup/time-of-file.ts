import type { TestModule } from "vitest/node";

/** With imports and hooks, in seconds. */
export function timeOf(module: TestModule): number {
  const { collectDuration, duration, setupDuration } = module.diagnostic();
  return (collectDuration + duration + setupDuration) / 1000;
}
