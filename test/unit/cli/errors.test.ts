import { describe, expect, it } from 'vitest';
import { EXIT, explainError } from '../../../cli/errors.ts';
import { stageResponse } from '../../../lambdas/manage/stage.ts';

describe('an answer in the form of another version', () => {
  it('is explained without its content', () => {
    const parse = () => stageResponse.parse({ chatPlatform: 'secret' });
    expect(parse).toThrow();
    let explained: unknown;
    try {
      parse();
    } catch (error) {
      explained = explainError(error, { name: 'Parley-prod', isLocal: false });
    }

    expect(explained).toMatchObject({
      exitCode: EXIT.failed,
      message:
        'Parley-prod answered in a form that this version of parley does not know (at chatChannelNumber). Deploy this ' +
        'version, or use the version of parley that is deployed.',
    });
  });
});
