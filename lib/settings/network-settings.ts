import { z } from 'zod';

/** Optional without a default: by default, the functions are connected to no VPC, and the API has a URL of AWS. */
export const vpc = z
  .strictObject({
    vpcId: z
      .string()
      .regex(/^vpc-[0-9a-f]{8,17}$/)
      .meta({ description: 'the ID of an existing VPC, such as "vpc-0a1b2c3d4e5f60718"' }),
    // The maximums of Lambda: https://docs.aws.amazon.com/lambda/latest/api/API_VpcConfig.html
    subnetIds: z
      .array(z.string().regex(/^subnet-[0-9a-f]{8,17}$/))
      .min(1)
      .max(16)
      .meta({
        description:
          'a list of 1 to 16 IDs of private subnets of the VPC, in two availability zones or more, such as ' +
          '["subnet-0a1b2c3d4e5f60718", "subnet-1a1b2c3d4e5f60718"]',
      }),
    securityGroupIds: z
      .array(z.string().regex(/^sg-[0-9a-f]{8,17}$/))
      .min(1)
      .max(5)
      .optional()
      .meta({
        description:
          'a list of 1 to 5 IDs of security groups of the VPC; omit it to create one that allows the outbound ' +
          'connections that the functions need',
      }),
  })
  .optional()
  .meta({
    description:
      'an object with vpcId, subnetIds, and, optionally, securityGroupIds: the VPC that the functions are connected to; ' +
      'omit it to run the functions outside a VPC; see docs/existing-resources.md',
  });

/** At least two labels of letters, digits, and hyphens, in lower case. */
const DOMAIN_NAME = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])$/;

export const domainName = z
  .strictObject({
    name: z.string().regex(DOMAIN_NAME).meta({
      description: 'the domain name of the webhook, in lower case, such as "chat-events.bank.example"',
    }),
    certificateArn: z
      .string()
      .regex(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[A-Za-z0-9-]{1,64}$/)
      .meta({
        description: "the ARN of an issued certificate for domainName.name, in the stack's account and region",
      }),
    hostedZoneId: z
      .string()
      .regex(/^Z[A-Z0-9]{1,31}$/)
      .optional()
      .meta({
        description:
          "the ID of the Route 53 public hosted zone for domainName.name, in the stack's account, in which to create " +
          'the alias record; omit it to create the DNS record yourself',
      }),
  })
  .optional()
  .meta({
    description:
      "an object with name, certificateArn, and, optionally, hostedZoneId: the webhook's domain name; omit it to use " +
      'the URL that API Gateway generates; see docs/existing-resources.md',
  });

/** The setting `domainName` of a stage that has it. */
export type DomainNameSettings = NonNullable<z.output<typeof domainName>>;
