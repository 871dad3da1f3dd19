export * from "./fake-ssh.ts";
export * from "./logs.ts";
export * from "./plans.ts";
export * from "./play.ts";
