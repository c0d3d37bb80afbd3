import { z } from 'zod';

/**
 * The only numbers of days that CloudWatch Logs accepts.
 *
 * Source: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html
 */
export const LOG_RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** How many days logs are kept. Other numbers are rejected, not rounded, because rounding would go unnoticed. */
export const logRetentionDays = z
  .literal([...LOG_RETENTION_DAYS])
  .default(30)
  .meta({ description: `how many days to keep logs, one of the numbers that CloudWatch Logs accepts: ${list()}` });

export type LogRetentionDays = z.output<typeof logRetentionDays>;

function list(): string {
  return `${LOG_RETENTION_DAYS.slice(0, -1).join(', ')}, or ${LOG_RETENTION_DAYS.at(-1)}`;
}
