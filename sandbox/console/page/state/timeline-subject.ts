import type { Timeline } from './console-state.ts';

/** Returns the ID of the timeline's request, if it has one. */
export const requestIdOf = ({ selection: { kind, id }, trace }: Timeline): string | undefined =>
  kind === 'request' ? id : trace?.send?.requestId;

/** Returns the ID of the timeline's message, if it has one. */
export const messageIdOf = ({ selection: { kind, id }, trace }: Timeline): string | undefined =>
  kind === 'message' ? id : trace?.send?.messageId;
