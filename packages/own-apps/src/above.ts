import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { OwnAppRead } from "@evenbench/core";

/**
 * Names that tools look for in all folders above the one in which they work, with no option that stops them: Next.js
 * takes the topmost lock file, Vite a workspace, bundlers and PostCSS their settings, Node.js packages.
 */
const LOOKED_FOR =
  /^(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-(?:lock|workspace)\.yaml|yarn\.lock|bun\.lockb?|lerna\.json|\.pnp\.cjs|node_modules|[jt]sconfig\.json|\.?(?:postcss|babel)(?:rc|\.config)[\w.]*|\.browserslistrc)$/;

const MAY_BE_TAKEN =
  "it lies above the private copies, so tools that look upwards may take it; XDG_CACHE_HOME moves the copies";

/**
 * Lists files above a folder of builds that tools may take for a part of an app.
 *
 * @param folder of the user's app: paths count from there.
 */
export function foundAbove(builds: string, folder: string): readonly OwnAppRead[] {
  const found: string[] = [];
  let below = builds;
  for (let above = dirname(below); above !== below; above = dirname(below)) {
    found.push(...namesIn(above).map((name) => join(above, name)));
    below = above;
  }
  return found.map((path) => ({
    file: relative(folder, path),
    applied: [],
    notApplied: [{ what: "its content", why: MAY_BE_TAKEN }],
  }));
}

/** Lists such names in a folder; none where this user may not list it. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => LOOKED_FOR.test(name));
  } catch {
    return [];
  }
}
