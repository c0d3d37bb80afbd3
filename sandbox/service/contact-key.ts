/**
 * What two addresses are compared on: the digits of a number, anything else verbatim.
 * Source: field notes, "Inbound events": an address comes with and without the leading plus and is not always a phone.
 */
export const contactKey = (address: string): string => {
  const digits = phoneDigits(address);
  return digits === '' ? address : digits;
};

/** The digits of an address that is written as a number, else an empty string. */
export const phoneDigits = (address: string): string =>
  /^\+?[\d\s().-]+$/.test(address) ? address.replace(/\D/g, '') : '';
