import { requestIdIn } from '../world/journal.ts';
import type { Act } from './history.ts';
import { humanTime } from './human-time.ts';

/** Describes an act in one line. `from` and `to` are columns of the timeline. */
export const describeAct = (act: Act): { readonly from: string; readonly to?: string; readonly text: string } => {
  switch (act.kind) {
    case 'user-writes':
      return { from: 'users', to: 'chat service', text: `${act.contact} writes ${JSON.stringify(act.text)}` };
    case 'user-reads':
      return { from: 'users', to: 'chat service', text: `${act.contact} reads what was sent` };
    case 'echo':
      return { from: 'chat service', text: `an operator of the console writes to ${act.contact}` };
    case 'unknown-event':
      return { from: 'chat service', text: `an event that nobody knows: ${act.body}` };
    case 'unauthenticated-event':
      return { from: 'users', to: 'delivery', text: `somebody forges a message from ${act.contact}` };
    case 'request': {
      const how = act.via === 'api' ? 'registers' : act.lane === 'bulk' ? 'queues as bulk' : 'queues';
      const group = act.groupId === addressIn(act.body) ? '' : `, group ${act.groupId}`;
      return { from: 'internal', text: `${how} ${describeRequest(act.body)}${group}` };
    }
    case 'cancel':
      return { from: 'internal', text: `cancels ${act.requestId}` };
    case 'requeue':
      return { from: 'internal', text: `requeues ${act.requestId}` };
    case 'resolve':
      return { from: 'internal', text: `resolves ${act.requestId} as ${act.as}` };
    case 'consent': {
      const ago = act.agoMs === 0 ? '' : `, ${humanTime(act.agoMs)} ago`;
      return { from: 'internal', text: `${act.consent} of ${act.contact} by ${act.origin}${ago}` };
    }
    case 'handover':
      return { from: 'internal', text: `hands ${act.contact} over to ${act.to === 'people' ? 'people' : 'Parley'}` };
    case 'erase':
      return { from: 'internal', text: `erases ${act.contact}` };
    case 'redrive':
      return { from: 'internal', text: `redrives the dead letters of the ${act.queue} queue` };
    case 'stop':
      return { from: 'internal', text: `stops sending: ${act.note}` };
    case 'resume':
      return { from: 'internal', text: 'resumes sending' };
    case 'retry-now':
      return { from: 'internal', text: 'makes the next probe due' };
    case 'credit':
      return {
        from: 'chat service',
        text: act.hasCredit ? 'the account gets credit' : 'the account runs out of credit',
      };
    case 'rotate-token':
      return {
        from: 'chat service',
        text: `a new access token; the secret follows ${humanTime(act.secretFollowsMs)} later`,
      };
    case 'template':
      return { from: 'chat service', text: `template ${act.name} is ${act.isApproved ? 'approved' : 'withdrawn'}` };
    case 'platform':
      return { from: 'users', text: `${act.contact} ${act.isOnPlatform ? 'joins' : 'leaves'} the platform` };
    case 'device':
      return { from: 'users', text: `the device of ${act.contact} is ${act.isOn ? 'on' : 'off'}` };
    case 'crash':
      return { from: 'internal', text: `every running process of the function ${act.lambda} dies` };
    case 'throttle':
      return { from: 'internal', text: `Lambda throttles receive for ${humanTime(act.forMs)}` };
    case 'lock-secret':
      return { from: 'internal', text: `the webhook's secret cannot be read for ${humanTime(act.forMs)}` };
    case 'outage':
      return { from: laneOf[act.part], text: `OUTAGE of ${act.part} for ${humanTime(act.forMs)}: ${act.how}` };
  }
};

const laneOf = {
  'chat-service': 'chat service',
  table: 'table',
  queues: 'queues',
  bus: 'bus',
  scheduler: 'scheduler',
} as const satisfies Record<Extract<Act, { kind: 'outage' }>['part'], string>;

const addressIn = (body: string): string | undefined => /"platformContactId":"([^"]*)"/.exec(body)?.[1];

/** Lists the parts of a request, with the values of those that determine what happens to it. */
const describeRequest = (body: string): string => {
  const requestId = requestIdIn(body);
  const request = parseObject(body);
  if (request === undefined) return `${requestId}, which is no JSON`;
  const { requestId: _, platformContactId, messageText, params, ...others } = request;
  const parts = [
    ...(messageText === undefined ? [] : ['text']),
    ...Object.entries(others).map(([name, value]) => (/URL$/.test(name) ? name : `${name} ${String(value)}`)),
  ];
  return `${requestId} to ${String(platformContactId)} (${parts.join(', ')})`;
};

const parseObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
};
