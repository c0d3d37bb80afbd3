import { z } from 'zod';
import { defineResourceType } from './resource-type.ts';

/** Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-scheduler-schedulegroup.html */
export const scheduleGroup = defineResourceType({
  actsUpon: z.strictObject({ Name: z.string().optional() }),
  withoutEffect: { Tags: 'nothing reads them' },
  create({ Name }, { logicalId }, cloud) {
    const name = Name ?? cloud.physicalName(logicalId);
    cloud.schedules.createGroup(name);
    return { ref: name, attributes: { Arn: cloud.arn('scheduler', `schedule-group/${name}`), State: 'ACTIVE' } };
  },
});
