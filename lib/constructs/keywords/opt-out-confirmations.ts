import type { ReceiveEnvironment } from '../../../lambdas/receive/environment.ts';
import type { ParleyFunction } from '../parley-function.ts';
import type { ParleySender } from '../sender.ts';
import { partOf } from '../stage-role.ts';

const WITHOUT_SENDER =
  'keywords.confirmation: there is no sender to send it. Call confirmOptOuts with a ParleySender, or omit the setting.';
const SENDER_REFUSES =
  'keywords.confirmation: the sender does not have this setting, so it would refuse every confirmation. ' +
  'Pass the same keywords to the ParleySender.';

/** What a receiver needs to confirm opt-outs by keyword: a sender that sends the confirmations. */
export class OptOutConfirmations {
  readonly #receive: ParleyFunction;
  #isConnected = false;

  constructor(receive: ParleyFunction) {
    this.#receive = receive;
  }

  /** Returns a message for each missing part, for validation at synth. */
  faults(): readonly string[] {
    return this.#isConnected ? [] : [WITHOUT_SENDER];
  }

  /** @throws Error if the sender does not have the setting. */
  connect(sender: Pick<ParleySender, 'confirmsOptOuts' | 'grantSend' | 'handler' | 'sendQueue'>): void {
    if (!sender.confirmsOptOuts) throw new Error(SENDER_REFUSES);
    this.#isConnected = true;
    this.#receive.addEnvironment('SEND_QUEUE_URL' satisfies keyof ReceiveEnvironment, sender.sendQueue.queueUrl);
    sender.grantSend(partOf(this.#receive, 'Confirmations'));
    // Until `send` is updated, it would put the confirmation on the dead-letter queue as malformed.
    this.#receive.node.addDependency(sender.handler);
  }
}
