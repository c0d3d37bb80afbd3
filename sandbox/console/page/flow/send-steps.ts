import { toneOf } from '../parts/badge.tsx';
import type { Call } from '../state/shapes.ts';
import { type Step, type TableItem, textOf } from './step.ts';

/** A request's way as its item tells it: queued, decided, called, recorded. */
export const sendSteps = (send: TableItem, calls: readonly Call[]): readonly Step[] => {
  const state = textOf(send, 'state') ?? 'unknown';
  const call = send.call;
  const endpoint = typeof call === 'object' && call !== null && 'endpoint' in call ? String(call.endpoint) : undefined;
  const queued: Step = {
    part: 'queue',
    title: `Request ${requestIdOf(send)} on the send queue`,
    tone: 'good',
    bodies: [{ name: 'Request', value: parsed(textOf(send, 'body')) }],
  };
  const why = textOf(send, 'why');
  const code = textOf(send, 'code');
  const decided: Step = {
    part: 'decision',
    title: endpoint ? `Decision: ${endpoint}` : `Decision: ${code ?? state}`,
    tone: endpoint ? 'good' : toneOf(state),
    detail: why,
    at: textOf(send, 'claimedAt') ?? textOf(send, `${state}At`),
    bodies: endpoint ? [{ name: 'Call', value: call }] : [],
  };
  const attempts = Number(send.attempts ?? 0);
  const recorded: Step = {
    part: 'table',
    title: `Table: ${state}`,
    tone: toneOf(state),
    detail: attempts > 1 ? `${attempts} attempts so far.` : undefined,
    at: textOf(send, `${state}At`),
    bodies: [{ name: 'Item', value: send }],
  };
  return [queued, decided, ...calls.map(callStep), recorded];
};

/** A call of the chat service and what it answered. */
export const callStep = (call: Call): Step => {
  const { path, status, at, request, answer, messageId } = call;
  const isAccepted = messageId !== null;
  return {
    part: 'service',
    title: `POST ${path.split('/').slice(-2).join('/')}: ${status}`,
    tone: isAccepted ? 'good' : 'bad',
    detail: isAccepted ? `Accepted as ${messageId}.` : refusalIn(answer),
    at,
    bodies: [
      { name: 'Request', value: request },
      { name: 'Answer', value: answer },
    ],
  };
};

const requestIdOf = (send: TableItem): string => (textOf(send, 'pk') ?? '').replace(/^SEND#/, '');

const refusalIn = (answer: unknown): string | undefined => {
  const at = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  const error = at(answer, 'error') ?? at(answer, 'problems');
  const code = at(error, 'code');
  return code === undefined ? undefined : `Code ${code}: ${at(error, 'message')}`;
};

const parsed = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return text;
  }
};
