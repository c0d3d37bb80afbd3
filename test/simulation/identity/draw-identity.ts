import { NOW } from '../../support/builders.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../stage/durations.ts';
import { createDraw, type Draw } from '../stage/random-draw.ts';
import type { Delivered, IdentityHistory, IdentityStep } from './identity-history.ts';

/** A person, as the chat service knows them now. */
interface Person {
  readonly name: string;
  customerId: string;
  readonly addresses: string[];
}

/** How the same number is written in events and by other systems. An ID of the platform has one spelling. */
const NUMBERS: readonly (readonly string[])[] = [
  ['5491155550001', '+5491155550001', '541155550001', '+54 9 11 5555-0001'],
  ['5511987650002', '+5511987650002', '551187650002'],
  ['2290197110003', '22997110003', '+229 01 97 11 00 03'],
  ['34600110004', '+34600110004', '+34 600 110 004'],
  ['34600110005', '+34600110005', '0034600110005'],
  ['CO.1000006'],
  ['US.1349007'],
  ['34600110008', '+34600110008'],
  ['2250707110009', '22507110009'],
];

const PERIOD_MS = 6 * DAY_MS;
const START_MS = Date.parse(NOW);

const KINDS = {
  message: 10,
  stop: 3,
  start: 1.5,
  edit: 1,
  status: 2,
  echo: 1,
  consent: 3,
  send: 9,
  erase: 0.7,
  read: 2.5,
  swap: 2.5,
  takeOver: 5,
  newId: 0.3,
} as const;

/** Draws a history of two or three people. The same seed always draws the same one. */
export const drawIdentityHistory = (seed: number): IdentityHistory => {
  const draw = createDraw(seed);
  const free = shuffled(
    draw,
    NUMBERS.map(([number = '']) => number),
  );
  const people: Person[] = Array.from({ length: draw.pick([2, 2, 3]) }, (_, index) => ({
    name: ['Ana', 'Juan', 'Eva'][index] ?? '',
    customerId: `customer-${seed}-${index}.`,
    addresses: free.splice(0, draw.integer(1, 2)),
  }));
  let count = 0;
  const story: Story = {
    seed,
    draw,
    ids: createDraw(-seed),
    people,
    free,
    released: [],
    sent: [],
    number: () => ++count,
  };
  const namesCustomers = draw.pick([1, 0.8, 0.5]);
  const steps: IdentityStep[] = [];
  const moments = Array.from({ length: draw.integer(8, 18) }, () => START_MS + draw.integer(0, PERIOD_MS)).toSorted(
    (one, other) => one - other,
  );
  for (const ms of moments) steps.push(...drawMoment(story, ms, namesCustomers));
  return { seed, steps: steps.toSorted((one, other) => one.atMs - other.atMs) };
};

interface Story {
  readonly seed: number;
  readonly draw: Draw;
  /** Draws which messages have the ID of another. */
  readonly ids: Draw;
  readonly people: readonly Person[];
  /** Addresses that nobody has had. */
  readonly free: string[];
  /** Addresses that somebody gave up. */
  readonly released: string[];
  /** The users' messages. */
  readonly sent: Delivered[];
  /** Returns another number each time. */
  number(): number;
}

const shuffled = <Entry>(draw: Draw, entries: readonly Entry[]): Entry[] =>
  entries
    .map((entry) => ({ entry, place: draw.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ entry }) => entry);

