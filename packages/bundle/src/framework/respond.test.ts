import { DEVELOPMENT_PIN } from "@evenbench/core";
import { expect, test } from "vitest";
import { createResponder } from "./framework.ts";

const index = (nodeEnv: string) => ({
  app: "some-app",
  label: "Some app",
  pins: { "nodeEnv.artifact": nodeEnv },
  cases: [],
});
const adapter = "adapter 1.0.0";

async function identityOf(responder: ReturnType<typeof createResponder>) {
  return (await responder(new Request("http://localhost/identity"))).json();
}

test("an app is on the platform that it was built for, and tells the runtime that it finds", async () => {
  const { runtime, v8 } = { runtime: `Node.js ${process.versions.node}`, v8: process.versions.v8 };
  const responder = createResponder(index("production"), { platform: "edge", adapter });
  expect(await identityOf(responder)).toMatchObject({ platform: "edge", facts: { adapter, runtime, v8 } });
});

test("a build for production that does not say its platform serves nothing", () => {
  expect(() => createResponder(index("production"), { platform: undefined, adapter })).toThrow(/"some-app"/);
});

test("a framework's own server for developing needs no build, and is marked", async () => {
  const responder = createResponder(index("development"), { platform: undefined, adapter: undefined });
  expect(await identityOf(responder)).toMatchObject({ platform: "node", pins: DEVELOPMENT_PIN });
});
