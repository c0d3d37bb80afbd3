import type { Item } from '../../../lambdas/adapters/dynamodb/table.ts';
import type { SendTransitionName } from '../../../lambdas/domain/send-transitions.ts';
import { serialize } from '../world/serialize.ts';

const BY_SEND: Readonly<Record<string, SendTransitionName>> = {
  scheduled: 'schedule',
  waiting: 'wait',
  refused: 'refuse',
  expired: 'expire',
  accepted: 'accept',
  rejected: 'reject',
  uncertain: 'loseTrack',
};
const BY_ERASURE: Readonly<Record<string, SendTransitionName>> = {
  cancelled: 'cancelErased',
  uncertain: 'loseTrackErased',
};
const BY_OPERATOR: Readonly<Record<string, SendTransitionName>> = {
  queued: 'register',
  cancelled: 'cancel',
  accepted: 'resolveAccepted',
  rejected: 'resolveFailed',
  waiting: 'resend',
};

/** Returns the transition that a write of a send makes, or undefined if it makes none. */
export const sendTransition = (
  process: string,
  before: Item | undefined,
  after: Item | undefined,
): SendTransitionName | undefined => {
  if (after?.sk !== 'SEND') return undefined;
  const [from, to] = [String(before?.state ?? 'none'), String(after.state)];
  if (process.startsWith('erase')) return from === to ? undefined : BY_ERASURE[to];
  if (/^(post|drain)/.test(process)) {
    if (from === 'accepted') return after.messageId === before?.messageId ? 'confirm' : 'identify';
    if (to !== 'accepted') return undefined;
    return ['refused', 'rejected', 'expired'].includes(from) ? 'confirmEarlier' : 'confirm';
  }
  if (process.startsWith('send')) {
    if (to !== 'claimed') return from === to && to !== 'waiting' ? undefined : BY_SEND[to];
    if (from === 'uncertain') return 'claimAgain';
    if (from !== 'claimed') return 'claim';
    return serialize(before?.call) === serialize(after.call) ? undefined : 'replaceCall';
  }
  return from === to ? undefined : BY_OPERATOR[to];
};