const drawMoment = (story: Story, ms: number, namesCustomers: number): readonly IdentityStep[] => {
  const { seed, draw, people, free, released, sent, number } = story;
  const kind = draw.weighted(KINDS);
  const person = draw.pick(people);
  // Often the newest one, which somebody else may have had before.
  const address = draw.chance(0.4) ? (person.addresses.at(-1) ?? '') : draw.pick(person.addresses);
  switch (kind) {
    case 'message':
    case 'stop':
    case 'start': {
      const text = kind === 'message' ? `text ${number()} of ${person.name}.` : kind.toUpperCase();
      const other = story.ids.chance(0.15) ? messageOfOther(story, person, address) : undefined;
      const id = other?.id ?? `message-${number()}`;
      const event: Delivered = { kind: 'message', id, eventMs: ms, address, name: person.name, text };
      const named =
        draw.chance(namesCustomers) || other !== undefined ? { ...event, customerId: person.customerId } : event;
      sent.push(named);
      return deliveries(draw, named);
    }
    case 'edit': {
      if (sent.length === 0) return [];
      const edited = draw.pick(sent);
      const text = draw.chance(0.4) ? 'STOP' : `text ${number()} of ${edited.name}.`;
      return deliveries(draw, { ...edited, kind, editedMs: ms, text });
    }
    case 'status':
    case 'echo': {
      const both = { address, customerId: person.customerId };
      const named = draw.pick([both, both, { address }, { customerId: person.customerId }]);
      const id = `other-${number()}`;
      return deliveries(draw, { kind, id, eventMs: ms, ...named, name: person.name, text: `answer ${id}.` });
    }
    case 'consent': {
      const saidMs = draw.chance(0.5) ? ms : ms - draw.integer(0, 2 * DAY_MS);
      const consent = draw.pick(['opt-out', 'opt-in'] as const);
      const origin = draw.pick(['user', 'user', 'import'] as const);
      return [{ atMs: ms, kind, address: spelled(draw, address), consent, origin, saidMs }];
    }
    case 'send': {
      const send = { kind, address: spelled(draw, address), content: draw.pick(['text', 'template'] as const) };
      const toCustomer = { kind: 'sendToCustomer', customerId: person.customerId, content: send.content } as const;
      return [
        { atMs: ms, ...send },
        { atMs: ms + 1, ...toCustomer },
      ];
    }
    case 'erase':
    case 'read':
      return [{ atMs: ms, kind, address: spelled(draw, address) }];
    case 'swap': {
      const next = free.shift();
      if (next === undefined) return [];
      if (draw.chance(0.7)) released.push(...person.addresses.splice(person.addresses.indexOf(address), 1));
      person.addresses.push(next);
      return [];
    }
    case 'takeOver': {
      const holder = people.find((other) => other !== person && other.addresses.length > 1);
      const [taken] = released.length > 0 ? released.splice(0, 1) : (holder?.addresses.splice(0, 1) ?? []);
      if (taken !== undefined) person.addresses.push(taken);
      return [];
    }
    case 'newId':
      // Some changes of a number change the ID, too.
      person.customerId = `customer-${seed}-new-${number()}.`;
      return [];
  }
};

/** Returns a message of another user at another address. Some services give out an ID again at another number. */
const messageOfOther = ({ sent, ids }: Story, person: Person, address: string): Delivered | undefined => {
  // A person's messages with one ID would be versions of one message, and so would those of an address.
  const own = new Set(sent.filter((one) => one.name === person.name || one.address === address).map(({ id }) => id));
  const others = sent.filter(
    (message) => message.kind === 'message' && !own.has(message.id) && message.customerId !== undefined,
  );
  return others.length === 0 ? undefined : ids.pick(others);
};

const spelled = (draw: Draw, address: string): string => {
  const spellings = NUMBERS.find(([number]) => number === address) ?? [address];
  return draw.pick(spellings);
};

/** An event is delivered once or more, at once or late. */
const deliveries = (draw: Draw, event: Delivered): readonly IdentityStep[] => {
  const { address } = event;
  const written = address !== undefined && draw.chance(0.3) ? { ...event, address: spelled(draw, address) } : event;
  return Array.from({ length: draw.chance(0.15) ? 2 : 1 }, () => ({
    atMs:
      (event.editedMs ?? event.eventMs) +
      (draw.chance(0.7) ? draw.integer(0, MINUTE_MS) : draw.integer(0, 36 * HOUR_MS)),
    kind: 'event' as const,
    event: written,
  }));
};
