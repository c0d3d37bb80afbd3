import { z } from 'zod';

/** The stack may have 50 tags, of which ParleyStack adds two, and CDK or your organization may add some. */
const MAX_TAGS = 40;

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-resource-tags.html */
const TAG_CHARACTERS = String.raw`[\p{L}\p{N} _.:/=+@-]`;
const tagKey = z.string().regex(new RegExp(`^(?!aws:)${TAG_CHARACTERS}{1,128}$`, 'iu'));
const tagValue = z.string().regex(new RegExp(`^${TAG_CHARACTERS}{1,256}$`, 'u'));

/** The tags of a stage's stack, which CloudFormation gives to its resources. */
export const tags = z
  .record(tagKey, tagValue)
  .refine((all) => Object.keys(all).length <= MAX_TAGS)
  .default({})
  .meta({
    description:
      `an object of up to ${MAX_TAGS} tags, such as {"cost-center": "4711"}: tags of the stack and its resources, in ` +
      'addition to application (parley) and stage (the name of the stack), which tags of the same name replace',
  });
