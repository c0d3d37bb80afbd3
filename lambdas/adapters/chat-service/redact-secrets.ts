/** The replacement for a secret. */
const REDACTED = '<access token>';

/** Shorter fragments would match ordinary text. */
const MIN_FRAGMENT = 8;

/**
 * Creates the function that replaces secrets in all strings of a parsed JSON value, including field names. It finds a
 * secret in plain text, percent-encoded, with the escapes of JSON, XML, and programming languages, in hexadecimal, and
 * anywhere in base64-encoded text.
 */
export const createRedactSecrets = (secrets: readonly string[]): ((value: unknown) => unknown) => {
  const forms = [...new Set(secrets)].filter((secret) => secret !== '').flatMap(formsOf);
  if (forms.length === 0) return (value) => value;
  const pattern = new RegExp(forms.join('|'), 'g');
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(pattern, REDACTED);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(redact);
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name.replace(pattern, REDACTED), redact(part)]),
    );
  };
  return redact;
};

/** Replaces the words of a text that are parts of a secret, for example because the text quotes only its start. */
export const redactFragments = (text: string, secrets: readonly string[]): string =>
  text.replace(/[\w+/=-]+/g, (word) =>
    word.length >= MIN_FRAGMENT && secrets.some((secret) => secret.includes(word)) ? REDACTED : word,
  );

const formsOf = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret);
  const hex = [...bytes].map((byte) => anyCase(byte.toString(16).padStart(2, '0'))).join('');
  return [escapable(secret), ...base64Of(bytes).map(escapable), ...(bytes.length >= MIN_FRAGMENT ? [hex] : [])];
};

/** Matches a string in which any character may be escaped in any way. */
const escapable = (text: string): string => [...text].map(escapableCharacter).join('');

const escapableCharacter = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const percent = [...Buffer.from(character)].map((byte) => `%(?:25)*${anyCase(byte.toString(16).padStart(2, '0'))}`);
  const units = [...Array(character.length).keys()].map((index) => character.charCodeAt(index));
  const unicode = units.map((unit) => String.raw`\\+u${anyCase(unit.toString(16).padStart(4, '0'))}`);
  const entity = `&#0*(?:${code}|[xX]0*${anyCase(code.toString(16))});`;
  // A backslash by itself can also be an escape, and base64 has two alphabets.
  const plain = ALPHABETS[character] ?? character.replace(/[^A-Za-z0-9]/g, String.raw`\$&`);
  return String.raw`(?:\\*${plain}|${percent.join('')}|${unicode.join('')}|${entity})`;
};

const ALPHABETS: Readonly<Record<string, string>> = { '+': '[+-]', '-': '[+-]', '/': '[/_]', _: '[/_]' };

const anyCase = (hex: string): string => hex.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** The base64 of a secret depends on how many bytes precede it; the characters that its neighbors change are left out. */
const base64Of = (secret: Buffer): readonly string[] =>
  [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), secret]);
    const whole = bytes.toString('base64').replaceAll('=', '');
    const own = whole.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return own.length >= MIN_FRAGMENT ? [own] : [];
  });
