// The own servers of frameworks write into the checkout.
import { discoverApps, repositoryRoot } from "@evenbench/host";
import { stillRunning } from "@evenbench/host/testing";
import { expect, test } from "vitest";
import { startDev } from "../../test/dev-command.ts";
import { testFolder } from "../../test/evenbench.ts";

testFolder();

const withServers = (await discoverApps()).filter(({ develop }) => develop !== undefined);

test.each(withServers.map(({ id }) => id))(
  "the own server of %s starts, is marked as for developing, and ends at Ctrl-C",
  async (app) => {
    const dev = await startDev(repositoryRoot, "--filter", app);
    const [server] = dev.servers();
    expect(server?.name).toBe(app);
    expect(await (await fetch(`${server?.url}/identity`)).json()).toMatchObject({
      app,
      pins: { mode: "development" },
    });
    const { code, below } = await dev.interrupt();
    expect(code).toBe(130);
    expect(await stillRunning(below)).toEqual([]);
  },
);
