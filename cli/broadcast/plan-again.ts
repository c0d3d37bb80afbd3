import type { CommandContext } from '../command.ts';
import type { Target } from '../target.ts';
import type { CsvFile } from './csv-rows.ts';
import { type BroadcastPlan, type PlannedMessage, planBroadcast } from './plan.ts';
import { isFromEarlierVersion, readState, stateFileOf } from './state-file.ts';
import { DOLLAR } from './template.ts';

/** Returns the bulk queue, or the send queue in a stage without one. */
export const broadcastQueueUrl = ({ addresses }: Pick<Target, 'addresses'>): string =>
  addresses.bulkSendQueueUrl ?? addresses.sendQueueUrl;

/**
 * Plans the broadcast. If an earlier version of parley started the same one, plans it as that version did, because a
 * request ID must not be reused for another request.
 */
export const planAgain = async (
  context: CommandContext,
  csv: CsvFile,
  message: PlannedMessage,
  isNew: boolean,
): Promise<BroadcastPlan> => {
  const planEarlier = async () => {
    const { id, addresses } = await context.target();
    const saved = isNew ? undefined : await readState(stateFileOf(csv.file, id));
    if (!saved || !isFromEarlierVersion(saved) || saved.destination !== broadcastQueueUrl({ addresses }))
      return undefined;
    const earlier = await planBroadcast(csv, { ...message, placeholders: DOLLAR });
    return earlier.contentId === saved.contentId ? earlier : undefined;
  };
  try {
    const plan = await planBroadcast(csv, message);
    return (await planEarlier()) ?? plan;
  } catch (error) {
    // Its placeholders are invalid now.
    const earlier = await planEarlier().catch(() => undefined);
    if (earlier) return earlier;
    throw error;
  }
};
