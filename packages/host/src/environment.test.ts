import { resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { bareEnvironment, serverEnvironment, toolEnvironment, variablesNamed } from "./environment.ts";

/** Variables as a developer's shell and a CI system have them, by whether tools get them. */
const IN_A_SHELL = {
  tools: {
    npm_config_registry: "https://registry.example.org",
    "npm_config_@scope:registry": "https://registry.example.org",
    npm_config_cache: "/cache",
    https_proxy: "http://proxy:3128",
    LC_ALL: "de_DE.UTF-8",
    JAVA_HOME: "/java",
  },
  nobody: {
    EVENBENCH_TOKEN: "a",
    EVENBENCH_ACCESS: "open",
    CLOUDFLARE_API_TOKEN: "b",
    VERCEL_TOKEN: "c",
    AWS_SECRET_ACCESS_KEY: "d",
    GITHUB_TOKEN: "e",
    ACTIONS_RUNTIME_TOKEN: "f",
    NPM_TOKEN: "g",
    NODE_AUTH_TOKEN: "j",
    YARN_NPM_AUTH_TOKEN: "k",
    TURBO_TOKEN: "l",
    KUBECONFIG: "/kube",
    GOOGLE_APPLICATION_CREDENTIALS: "/google.json",
    DOCKER_AUTH_CONFIG: "{}",
    npm_config_otp: "123456",
    "npm_config_//registry.example.org/:_password": "m",
    LD_PRELOAD: "/library.so",
    NODE_PATH: "/modules",
    npm_config__auth: "h",
    "npm_config_//registry.example.org/:_authToken": "i",
    npm_config_loglevel: "silent",
    npm_config_local_prefix: "/clone",
    npm_lifecycle_event: "bench",
    DATABASE_URL: "postgres://user:password@host/name",
    NODE_OPTIONS: "--max-old-space-size=100",
    INIT_CWD: "/clone",
  },
};

test.each([
  ["a program that is to get nothing", bareEnvironment, []],
  ["a server that is measured", serverEnvironment, []],
  ["a tool, or a command of the user's", toolEnvironment, Object.keys(IN_A_SHELL.tools)],
])("%s gets what is listed, and what the user named", (_, environmentOf, expected) => {
  for (const [name, value] of Object.entries({ ...IN_A_SHELL.tools, ...IN_A_SHELL.nobody })) {
    vi.stubEnv(name, value);
  }
  vi.stubEnv("TMPDIR", "some/place");
  const environment = environmentOf({ NAMED: "1", GITHUB_TOKEN: "named" });
  const stubbed = [...Object.keys(IN_A_SHELL.tools), ...Object.keys(IN_A_SHELL.nobody)];
  expect(stubbed.filter((name) => name in environment)).toEqual([...expected, "GITHUB_TOKEN"]);
  expect(environment).toMatchObject({
    NAMED: "1",
    GITHUB_TOKEN: "named",
    PATH: process.env.PATH,
    TMPDIR: resolve("some/place"),
  });
});

test("a tool that signs in gets the variables of its platform alone", () => {
  vi.stubEnv("VERCEL_TOKEN", "c");
  vi.stubEnv("VERCEL_OTHER", "d");
  expect(variablesNamed(/^VERCEL_TOKEN$/)).toEqual({ VERCEL_TOKEN: "c" });
});
