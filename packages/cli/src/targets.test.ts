import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { evenbench } from "../test/evenbench.ts";

afterEach(() => vi.unstubAllEnvs());

async function sentWith(tokenFor: (hosts: readonly string[]) => readonly string[]) {
  const sent: (string | undefined)[][] = [[], []];
  const servers = sent.map((own) =>
    createServer((request, response) => {
      own.push(request.headers.authorization);
      response.writeHead(401).end();
    }).listen(0, "127.0.0.1"),
  );
  try {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.once("listening", resolve))));
    const hosts = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
    const targets = hosts.flatMap((host, index) => ["--target", `mine${index}=http://${host}`]);
    const { said } = await evenbench("preflight", "--case", "empty", ...targets, ...tokenFor(hosts));
    return { sent, said };
  } finally {
    for (const server of servers) server.close().closeAllConnections();
  }
}

test("EVENBENCH_TOKEN is sent to the host that is named for it, and to no other", async () => {
  vi.stubEnv("EVENBENCH_TOKEN", "feedfacefeedfacefeedfacefeedface");
  const unnamed = await sentWith(() => []);
  expect(unnamed.sent).toEqual([[undefined], [undefined]]);
  expect(unnamed.said).toContain("name its host with --token-for");
  const named = await sentWith(([, second = ""]) => ["--token-for", second]);
  expect(named.sent).toEqual([[undefined], ["Bearer feedfacefeedfacefeedfacefeedface"]]);
});
