import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { Agent } from "node:http";
import { dirname, join } from "node:path";
import { digestOfDirectory, readManifest } from "@evenbench/bundle";
import { type CaseManifest, type Identity, maskBody } from "@evenbench/core";
import { missingServices, type RunningServices, startServices } from "@evenbench/host/services";
import { needs } from "@evenbench/host/services/testing";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { badQueries } from "./bad-queries.ts";
import { type Answer, accountOf, type ExchangeOptions, exchange, leaveAtFirstByte } from "./exchange.ts";
import { discoverServing, discoverTargets, useTargets } from "./targets.ts";

const targets = await discoverTargets();
const { platforms, missing: missingOfPlatforms } = await discoverServing();
/** Frameworks answer in words of their own to what is wrong: they have a suite of their own, too. */
const bundleTargets = targets.filter((target) => target.app === "bundle");
const cases = bundleTargets[0]?.cases ?? [];
const missing = await missingServices(cases.flatMap((one) => one.services));
const lacking = (one: CaseManifest) => missing.find(({ id }) => one.services.includes(id));

let services: RunningServices;
const served = useTargets(
  () => bundleTargets,
  async (logFolder) => {
    const needed = cases.filter((one) => lacking(one) === undefined).flatMap((one) => one.services);
    services = await startServices(needed, { logFolder, cores: null });
    return { environment: services.environment };
  },
);
afterAll(() => services[Symbol.asyncDispose]());

// What killed an instance shall fail its own test, not those after it too.
afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  for (const { host } of served)
    await expect.poll(() => exchange(host.url, "/identity"), { timeout: 10_000 }).toBeDefined();
});

type Answers = Readonly<Record<string, Answer>>;

async function everywhere(path: string, options: ExchangeOptions = {}): Promise<Answers> {
  const answers = served.map(async ({ name, host }) => [name, await exchange(host.url, path, options)]);
  return Object.fromEntries(await Promise.all(answers));
}

function expectEverywhere<T>(answers: Answers, value: (answer: Answer) => T, expected: T): void {
  for (const [name, answer] of Object.entries(answers)) expect(value(answer), name).toEqual(expected);
}

/** A problem document in equal words. */
function expectProblem(answers: Answers, status: number): Record<string, unknown> {
  const words = text(first(answers));
  const told = (answer: Answer) => [answer.status, answer.headers["content-type"], text(answer)];
  expectEverywhere(answers, told, [status, "application/problem+json", words]);
  return JSON.parse(words);
}

const first = (answers: Answers) => Object.values(answers)[0] as Answer;
const text = (answer: Answer) => answer.body.toString();

function golden(answer: Answer, manifest: CaseManifest) {
  return {
    status: answer.status,
    contentType: answer.headers["content-type"]?.split(";")[0] ?? null,
    bytes: answer.body.byteLength,
    sha256: createHash("sha256")
      .update(maskBody(text(answer), manifest))
      .digest("hex"),
  };
}

test("the bundle has been built for every platform, other apps for several, so that there is something to compare", () => {
  const platformsOf = (app: string) =>
    targets.filter((target) => target.app === app).map((target) => target.platform.id);
  const apps = [...new Set(targets.map((target) => target.app))];
  expect(apps).toContain("bundle");
  expect(platforms.length).toBeGreaterThan(1);
  expect(platformsOf("bundle")).toEqual(platforms.map(({ id }) => id));
  for (const app of apps) expect(platformsOf(app).length).toBeGreaterThan(1);
});

for (const { id, what } of missingOfPlatforms)
  test(`${id} takes part in all of this`, needs(what), () => {
    expect(bundleTargets.map(({ platform }) => platform.id)).toContain(id);
  });

