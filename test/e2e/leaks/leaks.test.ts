import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../../lambdas/domain/events/event-names.ts';
import { SEND_STATES } from '../../../lambdas/domain/send-transitions.ts';
import { ROUTES } from '../../../lambdas/manage/api/routes.ts';
import { CANARIES, type CanaryName, canariesIn } from '../../support/canaries.ts';
import { linesDrivenBy } from '../../support/log-lines.ts';
import { type LeakingStage, type Output, startLeakingStage } from './leaking-stage.ts';
import { PATHS } from './paths.ts';

// Every path through a stage, with personal data and secrets that must not come out where they are not content.

let stage: LeakingStage;
const driven: string[] = [];

beforeAll(async () => {
  stage = await startLeakingStage();
});
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** An event's fields that name the contact, by design. */
const withoutContact = (detail: unknown): unknown => {
  const { contact: _, platformContactId: __, ...rest } = Object(detail);
  return rest;
};

const events = () => stage.cloud.emulators.buses.events(stage.cloud.eventBusName);

interface Hit {
  readonly place: string;
  readonly canaries: readonly CanaryName[];
  readonly text: string;
}

const hitsIn = (outputs: readonly Output[]): readonly Hit[] =>
  outputs.flatMap(({ place, text }) => {
    const canaries = canariesIn(text);
    return canaries.length === 0 ? [] : [{ place, canaries, text }];
  });

/** Shows each place of a hit once, with the canaries that were found there. */
const summarize = (hits: readonly Hit[]): readonly string[] =>
  [...Map.groupBy(hits, ({ place }) => place)].map(([place, found]) => {
    const names = [...new Set(found.flatMap(({ canaries }) => canaries))].toSorted();
    return `${place}: ${found.length} with ${names.join(', ')}`;
  });

const messageOf = (line: string): string | undefined => {
  try {
    return Object(JSON.parse(line)).message;
  } catch {
    return undefined;
  }
};

const describeLine = (line: string): string => {
  try {
    const { message, _aws } = Object(JSON.parse(line));
    return _aws === undefined ? `log line "${message}"` : 'metrics';
  } catch {
    return line.startsWith('Invoke Error') ? 'log line of the runtime' : 'other log line';
  }
};

describe('a stage whose chat service repeats everything in its errors', () => {
  for (const path of PATHS) {
    it(`${path.name}`, { timeout: 180_000 }, async () => {
      await path.drive(stage);
      driven.push(path.name);
    });
  }

  it('was tested on every path', async () => {
    if (process.env.PARLEY_SHOW_FIGURES) console.log(driven.join('\n'));
    expect(driven).toEqual(PATHS.map(({ name }) => name));
    expect(Object.keys(ROUTES).filter((name) => ![...stage.called].some((called) => called === name))).toEqual([]);
    const published = new Set<string>(events().map((event) => event['detail-type']));
    expect(EVENT_NAMES.filter((name) => !published.has(name))).toEqual([]);
    const items = Object.entries(await stage.client.table());
    const times = new Set(items.filter(([key]) => key.startsWith('SEND#')).flatMap(([, item]) => Object.keys(item)));
    expect(SEND_STATES.filter((state) => !times.has(`${state}At`))).toEqual([]);
    const logged = new Set((await stage.logLines()).map(messageOf));
    expect(linesDrivenBy('stage').filter((line) => !logged.has(line))).toEqual([]);
  });

  it('stores the canaries, so they could leak', async () => {
    expect(canariesIn(JSON.stringify(await stage.client.table()))).toEqual(
      expect.arrayContaining(Object.keys(CANARIES).filter((name) => !/Token|Secret/.test(name))),
    );
  });

  it('has no canary in logs, metrics, attributes, events without content, or answers', async () => {
    const lines = (await stage.logLines()).map((line) => ({ place: describeLine(line), text: line }));
    const published = events().map((event) => ({
      place: `event ${event['detail-type']}`,
      text: JSON.stringify(withoutContact(event.detail)),
    }));
    const hits = hitsIn([...lines, ...published, ...stage.outputs]);
    if (process.env.PARLEY_SHOW_FIGURES) {
      console.log(`searched ${lines.length} lines, ${published.length} events, ${stage.outputs.length} outputs`);
      console.log(`${hits.length} hits\n${summarize(hits).join('\n')}`);
    }
    expect(summarize(hits)).toEqual([]);
  });

  it('stores no access token and no webhook secret', async () => {
    const found = canariesIn(JSON.stringify(await stage.client.table()));
    expect(found.filter((name) => /Token|Secret/.test(name))).toEqual([]);
  });
});
