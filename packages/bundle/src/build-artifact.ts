import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  ARTIFACT_APP,
  type CaseManifest,
  DEVELOPMENT_PIN,
  errorLine,
  manifestOfCase,
  sourceOfCase,
} from "@evenbench/core";
import type { LeftOut } from "@evenbench/host";
import { type BuildFailure, build, type BuildOptions as EsbuildOptions } from "esbuild";
import { casesDirectory, discoverCases, type FoundCase } from "./discover.ts";
import { esbuildOptions, jsxOf, root } from "./esbuild-options.ts";
import { type LoadedCase, loadCases } from "./load-cases.ts";
import {
  DIGEST_FILE,
  digestOfDirectory,
  distDirectory,
  filesOf,
  type Manifest,
  readJson,
  slashed,
} from "./manifest.ts";
import { replaceFolder } from "./replace-folder.ts";

/** The choices of a build of the artifact. */
export interface BuildOptions {
  /** The folder of the cases. Default: packages/cases. */
  readonly casesDirectory?: string;
  /** The folder of the artifact and its manifest. Default: dist of this package. */
  readonly outDirectory?: string;
  /** The built-in value of NODE_ENV; null: none. Default: "production". Others are for tests. */
  readonly nodeEnv?: string | null;
  /**
   * True for an artifact for developing, which is never measured: a folder that could not become a case answers 500
   * with its reason, and source maps lie beside the modules. Default: false.
   */
  readonly developing?: boolean;
}

/** The result of a build of the artifact. */
export interface BuildResult {
  readonly manifest: Manifest;
  /** The artifact's folder. */
  readonly artifact: string;
  /** Folders and modules that could not become a case, each with the reason. */
  readonly failures: readonly LeftOut[];
}

