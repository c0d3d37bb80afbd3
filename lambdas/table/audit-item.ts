import { AUDIT_ACTIONS, type AuditEntry, auditDetails } from '../domain/audit.ts';
import * as z from '../domain/schema.ts';
import { type Item, optionalString, parseItem } from './item.ts';
import { idOf, parseContactName } from './keys.ts';

const auditItem = z.object({
  pk: z.string(),
  at: z.string(),
  action: z.enum(AUDIT_ACTIONS),
  caller: z.string(),
  callerId: optionalString,
  contact: optionalString,
  erasedAt: optionalString,
  ...auditDetails.shape,
});

/** @throws DamagedItemError if the item does not have the form of an entry. */
export const parseAuditEntry = (item: Item): AuditEntry => {
  const { pk, at, action, caller, callerId, contact, erasedAt, ...details } = parseItem(auditItem, item);
  const ref = parseContactName(contact);
  return {
    id: idOf(pk),
    at,
    action,
    caller: { arn: caller, ...(callerId !== undefined && { id: callerId }) },
    ...(ref && { contact: ref }),
    ...(erasedAt !== undefined && { erasedAt }),
    details,
  };
};
