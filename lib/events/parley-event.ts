import { EVENT_NAMES, type EventName } from '../../lambdas/domain/events/event-names.ts';
import type { EventDetails } from './published-types.ts';

/**
 * An event as EventBridge delivers it to a rule's target, to an SQS queue as the message's body, and to an https target
 * as the request's body. A discriminated union on `detail-type`; `ParleyEvent<'MessageRead'>` is one member of it.
 */
export type ParleyEvent<Name extends EventName = EventName> = {
  [Each in Name]: {
    readonly version: string;
    /** EventBridge's ID of this delivery. To drop duplicates, compare `detail.id`. */
    readonly id: string;
    readonly source: 'parley';
    readonly 'detail-type': Each;
    /** The AWS account of Parley's stack. */
    readonly account: string;
    readonly region: string;
    /** `detail.at`, in whole seconds. */
    readonly time: string;
    // Mutable, so that the event can be passed to functions that expect an `EventBridgeEvent` of `@types/aws-lambda`.
    readonly resources: string[];
    readonly detail: EventDetails[Each];
  };
}[Name];

/** Returns whether a value has what every event of Parley has, known to this version or not. */
const isFromParley = (value: unknown): value is { readonly 'detail-type': unknown } =>
  isObject(value) &&
  value.source === 'parley' &&
  isObject(value.detail) &&
  typeof value.detail.id === 'string' &&
  typeof value.detail.at === 'string';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * Returns whether a value is the named event or, without a name, any event that this version of Parley publishes. It is
 * false for events of other sources, and for those of later versions, which a consumer ignores. Only the fields of every
 * event are checked: to check the whole event, use its JSON Schema.
 */
export const isParleyEvent = <Name extends EventName = EventName>(
  value: unknown,
  name?: Name,
): value is ParleyEvent<Name> =>
  isFromParley(value) &&
  (name === undefined ? EVENT_NAMES.some((each) => each === value['detail-type']) : value['detail-type'] === name);

/**
 * Parses the body of an SQS message or of an https target's request. Returns undefined if it is not an event that this
 * version of Parley publishes.
 *
 * @throws SyntaxError if the text is not JSON
 */
export const parseParleyEvent = (json: string): ParleyEvent | undefined => {
  const value: unknown = JSON.parse(json);
  return isParleyEvent(value) ? value : undefined;
};
