import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** A fenced code block. */
export interface CodeBlock {
  /** Such as `docs/settings.md:6`, the line of its fence. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

/** A page of the documents. */
export interface Page {
  /** Its path in the repository. */
  readonly file: string;
  readonly text: string;
  /** The text without code blocks. */
  readonly prose: string;
  readonly blocks: readonly CodeBlock[];
}

const BLOCK = /^( *)```(\w*)\n(.*?)^ *```$/gms;

/** Reads a page. */
export const readPage = (file: string, text: string): Page => ({
  file,
  text,
  prose: text.replace(BLOCK, ''),
  blocks: [...text.matchAll(BLOCK)].map(({ index, 1: indent = '', 2: language = '', 3: code = '' }) => ({
    place: `${file}:${text.slice(0, index).split('\n').length}`,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  })),
});

/** The files of the repository, also those that are not committed yet. */
export const REPOSITORY_FILES: ReadonlySet<string> = new Set(
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter(Boolean),
);

/** Every page of the repository. */
export const PAGES: readonly Page[] = [...REPOSITORY_FILES]
  .filter((file) => file.endsWith('.md'))
  .map((file) => readPage(file, readFileSync(join(ROOT, file), 'utf8')));

/**
 * Returns the anchors of a page's headings, as GitHub makes them: in lower case, without punctuation, with hyphens for
 * spaces, and with a number if another heading has the same one.
 */
export const anchorsIn = ({ prose }: Page): ReadonlySet<string> => {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const anchor = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    let numbered = anchor;
    for (let number = 1; anchors.has(numbered); number += 1) numbered = `${anchor}-${number}`;
    anchors.add(numbered);
  }
  for (const [, id = ''] of prose.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
};
