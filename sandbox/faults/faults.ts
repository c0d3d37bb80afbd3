import { contactKey } from '../service/contact-key.ts';
import type { AnswerFault, DeliveryFault } from './fault-requests.ts';
import { createReversal, type Reversal } from './reversal.ts';

/** A call of the API, as far as a fault chooses by it. */
export type FaultyCall = { endpoint: string; contact: string | undefined };

/** What waits to go wrong. Of those that fit, the one that was ordered first counts. */
export type Faults = {
  order(faults: { answers?: AnswerFault; deliveries?: DeliveryFault }): void;
  /** The fault that meets this call, counted off; undefined for none. */
  takeForAnswer(call: FaultyCall): AnswerFault | undefined;
  /** The fault that meets the next delivery, counted off; undefined for none. */
  takeForDelivery(): TakenDeliveryFault | undefined;
  /** What is left, with `count` as what is left of each. */
  list(): { answers: readonly AnswerFault[]; deliveries: readonly DeliveryFault[] };
  /** Nothing goes wrong from now on; what was held back for others to come goes out. */
  clear(): void;
};

export type TakenDeliveryFault = DeliveryFault & { readonly reversal?: Reversal };

type Ordered<Fault> = { fault: Fault; left: number };

export const createFaults = (): Faults => {
  let answers: Ordered<AnswerFault>[] = [];
  let deliveries: Ordered<TakenDeliveryFault>[] = [];

  const left = <Fault>(ordered: readonly Ordered<Fault>[]) => ordered.filter((entry) => entry.left > 0);
  const listed = <Fault>(ordered: readonly Ordered<Fault>[]) =>
    ordered.map(({ fault, left: count }) => ({ ...fault, count }));

  return {
    order(faults) {
      if (faults.answers) answers.push({ fault: faults.answers, left: faults.answers.count });
      const { deliveries: fault } = faults;
      if (!fault) return;
      const reversal = fault.reverse && { reversal: createReversal(fault.count) };
      deliveries.push({ fault: { ...fault, ...reversal }, left: fault.count });
    },
    takeForAnswer(call) {
      const met = answers.find(({ fault }) => meets(fault, call));
      if (met === undefined) return undefined;
      met.left -= 1;
      answers = left(answers);
      return met.fault;
    },
    takeForDelivery() {
      const [met] = deliveries;
      if (met === undefined) return undefined;
      met.left -= 1;
      deliveries = left(deliveries);
      return met.fault;
    },
    list: () => ({
      answers: listed(answers),
      deliveries: listed(deliveries).map(({ reversal: _internal, ...fault }) => fault),
    }),
    clear() {
      for (const { fault } of deliveries) fault.reversal?.letGo();
      answers = [];
      deliveries = [];
    },
  };
};

const meets = ({ endpoint, contact }: AnswerFault, call: FaultyCall): boolean =>
  (endpoint === undefined || endpoint === call.endpoint) &&
  (contact === undefined || (call.contact !== undefined && contactKey(contact) === contactKey(call.contact)));
