export const ExitCode = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export interface Exit {
  code: number;
}
