import { ParleyStack } from '@parleyhq/parley';
import { EVENT_NAMES } from '@parleyhq/parley/events';
import { expect, it } from 'vitest';
import { ParleyStack as stackOfLib } from '../../lib/index.ts';

it('resolves the names of the package to the files of the repository', () => {
  expect(ParleyStack).toBe(stackOfLib);
  expect(EVENT_NAMES).toContain('MessageReceived');
});
