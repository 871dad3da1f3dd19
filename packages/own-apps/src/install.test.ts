import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { installCommand } from "./install.ts";

const workspace = testFolder();

test("pnpm installs one app of a workspace, which it finds by its path from there on", async () => {
  writeFileSync(join(workspace, "pnpm-lock.yaml"), "");
  const place = { workspace, folder: join(workspace, "examples/shop") };
  const command = await installCommand(place, "pnpm");
  expect(command).toEqual(["pnpm", "--filter", "{examples/shop}...", "install", "--frozen-lockfile"]);
});
