import {
  type ChannelCustomer,
  type ContactDefaults,
  type ContactRef,
  resolveContact,
  resolveCustomer,
} from './contact.ts';
import type { SendRequest } from './send-request.ts';

/** A request that names an address, or for whose customer one was chosen. */
export type AddressedRequest = SendRequest & { readonly platformContactId: string };

/** Whether a request names its user by an address. */
export const namesAddress = (request: SendRequest): request is AddressedRequest =>
  request.platformContactId !== undefined;

/** Returns the user that a request names: an address, or the ID of a customer. */
export const addresseeOf = ({ platformContactId, customerId = '' }: SendRequest): string =>
  platformContactId ?? customerId;

/** Returns the contact or the customer that a request refers to. */
export const resolveAddressee = (defaults: ContactDefaults, request: SendRequest): ContactRef | ChannelCustomer =>
  namesAddress(request)
    ? resolveContact(defaults, request)
    : resolveCustomer(defaults, { ...request, customerId: addresseeOf(request) });
