import { existsSync } from "node:fs";
import { readdir, readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, posix, relative, sep } from "node:path";
import { messageOf } from "@evenbench/core";
import { builtFile, HostError } from "@evenbench/host/loopback";
import mime from "mime-types";
import { compileRoutes, lackingIn, type RoutesByPhase, type SourceRoute } from "./router.ts";

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
  /** What is there and the local host does not have, in words; null where it is served. */
  readonly lacks: string | null;
}

interface OutputConfiguration {
  readonly version: number;
  /** Image optimisation ("Build Output Configuration: images"): a service of the platform, at /_next/image. */
  readonly images?: object;
  readonly routes?: readonly (SourceRoute | { readonly handle: string })[];
  readonly overrides?: Readonly<Record<string, { readonly path?: string; readonly contentType?: string }>>;
}

/** "<name>.prerender-config.json": Build Output API v3, "Vercel Primitives: Prerender Functions". */
interface PrerenderConfiguration {
  /** A page that is rendered ahead in part, and for the rest when it is asked for. */
  readonly chain?: object;
  readonly fallback?: string | { readonly fsPath?: string } | null;
  readonly initialHeaders?: Readonly<Record<string, string>>;
  readonly initialStatus?: number;
}

/** A folder of the Build Output API, as the local host serves it. */
export interface BuildOutput {
  readonly routes: RoutesByPhase;
  /** By decoded path: "/", "/index", "/blog/[slug]", "/a.css". */
  readonly resources: ReadonlyMap<string, Resource>;
  /** Those that the local host can call. */
  readonly functions: readonly VercelFunction[];
  /** Those that it cannot call, each with the reason. */
  readonly otherFunctions: readonly string[];
  /** All that the build uses and the local host does not have, in words. A request that comes to it gets 501. */
  readonly lacking: readonly string[];
}

const IMAGES = "/_next/image";

export async function readBuildOutput(directory: string): Promise<BuildOutput> {
  const file = builtFile(directory, "config.json");
  const configuration = await readJson<OutputConfiguration>(file);
  if (configuration.version !== 3) {
    throw new HostError(
      `${file} has version ${configuration.version}; the local host reads version 3 of the Build Output API.`,
    );
  }
  const resources = new Map<string, Resource>();
  await addStaticFiles(resources, join(directory, "static"), configuration.overrides ?? {});
  const { functions, otherFunctions } = await addFunctions(resources, join(directory, "functions"));
  if (configuration.images !== undefined && !resources.has(IMAGES)) {
    resources.set(IMAGES, { file: null, function: null, lacks: `image optimisation ("images", ${IMAGES})` });
  }
  const routes = compileRoutes(configuration.routes ?? []);
  const ofResources = [...resources.values()].map(({ lacks }) => lacks).filter((lacks) => lacks !== null);
  const lacking = [...new Set([...ofResources, ...lackingIn(routes)])];
  return { routes, resources, functions, otherFunctions, lacking };
}

async function addStaticFiles(
  resources: Map<string, Resource>,
  directory: string,
  overrides: NonNullable<OutputConfiguration["overrides"]>,
): Promise<void> {
  if (!existsSync(directory)) {
    return;
  }
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) {
      continue;
    }
    const file = join(entry.parentPath, entry.name);
    const path = slashed(relative(directory, file));
    const { path: servedAs = path, contentType = typeOf(servedAs) ?? typeOf(path) } = overrides[path] ?? {};
    add(resources, servedAs, {
      file: { file, contentType: withCharset(contentType), headers: {}, status: undefined },
      function: null,
      lacks: null,
    });
  }
}

async function addFunctions(
  resources: Map<string, Resource>,
  directory: string,
): Promise<Pick<BuildOutput, "functions" | "otherFunctions">> {
  const functions = new Map<string, VercelFunction>();
  const otherFunctions: string[] = [];
  for (const folder of existsSync(directory) ? await functionFolders(directory) : []) {
    const real = await realpath(folder);
    const path = slashed(relative(directory, folder.slice(0, -".func".length)));
    const file = builtFile(real, ".vc-config.json");
    const found = functions.get(real) ?? { directory: real, configuration: await readJson(file) };
    const reason = whyNotServed(real, found.configuration);
    if (reason !== null) {
      const lacks = `the function /${path}, which ${reason}`;
      otherFunctions.push(lacks);
      add(resources, path, { file: null, function: null, lacks });
      continue;
    }
    functions.set(real, found);
    const ahead = await readPrerendered(`${folder.slice(0, -".func".length)}.prerender-config.json`);
    add(resources, path, { ...ahead, function: found });
  }
  return { functions: [...functions.values()], otherFunctions };
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

function whyNotServed(directory: string, configuration: FunctionConfiguration): string | null {
  const { runtime, handler, launcherType, awsLambdaHandler, filePathMap = {} } = configuration;
  if (!/^nodejs\d+\.x$/.test(runtime)) {
    return `asks for the runtime "${runtime}" (the local host has Node.js alone)`;
  }
  if (launcherType !== "Nodejs" || awsLambdaHandler) {
    return `is for AWS Lambda's own calls (the local host calls functions of launcherType "Nodejs" alone)`;
  }
  if (Object.keys(filePathMap).length > 0) {
    return "points to files outside of it (`vercel build --standalone` keeps them inside)";
  }
  if (!existsSync(join(directory, handler))) {
    return `names "${handler}" as handler, which is not there`;
  }
  return null;
}

/** What was rendered ahead for a function, and what of its settings is not served. */
async function readPrerendered(file: string): Promise<Pick<Resource, "file" | "lacks">> {
  if (!existsSync(file)) {
    return { file: null, lacks: null };
  }
  const configuration = await readJson<PrerenderConfiguration>(file);
  const { chain, fallback, initialHeaders = {}, initialStatus } = configuration;
  if (chain !== undefined) {
    const what = `${basename(file)}: a page that is rendered ahead in part ("chain")`;
    return { file: null, lacks: what };
  }
  const name = typeof fallback === "string" ? fallback : fallback?.fsPath;
  if (name === undefined) {
    return { file: null, lacks: null };
  }
  const contentType = initialHeaders["content-type"] ?? typeOf(name);
  const ahead: StaticFile = {
    file: join(dirname(file), name),
    contentType: withCharset(contentType),
    headers: { ...initialHeaders, "x-vercel-cache": "PRERENDER" },
    status: initialStatus,
  };
  return { file: ahead, lacks: null };
}

/** "blog/index" is found at /blog/index and at /blog, and so is "blog/index.html". */
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
