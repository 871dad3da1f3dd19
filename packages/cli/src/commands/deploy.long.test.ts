// The real command with the real tools; the platforms' APIs are recorders on this machine.
import { readdir, readFile, rm } from "node:fs/promises";
import { cloudflareApi } from "@evenbench/app-cloudflare/testing";
import { readDeployments } from "@evenbench/deploy";
import { type RecordedRequest, startRecorder } from "@evenbench/deploy/testing";
import { describe, expect, test } from "vitest";
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

describe("a deploy that is ended while its first upload is on the way", () => {
  const command = words`deploy cloudflare --app bundle --no-build --no-preflight --yes`;
  // A Worker that is there already gets a new version.
  const isUpload = ({ method, path }: RecordedRequest) =>
    /^(PUT .*\/scripts\/evenbench|POST .*\/scripts\/evenbench\/versions)\?/.test(`${method} ${path}`);
  const foldersOfTools = async () =>
    (await readdir(at())).filter((name) => name.startsWith("evenbench-deploy-"));

  test.each([
    { ending: "SIGKILL", code: null, says: /cloudflare: deploying\n$/, left: 1 },
    {
      ending: "SIGINT",
      code: 130,
      says: /evenbench: wrangler deploy was interrupted\. .*Repeat the command/,
      left: 0,
    },
  ] as const)("by $ending converges when it is repeated", async ({ ending, code, says, left }) => {
    await rm(file(), { force: true });
    const before = await foldersOfTools();
    const workers = new Set<string>();
    const answer = cloudflareApi(workers);
    const uploading = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    let uploads = 0;
    await using api = await startRecorder(async (request) => {
      if (isUpload(request) && ++uploads === 1) {
        uploading.resolve();
        await gone.promise;
      }
      // The platform has got the upload, whoever is still there to hear so.
      return answer(request);
    });
    const first = startDeploy(command, accountAt(api.url));
    await uploading.promise;
    process.kill(-(first.child.pid ?? Number.NaN), ending);
    const cut = await first.ended;
    gone.resolve();
    expect([cut.code, cut.stderr]).toEqual([code, expect.stringMatching(says)]);
    // Killed, it cannot remove the folder that a tool worked in; it is its owner's alone.
    expect(await foldersOfTools()).toHaveLength(before.length + left);
    const begun = await readDeployments(file());
    expect(begun.deployments).toMatchObject([{ app: "bundle", platform: "cloudflare", state: "begun" }]);
    expect(begun.token).toMatch(/^[0-9a-f]{64}$/);

    await succeeded(startDeploy(command, accountAt(api.url)).ended);
    const after = await readDeployments(file());
    expect(after).toMatchObject({
      token: begun.token,
      deployments: [{ name: "evenbench", state: "deployed", url: "https://evenbench.somebody.workers.dev" }],
    });
    expect(after.deployments).toHaveLength(1);
    expect([...workers]).toEqual(["evenbench"]);
    const sent = api.requests.filter(isUpload).map(({ body }) => body.toString());
    expect(sent).toHaveLength(2);
    for (const upload of sent) {
      expect(upload).toContain(begun.token);
    }
  });
});
