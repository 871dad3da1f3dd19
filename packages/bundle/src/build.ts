import { relative } from "node:path";
import { buildArtifact } from "./build-artifact.ts";

const { manifest, artifact, failures, skipped } = await buildArtifact();

const rows = manifest.files.map(({ path, bytes, gzipBytes }) => [path, String(bytes), String(gzipBytes)]);
const table = [["file", "bytes", "gzip"], ...rows];
const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
for (const [path = "", bytes = "", gzip = ""] of table) {
  console.log(
    `${path.padEnd(widths[0] ?? 0)}  ${bytes.padStart(widths[1] ?? 0)}  ${gzip.padStart(widths[2] ?? 0)}`,
  );
}
console.log(
  `${relative(process.cwd(), artifact)}: ${manifest.cases.length} cases, digest ${manifest.digest}`,
);

for (const folder of skipped) console.error(`evenbench: ${folder} has no case.ts, so it is not a case.`);
for (const { path, reason } of failures) console.error(`evenbench: ${path} is left out: ${reason}`);
if (failures.length > 0) process.exitCode = 1;
