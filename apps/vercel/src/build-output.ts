import { existsSync } from "node:fs";
import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, posix, relative, sep } from "node:path";
import { messageOf } from "@evenbench/core";
import { builtFile, HostError } from "@evenbench/host/loopback";
import mime from "mime-types";
import { compileRoutes, type SourceRoute } from "./router.ts";

interface FunctionConfiguration {
  readonly runtime: string;
  readonly handler: string;
  readonly launcherType?: string;
  readonly awsLambdaHandler?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly filePathMap?: Readonly<Record<string, string>>;
}

export interface VercelFunction {
  readonly directory: string;
  readonly configuration: FunctionConfiguration;
}

export interface StaticFile {
  readonly file: string;
  readonly contentType: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | undefined;
}

interface Resource {
  readonly file: StaticFile | null;
  readonly function: VercelFunction | null;
}

interface OutputConfiguration {
  readonly version: number;
  readonly routes?: readonly (SourceRoute | { readonly handle: string })[];
  readonly overrides?: Readonly<Record<string, { readonly path?: string; readonly contentType?: string }>>;
}

interface PrerenderConfiguration {
  readonly chain?: object;
  readonly fallback?: string | { readonly fsPath?: string } | null;
  readonly initialHeaders?: Readonly<Record<string, string>>;
  readonly initialStatus?: number;
}

export type BuildOutput = Awaited<ReturnType<typeof readBuildOutput>>;

export async function readBuildOutput(directory: string) {
  const file = builtFile(directory, "config.json");
  const configuration = await readJson<OutputConfiguration>(file);
  if (configuration.version !== 3) {
    throw new HostError(
      `${file} has version ${configuration.version}; the local host reads version 3 of the Build Output API.`,
    );
  }
  /** By decoded path: "/", "/index", "/blog/[slug]", "/a.css". */
  const resources = new Map<string, Resource>();
  await addStaticFiles(resources, join(directory, "static"), configuration.overrides ?? {});
  const functions = await addFunctions(resources, join(directory, "functions"));
  return { routes: compileRoutes(configuration.routes ?? []), resources, functions };
}

async function addStaticFiles(
  resources: Map<string, Resource>,
  directory: string,
  overrides: NonNullable<OutputConfiguration["overrides"]>,
): Promise<void> {
  if (!existsSync(directory)) return;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const path = slashed(relative(directory, file));
    const { path: servedAs = path, contentType = typeOf(servedAs) ?? typeOf(path) } = overrides[path] ?? {};
    add(resources, servedAs, {
      file: { file, contentType: withCharset(contentType), headers: {}, status: undefined },
      function: null,
    });
  }
}

async function addFunctions(resources: Map<string, Resource>, directory: string): Promise<VercelFunction[]> {
  const functions = new Map<string, VercelFunction>();
  for (const folder of existsSync(directory) ? await functionFolders(directory) : []) {
    const real = await realpath(folder);
    const found = functions.get(real) ?? { directory: real, configuration: await readFunction(real) };
    functions.set(real, found);
    const base = folder.slice(0, -".func".length);
    add(resources, slashed(relative(directory, base)), {
      file: await readPrerendered(`${base}.prerender-config.json`),
      function: found,
    });
  }
  return [...functions.values()];
}

async function functionFolders(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const found = entries.map((entry) => {
    const path = join(directory, entry.name);
    if (entry.name.endsWith(".func")) return [path];
    return entry.isDirectory() ? functionFolders(path) : [];
  });
  return (await Promise.all(found)).flat();
}

async function readFunction(directory: string): Promise<FunctionConfiguration> {
  const file = builtFile(directory, ".vc-config.json");
  const configuration = await readJson<FunctionConfiguration>(file);
  const reason = whyNotServed(directory, configuration);
  if (reason !== null) throw new HostError(`${file} ${reason}`);
  return configuration;
}

function whyNotServed(directory: string, configuration: FunctionConfiguration): string | null {
  const { runtime, handler, launcherType, awsLambdaHandler, filePathMap = {} } = configuration;
  if (!/^nodejs\d+\.x$/.test(runtime))
    return `asks for the runtime "${runtime}"; the local host has Node.js alone. Build the function for Node.js.`;
  if (launcherType !== "Nodejs" || awsLambdaHandler)
    return `is for AWS Lambda's own calls; the local host calls functions of launcherType "Nodejs" alone.`;
  if (Object.keys(filePathMap).length > 0)
    return "points to files outside of the function. Build it with `vercel build --standalone`.";
  if (!existsSync(join(directory, handler)))
    return `names "${handler}" as handler, which is not there. Build it again with \`npm run build\`.`;
  return null;
}

async function readPrerendered(file: string): Promise<StaticFile | null> {
  if (!existsSync(file)) return null;
  const {
    chain,
    fallback,
    initialHeaders = {},
    initialStatus,
  } = await readJson<PrerenderConfiguration>(file);
  if (chain !== undefined) {
    throw new HostError(
      `${file} has a page that is rendered ahead in part ("chain"), which the local host does not have. Render it ahead as a whole, or not at all.`,
    );
  }
  const name = typeof fallback === "string" ? fallback : fallback?.fsPath;
  if (name === undefined) return null;
  const contentType = initialHeaders["content-type"] ?? typeOf(name);
  return {
    file: join(dirname(file), name),
    contentType: withCharset(contentType),
    headers: { ...initialHeaders, "x-vercel-cache": "PRERENDER" },
    status: initialStatus,
  };
}

/** "blog/index" is found at /blog/index and at /blog, and so is "blog/index.html". */
function add(resources: Map<string, Resource>, path: string, resource: Resource): void {
  resources.set(`/${path}`, resource);
  const index = /^(?:(.+)\/)?index(?:\.html)?$/.exec(path);
  if (index !== null) resources.set(`/${index[1] ?? ""}`, resource);
}

function withCharset(contentType: string | undefined): string | undefined {
  return contentType?.startsWith("text/") && !contentType.includes("charset")
    ? `${contentType}; charset=utf-8`
    : contentType;
}

function typeOf(path: string): string | undefined {
  return mime.lookup(path) || undefined;
}

function slashed(path: string): string {
  return path.split(sep).join(posix.sep);
}

async function readJson<T>(file: string): Promise<T> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new HostError(`${file} cannot be read: ${messageOf(error)}`);
  }
}
