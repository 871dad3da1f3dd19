import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSource, webAddress } from "@evenbench/host";
import { repositoryRoot } from "@evenbench/host/repository";
import { registerTextImports } from "@evenbench/host/text-imports";
import { cardAssets } from "@evenbench/report/card-assets";
import { bundlePackage } from "./bundle.ts";

const DOOR = "evenbench.js";

/** The oldest Node.js that the package runs on: undici, which is bundled, asks for it. */
const NODE_FLOOR = "22.19.0";

/**
 * Source text of the program: a shell starts Node.js with `--`, so that it takes none of the words. To Node.js the
 * second line is a text and a comment.
 */
const DOOR_SOURCE = `#!/bin/sh
":" //; exec node -- "$0" "$@"
const [major, minor] = process.versions.node.split(".").map(Number);
const [needsMajor, needsMinor] = "${NODE_FLOOR}".split(".").map(Number);
if (major < needsMajor || (major === needsMajor && minor < needsMinor)) {
  console.error("evenbench: This needs Node.js ${NODE_FLOOR} or newer, and this is " + process.versions.node + ". Start it with a newer one.");
  process.exitCode = 1;
} else {
  await import("./cli.js");
}
`;

/** Names of tools, by the folder whose package.json pins them. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  "apps/cloudflare": ["miniflare", "workerd", "wrangler"],
  "apps/handler": ["esbuild"],
  "apps/vercel": ["@edge-runtime/vm", "@vercel/node", "vercel"],
};

const folder = dirname(import.meta.dirname);
const dist = join(folder, "dist");

/** Texts of licences that packages name without having them, by the name. */
const LICENCE_TEXTS: Readonly<Record<string, string>> = { "MPL-2.0": join(folder, "MPL-2.0.txt") };

// Commands are imported to see which of them the package has; the style of their pages is a file of text.
registerTextImports();
await rm(dist, { recursive: true, force: true });
const bundled = await bundlePackage(dist);
await cp(join(folder, "types/index.d.ts"), join(dist, "index.d.ts"));
// It imports nothing, so it is its own declaration.
await cp(fileURLToPath(import.meta.resolve("@evenbench/report/facts")), join(dist, "facts.d.ts"));
const assets = cardAssets();
for (const [name, file] of assets) {
  await cp(file, join(dist, name));
}
await cp(join(repositoryRoot, "docs/schema/evenbench.schema.json"), join(dist, "schema.json"));
await cp(join(folder, "package-readme.md"), join(dist, "README.md"));
await cp(join(repositoryRoot, "LICENSE"), join(dist, "LICENSE"));
await writeFile(
  join(dist, "LICENSES-OF-BUNDLED-CODE.txt"),
  await licencesOf([...bundled, ...assets.values()]),
);
await writeFile(join(dist, DOOR), DOOR_SOURCE, { mode: 0o755 });
const rootManifest = JSON.parse(await readFile(join(repositoryRoot, "package.json"), "utf8"));
await writeFile(
  join(dist, "package.json"),
  `${JSON.stringify(packageManifest({ ...rootManifest, tools: await readTools(), page: readSource()?.repository ?? null }), null, 2)}\n`,
);

interface OfPackage {
  readonly version: string;
  readonly license: string;
  readonly author: string;
  /** Exact versions, by name, of the packages that a user of `app` installs beside it. */
  readonly tools: Readonly<Record<string, string>>;
  /** Address of the repository that it is built from; null where that has none. Provenance needs it. */
  readonly page: string | null;
}

/** Gives the versions of tools that the repository's own apps are built and served by. */
async function readTools(): Promise<Readonly<Record<string, string>>> {
  const tools: Record<string, string> = {};
  for (const [app, names] of Object.entries(TOOLS)) {
    const { dependencies } = JSON.parse(await readFile(join(repositoryRoot, app, "package.json"), "utf8"));
    for (const name of names) {
      tools[name] = dependencies[name];
    }
  }
  return tools;
}

/** Makes the package's manifest. All code is bundled; tools are for `app` alone. */
function packageManifest({ version, license, author, tools, page }: OfPackage): object {
  return {
    name: "evenbench",
    version,
    license,
    author,
    ...(page !== null && {
      repository: { type: "git", url: `git+${page}.git` },
      homepage: `${page}#readme`,
      bugs: `${page}/issues`,
    }),
    description:
      "Measures servers against one another in turns, with an A/A control, 99 % intervals and verdicts.",
    keywords: ["benchmark", "http", "latency", "cpu", "compare", "statistics"],
    type: "module",
    engines: { node: `>=${NODE_FLOOR}` },
    bin: { evenbench: DOOR },
    evenbench: { tools },
    exports: {
      ".": { types: "./index.d.ts", default: "./index.js" },
      "./package.json": "./package.json",
      "./schema.json": "./schema.json",
    },
  };
}

/** The part of a package.json that licences need. */
interface PackageJson {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  /** Licenses as manifests named them before 2014. */
  readonly licenses?: readonly { readonly type: string }[];
  readonly repository?: string | { readonly url: string };
}

/** Collects the licences of the packages that files lie in. A text that several have stands below all of them, once. */
async function licencesOf(files: readonly string[]): Promise<string> {
  // Greedy: a package may lie in the folder of another.
  const inPackage = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;
  const folders = new Set(files.flatMap((file) => inPackage.exec(file) ?? []));
  const licences = await Promise.all([...folders].map(licenceOf));
  const byText = Map.groupBy(licences, ({ text }) => text);
  const parts = [...byText].map(
    ([text, group]) =>
      `${group
        .map(({ of }) => of)
        .sort()
        .join("\n")}\n${text}`,
  );
  return parts.sort().join(`\n${"-".repeat(80)}\n\n`);
}

interface Licence {
  /** The package, its licence's name, and where its source is. */
  readonly of: string;
  readonly text: string;
}

async function licenceOf(folder: string): Promise<Licence> {
  const manifest: PackageJson = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const { name, version, licenses = [], repository = "" } = manifest;
  const { license = licenses.map(({ type }) => type).join(" or ") } = manifest;
  if (license === "") {
    throw new TypeError(`${name} names no licence: look at ${folder}, and see whether it may be bundled.`);
  }
  const address = typeof repository === "string" ? repository : repository.url;
  const url = address
    .replace(/^git(?:\+\w+)?:/, "https:")
    .replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, "https://github.com/$1");
  const source = webAddress(url) ?? address;
  const files = (await readdir(folder)).filter((entry) => /^(?:licen[cs]e|copying)/i.test(entry)).sort();
  const paths = files.length > 0 ? files.map((file) => join(folder, file)) : (LICENCE_TEXTS[license] ?? []);
  const texts = await Promise.all([paths].flat().map((path) => readFile(path, "utf8")));
  return {
    of: `${name} ${version}\nLicence: ${license}\nSource: ${source}\n`,
    text: texts.map((text) => `\n${text.trim()}\n`).join(""),
  };
}
