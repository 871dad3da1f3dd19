// The own servers of frameworks write into the checkout.
import { discoverApps, repositoryRoot } from "@evenbench/host";
import { stillRunning } from "@evenbench/host/testing";
import { expect, test } from "vitest";
import { startDev } from "../../test/dev-command.ts";
import { testFolder } from "../../test/evenbench.ts";

testFolder();

const apps = (await discoverApps()).flatMap(({ id, develop }) => (develop === undefined ? [] : [id]));

test("the own servers of frameworks start, are marked as for developing, and end at Ctrl-C", async () => {
  const dev = await startDev(repositoryRoot, "--filter", apps.join());
  const servers = dev.servers();
  expect(servers.map(({ name }) => name).toSorted()).toEqual(apps.toSorted());
  for (const { name, url } of servers) {
    expect(await (await fetch(`${url}/identity`)).json()).toMatchObject({
      app: name,
      pins: { mode: "development" },
    });
  }
  const { code, below } = await dev.interrupt();
  expect(code).toBe(130);
  expect(await stillRunning(below)).toEqual([]);
});
