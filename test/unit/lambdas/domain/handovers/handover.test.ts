import { describe, expect, it } from 'vitest';
import { type HandoverTimes, handoverOf } from '../../../../../lambdas/domain/handovers/handover.ts';
import { isFromOperator, type OperatorEchoes } from '../../../../../lambdas/domain/handovers/operator-echo.ts';
import type { Echo } from '../../../../../lambdas/domain/webhook-event.ts';
import { NOW, TRACEPARENT } from '../../../../support/builders.ts';

const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`;

describe('who answers a contact', () => {
  const people = (since: string, until?: string) => ({ state: 'people', since, ...(until && { until }) });
  const automated = { state: 'automated' };

  it.each<[string, HandoverTimes, object]>([
    ['without a handover', {}, automated],
    ['after a handover', { handoverAt: at(8) }, people(at(8))],
    ['after a handback', { handoverAt: at(8), handbackAt: at(9) }, automated],
    ['after a handback of the same millisecond', { handoverAt: at(9), handbackAt: at(9) }, automated],
    ['after another handover', { handoverAt: at(10), handbackAt: at(9) }, people(at(10))],
    ["after an operator's message", { operatorWroteAt: at(11), operatorUntil: at(13) }, people(at(11), at(13))],
    ['once that message no longer counts', { operatorWroteAt: at(11), operatorUntil: NOW }, automated],
    ['if operators do not hand over', { operatorWroteAt: at(11) }, automated],
    ['after a handback since', { operatorWroteAt: at(10), operatorUntil: at(13), handbackAt: at(11) }, automated],
    [
      'after a message in a handover',
      { handoverAt: at(8), operatorWroteAt: at(9), operatorUntil: at(10) },
      people(at(8)),
    ],
  ])('%s', (_case, times, expected) => {
    expect(handoverOf(times, NOW)).toEqual(expected);
  });
});

describe("an echo of an operator's message", () => {
  const echo = (fields: object, changes: Partial<Echo> = {}): Echo => ({
    kind: 'echo',
    sender: 'business',
    id: 'echo-1',
    time: { at: NOW, source: 'event' },
    body: JSON.stringify(fields),
    traceparent: TRACEPARENT,
    ...changes,
  });
  const any: OperatorEchoes = { field: 'OPERATOR' };
  const some: OperatorEchoes = { field: 'OPERATOR', values: ['ana', '7'] };

  it.each([
    ['has the field', echo({ OPERATOR: 'ana' }), any, true],
    ['has a number in the field', echo({ OPERATOR: 7 }), some, true],
    ['lacks the field', echo({}), any, false],
    ['has an empty field', echo({ OPERATOR: '' }), any, false],
    ['has null in the field', echo({ OPERATOR: null }), any, false],
    ['has 0, which is no operator', echo({ OPERATOR: 0 }), any, false],
    ['has 0 as text', echo({ OPERATOR: '0' }), any, false],
    ['has 0, which is listed', echo({ OPERATOR: 0 }), { field: 'OPERATOR', values: ['0'] }, true],
    ['has another value', echo({ OPERATOR: 'bot' }), some, false],
    ['is from a status, whose time is another', echo({ OPERATOR: 'ana' }, { isFromStatus: true }), any, false],
    ['has a field of all objects', echo({}), { field: 'constructor' }, false],
    ['has the field in the entry of a list', echo({ v: '1.1', messages: [{ OPERATOR: 'ana' }] }), some, true],
    ['has the field inside a code action', echo({ context: { message: { OPERATOR: 'ana' } } }), some, true],
    ['names a sender that stands for operators', echo({}, { senderName: 'Agent' }), { senders: ['agent'] }, true],
    ['names another sender', echo({}, { senderName: 'bot' }), { senders: ['agent'] }, false],
    ['names no sender', echo({}), { senders: ['agent'] }, false],
  ])('%s', (_case, event, echoes, expected) => {
    expect(isFromOperator(event, echoes)).toBe(expected);
  });
});
