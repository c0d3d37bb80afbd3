/** What a script can tell from the command's end. */
export const EXIT = {
  done: 0,
  /** Something failed on the way: a service, the network, the machine. */
  failed: 1,
  /** The command line or a file is wrong; nothing was done. */
  usage: 2,
  /** What was asked for does not exist. */
  notFound: 3,
  /** The request was understood and refused. */
  refused: 4,
  /** No way in: no credentials, no permission, no stack, no local run. */
  noAccess: 5,
  /** Done, but for what the summary names. */
  partly: 6,
  /** Stopped by Ctrl-C; what was begun can be gone on with. */
  stopped: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
