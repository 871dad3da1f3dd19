import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test, vi } from "vitest";
import { evenbench } from "../test/evenbench.ts";
import { addRunOptions, shared, withOutcome, withTargets } from "./options.ts";
import { addOwnAppOptions, measuredFor } from "./own-app-options.ts";
import { type OwnServerOptions, withOwnServers } from "./own-server-options.ts";
import { readOwnServers } from "./own-servers.ts";
import { applySettingsFile, findSettingsFile, SETTINGS_FILE } from "./settings-file.ts";

const place = testFolder();

/** The options of a command after its hooks, for an app with this settings file. */
async function optionsWith(content: string | object, ...words: string[]): Promise<Record<string, unknown>> {
  const app = writeFiles(join(place, "app"), { [SETTINGS_FILE]: content });
  const command = withOutcome(withOwnServers(new Command("load").exitOverride()));
  addOwnAppOptions(command);
  addRunOptions(command, "What to measure:");
  command.action(() => {});
  await command.parseAsync(["--own-app", app, ...words], { from: "user" });
  return command.opts();
}

const SETTINGS = {
  $schema: "https://example.com/evenbench.schema.json",
  targets: { old: "cmd: node old.js", live: "https://shop.example" },
  paths: ["/", "/products?page=2"],
  headers: { "accept-language": "de" },
  masks: ["\\d{2}:\\d{2}"],
};

test("paths, headers and masks of the app's settings file count where the command line has none; its targets are the platforms", async () => {
  expect(await optionsWith(SETTINGS)).toMatchObject({
    path: SETTINGS.paths,
    header: ["accept-language: de"],
    mask: SETTINGS.masks,
  });
  expect(await optionsWith(SETTINGS)).not.toHaveProperty("target");
});

test.each([
  ["against", []],
  ["load", ["--start", "npm start"]],
])("where %s %j builds an app, the file's targets do not count", async (name, words) => {
  writeFiles(join(place, "app"), { [SETTINGS_FILE]: SETTINGS });
  const command = withOwnServers(new Command(name).exitOverride());
  addOwnAppOptions(command);
  await applySettingsFile(command.parse(words, { from: "user" }), join(place, "app", SETTINGS_FILE));
  expect(command.opts()).toMatchObject({ path: SETTINGS.paths });
  expect(command.opts()).not.toHaveProperty("target");
});

const OF_APP = { build: "npm run build", start: "npm start", on: ["node"] };

test("how an app is built and started, and for which platforms, counts where an app is measured and not for servers", async () => {
  expect(await optionsWith(OF_APP)).toMatchObject(OF_APP);
  const given = await optionsWith(OF_APP, "--start", "node a.js", "--build", "make");
  expect(given).toMatchObject({ start: "node a.js", build: "make", on: ["node"] });
  const command = withOwnServers(new Command("load"));
  addOwnAppOptions(command.option("--target <name...>"));
  const file = join(place, "app", SETTINGS_FILE);
  await applySettingsFile(command.parse(["--target", "a=http://127.0.0.1:1"], { from: "user" }), file);
  expect(command.opts()).toEqual({ target: ["a=http://127.0.0.1:1"] });
});

test("a start command of the file does not stand in the way of --on without Node.js", async () => {
  const options = await optionsWith(OF_APP, "--on", "cloudflare");
  expect(options).toMatchObject({ on: ["cloudflare"], build: "npm run build" });
  expect(options).not.toHaveProperty("start");
});

test("a file without targets that says how an app is started is of an app, with targets it is of those", async () => {
  const file = join(place, "app", SETTINGS_FILE);
  const optionsOf = async (content: object) => {
    writeFileSync(file, JSON.stringify(content));
    const command = withOwnServers(withTargets(new Command("load")));
    addOwnAppOptions(command);
    await applySettingsFile(command, file);
    const { deployed: _, ...options } = command.opts();
    return options;
  };
  expect(await optionsOf(OF_APP)).toMatchObject(OF_APP);
  const target = ["old=cmd: node old.js", "live=https://shop.example"];
  const ofServers = await optionsOf({ ...OF_APP, targets: SETTINGS.targets });
  expect(ofServers).toMatchObject({ target });
  expect(ofServers).not.toHaveProperty("start");
});

