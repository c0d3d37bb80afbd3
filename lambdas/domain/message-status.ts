/** The attributes with the times of the known statuses of a message. */
export const STATUS_TIMES = ['sentAt', 'deliveredAt', 'readAt', 'answeredAt', 'failedAt'] as const;
