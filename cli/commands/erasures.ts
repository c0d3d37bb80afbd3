import { Command } from '@commander-js/extra-typings';
import { erasureResponse } from '../../lambdas/manage/api/erasures.ts';
import { type CreateCommand, count, examples } from '../base/command.ts';
import { resourcePath } from '../operations/resource-path.ts';

/** Creates `erasures status`. */
export const createErasuresCommand: CreateCommand = ({ api, report }) =>
  new Command('erasures').description('Show the progress of erasures.').addCommand(
    new Command('status')
      .description(
        'Show the progress of an erasure.\n\n' +
          'The record of an erasure does not name its contact. Its ID is in the output of erase.',
      )
      .argument('<erasure-id>', 'ID of the erasure, as shown by erase')
      .addHelpText('after', examples('parley erasures status 5f0c9a52-7c1e-4bb1-9d5c-0a4f3b9f7a11 --stage prod'))
      .action(async (id) => {
        const call = await api({ erasureId: '<erasure-id>' });
        const erasure = erasureResponse.parse(await call('GET', resourcePath('erasures', 'erasureId', id)));
        const { erasureId, state, requestedAt, finishedAt, messages, sends, deadLetters, passes } = erasure;
        const erased = [count(messages, 'message'), count(sends, 'send'), count(deadLetters, 'dead letter')].join(', ');
        report({
          lines: [
            `${erasureId}: ${state}`,
            `  ${requestedAt}  requested`,
            ...(finishedAt === undefined ? [] : [`  ${finishedAt}  finished`]),
            `  ${erased} erased${state === 'done' ? '' : ' so far'}, in ${passes === 1 ? '1 pass' : `${passes} passes`}`,
          ],
          json: erasure,
        });
      }),
  );
