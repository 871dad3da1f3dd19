import type { HostCommand, Readiness } from "../index.ts";

/** A program that cases talk to, and how it is started on this machine. Its id is the name of its folder. */
export interface ServiceDefinition {
  readonly title: string;
  /** Name of its program, as the shell finds it. */
  readonly program: string;
  /** The command that installs it on Debian. */
  readonly install: string;
  /** How it is started so that it listens on a loopback port, and on nothing else. */
  command(program: string, port: number): Pick<HostCommand, "file" | "args">;
  readonly readiness: Readiness;
}

/** Declares a service: `packages/host/src/services/<id>/service.ts` has it as its default export. */
export function defineService(definition: ServiceDefinition): ServiceDefinition {
  return definition;
}
