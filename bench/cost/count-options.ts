import { deliveredEvent, eventText } from './main-job-phases.ts';
import { type MeteredParley, startMeteredParley } from './metered-parley.ts';
import type { TemplateFacts } from './template-facts.ts';
import type { Usage } from './usage.ts';

/** How many events of each kind warm up the functions. */
const WARM_UP = 50;
const ATTEMPTS = 5;

/** The settings whose cost is counted, each in a stage of its own. */
export const OPTIONS = {
  off: {},
  keywords: { keywords: { languages: ['es'] } },
  'keywords with confirmation': { keywords: { languages: ['es'], confirmation: 'Listo: no te escribiremos más.' } },
  operators: { operators: { echoField: 'OPERATOR_ID', handoverMinutes: 60 } },
  'bulk queue': { sends: { bulkLane: { maxConcurrentCalls: 50 } } },
} as const;
export type Option = keyof typeof OPTIONS;

interface Run extends Pick<MeteredParley, 'client' | 'cloud' | 'meters'> {
  /** The text of an ordinary message. */
  readonly text: string;
}

/** An event that an option may make more expensive. Each event has a user of its own. */
interface OptionEvent {
  /** What the user writes before the event, which is not counted. */
  readonly before: 'nothing' | 'message' | 'keyword';
  /** @param messageId The id of what the user wrote before */
  readonly act: (run: Run, user: string, messageId: string) => Promise<unknown>;
  /** How many invocations it causes, apart from those by the table's stream. */
  readonly invocations: number;
  /** How many requests its producer makes to put it on a queue. */
  readonly producerRequests: number;
}

const KEYWORD = 'BAJA';
const requestOf = (user: string) => ({
  requestId: `answer-${user.slice(1)}`,
  platformContactId: user,
  // Short enough that the stored send stays below 1 KB, one write unit, with the fields of any option.
  messageText: 'It arrives tomorrow by 12.',
});
const pathOf = (user: string) => `/users/${encodeURIComponent(user)}`;

const writes = (textOf: (run: Run) => string, invocations = 1): OptionEvent => ({
  before: 'nothing',
  act: (run, user) => run.client.userWrites(user, { text: textOf(run) }),
  invocations,
  producerRequests: 0,
});
const send = (more: (messageId: string) => Readonly<Record<string, unknown>> = () => ({})): OptionEvent => ({
  before: 'message',
  act: ({ client }, user, messageId) => client.enqueue({ ...requestOf(user), ...more(messageId) }),
  invocations: 1,
  producerRequests: 1,
});

export const OPTION_EVENTS = {
  message: writes(({ text }) => text),
  keyword: writes(() => KEYWORD),
  'keyword delivered again': {
    before: 'keyword',
    act: async ({ client }, _user, messageId) => client.deliverEvent(await deliveredEvent(client, messageId)),
    invocations: 1,
    producerRequests: 0,
  },
  /** The second invocation sends the confirmation. */
  'keyword and confirmation': writes(() => KEYWORD, 2),
  "operator's message": {
    before: 'message',
    act: ({ client }, user) =>
      client.control('POST', `${pathOf(user)}/operator-messages`, {
        text: 'This is Ana.',
        fields: { OPERATOR_ID: 'ana' },
      }),
    invocations: 1,
    producerRequests: 0,
  },
  send: send(),
  'automated send': send(() => ({ automated: true })),
  'send with unless': send((since) => ({ unless: ['userWroteSince'], since })),
  'bulk send': {
    ...send(),
    act: ({ client, cloud }, user) => {
      const { bulkSendQueueUrl } = cloud;
      if (bulkSendQueueUrl === undefined) throw new Error('The stage has no bulk queue.');
      const request = requestOf(user);
      return client.putMessage(bulkSendQueueUrl, JSON.stringify(request), { groupId: user, id: request.requestId });
    },
  },
} as const satisfies Readonly<Record<string, OptionEvent>>;
export type OptionEventName = keyof typeof OPTION_EVENTS;

/** What events used in a stage with one of the settings. */
export interface CountedOption {
  readonly facts: TemplateFacts;
  readonly usages: ReadonlyMap<OptionEventName, Usage>;
}

/**
 * Counts what some kinds of events use in a stage with a setting.
 *
 * @throws Error if the machine is too busy
 */
export const countOption = async (
  option: Option,
  names: Iterable<OptionEventName>,
  events: number,
): Promise<CountedOption> => {
  await using running = await startMeteredParley(OPTIONS[option]);
  const { client, cloud, facts, measure, meters } = running;
  const run: Run = { client, cloud, meters, text: await eventText(client) };
  let users = 0;
  const usages = new Map<OptionEventName, Usage>();
  for (const name of names) {
    const event = OPTION_EVENTS[name];
    const prepare = async (times: number) => {
      const prepared: { user: string; messageId: string }[] = [];
      for (let index = 0; index < times; index += 1) {
        const user = `+54911${50_000_000 + users}`;
        users += 1;
        prepared.push({ user, messageId: await begin(run, user, event.before) });
      }
      return prepared;
    };
    const happen = async (prepared: Awaited<ReturnType<typeof prepare>>) => {
      for (const { user, messageId } of prepared) {
        await meters.causing(event.invocations, () => event.act(run, user, messageId));
      }
    };
    await happen(await prepare(WARM_UP));
    for (let attempt = 1; !usages.has(name); attempt += 1) {
      console.error(`${option}: ${events} × ${name}`);
      const prepared = await prepare(events);
      const usage = await measure(events, () => happen(prepared));
      // On a busy machine, a write can time out, and its event is deferred: it waits in the inbound queue.
      if (usage.standardRequests === 0) usages.set(name, usage);
      else if (attempt === ATTEMPTS) throw new Error('The machine is too busy: in each run, events were deferred.');
    }
  }
  return { facts, usages };
};

/** Prepares a user for an event. Returns the id of what the user wrote, if anything. */
const begin = async ({ client, meters, text }: Run, user: string, before: OptionEvent['before']): Promise<string> => {
  // While the user's device is off, no delivered or read statuses arrive, which would be counted as further events.
  await client.control('PATCH', pathOf(user), { device: 'off' });
  let messageId = '';
  if (before === 'nothing') return messageId;
  await meters.causing(1, async () => {
    messageId = await client.userWrites(user, { text: before === 'keyword' ? KEYWORD : text });
  });
  return messageId;
};
