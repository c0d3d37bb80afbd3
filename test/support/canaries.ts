/**
 * Personal data and secrets that no log, metric, message attribute, or event without content may contain. Each has a
 * marker that occurs nowhere else, so that a part of a text is found too.
 */
export const CANARIES = {
  text: 'Where is "Zaphodtext" – 100 %?',
  number: '+5491155509801',
  name: 'Zoë Trillianname',
  param: 'the {Slartiparam} & co.',
  mediaUrl: 'https://media.example/a%20file-Marvinurl.jpg?key=1',
  note: 'I asked Fordnote about it',
  accessToken: 'Access+Token/of:Vogontoken==',
  webhookSecret: 'Webhook-Secret-of-Prefectsecret-0123456789',
} as const;

export type CanaryName = keyof typeof CANARIES;

const MARKERS: Readonly<Record<CanaryName, string>> = {
  text: 'zaphodtext',
  number: '11555098',
  name: 'trillianname',
  param: 'slartiparam',
  mediaUrl: 'marvinurl',
  note: 'fordnote',
  accessToken: 'vogontoken',
  webhookSecret: 'prefectsecret',
};

/** The number of another user, which contains the same marker. */
export const canaryNumber = (index: number): string => `+54911555098${String(index).padStart(2, '0')}`;

/**
 * Returns which canaries a text contains: as it is, in upper or lower case, URL-encoded, in the escapes of JSON and XML, in
 * base64 at any offset and in either alphabet, in hexadecimal, and, for numbers, with punctuation.
 */
export const canariesIn = (text: string): readonly CanaryName[] => {
  const lower = text.toLowerCase();
  const unescaped = unescapeAll(lower);
  const digits = lower.replace(/(?<=\d)[^\da-z"'{}[\]:;<>/]+(?=\d)/g, '');
  const alphabet = text.replaceAll('-', '+').replaceAll('_', '/');
  return namesOf(MARKERS).filter((name) => {
    const marker = MARKERS[name];
    const spellings = [
      ...new Set([marker, marker.toUpperCase(), `${marker.charAt(0).toUpperCase()}${marker.slice(1)}`]),
    ];
    return (
      lower.includes(marker) ||
      unescaped.includes(marker) ||
      (name === 'number' && digits.includes(marker)) ||
      spellings.some((spelling) => lower.includes(Buffer.from(spelling).toString('hex'))) ||
      spellings.some((spelling) => base64Forms(spelling).some((form) => alphabet.includes(form)))
    );
  });
};

const namesOf = (record: Readonly<Record<CanaryName, string>>): readonly CanaryName[] =>
  Object.keys(record).filter((name): name is CanaryName => name in record);

/** Undoes `\u0061`, `%61`, and `&#97;`, however deeply they are nested. */
const unescapeAll = (text: string): string => {
  const once = text
    .replaceAll(/\\+u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/%(?:25)*([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return once.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))).toLowerCase();
};

/** The base64 of a text depends on how many bytes precede it. The characters that depend on its neighbors are left out. */
const base64Forms = (text: string): readonly string[] =>
  [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const whole = bytes.toString('base64').replace(/=+$/, '');
    return whole.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
