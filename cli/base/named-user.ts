import { Argument, Option } from '@commander-js/extra-typings';
import { CliError, EXIT } from './errors.ts';

/** A user as a command line names it: by an address, or by the chat service's ID. */
export type NamedUser = { readonly contact: string } | { readonly customer: string };

/** The contact of a command that also accepts `--customer`. */
export const contactOrCustomerArgument = () =>
  new Argument('[contact]', 'Contact ID of the user, such as +5491150000001');

/** `--customer`, in place of the contact. */
export const customerOption = () =>
  new Option('--customer <id>', "The chat service's ID of the user, instead of a contact; covers all addresses");

/** Says what to add to a command line that names nobody. */
export const NO_USER = 'Name the user: a contact ID, such as +5491150000001, or --customer with a customer ID.';

/** @throws CliError unless the command line has exactly one of them */
export const nameUser = (contact: string | undefined, customer: string | undefined): NamedUser => {
  if (contact !== undefined && customer !== undefined) {
    throw new CliError(EXIT.usage, `Use ${contact} or --customer ${customer}, not both.`);
  }
  // Such as from an unset variable of a shell.
  if (contact?.trim() === '') throw new CliError(EXIT.usage, `The contact is empty. ${NO_USER}`);
  if (customer?.trim() === '') throw new CliError(EXIT.usage, `--customer is empty. ${NO_USER}`);
  if (contact !== undefined) return { contact };
  if (customer !== undefined) return { customer };
  throw new CliError(EXIT.usage, NO_USER);
};
