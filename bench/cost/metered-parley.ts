import { type Meters, startMeters } from './meters.ts';
import { type RunningParley, startParley } from './parley-subject.ts';
import { readFacts, type TemplateFacts } from './template-facts.ts';
import { createUsageMeter } from './usage.ts';

/** A running stack of Parley whose use of AWS is metered. */
export interface MeteredParley extends Pick<RunningParley, 'client' | 'cloud'>, AsyncDisposable {
  readonly facts: TemplateFacts;
  readonly meters: Meters;
  readonly measure: ReturnType<typeof createUsageMeter>;
}

/** Starts Parley's own stack with some settings, and meters it. */
export const startMeteredParley = async (settings: Readonly<Record<string, unknown>>): Promise<MeteredParley> => {
  await using stack = new AsyncDisposableStack();
  const meters = stack.use(await startMeters());
  const running = stack.use(await startParley(meters.interpose, settings));
  const { client, cloud } = running;
  const facts = readFacts(running.template);
  const resources = stack.move();
  return {
    client,
    cloud,
    facts,
    meters,
    measure: createUsageMeter(running, facts, meters),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
