import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsIn, PAGES, type Page, ROOT, readPage } from './markdown.ts';

/** Links, definitions of links, and links in HTML. Footnotes are none. */
const LINK = /\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|^\[(?!\^)[^\]\n]+\]: (\S+)|(?:src|srcset|href)="([^"]+)"/gm;

const linksIn = ({ prose }: Page): readonly string[] =>
  [...prose.replaceAll(/`[^`\n]*`/g, '').matchAll(LINK)].map(([, inline, reference, html]) => {
    return inline ?? reference ?? html ?? '';
  });

/** Returns the links of a page that lead nowhere, each with what is missing. */
const brokenIn = (page: Page): readonly string[] =>
  linksIn(page)
    .filter((link) => !/^[a-z][a-z+.-]*:/i.test(link))
    .flatMap((link) => {
      const [path = '', anchor] = decodeURI(link).split('#');
      const file = path === '' ? page.file : posix.join(posix.dirname(page.file), path);
      if (!existsSync(join(ROOT, file))) return [`${page.file}: ${link}: there is no ${file}`];
      const target = PAGES.find((one) => one.file === file);
      if (anchor === undefined || target === undefined) return [];
      const anchors = anchorsIn(path === '' ? page : target);
      return anchors.has(anchor) ? [] : [`${page.file}: ${link}: ${file} has no heading #${anchor}`];
    });

describe('links in the documents', () => {
  it('lead to files and headings that exist', () => {
    expect(PAGES.flatMap(brokenIn)).toEqual([]);
  });

  it('use https', () => {
    const plain = PAGES.flatMap((page) => linksIn(page).filter((link) => link.startsWith('http://')));
    expect(plain).toEqual([]);
  });

  it('and footnotes that are written as references have a definition', () => {
    const undefinedIn = ({ file, prose }: Page) => {
      const text = prose.replaceAll(/`[^`\n]*`/g, '');
      const defined = new Set([...text.matchAll(/^\[([^\]\n]+)\]:/gm)].map(([, name]) => name));
      const used = [...text.matchAll(/(?<=.)\[(\^[\w-]+)\]|\]\s?\[([\w-]+)\]/g)].map(([, note, link]) => note ?? link);
      return used.filter((name) => !defined.has(name)).map((name) => `${file}: [${name}]`);
    };

    expect(PAGES.flatMap(undefinedIn)).toEqual([]);
  });

  it('reach every page', () => {
    const reached = new Set(
      PAGES.flatMap((page) =>
        linksIn(page).map((link) => posix.join(posix.dirname(page.file), link.split('#')[0] ?? '')),
      ),
    );
    // Where a reader starts.
    const starts = ['README.md', 'LICENSE.md'];
    const unreached = PAGES.map(({ file }) => file).filter((file) => !reached.has(file) && !starts.includes(file));
    expect(unreached).toEqual([]);
  });

  it('describe every image', () => {
    const without = PAGES.flatMap(({ file, text }) =>
      [...text.matchAll(/!\[\s*\]\([^)]*\)|<img(?![^>]*\balt="[^"]+")[^>]*>/g)].map(([image]) => `${file}: ${image}`),
    );
    expect(without).toEqual([]);
  });
});

describe('the check of links', () => {
  it.each([
    ['a file that does not exist', '[operating](docs/operatign.md)', 'there is no docs/operatign.md'],
    ['a heading that does not exist', '[x](docs/operating.md#no-such-heading)', 'has no heading #no-such-heading'],
    ['a heading of the page itself that does not exist', '# One\n\n[two](#two)', 'has no heading #two'],
    ['an image that does not exist', '<img alt="x" src="docs/images/none.webp">', 'there is no docs/images/none.webp'],
  ])('finds %s', (_, text, fault) => {
    expect(brokenIn(readPage('README.md', text))).toEqual([expect.stringContaining(fault)]);
  });

  it('knows the anchors of headings', () => {
    const page = readPage('README.md', '# A `send`, twice!\n\n## [Link](x.md)\n\n## Link\n\n```sh\n# comment\n```\n');
    expect([...anchorsIn(page)]).toEqual(['a-send-twice', 'link', 'link-1']);
  });
});
