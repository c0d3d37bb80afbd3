import { Agent, request } from 'node:http';
import { contactAddress, pushedEvent } from './pushed-event.ts';

/** A load on a webhook: so many clients, each of which posts its next event when the previous one is answered. */
export interface Load {
  readonly webhookUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clients: number;
  readonly durationMs: number;
  /** Events' ids are this and a number from 0. */
  readonly idPrefix: string;
  /** The number of users who write in turn. */
  readonly contacts: number;
}

/** The answers to a load. */
export interface Answers {
  /** The time until each answer, in milliseconds. */
  readonly latenciesMs: readonly number[];
  /** From the first post to the last answer. */
  readonly elapsedMs: number;
  /** How many posts were answered with another status than 200, or not at all. */
  readonly errors: number;
}

/** Posts authentic events until the duration has passed, then waits for the last answers. */
export const postEvents = async (load: Load): Promise<Answers> => {
  const { clients, durationMs, idPrefix, contacts } = load;
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const latenciesMs: number[] = [];
  let errors = 0;
  let posted = 0;
  const startMs = performance.now();
  const runClient = async (): Promise<void> => {
    while (performance.now() - startMs < durationMs) {
      const index = posted;
      posted += 1;
      const body = pushedEvent(`${idPrefix}${index}`, contactAddress(index % contacts), new Date().toISOString());
      const postMs = performance.now();
      const status = await post(load, agent, body);
      latenciesMs.push(performance.now() - postMs);
      if (status !== 200) errors += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  const elapsedMs = performance.now() - startMs;
  agent.destroy();
  return { latenciesMs, elapsedMs, errors };
};

const post = ({ webhookUrl, headers }: Load, agent: Agent, body: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const options = { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } };
    const outgoing = request(webhookUrl, options, (response) => {
      response
        .on('end', () => resolve(response.statusCode))
        .on('error', () => resolve(undefined))
        .resume();
    });
    outgoing.on('error', () => resolve(undefined)).end(body);
  });