for (const one of cases)
  describe(`case ${one.id}`, needs(lacking(one)?.missing ?? null), () => {
    test("has its golden values on every target", async () => {
      const answers = await everywhere(one.path);
      expectEverywhere(answers, (answer) => golden(answer, one), one.golden ?? golden(first(answers), one));
    });

    test("is framed the same way on every target, and never encoded, even for a client that would take it", async () => {
      const headers = { "accept-encoding": "gzip, br, zstd, deflate" };
      const answers = await everywhere(one.path, { headers });
      const framing = (answer: Answer) => ({
        encoding: answer.headers["content-encoding"],
        length: answer.headers["content-length"],
        type: answer.headers["content-type"],
        cache: answer.headers["cache-control"],
      });
      expectEverywhere(answers, framing, { ...framing(first(answers)), encoding: undefined });
      const { length } = framing(first(answers));
      if (length !== undefined) expectEverywhere(answers, (answer) => String(answer.body.byteLength), length);
    });

    test("answers HEAD with the headers of GET and no body", async () => {
      const get = first(await everywhere(one.path));
      const answers = await everywhere(one.path, { method: "HEAD" });
      const seen = ({ status, headers, body }: Answer) => ({
        status,
        type: headers["content-type"],
        bytes: body.byteLength,
      });
      expectEverywhere(answers, seen, { ...seen(get), bytes: 0 });
      const length = get.headers["content-length"];
      for (const { name, platform } of served) {
        const saysEmpty = platform.headSaysEmpty && length === undefined && get.status !== 204;
        expect(answers[name]?.headers["content-length"], name).toBe(saysEmpty ? "0" : length);
      }
    });

    test("leaves the instance alive when its client goes away in the middle of the body", async () => {
      const instances = async () =>
        Object.values(await everywhere("/empty")).map((answer) => accountOf(answer)?.instanceId);
      const before = await instances();
      await Promise.all(served.map(({ host }) => leaveAtFirstByte(host.url, one.path)));
      expect(await instances()).toEqual(before);
    });

    test.each(badQueries(one.parameters))(
      "refuses ?%s with equal words and the bounds",
      async (query, parameter) => {
        const problem = expectProblem(await everywhere(`${one.path}?${query}`), 400);
        expect(problem).toMatchObject({ parameter, bounds: expect.any(String) });
        expect(problem.detail).toContain(parameter);
      },
    );
  });

describe("where nobody says where services are", () => {
  const lonely = useTargets(() => bundleTargets);
  const withServices = cases.filter((one) => one.services.length > 0);

  test.each(withServices)("case $id answers 503 with equal words", async ({ path, services: ids }) => {
    const answers = lonely.map(async ({ name, host }) => [name, await exchange(host.url, path)]);
    const problem = expectProblem(Object.fromEntries(await Promise.all(answers)), 503);
    expect(problem).toMatchObject({ services: ids });
  });
});

describe("every target", () => {
  test("names its platform and app in the identity, and tells the same pins", async () => {
    const answers = await everywhere("/identity");
    const { pins } = JSON.parse(text(first(answers))) as Identity;
    expect(pins).toMatchObject({ "nodeEnv.artifact": "production", "nodeEnv.runtime": "production" });
    for (const [name, answer] of Object.entries(answers)) {
      const identity = JSON.parse(text(answer)) as Identity;
      expect(`${identity.app}@${identity.platform}`).toBe(name);
      expect(identity.pins).toEqual(pins);
    }
  });

  test("lists its cases with links", async () => {
    const answers = await everywhere("/");
    expectEverywhere(answers, ({ headers }) => headers["content-type"], "text/html; charset=utf-8");
    for (const page of Object.values(answers))
      for (const { path } of cases) expect(text(page)).toContain(`href="${path}"`);
  });

  test.each(["/no-such-case", "/empty/", "/EMPTY", "/%00", "/favicon.ico"])(
    "answers %s with a 404 that lists the cases, in equal words",
    async (path) => {
      const problem = expectProblem(await everywhere(path), 404);
      expect(problem.cases).toEqual(cases.map(({ id }) => id));
    },
  );

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("refuses %s in equal words", async (method) => {
    const answers = await everywhere("/empty", { method });
    expectEverywhere(answers, (answer) => answer.headers.allow, "GET, HEAD");
    expectProblem(answers, 405);
  });

  test("keeps its connection and its instance, and counts what it served", async () => {
    for (const { host } of served) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const sockets = new Set();
      agent.on("free", (socket) => sockets.add(socket));
      const answers: Answer[] = [];
      for (let n = 0; n < 3; n++) answers.push(await exchange(host.url, "/empty", { agent }));
      agent.destroy();
      expect(sockets.size).toBe(1);
      const accounts = answers.map(accountOf);
      const before = accounts[0]?.served ?? Number.NaN;
      expect(accounts.map((account) => account?.served)).toEqual([before, before + 1, before + 2]);
      expect(new Set(accounts.map((account) => account?.instanceId)).size).toBe(1);
      expect(accounts.map((account) => account?.inFlight)).toEqual([0, 0, 0]);
    }
  });
});

test.each(bundleTargets)(
  "the deployable of $name holds the artifact byte for byte",
  async ({ deployable }) => {
    const { digest } = await readManifest();
    const files = await readdir(deployable, { recursive: true });
    // A function of the Build Output API lies some folders deep: wherever the digest's file is, the artifact is.
    const copies = files
      .filter((file) => file.endsWith("digest.mjs"))
      .map((file) => dirname(join(deployable, file)));
    expect(await Promise.all(copies.map(digestOfDirectory))).toEqual([digest]);
  },
);
