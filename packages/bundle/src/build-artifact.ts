import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  ARTIFACT_APP,
  type CaseDefinition,
  type CaseManifest,
  caseManifest,
  DEVELOPMENT_PIN,
  sourceOfCase,
} from "@evenbench/core";
import { caseManifest as manifestSchema } from "@evenbench/core/schema";
import type { LeftOut } from "@evenbench/host";
import { type BuildFailure, build, type BuildOptions as EsbuildOptions, type Plugin } from "esbuild";
import { casesDirectory, discoverCases, type FoundCase } from "./discover.ts";
import { DIGEST_FILE, digestOfDirectory, distDirectory, type Manifest, readJson } from "./manifest.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface BuildOptions {
  readonly casesDirectory?: string;
  readonly outDirectory?: string;
  /** null defines none. Anything but "production" is for tests of the checks. */
  readonly nodeEnv?: string | null;
  /** Never measured. What could not become a case answers 500 with its reason; source maps lie beside the modules. */
  readonly developing?: boolean;
}

export type BuildResult = Awaited<ReturnType<typeof buildArtifact>>;

/** The same sources give the same bytes in any checkout. */
export async function buildArtifact(options: BuildOptions = {}) {
  const outDirectory = resolve(options.outDirectory ?? distDirectory);
  const { developing = false, nodeEnv = developing ? "development" : "production" } = options;
  const found = discoverCases(options.casesDirectory ?? casesDirectory);

  await mkdir(outDirectory, { recursive: true });
  // Built aside and put in place when whole: a host that starts meanwhile never sees half of it.
  const staging = await mkdtemp(join(outDirectory, ".building-"));
  try {
    const settings = {
      ...esbuildOptions(root, nodeEnv),
      ...(developing && { sourcemap: "external" as const }),
    };
    const outcomes = await Promise.all(found.cases.map((source) => buildCase(source, staging, settings)));
    const built = outcomes.filter((outcome) => "definition" in outcome);
    const broken = outcomes.filter((outcome) => "reason" in outcome);
    const standIns = developing
      ? await Promise.all(broken.map((failure) => buildStandIn(failure, staging)))
      : [];
    const failures = [...found.failures, ...broken];

    await buildIndex(staging, indexSource([...built, ...standIns], nodeEnv, developing), settings);
    const digest = await digestOfDirectory(staging);
    await writeFile(join(staging, DIGEST_FILE), `export const artifactDigest = ${JSON.stringify(digest)};\n`);

    const cases: CaseManifest[] = built.map(({ id, definition, line }) => ({
      ...caseManifest(id, definition),
      source: `${sourceOfCase(ARTIFACT_APP, id)}#L${line}`,
    }));
    const manifest: Manifest = { schemaVersion: 1, digest, cases };
    const artifact = join(outDirectory, "artifact");
    await rm(artifact, { recursive: true, force: true });
    await rename(staging, artifact);
    await writeFile(join(outDirectory, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    // Also where there are none: the cache of a build brings this file back over an older one.
    await writeFile(leftOutIn(outDirectory), `${JSON.stringify(failures, null, 2)}\n`);
    return { manifest, artifact, failures };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function buildCase(
  { id, path }: FoundCase,
  artifact: string,
  settings: EsbuildOptions,
): Promise<BuiltCase | LeftOut> {
  const outfile = join(artifact, "cases", `${id}.mjs`);
  const fail = async (reason: string) => {
    await rm(outfile, { force: true });
    return { path, reason };
  };
  try {
    await build({ ...settings, entryPoints: [path], outfile });
  } catch (error) {
    return fail(firstProblem(error));
  }
  let definition: unknown;
  try {
    ({ default: definition } = await import(pathToFileURL(outfile).href));
  } catch (error) {
    return fail(`its top level threw: ${oneLine(error)}`);
  }
  const reason = whyNoCase(id, definition);
  if (reason !== null) return fail(reason);
  return { id, definition: definition as CaseDefinition, line: await lineOfWork(path) };
}

async function buildStandIn({ path, reason }: LeftOut, artifact: string): Promise<BuiltCase> {
  const id = basename(dirname(path));
  const body = JSON.stringify(`${sourceOfCase(ARTIFACT_APP, id)}: ${reason}\n`);
  const fields = JSON.stringify({ title: id, description: reason, parameters: {}, golden: null });
  const file = join(artifact, "cases", `${id}.mjs`);
  await mkdir(dirname(file), { recursive: true });
  const source = `export default { ...${fields}, handle: () => new Response(${body}, { status: 500 }) };\n`;
  await writeFile(file, source);
  // Under the address of the case that threw, what it threw is kept.
  const { default: definition } = await import(`${pathToFileURL(file).href}?stand-in`);
  return { id, definition, line: 1 };
}

async function lineOfWork(path: string): Promise<number> {
  const source = await readFile(path, "utf8");
  const at = source.search(/^[ \t]*(async )?handle\b/m);
  return source.slice(0, Math.max(0, at)).split("\n").length;
}

async function buildIndex(artifact: string, source: string, settings: EsbuildOptions): Promise<void> {
  await build({
    ...settings,
    stdin: {
      contents: source,
      resolveDir: dirname(fileURLToPath(import.meta.url)),
      sourcefile: "index.ts",
      loader: "ts",
    },
    external: [`./${DIGEST_FILE}`, "./cases/*.mjs"],
    outfile: join(artifact, "index.mjs"),
  });
}

/** The others are mostly consequences of it. */
function firstProblem(error: unknown): string {
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  if (first === undefined) return oneLine(error);
  const { location } = first;
  const [, specifier] = /^Could not resolve "([^./#"][^"]*)"/.exec(first.text) ?? [];
  if (specifier !== undefined && location !== null) return whyNotFound(specifier, location.file);
  const place =
    location === null ? "" : ` (${relative(root, resolve(root, location.file))}:${location.line})`;
  return `${oneLine(first.text)}${place}`;
}

function whyNotFound(specifier: string, file: string): string {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
  const folder = dirname(relative(root, resolve(root, file)));
  const remedy = existsSync(join(root, folder, "package.json"))
    ? `Name it in ${folder}/package.json`
    : `Give the folder a package.json that names it (as packages/cases/react-ssr has)`;
  return `it imports "${specifier}", which is not found. ${remedy}, under "dependencies": { "${name}": … }, and run: npx pnpm install`;
}

function oneLine(error: unknown): string {
  return String(error).replace(/\s+/g, " ").slice(0, 300);
}

/** For cases that were written without types. */
function whyNoCase(id: string, definition: unknown): string | null {
  if (typeof definition !== "object" || definition === null) {
    return "it has no default export made by defineCase({...})";
  }
  const { golden, handle } = definition as Partial<CaseDefinition>;
  if (typeof handle !== "function") return "its default export has no handle(request, parameters)";
  if (golden === undefined) {
    return "its default export has no golden values; write null until the first run has printed them";
  }
  const { error } = manifestSchema.safeParse(caseManifest(id, definition as CaseDefinition));
  const [issue] = error?.issues ?? [];
  return issue === undefined ? null : `its ${issue.path.join(".") || "default export"}: ${issue.message}`;
}

interface BuiltCase {
  readonly id: string;
  readonly definition: CaseDefinition;
  readonly line: number;
}

function indexSource(cases: readonly BuiltCase[], nodeEnv: string | null, developing: boolean): string {
  const entries = cases.map(({ id, definition }) => {
    const { title, description, parameters, services = [] } = definition;
    return `    {
      manifest: ${JSON.stringify({ id, path: `/${id}`, title, description, parameters, services })},
      hasPins: ${definition.pins !== undefined},
      load: () => import("./cases/${id}.mjs"),
    },`;
  });
  const pins = { "nodeEnv.artifact": nodeEnv ?? "undefined", ...(developing && DEVELOPMENT_PIN) };
  const explaining = developing ? 'import { explaining } from "./handler/explaining.ts";\n' : "";
  return `${explaining}import { makeCreateHandler } from "./handler/handler.ts";
import { artifactDigest } from "./${DIGEST_FILE}";

export const createHandler = makeCreateHandler({
  app: "bundle",
  label: \`Artifact \${artifactDigest.slice(0, 12)}\`,
  pins: { artifact: artifactDigest, ...${JSON.stringify(pins)} },
  cases: ${developing ? "explaining(" : ""}[
${entries.join("\n")}
  ]${developing ? ")" : ""},
});
`;
}

const leftOutIn = (dist: string) => join(dist, "left-out.json");

export async function readLeftOut(dist: string = distDirectory): Promise<readonly LeftOut[]> {
  return (await readJson<LeftOut[]>(leftOutIn(dist))) ?? [];
}

function esbuildOptions(root: string, nodeEnv: string | null): EsbuildOptions {
  return {
    // Comments name source files: absolute ones would change the digest by checkout.
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["module"],
    target: "es2024",
    charset: "utf8",
    jsx: "automatic",
    // The nearest tsconfig.json must not decide what the artifact is.
    tsconfigRaw: {},
    define: nodeEnv === null ? {} : { "process.env.NODE_ENV": JSON.stringify(nodeEnv) },
    // A runtime's own, imported where that runtime runs the case.
    external: ["cloudflare:*"],
    plugins: [nodeModules],
    logLevel: "silent",
  };
}

/** Workers know Node.js' modules by their "node:" names alone. An ES module has no require(). */
const nodeModules: Plugin = {
  name: "node-modules",
  setup(build) {
    build.onResolve({ filter: /^[a-z_:/]+[a-z0-9_/]*$/ }, ({ path, kind, namespace }) => {
      if (!isBuiltin(path)) return undefined;
      const name = path.startsWith("node:") ? path : `node:${path}`;
      if (kind !== "require-call") return { path: name, external: true };
      return { path: name, namespace: namespace === "required" ? "imported" : "required" };
    });
    build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)}).default;`,
    }));
    build.onLoad({ filter: /.*/, namespace: "imported" }, ({ path }) => ({
      contents: `export { default } from ${JSON.stringify(path)};`,
    }));
  },
};

if (import.meta.main) {
  const { manifest, artifact, failures } = await buildArtifact();
  const where = relative(process.cwd(), artifact);
  console.log(`${where}: ${manifest.cases.length} cases, digest ${manifest.digest}`);
  for (const { path, reason } of failures) console.error(`evenbench: ${path} is left out: ${reason}`);
  if (failures.length > 0) process.exitCode = 1;
}
