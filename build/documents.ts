import { existsSync, globSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What a package's user may need of `docs`: pages, schemas, and policies, but neither decisions nor pictures. */
const PAGES = [
  'docs/*.md',
  'docs/*.json',
  'docs/policies/**/*.json',
  'docs/webhook-formats/*.md',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
];

/** Returns the paths of the documents that are published, relative to the repository's root. */
export const publishedDocuments = (root: string): readonly string[] => globSync(PAGES, { cwd: root }).toSorted();

/** Copies the documents into a package's folder, with a page of `docs` as its README. */
export const addDocuments = async (
  root: string,
  folder: string,
  readme: string,
  files = publishedDocuments(root),
): Promise<readonly string[]> => {
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file));
  }
  await writeFile(join(folder, 'README.md'), fromTheRoot(await readFile(join(root, readme), 'utf8'), dirname(readme)));
  for (const file of ['README.md', ...files].filter((name) => name.endsWith('.md'))) {
    const path = join(folder, file);
    await writeFile(path, withoutDeadLinks(await readFile(path, 'utf8'), dirname(path)));
  }
  return ['README.md', ...new Set(files.map((file) => file.split('/')[0] ?? file))];
};

/** A link or picture with a relative target, without titles. */
const LINK = /(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)/g;

/** Rewrites the relative links of a page as if it were in the root. */
const fromTheRoot = (text: string, folder: string): string =>
  text.replace(
    LINK,
    (_link, picture, label, target, hash = '') => `${picture}[${label}](${join(folder, target)}${hash})`,
  );

/** Replaces links to files that are not in the package by their text, and removes such pictures. */
const withoutDeadLinks = (text: string, folder: string): string =>
  text.replace(LINK, (link, picture, label, target) => {
    if (existsSync(join(folder, target))) return link;
    return picture === '!' ? '' : label;
  });
