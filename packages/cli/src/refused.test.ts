import { existsSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { expect, test } from "vitest";
import { evenbench, words } from "../test/evenbench.ts";
import { assertKind } from "./commands/new.ts";
import { createProgram } from "./main.ts";
import { hasLinesOfNpm } from "./say.ts";

const elsewhere = words`--target mine=http://127.0.0.1:9`;
const onPath = ["run", "--path", "/"];
const ownServer = [...onPath, ...elsewhere];
const load = words`load --no-build`;
const profile = words`profile react-ssr --no-build -t`;
const planAt = words`vantages plan --target mine=https://worker.example`;
const planLoad = [...planAt, ...words`--case trig --rate 9 --out p`];
const notBuilt: readonly [string[], RegExp][] = existsSync(join(repositoryRoot, "apps/bun"))
  ? [[words`deploy bun --app next --deployments p`, /nothing to deploy: next is not built for bun/]]
  : [];

test.each<[string[], RegExp, number?]>([
  [words`--case react-srr`, /no case "react-srr"\. Did you mean "react-ssr"\?/],
  [words`--case zzzzzzzz`, /There is no case "zzzzzzzz"\. Known: /],
  [words`--target nodee`, /no target "nodee"\. Did you mean "node"\?/],
  [words`--app bundel`, /no app "bundel"\. Did you mean "bundle"\?/],
  [["--target", "mine=not a url"], /"mine=not a url" is not a target\. Write name=URL/],
  [words`--target __proto__=http://127.0.0.1:9`, /"__proto__" cannot name a target/],
  [words`--target mine~copy=http://127.0.0.1:9`, /"mine~copy" cannot name a target/],
  [words`--target mine=http://me:secret@127.0.0.1:9`, /"mine" contains a user or password(?!.*secret)/],
  [words`--time 3s --time 9s`, /--time can be given once, and was given 2 times/],
  [words`--trials 2 --quick --trials=3`, /--trials can be given once/],
  [words`report p --out a -o b`, /--out can be given once/],
  [["load", "--own-app", ".", "--build", "a", "--no-build"], /--build and --no-build can be given once/],
  [words`--caze empty`, /unknown option '--caze'[\s\S]*Did you mean --case\?/],
  [words`--time soon`, /Give a duration with its unit, such as "60s"/],
  [words`--case react`, /no case "react"\. Did you mean "react-/],
  [words`run --help deployd`, /There is no help on "deployd"\. Did you mean "deployed"\?/],
  [words`rnu`, /no command "rnu"\. Did you mean "run"\?/],
  [["run", "--out="], /is empty/],
  [["report", ""], /An argument is empty/],
  [["vantages", "plan", "--out", ""], /is empty/],
  [["deploy", "all", "--deployments", ""], /is empty/],
  [words`run --deployed p --case empty`, /Nothing is .*npm run bench -- deploy all/, 1],

  [
    ["profile", "--target", "a=cmd: node a.js", ...words`--path /a --path /b`],
    /A profile covers one path, and there are 2: \/a, \/b\. Name one: --path \/a\.$/m,
  ],
  [["run", ...elsewhere, "--case", "empty", "--mask", "x"], /--mask applies only to your own servers/],
  [onPath, /No --target names one of your own servers/],
  [[...onPath, "--target", "node"], /"node" is not one of your own servers/],
  [[...onPath, "--target", "a=http://x/y"], /Give it to all targets: --target a=http:\/\/x --path \/y/],
  [[...onPath, "--target", "a=http://x/#y"], /has a part behind #.*write %23/],
  [["run", "--target", "a=cmd: "], /names no command/],
  [[...ownServer, ...elsewhere], /Two targets are named "mine"/],
  [
    [...ownServer, "--target", "b=http://127.0.0.1:9/"],
    /mine and b are one server, http:\/\/127\.0\.0\.1:9,/,
  ],
  [[...ownServer, "--target", "b=http://localhost:9"], /mine and b are one server/],
  [[...ownServer, "--target", "b=http://0.0.0.0:9"], /mine and b are one server/],
  [[...ownServer, "--target", "b=http://[::ffff:127.0.0.1]:9"], /mine and b are one server/],
  [[...elsewhere, ...words`--target b=http://localhost:9 --case empty`], /mine and b are one server/],
  [[...ownServer, "--mask", "("], /--mask "\(" cannot be used: Invalid regular expression/],
  [[...ownServer, "--mask", "\\b"], /it matches the empty text/],
  [[...ownServer, "--mask", "für"], /it has letters beyond ASCII/],
  [[...ownServer, "--method", "fetch"], /"fetch" is not a method/],
  [[...ownServer, "--body", "/dev/zero"], /--body cannot read .*not a regular file/],
  [[...ownServer, "--body", import.meta.filename, "--method", "get"], /A GET request has no body/],
  [[...ownServer, "--deployed"], /--deployed does not apply to your own servers: their URLs/],
  [[...ownServer, "--node", "24"], /--node does not apply to your own servers: a command starts its own/],
  [words`app nowhere --path / --start x --workers 2`, /--workers does not apply to your own servers/],
  [words`app nowhere --path / --node 24 --workers 2`, /There is no folder/, 1],
  [[...ownServer, "--baseline", "b"], /There is no target "b"/],

  [words`serve --target mine=https://mine.example`, /"mine" is a URL, and this command starts .* Name local/],
  [words`against --own-app . --path / --with=-g`, /would be an option of the package manager/],
  [words`against --own-app . --path / --with ../evil`, /leads elsewhere\. Give a version/],
  [words`against --own-app . --path / --with next@file:../next`, /leads elsewhere/],
  [words`against --own-app . --path /`, /Name what the app is compared with: a commit/],
  [words`against . --target mine=https://mine.example`, /takes no --target/],
  [words`dev --filter cloudfare`, /There is no target "cloudfare"\. Did you mean "cloudflare"\?/],
  [words`new case Not_An_Id`, /There can be no case "Not_An_Id": .*lower-case/],
  [words`new cases some-case`, /no kind of thing to add "cases"\. Did you mean "case"\?/],

  [[...profile, "mine=https://worker.example"], /"react-ssr" is a case of the repository, and your own/],
  [[...profile, "node,next-node"], /next-node serves none of these cases: react-ssr\./],
  [["profile", "--path", "/", ...elsewhere], /"mine" is a URL: its runtime/],
  [words`profile`, /Name what to profile/],

  [[...load, ...words`--concurrency 2`], /Name what to load: a case/],
  [[...load, ...words`--case empty --rate 3 --concurrency 3`], /cannot be used with/],
  [[...load, ...words`--case empty --engine k6 --concurrency 2`], /k6 can only send at a rate/],
  [[...load, ...words`--case empty --engine k6 --rate 5`, ...elsewhere], /starts, and mine runs elsewhere/],
  [[...load, ...words`--case empty --instances 2`, ...elsewhere], /--instances starts instances of local/],

  [words`report p --share --json`, /cannot be used with/],

  ...notBuilt,
  // A platform without a place of its own says how it is run instead.
  [words`deploy node --no-build --deployments p`, /server\.mjs with EVENBENCH_TOKEN/, 1],
  [words`deploy cloudflair`, /no platform "cloudflair"\. Did you mean "cloudflare"\?/],
  [words`deploy all --app nuxt`, /no app "nuxt"\. Did you mean "next"\?/],
  [["deploy", "all", "--name", "My bench"], /argument 'My bench' is invalid\. Give lower-case letters/],
  [words`destroy --app nxt --yes`, /no app "nxt"\. Did you mean "next"\?/],

  [[...planLoad, ...words`--machines 65`], /65 machines need a connection each/],
  [[...planLoad, ...words`--stage 1s`], /between 2s and 24h/],
  [[...planLoad, ...words`--rounds 9`], /cannot be used with option/],
  [[...planAt, ...words`--out p --machines 3`], /--machines is for a load\. Add --rate/],
  [[...planAt, ...words`--region EU --out p`], /"EU" cannot name a region/],
  [[...planAt, ...words`--out p --path /`], /Vantages measure Evenbench's cases, .* Measure those from this/],
  [planAt, /required option '-o, --out <folder>'/],
  [words`vantages plan --case trig --out p`, /runs on this machine only.*--deployed/],
  [words`vantages run p --at eu`, /"eu" is not a vantage/],
  [words`vantages run p`, /required option '--at <vantage\.\.\.>'/],
  [words`vantages plam`, /unknown command 'plam'/],
])("%j is refused with a clear line, before anything is built", async (args, message, exitCode = 2) => {
  const { code, stdout, stderr } = await evenbench(...args);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("Building");
  expect([code, stdout]).toEqual([exitCode, ""]);
});

test("an option that no command has ends each of them with exit code 2", async () => {
  const { commands } = await createProgram();
  const paths = commands.flatMap((command) =>
    command.commands.length > 0
      ? command.commands.map((child) => [command.name(), child.name()])
      : [[command.name()]],
  );
  expect(paths.length).toBeGreaterThan(15);
  for (const path of paths) {
    const { code, stdout, stderr } = await evenbench(...path, "--no-such-option");
    expect([path.join(" "), code, stdout]).toEqual([path.join(" "), 2, ""]);
    expect(stderr).toMatch(/^error: (?:unknown|required) option /);
  }
});

test("a kind whose example a fork removed is named with that example", () => {
  const left = ["case", "platform"];
  expect(() => assertKind("platform", left)).not.toThrow();
  expect(() => assertKind("app", left)).toThrow(
    "A new app is a copy of apps/astro, which was removed here. Bring that folder back from Git first",
  );
  expect(() => assertKind("apps", left)).toThrow(/no kind of thing to add "apps"/);
});

test.each([
  [{ npm_lifecycle_event: "bench" }, true],
  [{ npm_lifecycle_event: "bench", npm_config_loglevel: "silent" }, false],
  [{ npm_lifecycle_event: "test" }, false],
  [{}, false],
])("whether npm writes before the JSON, with %j: %s", (environment, expected) => {
  expect(hasLinesOfNpm(environment)).toBe(expected);
});
