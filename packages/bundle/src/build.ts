import { relative } from "node:path";
import { buildArtifact } from "./build-artifact.ts";

const { manifest, artifact, failures } = await buildArtifact();

console.log(
  `${relative(process.cwd(), artifact)}: ${manifest.cases.length} cases, digest ${manifest.digest}`,
);

for (const { path, reason } of failures) console.error(`evenbench: ${path} is left out: ${reason}`);
if (failures.length > 0) process.exitCode = 1;
