import {
  CONSENT_KINDS,
  CONSENT_ORIGINS,
  type Consent,
  type ConsentKind,
  type ConsentOrigin,
} from '../domain/consent.ts';
import { DamagedItemError } from '../domain/errors.ts';
import { type Instant, parseInstant } from '../domain/instant.ts';

/** The attributes that hold the latest consent of a kind and an origin. */
export interface ConsentRegister {
  readonly kind: ConsentKind;
  readonly origin: ConsentOrigin;
  readonly at: string;
  readonly source: string;
  readonly recordedAt: string;
  readonly messageId: string;
  readonly ownAt: string;
}

/** Returns the attribute names of a consent, such as `userOptOutAt`. */
export const consentRegister = ({ kind, origin }: Pick<Consent, 'kind' | 'origin'>): ConsentRegister => {
  const prefix = `${origin}${kind === 'opt-in' ? 'OptIn' : 'OptOut'}`;
  const names = { at: `${prefix}At`, source: `${prefix}Source`, recordedAt: `${prefix}RecordedAt` };
  return { kind, origin, ...names, messageId: `${prefix}MessageId`, ownAt: `${prefix}OwnAt` };
};

export const CONSENT_REGISTERS: readonly ConsentRegister[] = CONSENT_KINDS.flatMap((kind) =>
  CONSENT_ORIGINS.map((origin) => consentRegister({ kind, origin })),
);

/** Returns the registers of the consents in an item that were recorded until then. One without a time counts as early. */
export const registersUntil = (item: Readonly<Record<string, unknown>>, until: Instant): readonly ConsentRegister[] =>
  CONSENT_REGISTERS.filter(({ at, recordedAt }) => item[at] !== undefined && String(item[recordedAt] ?? '') <= until);

/** Returns the attributes of these registers with undefined values, which an update removes. */
export const withoutRegisters = (registers: readonly ConsentRegister[]): Readonly<Record<string, undefined>> =>
  Object.fromEntries(
    registers
      .flatMap(({ kind: _kind, origin: _origin, ...names }) => Object.values(names))
      .map((name) => [name, undefined]),
  );

/**
 * Reads the consents from an item.
 *
 * @throws DamagedItemError if an attribute does not have the form that Parley writes, because an opt-out must not be
 *   overlooked
 */
export const readConsents = (item: Readonly<Record<string, unknown>>): readonly Consent[] =>
  CONSENT_REGISTERS.flatMap(({ kind, origin, ...names }) => {
    if (item[names.at] === undefined) return [];
    const [at, ownAt] = [parseInstant(item[names.at]), parseInstant(item[names.ownAt])];
    const [source, messageId] = [item[names.source], item[names.messageId]];
    if (at !== undefined && typeof source === 'string') {
      return [
        { kind, origin, at, source, ...(typeof messageId === 'string' && { messageId }), ...(ownAt && { ownAt }) },
      ];
    }
    throw new DamagedItemError(`An item cannot be read: ${names.at} is not a time, or ${names.source} not a string.`);
  });
