import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { expect, test } from "vitest";
import { createProgram } from "./main.ts";
import { renderReference } from "./reference.ts";

test("docs/command-line.md is what the commands say of themselves (-u writes it)", async () => {
  const page = renderReference(await createProgram({ code: 0 }));
  await expect(page).toMatchFileSnapshot(join(repositoryRoot, "docs/command-line.md"));
});
