import { Key } from 'aws-cdk-lib/aws-kms';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, test } from 'vitest';
import { synthesizedStack } from '../synthesized-stack.ts';
import { ALL_VARIANTS, STAGE_VARIANTS } from './stage-variants.ts';

describe('The AWS Solutions rules', () => {
  test.each(STAGE_VARIANTS)(
    'find nothing without a documented reason in a stage with $name',
    ({ stage, settings, share }) => {
      const { stack } = synthesizedStack(stage, settings, { share });

      expect(new AwsSolutionsChecks(stack).validateScope(stack).violations).toEqual([]);
    },
  );

  test('find what is wrong', () => {
    const { stack } = synthesizedStack('dev');
    new Queue(stack, 'WithoutDeadLetterQueue');
    new Key(stack, 'WithoutRotation');

    const found = new AwsSolutionsChecks(stack).validateScope(stack).violations.map(({ ruleName }) => ruleName);
    expect(found.toSorted()).toEqual(['AwsSolutions-KMS5', 'AwsSolutions-SQS3', 'AwsSolutions-SQS4']);
  });
});

describe('The variants of a stage', () => {
  test('are all settings with all others, in pairs', () => {
    const pairs = (names: readonly string[]) =>
      new Set(
        names.flatMap((name) => {
          const choices = name.split(', ');
          return choices.flatMap((one, index) => choices.slice(index + 1).map((other) => `${one} + ${other}`));
        }),
      );
    const namesOf = (variants: readonly { name: string }[]) => variants.map(({ name }) => name);

    expect(ALL_VARIANTS).toHaveLength(12672);
    expect([...pairs(namesOf(STAGE_VARIANTS))].toSorted()).toEqual([...pairs(namesOf(ALL_VARIANTS))].toSorted());
  });
});
