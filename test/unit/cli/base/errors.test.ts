import { describe, expect, it } from 'vitest';
import { EXIT, explainError } from '../../../../cli/base/errors.ts';
import { ManagementError } from '../../../../cli/operations/management-client.ts';
import { stageResponse } from '../../../../lambdas/manage/api/stage.ts';

describe('a call that the management API does not accept', () => {
  it.each([
    [400, 'INVALID_REQUEST', EXIT.usage],
    [404, 'SEND_NOT_FOUND', EXIT.notFound],
    [409, 'REQUEST_ID_REUSED', EXIT.refused],
    [502, 'CHAT_SERVICE_FAILED', EXIT.failed],
  ])('with %i %s exits with %i', (status, code, exitCode) => {
    const error = new ManagementError(status, code, 'A sentence.');

    expect(explainError(error)).toMatchObject({ exitCode, message: 'A sentence.' });
  });
});

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
