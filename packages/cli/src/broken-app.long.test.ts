import type { AppDefinition } from "@evenbench/core";
import type * as host from "@evenbench/host";
import type { LocalTarget } from "@evenbench/runner";
import { expect, test, vi } from "vitest";
import { chooseCases } from "./cases.ts";

const app: AppDefinition = {
  id: "odd",
  title: "Odd",
  async cases() {
    throw new TypeError("pages is not iterable.");
  },
  deployable: () => null,
};

vi.mock("@evenbench/host", async (importActual) => ({
  ...(await importActual<typeof host>()),
  discoverApps: async () => [app],
}));

test("an app that fails when it is asked for its cases is named with its reason", async () => {
  const target = { place: "local", name: "odd-node", app } as LocalTarget;
  await expect(chooseCases([target], [])).rejects.toThrow(
    'The app "odd" cannot name its cases: pages is not iterable. Fix its app.ts.',
  );
});
