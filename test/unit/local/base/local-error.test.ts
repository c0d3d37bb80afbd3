import { describe, expect, it } from 'vitest';
import { LocalError, messageOf, unsupported } from '../../../../local/base/local-error.ts';

describe('the message of a thrown value', () => {
  it('is that of an error, or the value as a string', () => {
    expect([messageOf(new LocalError('broken')), messageOf('text')]).toEqual(['broken', 'text']);
  });

  it('names the original error first if the cleanup after it also failed', async () => {
    const failing = async () => {
      await using stack = new AsyncDisposableStack();
      stack.defer(() => {
        throw new Error('cleanup');
      });
      throw new LocalError('original');
    };

    const error = await failing().catch((thrown: unknown) => thrown);

    expect(messageOf(error)).toBe('original (cleanup also failed: cleanup)');
  });
});

describe('an unsupported part of a template', () => {
  it('is named with its place and the folder to add it in', () => {
    expect(unsupported('Queue (AWS::SQS::Queue)', 'the property Color', 'local/resources').message).toBe(
      'Queue (AWS::SQS::Queue): the local run does not support the property Color. Add it in local/resources.',
    );
  });
});
