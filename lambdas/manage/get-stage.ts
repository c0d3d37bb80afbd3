import type * as z from '../domain/schema.ts';
import type { SendDesk } from '../ports.ts';
import { type Answer, ok } from './answer.ts';
import type { stageResponse } from './responses.ts';

type Stage = z.output<typeof stageResponse>;

export interface GetStagePorts {
  readonly sends: SendDesk;
  readonly settings: Omit<Stage, 'account'>;
}

/** The stage as far as an operator needs it to judge its health: its settings, none a secret, and its account. */
export const createGetStage =
  ({ sends, settings }: GetStagePorts) =>
  async (): Promise<Answer> => {
    const account = await sends.readAccount();
    return ok({
      ...settings,
      account:
        account.kind === 'open'
          ? { state: 'open' }
          : { state: 'held', why: account.why, heldAt: account.heldAt, nextProbeAt: account.nextProbeAt },
    } satisfies Stage);
  };
