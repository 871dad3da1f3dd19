import { connect } from "node:net";
import { missingServices, type RunningServices, startServices } from "@evenbench/host/services";
import { needs } from "@evenbench/host/services/testing";
import { testFolder } from "@evenbench/host/testing/folder";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import doubleSpend from "./case.ts";

const [missing] = await missingServices(["memcached"]);

const defaults = { command: "get", writes: "joined", noDelay: "on", pool: 20, holdMs: 0 } as const;
type Values = Parameters<typeof doubleSpend.handle>[1];

describe("with a real memcached", needs(missing?.missing ?? null), () => {
  const logFolder = testFolder();
  let services: RunningServices;
  beforeAll(async () => {
    services = await startServices(["memcached"], { logFolder, cores: null });
  });
  afterAll(() => services[Symbol.asyncDispose]());

  async function check(parameters: Partial<Values> = {}, addresses = services.addresses): Promise<string> {
    const response = await doubleSpend.handle(
      new Request("http://localhost/double-spend"),
      { ...defaults, ...parameters },
      { platform: "node", services: addresses },
    );
    return response.text();
  }

  /** A number of memcached's own statistics, over a connection of our own. */
  function statistic(name: string): Promise<number> {
    const { hostname, port } = new URL(`tcp://${services.addresses.memcached}`);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write("stats\r\n"))
      .once("error", reject)
      .on("data", (data) => {
        text += data;
        if (!text.endsWith("END\r\n")) {
          return;
        }
        socket.destroy();
        resolve(Number(new RegExp(`STAT ${name} (\\d+)`).exec(text)?.[1]));
      });
    return promise;
  }

  test.each(["on", "off"] as const)(
    "joined and split writes say the same with TCP_NODELAY %s",
    async (noDelay) => {
      for (const writes of ["joined", "split"] as const) {
        expect(await check({ noDelay, writes })).toBe('{"spent":false}\n');
        expect(await check({ noDelay, writes, command: "version" })).toBe('{"healthy":true}\n');
      }
    },
  );

  test("every check asks memcached once", async () => {
    const before = await statistic("cmd_get");
    await Promise.all(Array.from({ length: 30 }, () => check()));
    expect(await statistic("cmd_get")).toBe(before + 30);
  });

  test("a pool lends no more connections than it has, and everybody who waits gets one", async () => {
    const before = await statistic("total_connections");
    const answers = await Promise.all(Array.from({ length: 25 }, () => check({ pool: 3, holdMs: 5 })));
    expect(answers).toHaveLength(25);
    // And the one that asks for the statistic.
    expect((await statistic("total_connections")) - before).toBe(3 + 1);
  });

  test("checks one after the other share a connection", async () => {
    const before = await statistic("total_connections");
    for (let n = 0; n < 10; n++) {
      await check({ pool: 7 });
    }
    // This statistic's own connection, and one for all checks.
    expect(await statistic("total_connections")).toBe(before + 2);
  });

  test("a store that is down fails the check, also the next one, and no place of the pool is lost", async () => {
    const nobody = { memcached: "127.0.0.1:9" };
    for (let n = 0; n < 3; n++) {
      await expect(check({ pool: 1 }, nobody)).rejects.toThrow(/ECONNREFUSED/);
    }
  });
});
