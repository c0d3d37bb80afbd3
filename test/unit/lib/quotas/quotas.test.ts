import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from '../synthesized-stack.ts';
import { EXTREME_STAGES } from './extreme-stages.ts';
import { QUOTAS } from './service-quotas.ts';

const PAGE = new URL('../../../../docs/quotas.md', import.meta.url);

const stages = EXTREME_STAGES.map(({ name, settings, share, stackName }) => {
  const { Resources } = synthesizedStack('prod', settings, { share, stackName }).template.toJSON();
  return { name, uses: QUOTAS.map((quota) => quota.usesIn(Resources)) };
});

/** The highest use of each quota, in all stages. */
const highest = QUOTAS.map((quota, index) => {
  const uses = stages.flatMap(({ name, uses: all }) => (all[index] ?? []).map((use) => ({ ...use, stage: name })));
  const top = uses.reduce((one, other) => (other.used > one.used ? other : one), { where: '', used: 0, stage: '' });
  return { quota, top };
});

const SOURCES = [...new Set(QUOTAS.map(({ source }) => source))];

const number = (value: number) => value.toLocaleString('en-US');

const page = [
  '# AWS quotas',
  '',
  'A template that exceeds an AWS quota usually fails only when it is deployed. To find that earlier, a test synthesizes',
  'these stages, with every setting at its maximum, and compares what they use with each quota. A reference counts as the',
  'longest name or ARN that CloudFormation can generate for it.',
  '',
  ...EXTREME_STAGES.map(({ name }, index) => `${index + 1}. ${name}`),
  '',
  '`npm run quotas` generates this page.',
  '',
  '| quota | limit | highest use | in stage | source |',
  '|---|---|---|---|---|',
  ...highest.map(({ quota: { name, limit, source }, top }) => {
    const stage = EXTREME_STAGES.findIndex((one) => one.name === top.stage) + 1;
    return `| ${name} | ${number(limit)} | ${number(top.used)} | ${stage || '-'} | [${SOURCES.indexOf(source) + 1}] |`;
  }),
  '',
  ...SOURCES.map((source, index) => `[${index + 1}]: ${source}`),
  '',
].join('\n');

if (process.env.WRITE_QUOTAS) writeFileSync(PAGE, page);

describe('A stage with every setting at its maximum', () => {
  test.each(highest)('stays within $quota.limit: $quota.name', ({ quota: { limit }, top }) => {
    expect(top.used <= limit || top).toBe(true);
  });

  test('uses a part of each quota, which shows that each is counted', () => {
    const unused = highest.filter(({ quota, top }) => quota.limit > 0 && top.used === 0);
    expect(unused.map(({ quota }) => quota.name)).toEqual([]);
  });

  test('has the usage in docs/quotas.md, which "npm run quotas" writes', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });
});
