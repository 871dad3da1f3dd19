import { discoverApps } from "@evenbench/host";
import { appIdOf, listTargets } from "@evenbench/runner";
import { expect, test } from "vitest";
import { targetsWith } from "./cases.ts";

const appsWith = async (...cases: string[]) => [
  ...new Set((await targetsWith(await listTargets(), cases)).map(appIdOf)),
];

test("only targets of the apps that have the cases named are built", async () => {
  expect(await appsWith("react-ssr")).toEqual(["bundle"]);
  expect((await appsWith("next-page", "empty")).sort()).toEqual(["bundle", "next"]);
  expect(await appsWith()).toEqual([...new Set((await listTargets()).map(appIdOf))]);
});

test("a case can be named by its path where only its app was chosen", async () => {
  const ofNext = (await listTargets()).filter((target) => appIdOf(target) === "next");
  expect(await targetsWith(ofNext, ["empty"])).toEqual(ofNext);
});

test("sources name the cases that the built app serves", async () => {
  const apps = (await discoverApps()).filter(({ casesInSources }) => casesInSources !== undefined);
  expect(apps.map(({ id }) => id)).toContain("bundle");
  for (const app of apps) {
    const built = (await app.cases()).map(({ id, path }) => ({ id, path }));
    expect(built.length, app.id).toBeGreaterThan(0);
    expect(await app.casesInSources?.()).toEqual(built);
  }
});
