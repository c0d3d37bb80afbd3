import type { ParleyFunction } from '../parley-function.ts';
import type { ParleyPublisher } from '../publisher.ts';

const WITHOUT_PUBLISHER =
  'turns: there is no publisher to end them. Call endTurns with a ParleyPublisher, or omit the setting.';
const PUBLISHER_WITHOUT_TURNS =
  'turns: the publisher does not have this setting, so no turn would end. Pass the same turns to the ParleyPublisher.';

/** What a receiver needs to start turns: a publisher that ends them. */
export class TurnStart {
  readonly #receive: ParleyFunction;
  #isConnected = false;

  constructor(receive: ParleyFunction) {
    this.#receive = receive;
  }

  /** Returns a message for each missing part, for validation at synth. */
  faults(): readonly string[] {
    return this.#isConnected ? [] : [WITHOUT_PUBLISHER];
  }

  /** @throws Error if the publisher does not have the setting. */
  connect({ turnQueue, turnEnd }: Pick<ParleyPublisher, 'turnEnd' | 'turnQueue'>): void {
    if (!turnQueue) throw new Error(PUBLISHER_WITHOUT_TURNS);
    this.#isConnected = true;
    // `publish` must be able to end turns before `receive` starts one, also during a gradual rollout.
    this.#receive.node.addDependency(turnEnd);
  }
}
