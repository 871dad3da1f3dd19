// The real command with the real tools; the platforms' APIs are recorders on this machine.
import { readdir, readFile, rm } from "node:fs/promises";
import { cloudflareApi } from "@evenbench/app-cloudflare/testing";
import { readDeployments } from "@evenbench/deploy";
import { type RecordedRequest, startRecorder } from "@evenbench/deploy/testing";
import { expect, test } from "vitest";
import { start, succeeded, testFolder, words } from "../../test/evenbench.ts";

const at = testFolder();

type Variables = Readonly<Record<string, string>>;

const file = () => at("deployments.json");

/** A home that is not the user's, and nobody's credentials. */
function startDeploy(args: readonly string[], variables: Variables = {}) {
  const folders = { HOME: at(), XDG_CONFIG_HOME: at(), XDG_DATA_HOME: at(), TMPDIR: at() };
  const env = { ...folders, PATH: process.env.PATH ?? "", ...variables };
  return start([...args, "--deployments", file()], { env, group: true });
}

const accountAt = (url: string) => ({
  CLOUDFLARE_API_BASE_URL: url,
  CLOUDFLARE_API_TOKEN: "token",
  CLOUDFLARE_ACCOUNT_ID: "account",
});

test("without any credentials, deploy names every variable and where to make it, and writes nothing", async () => {
  const { code, stderr } = await startDeploy(words`deploy all --app bundle --no-build --yes`).ended;
  expect(stderr).toMatch(/CLOUDFLARE_API_TOKEN \(make one at https:\/\/dash\.cloudflare\.com/);
  expect(stderr).toMatch(/VERCEL_TOKEN \(make one at https:\/\/vercel\.com/);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(code).toBe(1);
  await expect(readFile(file())).rejects.toThrow("ENOENT");
});

test("without a terminal, deploy lists what it would create, and asks for --yes", async () => {
  await using api = await startRecorder(() => [200, { success: true, errors: [], messages: [], result: [] }]);
  const command = words`deploy cloudflare --app bundle --no-build`;
  const { code, stdout, stderr } = await startDeploy(command, accountAt(api.url)).ended;
  expect(stdout).toContain('cloudflare: a Worker "evenbench"');
  expect(stderr).toContain("Pass --yes");
  expect(code).toBe(2);
  expect(api.requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("--name begins the names of all that is created, and of what is deployed later; another one is refused before anything is built", async () => {
  const workers = new Set<string>();
  await using api = await startRecorder(cloudflareApi(workers));
  const named = words`deploy cloudflare --app bundle --name mine --cpu provider --no-build --no-preflight --yes`;
  await succeeded(startDeploy(named, accountAt(api.url)).ended);
  expect([...workers].sort()).toEqual(["mine", "mine-tail"]);
  const { deployments } = await readDeployments(file());
  expect(deployments).toMatchObject([{ name: "mine", url: "https://mine.somebody.workers.dev" }]);

  const next = await startDeploy(words`deploy cloudflare --app next --no-build`, accountAt(api.url)).ended;
  expect(next.stdout).toContain('next-cloudflare: a Worker "mine-next"');

  const otherwise = await startDeploy(words`deploy cloudflare --app next --name other --yes`).ended;
  expect(otherwise.stderr).toMatch(
    /^evenbench: The names of what is deployed begin with "mine", and not with "other"\. .*destroy.*--deployments/m,
  );
  expect([otherwise.code, otherwise.stdout]).toEqual([1, ""]);
  expect((await readDeployments(file())).deployments).toEqual(deployments);
  await rm(file());
});

test("destroy of a file that is not there says so", async () => {
  const { code, stdout } = await startDeploy(["destroy", "--yes"]).ended;
  expect(stdout).toMatch(/^Nothing was removed: there is no .*deployments\.json, so nothing is known to be/m);
  expect(code).toBe(1);
});

/** An upload that is on its way until `gone` is resolved. */
const heldUpload = () => ({ begun: Promise.withResolvers<void>(), gone: Promise.withResolvers<void>() });

test("a deploy that is ended while its upload is on the way converges when it is repeated: by SIGINT, and by SIGKILL", async () => {
  const command = words`deploy cloudflare --app bundle --no-build --no-preflight --yes`;
  // A Worker that is there already gets a new version.
  const isUpload = ({ method, path }: RecordedRequest) =>
    /^(PUT .*\/scripts\/evenbench|POST .*\/scripts\/evenbench\/versions)\?/.test(`${method} ${path}`);
  const foldersOfTools = async () =>
    (await readdir(at())).filter((name) => name.startsWith("evenbench-deploy-"));

  const workers = new Set<string>();
  const answer = cloudflareApi(workers);
  let held: ReturnType<typeof heldUpload> | null = null;
  await using api = await startRecorder(async (request) => {
    if (isUpload(request)) {
      held?.begun.resolve();
      await held?.gone.promise;
    }
    // The platform has got the upload, whoever is still there to hear so.
    return answer(request);
  });
  const tokens = new Set<string | null>();
  const interrupted = /evenbench: wrangler deploy was interrupted\. .*Repeat the command/;
  for (const { ending, code, says, left } of [
    { ending: "SIGINT", code: 130, says: interrupted, left: 0 },
    // Killed, it cannot remove the folder that a tool worked in; it is its owner's alone.
    { ending: "SIGKILL", code: null, says: /cloudflare: deploying\n$/, left: 1 },
  ] as const) {
    const before = await foldersOfTools();
    const upload = heldUpload();
    held = upload;
    const cut = startDeploy(command, accountAt(api.url));
    await upload.begun.promise;
    process.kill(-(cut.child.pid ?? Number.NaN), ending);
    const ended = await cut.ended;
    upload.gone.resolve();
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(says)]);
    expect(await foldersOfTools()).toHaveLength(before.length + left);
    const begun = await readDeployments(file());
    expect(begun.deployments).toMatchObject([{ app: "bundle", platform: "cloudflare", state: "begun" }]);
    expect(begun.token).toMatch(/^[0-9a-f]{64}$/);
    tokens.add(begun.token);
  }

  held = null;
  await succeeded(startDeploy(command, accountAt(api.url)).ended);
  const { token, deployments } = await readDeployments(file());
  expect([...tokens]).toEqual([token]);
  expect(deployments).toMatchObject([
    { name: "evenbench", state: "deployed", url: "https://evenbench.somebody.workers.dev" },
  ]);
  expect([...workers]).toEqual(["evenbench"]);
  const sent = api.requests.filter(isUpload).map(({ body }) => body.toString());
  expect(sent).toHaveLength(3);
  for (const upload of sent) {
    expect(upload).toContain(token);
  }
});
