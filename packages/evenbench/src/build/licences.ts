import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  /** As manifests said it before 2014. */
  readonly licenses?: readonly { readonly type: string }[];
  readonly repository?: string | { readonly url: string };
}

/** The names and licences of the packages that some files come from; of our own there are none in it. */
export async function licencesOf(files: readonly string[]): Promise<string> {
  const folders = new Set(files.filter((file) => file.includes("node_modules")).map(packageFolder));
  const texts = await Promise.all([...folders].map(licenceOf));
  return texts.sort().join(`\n${"-".repeat(80)}\n\n`);
}

/** The nearest folder whose manifest has a name and a version: some packages have others within. */
function packageFolder(file: string): string {
  const folder = dirname(file);
  const parent = dirname(folder);
  return /[\\/]node_modules(?:[\\/]@[^\\/]+)?$/.test(parent) && !isScope(folder)
    ? folder
    : packageFolder(folder);
}

function isScope(folder: string): boolean {
  return !existsSync(join(folder, "package.json"));
}

async function licenceOf(folder: string): Promise<string> {
  const manifest: Manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const { name, version, licenses = [], repository = "" } = manifest;
  const { license = licenses.map(({ type }) => type).join(" or ") } = manifest;
  if (license === "")
    throw new TypeError(`${name} names no licence: look at ${folder}, and see whether it may be bundled.`);
  const source = typeof repository === "string" ? repository : repository.url;
  const file = (await readdir(folder)).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  const text = file === undefined ? "" : `\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
  return `${name} ${version}\nLicence: ${license}\nSource: ${source}\n${text}`;
}
