export * from "./cores.ts";
export * from "./discover.ts";
export * from "./environment.ts";
export * from "./loopback.ts";
export * from "./port.ts";
export type { HostCommand, ServingMessage } from "./protocol.ts";
export * from "./start-host.ts";
export * from "./usage.ts";
