import { createReadStream, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { messageOf } from "@evenbench/core";
import { HostError } from "@evenbench/host";
import packageJson from "../package.json" with { type: "json" };

/** The workerd that is installed: path of its binary, its version, and V8's where the binary names it. */
export interface Workerd {
  readonly binary: string;
  readonly version: string;
  readonly v8: string | null;
}

let found: Promise<Workerd> | undefined;

/** Looks once in the life of this process: reading the V8 version means reading the whole binary. */
export function findWorkerd(): Promise<Workerd> {
  found ??= look();
  return found;
}

async function look(): Promise<Workerd> {
  const binary = realpathSync(workerdPackage().default);
  return { binary, version: packageJson.dependencies.workerd, v8: await findV8Version(binary) };
}

function workerdPackage(): { readonly default: string } {
  try {
    return createRequire(import.meta.url)("workerd");
  } catch (error) {
    const why = messageOf(error).split("\n", 1)[0];
    throw new HostError(
      `workerd does not run on this system (${why}). Measure without the cloudflare target.`,
    );
  }
}

/**
 * V8's version stands in the binary as a string of its own: four numbers between two zero bytes, such as
 * "13.6.233.17". workerd has no interface that names it (`process.versions.v8` is empty).
 */
async function findV8Version(binary: string): Promise<string | null> {
  const versions = new Set<string>();
  let end = "";
  for await (const chunk of createReadStream(binary, { highWaterMark: 1 << 20, encoding: "latin1" })) {
    const text = end + chunk;
    for (const match of text.matchAll(/\0(\d{2}\.\d{1,2}\.\d{1,3}\.\d{1,3})(?=\0)/g))
      versions.add(match[1] ?? "");
    end = text.slice(-20);
  }
  const [version] = versions;
  return version !== undefined && versions.size === 1 ? version : null;
}
