// The way of an account, for real on workerd: from a named request to a closed Worker, by a tail event, into
// the collector, to the client. workerd alone accounts nothing (cpuTime 0 in every event), so what values
// look like is shown on events of the shape that Cloudflare documents.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Host, REQUEST_HEADER } from "@evenbench/core";
import { claimPort, LOOPBACK, serverEnvironment, startHost } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { requestId } from "@evenbench/results";
import { collectAccounts } from "@evenbench/runner";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildTail } from "../deploy.ts";
import { findWorkerd } from "../workerd.ts";
import { accountsIn } from "./accounts.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";
const PRODUCER = `export default { fetch: () => new Response("worked") };`;

const folder = testFolder();
let host: Host;
let collector: string;
beforeAll(async () => {
  await buildTail(folder, "tail");
  // Where the database lies: workerd has none in memory.
  await mkdir(join(folder, "accounts"));
  const { binary } = await findWorkerd();
  collector = `http://${LOOPBACK}:${await claimPort(0)}`;
  const file = join(folder, "config.capnp");
  host = await startHost({
    name: "tail host",
    port: 0,
    logFile: join(folder, "tail.log"),
    cores: null,
    command: async (port) => {
      await writeFile(file, configuration(`${LOOPBACK}:${port}`, new URL(collector).host));
      return { file: binary, args: ["serve", file], env: serverEnvironment() };
    },
  });
});
afterAll(() => host?.stop());

function configuration(producer: string, tail: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "producer", worker = .producer), (name = "tail", worker = .tail),
    (name = "accounts", disk = (path = "${join(folder, "accounts")}", writable = true)) ],
  sockets = [
    (name = "producer", address = "${producer}", http = (), service = "producer"),
    (name = "tail", address = "${tail}", http = (), service = "tail")
  ]
);
const producer :Workerd.Worker = (
  modules = [(name = "producer.mjs", esModule = ${JSON.stringify(PRODUCER)})],
  compatibilityDate = "2026-11-01",
  tails = ["tail"]
);
const tail :Workerd.Worker = (
  modules = [(name = "tail.mjs", esModule = embed "tail.mjs")],
  compatibilityDate = "2026-11-01",
  bindings = [
    (name = "EVENBENCH_TOKEN", text = "${TOKEN}"),
    (name = "ACCOUNTS", durableObjectNamespace = "Accounts")
  ],
  durableObjectNamespaces = [(className = "Accounts", uniqueKey = "accounts", enableSql = true)],
  durableObjectStorage = (localDisk = "accounts")
);
`;
}

test("every named request has an account in the collector, by run; unnamed ones have none", async () => {
  const key = { caseId: "math", target: "deployed-cloudflare", trial: 0, phase: "measure" } as const;
  const names = Array.from({ length: 20 }, (_, roundIndex) =>
    requestId("20261121-093015", { ...key, roundIndex }),
  );
  for (const name of [...names, requestId("20261121-093015-2", { ...key, roundIndex: 0 })]) {
    await (await fetch(host.url, { headers: { [REQUEST_HEADER]: name } })).text();
  }
  await (await fetch(host.url)).text();
  const collected = () => collectAccounts(collector, TOKEN, "20261121-093015");
  await expect.poll(async () => (await collected()).length).toBe(20);
  const accounts = await collected();
  expect(accounts.map(({ requestId: name }) => name).sort()).toEqual([...names].sort());
  // The flow is what workerd can show; its accounts are all of nothing.
  expect(new Set(accounts.map(({ cpuMs }) => cpuMs))).toEqual(new Set([0]));
});

test("the collector serves nobody without the token", async () => {
  await expect(collectAccounts(collector, null, "run")).rejects.toThrow("HTTP 401");
  await expect(collectAccounts(collector, `${TOKEN}0`, "run")).rejects.toThrow("HTTP 401");
  expect(await collectAccounts(collector, TOKEN, "no-such-run")).toEqual([]);
});

test("events as Cloudflare documents them become accounts; those of other kinds do not", () => {
  const headers = { "cf-ray": "57d55f210d7b95f3", [REQUEST_HEADER]: "run/a" };
  const request = { url: "https://x.example/", method: "GET", headers, cf: { colo: "SJC" } };
  const common = { scriptName: "evenbench", outcome: "ok", eventTimestamp: 1_587_058_642_005 };
  const documented = { ...common, logs: [], exceptions: [], event: { request }, cpuTime: 17, wallTime: 42 };
  const unnamed = { ...documented, event: { request: { headers: {} } } };
  const scheduled = { ...documented, event: { cron: "* * * * *", scheduledTime: 1 } as object };
  const untimed = { event: documented.event };
  expect(accountsIn([documented, unnamed, scheduled, untimed, { event: null }])).toEqual([
    { requestId: "run/a", cpuMs: 17, wallMs: 42 },
  ]);
});
