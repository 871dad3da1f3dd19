import { existsSync } from "node:fs";
import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, posix, relative, sep } from "node:path";
import { messageOf } from "@evenbench/core";
import { entriesBelow } from "@evenbench/host/entries-below";
import { builtFile, HostError } from "@evenbench/host/loopback";
import mime from "mime-types";
import {
  type BuiltAnswer,
  compilePrerender,
  type Prerender,
  type PrerenderConfiguration,
} from "./prerender.ts";
import { compileRoutes, lackingIn, type RoutesByPhase, type SourceRoute } from "./routes.ts";

/** The .vc-config.json of a function (Build Output API v3, "Vercel Primitives"). */
interface FunctionConfiguration {
  /** The runtime, such as "nodejs24.x" or "edge". */
  readonly runtime: string;
  /** The module of a function of Node.js. */
  readonly handler?: string;
  /** The module of a function of the edge runtime. */
  readonly entrypoint?: string;
  /** Files that a function of the edge runtime may fetch. */
  readonly assets?: readonly object[];
  /** True where a function of Node.js takes a Request and gives a Response. */
  readonly useWebApi?: boolean;
  /** True where a function of Node.js gets requests and responses with Vercel's helpers. */
  readonly shouldAddHelpers?: boolean;
  /** The way in which the function is called; the local host knows "Nodejs". */
  readonly launcherType?: string;
  /** The handler of a function that AWS Lambda calls itself. */
  readonly awsLambdaHandler?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Files outside of the function's folder, by their paths in it. */
  readonly filePathMap?: Readonly<Record<string, string>>;
}

/** A function of a build. */
export interface VercelFunction {
  /** Absolute path of its folder. */
  readonly directory: string;
  /** The path of its module, from the directory on. */
  readonly module: string;
  readonly configuration: FunctionConfiguration;
}

/** A static file of a build. */
export interface StaticFile {
  /** Absolute path. */
  readonly file: string;
  /** The value of its header; undefined where its ending is not known. */
  readonly contentType: string | undefined;
}

/** The file or the function at a path; neither where that is not served here. */
export interface Resource {
  readonly file: StaticFile | null;
  readonly function: VercelFunction | null;
  /** The rules by which the function's answers are kept; null where they are not. */
  readonly prerender: Prerender | null;
  /** The feature at this path that the local host does not have, in words; null where it is served. */
  readonly lacks: string | null;
}

/** The config.json of a build: Build Output API v3, "Build Output Configuration". */
interface OutputConfiguration {
  /** The version of the API: 3. */
  readonly version: number;
  /** Image optimisation ("Build Output Configuration: images"): a service of the platform, at /_next/image. */
  readonly images?: object;
  /** Routes, and the phases that begin among them. */
  readonly routes?: readonly (SourceRoute | { readonly handle: string })[];
  /** Paths and types of static files that are served otherwise than they lie there, by their paths. */
  readonly overrides?: Readonly<Record<string, { readonly path?: string; readonly contentType?: string }>>;
}

/** A folder of the Build Output API, as the local host serves it. */
export interface BuildOutput {
  readonly routes: RoutesByPhase;
  /** Files and functions by decoded path: "/", "/index", "/blog/[slug]", "/a.css". */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The functions of Node.js that the local host can call. */
  readonly functions: readonly VercelFunction[];
  /** The functions of the edge runtime that the local host can call, by path. */
  readonly edgeFunctions: ReadonlyMap<string, VercelFunction>;
  /** The functions that it cannot call, in words, each with the reason. */
  readonly otherFunctions: readonly string[];
  /** All that the build uses and the local host does not have, in words. A request that comes to it gets 501. */
  readonly lacking: readonly string[];
}

const IMAGES = "/_next/image";

/** A resource with nothing in it, to be filled in. */
const EMPTY_RESOURCE: Resource = { file: null, function: null, prerender: null, lacks: null };

/** Reads a folder of the Build Output API. @throws {HostError} where it cannot be read, or is not of version 3. */
export async function readBuildOutput(directory: string): Promise<BuildOutput> {
  const file = builtFile(directory, "config.json");
  const configuration = await readOutputJson<OutputConfiguration>(file);
  if (configuration.version !== 3) {
    throw new HostError(
      `${file} has version ${configuration.version}; the local host reads version 3 of the Build Output API.`,
    );
  }
  const resources = new Map<string, Resource>();
  await addStaticFiles(resources, join(directory, "static"), configuration.overrides ?? {});
  const found = await addFunctions(resources, join(directory, "functions"));
  if (configuration.images !== undefined && !resources.has(IMAGES)) {
    resources.set(IMAGES, { ...EMPTY_RESOURCE, lacks: `image optimisation ("images", ${IMAGES})` });
  }
  const routes = compileRoutes(configuration.routes ?? []);
  const ofResources = [...resources.values()].map(({ lacks }) => lacks).filter((lacks) => lacks !== null);
  const lacking = [...new Set([...ofResources, ...lackingIn(routes)])];
  return { routes, resources, ...found, lacking };
}

async function addStaticFiles(
  resources: Map<string, Resource>,
  directory: string,
  overrides: NonNullable<OutputConfiguration["overrides"]>,
): Promise<void> {
  if (!existsSync(directory)) {
    return;
  }
  for (const entry of await entriesBelow(directory)) {
    if (entry.isDirectory()) {
      continue;
    }
    const file = join(entry.parentPath, entry.name);
    const path = slashed(relative(directory, file));
    const { path: servedAs = path, contentType = typeOf(servedAs) ?? typeOf(path) } = overrides[path] ?? {};
    add(resources, servedAs, { ...EMPTY_RESOURCE, file: { file, contentType: withCharset(contentType) } });
  }
}