/** Builds all handler cases into one folder. The same sources give the same bytes in any checkout. */
export async function buildArtifact(options: BuildOptions = {}): Promise<BuildResult> {
  const outDirectory = resolve(options.outDirectory ?? distDirectory);
  const { developing = false, nodeEnv = developing ? "development" : "production" } = options;
  const found = discoverCases(options.casesDirectory ?? casesDirectory);

  await mkdir(outDirectory, { recursive: true });
  // Built aside and put in place when whole: a host that starts meanwhile never sees half of it.
  const aside = await mkdtemp(join(outDirectory, ".building-"));
  // The folder around it is for this user alone, and an artifact is for all.
  const staging = join(aside, "artifact");
  try {
    await mkdir(staging);
    const { built, broken } = await buildInto(staging, found.cases, { nodeEnv, developing });
    const manifest = await artifactManifest(staging, built);
    const failures = [...found.failures, ...broken];
    const artifact = join(outDirectory, "artifact");
    if (developing) {
      await moveSourceMaps(staging, artifact);
    }
    await replaceFolder(staging, artifact, join(aside, "before"));
    await replaceJson(join(outDirectory, "manifest.json"), manifest, aside);
    // Also where there are none: the cache of a build brings this file back over an older one.
    await replaceJson(leftOutIn(outDirectory), failures, aside);
    return { manifest, artifact, failures };
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

interface BuiltCases {
  readonly built: readonly BuiltCase[];
  readonly broken: readonly LeftOut[];
}

async function buildInto(
  staging: string,
  cases: readonly FoundCase[],
  { nodeEnv, developing }: Required<Pick<BuildOptions, "nodeEnv" | "developing">>,
): Promise<BuiltCases> {
  const settings = {
    ...esbuildOptions(nodeEnv),
    ...(developing && { sourcemap: "external" as const }),
  };
  const outcomes = await buildCases(cases, staging, settings);
  const built = outcomes.filter((outcome) => "manifest" in outcome);
  const broken = outcomes.filter((outcome) => "reason" in outcome);
  const standIns = developing
    ? await Promise.all(broken.map((failure) => buildStandIn(failure, staging)))
    : [];
  await buildIndex(staging, indexSource([...built, ...standIns], nodeEnv, developing), settings);
  return { built, broken };
}

/** Makes the manifest of a built folder, and writes the folder's digest into it. */
async function artifactManifest(staging: string, built: readonly BuiltCase[]): Promise<Manifest> {
  const digest = await digestOfDirectory(staging);
  await writeFile(join(staging, DIGEST_FILE), `export const artifactDigest = ${JSON.stringify(digest)};\n`);
  const cases: CaseManifest[] = built.map(({ manifest, line }) => ({
    ...manifest,
    source: `${sourceOfCase(ARTIFACT_APP, manifest.id)}#L${line}`,
  }));
  return { schemaVersion: 1, digest, cases };
}

/** Writes a file of JSON as a whole. @param aside a folder of the same file system. */
async function replaceJson(file: string, value: unknown, aside: string): Promise<void> {
  const written = join(aside, basename(file));
  await writeFile(written, `${JSON.stringify(value, null, 2)}\n`);
  await rename(written, file);
}

/** Builds cases: bundles all side by side, then reads their descriptions, one after another. */
async function buildCases(
  cases: readonly FoundCase[],
  artifact: string,
  settings: EsbuildOptions,
): Promise<readonly (BuiltCase | LeftOut)[]> {
  const fileOf = (id: string): string => join(artifact, "cases", `${id}.mjs`);
  const problems = await Promise.all(cases.map((found) => bundleCase(found, fileOf(found.id), settings)));
  const bundled = cases.filter((_, index) => problems[index] === null);
  const loadings = await loadCases(bundled.map(({ id }) => ({ id, file: fileOf(id) })));
  const loadingOf = new Map(bundled.map(({ id }, index) => [id, loadings[index]]));
  return Promise.all(
    cases.map(async ({ id, path }, index) => {
      const loading = loadingOf.get(id) ?? { reason: problems[index] ?? "it could not be built" };
      if ("loaded" in loading) {
        return { ...loading.loaded, line: await lineOfWork(path) };
      }
      await rm(fileOf(id), { force: true });
      return { path, reason: loading.reason };
    }),
  );
}

/** Bundles a case into one module. @returns the reason for which it cannot be; null when it was. */
async function bundleCase(
  { path }: FoundCase,
  outfile: string,
  settings: EsbuildOptions,
): Promise<string | null> {
  try {
    await build({ ...settings, ...(await jsxOf(dirname(path))), entryPoints: [path], outfile });
    return null;
  } catch (error) {
    return firstProblem(error);
  }
}

/** Makes a case that answers with the reason why a folder is no case. */
async function buildStandIn({ path, reason }: LeftOut, artifact: string): Promise<BuiltCase> {
  const id = basename(dirname(path));
  const body = JSON.stringify(`${sourceOfCase(ARTIFACT_APP, id)}: ${reason}\n`);
  const declared = { title: id, description: reason, golden: null };
  const file = join(artifact, "cases", `${id}.mjs`);
  await mkdir(dirname(file), { recursive: true });
  const source = `export default { ...${JSON.stringify(declared)}, handle: () => new Response(${body}, { status: 500 }) };\n`;
  await writeFile(file, source);
  const manifest = manifestOfCase(id, { ...declared, handle: () => new Response() });
  return { manifest, hasPins: false, line: 1 };
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

/** Says what went wrong first: other errors of a build are mostly consequences of it. */
function firstProblem(error: unknown): string {
  const [first] = (error as Partial<BuildFailure>).errors ?? [];
  if (first === undefined) {
    return errorLine(error);
  }
  const { location } = first;
  const [, specifier] = /^Could not resolve "([^./#"][^"]*)"/.exec(first.text) ?? [];
  if (specifier !== undefined && location !== null) {
    return whyNotFound(specifier, location.file);
  }
  const place =
    location === null ? "" : ` (${relative(root, resolve(root, location.file))}:${location.line})`;
  return `${errorLine(first.text)}${place}`;
}

/** Says that an imported package is missing, and where it is to be named. */
function whyNotFound(specifier: string, file: string): string {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
  const folder = dirname(relative(root, resolve(root, file)));
  const remedy = existsSync(join(root, folder, "package.json"))
    ? `Name it in ${folder}/package.json`
    : `Give the folder a package.json that names it (as packages/cases/react-ssr has)`;
  return `it imports "${specifier}", which is not found. ${remedy}, under "dependencies": { "${name}": … }, and run: npx pnpm install`;
}

interface BuiltCase extends LoadedCase {
  /** Line of the case's source at which its handler begins, from 1. */
  readonly line: number;
}

function indexSource(cases: readonly BuiltCase[], nodeEnv: string | null, developing: boolean): string {
  const entries = cases.map(({ manifest, hasPins }) => {
    const { id, path, title, description, parameters, services, sends } = manifest;
    return `    {
      manifest: ${JSON.stringify({ id, path, title, description, parameters, services, sends })},
      hasPins: ${hasPins},
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

function leftOutIn(dist: string): string {
  return join(dist, "left-out.json");
}

/** Lists the folders that could not become a case in the last build; none where there was no build. */
export async function readLeftOut(dist: string = distDirectory): Promise<readonly LeftOut[]> {
  return (await readJson<LeftOut[]>(leftOutIn(dist))) ?? [];
}

/** Writes source maps anew for another folder: they name sources relative to their own. */
async function moveSourceMaps(from: string, to: string): Promise<void> {
  const names = await filesOf(from);
  for (const name of names.filter((file) => file.endsWith(".map"))) {
    const file = join(from, name);
    const map = JSON.parse(await readFile(file, "utf8")) as { readonly sources: readonly string[] };
    const sources = map.sources.map((source) =>
      slashed(relative(dirname(join(to, name)), resolve(dirname(file), source))),
    );
    await writeFile(file, JSON.stringify({ ...map, sources }));
  }
}

if (import.meta.main) {
  const { manifest, artifact, failures } = await buildArtifact();
  const where = relative(process.cwd(), artifact);
  console.log(`${where}: ${manifest.cases.length} cases, digest ${manifest.digest}`);
  for (const { path, reason } of failures) {
    console.error(`evenbench: ${path} is left out: ${reason}`);
  }
  if (failures.length > 0) {
    process.exitCode = 1;
  }
}
