import type { Identity } from "@evenbench/core";

/** Pins that name what a framework is, as readers call it. */
const FRAMEWORKS: Readonly<Record<string, string>> = { next: "Next.js", react: "React in Next.js" };

/**
 * What took part, by name: "Node.js", "V8 in Node.js", "workerd", "V8 in workerd", "Next.js", "React in
 * react-ssr" and the adapters. From what the sides say of themselves.
 */
export function versionsOf(
  identities: readonly Identity[],
  caseIds: readonly string[],
): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const { pins, facts, platform } of identities) {
    const [runtime = "", version] = facts.runtime?.split(" ") ?? [];
    if (version !== undefined) {
      versions[runtime] = version;
      if (facts.v8 != null) versions[`V8 in ${runtime}`] = facts.v8;
    }
    if (facts.adapter != null) versions[`adapter on ${platform}`] = facts.adapter;
    for (const [pin, title] of Object.entries(FRAMEWORKS))
      if (pins[pin] !== undefined) versions[title] = pins[pin];
    for (const id of caseIds) {
      const react = pins[`${id}.react`];
      if (react !== undefined) versions[`React in ${id}`] = react;
    }
  }
  return versions;
}
