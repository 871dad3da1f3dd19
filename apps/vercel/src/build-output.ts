// Reads a Build Output API v3 folder (Vercel documentation, "Build Output API": configuration, functions, static files).
import { existsSync } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { HostError } from "@evenbench/host";

/** A route of config.json: either a handle, which begins a phase, or a rule. */
export interface OutputRoute {
  readonly handle?: string;
  readonly src?: string;
  readonly dest?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly methods?: readonly string[];
  readonly status?: number;
  readonly continue?: boolean;
  readonly check?: boolean;
}

/** A function's own .vc-config.json, as far as a host needs it. */
export interface FunctionConfiguration {
  readonly runtime: string;
  readonly handler: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface OutputFunction {
  /** The path that it answers, such as "/api/index". */
  readonly path: string;
  /** Absolute, with symbolic links followed. */
  readonly folder: string;
  readonly configuration: FunctionConfiguration;
}

export interface BuildOutput {
  readonly routes: readonly OutputRoute[];
  readonly functions: ReadonlyMap<string, OutputFunction>;
  /** Absolute files by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** @throws {HostError} when the folder is no build output. */
export async function readBuildOutput(output: string): Promise<BuildOutput> {
  const file = join(output, "config.json");
  if (!existsSync(file)) {
    throw new HostError(`There is no config.json in ${output}. Build it with \`npm run build\`.`);
  }
  const { version, routes = [] }: { version?: number; routes?: OutputRoute[] } = JSON.parse(
    await readFile(file, "utf8"),
  );
  if (version !== 3) throw new HostError(`${file} has version ${version}; this host serves version 3.`);
  const functions = await findFunctions(output);
  return {
    routes,
    functions: new Map(functions.map((one) => [one.path, one])),
    files: await findFiles(join(output, "static")),
  };
}

/** Every `*.func` folder below functions/; frameworks link many paths to one folder. */
export async function findFunctions(output: string): Promise<OutputFunction[]> {
  const root = join(output, "functions");
  if (!existsSync(root)) return [];
  const found: OutputFunction[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const name of await readdir(folder)) {
      const place = join(folder, name);
      if (name.endsWith(".func")) {
        const path = `/${relative(root, place).split(sep).join("/").slice(0, -".func".length)}`;
        const configuration = JSON.parse(await readFile(join(place, ".vc-config.json"), "utf8"));
        found.push({ path, folder: await realpath(place), configuration });
      } else if ((await stat(place)).isDirectory()) await visit(place);
    }
  };
  await visit(root);
  return found;
}

async function findFiles(root: string): Promise<Map<string, string>> {
  if (!existsSync(root)) return new Map();
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [`/${relative(root, file).split(sep).join("/")}`, file]));
}
