import type { KeyObject } from 'node:crypto';
import { wireMessage } from '../../../../support/builders.ts';
import type { Issuer } from '../../../../support/issuer.ts';

/** A request to the webhook. The HTTP API gives header names in lower case and joins repeated headers with commas. */
export interface AttackRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | Buffer;
}

/** What the attacker can use: the keys of everybody else, and requests that honest senders signed. */
export interface Keys {
  /** The issuer of the stage's tokens. Anyone can get a token from it, but not for the stage's service account. */
  readonly issuer: Issuer;
  /** The attacker's own issuer, which serves its keys over HTTP. */
  readonly foreignIssuer: Issuer;
  /** The key of the certificate at `CERTIFICATE_URL`. */
  readonly sns: KeyObject;
  /** The key of the certificate that the attacker serves at every other address. */
  readonly foreignSns: KeyObject;
}

/**
 * What must become of a request:
 * - `refused`: 401 with a constant body; nothing is stored, queued, or fetched from anywhere else.
 * - `genuine only`: 200; what was signed is stored, and nothing beside it.
 * - `handshake`: 200; it carries no event, so nothing is stored or queued.
 * - `nothing new`: 200, if the same request was accepted before; the table does not change.
 */
export type Outcome = 'refused' | 'genuine only' | 'handshake' | 'nothing new';

export interface Attack {
  readonly name: string;
  readonly request: (keys: Keys) => AttackRequest | Promise<AttackRequest>;
  /** @default 'refused' */
  readonly outcome?: Outcome;
  /** The failed check that the log names, for a refused request. */
  readonly reason?: string;
}

/** A kind of authentication with everything that is tried against it. */
export interface AttackedKind {
  readonly auth: Readonly<Record<string, unknown>> & { readonly kind: string };
  /** The text of the webhook's secret, for kinds that have one. */
  readonly secret?: string;
  /** Requests that are accepted, so that a webhook that refuses everything fails. */
  readonly honest: readonly Pick<Attack, 'name' | 'request'>[];
  readonly attacks: readonly Attack[];
}

/** What an honest sender delivers, and what the attacker wants to be stored. */
export const GENUINE = JSON.stringify(wireMessage({ _id_: 'genuine' }));
/** An event whose time comes from its delivery. */
export const GENUINE_WITHOUT_TIME = JSON.stringify(wireMessage({ _id_: 'genuine', CREATION_TIME: undefined }));
export const INJECTED_MARK = 'injected-by-the-attacker';
export const INJECTED = JSON.stringify(wireMessage({ _id_: INJECTED_MARK, MESSAGE: INJECTED_MARK }));

export const pubsubPush = (event: string, messageId = '77') =>
  JSON.stringify({
    message: {
      data: Buffer.from(event).toString('base64'),
      attributes: {},
      messageId,
      publishTime: new Date().toISOString(),
    },
    subscription: 'projects/p/subscriptions/s',
  });
