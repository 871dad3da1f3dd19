// How targets look in reports: their names and colours, and which of them the others are compared with.
import type { PlatformRecord } from "@evenbench/core";
import { COLOURS } from "@evenbench/page";
import type { RunTarget } from "@evenbench/results";

/** The part of a target that its name and its colour in a report depend on. */
export interface Placed extends Pick<RunTarget, "name" | "app" | "platform" | "copyOf"> {
  readonly about?: Partial<PlatformRecord>;
}

/** The look of a target in a report. */
export interface TargetDisplay {
  /** Number of its colour, from 0. */
  readonly colour: number;
  /** Short name: the platform's, or the target's own where that does not tell it from others. */
  readonly shown: string;
  /** Name in sentences, headings and pictures: "Cloudflare's workerd". */
  readonly spoken: string;
}

/** Number of colours, the last ones, that are for targets whose platform has none of its own. */
const SHARED = 3;

/**
 * Gives targets their names and colours. An A/A copy has the colour of its target. Of several targets of one app on one
 * platform (two builds of its pages, two deployments) the first has the platform's colour.
 */
export function shownTargets<Target extends Placed>(
  targets: readonly Target[],
): readonly (Target & TargetDisplay)[] {
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  const alikeOf = ({ app, platform }: Placed) =>
    originals.filter((other) => other.app === app && other.platform === platform);
  const isFirst = (target: Placed) => alikeOf(target)[0]?.name === (target.copyOf ?? target.name);
  const ownColourOf = (target: Placed) => (isFirst(target) ? (target.about?.colour ?? null) : null);
  const ownerOf = (target: Placed) =>
    (isFirst(target) ? target.platform : null) ?? target.copyOf ?? target.name;
  const others = [...new Set(targets.filter((target) => ownColourOf(target) === null).map(ownerOf))].sort();
  return targets.map((target) => {
    const { name, platform, copyOf, about } = target;
    const original = copyOf ?? name;
    const isAlone = platform !== null && alikeOf(target).length === 1;
    const colour = ownColourOf(target) ?? COLOURS - SHARED + (others.indexOf(ownerOf(target)) % SHARED);
    const spoken = isAlone ? (about?.spoken ?? platform) : original;
    return {
      ...target,
      colour,
      shown: isAlone && copyOf === null ? platform : name,
      spoken: copyOf === null ? spoken : `copy of ${spoken}`,
    };
  });
}

/** Names the baseline among one app's targets: the one that has a copy, or the first; "" for no target. */
export function baselineOf(targets: readonly Placed[]): string {
  return targets.find(({ copyOf }) => copyOf !== null)?.copyOf ?? targets[0]?.name ?? "";
}

/** Compares two targets by the one order of platforms on all pages. */
export function byPlatform(a: Placed, b: Placed): number {
  return (a.about?.colour ?? COLOURS) - (b.about?.colour ?? COLOURS);
}

/** A target of a run with its look. */
export type ReportTarget = RunTarget & TargetDisplay;
