import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { deployTargets, destroyDeployments } from "./deploy.ts";

const folder = testFolder();
const run = () => Promise.reject(new Error("No tool is run."));

test("while one command deploys, another that would deploy or remove ends with one line, and has sent nothing", async () => {
  const file = join(folder, "deployments.json");
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<boolean>();
  const common = { file, run, planned: [], region: "us-east-1", accounting: false };
  const first = deployTargets({
    ...common,
    confirm() {
      asked.resolve();
      return answered.promise;
    },
  });
  await asked.promise;
  const confirm = () => Promise.reject(new Error("Nobody is asked."));
  const said = new RegExp(
    `^Another command deploys, or removes what .*deployments\\.json lists \\(process ${process.pid}\\)\\. Nothing was`,
  );
  await expect(deployTargets({ ...common, confirm })).rejects.toThrow(said);
  await expect(destroyDeployments({ file, run, platforms: [], confirm })).rejects.toThrow(said);
  answered.resolve(true);
  expect(await first).toEqual([]);
  expect(await deployTargets({ ...common, confirm: async () => true })).toEqual([]);
});