test("an option of the command line takes the place of the settings file's", async () => {
  const options = await optionsWith(SETTINGS, "--path", "/cart", "--mask", "nonce");
  expect(options).toMatchObject({ path: ["/cart"], mask: ["nonce"], header: ["accept-language: de"] });
});

test.each([
  ["what is no JSON", "{", /evenbench\.json cannot be read: .*JSON/],
  ["a mask that is no pattern", { masks: ["("] }, /masks\.0: Write a regular expression/],
  ["a target that is none", { targets: { a: "node a.js" } }, /targets\.a: Write a URL/],
  ["a variable of a shell", { headers: { a: `Bearer \${TOKEN}` } }, /headers\.a: .*"env"/],
  ["a duration without its unit", { measure: { time: "60" } }, /measure\.time: Give a duration/],
  ["an option that no command has", { measure: { tries: 3 } }, /measure: .*tries/],
  ["a count beyond its bounds", { measure: { trials: 0 } }, /measure\.trials/],
  ["a condition that is none", { failOn: ["slow"] }, /failOn: Give one condition/],
  ["a limit in another unit", { limits: [{ what: "size", most: "3s" }] }, /limits\.0: .*MB/],
  ["platforms in one text", { on: "node" }, /on: .*array/],
  ["a key that it does not know", { path: ["/"] }, /path/],
  ["a key twice", '{ "paths": ["/a"],\n"paths": ["/b"] }', /has a key twice, in line 2/],
])("%s is refused in one line with file and key", async (_, content, message) => {
  await expect(optionsWith(content)).rejects.toThrow(message);
  await expect(optionsWith(content)).rejects.not.toThrow(/\n/);
});

test.each([
  ["--fail-on", { failOn: ["slower 5%"] }],
  ["limits", { limits: [{ what: "size", most: "3MB" }] }],
])("a check by %s is refused where an app is only looked at", async (name, content) => {
  const app = writeFiles(join(place, "app"), { [SETTINGS_FILE]: content });
  const stderr = expect.stringContaining(`${name} is for what is measured`);
  expect(await evenbench("app", app)).toMatchObject({ code: 2, stderr });
});

/** Runs a command that measures servers with a settings file, and gives its options and what it says. */
async function measuredBy(content: object, ...words: string[]) {
  const file = join(writeFiles(place, { [SETTINGS_FILE]: content }), SETTINGS_FILE);
  const command = withOutcome(withOwnServers(withTargets(new Command("run").exitOverride())));
  addRunOptions(command, "What to measure:");
  addRunOptions(command, "How:");
  command.addOption(shared.baseline());
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  await applySettingsFile(command.parse(words, { from: "user" }), file);
  const options: OwnServerOptions = command.opts();
  return { options, said: said.mock.calls.flat().join(" ") };
}

test("each option of a run is a key, in the words of the command line, and a line says what counts", async () => {
  const measure = { time: "90s", trials: 5, cold: 0, serverCores: "apart", precision: "2%", memory: true };
  const { options, said } = await measuredBy(
    {
      measure,
      failOn: ["cpu slower 5%"],
      limits: [{ what: "startup", most: "2s", path: "/a b?token=1" }],
      export: ["junit"],
      load: { rate: "20" },
      start: "node a.js",
    },
    "--target",
    "a=http://127.0.0.1:1",
    "--trials",
    "7",
  );
  expect(options).toMatchObject({ time: 90_000, trials: 7, cold: 0, serverCores: "apart", precision: 0.02 });
  expect(options).toMatchObject({ memory: true, failOn: [{ of: "CPU time", by: 0.05 }] });
  // A limit is of a path as records have it, and what it asks is measured.
  expect(options).toMatchObject({ limits: [{ path: "/a%20b?token=<value>" }] });
  expect(measuredFor(options, {})).toMatchObject({ cold: 0, startUps: 6, memory: false });
  expect(measuredFor(options, { cold: 0, startUps: 0 })).toMatchObject({ cold: 0, startUps: 0 });
  expect(said).toContain("measure.time (90s)");
  const [, vain] = said.split("Not counted");
  for (const key of ["measure.trials", "load.rate", "start"]) {
    expect(vain).toContain(key);
  }
});

