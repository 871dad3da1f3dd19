export * from "./counting-server.ts";
export * from "./fake-ssh.ts";
export * from "./plan-of.ts";
export * from "./play.ts";
export * from "./rate-plan.ts";
export * from "./test-run.ts";
