export const ExitCode = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Where a command leaves its exit code. */
export interface Exit {
  code: number;
}
