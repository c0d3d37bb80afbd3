import { CHANGE_LAWS, REFERENCE_LAWS, STORED_ITEM_LAWS } from '../../lambdas/laws/check-laws.ts';
import type { Law } from '../../lambdas/laws/law.ts';
import { withGenerated, wrap } from './markdown.ts';

/** Returns docs/laws.md with the generated part replaced: each law with its statement and its source. */
export function lawsPage(page: string): string {
  const parts = [
    section('What `parley check-table` checks', [...STORED_ITEM_LAWS, ...REFERENCE_LAWS]),
    section(
      'What only the tests check',
      CHANGE_LAWS,
      'These laws are about writes, which only the stream of the table shows.',
    ),
  ];
  return withGenerated(page, parts.join('\n'));
}

function section(title: string, laws: readonly Law[], intro?: string): string {
  const heading = `## ${title}\n\n${intro === undefined ? '' : `${intro}\n\n`}`;
  return `${heading}${laws.map(describe).join('\n')}`;
}

function describe({ name, statement, source, next }: Law): string {
  const [file = '', anchor] = source.split('#');
  const link = `[${file.replace(/^.*\/|\.md$/g, '').replaceAll('-', ' ')}](${file}${anchor === undefined ? '' : `#${anchor}`})`;
  return `### \`${name}\`\n\n${wrap(statement)}\n\nSource: ${link}\\\n${wrap(`What to do: ${next}`)}\n`;
}
