import type { CommandContext } from './command.ts';

/** Returns the current time. The clock of a local run can be ahead of this machine's, so its time comes from the sandbox. */
export const stageTime = async ({ target }: Pick<CommandContext, 'target'>): Promise<string> => {
  const clock = await stageClock({ target });
  return clock();
};

/** Returns the clock of the target, or this machine's if there is no target. */
export const stageClock = async ({ target }: Pick<CommandContext, 'target'>): Promise<() => string> => {
  const found = await target().catch(() => undefined);
  const chatServiceUrl = found?.isLocal ? found.addresses.chatServiceUrl : undefined;
  const aheadMs = chatServiceUrl === undefined ? 0 : await readOffset(chatServiceUrl);
  return () => new Date(Date.now() + aheadMs).toISOString();
};

const readOffset = async (chatServiceUrl: string): Promise<number> => {
  try {
    const response = await fetch(new URL('/sandbox/state', chatServiceUrl), { signal: AbortSignal.timeout(5_000) });
    const state: unknown = await response.json();
    const now = typeof state === 'object' && state !== null ? Reflect.get(state, 'now') : undefined;
    const offset = Date.parse(String(now)) - Date.now();
    return Number.isNaN(offset) ? 0 : offset;
  } catch {
    return 0;
  }
};