test("limits of paths that differ in a secret alone are of one each", async () => {
  const paths = ["/a?token=1", "/a?token=2"];
  const limits = paths.toReversed().map((path) => ({ what: "median", most: "2s", path }));
  const { options } = await measuredBy({ paths, limits });
  expect(options).toMatchObject({
    limits: [{ path: "/a?token=<value 2>" }, { path: "/a?token=<value>" }],
  });
});

test("a path has its own method, body, headers, masks and name, and paths of files are from the settings file on", async () => {
  vi.stubEnv("BENCH_TOKEN", "s3cret");
  writeFileSync(join(place, "order.json"), "{}");
  const order = {
    path: "/orders",
    name: "order",
    method: "PUT",
    body: "order.json",
    headers: { "accept-language": "en", accept: { env: "BENCH_TOKEN" } },
    masks: ["id"],
  };
  const { options } = await measuredBy({
    targets: { a: { command: "node a.js", env: { CACHE: { env: "BENCH_TOKEN" } }, cwd: "services" } },
    headers: { "accept-language": "de", "user-agent": "bench" },
    paths: ["/", "/orders", order],
  });
  const { targets, cases } = await readOwnServers(options);
  expect(cases.map(({ title, path }) => [title, path])).toEqual([
    ["/", "/"],
    ["/orders", "/orders"],
    ["order", "/orders"],
  ]);
  expect(cases[2]?.request).toEqual({
    method: "PUT",
    headers: ["accept: <value>", "accept-language: en", "user-agent: bench"],
    body: expect.objectContaining({ bytes: 2 }),
  });
  expect(JSON.stringify(cases)).not.toContain("s3cret");
  const sent = targets[0]?.ownServer?.request;
  expect(sent?.method).toBe("GET");
  expect(sent?.ofCases?.get("order")).toMatchObject({ path: "/orders", headers: { accept: "s3cret" } });
  expect(targets[0]).toMatchObject({ deployable: join(place, "services") });
  const named = await measuredBy(
    { paths: ["/", order] },
    "--target",
    "a=http://127.0.0.1:1",
    "--path",
    "/orders",
  );
  expect((await readOwnServers(named.options)).cases.map(({ title }) => title)).toEqual(["order"]);
});

test("a value that the environment lacks is refused by its key", async () => {
  const headers = { authorization: { env: "EVENBENCH_TEST_UNSET" } };
  const paths = ["/a", { path: "/b", headers }];
  await expect(measuredBy({ paths })).rejects.toThrow(/"\/b" headers\.authorization .*EVENBENCH_TEST_UNSET/);
  // A path that is not asked needs no value.
  expect((await measuredBy({ paths }, "--path", "/a")).options.requests).toHaveLength(1);
  await expect(measuredBy({ headers })).rejects.toThrow(/headers\.authorization .*EVENBENCH_TEST_UNSET/);
});

test.skipIf(process.platform === "win32")(
  "a link that leads nowhere in the place of the settings file is found, and refused",
  async () => {
    const app = join(place, "dangling");
    mkdirSync(app);
    symlinkSync("nowhere", join(app, SETTINGS_FILE));
    const file = findSettingsFile(app) ?? "";
    const command = withOwnServers(new Command("load"));
    await expect(applySettingsFile(command, file)).rejects.toThrow(/it is a link that leads nowhere/);
  },
);
