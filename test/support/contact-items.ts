import type { ContactRef } from '../../lambdas/domain/contact.ts';
import { consentRegister } from '../../lambdas/table/consent-item.ts';
import { checkKeyOf, consentKeyOf, contactKeyOf, denialKeyOf, handoverKeyOf } from '../../lambdas/table/keys.ts';

type Item = Readonly<Record<string, unknown>>;

/** What is stored about a contact, in one object. `optInAt` and `optOutAt` are the user's own. */
export interface StoredContact {
  readonly lastInboundAt?: string;
  readonly address?: string;
  readonly windowDeniedAt?: string;
  readonly optInAt?: string;
  readonly optOutAt?: string;
  readonly importedOptInAt?: string;
}

/** Returns the items of a contact, without those that would be empty. */
export const contactItems = (contact: ContactRef, stored: StoredContact): readonly Item[] => {
  const { windowDeniedAt, optInAt, optOutAt, importedOptInAt, ...window } = stored;
  const consents = [
    ...registerOf({ kind: 'opt-in', origin: 'user' }, optInAt),
    ...registerOf({ kind: 'opt-out', origin: 'user' }, optOutAt),
    ...registerOf({ kind: 'opt-in', origin: 'import' }, importedOptInAt),
  ];
  return [
    ...(Object.keys(window).length > 0 ? [{ ...contactKeyOf(contact), ...window }] : []),
    ...(consents.length > 0 ? [{ ...consentKeyOf(contact), ...Object.fromEntries(consents) }] : []),
    ...(windowDeniedAt === undefined ? [] : [{ ...denialKeyOf(contact), windowDeniedAt }]),
  ];
};

const registerOf = (
  register: Parameters<typeof consentRegister>[0],
  at: string | undefined,
): readonly (readonly [string, string])[] => {
  const names = consentRegister(register);
  return at === undefined
    ? []
    : [
        [names.at, at],
        [names.source, 'form'],
        [names.recordedAt, at],
      ];
};

/** Joins the items of a contact, as a reader sees them. Returns undefined if there are none. */
export const joinContactItems = (
  contact: ContactRef,
  itemOf: (key: { readonly pk: string; readonly sk: string }) => Item | undefined,
): Record<string, unknown> | undefined => {
  const items = [contactKeyOf, consentKeyOf, checkKeyOf, denialKeyOf, handoverKeyOf].flatMap((keyOf) => {
    const item = itemOf(keyOf(contact));
    return item === undefined ? [] : [item];
  });
  return items.length === 0 ? undefined : Object.fromEntries(items.flatMap((item) => Object.entries(item)));
};
