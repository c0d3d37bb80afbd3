import { expect, it } from 'vitest';
import { checkRecordedFacts, RECORDED_FACTS } from '../../contract/recorded/recorded-part.ts';

it('does what was recorded on AWS, except for the listed differences', async () => {
  const { passed, differences, failures } = await checkRecordedFacts();

  expect(failures).toEqual([]);
  expect(passed + differences).toBe(RECORDED_FACTS.length);
});

it('has facts with unique names', () => {
  const names = RECORDED_FACTS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
