import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { retentionDays } from '../../lambdas/domain/retention.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import { createLocalClient, type LocalClient } from '../../local/local-client.ts';
import { startLocal } from '../../local/local-cloud.ts';
import { templateFile } from '../../local/synthesis.ts';
import type { Phase, Subject } from './subject.ts';

const STAGE = 'dev';
const TEMPLATE = 'parcel_update';
/** The size of the chat service's event, without the envelope that delivers it. */
export const EVENT_BYTES = 600;
const WARM_UP = 150;

/** Parley's own stack, with the settings of the stage `dev`. */
export const PARLEY: Subject = {
  name: 'Parley',
  async start(interpose, events) {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'parley-cost-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const outdir = join(folder, 'cdk.out');
    const logFolder = join(folder, 'logs');
    const cloud = await startLocal({ stage: STAGE, interpose, outdir, logFolder });
    stack.defer(cloud.close);
    const client = createLocalClient(cloud);
    stack.defer(client.close);
    await client.putRule(TEMPLATE, { text: 'Your parcel ${n} is on its way.', category: 'shipping-status' });

    const text = await textFor(client, EVENT_BYTES);
    const user = (index: number) => `+54911${50_000_000 + index}`;
    const path = (index: number) => `/users/${encodeURIComponent(user(index))}`;
    const device = (state: 'on' | 'off') => (index: number) => client.control('PATCH', path(index), { device: state });
    const write = (index: number) => client.userWrites(user(index), { text });
    const read = (index: number) => client.userReads(user(index));
    const answer = (index: number) =>
      client.enqueue({
        requestId: `answer-${index}`,
        platformContactId: user(index),
        messageText: 'Your parcel is on its way and arrives tomorrow between 9 and 12.',
      });
    const notify = (index: number) =>
      client.enqueue({
        requestId: `notify-${index}`,
        platformContactId: user(index),
        reason: 'shipping-status',
        ruleNameOrId: TEMPLATE,
        params: { n: String(index) },
      });
    const phasesOf = (first: number, times: number, isCounted: boolean): readonly Phase[] => {
      const phase = (kind: Phase['kind'], invocations: number, act: (index: number) => Promise<unknown>): Phase => ({
        kind: isCounted ? kind : undefined,
        times,
        invocations,
        act: (index) => act(first + index),
      });
      return [
        phase('inbound message', 1, write),
        // A device that is off delays the statuses until the sends have been counted.
        phase(undefined, 0, device('off')),
        phase('send, free-form', 1, answer),
        phase('status', 1, device('on')),
        phase('status', 1, read),
        phase(undefined, 0, device('off')),
        phase('send, template', 1, notify),
      ];
    };
    const retention = [...cloud.functions.values()]
      .map(({ declaration }) => declaration.variables.RETENTION_DAYS)
      .find((days) => days !== undefined);
    const template: unknown = JSON.parse(await readFile(templateFile(`Parley-${STAGE}`, outdir), 'utf8'));
    const resources = stack.move();
    return {
      cloud,
      template,
      retentionDays: retentionDays.parse(JSON.parse(retention ?? '')).messages,
      phases: [...phasesOf(0, WARM_UP, false), ...phasesOf(WARM_UP, events, true)],
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  },
};

/** Returns the text of a message whose event has this many bytes. */
const textFor = async (client: LocalClient, bytes: number): Promise<string> => {
  const contact = '+5491149999999';
  const id = await client.userWrites(contact, { text: 'x' });
  const { event } = await waitFor('the first event is delivered', async () =>
    (await client.deliveries()).find(
      (delivery) => delivery.status === 200 && JSON.stringify(delivery.event).includes(id),
    ),
  );
  const overhead = Buffer.byteLength(JSON.stringify(event)) - 1;
  return 'Where is my parcel? '.repeat(bytes).slice(0, bytes - overhead);
};