async function addFunctions(
  resources: Map<string, Resource>,
  directory: string,
): Promise<Pick<BuildOutput, "functions" | "edgeFunctions" | "otherFunctions">> {
  const functions = new Map<string, VercelFunction>();
  const edgeFunctions = new Map<string, VercelFunction>();
  const otherFunctions: string[] = [];
  for (const folder of existsSync(directory) ? await functionFolders(directory) : []) {
    const real = await realpath(folder);
    const path = slashed(relative(directory, folder.slice(0, -".func".length)));
    const file = builtFile(real, ".vc-config.json");
    const found = functions.get(real) ?? (await readFunction(real, file));
    const reason = whyNotServed(found);
    if (reason !== null) {
      const lacks = `the function /${path}, which ${reason}`;
      otherFunctions.push(lacks);
      add(resources, path, { ...EMPTY_RESOURCE, lacks });
      continue;
    }
    if (isOfEdge(found.configuration)) {
      edgeFunctions.set(`/${path}`, found);
    } else {
      functions.set(real, found);
    }
    const prerender = await readPrerender(directory, path);
    add(resources, path, { ...EMPTY_RESOURCE, function: found, prerender, lacks: prerender?.lacks ?? null });
  }
  return { functions: [...functions.values()], edgeFunctions, otherFunctions };
}

async function readFunction(directory: string, file: string): Promise<VercelFunction> {
  const configuration = await readOutputJson<FunctionConfiguration>(file);
  const { handler = "", entrypoint = "" } = configuration;
  return { directory, module: isOfEdge(configuration) ? entrypoint : handler, configuration };
}

/** Tells whether a function is of the edge runtime. */
export function isOfEdge({ runtime }: FunctionConfiguration): boolean {
  return runtime === "edge";
}

async function functionFolders(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const found = entries.map((entry) => {
    const path = join(directory, entry.name);
    if (entry.name.endsWith(".func")) {
      return [path];
    }
    return entry.isDirectory() ? functionFolders(path) : [];
  });
  return (await Promise.all(found)).flat();
}

/** Says why the local host cannot call a function, behind "which"; null where it can. */
function whyNotServed(found: VercelFunction): string | null {
  const { directory, module, configuration } = found;
  const isThere = module !== "" && existsSync(join(directory, module));
  if (isOfEdge(configuration)) {
    if ((configuration.assets ?? []).length > 0) {
      return "brings files into the edge runtime (the local host has modules there alone)";
    }
    return isThere ? null : `names "${module}" as entrypoint, which is not there`;
  }
  const { runtime, launcherType, awsLambdaHandler, filePathMap = {} } = configuration;
  if (!/^nodejs\d+\.x$/.test(runtime)) {
    return `asks for the runtime "${runtime}" (the local host has Node.js and the edge runtime)`;
  }
  if (launcherType !== "Nodejs" || awsLambdaHandler) {
    return `is for AWS Lambda's own calls (the local host calls functions of launcherType "Nodejs" alone)`;
  }
  if (Object.keys(filePathMap).length > 0) {
    return "points to files outside of it (`vercel build --standalone` keeps them inside)";
  }
  return isThere ? null : `names "${module}" as handler, which is not there`;
}

/** Reads the rules by which the answers of the function at a path are kept; null where they are not. */
async function readPrerender(directory: string, path: string): Promise<Prerender | null> {
  const name = `${path}.prerender-config.json`;
  const file = join(directory, name);
  if (!existsSync(file)) {
    return null;
  }
  const configuration = await readOutputJson<PrerenderConfiguration>(file);
  return compilePrerender(name, configuration, builtAnswer(dirname(file), configuration));
}

/** Gives the answer that the build left for a path; null where it left none. */
function builtAnswer(directory: string, configuration: PrerenderConfiguration): BuiltAnswer | null {
  const { fallback, initialHeaders = {}, initialStatus = 200 } = configuration;
  const given = typeof fallback === "string" ? { fsPath: fallback } : fallback;
  const fsPath = given?.fsPath;
  if (fsPath === undefined) {
    return null;
  }
  const type = withCharset(given?.contentType ?? initialHeaders["content-type"] ?? typeOf(fsPath));
  const headers = { ...initialHeaders, ...(type !== undefined && { "content-type": type }) };
  return { file: join(directory, fsPath), status: initialStatus, headers };
}

/** Adds a resource at its path. "blog/index" is found at /blog/index and at /blog, and so is "blog/index.html". */
function add(resources: Map<string, Resource>, path: string, resource: Resource): void {
  resources.set(`/${path}`, resource);
  const index = /^(?:(.+)\/)?index(?:\.html)?$/.exec(path);
  if (index !== null) {
    resources.set(`/${index[1] ?? ""}`, resource);
  }
}

function withCharset(contentType: string | undefined): string | undefined {
  return contentType?.startsWith("text/") && !contentType.includes("charset")
    ? `${contentType}; charset=utf-8`
    : contentType;
}

function typeOf(path: string): string | undefined {
  return mime.lookup(path) || undefined;
}

/** Writes a path with slashes. The bundler's own would be loaded by each instance. */
function slashed(path: string): string {
  return path.split(sep).join(posix.sep);
}

/** Reads a file of JSON. @throws {HostError} where it cannot be read, or is none. */
async function readOutputJson<T>(file: string): Promise<T> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new HostError(`${file} cannot be read: ${messageOf(error)}`);
  }
}
