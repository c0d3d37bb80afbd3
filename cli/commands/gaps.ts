import { Command } from '@commander-js/extra-typings';
import type { z } from 'zod';
import { gapsResponse } from '../../lambdas/manage/api/watch/gaps.ts';
import { type CreateCommand, count, examples } from '../base/command.ts';
import { EXIT } from '../base/errors.ts';
import { describeTime } from '../base/human-time.ts';
import { stageTime } from '../base/stage-time.ts';
import { NOT_WATCHED } from './channels.ts';

type Gaps = z.output<typeof gapsResponse>;

export const NO_ECHOES =
  'Gaps are not counted: the chat service has reported no message of a bot or an operator yet, so their statuses would ' +
  'all look like gaps.';

/** Creates `gaps`. */
export const createGapsCommand: CreateCommand = ({ target, api, report, stop }) =>
  new Command('gaps')
    .description(
      'List the gaps, oldest first.\n\n' +
        'A gap is a message that has not arrived 15 minutes after its first status. It is listed until it arrives. The ' +
        'exit code is 6 if there are any. The stage must set webhook.watch.',
    )
    .addHelpText('after', examples('parley gaps --stage prod'))
    .action(async () => {
      const call = await api();
      const gaps: Gaps['gaps'] = [];
      let cursor: string | undefined;
      let page: Gaps;
      do {
        const query = cursor === undefined ? '' : `?${new URLSearchParams({ cursor })}`;
        page = gapsResponse.parse(await call('GET', `/v1/gaps${query}`));
        gaps.push(...page.gaps);
        cursor = page.cursor;
      } while (cursor !== undefined && !stop.aborted);
      const now = await stageTime({ target });
      const { watches, echoes } = page;
      const notCounted = watches ? NO_ECHOES : NOT_WATCHED;
      report({
        lines: [
          watches && echoes ? describeCount(gaps.length) : notCounted,
          ...gaps.map(
            ({ messageId, firstStatusAt, contact }) =>
              `  ${messageId}  first status ${describeTime(firstStatusAt, now)}${contact === undefined ? '' : `  ${contact}`}`,
          ),
        ],
        json: { watches, echoes, gaps },
        exitCode: gaps.length > 0 ? EXIT.partial : EXIT.done,
      });
    });

/** Says how many gaps there are. */
export const describeCount = (gaps: number): string =>
  `${count(gaps, 'message')} ${gaps === 1 ? 'has' : 'have'} not arrived 15 minutes after the first status.`;
