import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { cardAssets } from "@evenbench/report/card-assets";
import { bundle } from "./build/bundle.ts";
import { declareTypes, licencesOf, manifestOf } from "./build/package.ts";

const folder = dirname(import.meta.dirname);
const dist = join(folder, "dist");

await rm(dist, { recursive: true, force: true });
const bundled = await bundle(dist);
await declareTypes(dist);
const assets = cardAssets();
for (const [name, file] of assets) await cp(file, join(dist, name));
await cp(join(folder, "package-readme.md"), join(dist, "README.md"));
await cp(join(repositoryRoot, "LICENSE"), join(dist, "LICENSE"));
await writeFile(
  join(dist, "LICENSES-OF-BUNDLED-CODE.txt"),
  await licencesOf([...bundled, ...assets.values()]),
);
const root = JSON.parse(await readFile(join(repositoryRoot, "package.json"), "utf8"));
await writeFile(join(dist, "package.json"), `${JSON.stringify(manifestOf(root), null, 2)}\n`);
