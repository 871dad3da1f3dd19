// Programs of others that build and serve apps, such as platforms' command lines. A clone installs them. A user of
// the published package installs those that are needed, in the folder where they work.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { IN_CLONE } from "@evenbench/core/called";
import { UserError } from "@evenbench/core/errors";

/**
 * Names the variable with the file that a server's tools are looked for from, where it has another working folder.
 */
const FROM_VARIABLE = "EVENBENCH_TOOLS";

/**
 * Finds a file of a tool's package.
 *
 * @param request as `require.resolve` takes it, such as "wrangler/package.json".
 * @param from the address of the module that needs it (`import.meta.url`).
 * @returns the absolute path.
 * @throws {UserError} with the command that installs the package, where it is not found.
 */
export function resolveTool(request: string, from: string): string {
  const found = findTool(request, from);
  if (found === null) {
    throw new UserError(missingTools([packageNameOf(request)]));
  }
  return found;
}

/** Loads a tool's package as `require` does. @throws {UserError} as `resolveTool`. */
export function requireTool(name: string, from: string): unknown {
  const file = resolveTool(name, from);
  return createRequire(file)(file);
}

/**
 * Makes sure that tools are there.
 *
 * @throws {UserError} that names all that are not, with one command that installs them.
 */
export function assertTools(names: readonly string[]): void {
  // Each folder of apps/ has its own in a clone, and says itself what it does not find.
  const missing = IN_CLONE
    ? []
    : names.filter((name) => findTool(`${name}/package.json`, import.meta.url) === null);
  if (missing.length > 0) {
    throw new UserError(missingTools(missing));
  }
}

/** Gives the variable by which a server in another folder finds the same tools; none in a clone. */
export function toolsVariable(): Readonly<Record<string, string>> {
  return IN_CLONE ? {} : { [FROM_VARIABLE]: workingFolder() };
}

/**
 * The versions of tools that are installed for the published package, such as "wrangler 4.164.0"; none in a clone,
 * which pins them.
 */
export function toolVersions(): readonly string[] {
  if (IN_CLONE) {
    return [];
  }
  return Object.keys(pinnedVersions()).flatMap((name) => {
    const file = findTool(`${name}/package.json`, import.meta.url);
    return file === null ? [] : [`${name} ${JSON.parse(readFileSync(file, "utf8")).version}`];
  });
}

function findTool(request: string, from: string): string | null {
  const places = IN_CLONE ? [from] : [workingFolder(), from];
  const found = places.map((place) => resolveFrom(place, request)).find((file) => file !== null);
  if (found !== undefined) {
    return found;
  }
  return IN_CLONE ? null : resolveBesideTools(request, places);
}

/** Some tools bring others along, and strict package managers show those to the tools that depend on them alone. */
function resolveBesideTools(request: string, places: readonly string[]): string | null {
  for (const tool of Object.keys(pinnedVersions())) {
    for (const place of places) {
      const manifest = resolveFrom(place, `${tool}/package.json`);
      const found = manifest === null ? null : resolveFrom(manifest, request);
      if (found !== null) {
        return found;
      }
    }
  }
  return null;
}

/** A file in the folder where the user works: it need not be there. */
function workingFolder(): string {
  return process.env[FROM_VARIABLE] ?? join(process.cwd(), "package.json");
}

function resolveFrom(place: string, request: string): string | null {
  try {
    return createRequire(place).resolve(request);
  } catch {
    return null;
  }
}

/** The package of "@vercel/node/package.json" is "@vercel/node". */
function packageNameOf(request: string): string {
  return request
    .split("/")
    .slice(0, request.startsWith("@") ? 2 : 1)
    .join("/");
}

function missingTools(names: readonly string[]): string {
  if (IN_CLONE) {
    return `${names.join(" and ")} is not installed. Install the repository's packages: npx pnpm install`;
  }
  const versions = pinnedVersions();
  const packages = names.map((name) => `${name}@${versions[name] ?? "latest"}`);
  return `The package evenbench builds and serves this by tools that are not installed here: ${names.join(", ")}. Install them in this folder: npm install --save-dev ${packages.join(" ")} (--on node and the like need fewer).`;
}

/** Exact versions by package, as the published package's own manifest keeps them. */
function pinnedVersions(): Readonly<Record<string, string>> {
  const file = createRequire(import.meta.url).resolve("evenbench/package.json");
  const { evenbench } = JSON.parse(readFileSync(file, "utf8"));
  return evenbench.tools;
}
