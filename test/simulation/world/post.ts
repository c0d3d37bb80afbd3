import { bodyIn, postOf, type WireEvent, type WireFormat } from './translate-event.ts';

/** An event that the publish/subscribe system delivers. Two posts can have the same event. */
export interface Post {
  /** An event in the contract's own format, or the body as text. */
  readonly event: WireEvent | string;
  /** Other events of the same post. @default none */
  readonly others?: readonly WireEvent[];
  /** The format in which the events are posted, as far as it can express them. @default the contract's own */
  readonly format?: WireFormat;
  /** When the publish/subscribe system accepted the event, if it says so. */
  readonly publishedAt?: string;
}

export const bodyOf = ({ event, others = [], format }: Post): string =>
  postOf([event, ...others].map((one) => (typeof one === 'string' ? one : bodyIn(one, format))));
