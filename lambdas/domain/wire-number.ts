/** How phone numbers are written in calls: as they came, or always with the leading plus, or never. */
export const NUMBER_FORMATS = ['verbatim', 'plus', 'digits'] as const;
export type NumberFormat = (typeof NUMBER_FORMATS)[number];

const NUMBER = /^\+?(\d{6,15})$/;

/** A number in the form that the service is to see; an id that is no phone number stays as it is. */
export const wireNumber = (address: string, format: NumberFormat): string => {
  const digits = NUMBER.exec(address)?.[1];
  if (digits === undefined || format === 'verbatim') return address;
  return format === 'plus' ? `+${digits}` : digits;
};
