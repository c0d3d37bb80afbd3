import { z } from 'zod';
import type { OperatorEchoes } from '../../lambdas/domain/handovers/operator-echo.ts';

/** The setting `operators`. */
export const operatorSettings = z
  .strictObject({
    echoField: z.optional(
      z
        .string()
        .min(1)
        .max(64)
        .meta({
          description:
            'the field of webhook events that only operators\' messages have, such as "OPERATOR_ID": a message from ' +
            'the business that has it, as a text, a number, or true, counts as written by an operator',
        }),
    ),
    echoValues: z.optional(
      z.array(z.string().min(1).max(64)).min(1).max(20).meta({
        description: "a list of the values of echoField that operators' messages have; omit it if any value counts",
      }),
    ),
    echoSenders: z.optional(
      z
        .array(z.string().min(1).max(64))
        .min(1)
        .max(20)
        .meta({
          description:
            'a list of the senders that stand for operators in webhook events that name the kind of sender, such as ' +
            '["agent"]; use it instead of echoField, or beside it',
        }),
    ),
    handoverMinutes: z.optional(
      z
        .int()
        .min(1)
        .max(10_080)
        .meta({
          description:
            "an integer from 1 to 10080: for how many minutes an operator's message hands the contact over to people; " +
            'omit it to hand contacts over only through the management API',
        }),
    ),
  })
  .refine(
    ({ echoField, echoValues, echoSenders, handoverMinutes }) =>
      (echoField !== undefined || echoValues === undefined) &&
      ((echoField ?? echoSenders) !== undefined || handoverMinutes === undefined),
  )
  .meta({
    description:
      'an object with echoField, echoValues, echoSenders, and handoverMinutes, all optional, echoValues only with ' +
      'echoField, and handoverMinutes only with echoField or echoSenders: contacts can be handed over to people, and automated requests are then refused; omit it to turn handovers off',
  });

/** Returns how the stage recognizes operators' messages, or undefined if it does not. */
export const operatorEchoesOf = ({
  echoField,
  echoValues,
  echoSenders,
  handoverMinutes,
}: z.output<typeof operatorSettings>): OperatorEchoes | undefined =>
  (echoField ?? echoSenders) === undefined
    ? undefined
    : { field: echoField, values: echoValues, senders: echoSenders, handoverMinutes };
