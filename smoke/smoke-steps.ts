import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { checkToken } from '../cli/operations/check-token.ts';
import { scanForTraces } from '../cli/operations/erasure-scan.ts';
import { readAlarms } from '../cli/operations/read-alarms.ts';
import { isParleyEvent, type ParleyEvent } from '../lib/events.ts';
import { BUFFERED_STEPS } from './buffered-steps.ts';
import { eventually, NotYet } from './eventually.ts';
import { MEASURE_STEPS } from './measure-steps.ts';
import { expect, itemOf, partsOf, textOf } from './smoke-checks.ts';
import { SmokeError } from './smoke-options.ts';
import type { SmokeStage, SmokeStep } from './smoke-stage.ts';
import { callSandbox, postEvent } from './webhook-signer.ts';

const send = z.looseObject({
  state: z.string(),
  messageId: z.string().optional(),
  decision: z.string().optional(),
  outcome: z.string().optional(),
});
const outbox = z.object({ messages: z.array(z.object({ id: z.string(), endpoint: z.string() })) });
const erasure = z.looseObject({ erasureId: z.string(), state: z.string(), messages: z.number(), sends: z.number() });
const stageAnswer = z.looseObject({ chatPlatform: z.string(), chatChannelNumber: z.string() });

/** From the first request to the erasure. Each step relies on those before it. */
export const SMOKE_STEPS: readonly SmokeStep[] = [
  {
    title: 'The management API answers signed calls',
    async run({ api }) {
      const { chatPlatform, chatChannelNumber } = stageAnswer.parse(await api('GET', '/v1/stage'));
      return `${chatPlatform}, ${chatChannelNumber}`;
    },
  },
  {
    title: 'The webhook rejects an unsigned request',
    async run({ target, settings }) {
      if (settings.webhook.auth.kind === 'insecure-none') return 'not checked, because webhook.auth is insecure-none';
      if (settings.webhook.ingress === 'buffered')
        return 'not checked by its answer, because webhook.ingress is buffered';
      const { status } = await fetch(target.addresses.webhookUrl, {
        method: 'POST',
        signal: AbortSignal.timeout(10_000),
      });
      expect(status === 401, '401', status);
      return '401';
    },
  },
  {
    title: 'The chat service accepts the access token',
    async run({ api, chatServiceUrl }) {
      await checkToken(api);
      return chatServiceUrl;
    },
  },
  {
    title: 'A signed event is stored and opens the conversation window',
    async run(stage, { id, user, inboundId }) {
      // Opens the window at the sandbox, which delivers an event of its own if it knows the webhook.
      await callSandbox(stage.chatServiceUrl, 'POST', `/users/${encodeURIComponent(user)}/messages`, {
        text: textOf(id),
      });
      const event = { ...partsOf(stage, user), _id_: inboundId, MESSAGE: textOf(id) };
      const { status, signed } = await postEvent(stage, event);
      expect(status === 200, 'the webhook answers 200', status === 0 ? 'no answer' : status);
      await itemOf(stage, `MESSAGE#${inboundId}`, 'MESSAGE', ({ direction }) => direction === 'inbound');
      await eventually('the conversation window is open', stage.patienceMs, async () => {
        const { window } = contact.parse(await stage.api('GET', `/v1/contacts/${encodeURIComponent(user)}`));
        return window.open ? true : new NotYet('it is closed');
      });
      return `200, signed with ${signed}`;
    },
  },
  {
    title: 'A queued request is sent',
    async run(stage, { id, user, requestId }) {
      const { target, api, chatServiceUrl } = stage;
      const request = { requestId, platformContactId: user, messageText: textOf(id) };
      await target.sqs.send(
        new SendMessageCommand({
          QueueUrl: target.addresses.sendQueueUrl,
          MessageBody: JSON.stringify(request),
          MessageGroupId: user,
          MessageDeduplicationId: requestId,
        }),
      );
      const accepted = await eventually(`the send ${requestId} is accepted`, stage.patienceMs, async () => {
        const found = await findSend(api, requestId);
        if (found === undefined) return new NotYet('the request is not in the table yet');
        const { state, decision = '', outcome = '' } = found;
        if (state === 'accepted') return found;
        const seen = `it is ${state}. ${decision} ${outcome}`.trim().replace(/\.$/, '');
        if (['refused', 'rejected', 'failed', 'expired', 'uncertain'].includes(state))
          throw new SmokeError(`The send ${seen}.`);
        return new NotYet(seen);
      });
      const { messages } = outbox.parse(await callSandbox(chatServiceUrl, 'GET', '/outbox'));
      const sent = messages.find((message) => message.id === accepted.messageId);
      expect(sent !== undefined, `the sandbox has the message ${accepted.messageId}`, 'no such message');
      await itemOf(stage, `SEND#${requestId}`, 'SEND', ({ state }) => state === 'accepted');
      return `accepted by ${sent?.endpoint}`;
    },
  },
  {
    title: 'A status is recorded',
    async run(stage, { user, requestId }) {
      const messageId = (await findSend(stage.api, requestId))?.messageId ?? '';
      const { status } = await postEvent(stage, { ...partsOf(stage, user), _id_: messageId, STATUS: 'delivered' });
      expect(status === 200, 'the webhook answers 200', status);
      const isDelivered = ({ deliveredAt }: Readonly<Record<string, unknown>>) => deliveredAt !== undefined;
      const { deliveredAt } = await itemOf(stage, `MESSAGE#${messageId}`, 'MESSAGE', isDelivered);
      return `delivered at ${deliveredAt}`;
    },
  },
  {
    title: 'Everything is published as events',
    async run({ api, events, patienceMs }, { inboundId, requestId }) {
      // A status that arrives before its send is recorded carries no request ID.
      const messageId = (await findSend(api, requestId))?.messageId;
      const expected: readonly ((event: ParleyEvent) => boolean)[] = [
        (event) => isParleyEvent(event, 'MessageReceived') && event.detail.messageId === inboundId,
        (event) => isParleyEvent(event, 'SendAccepted') && event.detail.requestId === requestId,
        (event) => isParleyEvent(event, 'MessageDelivered') && event.detail.messageId === messageId,
      ];
      const names = 'MessageReceived, SendAccepted, and MessageDelivered of this test on the queue of an event target';
      return eventually(names, patienceMs, async () => {
        const received = await events.receive();
        const all = received.map((event) => event['detail-type']).join(', ');
        if (expected.every((matches) => received.some(matches))) return all;
        return new NotYet(all === '' ? 'no event' : `only ${all}`);
      });
    },
  },
  {
    title: 'The alarms exist and are off',
    async run({ target, alarmPatienceMs, untilNextEvaluation }) {
      const deadline = performance.now() + alarmPatienceMs;
      for (;;) {
        const alarms = await readAlarms(target);
        const on = alarms.find(({ isOn }) => isOn === true);
        if (on) throw new SmokeError(`The alarm ${on.alarm} has been on since ${on.since}: ${on.description}`);
        const unknown = alarms.filter(({ isOn }) => isOn === undefined).map(({ alarm }) => alarm);
        const off = alarms.length - unknown.length;
        if (unknown.length === 0 && off > 0) return `${off} alarms`;
        if (performance.now() > deadline) {
          expect(off > 0, 'alarms that are off', `${unknown.length} alarms without data`);
          // One that looks at a whole day has none yet.
          return `${off} alarms; no data yet for ${unknown.join(', ')}`;
        }
        await untilNextEvaluation();
      }
    },
  },
  ...MEASURE_STEPS,
  ...BUFFERED_STEPS,
  {
    title: 'An erasure leaves nothing of the user',
    async run(stage, { id, user }) {
      const { api, target, patienceMs } = stage;
      const { erasureId } = erasure.parse(await api('DELETE', `/v1/contacts/${encodeURIComponent(user)}`));
      const done = await eventually('the erasure is done', patienceMs, async () => {
        const found = erasure.parse(await api('GET', `/v1/erasures/${erasureId}`));
        return found.state === 'done' ? found : new NotYet(`it is ${found.state}`);
      });
      const stores = await target.stores();
      const queueUrls = stores.queueUrls.filter((url) => !url.endsWith(stage.events.name));
      const { traces, searched } = await scanForTraces({ ...stores, queueUrls }, { ids: [user], texts: [textOf(id)] });
      const [trace] = traces;
      expect(trace === undefined, 'no trace', trace && `${trace.store}: ${trace.place} (${trace.fields.join(', ')})`);
      return `${done.messages} messages and ${done.sends} sends erased, ${searched.length} stores searched`;
    },
  },
];

const contact = z.looseObject({ window: z.looseObject({ open: z.boolean() }) });

const findSend = async (api: SmokeStage['api'], requestId: string) => {
  const found = await api('GET', `/v1/sends/${requestId}`).catch((error: unknown) => {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined;
    throw error;
  });
  return found === undefined ? undefined : send.parse(found);
};
