export * from "./counting-server.ts";
export * from "./fake-ssh.ts";
export * from "./plans.ts";
export * from "./play.ts";
