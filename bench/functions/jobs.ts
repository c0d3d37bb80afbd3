/** The functions that both stacks have. */
export const JOBS = ['receive', 'send', 'publish', 'manage'] as const;
export type Job = (typeof JOBS)[number];
