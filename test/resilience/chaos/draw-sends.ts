import { RULE } from '../sending/sending-stage.ts';
import type { Draw } from './draw.ts';
import type { LoadStep, PlannedContact, SendStep } from './plan.ts';

const SECOND_MS = 1_000;

/** Creates a function that draws a send request, and sometimes its cancellation or a reuse of its id. */
export const drawSend =
  (seed: number) =>
  (draw: Draw, { address: contact }: PlannedContact, atMs: number, index: number): readonly LoadStep[] => {
    const requestId = `chaos-${seed}-send-${index}`;
    const step: SendStep & { readonly atMs: number } = {
      atMs,
      kind: 'send',
      contact,
      requestId,
      expected: 'end',
      via: draw.isLikely(0.03) ? 'api' : 'queue',
      fields: drawFields(draw, requestId),
      sendInMs: draw.isLikely(0.07) ? draw.between(5 * SECOND_MS, 180 * SECOND_MS) : undefined,
      notAfterInMs: draw.isLikely(0.03) ? draw.between(185 * SECOND_MS, 300 * SECOND_MS) : undefined,
      times: draw.isLikely(0.05) ? 2 : 1,
    };
    if (draw.isLikely(0.02)) return [{ ...step, ...malformed(draw, requestId) }];
    const later = atMs + draw.between(SECOND_MS, 20 * SECOND_MS);
    if (draw.isLikely(0.01)) {
      const fields = { messageText: `${requestId}: another text.` };
      const plain = { sendInMs: undefined, notAfterInMs: undefined, times: 1, via: 'queue' } as const;
      return [step, { ...step, ...plain, atMs: later, expected: 'reused', fields }];
    }
    if (step.sendInMs !== undefined && draw.isLikely(0.3)) {
      return [step, { kind: 'cancel', contact, requestId, atMs: later }];
    }
    return [step];
  };

/** The text and the parameter start with the request id, so that the message can be found in the outbox. */
const drawFields = (draw: Draw, requestId: string): Record<string, unknown> => {
  const freeForm = { messageText: `${requestId}: On its way.` };
  const template = { ruleNameOrId: RULE, params: { n: requestId }, reason: 'shipping-status' };
  const onUncertain = draw.isLikely(0.4) ? { onUncertain: 'resend' } : {};
  const content = draw.random();
  if (content < 0.01) return { ...freeForm, fileURL: 'https://media.example/a.mp4' };
  if (content < 0.4) return { ...freeForm, ...onUncertain };
  if (content < 0.75) return { ...template, ...onUncertain };
  return { ...freeForm, ...template, ...onUncertain };
};

const malformed = (draw: Draw, requestId: string): Pick<SendStep, 'expected' | 'via' | 'fields' | 'times'> => ({
  expected: 'malformed',
  via: 'queue',
  times: 1,
  fields: draw.pick([
    { mark: requestId },
    { messageText: requestId, reason: 'advertising' },
    { params: { n: requestId } },
  ]),
});
