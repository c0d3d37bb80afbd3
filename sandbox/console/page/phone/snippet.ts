import type { Message } from '../state/shapes.ts';
import { parseFormatting } from './parse-formatting.ts';

const KINDS = { image: 'Photo', audio: 'Audio', file: 'Document' };

/** A message in a few words. */
export const snippet = ({ text, media, direction }: Message): string => {
  const words = text ? plain(text) : (media.map(({ kind }) => KINDS[kind])[0] ?? '');
  return direction === 'out' ? `↩ ${words}` : words;
};

const plain = (text: string): string =>
  parseFormatting(text)
    .map((run) => run.text)
    .join('');
