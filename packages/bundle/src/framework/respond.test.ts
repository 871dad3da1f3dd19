import { DEVELOPMENT_PIN } from "@evenbench/core";
import { expect, test } from "vitest";
import { createResponder } from "./framework.ts";

const adapter = "adapter 1.0.0";

async function identityOf(nodeEnv: string, platform: string | undefined) {
  const pins = { "nodeEnv.artifact": nodeEnv };
  const respond = createResponder({ app: "some-app", label: "Some app", pins, cases: [], platform, adapter });
  return (await respond(new Request("http://localhost/identity"))).json();
}

test("a build for production that does not say its platform serves nothing", async () => {
  await expect(identityOf("production", undefined)).rejects.toThrow(/"some-app"/);
});

test("a framework's own server for developing needs no build, and is marked", async () => {
  const identity = await identityOf("development", undefined);
  expect(identity).toMatchObject({ platform: "node", pins: DEVELOPMENT_PIN });
});
