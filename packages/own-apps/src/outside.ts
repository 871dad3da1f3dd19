import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { isWithin } from "@evenbench/bundle/deployable";
import { isDenied, MODULES } from "./files.ts";

/** Where a link ends that leads out of a workspace. */
export interface EndOutside {
  /** Absolute path, without links in it. */
  readonly end: string;
  /** What a copy needs of that place: the end, or the folder of packages that it lies in beside its own dependencies. */
  readonly root: string;
}

/** A link that a private copy cannot have. */
export interface LostEnd {
  readonly why:
    | "leads nowhere"
    | "leads to a folder above the app"
    | "leads to processes or devices"
    | "may not be read";
}

/** A path at which the system shows processes and devices: what is there changes, or has no end. */
const OF_SYSTEM = /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/;

/** Finds where a link ends, if that is outside of a workspace; null where it is within. */
export function endOutside(workspace: string, link: string): EndOutside | LostEnd | null {
  const named = resolve(dirname(link), readlinkSync(link));
  if (isWithin(workspace, named)) {
    return null;
  }
  const end = OF_SYSTEM.test(named) ? named : endOf(named);
  if (typeof end !== "string") {
    return end;
  }
  if (isWithin(workspace, end)) {
    return null;
  }
  if (OF_SYSTEM.test(end)) {
    return { why: "leads to processes or devices" };
  }
  if (isWithin(end, workspace)) {
    return { why: "leads to a folder above the app" };
  }
  const modules = modulesAround(end);
  return { end, root: modules === null || isWithin(modules, workspace) ? end : modules };
}

function endOf(named: string): string | LostEnd {
  try {
    return realpathSync(named);
  } catch (error) {
    return { why: isDenied(error) ? "may not be read" : "leads nowhere" };
  }
}

/** Gives the folder of packages that a package lies in directly: its own name may have a scope. null in none. */
function modulesAround(path: string): string | null {
  const above = dirname(path);
  const folder = basename(above).startsWith("@") ? dirname(above) : above;
  return basename(folder) === MODULES ? folder : null;
}
