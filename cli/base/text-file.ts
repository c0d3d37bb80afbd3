import { readFile } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { CliError, EXIT, explainFileError } from './errors.ts';

/** A text file, or a part of one, in the encoding that was recognized or stated. */
export interface DecodedText {
  readonly text: string;
  /** The name of the encoding, such as `utf-8`. */
  readonly encoding: string;
  /** Whether bytes are not valid in the encoding. The text has U+FFFD in their place. */
  readonly isDamaged: boolean;
}

/**
 * Reads a text file.
 *
 * @param encoding the encoding, as in https://encoding.spec.whatwg.org/#names-and-labels. @default UTF-16 if the file
 *   starts with a byte order mark of it, otherwise UTF-8
 * @throws CliError for an unreadable file, an unknown encoding, and a file that is not text.
 */
export const readTextFile = async (file: string, encoding?: string): Promise<DecodedText> => {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw explainFileError(file, error);
  });
  const decoded = decodeText(bytes, encoding);
  if (decoded.text.includes('\0')) {
    throw new CliError(
      EXIT.usage,
      `${file} has NUL characters, so it is not ${decoded.encoding} text. If it is UTF-16 without a byte order mark, ` +
        'save it as UTF-8. If it is an .xlsx file, export it as CSV.',
    );
  }
  return decoded;
};

/** Decodes bytes, and removes a byte order mark. */
export const decodeText = (bytes: Uint8Array, stated?: string): DecodedText => {
  const decoder = createDecoder(stated ?? encodingByMark(bytes) ?? 'utf-8');
  const { encoding } = decoder;
  if (encoding === 'windows-1252') return { text: decodeWindows1252(bytes), encoding, isDamaged: false };
  try {
    return { text: decoder.decode(bytes), encoding, isDamaged: false };
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), encoding, isDamaged: true };
  }
};

const createDecoder = (label: string): TextDecoder => {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw new CliError(
      EXIT.usage,
      `--encoding ${label} is unknown. Use utf-8, utf-16le, utf-16be, windows-1252, iso-8859-15, macintosh, ` +
        'shift_jis, or another name from https://encoding.spec.whatwg.org/#names-and-labels.',
    );
  }
};

/** Returns the encoding whose byte order mark the bytes start with. TextDecoder itself removes the mark. */
const encodingByMark = ([first, second]: Uint8Array): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
};

/** What windows-1252 has in place of the control characters U+0080 to U+009F of ISO 8859-1. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** Many versions of Node.js decode windows-1252 as ISO 8859-1. Source: https://github.com/nodejs/node/issues/56542 */
const decodeWindows1252 = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80] ?? control);
